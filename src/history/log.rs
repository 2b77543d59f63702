//! The log: the newest commits that HEAD descends from, newest first, in columns.
//!
//! Paths and words of subjects are interned, so that a commit is a handful of
//! numbers. It holds at most [`COMMITS_MAX`] commits, and no files of those that changed more than
//! [`FILES_MAX`] or are merges.
//!
//! **Order.** No commit comes before one that descends from it; other than that, the later comes first.
//! A commit's rank is its time, or one more than its parents' greatest rank where that is more (the
//! clock of who committed it was behind). It depends on its ancestors alone, so that a log to which
//! commits are added equals one that is read anew; only beyond the bound, where ancestors are not
//! known, may the two differ, and only where clocks were wrong.

pub(super) mod build;
mod codec;
pub(super) mod interned;

pub use super::git::{FILES_MAX, Status};
pub(super) use codec::SECTIONS;
pub use codec::{VERSION, decode, encode};

use super::id::CommitId;
use interned::Interned;

/// Commits that a log holds.
pub const COMMITS_MAX: usize = 50_000;

/// What a log was read from.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Origin {
    /// The commit that was checked out; `None` where nothing was committed.
    pub head: Option<CommitId>,
    /// Where the root lies in the repository: empty, or a path with `/` behind it.
    pub prefix: Vec<u8>,
    /// See [`super::git::Head::shallow_hash`].
    pub shallow: u64,
    /// There are older commits than it holds.
    pub is_cut: bool,
}

/// The newest commits of HEAD, the newest first.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Log {
    pub(super) origin: Origin,
    /// One of each for each commit.
    pub(super) ids: Vec<CommitId>,
    pub(super) ranks: Vec<i64>,
    pub(super) times_s: Vec<i64>,
    pub(super) parents: Vec<u8>,
    pub(super) files: Vec<u32>,
    pub(super) subjects: Interned,
    /// Where its changes end.
    pub(super) change_ends: Vec<u32>,
    pub(super) changes: Vec<Change>,
    /// Where its words end.
    pub(super) word_ends: Vec<u32>,
    pub(super) words: Vec<u32>,
    /// What those numbers stand for.
    pub(super) paths: Interned,
    pub(super) vocabulary: Interned,
}

/// What a commit did to a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Change {
    /// What became of it.
    pub status: Status,
    /// Its path, or that which it had, by [`Log::path`].
    pub path: PathId,
    /// The path that it had before, of a rename.
    pub source: Option<PathId>,
}

/// A path of a log.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct PathId(pub(super) u32);

impl PathId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A commit of a log.
#[derive(Clone, Copy, Debug)]
pub struct Commit<'a> {
    log: &'a Log,
    at: usize,
}

impl Log {
    /// Returns what it was read from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the number of commits.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns true if it has none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns the commits, the newest first.
    pub fn commits(&self) -> impl ExactSizeIterator<Item = Commit<'_>> {
        (0..self.len()).map(|at| self.commit(at))
    }

    /// Returns the commit at a place, counted from the newest.
    ///
    /// # Panics
    ///
    /// If there are not as many.
    pub fn commit(&self, at: usize) -> Commit<'_> {
        assert!(at < self.len(), "there are {} commits", self.len());
        Commit { log: self, at }
    }

    /// Returns when HEAD was committed, in seconds since 1970: what ages are measured from.
    pub fn head_s(&self) -> i64 {
        self.times_s.first().copied().unwrap_or_default()
    }

    /// Returns the path of a file, relative to the root.
    pub fn path(&self, path: PathId) -> &[u8] {
        self.paths.get(path.0)
    }

    pub(super) fn changes_of(&self, at: usize) -> &[Change] {
        &self.changes[span(&self.change_ends, at)]
    }

    pub(super) fn words_of(&self, at: usize) -> &[u32] {
        &self.words[span(&self.word_ends, at)]
    }
}

fn span(ends: &[u32], at: usize) -> std::ops::Range<usize> {
    let start = at.checked_sub(1).map_or(0, |before| ends[before]);
    start as usize..ends[at] as usize
}

impl<'a> Commit<'a> {
    /// Returns its place in the log, counted from the newest.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns its name.
    pub fn id(&self) -> CommitId {
        self.log.ids[self.at]
    }

    /// Returns how many parents it has; those that a shallow clone lacks are not counted.
    pub fn parents(&self) -> usize {
        self.log.parents[self.at].into()
    }

    /// Returns true if it has several parents; what it changed is then left to theirs.
    pub fn is_merge(&self) -> bool {
        self.parents() > 1
    }

    /// Returns when it was committed, in seconds since 1970.
    pub fn committed_s(&self) -> i64 {
        self.log.times_s[self.at]
    }

    /// Returns its subject, cut where it is very long. Control characters are escaped by whoever
    /// shows it.
    pub fn subject(&self) -> &'a str {
        self.log.subjects.text(self.at as u32)
    }

    /// Returns how many files below the root it changed, kept or not.
    pub fn files(&self) -> usize {
        self.log.files[self.at] as usize
    }

    /// Returns what it changed, in git's order: nothing of merges, of commits that changed more than
    /// [`FILES_MAX`] files, and of those at the end of a shallow clone, whose parents are not known.
    pub fn changes(&self) -> &'a [Change] {
        self.log.changes_of(self.at)
    }
}
