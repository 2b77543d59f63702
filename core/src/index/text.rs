//! The text index: ranks definition-sized chunks of files by the words of a question. It ranks and
//! never filters. Searches do not open it, and its callers work without it if it is missing.
//!
//! [`chunk`] divides a file along its symbols, [`prepare`](mod@prepare) tokenizes chunks by
//! [`Field`], [`builder`] writes postings with tantivy, [`reader`] opens them, [`overlay`] contains
//! the files edited since, and [`mod@rank`] scores both together with BM25. Statistics are those of
//! the live documents, so a ranking after edits is bit-identical to the ranking after a rebuild.
//!
//! Only the term dictionaries and postings of tantivy are used. Its files are stored in our
//! containers with checksums (`directory`). A table of our own ([`files`]) maps documents to chunks
//! of files and contains their lengths and lines.
//!
//! ```text
//! text-<generation>/       in the index directory; renamed from text-<generation>.new when complete
//!     files.idx            version, builder, generation, checksums of segments; files and chunks
//!     segment-<i>.idx      the tantivy files of the i-th run of files, in path order
//! ```

pub mod builder;
pub mod chunk;
mod directory;
pub mod files;
pub mod length;
pub mod overlay;
pub mod prepare;
pub mod query;
pub mod rank;
pub mod reader;
pub mod related;
mod schema;

pub use builder::TextBuilder;
pub use overlay::Overlay;
pub use prepare::{Input, Prepared, Preparer};
pub use query::{Bm25, ByField, K3, Query, Term};
pub use rank::{FileHit, Hit, Ranking, rank};
pub use reader::{TextIndex, Unusable};

/// Increases with every change of chunking, tokenization or format. An index of another version is
/// rebuilt.
///
/// Version log:
/// - 1: the first.
/// - 2: the table contains the builder and files without text.
/// - 3: parts of names are stemmed, as words of prose are.
pub const VERSION: u32 = 3;

/// Returns the hash of the fact extraction, whose symbols decide how a file is divided into chunks.
fn builder_number() -> u64 {
    xxhash_rust::xxh3::xxh3_64(crate::index::code::store::builder().as_bytes())
}

/// The fields of a chunk.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Field {
    /// The parts of the components of the file's path.
    Path,
    /// Names of the symbols that the chunk defines, whole and in parts.
    Name,
    /// Parts of the identifiers in their signatures, and the names of the enclosing symbols.
    Signature,
    /// Stems of comments, docstrings and documents, without stop words.
    Prose,
    /// Parts of the identifiers in code, without keywords. Whole identifiers are left out: they
    /// would be half of all terms in react and four fifths in Linux's `fs/`, and the word index
    /// lists their occurrences.
    Code,
}

/// The number of fields.
pub const FIELDS: usize = 5;

impl Field {
    /// Every field, in the order of field numbers in the index.
    pub const ALL: [Field; FIELDS] =
        [Field::Path, Field::Name, Field::Signature, Field::Prose, Field::Code];

    /// Returns the index of the field in [`Field::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns the name of the field.
    pub fn name(self) -> &'static str {
        match self {
            Field::Path => "path",
            Field::Name => "name",
            Field::Signature => "signature",
            Field::Prose => "prose",
            Field::Code => "code",
        }
    }
}

#[cfg(test)]
mod tests;
