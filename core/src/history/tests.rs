//! Reads, updates and queries histories, both scripted and random.

mod damage;
mod head;
mod names;
mod repository;

use std::path::Path;

use super::git::Head;
use super::log::{Log, encode};
use super::read::{self, Bounds};
use super::*;
use repository::{Edit, Random, Repository, Script, TestCommit, random_history};

/// Accessors for tests.
impl History {
    /// Returns the commits whose subjects match `query` best with their scores, best first.
    fn commits(&self, query: &Query, parameters: &Parameters) -> Vec<(Commit<'_>, f64)> {
        let best = self.subjects().best(&self.log, query, parameters);
        best.into_iter().map(|hit| (self.log.commit(hit.commit), hit.score)).collect()
    }

    /// Returns the number of commits that changed a file under any of its names.
    fn commits_of(&self, path: &[u8]) -> usize {
        self.files().commits_of(&self.log, path).len()
    }

    /// Returns the commits that [`History::commits_of`] counts, newest first.
    fn commits_to(&self, path: &[u8]) -> impl Iterator<Item = Commit<'_>> {
        let commits = self.files().commits_of(&self.log, path);
        commits.iter().map(|&commit| self.log.commit(commit as usize))
    }
}

/// Returns the log of a directory, updated from `kept`.
fn log_of(root: &Path, kept: Option<&Log>, commits_max: usize) -> Log {
    let head = Head::of(root).expect("git answers").expect("a repository");
    let bounds = Bounds { commits_max, ..Bounds::WHOLE };
    read::log(root, &head, kept, &bounds).expect("git answers").expect("a log")
}

fn whole(root: &Path) -> Log {
    log_of(root, None, log::COMMITS_MAX)
}

fn history(script: &Script) -> (Repository, History) {
    let repository = Repository::of(&script.commits);
    let log = whole(&repository.root());
    (repository, History::new(log))
}

/// Moves HEAD to random commits. After each move, an updated log must equal a log that is read
/// anew, for the repository and for one of its subdirectories.
fn check_walk(seed: u64, commits_max: usize, is_in_time: bool) {
    let random = &mut Random::new(seed);
    let commits = random_history(random, 40, is_in_time);
    let repository = Repository::of(&commits);
    let sub = repository.root().join("sub");
    std::fs::create_dir(&sub).expect("a folder");
    for root in [repository.root(), sub] {
        let mut kept: Option<Log> = None;
        for step in 0..4 {
            // Mostly forward, which adds merges; otherwise to any branch.
            let place = if random.below(3) > 0 { 12 + step * 9 } else { random.below(40) };
            repository.move_to(place);
            let anew = log_of(&root, None, commits_max);
            let updated = log_of(&root, kept.as_ref(), commits_max);
            assert_eq!(encode(&updated), encode(&anew), "seed {seed}, step {step}, {root:?}");
            assert_eq!(updated, anew);
            check_log(&anew, &commits, &repository, place, commits_max);
            kept = Some(updated);
        }
    }
}

/// Asserts that a log holds exactly the newest ancestors of a commit, children before parents, with
/// the right times, parents and subjects.
fn check_log(log: &Log, commits: &[TestCommit], repository: &Repository, head: usize, max: usize) {
    let mut is_ancestor = vec![false; commits.len()];
    is_ancestor[head] = true;
    for at in (0..=head).rev() {
        if is_ancestor[at] {
            commits[at].parents.iter().for_each(|&parent| is_ancestor[parent] = true);
        }
    }
    let ancestors = is_ancestor.iter().filter(|is| **is).count();
    assert_eq!(log.len(), ancestors.min(max));
    assert_eq!(log.origin().is_cut, ancestors > max);
    let mut seen = vec![false; commits.len()];
    for commit in log.commits() {
        let at = repository.ids.iter().position(|id| *id == commit.id()).expect("one of ours");
        assert!(is_ancestor[at] && !seen[at]);
        seen[at] = true;
        assert!(commits[at].parents.iter().all(|&parent| !seen[parent]), "children first");
        assert_eq!(commit.committed_s(), commits[at].time_s);
        assert_eq!(commit.parents(), commits[at].parents.len());
        let message = String::from_utf8(commits[at].message.clone()).expect("text");
        let subject = message.lines().next().unwrap_or_default().trim();
        assert_eq!(commit.subject().trim(), if subject.is_empty() { "body" } else { subject });
        assert!(!commit.is_merge() || commit.changes().is_empty());
    }
}

