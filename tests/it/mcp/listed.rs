//! The tool list, compared with that of the last release. Removing, moving, changing or adding a
//! tool requires a line in the CHANGELOG, because prompts and caches of clients depend on the list.
//!
//! `listed.txt` has a line for each tool of the last release, in order: its name and a hash of its
//! entry. Before the first release, the list is that of the day when this test was added. A line of
//! the CHANGELOG's first section that begins with `- Tool list:` and names a tool, or contains
//! `every tool`, covers its change. A release rewrites the file:
//! `CODEDB_RELEASES=1 cargo test --test it listed`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

use super::place;
use super::session::Session;

/// Returns the name and hash of each tool, in order.
fn parsed(text: &str) -> Vec<(&str, &str)> {
    text.lines().filter_map(|line| line.split_once(' ')).collect()
}

/// Returns the changed tools that `changelog` does not mention.
fn unmentioned<'a>(before: &'a str, now: &'a str, changelog: &str) -> BTreeSet<&'a str> {
    let (before, now) = (parsed(before), parsed(now));
    let names =
        |list: &[(&'a str, &'a str)]| list.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    let (old, new) = (names(&before), names(&now));
    let mut changed: BTreeSet<&str> = BTreeSet::new();
    changed.extend(before.iter().filter(|entry| !now.contains(entry)).map(|(name, _)| *name));
    changed.extend(new.iter().filter(|name| !old.contains(name)));
    let stayed: Vec<&str> = old.iter().filter(|name| new.contains(name)).copied().collect();
    let order: Vec<&str> = new.iter().filter(|name| old.contains(name)).copied().collect();
    let moved = stayed.iter().zip(&order).filter(|(old, new)| old != new);
    changed.extend(moved.map(|(_, name)| *name));
    let section = changelog.split("\n## ").nth(1).unwrap_or_default();
    let reported: Vec<&str> =
        section.lines().filter(|line| line.starts_with("- Tool list:")).collect();
    if reported.iter().any(|line| line.contains("every tool")) {
        return BTreeSet::new();
    }
    let is_reported = |name: &str| reported.iter().any(|line| line.contains(&format!("`{name}`")));
    changed.retain(|name| !is_reported(name));
    changed
}

#[test]
fn changes_of_the_tool_list_are_in_the_changelog() {
    let place = place();
    let mut session = Session::start(&place, &["--toolsets", "all", "--allow-edit"]);
    session.initialize("2025-11-25", json!({}));
    let listed = session.request("tools/list", json!({}));
    session.end();
    let mut now = String::new();
    for tool in listed["tools"].as_array().expect("a list") {
        let hash = xxhash_rust::xxh3::xxh3_64(tool.to_string().as_bytes());
        let _ = writeln!(now, "{} {hash:016x}", tool["name"].as_str().expect("a name"));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("tests/it/mcp/listed.txt");
    if std::env::var_os("CODEDB_RELEASES").is_some() {
        std::fs::write(&path, &now).expect("it is written");
    }
    let before = std::fs::read_to_string(&path).expect("it exists");
    let changelog = std::fs::read_to_string(root.join("CHANGELOG.md")).expect("it exists");
    let unmentioned = unmentioned(&before, &now, &changelog);
    assert!(
        unmentioned.is_empty(),
        "a line `- Tool list: …` of the CHANGELOG's first section must describe the change of {unmentioned:?}"
    );
}

#[test]
fn every_kind_of_change_is_detected() {
    let changelog = |line: &str| {
        format!(
            "# Changelog\n\n## Unreleased\n\n- Other `b`.\n{line}\n\n## 1\n\n- Tool list: `a`, `b`, `c`.\n"
        )
    };
    let check = |now: &str, expected: &[&str]| {
        let found = unmentioned("a 1\nb 2\n", now, &changelog(""));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), expected, "{now}");
        let reported = changelog("- Tool list: `a`, `b` and `c` changed.");
        assert_eq!(unmentioned("a 1\nb 2\n", now, &reported), BTreeSet::new(), "{now}");
        let reported = changelog("- Tool list: every tool changed.");
        assert_eq!(unmentioned("a 1\nb 2\n", now, &reported), BTreeSet::new(), "{now}");
    };
    check("a 1\nb 2\n", &[]);
    check("a 1\n", &["b"]);
    check("a 1\nb 3\n", &["b"]);
    check("b 2\na 1\n", &["a", "b"]);
    check("a 1\nb 2\nc 3\n", &["c"]);
    check("a 1\nc 2\n", &["b", "c"]);
}
