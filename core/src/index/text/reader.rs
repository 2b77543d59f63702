//! An opened text index: the postings of words by field, and the table of documents.
//!
//! Opening reads only heads and footers; blocks are checked on first access. An unusable index is a
//! value ([`Unusable`]) and not an error, because callers work without it.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tantivy::postings::BlockSegmentPostings;
use tantivy::schema::IndexRecordOption;
use tantivy::{Index, SegmentReader};

use super::builder::segment_name;
use super::directory::ContainerDirectory;
use super::files::Files;
use super::{Field, schema};
use crate::base::path::compare;
use crate::error::{Error, Kind, Result};
use crate::index::format::Container;

/// How often opening is retried when a writer replaces the index in between.
const ATTEMPTS: usize = 3;

/// The reason why there is no usable text index.
#[derive(Debug)]
pub enum Unusable {
    /// It was not built yet.
    Missing,
    /// It is damaged, of another version, or unreadable.
    Broken(Error),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::Missing => f.write_str("the text index is not built yet"),
            Unusable::Broken(error) => write!(f, "the text index is unusable: {error}"),
        }
    }
}

/// An immutable text index on disk.
pub struct TextIndex {
    dir: PathBuf,
    files: Files,
    segments: Vec<Segment>,
    /// Set when a query finds damage.
    is_damaged: AtomicBool,
}

/// A tantivy segment.
struct Segment {
    directory: ContainerDirectory,
    reader: SegmentReader,
    /// The number of its first document in the index.
    first: u32,
}

/// The differences between the files of a tree and those of the index.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct TextChanges {
    /// Paths with new or changed content, in order.
    pub changed: Vec<Vec<u8>>,
    /// Deleted paths, in order.
    pub removed: Vec<Vec<u8>>,
}

impl fmt::Debug for TextIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextIndex").field("dir", &self.dir).finish_non_exhaustive()
    }
}

impl TextIndex {
    /// Opens the newest text index in the index directory `dir`. With `on_heap`, files are read
    /// instead of mapped, which network file systems require. O(segments).
    pub fn open(dir: &Path, on_heap: bool) -> std::result::Result<TextIndex, Unusable> {
        let mut reason = Unusable::Missing;
        for _ in 0..ATTEMPTS {
            let Some(newest) = newest(dir) else { return Err(Unusable::Missing) };
            match TextIndex::open_at(newest, on_heap) {
                Ok(index) => return Ok(index),
                Err(error) => {
                    let is_gone = error.kind() == Kind::NotFound;
                    reason = Unusable::Broken(error);
                    if !is_gone {
                        break;
                    }
                }
            }
        }
        Err(reason)
    }

    /// Returns an index without files, which [`super::Overlay::put`] adds.
    ///
    /// # Errors
    ///
    /// None.
    pub fn empty() -> Result<TextIndex> {
        let (dir, files) = (PathBuf::new(), Files::empty()?);
        Ok(TextIndex { dir, files, segments: Vec::new(), is_damaged: AtomicBool::new(false) })
    }

    fn open_at(dir: PathBuf, on_heap: bool) -> Result<TextIndex> {
        let files = Files::open(&dir.join("files.idx"), on_heap)?;
        let mut segments = Vec::with_capacity(files.segments().len());
        let mut first = 0;
        for (place, record) in files.segments().iter().enumerate() {
            let path = dir.join(segment_name(place));
            let directory = ContainerDirectory::open(&path, on_heap)?;
            let container = directory.container();
            if container.checksum() != record.checksum {
                return Err(container.corrupt("files of the text index do not belong together"));
            }
            let reader = open_reader(&directory)
                .map_err(|error| directory.container().corrupt(&error.to_string()))?;
            if reader.max_doc() != record.documents || *reader.schema() != schema::schema() {
                return Err(directory
                    .container()
                    .corrupt("segment of the text index does not match the table"));
            }
            segments.push(Segment { directory, reader, first });
            first += record.documents;
        }
        Ok(TextIndex { dir, files, segments, is_damaged: AtomicBool::new(false) })
    }

    /// Records that a query found damage, so that the index is opened again for the next call.
    pub fn note_damage(&self) {
        self.is_damaged.store(true, Ordering::Relaxed);
    }

