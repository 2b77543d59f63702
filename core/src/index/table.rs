//! The file table of a generation: every file and directory, with metadata stamps, hashes and
//! units.
//!
//! Files and directories are in path order, so the files below a directory are one range. A file
//! record contains the segment and the units with its grams. The reverse map contains the file of
//! each unit; a unit without a file is dead.

mod builder;
mod reader;

pub use builder::{DirEntry, FileEntry, build};
pub use reader::{Dir, File, Table};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::source::stamp::Stamp;
use crate::source::walk::Skipped;

/// Special properties of a file, as a set of flags.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Flags(pub u16);

impl Flags {
    /// Not indexed: a candidate for every query.
    pub const SCAN: Flags = Flags(1);
    /// Contains a NUL byte: only the text before it is indexed.
    pub const BINARY: Flags = Flags(2);
    /// Contains `ſ` or the Kelvin sign, which fold to ASCII letters.
    pub const FOLDS: Flags = Flags(4);
    /// A secret: never indexed and never returned to a model.
    pub const SECRET: Flags = Flags(8);
    /// The file has several names (hard links): a write through another one is not reported here.
    pub const LINKED: Flags = Flags(16);
    /// Hidden or ignored, so searches leave it out, but tracked by git: part of the code.
    pub const TRACKED: Flags = Flags(32);

    /// Returns true if all of `flags` are set.
    pub fn has(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Returns the union.
    pub fn with(self, flags: Flags) -> Flags {
        Flags(self.0 | flags.0)
    }

    /// Returns the flags that are not in `flags`.
    #[must_use]
    pub fn without(self, flags: Flags) -> Flags {
        Flags(self.0 & !flags.0)
    }
}

/// Properties of a generation that queries do not need on their hot path.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct TableMeta {
    /// Absolute path of the tree, for display.
    pub root: String,
    /// Bytes of all files.
    pub text_bytes: u64,
    /// Number of skipped entries, by reason.
    pub skipped: BTreeMap<Skipped, u64>,
    /// Number of files that are not indexed and therefore always scanned, by reason.
    pub scanned: BTreeMap<String, u64>,
    /// Number of problems that ripgrep would report while walking. If there are any, searches walk
    /// the tree.
    pub problems: u64,
    /// The path of git's global excludes file when the tree was walked.
    pub global_excludes: Option<String>,
    /// True if the global excludes contain a rule with a separator, whose meaning depends on the
    /// current directory.
    pub global_excludes_anchored: bool,
    /// The files that git tracked; `None` without a repository.
    pub tracked: Option<TrackedNames>,
}

/// The state of git's index in which [`Flags::TRACKED`] was determined.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct TrackedNames {
    /// Metadata of the index file, encoded; [`Stamp::NEVER`] if it proves nothing.
    pub stamp: [u8; Stamp::BYTES],
    /// Hash of the paths in it.
    pub hash: u64,
}

/// Sections of a table file.
mod section {
    /// [`super::TableMeta`] as JSON.
    pub(super) const META: u32 = 1;
    /// One record per directory, see `DIR_BYTES`.
    pub(super) const DIRS: u32 = 2;
    /// Ids of the files directly in each directory, grouped by directory: u32 each.
    pub(super) const OWN: u32 = 3;
    /// One record per file, see `FILE_BYTES`.
    pub(super) const FILES: u32 = 4;
    /// One metadata stamp per file.
    pub(super) const STAMPS: u32 = 5;
    /// One 128-bit content hash per file.
    pub(super) const HASHES: u32 = 6;
    /// Paths of directories and names of files, each terminated by a NUL byte.
    pub(super) const NAMES: u32 = 7;
    /// For each unit of each segment: its file, or `u32::MAX` if it is dead, u32.
    pub(super) const OWNERS: u32 = 8;
    /// For each segment: its number of units, u32.
    pub(super) const SEGMENTS: u32 = 9;
    /// `FLAGGED + flag` is the section with the ids of the files that have this flag.
    pub(super) const FLAGGED: u32 = 16;
    /// Ids of the directories that only files with [`super::Flags::TRACKED`] brought in: u32 each.
    pub(super) const TRACKED_DIRS: u32 = 11;
    /// Sources of the ignore rules.
    pub(super) const SOURCES: u32 = 10;
}

/// Size of a directory record: path offset u32, path length u32, parent u32, end of the subtree's
/// directories u32, files of the subtree u32..u32, own files (indices into OWN) u32..u32, metadata
/// stamp.
const DIR_BYTES: usize = 32 + Stamp::BYTES;

/// Size of a file record: directory u32, name offset u32, name length u16, flags u16, segment u16,
/// number of units u16, first unit u32.
const FILE_BYTES: usize = 20;
