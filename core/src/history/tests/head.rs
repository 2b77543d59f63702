//! Determines HEAD for each way in which git stores it, and for empty, shallow and partial
//! repositories.

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::history::id::CommitId;

fn three() -> Repository {
    let mut script = Script::default();
    script.then("one", &[Edit::Write("sub/a", 1)]);
    script.then("two", &[Edit::Write("sub/a", 2)]);
    script.then("three", &[Edit::Write("b", 1)]);
    Repository::of(&script.commits)
}

#[track_caller]
fn check(root: &Path, commit: Option<CommitId>) {
    let head = Head::of(root).expect("git answers").expect("a repository");
    assert_eq!(head.commit, commit);
}

#[test]
fn head_is_read_from_every_kind_of_ref() {
    let repository = three();
    let root = repository.root();
    check(&root, Some(repository.ids[2]));
    repository.move_to(0);
    check(&root, Some(repository.ids[0]));
    repository.git(&["pack-refs", "--all"]);
    assert!(!root.join(".git/refs/heads/main").exists());
    check(&root, Some(repository.ids[0]));
    // A branch whose name ends with the full name of another one.
    repository.git(&["update-ref", "refs/heads/x/refs/heads/main", &repository.ids[1].to_string()]);
    repository.git(&["pack-refs", "--all"]);
    check(&root, Some(repository.ids[0]));
    repository.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/c1"]);
    repository.git(&["symbolic-ref", "HEAD", "refs/heads/alias"]);
    check(&root, Some(repository.ids[1]));
    repository.git(&["update-ref", "--no-deref", "HEAD", &repository.ids[2].to_string()]);
    check(&root, Some(repository.ids[2]));
    let tree = repository.base().join("tree");
    let tree_name = tree.to_str().expect("text");
    repository.git(&["worktree", "add", "-q", "-b", "beside", tree_name, "refs/heads/c1"]);
    check(&tree, Some(repository.ids[1]));
    check(&tree.join("sub"), Some(repository.ids[1]));
    assert_eq!(whole(&tree).len(), 2);
    repository.git(&["pack-refs", "--all"]);
    check(&tree, Some(repository.ids[1]));
}

#[test]
fn git_is_run_if_the_files_are_not_enough() {
    let repository = three();
    let converted = std::process::Command::new("git")
        .args(["refs", "migrate", "--ref-format=reftable"])
        .current_dir(repository.root())
        .output()
        .expect("git is there");
    if converted.status.success() {
        check(&repository.root(), Some(repository.ids[2]));
    }
    // A ref name that is not a valid file path.
    let empty = Repository::empty();
    fs::write(empty.root().join(".git/HEAD"), "ref: refs/heads/../x\n").expect("a file");
    let head = Head::of(&empty.root());
    assert!(head.is_err() || head.is_ok_and(|head| head.is_none_or(|it| it.commit.is_none())));
}

#[test]
fn a_repository_without_commits_has_an_empty_log() {
    let repository = Repository::empty();
    check(&repository.root(), None);
    let log = whole(&repository.root());
    assert!(log.is_empty() && !log.origin().is_cut);
    let history = History::new(log.clone());
    assert_eq!(history.rank(&Query::parse("fix"), &Parameters::DEFAULT, |_| true), []);
    assert_eq!(history.recency(b"a", Decay::DEFAULT), 0.0);
    assert_eq!(encode(&log), encode(&log_of(&repository.root(), Some(&log), 10)));
}

#[test]
fn a_directory_without_repository_has_no_log() {
    let dir = TempDir::new().expect("a temporary folder");
    assert_eq!(read::whole(dir.path()).expect("no error"), None);
    fs::create_dir(dir.path().join(".git")).expect("a folder");
    assert_eq!(read::whole(dir.path()).expect("no error"), None, "an empty folder is none");
}

#[test]
fn commits_at_the_shallow_boundary_have_no_changes() {
    let repository = three();
    let clone = repository.base().join("clone");
    let url = format!("file://{}", repository.root().display());
    let clone_name = clone.to_str().expect("text");
    repository.git(&["update-ref", "HEAD", &repository.ids[2].to_string()]);
    repository.git(&["clone", "-q", "--depth", "2", &url, clone_name]);
    let log = whole(&clone);
    let commits: Vec<(&str, usize, usize)> =
        log.commits().map(|it| (it.subject(), it.parents(), it.changes().len())).collect();
    assert_eq!(commits, [("three", 1, 1), ("two", 0, 0)]);
    assert_ne!(log.origin().shallow, 0);
    let fetch = ["-C", clone_name, "fetch", "-q", "--unshallow"];
    repository.git(&fetch);
    let head = Head::of(&clone).expect("git answers").expect("a repository");
    assert!(!read::is_current(&log, &head), "the same commit, another history");
    let deeper = log_of(&clone, Some(&log), log::COMMITS_MAX);
    assert_eq!(deeper, whole(&clone));
    let changes: Vec<usize> = deeper.commits().map(|it| it.changes().len()).collect();
    assert_eq!(changes, [1, 1, 1]);
}

#[test]
fn a_partial_clone_pairs_files_that_moved_unchanged() {
    let mut script = Script::default();
    script.then("one", &[Edit::Write("a", 1)]);
    script.then("two", &[Edit::Move("a", "b")]);
    script.then("three", &[Edit::Move("b", "c"), Edit::Write("c", 2)]);
    let repository = Repository::of(&script.commits);
    repository.git(&["config", "uploadpack.allowFilter", "true"]);
    let clone = repository.base().join("clone");
    let url = format!("file://{}", repository.root().display());
    let clone_name = clone.to_str().expect("text");
    repository.git(&["clone", "-q", "--filter=blob:none", "--no-checkout", &url, clone_name]);
    let log = whole(&clone);
    assert_eq!(log.len(), 3);
    assert_eq!(log.commit(1).changes()[0].status, log::Status::Renamed);
}

#[test]
fn names_that_are_not_utf8_are_kept() {
    let tree = |names: &[&[u8]]| {
        let file = |name: &&[u8]| (name.to_vec(), b"a line\n".to_vec());
        names.iter().map(file).collect()
    };
    let names: [&[u8]; 3] = [b"d/\xff", b"d/\n\"\\", b"d/M"];
    let commits = [
        TestCommit {
            author: "ann",
            message: b"one \x01 two\x1b[0m".to_vec(),
            tree: tree(&names),
            ..TestCommit::default()
        },
        TestCommit {
            parents: vec![0],
            author: "ann",
            time_s: 9,
            tree: tree(&names[1..]),
            ..TestCommit::default()
        },
    ];
    let repository = Repository::of(&commits);
    let log = whole(&repository.root());
    assert_eq!(log.commit(1).subject(), "one \x01 two\x1b[0m");
    assert_eq!(log.commit(0).subject(), "");
    fs::create_dir(repository.root().join("d")).expect("a folder");
    let log = whole(&repository.root().join("d"));
    let paths: Vec<&[u8]> =
        log.commit(1).changes().iter().map(|change| log.path(change.path)).collect();
    assert_eq!(paths, [&b"\n\"\\"[..], b"M", b"\xff"]);
    assert_eq!(log.origin().prefix, b"d/");
}
