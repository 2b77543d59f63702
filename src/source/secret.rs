//! Which files are secrets: they enter no index and are never served to a model.
//!
//! The command line's search still finds what is in them, by reading them anew each time.

/// Returns true if the repository path names a credential store, a private key or the like.
/// Decided by its last components alone, case-insensitively. O(path).
pub fn is_secret(path: &[u8]) -> bool {
    let (dir, name) = crate::base::path::split(path);
    // Templates of environment files hold names, not values.
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
        || (name.eq_ignore_ascii_case(b"credentials") && parent == b".aws")
        // A remote's address may hold a password.
        || (name.eq_ignore_ascii_case(b"config") && parent == b".git")
        || parent == b".ssh"
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
    use super::is_secret;

    #[test]
    fn secrets_are_told_from_sources() {
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
