//! One generation of the index, opened: immutable, and shared by reference.

use std::path::PathBuf;

use crate::index::segment::Segment;
use crate::index::table::Table;

/// A generation of the index of the tree at `root`. Swapped as a whole, never changed.
#[derive(Debug)]
pub struct Snapshot {
    /// Absolute path of the tree.
    pub root: PathBuf,
    /// Counts up from 1 with each publication.
    pub generation: u64,
    /// Files and directories.
    pub table: Table,
    /// Postings; a file of the table names its segment by place.
    pub segments: Vec<Segment>,
}
