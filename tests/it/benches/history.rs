//! The synthetic history of the corpus.

use std::collections::BTreeMap;
use std::process::Command;

use super::corpus::history::{self, Files};
use super::corpus::{Outcome, repository};

/// A set of files in memory.
struct Made {
    paths: Vec<String>,
    texts: BTreeMap<String, Vec<u8>>,
}

impl Made {
    fn new() -> Made {
        let mut texts = BTreeMap::new();
        for number in 0..60 {
            let path = format!("npm/part-{}/deep er/file_{number}.js", number % 4);
            let lines =
                (0..20 + number).map(|line| format!("function name_{number}_{line}() {{}}\n"));
            texts.insert(path, lines.collect::<String>().into_bytes());
        }
        texts.insert("npm/é \"quoted\".txt".to_owned(), b"short".to_vec());
        texts.insert("npm/raw.bin".to_owned(), [0, 255, 10, 13].repeat(100));
        Made { paths: texts.keys().cloned().collect(), texts }
    }
}

impl Files for Made {
    fn paths(&self) -> &[String] {
        &self.paths
    }

    fn read(&self, path: &str) -> Outcome<Vec<u8>> {
        Ok(self.texts[path].clone())
    }
}

fn git(root: &std::path::Path, args: &[&str]) -> String {
    let mut git: Command = repository::git(args);
    let output = git.current_dir(root).output().expect("git runs");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn equal_files_produce_equal_streams() {
    let stream = |seed: u64| {
        let mut out = Vec::new();
        let commits = history::write(&Made::new(), 40, seed, &mut out).expect("it is written");
        (commits, out)
    };
    assert_eq!(stream(1), stream(1));
    assert_ne!(stream(1), stream(2));
}

#[test]
fn commits_are_deterministic_and_end_with_the_files() {
    let folder = tempfile::tempdir().expect("a directory");
    let root = folder.path();
    let files = Made::new();
    let head = repository::import(root, &files, 40).expect("git accepts it");
    assert_eq!(head, "29ffec5268e3a0063ff4f36287dc960eaf488761");
    git(root, &["checkout", "--quiet", "-f", "HEAD"]);
    for (path, text) in &files.texts {
        assert_eq!(&std::fs::read(root.join(path)).expect("it exists"), text, "{path}");
    }
    let listed = git(root, &["ls-tree", "-r", "--name-only", "-z", "HEAD"]);
    assert_eq!(listed.split_terminator('\0').count(), files.paths.len());
    repository::add_stamps(root).expect("nothing differs");
}

#[test]
fn a_history_has_merges_renames_and_reverts() {
    let folder = tempfile::tempdir().expect("a directory");
    let root = folder.path();
    repository::import(root, &Made::new(), 40).expect("git accepts it");
    let lines = |args: &[&str]| git(root, args).lines().filter(|line| !line.is_empty()).count();
    assert!(lines(&["log", "--format=%h"]) > 30);
    assert!(lines(&["log", "--merges", "--format=%h"]) > 0, "no merge");
    assert!(lines(&["log", "--diff-filter=R", "-M", "--format=", "--name-only"]) > 0, "no rename");
    assert!(lines(&["log", "--grep=^Revert", "--format=%h"]) > 0, "nothing was taken back");
    assert!(lines(&["log", "--grep=^Fix", "--format=%h"]) > 0, "no commit is a fix");
    assert!(lines(&["shortlog", "-s", "HEAD"]) > 3, "too few authors");
}
