//! A segment of the search index: the trigram postings of a set of units. Builder (inverted runs) →
//! writer → reader.
//!
//! Units are numbered from 0 in the order in which they were added. A segment does not store files
//! or paths: the file table of each generation assigns units to files. A unit without a file is
//! dead (a tombstone).

mod builder;
mod reader;
mod writer;

pub use builder::{Run, RunBuilder};
pub use reader::{Postings, Segment};
pub use writer::{Renumbering, Sections, merge, write_runs};

/// Sections of a segment file.
mod section {
    /// Number of units: u32.
    pub(super) const UNITS: u32 = 1;
    /// For each group of 64 consecutive keys: bitmap of the keys that occur u64, index of their
    /// first entry u32, 0 u32.
    pub(super) const GROUPS: u32 = 2;
    /// For each key that occurs: offset of its list u32. One more entry marks the end.
    pub(super) const ENTRIES: u32 = 3;
    /// Posting lists and [`crate::index::postings::PADDING_BYTES`].
    pub(super) const POSTINGS: u32 = 4;
    /// For each unit: its byte offset in its file, u32.
    pub(super) const STARTS: u32 = 5;
}
