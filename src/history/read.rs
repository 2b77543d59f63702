//! Reads the log of HEAD, or brings one up to date.
//!
//! What HEAD has now and had not is read, what it has no longer (after a rebase, on another branch) is
//! left out, and the rest is kept. A log of other ends (a shallow clone that was deepened), of another
//! folder or with forgotten commits is read anew.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use super::git::{Git, Head, Range, StreamOptions};
use super::id::CommitId;
use super::log::build::Fresh;
use super::log::{COMMITS_MAX, Log, Origin};
use crate::error::Result;

/// How long git may take for the whole log.
const PATIENCE: Duration = Duration::from_secs(30 * 60);

/// How much is read.
#[derive(Clone, Copy)]
pub struct Bounds<'a> {
    /// Commits of a log.
    pub commits_max: usize,
    /// Commits that are read; where there are more, nothing is.
    pub read_max: usize,
    /// How long git may take to tell them.
    pub patience: Duration,
    /// Says whether to stop.
    pub is_cancelled: &'a dyn Fn() -> bool,
    /// Is told how many commits there are to read, and then of each.
    pub on_commit: &'a dyn Fn(Reading),
}

/// How far the reading is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reading {
    /// So many commits are to be read.
    Expected(u64),
    /// One was.
    Commit,
}

impl std::fmt::Debug for Bounds<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Bounds { commits_max, read_max, .. } = self;
        write!(f, "Bounds {{ commits_max: {commits_max}, read_max: {read_max} }}")
    }
}

impl Bounds<'static> {
    /// Everything, without anybody watching.
    pub const WHOLE: Bounds<'static> = Bounds {
        commits_max: COMMITS_MAX,
        read_max: usize::MAX,
        patience: PATIENCE,
        is_cancelled: &|| false,
        on_commit: &|_| (),
    };
}

/// Returns true if `log` is that of `head`, as far as its folder is the same.
pub fn is_current(log: &Log, head: &Head) -> bool {
    log.origin.head == head.commit && log.origin.shallow == head.shallow_hash()
}

/// Returns the log of `head` for the folder `root`, made of `kept` and what is new; `None` where that
/// is more than is to be read, or git knows of no work tree here.
///
/// # Errors
///
/// If git fails, takes too long, is not installed ([`crate::Kind::NotFound`]) or is to
/// stop ([`crate::Kind::Cancelled`]).
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
        // One that cannot be told is read anew.
        let gone = git.names(&gone).ok().flatten().map(HashSet::<CommitId>::from_iter);
        // What took the place of commits that are gone is not known of a log that was cut.
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

/// Reads what `kept`, the log of a commit, does not have.
fn read(
    git: &Git,
    origin: Origin,
    head: &Head,
    kept: Option<(CommitId, &Log, &dyn Fn(CommitId) -> bool)>,
    bounds: &Bounds<'_>,
) -> Result<Option<Log>> {
    let Some(commit) = origin.head else { return Ok(None) };
    // One more than fits tells that there are more.
    let commits_max = bounds.commits_max.saturating_add(1).min(bounds.read_max.saturating_add(1));
    let range = Range { head: commit, but: kept.map(|(before, ..)| before), commits_max };
    let expected = git.count(&range)?;
    if expected > bounds.read_max as u64 {
        return Ok(None);
    }
    (bounds.on_commit)(Reading::Expected(expected));
    let fresh = std::cell::RefCell::new(Fresh::default());
    let options = StreamOptions { patience: bounds.patience, is_cancelled: bounds.is_cancelled };
    let each = &mut |mut told: super::git::Told| {
        if told.id.is_some_and(|id| head.shallow.binary_search(&id).is_ok()) {
            // Without its parents it seems to have added every file.
            told.changes.clear();
            told.files = 0;
        }
        fresh.borrow_mut().push(&told);
        (bounds.on_commit)(Reading::Commit);
    };
    git.tell(&range, options, each, &mut || *fresh.borrow_mut() = Fresh::default())?;
    let fresh = fresh.into_inner();
    let kept = kept.map(|(_, log, stays)| (log, stays));
    Ok(Some(fresh.join(origin, kept, bounds.commits_max)))
}

/// Returns the log of a folder as it is now, read anew; `None` where there is no repository.
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
