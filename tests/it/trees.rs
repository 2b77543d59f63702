//! Searches whose paths lie in other trees than the current directory: each path is answered from the
//! index of the tree that it lies in, with the output of a scan.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::place::{Answer, Place, settle};

/// Creates a place with the indexed trees `tree`, `other` and `tree/ignored/inner`, which are git work
/// trees, `plain`, an indexed directory without git, `unindexed`, which has no index, and files beside
/// them.
fn trees() -> Place {
    let place = Place::new();
    for tree in ["", "../other/", "../plain/", "../unindexed/", "ignored/inner/"] {
        for file in 0..8 {
            let word = if file == 3 { "needle" } else { "straw" };
            place.write(format!("{tree}d{}/f{file}.txt", file % 2), format!("a {word}\nb\n"));
        }
        place.write(format!("{tree}.gitignore"), "/ignored\n*.log\n");
        place.write(format!("{tree}d0/x.log"), "needle\n");
    }
    place.write("../beside.txt", "needle\n");
    for tree in ["tree", "other", "tree/ignored/inner"] {
        fs::create_dir(place.base().join(tree).join(".git")).expect("a directory");
    }
    std::os::unix::fs::symlink("../other/d1", place.root().join("link")).expect("a link");
    settle();
    for tree in ["tree", "other", "plain", "tree/ignored/inner"] {
        let mut command = codedb(&place, "index", &place.base().join(tree));
        command.args(["-q", "--stage", "ready"]);
        Answer::of(command).expect_success();
    }
    place
}

/// Returns `codedb NAME` in `directory`, which decides on the tree.
fn codedb(place: &Place, name: &str, directory: &Path) -> Command {
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.current_dir(directory).args([name, "--index-dir"]).arg(place.cache());
    command
}

fn search(place: &Place, directory: &Path, args: &[&str]) -> Answer {
    let mut command = codedb(place, "search", directory);
    command.args(args);
    Answer::of(command)
}

/// Returns how many files the plan of a search reports as not read.
fn unread(place: &Place, directory: &Path, args: &[&str]) -> usize {
    let plan = search(place, directory, &[&["--explain-plan"], args].concat()).text();
    let line = plan.lines().find_map(|line| line.strip_prefix("not read"));
    let count = line.and_then(|line| line.trim().strip_suffix(" files"));
    count.unwrap_or_else(|| panic!("no count: {plan}")).parse().expect("a number")
}

/// Checks a search from `directory` against a scan, with the number of files that it does not read.
#[track_caller]
fn check(place: &Place, directory: &str, paths: &[&str], unread_files: usize) {
    let directory = place.base().join(directory);
    for pattern in ["needle", "b$", "absent"] {
        for flags in [&["-n"][..], &["--count", "--include-zero"], &["--no-ignore"], &["-j1"]] {
            let args = [flags, &[pattern], paths].concat();
            let scanned = search(place, &directory, &[&["--no-index"], &args[..]].concat());
            assert_eq!(search(place, &directory, &args), scanned, "{args:?}");
        }
    }
    let args = [&["needle"], paths].concat();
    assert_eq!(unread(place, &directory, &args), unread_files, "{directory:?} {paths:?}");
}

#[test]
fn each_path_is_answered_from_the_index_of_its_tree() {
    let place = trees();
    let other = place.base().join("other").display().to_string();
    // Seven of eight files cannot match.
    check(&place, "tree", &["../other"], 7);
    check(&place, "tree", &[&other], 7);
    check(&place, "tree", &["../other/d1"], 3);
    check(&place, "tree", &["d1", "../other", "d0"], 3 + 7 + 4);
    check(&place, "tree", &["../plain/d1", "../plain"], 3 + 7);
    check(&place, "tree", &["ignored/inner"], 7);
    check(&place, "tree/ignored/inner", &["../../d1"], 3);
    check(&place, "", &["tree", "other"], 7 + 7);
    check(&place, "", &["tree", "unindexed", "beside.txt", "plain"], 7 + 7);
    check(&place, "unindexed", &["../other", "."], 7);
    check(&place, "unindexed", &["."], 0);
    // Above the trees, only the index of the current directory's tree is used.
    check(&place, "tree", &[".."], 7);
    check(&place, "tree", &["link", "link/../d0"], 0);
}

#[test]
fn changes_in_other_trees_are_found() {
    let place = trees();
    let other = place.base().join("other");
    fs::write(other.join("d0/f2.txt"), "a needle, now\n").expect("written");
    fs::write(other.join("d0/new.txt"), "needle\n").expect("written");
    fs::remove_file(other.join("d1/f3.txt")).expect("removed");
    check(&place, "tree", &["../other"], 6);
    fs::write(other.join(".gitignore"), "f2.txt\n").expect("written");
    check(&place, "tree", &["d0", "../other"], 4 + 6);
}

#[test]
fn damage_in_one_index_does_not_lose_matches() {
    let place = trees();
    for entry in walk(&place.cache()) {
        let bytes = fs::read(&entry).expect("read");
        fs::write(&entry, vec![0; bytes.len()]).expect("written");
    }
    let directory = place.root();
    let args = ["-n", "needle", "d1", "../other", "../plain"];
    let scanned = search(&place, &directory, &[&["--no-index"], &args[..]].concat());
    assert_eq!(search(&place, &directory, &args), scanned);
}

fn walk(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("listed").flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn the_index_of_another_work_tree_is_built_and_that_of_the_current_directory_is_not() {
    let place = trees();
    let unindexed = place.base().join("unindexed");
    fs::create_dir(unindexed.join(".git")).expect("a directory");
    let outside = place.base().join("outside");
    fs::create_dir(&outside).expect("a directory");
    let mut command = codedb(&place, "search", &outside);
    command.env("CODEDB_BACKGROUND", "1").args(["needle", "../unindexed"]);
    Answer::of(command).expect_success();
    place.wait_for_builders();
    assert_eq!(unread(&place, &outside, &["needle", "../unindexed"]), 7);
    let trees = fs::read_dir(place.cache()).expect("the cache").count();
    assert_eq!(trees, 5, "an index of `outside` was built");
}
