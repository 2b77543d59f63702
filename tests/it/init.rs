//! `codedb init` end to end: a separate home directory, the real program, and every byte compared.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::mcp::session::Session;
use crate::support::place::{Answer, Place};

/// Example settings of a user who has all clients.
const SETTINGS: &[(&str, &str)] = &[
    (".claude.json", "{\n  \"numStartups\": 3,\n  \"mcpServers\": {},\n  \"projects\": {}\n}"),
    (".codex/config.toml", "model = \"o3\" # which\r\n\r\n[tui]\r\ntheme = \"x\"\r\n"),
    (".cursor/mcp.json", "\u{feff}{\"mcpServers\": {\"a\": {\"url\": \"http://localhost\"}}}\n"),
    (".gemini/settings.json", "{\n\t\"mcpServers\": {\n\t\t\"a\": {},\n\t},\n}\n"),
    (".config/Code/User/mcp.json", "{\r\n  \"servers\": {\r\n    // none\r\n  }\r\n}\r\n"),
    (
        ".config/zed/settings.json",
        "// Zed\n{\n  \"context_servers\": {\n    \"a\": {} // last\n    // \"b\": {}\n  },\n}\n",
    ),
    (".codeium/windsurf/mcp_config.json", "{\n  \"theme\": \"dark\"\n}\n"),
    (".config/opencode/opencode.jsonc", "{\n  /* all */\n  \"mcp\": {},\n}\n"),
];

/// The same settings for one project.
const IN_PROJECT: &[&str] = &[
    ".mcp.json",
    ".codex/config.toml",
    ".cursor/mcp.json",
    ".gemini/settings.json",
    ".vscode/mcp.json",
    ".zed/settings.json",
    "opencode.json",
];

fn home(place: &Place) -> PathBuf {
    place.base().join("home")
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory can be created");
    fs::write(path, text).expect("a file can be written");
}

/// Creates a place whose user has every client.
fn with_settings() -> Place {
    let place = Place::new();
    for (path, text) in SETTINGS {
        write(&home(&place).join(path), text);
    }
    place
}

fn command(place: &Place, args: &[&str]) -> Command {
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    for name in ["CODEX_HOME", "CLAUDE_CONFIG_DIR"] {
        command.env_remove(name);
    }
    command.arg("init").args(args);
    command
}

fn init(place: &Place, args: &[&str]) -> Answer {
    Answer::of(command(place, args))
}

/// Returns every file and directory of a place with its content.
fn all(place: &Place) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![place.base()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path.clone());
            } else {
                drop(found.insert(path.clone(), fs::read(&path).ok()));
            }
        }
    }
    found
}

#[test]
fn nothing_is_written_without_consent() {
    let place = with_settings();
    let before = all(&place);
    for args in [&[][..], &["--scope", "project"], &["--agents-md"]] {
        let answer = init(&place, args).expect_success();
        assert!(answer.text().contains("+++ ") && answer.text().contains("codedb"), "{args:?}");
        assert!(answer.stderr.contains("nothing was written"), "{}", answer.stderr);
        assert_eq!(all(&place), before, "{args:?}");
    }
    let text = init(&place, &["--client", "claude-code"]).text();
    let path = home(&place).join(".claude.json").display().to_string();
    let program = env!("CARGO_BIN_EXE_codedb");
    let expected = format!(
        "Claude Code: add codedb\n--- {path}\n+++ {path}\n@@ -1,5 +1,10 @@\n {{\n   \"numStartups\": 3,\n\
         -  \"mcpServers\": {{}},\n+  \"mcpServers\": {{\n+    \"codedb\": {{\n+      \"command\": \
         \"{program}\",\n+      \"args\": [\"mcp\"]\n+    }}\n+  }},\n   \"projects\": {{}}\n }}\n\\ No newline \
         at end of file\n"
    );
    assert_eq!(text, expected);
}

