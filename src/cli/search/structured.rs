//! `codedb search --structure`: the lines of a search by file and by the definition around them, as agents
//! get them. The options are those of the tool; common ones of ripgrep are translated.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use super::super::tool;
use crate::error::{Error, Kind, Result};

/// The flag.
pub(super) const FLAG: &str = "--structure";

/// Options of ripgrep without a value, and those of the tool.
const SWITCHES: &[(&str, &str, &str)] = &[
    ("-i", "--ignore-case", "--case-sensitive=false"),
    ("-s", "--case-sensitive", "--case-sensitive=true"),
    ("-w", "--word-regexp", "--word"),
    ("-l", "--files-with-matches", "--paths-only"),
];

/// Options with a value, and those of the tool.
const VALUES: &[(&str, &str, &str)] = &[
    ("-g", "--glob", "--path-glob"),
    ("-C", "--context", "--context-lines"),
    ("-m", "--max-count", "--max-per-file"),
    ("-e", "--regexp", "--query"),
];

/// Returns true if the arguments ask for it.
pub(super) fn is_wanted(words: &[OsString]) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| word == FLAG)
}

/// Runs the search.
///
/// # Errors
///
/// As the tool.
pub(super) fn run(words: &[OsString]) -> Result<ExitCode> {
    let missing = || Error::new(Kind::NotFound, "the tool `search` is missing");
    let found = crate::tools::find("codedb_search").ok_or_else(missing)?;
    let name = OsString::from("codedb search --structure");
    let words = std::iter::once(name).chain(translated(words));
    let matches = tool::command(found).get_matches_from(words);
    tool::run(found, &matches)
}

/// Returns the arguments of the tool. A word after the pattern that is a path becomes a glob.
fn translated(words: &[OsString]) -> Vec<OsString> {
    let mut made = Vec::new();
    let (mut is_fixed, mut has_pattern) = (false, false);
    let mut words = words.iter().filter(|word| *word != FLAG);
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        let switch = SWITCHES.iter().find(|(short, long, _)| *short == text || *long == text);
        let value = VALUES.iter().find(|(short, long, _)| {
            *short == text || *long == text || text.starts_with(&format!("{long}="))
        });
        if text == "-F" || text == "--fixed-strings" {
            is_fixed = true;
        } else if let Some((.., here)) = switch {
            made.push(OsString::from(*here));
        } else if let Some((_, long, here)) = value {
            has_pattern |= *here == "--query";
            made.push(OsString::from(*here));
            match text.strip_prefix(&format!("{long}=")) {
                Some(value) => made.push(value.into()),
                None => made.extend(words.next().cloned()),
            }
        } else if text.starts_with('-') {
            made.push(word.clone());
            // Every other option of the tool but its switches has a value.
            let is_alone = text.contains('=') || is_switch(&text);
            made.extend((!is_alone).then(|| words.next().cloned()).flatten());
        } else if has_pattern {
            let is_folder = Path::new(word).is_dir();
            let path = text.trim_end_matches('/');
            let path = path.strip_prefix("./").unwrap_or(path);
            if path != "." {
                let glob = globset::escape(path);
                let glob = if is_folder { format!("{glob}/**") } else { glob };
                made.push(format!("--path-glob={glob}").into());
            }
        } else {
            has_pattern = true;
            made.push(word.clone());
        }
    }
    made.extend((!is_fixed).then(|| OsString::from("--regex")));
    made
}

/// Returns true for an option without a value of the tool or of every command.
fn is_switch(option: &str) -> bool {
    let Some(tool) = crate::tools::find("codedb_search") else { return false };
    tool::command(tool).get_arguments().any(|arg| {
        let is_named = arg.get_long().is_some_and(|long| option == format!("--{long}"))
            || arg.get_short().is_some_and(|short| option == format!("-{short}"));
        is_named && !arg.get_action().takes_values()
    }) || ["--help", "-h", "--help-all"].contains(&option)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, expected: &str) {
        let words: Vec<OsString> = typed.split(' ').map(OsString::from).collect();
        let made = translated(&words).into_iter().map(|word| word.into_string().expect("text"));
        assert_eq!(made.collect::<Vec<_>>().join(" "), expected, "{typed}");
    }

    #[test]
    fn options_of_ripgrep_are_translated() {
        check("--structure a|b", "a|b --regex");
        check("-i a --structure -F", "--case-sensitive=false a");
        check("a nowhere/x.rs --structure", "a --path-glob=nowhere/x.rs --regex");
        check("a src/ --structure", "a --path-glob=src/** --regex");
        check("a . --structure -C 2", "a --context-lines 2 --regex");
        check("--structure --in comment a", "--in comment a --regex");
        check("--structure --json a -g=x", "--json a -g=x --regex");
        check("--structure -e a --glob=*.rs", "--query a --path-glob *.rs --regex");
    }
}
