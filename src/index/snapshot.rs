//! One generation of the index, opened: immutable, and shared by reference.

use std::path::PathBuf;

use super::format::Container;
use super::segment::Segment;
use super::store::Manifest;
use super::table::Table;

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

impl Snapshot {
    /// Returns the checksums of its files, the table's first: with the generation they tell it from every
    /// other one.
    pub fn checksums(&self) -> impl Iterator<Item = u32> {
        self.containers().map(Container::checksum)
    }

    /// Returns true if its files on disk are as they were when they were opened. Costs a look at each.
    pub fn is_untouched(&self) -> bool {
        self.containers().all(Container::is_untouched)
    }

    fn containers(&self) -> impl Iterator<Item = &Container> {
        std::iter::once(self.table.container()).chain(self.segments.iter().map(Segment::container))
    }

    /// Returns true if `manifest` speaks of these very files.
    pub fn is_of(&self, manifest: &Manifest) -> bool {
        let is_same = self.checksums().eq(manifest.checksums.iter().copied());
        is_same && self.generation == manifest.generation
    }
}
