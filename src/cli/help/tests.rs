//! The contents and the topics: complete, short, and about commands that exist.

use std::collections::BTreeSet;
use std::path::Path;

use super::*;
use crate::cli::commands;

/// Returns true if there is a command with this name.
fn exists(name: &str) -> bool {
    commands::names().iter().any(|command| command == name)
}

/// The number of lines of two screens.
const LINES_MAX: usize = 48;

#[test]
fn every_command_is_in_one_group() {
    let listed: Vec<&str> = GROUPS
        .iter()
        .flat_map(|group| group.rows)
        .flat_map(|row| row.commands.iter().map(|(name, _)| *name))
        .collect();
    let unique: BTreeSet<&str> = listed.iter().copied().collect();
    assert_eq!(listed.len(), unique.len(), "a command is listed twice");
    let names = commands::names();
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(unique, names);
}

#[test]
fn the_contents_fit_on_two_screens() {
    let text = contents(Heading::Plain);
    assert!(text.lines().count() <= LINES_MAX, "{} lines", text.lines().count());
    for line in text.lines() {
        assert!(line.chars().count() <= WIDTH, "{line}");
    }
    let styled = contents(Heading::Styled);
    let plain = ["\x1b[1m", "\x1b[4m", "\x1b[0m"]
        .iter()
        .fold(styled.clone(), |text, sequence| text.replace(sequence, ""));
    assert!(styled != text && plain == text);
}

#[test]
fn topics_are_short_and_have_names_of_their_own() {
    for name in topics::names() {
        assert!(!exists(name), "`{name}` is a command");
        let text = topics::text(name).expect("a topic has a text");
        assert!(text.lines().count() <= 40, "{name}: {} lines", text.lines().count());
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH, "{name}: {line}");
        }
        let mut lines = text.lines();
        assert!(lines.next().is_some_and(|title| !title.is_empty()), "{name}");
        assert_eq!(lines.next(), Some(""), "{name}");
    }
}

#[test]
fn topics_name_only_commands_and_flags_that_exist() {
    for name in topics::names() {
        let text = topics::text(name).expect("a topic has a text");
        for (at, _) in text.match_indices("codedb ") {
            let line = text[at..].lines().next().unwrap_or_default();
            // The call ends at the next column, at a backtick, or at the end of a list of shapes.
            let call = line.split("  ").next().unwrap_or_default();
            let call = call.split(['`', '|']).next().unwrap_or_default();
            let mut words = call.split(' ').skip(1);
            let Some(command) = words.next().filter(|word| is_name(word)) else { continue };
            let is_prose =
                ["stores", "leaves", "serves", "writes", "itself", "is"].contains(&command);
            if is_prose || text[..at].ends_with(['/', '~']) || is_package_manager(&text[..at]) {
                continue;
            }
            assert!(exists(command), "{name}: {call}");
            for flag in words.filter_map(|word| word.strip_prefix("--")) {
                let flag = flag.split('=').next().unwrap_or_default();
                assert!(commands::has_flag(command, flag), "{name}: {call}: --{flag}");
            }
        }
    }
}

/// Returns true for a word that may be a command: lower case and hyphens.
fn is_name(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

/// Returns true where the text before `codedb` is a call of a package manager.
fn is_package_manager(before: &str) -> bool {
    ["uninstall ", "remove ", "-g "].iter().any(|end| before.ends_with(end))
}

#[test]
fn every_variable_is_described() {
    let text = topics::text("environment").expect("a topic");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for source in ["src", "core/src"].iter().flat_map(|place| sources(&root.join(place))) {
        for (at, _) in source.match_indices("\"CODEDB_") {
            let name = &source[at + 1..];
            let end = name.find(|c: char| !c.is_ascii_uppercase() && c != '_');
            let name = &name[..end.unwrap_or(name.len())];
            // These configure tests and benches.
            let is_of_tests = ["CODEDB_", "CODEDB_LONG", "CODEDB_CALLS_TREE", "CODEDB_WRITE_FORMS"]
                .contains(&name);
            assert!(is_of_tests || text.contains(name), "{name} is not described");
        }
    }
}

/// Returns the texts of the Rust files below a directory.
fn sources(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).expect("a directory").flatten();
    let mut texts = Vec::new();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            texts.append(&mut sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            texts.push(std::fs::read_to_string(&path).expect("a text"));
        }
    }
    texts
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest() {
    let hints = |name: &str| unknown(name, &commands::names()).hints().join("; ");
    assert!(hints("freshnes").contains("`codedb help freshness`"), "{}", hints("freshnes"));
    assert!(hints("calers").contains("`codedb help callers`"), "{}", hints("calers"));
    assert!(hints("zzzzzz").contains("the topics are getting-started, agents"));
}
