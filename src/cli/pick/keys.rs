//! The key bindings that `codedb completions --keys` prints: they insert what `codedb pick` returns into the
//! command line.

/// The shells, and their scripts.
const SCRIPTS: [(&str, &str); 3] = [
    ("bash", include_str!("keys/keys.bash")),
    ("zsh", include_str!("keys/keys.zsh")),
    ("fish", include_str!("keys/keys.fish")),
];

/// Returns the names of the shells.
pub(in crate::cli) fn shells() -> impl Iterator<Item = &'static str> {
    SCRIPTS.iter().map(|(shell, _)| *shell)
}

/// Returns the script of a shell.
pub(in crate::cli) fn script(shell: &str) -> Option<&'static str> {
    SCRIPTS.iter().find(|(name, _)| *name == shell).map(|(_, script)| *script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_has_the_same_keys() {
        for shell in shells() {
            let script = script(shell).unwrap_or_default();
            for (key, what) in [("s", "symbols"), ("f", "files"), ("l", "lines")] {
                let explained = format!("# Ctrl-G {key}: ");
                assert!(script.contains(&explained) && script.contains(what), "{shell}: {key}");
            }
            assert!(script.contains(&format!("completions --keys {shell}")), "{shell}");
        }
    }
}
