//! `codedb data`: the database of a repository from the command line.

use std::fs;
use std::process::Command;

use crate::support::place::{Answer, Place};

/// An export of two runs.
const EXPORT: &str = concat!(
    r#"{"kind":"codedb","version":1}"#,
    "\n",
    r#"{"kind":"run","uid":"a","started_ms":1,"commit":null,"is_clean":false,"runner":"pytest","command":["pytest"],"exit_code":1,"status":"complete","results":[{"test":"tests/test_a.py::test_é","attempt":0,"outcome":"failed","duration_ms":1.5}]}"#,
    "\n",
    r#"{"kind":"run","uid":"b","started_ms":2,"commit":null,"is_clean":false,"runner":"pytest","command":["pytest"],"exit_code":null,"status":"crashed","results":[]}"#,
    "\n",
);

fn data(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.arg("data").args(args);
    Answer::of(command)
}

fn git(place: &Place, args: &[&str]) {
    let mut command: Command = place.command("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(args);
    Answer::of(command).expect_success();
}

#[test]
fn data_is_shown_exported_and_imported() {
    let place = Place::new();
    let empty = data(&place, &[]).expect_success().text();
    assert!(empty.contains("nothing is recorded"), "{empty}");
    assert_eq!(data(&place, &["export"]).code, 1);
    assert!(!place.base().join("home/.local").exists(), "reading creates nothing");

    let file = place.base().join("export.jsonl");
    fs::write(&file, EXPORT).expect("a file");
    let file = file.to_str().expect("UTF-8");
    let first = data(&place, &["import", file]).expect_success().text();
    assert_eq!(first, "imported 2 new and 0 known runs, ignored 0 other lines\n");
    let again = data(&place, &["import", file]).expect_success().text();
    assert_eq!(again, "imported 0 new and 2 known runs, ignored 0 other lines\n");
    assert_eq!(data(&place, &["export"]).expect_success().text(), EXPORT);

    let copy = place.base().join("copy.jsonl");
    data(&place, &["export", copy.to_str().expect("UTF-8")]).expect_success();
    assert_eq!(fs::read_to_string(&copy).expect("it was written"), EXPORT);
    let shown = data(&place, &["--json"]).expect_success().text();
    assert!(shown.contains(r#""runs":2,"tests":1,"results":1"#), "{shown}");
    assert_eq!(fs::read_dir(place.root()).expect("the tree").count(), 0, "nothing in the tree");
}

#[test]
fn work_trees_share_their_data_and_other_directories_do_not() {
    let place = Place::new();
    place.write("a.txt", "a");
    git(&place, &["init", "-q"]);
    git(&place, &["add", "."]);
    git(&place, &["commit", "-qm", "a"]);
    git(&place, &["worktree", "add", "-q", "../other"]);
    let file = place.base().join("export.jsonl");
    fs::write(&file, EXPORT).expect("a file");
    data(&place, &["import", file.to_str().expect("UTF-8")]).expect_success();
    let shared = place.base().join("other");
    let shared = data(&place, &["--root", shared.to_str().expect("UTF-8")]).expect_success();
    assert!(shared.text().contains("runs      2"), "{}", shared.text());
    let home = place.base().join("home");
    let home = data(&place, &["--root", home.to_str().expect("UTF-8")]).expect_success();
    assert!(home.text().contains("nothing is recorded"), "{}", home.text());
    let elsewhere = place.base().join("elsewhere");
    let elsewhere = ["--data-dir", elsewhere.to_str().expect("UTF-8")];
    assert!(data(&place, &elsewhere).expect_success().text().contains("nothing is recorded"));
    let mut global = place.command(env!("CARGO_BIN_EXE_codedb"));
    global.args(elsewhere).args(["data", "export"]);
    assert_eq!(Answer::of(global).code, 1, "the option may precede the command");
}
