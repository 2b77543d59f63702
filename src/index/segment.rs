//! A segment: the trigram postings of a set of units. Builder (`Inverted` runs) → writer → reader.
//!
//! Units are numbered from 0 in the order in which they were added. A segment knows nothing of
//! files and paths: the file table of each generation says which units are whose, and a unit that
//! no file claims is dead (a tombstone).

mod builder;
mod reader;
mod writer;

pub use builder::{Run, RunBuilder};
pub use reader::{Postings, Segment};
pub use writer::{Renumbering, Sections, merge, write_runs};

/// Sections of a segment file.
mod section {
    /// Units' number: u32.
    pub(super) const UNITS: u32 = 1;
    /// For each 64 consecutive keys: bitmap u64 of those that occur, first entry u32, 0 u32.
    pub(super) const GROUPS: u32 = 2;
    /// For each key that occurs, and one past the end: offset of its list, u32.
    pub(super) const ENTRIES: u32 = 3;
    /// Posting lists and [`crate::index::postings::PADDING_BYTES`].
    pub(super) const POSTINGS: u32 = 4;
    /// For each unit: its start in its file, u32.
    pub(super) const STARTS: u32 = 5;
}
