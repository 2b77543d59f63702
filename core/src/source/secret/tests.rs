//! The names that are refused and those that only look like them; texts with and without secrets.
//! `tests/it/secrets.rs` has a text for each kind.

use std::path::Path;

use super::{holds_stores, is_in_store, is_secret, masked, redacted, redactions};

/// Names that public scanners report; each is refused.
const SECRETS: &str = include_str!("../../../../tests/it/secrets/refused.txt");

/// Files of version control; each is refused.
const VERSION_CONTROL: &str = include_str!("../../../../tests/it/secrets/version_control.txt");

/// Names that only look like those of secrets; each is served.
const SOURCES: &str = include_str!("../../../../tests/it/secrets/served.txt");

#[track_caller]
fn check(paths: &str, is_refused: bool) -> usize {
    let paths: Vec<&str> = paths.split_ascii_whitespace().collect();
    let wrong: Vec<String> = paths
        .iter()
        .flat_map(|path| [(*path).to_owned(), format!("some/dir/{path}")])
        .filter(|path| is_secret(path.as_bytes()) != is_refused && path != "some/dir/auth.json")
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    paths.len()
}

#[test]
fn names_of_scanners_are_refused() {
    assert!(check(SECRETS, true) >= 190);
    check(VERSION_CONTROL, true);
}

#[test]
fn spellings_that_a_file_system_ignores_are_refused() {
    for path in [
        ".env.",
        ".netrc ",
        ".git /config",
        ".git./config",
        ".g\u{200c}it/config",
        ".ENV::$DATA",
        "a/.git::$INDEX_ALLOCATION/config",
        "id_rsa::$DATA",
        ".\u{feff}ssh/config",
        "GIT~1/config",
    ] {
        assert!(is_secret(path.as_bytes()), "{path:?}");
    }
    for path in ["a:b/c.rs", "a./b.rs", "größe.rs", "x :y/z. /w"] {
        assert!(!is_secret(path.as_bytes()), "{path:?}");
    }
    assert!(is_in_store(b"C:\\Users\\a\\.ssh") && !is_in_store(b"C:\\Users\\a\\code"));
}

#[test]
fn names_that_look_like_secrets_are_served() {
    assert!(check(SOURCES, false) >= 100);
}

#[test]
fn stores_are_distinguished_from_other_directories() {
    for path in [
        "/home/a/.ssh",
        "/home/a/.AWS/x",
        "/r/.git",
        "/r/.git/modules/x",
        "/home/a/.config/gcloud",
        "/home/a/.config/gh",
        "/home/a/.local/share/keyrings",
        "/Users/a/Library/Keychains",
        "/r/.hg",
        "/home/a/.mozilla/firefox",
    ] {
        assert!(is_in_store(path.as_bytes()), "{path}");
    }
    for path in ["/home/a/ssh", "/r/.github", "/r/x.git", "/home/a/gcloud", "/", "/home/a/.config"]
    {
        assert!(!is_in_store(path.as_bytes()), "{path}");
    }
}

#[test]
fn parents_of_stores_are_recognised() {
    let home = Path::new("/home/a");
    for path in [
        "/home/a/.config",
        "/home/a/.local",
        "/home/a/.local/share",
        "/home/a/.cargo",
        "/home/a/.m2",
        "/home/b/.config",
        "/home/a/Library",
        "/home/a/AppData/Roaming",
    ] {
        assert!(holds_stores(Path::new(path), Some(home)), "{path}");
    }
    for path in [
        "/home/a/code",
        "/home/a/.cargo/registry/src",
        "/home/a/.config/nvim",
        "/srv/share",
        "/srv/library",
        "/home/a/code/library",
    ] {
        assert!(!holds_stores(Path::new(path), Some(home)), "{path}");
        assert!(!holds_stores(Path::new(path), None), "{path}");
    }
}

/// A token, assembled so that scanners do not report this file.
fn token() -> String {
    format!("ghp_{}", "a1B2c3D4e5F6".repeat(3))
}

fn private_key() -> String {
    let line = "MIIEpAIBAAKCAQEA7x3".repeat(3);
    let begin = ["-----BEGIN RSA PRIV", "ATE KEY-----"].concat();
    let end = begin.replace("BEGIN", "END");
    format!("{begin}\n{line}\n{line}\nab==\n{end}\n")
}