#[test]
fn tokens_beside_a_change_are_not_printed() {
    let place = Place::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let other = format!(
        "{{\n  \"mcpServers\": {{\n    \"a\": {{\"env\": {{\"T\": \"{token}\"}}}}\n  }}\n}}\n"
    );
    write(&home(&place).join(".claude.json"), &other);
    let answer = init(&place, &["--client", "claude-code", "--yes"]).expect_success();
    assert!(answer.text().contains("[redacted: ") && !answer.text().contains("ghp_"));
    let written = fs::read_to_string(home(&place).join(".claude.json")).expect("settings");
    assert!(written.contains(&token) && written.contains("codedb"));
}

#[test]
fn registering_is_idempotent_and_removing_restores_every_byte() {
    let place = with_settings();
    let before = all(&place);
    let answer = init(&place, &["--yes"]).expect_success();
    assert_eq!(answer.stderr.matches(": registered in ").count(), SETTINGS.len());
    let registered = all(&place);
    let changed = before.keys().filter(|path| before.get(*path) != registered.get(*path)).count();
    assert_eq!((changed, registered.len()), (SETTINGS.len(), before.len()));
    let again = init(&place, &["--yes"]).expect_success();
    assert_eq!((again.text().as_str(), &all(&place)), ("", &registered));
    assert_eq!(again.stderr.matches(": already registered in ").count(), SETTINGS.len());
    // An entry of an outdated program with the same name is updated.
    let moved = init(&place, &["--yes", "--command", "codedb"]).expect_success();
    assert_eq!(moved.text().matches("update codedb").count(), SETTINGS.len());
    assert_eq!(init(&place, &["--command", "codedb"]).expect_success().text(), "");
    init(&place, &["--yes", "--remove"]).expect_success();
    assert_eq!(all(&place), before);
    let nothing = init(&place, &["--remove"]).expect_success();
    assert!(nothing.stderr.contains("not registered in scope"), "{}", nothing.stderr);
}

#[test]
fn project_files_are_created_and_removed() {
    let place = with_settings();
    place.write("src/lib.rs", "");
    let before = all(&place);
    let answer = init(&place, &["--yes", "--scope", "project", "--agents-md"]).expect_success();
    assert!(answer.stderr.contains("is a path on this machine"), "{}", answer.stderr);
    let after = all(&place);
    let new: Vec<&PathBuf> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    let mut expected: Vec<PathBuf> =
        IN_PROJECT.iter().chain(&["AGENTS.md"]).map(|path| place.root().join(path)).collect();
    expected.sort();
    assert_eq!(new, expected.iter().collect::<Vec<_>>());
    assert!(before.iter().all(|(path, text)| after.get(path) == Some(text)));
    let again = init(&place, &["--yes", "--scope", "project", "--agents-md"]).expect_success();
    assert_eq!((again.text(), all(&place)), (String::new(), after));
    init(&place, &["--yes", "--scope", "project", "--agents-md", "--remove"]).expect_success();
    assert_eq!(all(&place), before);
    assert!(!place.root().join(".vscode").exists(), "an empty folder is left");
}

#[test]
fn the_written_settings_start_the_server() {
    let place = Place::new();
    place.write("src/cart.rs", "pub fn add_item() {}\n");
    let args = ["--yes", "--scope", "project", "--client", "claude-code,opencode"];
    init(&place, &args).expect_success();
    let read = |path: &str| -> Value {
        let text = fs::read_to_string(place.root().join(path)).expect("it was written");
        serde_json::from_str(&text).expect("strict JSON")
    };
    let plain = read(".mcp.json")["mcpServers"]["codedb"].take();
    let words = |value: &Value| -> Vec<String> {
        serde_json::from_value(value.clone()).expect("a list of texts")
    };
    let program = plain["command"].as_str().expect("a text").to_owned();
    let as_list = [vec![program], words(&plain["args"])].concat();
    assert_eq!(words(&read("opencode.json")["mcp"]["codedb"]["command"]), as_list);
    let mut server = place.command(&as_list[0]);
    server.args(&as_list[1..]).env("CODEDB_INDEX_DIR", place.cache());
    let mut session = Session::spawn(server);
    let answer = session.initialize("2025-11-25", json!({}));
    assert_eq!(answer["serverInfo"]["name"], "codedb");
    assert_eq!(session.text("codedb_find", json!({"query": "cart"})), "src/cart.rs\n");
    session.end();
}

