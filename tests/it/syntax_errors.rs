//! Files with parts that their parser does not understand: replies about what may be there say so.

use serde_json::{Value, json};

use crate::support::place::{Answer, Place};

/// A tree in which `lost` may be defined and called in the broken parts of two files; the broken part
/// of a third one is elsewhere.
fn tree() -> Place {
    let place = Place::new();
    place.write("src/known.py", "def lost():\n    return 1\n\n\ndef other():\n    return lost()\n");
    place.write("src/a.py", "def fine():\n    return 1\n\nclass ] lost unseen ? ? lost:\n");
    place.write("src/b.c", "int fine;\n@ lost @ unseen @\n");
    place.write("src/c.py", "def lost_too():\n    return lost()\n\nclass ] elsewhere ? ?:\n");
    place
}

fn run(place: &Place, words: &[&str]) -> Answer {
    let mut command = place.codedb(words[0]);
    command.args(&words[1..]);
    Answer::of(command)
}

fn reply(place: &Place, words: &[&str]) -> Value {
    let answer = run(place, &[words, &["--json"]].concat());
    serde_json::from_slice(&answer.stdout)
        .unwrap_or_else(|error| panic!("{words:?}: {error}: {}", answer.stderr))
}

const NOTICE: &str = "in 2 files, the name is in syntax that the parser does not understand \
                      (first error: src/a.py:4); more may be there";

#[test]
fn replies_count_the_files_that_may_hold_more_of_a_name() {
    let place = tree();
    let calls: [&[&str]; 4] = [
        &["symbol", "lost"],
        &["callers", "lost"],
        &["explain", "lost"],
        &["impact", "--functions", "lost"],
    ];
    // From memory, then from the index.
    for _ in 0..2 {
        for words in calls {
            let found = reply(&place, words);
            assert_eq!(found["files_with_errors"], 2, "{words:?}: {found}");
            let first = &found["first_error"];
            assert_eq!((&first["path"], &first["line"]), (&json!("src/a.py"), &json!(4)));
            assert_ne!(found["status"], "partial", "{words:?}: {found}");
            let answer = run(&place, words);
            let all = format!("{}{}", answer.text(), answer.stderr);
            assert!(all.contains(NOTICE), "{words:?}: {all}");
        }
        let unseen = run(&place, &["symbol", "unseen"]);
        assert!(unseen.stderr.contains(NOTICE), "{}", unseen.stderr);
        for name in ["other", "lost_too", "fine"] {
            let found = reply(&place, &["symbol", name]);
            assert_eq!(found.get("files_with_errors"), None, "{name}: {found}");
        }
        let within = reply(&place, &["symbol", "lost", "--path-glob", "**/*.py"]);
        assert_eq!(within["files_with_errors"], 1, "{within}");
        place.index(&["-q", "--stage", "full"]).expect_success();
    }
}

#[test]
fn an_outline_names_the_first_line_that_was_not_understood() {
    let place = Place::new();
    place.write("a.py", "def fine():\n    return 1\n\nclass ] lost:\n");
    // The error of what is not closed begins with the text.
    place.write("open.swift", "import b\n\nfunc a() {}\n\nclass Open {\n  func g() { if x {\n");
    place.write("whole.py", "def fine():\n    return 1\n");
    for _ in 0..2 {
        let answer = run(&place, &["outline", "a.py"]);
        let expected = "a.py: the parser does not understand line 4";
        assert!(answer.stderr.contains(expected), "{}", answer.stderr);
        assert!(answer.stderr.contains("definitions there may be missing"), "{}", answer.stderr);
        let found = reply(&place, &["outline", "a.py"]);
        assert_eq!(found["first_error_line"], 4, "{found}");
        assert!(found["problems"]["syntax"].as_u64().is_some_and(|count| count > 0), "{found}");
        assert_eq!(run(&place, &["outline", "whole.py"]).stderr, "");
        let open = reply(&place, &["outline", "open.swift"]);
        assert_eq!(open["first_error_line"], 5, "{open}");
        place.index(&["-q", "--stage", "full"]).expect_success();
    }
}

#[test]
fn the_status_counts_files_with_errors_by_language() {
    let place = tree();
    place.index(&["-q", "--stage", "full"]).expect_success();
    let found = reply(&place, &["status"]);
    let expected = json!({
        "c": {"files": 1, "with_errors": 1},
        "python": {"files": 3, "with_errors": 2},
    });
    assert_eq!(found["code"]["languages"], expected);
    let text = run(&place, &["status"]).expect_success().text();
    let expected = "syntax      not understood in 1 of 1 c, 2 of 3 python files\n";
    assert!(text.contains(expected), "{text}");
}
