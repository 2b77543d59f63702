//! Detects secrets by path: such files are not indexed and never served to a model.
//!
//! `codedb search` still searches them, by reading them each time.

/// Returns true if the repository path is that of a credential store, a private key or the like.
/// Only the last components of the path count; case does not. O(path).
pub fn is_secret(path: &[u8]) -> bool {
    let (dir, name) = crate::base::path::split(path);
    // Templates of environment files contain names, not values.
    let template = [".example", ".sample", ".template", ".dist"];
    if starts(name, b".env.") || ends(name, b".env") {
        return !template.iter().any(|end| ends(name, end.as_bytes()));
    }
    const NAMES: &[&[u8]] = &[
        b"id_rsa",
        b"id_dsa",
        b"id_ecdsa",
        b"id_ed25519",
        b".netrc",
        b"_netrc",
        b".pgpass",
        b".git-credentials",
        b".htpasswd",
        b".npmrc",
        b".pypirc",
        b"credentials.json",
        b"service-account.json",
        b"secrets.yml",
        b"secrets.yaml",
        b"secrets.json",
        b".vault-token",
    ];
    const ENDS: &[&[u8]] =
        &[b".pem", b".key", b".p12", b".pfx", b".jks", b".keystore", b".kdbx", b".ppk"];
    let (_, parent) = crate::base::path::split(dir);
    NAMES.iter().any(|secret| name.eq_ignore_ascii_case(secret))
        || ENDS.iter().any(|end| ends(name, end))
        || (name.eq_ignore_ascii_case(b"credentials") && parent.eq_ignore_ascii_case(b".aws"))
        // The URL of a remote may contain a password.
        || (name.eq_ignore_ascii_case(b"config") && parent.eq_ignore_ascii_case(b".git"))
        || parent.eq_ignore_ascii_case(b".ssh")
}

/// Returns true if a directory, given by its absolute path, is inside a store of credentials or of
/// git, where names alone do not show which files are secret. No tree may have its root there.
/// O(path).
pub fn is_in_store(path: &[u8]) -> bool {
    const STORES: &[&[u8]] = &[
        b".ssh",
        b".gnupg",
        b".aws",
        b".azure",
        b".kube",
        b".docker",
        b".password-store",
        b".git",
    ];
    let is_store = |name: &[u8]| STORES.iter().any(|store| name.eq_ignore_ascii_case(store));
    let names: Vec<&[u8]> = path.split(|byte| matches!(byte, b'/' | b'\\')).collect();
    let is_gcloud = |pair: &[&[u8]]| {
        pair[0].eq_ignore_ascii_case(b".config") && pair[1].eq_ignore_ascii_case(b"gcloud")
    };
    names.iter().any(|name| is_store(name)) || names.windows(2).any(is_gcloud)
}

fn starts(name: &[u8], start: &[u8]) -> bool {
    name.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start))
}

fn ends(name: &[u8], end: &[u8]) -> bool {
    let at = name.len().checked_sub(end.len());
    at.is_some_and(|at| name[at..].eq_ignore_ascii_case(end))
}

#[cfg(test)]
mod tests {
    use super::{is_in_store, is_secret};

    #[test]
    fn stores_are_distinguished_from_other_directories() {
        for path in ["/home/a/.ssh", "/home/a/.AWS/x", "/r/.git", "/home/a/.config/gcloud"] {
            assert!(is_in_store(path.as_bytes()), "{path}");
        }
        for path in ["/home/a/ssh", "/r/.github", "/r/x.git", "/home/a/gcloud", "/"] {
            assert!(!is_in_store(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn secrets_are_distinguished_from_sources() {
        for path in [
            ".env",
            "a/.env.local",
            "prod.env",
            "x/id_rsa",
            "tls/server.KEY",
            ".ssh/config",
            ".git/config",
        ] {
            assert!(is_secret(path.as_bytes()), "{path}");
        }
        for path in [".env.example", "src/env.rs", "id_rsa.rs", "key", "a/credentials", "pem.c"] {
            assert!(!is_secret(path.as_bytes()), "{path}");
        }
    }
}
