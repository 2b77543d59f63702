//! An opened text index: postings of words by field, and which document is which chunk.
//!
//! Opening looks at heads and footers alone; blocks are checked when they are first touched. Where
//! there is no index to use, the reason is a value and no error: ranking does without.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tantivy::postings::BlockSegmentPostings;
use tantivy::schema::IndexRecordOption;
use tantivy::{Index, SegmentReader};

use super::builder::segment_name;
use super::directory::ContainerDirectory;
use super::files::Files;
use super::{Field, schema};
use crate::base::path::compare;
use crate::error::{Error, Kind, Result};

/// How often an index is looked for again when a writer replaced it meanwhile.
const ATTEMPTS: usize = 3;

/// Why there is no text index to use.
#[derive(Debug)]
pub enum Unusable {
    /// None was built yet.
    Missing,
    /// There is one, but it is damaged, of another version, or cannot be read.
    Broken(Error),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::Missing => f.write_str("there is no text index yet"),
            Unusable::Broken(error) => write!(f, "the text index cannot be used: {error}"),
        }
    }
}

/// A text index on disk, immutable.
pub struct TextIndex {
    dir: PathBuf,
    files: Files,
    segments: Vec<Segment>,
}

/// One of tantivy's segments.
struct Segment {
    directory: ContainerDirectory,
    reader: SegmentReader,
    /// The number of its first document among all.
    first: u32,
}

/// Files whose content is not what the index was built of.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Behind {
    /// Paths that are new or have another content, in order.
    pub changed: Vec<Vec<u8>>,
    /// Paths that are no more, in order.
    pub removed: Vec<Vec<u8>>,
}

impl fmt::Debug for TextIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextIndex").field("dir", &self.dir).finish_non_exhaustive()
    }
}

impl TextIndex {
    /// Opens the newest text index in the index directory `dir`. `on_heap`: read files instead of
    /// mapping them, for network file systems. O(segments).
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

    fn open_at(dir: PathBuf, on_heap: bool) -> Result<TextIndex> {
        let files = Files::open(&dir.join("files.idx"), on_heap)?;
        let mut segments = Vec::with_capacity(files.segments().len());
        let mut first = 0;
        for (place, record) in files.segments().iter().enumerate() {
            let path = dir.join(segment_name(place));
            let directory = ContainerDirectory::open(&path, on_heap)?;
            let container = directory.container();
            if container.checksum() != record.checksum {
                return Err(container.corrupt("text index's files do not belong together"));
            }
            let reader = open_reader(&directory)
                .map_err(|error| directory.container().corrupt(&error.to_string()))?;
            if reader.max_doc() != record.documents || *reader.schema() != schema::schema() {
                return Err(directory.container().corrupt("text index's segment is another one"));
            }
            segments.push(Segment { directory, reader, first });
            first += record.documents;
        }
        Ok(TextIndex { dir, files, segments })
    }

    /// Returns the table of files and chunks.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Returns what differs between the index and `files`, each a path and the hash of its content,
    /// in the order of paths. O(files).
    pub fn behind<'f>(&self, files: impl Iterator<Item = (&'f [u8], u128)>) -> Result<Behind> {
        let mut behind = Behind::default();
        let mut place = 0;
        for (path, hash) in files {
            let mut is_known = false;
            while place < self.files.len() {
                let ours = self.files.path(place)?;
                match compare(ours, path) {
                    std::cmp::Ordering::Less => behind.removed.push(ours.to_vec()),
                    std::cmp::Ordering::Equal => is_known = self.files.hash(place)? == hash,
                    std::cmp::Ordering::Greater => break,
                }
                place += 1;
            }
            if !is_known {
                behind.changed.push(path.to_vec());
            }
        }
        for place in place..self.files.len() {
            behind.removed.push(self.files.path(place)?.to_vec());
        }
        Ok(behind)
    }

    /// Returns the length of all files in bytes.
    pub fn len_bytes(&self) -> u64 {
        let segments = self.segments.iter().map(|s| s.directory.container().len_bytes());
        self.files.container().len_bytes() + segments.sum::<u64>()
    }

    /// Checks every block of every file. O(bytes).
    pub fn check_all(&self) -> Result<()> {
        self.files.container().check_all()?;
        self.segments.iter().try_for_each(|segment| segment.directory.container().check_all())
    }

    /// Returns, for each field and segment, the bytes of its dictionary and of its postings.
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

    /// Calls `each` with the postings of `word` in `field`, segment by segment: the number of the
    /// segment's first document, and the postings, whose documents count from 0.
    pub(super) fn postings(
        &self,
        field: Field,
        word: &str,
        mut each: impl FnMut(u32, &mut BlockSegmentPostings),
    ) -> Result<()> {
        for segment in &self.segments {
            let damaged = |error: &dyn fmt::Display| {
                segment.directory.container().corrupt(&error.to_string())
            };
            let field = schema::tantivy_field(field);
            let inverted = segment.reader.inverted_index(field).map_err(|error| damaged(&error))?;
            let term = tantivy::Term::from_field_text(field, word);
            let found = inverted.read_block_postings(&term, IndexRecordOption::WithFreqs);
            if let Some(mut postings) = found.map_err(|error| damaged(&error))? {
                each(segment.first, &mut postings);
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
