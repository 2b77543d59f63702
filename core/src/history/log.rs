//! The log: the newest commits that are ancestors of HEAD, newest first, in columns.
//!
//! Paths and words of subjects are interned, so that a commit is a handful of numbers. A log holds
//! at most [`COMMITS_MAX`] commits. Changed files are not kept for merges; of commits that changed
//! more than [`FILES_MAX`] files, only the renames are kept ([`Move`]).
//!
//! **Order.** A commit never precedes one of its descendants; apart from that, later commits come
//! first. The rank of a commit is its time, or one more than the greatest rank of its parents if
//! that is more (the committer's clock was slow). The rank depends on the ancestors alone, so that
//! a log that is extended equals one that is read anew. The two can differ only beyond the bound,
//! where ancestors are unknown, and only if clocks were wrong.

pub(super) mod build;
mod codec;
pub(super) mod interned;

pub use super::git::{FILES_MAX, MOVES_MAX, Status};
pub(super) use codec::SECTIONS;
pub use codec::{VERSION, decode, encode};

use super::id::CommitId;
use interned::Interned;

/// The number of commits that a log holds at most.
pub const COMMITS_MAX: usize = 50_000;

/// The state of the repository from which a log was read.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Origin {
    /// The commit that was checked out; `None` on a branch without commits.
    pub head: Option<CommitId>,
    /// The root relative to the work tree: empty, or a path that ends in `/`.
    pub prefix: Vec<u8>,
    /// See [`super::git::Head::shallow_hash`].
    pub shallow: u64,
    /// True if the history has older commits than the log holds.
    pub is_cut: bool,
}

/// The newest commits of HEAD, newest first.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Log {
    pub(super) origin: Origin,
    /// One element per commit.
    pub(super) ids: Vec<CommitId>,
    pub(super) ranks: Vec<i64>,
    pub(super) times_s: Vec<i64>,
    pub(super) parents: Vec<u8>,
    pub(super) fixes_trailers: Vec<bool>,
    pub(super) files: Vec<u32>,
    /// The author of each commit in `people`.
    pub(super) authors: Vec<u32>,
    pub(super) subjects: Interned,
    /// The end of each commit's range in `changes`.
    pub(super) change_ends: Vec<u32>,
    pub(super) changes: Vec<Change>,
    /// The end of each commit's range in `moves`.
    pub(super) move_ends: Vec<u32>,
    pub(super) moves: Vec<Move>,
    /// The end of each commit's range in `words`.
    pub(super) word_ends: Vec<u32>,
    pub(super) words: Vec<u32>,
    /// The interned texts.
    pub(super) paths: Interned,
    pub(super) vocabulary: Interned,
    /// Names and addresses of authors, separated by a NUL.
    pub(super) people: Interned,
}

/// A change of a file by a commit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Change {
    /// The kind of change.
    pub status: Status,
    /// Its path, or the last one of a deleted file; see [`Log::path`].
    pub path: PathId,
    /// The previous path, for a rename.
    pub source: Option<PathId>,
}

/// A rename by a commit that changed more than [`FILES_MAX`] files.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Move {
    /// The new path.
    pub path: PathId,
    /// The previous path.
    pub source: PathId,
}

/// The number of a path of a log.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct PathId(pub(super) u32);

impl PathId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of an author of a log.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct AuthorId(pub(super) u32);

impl AuthorId {
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
    /// Returns the repository state from which the log was read.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the number of commits.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns true if the log has no commits.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns the commits, newest first.
    pub fn commits(&self) -> impl ExactSizeIterator<Item = Commit<'_>> {
        (0..self.len()).map(|at| self.commit(at))
    }

    /// Returns the commit at an index, counted from the newest.
    ///
    /// # Panics
    ///
    /// If `at` is not less than [`Log::len`].
    pub fn commit(&self, at: usize) -> Commit<'_> {
        assert!(at < self.len(), "commit index out of bounds: the log has {} commits", self.len());
        Commit { log: self, at }
    }

    /// Returns the commit time of HEAD, in seconds since 1970. Ages are measured from it.
    pub fn head_s(&self) -> i64 {
        self.times_s.first().copied().unwrap_or_default()
    }

    /// Returns the path of a file, relative to the root.
    pub fn path(&self, path: PathId) -> &[u8] {
        self.paths.get(path.0)
    }

    /// Returns name and address of an author as the commits have them. The caller escapes control
    /// characters before it displays them.
    pub fn author(&self, author: AuthorId) -> (&str, &str) {
        self.people.text(author.0).split_once('\0').unwrap_or_default()
    }

    /// Returns the number of distinct authors, before `.mailmap` is applied.
    pub fn authors(&self) -> usize {
        self.people.len()
    }

    pub(super) fn changes_of(&self, at: usize) -> &[Change] {
        &self.changes[span(&self.change_ends, at)]
    }

    pub(super) fn moves_of(&self, at: usize) -> &[Move] {
        &self.moves[span(&self.move_ends, at)]
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
    /// Returns its index in the log, counted from the newest.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns its id.
    pub fn id(&self) -> CommitId {
        self.log.ids[self.at]
    }

    /// Returns the number of its parents; parents that a shallow clone lacks are not counted.
    pub fn parents(&self) -> usize {
        self.log.parents[self.at].into()
    }

    /// Returns true if it has several parents. Its changes are then attributed to the merged
    /// commits.
    pub fn is_merge(&self) -> bool {
        self.parents() > 1
    }

    /// Returns the time of the commit, in seconds since 1970.
    pub fn committed_s(&self) -> i64 {
        self.log.times_s[self.at]
    }

    /// Returns its subject, truncated if it is very long. The caller escapes control characters
    /// before it displays the subject.
    pub fn subject(&self) -> &'a str {
        self.log.subjects.text(self.at as u32)
    }

    /// Returns true if its message ends with a trailer `Fixes:` that names a commit or an issue.
    pub fn has_fixes_trailer(&self) -> bool {
        self.log.fixes_trailers[self.at]
    }

    /// Returns the number of its author, as the commit has it; see [`Log::author`].
    pub fn author(&self) -> AuthorId {
        AuthorId(self.log.authors[self.at])
    }

    /// Returns how many files below the root it changed, whether they are kept or not.
    pub fn files(&self) -> usize {
        self.log.files[self.at] as usize
    }

    /// Returns its changes in git's order. Empty for merges, for commits that changed more than
    /// [`FILES_MAX`] files, and for commits at the boundary of a shallow clone, whose parents are
    /// unknown.
    pub fn changes(&self) -> &'a [Change] {
        self.log.changes_of(self.at)
    }

    /// Returns the renames of a commit that changed more than [`FILES_MAX`] files, in git's order;
    /// for other commits, they are among [`Commit::changes`].
    pub fn moves(&self) -> &'a [Move] {
        self.log.moves_of(self.at)
    }
}
