//! An opened generation of the search index.

use std::path::PathBuf;

use super::format::Container;
use super::segment::Segment;
use super::table::Table;

/// An opened generation of the index of the tree at `root`. Immutable: a newer generation replaces
/// the whole snapshot.
#[derive(Debug)]
pub struct Snapshot {
    /// Absolute path of the tree.
    pub root: PathBuf,
    /// The generation number: 1 for the first publication, then increasing.
    pub generation: u64,
    /// Files and directories.
    pub table: Table,
    /// Posting lists. A file of the table names its segment by index.
    pub segments: Vec<Segment>,
}

impl Snapshot {
    /// Returns the checksums of the files, the table's first. Together with the generation number
    /// they identify the snapshot.
    pub fn checksums(&self) -> impl Iterator<Item = u32> {
        self.containers().map(Container::checksum)
    }

    /// Returns true if the files on disk are unchanged since they were opened. Costs one `fstat`
    /// per file.
    pub fn is_untouched(&self) -> bool {
        self.containers().all(Container::is_untouched)
    }

    fn containers(&self) -> impl Iterator<Item = &Container> {
        std::iter::once(self.table.container()).chain(self.segments.iter().map(Segment::container))
    }
}