#[test]
fn a_program_on_the_path_is_registered_by_its_name() {
    let place = Place::new();
    let bin = place.base().join("bin");
    fs::create_dir(&bin).expect("a directory can be created");
    let shown = |place: &Place| {
        let mut command = command(place, &["--client", "cursor"]);
        command.env("PATH", &bin);
        Answer::of(command).expect_success().text()
    };
    symlink(env!("CARGO_BIN_EXE_codedb"), bin.join("codedb")).expect("a link can be created");
    assert!(shown(&place).contains("\"command\": \"codedb\""));
    fs::remove_file(bin.join("codedb")).expect("it exists");
    write(&bin.join("codedb"), "#!/bin/sh\n");
    fs::set_permissions(bin.join("codedb"), PermissionsExt::from_mode(0o755)).expect("permissions");
    let own = format!("\"command\": \"{}\"", env!("CARGO_BIN_EXE_codedb"));
    assert!(shown(&place).contains(&own), "another program of that name comes first");
}

/// Returns the entry that `init` writes for Cursor when it is started by `program`.
fn registered(place: &Place, program: &Path, environment: &[(&str, &Path)]) -> Value {
    let mut command = place.command(program);
    command.args(["init", "--yes", "--client", "cursor"]).env("PATH", "/usr/bin:/bin");
    command.envs(environment.iter().copied());
    Answer::of(command).expect_success();
    let text = fs::read_to_string(home(place).join(".cursor/mcp.json")).expect("settings");
    let settings: Value = serde_json::from_str(&text).expect("strict JSON");
    settings["mcpServers"]["codedb"].clone()
}

/// Puts the program at a path below the place, as an installer does.
fn installed_at(place: &Place, path: &str) -> PathBuf {
    let path = place.base().join(path);
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory can be created");
    let own = env!("CARGO_BIN_EXE_codedb");
    fs::hard_link(own, &path).or_else(|_| fs::copy(own, &path).map(drop)).expect("a copy");
    path
}

#[test]
fn the_entry_of_a_package_survives_an_upgrade() {
    let place = Place::new();
    let npx = installed_at(&place, ".npm/_npx/0f/node_modules/@codedb/linux-x64/bin/codedb");
    let script = place.base().join(".npm/_npx/0f/node_modules/codedb/bin/codedb.js");
    let environment = [("CODEDB_LAUNCHED_BY", Path::new("npx")), ("CODEDB_LAUNCHER", &script)];
    let entry = json!({"command": "npx", "args": ["-y", "codedb@latest", "mcp"]});
    assert_eq!(registered(&place, &npx, &environment), entry);
    let uvx = installed_at(&place, ".cache/uv/archive-v0/Xy/bin/codedb");
    let own_dir = uvx.parent().expect("a directory").to_path_buf();
    let entry = json!({"command": "uvx", "args": ["codedb-cli@latest", "mcp"]});
    // uvx puts the directory of the program on PATH for the call.
    assert_eq!(registered(&place, &uvx, &[("PATH", &own_dir)]), entry);
    let venv = installed_at(&place, "venv/bin/codedb");
    write(&place.base().join("venv/pyvenv.cfg"), "");
    let entry = json!({"command": venv, "args": ["mcp"]});
    assert_eq!(registered(&place, &venv, &[("PATH", venv.parent().expect("a directory"))]), entry);
    let brewed = installed_at(&place, "brew/Cellar/codedb/0.1.0/bin/codedb");
    let linked = place.base().join("brew/bin/codedb");
    fs::create_dir(place.base().join("brew/bin")).expect("a directory can be created");
    symlink(&brewed, &linked).expect("a link can be created");
    assert_eq!(registered(&place, &brewed, &[])["command"], json!(linked));
    let bin = linked.parent().expect("a directory");
    assert_eq!(registered(&place, &brewed, &[("PATH", bin)])["command"], "codedb");
    let modules = "app/node_modules";
    write(&place.base().join("app/package.json"), "{}");
    let local = installed_at(&place, &format!("{modules}/@codedb/linux-x64/bin/codedb"));
    let shim = place.base().join(modules).join(".bin/codedb");
    write(&shim, "#!/usr/bin/env node\n");
    let script = place.base().join(modules).join("codedb/bin/codedb.js");
    let environment = [("CODEDB_LAUNCHED_BY", Path::new("npm")), ("CODEDB_LAUNCHER", &script)];
    assert_eq!(registered(&place, &local, &environment)["command"], json!(shim));
    init(&place, &["--yes", "--remove"]).expect_success();
    assert!(!home(&place).join(".cursor/mcp.json").exists(), "it contained nothing else");
}

