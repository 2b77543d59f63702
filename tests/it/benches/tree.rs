//! Checksums of trees; names and times of their files.

use std::fs;
use std::path::Path;

use super::corpus::{checksum, draft::Draft, random::Random, tree};

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("it has a directory")).expect("a directory");
    fs::write(path, text).expect("a file");
}

fn sum(root: &Path) -> String {
    let files = tree::files(root).expect("they can be listed");
    checksum::of_tree(root, &files).expect("they can be read")
}

#[test]
fn a_checksum_covers_paths_and_contents() {
    let (one, other) = (tempfile::tempdir().expect("a"), tempfile::tempdir().expect("b"));
    for folder in [one.path(), other.path()] {
        write(folder, "a/b.rs", "fn b() {}\n");
        write(folder, "a.rs", "fn a() {}\n");
        write(folder, ".git/HEAD", &folder.display().to_string());
    }
    assert_eq!(tree::files(one.path()).expect("listed"), ["a.rs", "a/b.rs"]);
    let before = sum(one.path());
    assert_eq!(before, sum(other.path()));
    write(other.path(), "a.rs", "fn a() { }\n");
    assert_ne!(before, sum(other.path()));
    write(other.path(), "a.rs", "fn a() {}\n");
    assert_eq!(before, sum(other.path()));
    fs::rename(other.path().join("a.rs"), other.path().join("c.rs")).expect("renamed");
    assert_ne!(before, sum(other.path()));
    // The same bytes with another boundary between files.
    assert_ne!(checksum::of_texts(["ab", "c"]), checksum::of_texts(["a", "bc"]));
}

#[test]
fn all_files_have_the_same_time() {
    let folder = tempfile::tempdir().expect("a directory");
    write(folder.path(), "a", "1");
    write(folder.path(), "b", "2");
    let files = tree::files(folder.path()).expect("listed");
    let other = || tree::first_of_another_time(folder.path(), &files).expect("they exist");
    assert_eq!(other().as_deref(), Some("a"));
    tree::set_times(folder.path(), &files).expect("they can be set");
    assert_eq!(other(), None);
    write(folder.path(), "b", "2");
    assert_eq!(other().as_deref(), Some("b"));
}

#[test]
fn names_that_differ_only_in_case_are_refused() {
    let files = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(tree::check_names(&files(&["a", "b/A"])), Ok(()));
    let error = tree::check_names(&files(&["b/A", "b/a"])).expect_err("they collide");
    assert!(error.contains("`b/A` and `b/a`"), "{error}");
}

#[test]
fn drafts_grow_to_the_complete_text() {
    let mut random = Random::new(7);
    for lines in 0..80 {
        let text: String = (0..lines).map(|line| format!("line {line}\n")).collect();
        for steps in 1..9 {
            let draft = Draft::new(text.clone().into_bytes(), steps, &mut random);
            assert_eq!(draft.is_some(), lines >= 6, "{lines} lines");
            let Some(mut draft) = draft else { continue };
            let mut before = draft.text();
            assert!(before.len() < text.len());
            while !draft.is_done() {
                let block = draft.advance().len();
                let now = draft.text();
                assert_eq!(now.len(), before.len() + block, "{lines} lines, {steps} steps");
                assert!(block > 0);
                before = now;
            }
            assert_eq!(before, text.as_bytes());
            assert!(draft.advance().is_empty());
        }
    }
}
