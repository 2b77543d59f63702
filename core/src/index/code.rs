//! The code index: symbols, references, imports and words, by file and by name.
//!
//! The index consists of segments. A segment is an immutable file with the [`crate::lang::Facts`]
//! of some source files: first the base segments, then a few that later refreshes added. The facts
//! of a file depend on its text alone, so a change of one file invalidates only its own facts.
//! Relations between files (callers, import targets) are not stored; `graph/` computes them for
//! each query. A [`store::CodeManifest`] lists the segments of one publication. Facts are valid
//! while the content hash of the file is the one in the segment.
//!
//! Read in this order: [`record`] (encoding of a file's facts), [`exchange`] (the same between
//! processes), [`dictionary`] (sorted names),
//! [`builder`] (facts → sections), [`reader`] (a mapped segment), [`doc_map`] (files ↔ documents of
//! segments), [`store`] (publication).

pub mod builder;
pub mod dictionary;
pub mod doc_map;
pub mod exchange;
pub mod keys;
pub mod reader;
pub mod record;
pub mod store;

pub use builder::{CodeSegmentBuilder, FileRecord, Word};
pub use reader::CodeSegment;

/// Section ids of a segment file. A document is one file of the segment.
mod section {
    /// [`super::reader::Meta`] as JSON.
    pub(super) const META: u32 = 1;
    /// One record per document, see `DOC_BYTES`.
    pub(super) const DOCS: u32 = 2;
    /// Document numbers, ordered by the hash of their paths: u32 each.
    pub(super) const ORDER: u32 = 3;
    /// The symbols of each document, see [`super::record`].
    pub(super) const SYMBOLS: u32 = 4;
    /// Package and imports of each document, see [`super::record`].
    pub(super) const IMPORTS: u32 = 5;
    /// The string pool (receiver chains, scopes, module names): end offsets (u32 each), and the
    /// bytes.
    pub(super) const POOL_ENDS: u32 = 6;
    pub(super) const POOL: u32 = 7;
    /// Keys of symbols (see [`super::keys`]), each with its list of document and symbol.
    pub(super) const DEFINED: DictionarySections = [10, 11, 12];
    /// For each document, the pool numbers of the names that it calls, ascending.
    pub(super) const CALLED: u32 = 8;
    /// Referenced names, each with its list of reference sites.
    pub(super) const REFERRED: DictionarySections = [20, 21, 22];
    /// Words of the text, each with its list of document and twice the count, plus one if an
    /// occurrence is in a part that the parser does not understand.
    pub(super) const WORDS: DictionarySections = [30, 31, 32];

    /// Section ids of a dictionary: block index, blocks, lists.
    pub(super) type DictionarySections = [u32; 3];
}

/// Size of a document record: path hash u64, lines u32, language u8, marks u8, problems u16, number
/// of symbols u32, offsets of its symbols and of its imports u32 each, package u32, content hash
/// u128, offset of its called names u32, line of the first syntax error u32 (0 without errors).
const DOC_BYTES: usize = 56;