#[test]
fn the_git_hook_of_a_package_starts_it_by_its_launcher() {
    let place = Place::new();
    place.git(&["init", "-q"]);
    let uvx = installed_at(&place, ".cache/uv/archive-v0/Xy/bin/codedb");
    let mut command = place.command(uvx);
    command.args(["init", "--git-hook", "--yes"]);
    Answer::of(command).expect_success();
    let hook = fs::read_to_string(place.root().join(".git/hooks/pre-commit")).expect("a hook");
    assert!(hook.contains("\n  uvx codedb-cli check --pre-commit || exit $?\n"), "{hook}");
}

#[test]
fn a_program_that_will_not_stay_is_reported() {
    let place = Place::new();
    let answer = init(&place, &["--client", "cursor"]).expect_success();
    assert!(answer.stderr.contains("is in a build directory"), "{}", answer.stderr);
    let answer = init(&place, &["--client", "cursor", "--command", "codedb"]).expect_success();
    assert!(!answer.stderr.contains("build directory"), "{}", answer.stderr);
}

#[test]
fn doctor_shows_the_installation_and_what_is_stored() {
    let place = Place::new();
    place.write("a.rs", "fn a() {}\n");
    place.index(&["-q"]).expect_success();
    let doctor = |path: &Path| {
        let mut command = place.codedb("doctor");
        command.env("PATH", path);
        Answer::of(command).text()
    };
    let nowhere = doctor(Path::new("/nowhere"));
    let program = env!("CARGO_BIN_EXE_codedb");
    for part in [
        format!("ok    version: {}\n", env!("CARGO_PKG_VERSION")),
        format!("ok    program: {program}, installed by cargo in a build directory\n"),
        "note  PATH: no directory of it contains codedb\n".to_owned(),
        format!("ok    cache: {} holds ", place.cache().display()),
        format!(
            "ok    data: nothing is recorded in {}",
            home(&place).join(".local/share/codedb").display()
        ),
        format!("ok    uninstall: codedb stored data only in {}", place.cache().display()),
    ] {
        assert!(nowhere.contains(&part), "{part}\n{nowhere}");
    }
    let bin = place.base().join("bin");
    fs::create_dir(&bin).expect("a directory can be created");
    symlink(program, bin.join("codedb")).expect("a link can be created");
    assert!(doctor(&bin).contains(&format!("ok    PATH: {}\n", bin.join("codedb").display())));
    fs::remove_file(bin.join("codedb")).expect("it exists");
    write(&bin.join("codedb"), "#!/bin/sh\n");
    fs::set_permissions(bin.join("codedb"), PermissionsExt::from_mode(0o755)).expect("permissions");
    let other = doctor(&bin);
    assert!(other.contains("codedb is another codedb\n"), "{other}");
    write(&home(&place).join(".local/share/codedb/x.db"), "12345");
    let stored = doctor(&bin);
    assert!(stored.contains(".local/share/codedb holds 5 B\n"), "{stored}");
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    let place = with_settings();
    let broken = home(&place).join(".cursor/mcp.json");
    write(&broken, "{\"mcpServers\": {\n");
    let answer = init(&place, &["--yes"]).expect_success();
    let reported = format!("{}: invalid JSON at line 1, column 16", broken.display());
    assert!(
        answer.stderr.contains(&reported) && answer.stderr.contains("hint: "),
        "{}",
        answer.stderr
    );
    assert_eq!(answer.stderr.matches(": registered in ").count(), SETTINGS.len() - 1);
    assert_eq!(fs::read_to_string(&broken).expect("it exists"), "{\"mcpServers\": {\n");
    let alone = init(&place, &["--yes", "--client", "cursor"]);
    assert_eq!((alone.code, alone.text().as_str()), (2, ""), "nothing else went well");
}