#[test]
fn an_updated_log_equals_one_read_anew() {
    for seed in 0..6 {
        check_walk(seed, log::COMMITS_MAX, false);
    }
}

#[test]
fn a_truncated_log_is_updated_too() {
    for seed in 100..104 {
        check_walk(seed, 12, true);
    }
}

#[test]
fn a_log_of_an_amended_and_pruned_head_is_read_anew() {
    let mut script = Script::default();
    script.then("one", &[Edit::Write("a", 1)]);
    script.then("two", &[Edit::Write("a", 2)]);
    script.commit(&[0], "two, amended", &[Edit::Write("a", 3)]);
    let repository = Repository::of(&script.commits);
    repository.move_to(1);
    let before = whole(&repository.root());
    repository.move_to(2);
    repository.git(&["update-ref", "-d", "refs/heads/c1"]);
    repository.git(&["reflog", "expire", "--expire=now", "--all"]);
    repository.git(&["prune", "--expire=now"]);
    repository.git(&["repack", "-adq"]);
    let after = log_of(&repository.root(), Some(&before), log::COMMITS_MAX);
    assert_eq!(after, whole(&repository.root()));
    let subjects: Vec<&str> = after.commits().map(|commit| commit.subject()).collect();
    assert_eq!(subjects, ["two, amended", "one"]);
}

#[test]
fn more_commits_than_the_limit_are_not_read() {
    let mut script = Script::default();
    for version in 0..6 {
        script.then("more", &[Edit::Write("a", version)]);
    }
    let repository = Repository::of(&script.commits);
    let root = repository.root();
    let head = Head::of(&root).expect("git answers").expect("a repository");
    let read = |kept: Option<&Log>, read_max| {
        read::log(&root, &head, kept, &Bounds { read_max, ..Bounds::WHOLE }).expect("git answers")
    };
    assert_eq!(read(None, 5), None);
    let log = read(None, 6).expect("as many");
    repository.move_to(3);
    let older = whole(&root);
    assert_eq!(read(Some(&older), 1), None);
    assert_eq!(read(Some(&older), 2), Some(log));
}

#[test]
fn commits_with_many_files_keep_their_subject() {
    let mut script = Script::default();
    let names: Vec<String> = (0..=log::FILES_MAX).map(|file| format!("f{file}")).collect();
    let edits: Vec<Edit<'_>> = names.iter().map(|name| Edit::Write(name, 1)).collect();
    script.then("Import everything", &edits);
    script.then("Touch the first", &[Edit::Write("f0", 2)]);
    let (_repository, history) = history(&script);
    let import = history.log().commit(1);
    assert_eq!((import.files(), import.changes().len()), (log::FILES_MAX + 1, 0));
    assert_eq!(import.subject(), "Import everything");
    assert_eq!(history.commits_of(b"f0"), 1);
    assert!(history.rank(&Query::parse("import"), &Parameters::DEFAULT, |_| true).is_empty());
}

#[test]
fn a_cancelled_read_ends() {
    let mut script = Script::default();
    script.then("one", &[Edit::Write("a", 1)]);
    let repository = Repository::of(&script.commits);
    let head = Head::of(&repository.root()).expect("git answers").expect("a repository");
    let bounds = Bounds { is_cancelled: &|| true, ..Bounds::WHOLE };
    let error = read::log(&repository.root(), &head, None, &bounds).expect_err("cancelled");
    assert_eq!(error.kind(), crate::Kind::Cancelled, "{error}");
}