    /// Returns true if a query found damage.
    pub fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
    }

    /// Returns the table of files and chunks.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Returns the differences between the index and `files`, which are paths and content hashes in
    /// path order. O(files).
    pub fn changes<'f>(
        &self,
        files: impl Iterator<Item = (&'f [u8], u128)>,
    ) -> Result<TextChanges> {
        let mut changes = TextChanges::default();
        let mut place = 0;
        for (path, hash) in files {
            let mut is_current = false;
            while place < self.files.len() {
                let ours = self.files.path(place)?;
                match compare(ours, path) {
                    std::cmp::Ordering::Less => changes.removed.push(ours.to_vec()),
                    std::cmp::Ordering::Equal => is_current = self.files.hash(place)? == hash,
                    std::cmp::Ordering::Greater => break,
                }
                place += 1;
            }
            if !is_current {
                changes.changed.push(path.to_vec());
            }
        }
        for place in place..self.files.len() {
            changes.removed.push(self.files.path(place)?.to_vec());
        }
        Ok(changes)
    }

    /// Returns the total length of all files in bytes.
    pub fn len_bytes(&self) -> u64 {
        let segments = self.segments.iter().map(|s| s.directory.container().len_bytes());
        self.files.container().len_bytes() + segments.sum::<u64>()
    }

    /// Returns true if the files on disk are unchanged since they were opened, so that blocks
    /// checked since then are still valid. Costs one `fstat` per file.
    pub fn is_untouched(&self) -> bool {
        let segments = self.segments.iter().map(|segment| segment.directory.container());
        std::iter::once(self.files.container()).chain(segments).all(Container::is_untouched)
    }

    /// Checks every block of every file. O(bytes).
    pub fn check_all(&self) -> Result<()> {
        self.files.container().check_all()?;
        self.segments.iter().try_for_each(|segment| segment.directory.container().check_all())
    }

    /// Returns, for each field, the bytes of its dictionaries and of its postings.
    pub fn field_bytes(&self) -> Result<[(u64, u64); super::FIELDS]> {
        let mut bytes = [(0, 0); super::FIELDS];
        for segment in &self.segments {
            let refuse =
                |error: io::Error| segment.directory.container().corrupt(&error.to_string());
            let usage = segment.reader.space_usage().map_err(refuse)?;
            for field in Field::ALL {
                let total = |usage: &tantivy::space_usage::PerFieldSpaceUsage| {
                    let mut fields = usage.fields();
                    let of = fields.find(|usage| usage.field_name() == field.name());
                    of.map_or(0, |usage| usage.total().get_bytes())
                };
                bytes[field.index()].0 += total(usage.termdict());
                bytes[field.index()].1 += total(usage.postings());
            }
        }
        Ok(bytes)
    }

    /// Calls `each` for every segment that contains `word` in `field`, with the number of the
    /// segment's first document and the postings, whose document numbers are relative to it.
    pub(super) fn postings(
        &self,
        field: Field,
        word: &str,
        mut each: impl FnMut(u32, BlockSegmentPostings),
    ) -> Result<()> {
        for segment in &self.segments {
            let damaged = |error: &dyn fmt::Display| {
                segment.directory.container().corrupt(&error.to_string())
            };
            let field = schema::tantivy_field(field);
            let inverted = segment.reader.inverted_index(field).map_err(|error| damaged(&error))?;
            let term = tantivy::Term::from_field_text(field, word);
            let found = inverted.read_block_postings(&term, IndexRecordOption::WithFreqs);
            if let Some(postings) = found.map_err(|error| damaged(&error))? {
                each(segment.first, postings);
            }
        }
        Ok(())
    }
}

fn open_reader(directory: &ContainerDirectory) -> tantivy::Result<SegmentReader> {
    let index = Index::open(directory.clone())?;
    let segments = index.searchable_segments()?;
    match &segments[..] {
        [segment] => SegmentReader::open(segment),
        _ => Err(tantivy::TantivyError::InternalError("not one segment".to_owned())),
    }
}

/// Returns the text index of the highest generation in `dir`.
fn newest(dir: &Path) -> Option<PathBuf> {
    let generation = |name: &str| name.strip_prefix("text-")?.parse::<u64>().ok();
    let entries = fs::read_dir(dir).ok()?.flatten();
    let found =
        entries.filter_map(|e| Some((generation(&e.file_name().to_string_lossy())?, e.path())));
    found.max_by_key(|(generation, _)| *generation).map(|(_, path)| path)
}