#[test]
fn errors_name_the_path_and_the_fix() {
    let place = Place::new();
    let check = |place: &Place, args: &[&str], code: i32, parts: &[&str]| {
        let answer = init(place, args);
        assert_eq!((answer.code, answer.text().as_str()), (code, ""), "{}", answer.stderr);
        let missing = parts.iter().find(|part| !answer.stderr.contains(**part));
        assert_eq!(missing, None, "{}", answer.stderr);
    };
    check(&place, &[], 1, &["no agent or editor was found", "`--client`: claude-code, codex"]);
    check(&place, &["--client", "emacs"], 2, &["'emacs'", "claude-code"]);
    let project = ["--scope", "project", "--client", "windsurf"];
    check(&place, &project, 2, &["Windsurf has no project settings", "omit"]);
    let home_text = home(&place).display().to_string();
    let at_home = ["--root", home_text.as_str(), "--scope", "project"];
    check(
        &place,
        &at_home,
        2,
        &["refusing to write project settings: it is a home directory", "--root"],
    );
    let cursor = home(&place).join(".cursor/mcp.json");
    let path = cursor.display().to_string();
    let by_name = ["--yes", "--client", "cursor"];
    fs::create_dir_all(&cursor).expect("a directory can be created");
    check(&place, &by_name, 2, &[&path, "not a file"]);
    fs::remove_dir(&cursor).expect("it is empty");
    fs::write(&cursor, b"{\"a\": \"\xFF\"}").expect("a file can be written");
    check(&place, &by_name, 2, &[&path, "not UTF-8"]);
    fs::remove_file(&cursor).expect("it exists");
    symlink("nowhere", &cursor).expect("a link can be created");
    check(&place, &by_name, 2, &[&path, "broken symbolic link", "hint: remove the link"]);
    write(&place.base().join("outside.json"), "{}");
    symlink("../outside.json", place.root().join(".mcp.json")).expect("a link can be created");
    let project = ["--yes", "--scope", "project", "--client", "claude-code"];
    check(&place, &project, 2, &[".mcp.json: the target is outside of the tree"]);
}

#[test]
fn links_are_written_through_and_permissions_kept() {
    let place = Place::new();
    let kept = place.base().join("dotfiles/claude.json");
    write(&kept, "{}\n");
    fs::set_permissions(&kept, PermissionsExt::from_mode(0o600)).expect("permissions");
    let link = home(&place).join(".claude.json");
    symlink(&kept, &link).expect("a link can be created");
    init(&place, &["--yes"]).expect_success();
    assert!(link.is_symlink() && fs::read_to_string(&kept).expect("text").contains("codedb"));
    let mode = fs::metadata(&kept).expect("it exists").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // A file that `init` created is deleted; a link and its target remain.
    fs::remove_file(&kept).expect("it exists");
    write(&kept, "");
    init(&place, &["--yes"]).expect_success();
    init(&place, &["--yes", "--remove"]).expect_success();
    let left = fs::read_to_string(&link).expect("it exists");
    assert_eq!(left, "");
    let names = fs::read_dir(kept.parent().expect("a directory")).expect("a directory").count();
    assert_eq!(names, 1, "a temporary file is left");
}

#[test]
fn the_note_is_updated_in_place() {
    let place = Place::new();
    let old = "# Agents\n\n<!-- codedb:begin -->\nold\n<!-- codedb:end -->\n\nBe kind.\n";
    place.write("AGENTS.md", old);
    place.write("sub/x", "");
    fs::create_dir(place.root().join(".git")).expect("a directory can be created");
    let mut command = command(&place, &["--yes", "--agents-md"]);
    command.current_dir(place.root().join("sub"));
    Answer::of(command).expect_success();
    let text = fs::read_to_string(place.root().join("AGENTS.md")).expect("it exists");
    assert!(text.starts_with("# Agents\n\n<!-- codedb:begin -->\n"), "{text}");
    assert!(text.ends_with("<!-- codedb:end -->\n\nBe kind.\n") && !text.contains("old"), "{text}");
    init(&place, &["--yes", "--agents-md", "--remove"]).expect_success();
    let text = fs::read_to_string(place.root().join("AGENTS.md")).expect("it exists");
    assert_eq!(text, "# Agents\n\nBe kind.\n");
}
