//! docs/fleet.md, and the files below docs/fleet/ that run nodes.

use std::fs;
use std::path::{Path, PathBuf};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The comments between which a page has rows that a test writes.
const MARKS: [&str; 2] = ["<!-- capacity: written by a test -->\n", "<!-- /capacity -->"];

/// Fails unless the rows between the marks of a page are `rows`; with `CODEDB_WRITE_DOCS` writes them.
pub(super) fn check_rows(page: &str, rows: &str) {
    let found = text(page);
    let parts = found.split_once(MARKS[0]).and_then(|(before, rest)| {
        let (table, after) = rest.split_once(MARKS[1])?;
        let head: Vec<&str> = table.lines().take(2).collect();
        Some(format!("{before}{}{}\n{rows}\n{}{after}", MARKS[0], head.join("\n"), MARKS[1]))
    });
    let expected = parts.expect("the page has both marks");
    if std::env::var_os("CODEDB_WRITE_DOCS").is_some() {
        fs::write(path(page), &expected).expect("the page can be written");
    }
    assert_eq!(text(page), expected, "CODEDB_WRITE_DOCS=1 has the test write it");
}

/// The options of the program that the files start.
const COMMAND: &[&str] = &["zoekt-webserver", "-rpc", "-listen", "-index"];

#[test]
fn every_file_starts_the_server_with_its_options() {
    for name in ["compose.yaml", "kubernetes.yaml", "zoekt-webserver.service"] {
        let text = text(&format!("docs/fleet/{name}"));
        for word in COMMAND {
            assert!(text.contains(word), "{name}: {word}");
        }
        assert!(text.contains("6070"), "{name}: the port of the walkthrough");
    }
}

/// Returns what is wrong with the indentation and the keys of a YAML file of the plain kind that these are:
/// no tabs, steps of two columns, and no key twice in one mapping.
fn problems(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    // The keys of the mappings around a line, by their columns.
    let mut open: Vec<(usize, Vec<String>)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let content = line.trim_start();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if line == "---" {
            open.clear();
            continue;
        }
        let mut column = line.len() - content.len();
        if line.contains('\t') || column % 2 != 0 || line.ends_with(' ') {
            found.push(format!("line {}: blanks", at + 1));
        }
        open.retain(|(of, _)| *of <= column);
        let mut rest = content;
        while let Some(item) = rest.strip_prefix("- ") {
            column += 2;
            rest = item;
            // A new item has a new mapping.
            open.retain(|(of, _)| *of < column);
        }
        let key = rest.split_once(": ").map(|(key, _)| key).or_else(|| rest.strip_suffix(':'));
        let is_key =
            |key: &&str| key.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_./".contains(&it));
        let Some(key) = key.filter(is_key) else { continue };
        if open.last().is_none_or(|(of, _)| *of < column) {
            open.push((column, Vec::new()));
        }
        if let Some((of, keys)) = open.last_mut() {
            if *of != column || keys.iter().any(|known| known == key) {
                found.push(format!("line {}: the key `{key}`", at + 1));
            }
            keys.push(key.to_owned());
        }
    }
    found
}

#[test]
fn yaml_files_are_well_formed() {
    assert_eq!(problems("a:\n  b: 1\n  b: 2\n").len(), 1, "a key twice");
    assert_eq!(problems("a:\n  - b: 1\n    c: 2\n  - b: 1\n"), Vec::<String>::new());
    for name in ["compose.yaml", "kubernetes.yaml"] {
        let found = problems(&text(&format!("docs/fleet/{name}")));
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}

#[test]
fn the_unit_has_sections_with_assignments() {
    let text = text("docs/fleet/zoekt-webserver.service");
    let mut sections = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(section) => sections.push(section),
            None => assert!(line.contains('=') && !sections.is_empty(), "{line}"),
        }
    }
    assert_eq!(sections, ["Unit", "Service", "Install"]);
}
