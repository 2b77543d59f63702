//! Reads the log of HEAD, or updates an existing one.
//!
//! An update reads the commits that are new in HEAD, drops those that are no longer ancestors of it
//! (after a rebase, or on another branch), and keeps the rest. The log is read anew if it is of
//! another directory, if its shallow boundary changed (a shallow clone was deepened), or if git no
//! longer has its commits.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use super::git::{Git, Head, Range, StreamOptions};
use super::id::CommitId;
use super::log::build::Fresh;
use super::log::{COMMITS_MAX, Log, Origin};
use crate::error::Result;

/// The time limit of git for the whole log.
const PATIENCE: Duration = Duration::from_secs(30 * 60);

/// Limits and progress of a read.
#[derive(Clone, Copy)]
pub struct Bounds<'a> {
    /// The maximum number of commits in the resulting log.
    pub commits_max: usize,
    /// The maximum number of commits to read. If there are more, none is read.
    pub read_max: usize,
    /// The time limit of git.
    pub patience: Duration,
    /// Returns true if the read is to stop.
    pub is_cancelled: &'a dyn Fn() -> bool,
    /// Receives the number of commits to read, and then one event for each commit.
    pub on_commit: &'a dyn Fn(Reading),
}

/// The progress of a read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reading {
    /// The number of commits to read.
    Expected(u64),
    /// One commit was read.
    Commit,
}

impl std::fmt::Debug for Bounds<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Bounds { commits_max, read_max, .. } = self;
        write!(f, "Bounds {{ commits_max: {commits_max}, read_max: {read_max} }}")
    }
}

impl Bounds<'static> {
    /// The whole log, without a progress report.
    pub const WHOLE: Bounds<'static> = Bounds {
        commits_max: COMMITS_MAX,
        read_max: usize::MAX,
        patience: PATIENCE,
        is_cancelled: &|| false,
        on_commit: &|_| (),
    };
}

/// Returns true if `log` is current for `head`. The caller checks that the directory is the same.
pub fn is_current(log: &Log, head: &Head) -> bool {
    log.origin.head == head.commit && log.origin.shallow == head.shallow_hash()
}

/// Returns the log of `head` for the directory `root`, built from `kept` and the new commits.
/// Returns `None` if there are more commits than the limit allows, or if `root` is in no git work
/// tree.
///
/// # Errors
///
/// If git fails, exceeds the time limit, or is not installed ([`crate::Kind::NotFound`]), or if the
/// read was cancelled ([`crate::Kind::Cancelled`]).
pub fn log(
    root: &Path,
    head: &Head,
    kept: Option<&Log>,
    bounds: &Bounds<'_>,
) -> Result<Option<Log>> {
    let Some(git) = Git::open(root) else { return Ok(None) };
    let origin = Origin {
        head: head.commit,
        prefix: git.place()?.prefix,
        shallow: head.shallow_hash(),
        is_cut: false,
    };
    let Some(commit) = head.commit else { return Ok(Some(Log { origin, ..Log::default() })) };
    let same = kept
        .filter(|log| log.origin.prefix == origin.prefix && log.origin.shallow == origin.shallow);
    if let Some(log) = same
        && let Some(before) = log.origin.head
    {
        let gone = Range { head: before, but: Some(commit), commits_max: log.len().max(1) };
        // If the difference cannot be determined, the log is read anew.
        let gone = git.names(&gone).ok().flatten().map(HashSet::<CommitId>::from_iter);
        // A log that was cut lacks the older commits that would replace those that are gone.
        if let Some(gone) =
            gone.filter(|gone| gone.is_empty() || !log.origin.is_cut && gone.len() < log.len())
        {
            let origin = Origin { is_cut: log.origin.is_cut, ..origin };
            let stays = |id: CommitId| !gone.contains(&id);
            return read(&git, origin, head, Some((before, log, &stays)), bounds);
        }
    }
    read(&git, origin, head, None, bounds)
}

/// Reads the commits that are missing from `kept`, and returns the joined log; `None` if more than
/// `bounds.read_max` commits are missing.
fn read(
    git: &Git,
    origin: Origin,
    head: &Head,
    kept: Option<(CommitId, &Log, &dyn Fn(CommitId) -> bool)>,
    bounds: &Bounds<'_>,
) -> Result<Option<Log>> {
    let Some(commit) = origin.head else { return Ok(None) };
    // One commit more than the limit is requested, to detect that there are more.
    let commits_max = bounds.commits_max.saturating_add(1).min(bounds.read_max.saturating_add(1));
    let range = Range { head: commit, but: kept.map(|(before, ..)| before), commits_max };
    let expected = git.count(&range)?;
    if expected > bounds.read_max as u64 {
        return Ok(None);
    }
    (bounds.on_commit)(Reading::Expected(expected));
    let fresh = std::cell::RefCell::new(Fresh::default());
    let options = StreamOptions { patience: bounds.patience, is_cancelled: bounds.is_cancelled };
    let each = &mut |mut commit: super::git::ReportedCommit| {
        if commit.id.is_some_and(|id| head.shallow.binary_search(&id).is_ok()) {
            // Without its parents, the commit appears to have added every file.
            commit.changes.clear();
            commit.files = 0;
        }
        fresh.borrow_mut().push(&commit);
        (bounds.on_commit)(Reading::Commit);
    };
    git.for_each_commit(&range, options, each, &mut || *fresh.borrow_mut() = Fresh::default())?;
    let fresh = fresh.into_inner();
    let kept = kept.map(|(_, log, stays)| (log, stays));
    Ok(Some(fresh.join(origin, kept, bounds.commits_max)))
}

/// Reads the log of a directory anew; `None` outside a repository.
///
/// # Errors
///
/// As [`log()`].
pub fn whole(root: &Path) -> Result<Option<Log>> {
    match Head::of(root)? {
        Some(head) => log(root, &head, None, &Bounds::WHOLE),
        None => Ok(None),
    }
}
