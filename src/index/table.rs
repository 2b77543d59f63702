//! The file table of a generation: every file and directory, with stamps, hashes and units.
//!
//! Files and directories are in path order, so the files below a directory are one range. A file
//! names the segment and the units that hold its grams; the reverse map tells whose a unit is, and
//! a unit that no file claims is dead.

mod builder;
mod reader;

pub use builder::{DirEntry, FileEntry, build};
pub use reader::{Dir, File, Table};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::source::walk::Skipped;

/// What is special about a file; a set of flags.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Flags(pub u16);

impl Flags {
    /// Not indexed: a candidate of every query.
    pub const SCAN: Flags = Flags(1);
    /// Holds a NUL byte: only the text before it is indexed.
    pub const BINARY: Flags = Flags(2);
    /// Holds `ſ` or the Kelvin sign.
    pub const FOLDS: Flags = Flags(4);
    /// A secret: never indexed, never served to a model.
    pub const SECRET: Flags = Flags(8);

    /// Returns true if all of `flags` are set.
    pub fn has(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Returns the union.
    pub fn with(self, flags: Flags) -> Flags {
        Flags(self.0 | flags.0)
    }
}

/// Facts about a generation that no query needs on its hot path.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Meta {
    /// Absolute path of the tree, for people.
    pub root: String,
    /// Bytes of all files.
    pub text_bytes: u64,
    /// Entries that were left out, by reason.
    pub skipped: BTreeMap<Skipped, u64>,
    /// Files that are not indexed and therefore always scanned, by reason.
    pub scanned: BTreeMap<String, u64>,
    /// Problems that ripgrep would report while walking; while there are any, queries walk.
    pub problems: u64,
    /// Git's global excludes path when the tree was walked.
    pub global_excludes: Option<String>,
    /// The global excludes hold a rule with a separator, which means something else in each
    /// current directory.
    pub global_excludes_anchored: bool,
}

/// Sections of a table file.
mod section {
    /// [`super::Meta`] as JSON.
    pub(super) const META: u32 = 1;
    /// One record for each directory, see `DIR_BYTES`.
    pub(super) const DIRS: u32 = 2;
    /// Ids of the files directly in each directory, grouped by directory: u32.
    pub(super) const OWN: u32 = 3;
    /// One record for each file, see `FILE_BYTES`.
    pub(super) const FILES: u32 = 4;
    /// One stamp for each file.
    pub(super) const STAMPS: u32 = 5;
    /// One 128-bit content hash for each file.
    pub(super) const HASHES: u32 = 6;
    /// Directories' paths and files' names, each ended by a NUL byte.
    pub(super) const NAMES: u32 = 7;
    /// For each unit of each segment: its file, u32, or `u32::MAX` for a dead one.
    pub(super) const OWNERS: u32 = 8;
    /// For each segment: number of units, u32.
    pub(super) const SEGMENTS: u32 = 9;
    /// Ids of the files with a flag: `FLAGGED + flag`.
    pub(super) const FLAGGED: u32 = 16;
    /// Sources of the ignore rules.
    pub(super) const SOURCES: u32 = 10;
}

/// path offset u32, path length u32, parent u32, end of subtree's directories u32, subtree's files
/// u32..u32, own files (into OWN) u32..u32, stamp.
const DIR_BYTES: usize = 32 + crate::source::stamp::Stamp::BYTES;

/// directory u32, name offset u32, name length u16, flags u16, segment u16, units u16, first unit
/// u32.
const FILE_BYTES: usize = 20;