#[test]
fn secrets_are_masked_in_place() {
    for text in [
        format!("a = \"{}\"; // é\n", token()),
        format!("x\n{}y\n", private_key()),
        format!("git clone https://me:{}@host.example/x\r\n", "pa5sWord"),
        format!("{}\n{}\n", token(), token()),
    ] {
        let masked = masked(text.as_bytes()).expect("it has a secret");
        assert_eq!(masked.len(), text.len());
        let places = |text: &[u8]| -> Vec<usize> {
            (0..text.len()).filter(|&at| text[at] == b'\n').collect()
        };
        assert_eq!(places(&masked), places(text.as_bytes()));
        let masked = String::from_utf8(masked).expect("marks are characters");
        assert!(!masked.contains("a1B2") && !masked.contains("MIIE") && !masked.contains("pa5s"));
        assert_eq!(redacted(masked), redacted(text));
    }
}

#[test]
fn replies_name_the_kind_of_a_secret() {
    let check = |text: &str, expected: &str| assert_eq!(redacted(text.to_owned()), expected);
    check(&format!("t = '{}';", token()), "t = '[redacted: GitHub token]';");
    check("https://me:pa5sWord@host/x", "https://me:[redacted: password in URL]@host/x");
    let key = private_key();
    let lines: Vec<&str> = key.lines().collect();
    let shown = "[redacted: private key]";
    check(&key, &format!("{}\n{shown}\n{shown}\n{shown}\n{}\n", lines[0], lines[4]));
    // In source code and in JSON, line ends are escaped.
    let escaped = key.replace('\n', "\\n");
    let expected = format!("\"{}{shown}{}\\n\"", lines[0], lines[4]);
    check(&format!("\"{escaped}\""), &expected);
    let json = serde_json::to_string(&format!("{key}{}", token())).expect("JSON");
    let back: String = serde_json::from_str(&redacted(json)).expect("still JSON");
    assert!(!back.contains("MIIE") && back.contains("GitHub"), "{back}");
    assert_eq!(redactions(&redacted(format!("{}\n{}", token(), private_key()))), 4);
    assert_eq!(redactions("[redacted: x] [redacted: JWT"), 0);
}

#[test]
fn a_cut_mask_shows_no_part_of_the_secret() {
    let text = format!("é{}é", token());
    let masked = masked(text.as_bytes()).expect("it has a secret");
    for end in 0..=masked.len() {
        for part in [&masked[..end], &masked[end..]] {
            let shown = redacted(String::from_utf8_lossy(part).into_owned());
            let rest = shown.replace("[redacted: GitHub token]", "");
            assert!(!rest.contains(|c: char| c.is_ascii_alphanumeric()), "{end}: {shown}");
        }
    }
}

#[test]
fn texts_about_secrets_are_not_redacted() {
    for text in [
        "if key.startsWith(\"-----BEGIN PRIVATE KEY-----\") { parse(key) }",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "const PREFIXES: [&str; 3] = [\"ghp_\", \"sk-\", \"AKIA\"];",
        "risk-assessment-of-the-long-name sk-toggleable__label-arrow task-1234",
        "https://user:password@example.com http://user:$PASS@host postgres://{user}:{pass}@host/",
        "https://example.com/a@b:c ssh://git@github.com/a/b.git http://localhost:8080/@scope/name",
        "npm_config_registry npm_lifecycle_event hf_hub_download pypi-server key-value SG.",
        "eyJust a word.and another.one sl.no xai-org/grok",
    ] {
        assert_eq!(redacted(text.to_owned()), text);
    }
}

#[test]
fn a_key_at_the_end_of_a_name_is_redacted() {
    let key = format!("AKIA{}", "QZ3XK7PLMW2NVB5T");
    let shown = redacted(format!("def use_{key}():"));
    assert_eq!(shown, "def use_[redacted: AWS key]():");
}

/// A hunk of a patch can show the middle of a key, without its first line.
#[test]
fn lines_of_keys_in_patches_are_redacted() {
    let line = "MIIEowIBAAKCAQEAx8Kd0pXq7Zb1uV3wY5rT9sLmNcFgHjKlPoIuYtReWqAsDfGh";
    let patch = format!("@@ -15 +15 @@ {line}\n-{line}\n+{line}\n+let sum = add(1, 2);\n");
    let shown = String::from_utf8(super::masked_patch(patch.as_bytes())).expect("UTF-8");
    assert!(!shown.contains("MIIE") && shown.contains("+let sum"), "{shown}");
}
