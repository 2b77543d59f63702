//! The code index: symbols, references, imports and words of files, by file and by name.
//!
//! It consists of segments, each an immutable file that holds the [`crate::lang::Facts`] of some files:
//! one base and a few that later refreshes added. A segment says nothing about other files, so a file
//! that changes only ever takes its own facts with it; what connects files (who calls whom, what an
//! import leads to) is worked out by `graph/` when it is asked. A [`store::Manifest`] says which
//! segments belong together; a file's content hash says whether a segment still speaks of it.
//!
//! Read in this order: [`record`] (a file's facts as bytes), [`dictionary`] (names in order),
//! [`builder`] (facts → sections), [`reader`] (a mapped segment), [`store`] (which segments there are).

pub mod builder;
pub mod dictionary;
pub mod doc_map;
pub mod keys;
pub mod reader;
pub mod record;
pub mod store;

pub use builder::{CodeSegmentBuilder, FileRecord};
pub use reader::CodeSegment;

/// Sections of a segment.
mod section {
    /// [`super::reader::Meta`] as JSON.
    pub(super) const META: u32 = 1;
    /// One record for each file, see `DOC_BYTES`.
    pub(super) const DOCS: u32 = 2;
    /// The files' places, ordered by the hash of their paths: u32.
    pub(super) const ORDER: u32 = 3;
    /// The symbols of each file, see [`super::record`].
    pub(super) const SYMBOLS: u32 = 4;
    /// Package and imports of each file, see [`super::record`].
    pub(super) const IMPORTS: u32 = 5;
    /// Chains, scopes and module names: the ends of their texts (u32 each), and the texts.
    pub(super) const POOL_ENDS: u32 = 6;
    pub(super) const POOL: u32 = 7;
    /// Keys of symbols, and for each where: file, symbol; see [`super::keys`].
    pub(super) const DEFINED: DictionarySections = [10, 11, 12];
    /// Numbers in the pool of the names that each file calls, ascending.
    pub(super) const CALLED: u32 = 8;
    /// Names that are referred to, and for each where.
    pub(super) const REFERRED: DictionarySections = [20, 21, 22];
    /// Words of the text, and for each in which files and how often.
    pub(super) const WORDS: DictionarySections = [30, 31, 32];

    /// Block index, blocks and lists of a dictionary.
    pub(super) type DictionarySections = [u32; 3];
}

/// path hash u64, lines u32, language u16, marks u8, problems u8, symbols u32, offsets of its symbols
/// and imports u32 each, package u32, content hash u128, offset of the names that it calls u32.
const DOC_BYTES: usize = 52;
