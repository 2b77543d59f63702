//! The text index: ranks definition-sized chunks of files by the words of a question. It ranks and
//! never filters; searches do not open it, and what asks it does without where it is missing.
//!
//! [`chunk`] cuts a file along its symbols, [`prepare`](mod@prepare) turns chunks into words by [`Field`],
//! [`builder`] has tantivy make postings of them, [`reader`] opens those, [`overlay`] holds what was
//! edited since, [`mod@rank`] scores both together with BM25 from the statistics of the documents that
//! are live, so that a ranking after edits is that after a rebuild, to the last bit.
//!
//! Of tantivy only term dictionaries and postings are used; its files lie in containers with
//! checksums of our own (`directory`), and which document is which chunk of which file, how long
//! it is and where, stands in a table of ours ([`files`]).
//!
//! ```text
//! text-<generation>/       inside the index directory, renamed from text-<generation>.new when whole
//!     files.idx            version and builder, generation, checksums of the others; files and chunks
//!     segment-<i>.idx      tantivy's files of the i-th run of files, in path order
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
mod schema;

pub use builder::TextBuilder;
pub use overlay::Overlay;
pub use prepare::{Input, Prepared, Preparer};
pub use query::{Bm25, ByField, K3, Query, Term};
pub use rank::{FileHit, Hit, Ranking, rank};
pub use reader::{TextIndex, Unusable};

/// Counts up with every change of what is cut, tokenised or written how; another version's index is
/// built again.
///
/// Version log:
/// - 1: the first.
/// - 2: the table names the builder; files without text are in it.
/// - 3: parts of names are stems, as words of prose are.
pub const VERSION: u32 = 3;

/// Returns the number of this program's builder, which decides along which symbols a file is cut.
fn builder_number() -> u64 {
    xxhash_rust::xxh3::xxh3_64(crate::index::code::store::builder().as_bytes())
}

/// What a word of a chunk is a word of.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Field {
    /// The file's path: parts of its components.
    Path,
    /// Names of the symbols that the chunk defines: whole and in parts.
    Name,
    /// Identifiers of their signatures in parts, and the names of the symbols around the chunk.
    Signature,
    /// Comments, docstrings and documents: stems without stop words.
    Prose,
    /// Identifiers of the code in parts, without keywords. They are not there whole: those would be
    /// half of all terms in react and four fifths in Linux's `fs/`, and where an identifier occurs is
    /// the word index's to say.
    Code,
}

/// The number of fields.
pub const FIELDS: usize = 5;

impl Field {
    /// Every field; a field's place is its number in the index.
    pub const ALL: [Field; FIELDS] =
        [Field::Path, Field::Name, Field::Signature, Field::Prose, Field::Code];

    /// Returns the field's place in [`Field::ALL`].
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
