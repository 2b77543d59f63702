//! The file and chunk table of a text index: the file, chunk number, lines and field lengths of
//! each document. Its head is the manifest of the index.
//!
//! Documents are numbered consecutively across segments, by path and then by position in the file.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::length::{Length, Lengths, Totals};
use super::prepare::Prepared;
use super::{FIELDS, VERSION, builder_number};
use crate::error::{Error, Result};
use crate::index::format::{self, Container, FileKind, u16_at, u32_at, u64_at};
use crate::index::map::Map;

mod section {
    pub(super) const HEAD: u32 = 1;
    /// The end of each path in `PATHS`.
    pub(super) const PATH_ENDS: u32 = 2;
    pub(super) const PATHS: u32 = 3;
    /// One 128-bit content hash per file.
    pub(super) const HASHES: u32 = 4;
    /// The first document of each file, and the number of documents.
    pub(super) const FIRST: u32 = 5;
    /// Number of lines of each document, u16.
    pub(super) const LINES: u32 = 6;
    /// Field lengths of each document.
    pub(super) const LENGTHS: u32 = 7;
}

/// Size of the head without segments: version, builder, generation, files, documents, lines left,
/// words of each field, number of segments.
const HEAD_BYTES: usize = 4 + 8 + 8 + 4 + 4 + 8 + 8 * FIELDS + 4;

/// Size of a segment record: documents, checksum.
const SEGMENT_BYTES: usize = 8;

/// One segment of the index.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct SegmentRecord {
    pub(super) documents: u32,
    pub(super) checksum: u32,
}

/// Builds the table while files are added.
#[derive(Debug, Default)]
pub(super) struct FilesBuilder {
    path_ends: Vec<u8>,
    paths: Vec<u8>,
    hashes: Vec<u8>,
    first: Vec<u8>,
    lines: Vec<u8>,
    lengths: Vec<u8>,
    files: u32,
    totals: Totals,
    lines_left: u64,
}

impl FilesBuilder {
    pub(super) fn add(&mut self, prepared: &Prepared) -> Result<()> {
        let full = || Error::new(crate::Kind::Limit, "too many paths for a text index");
        let document = u32::try_from(self.totals.documents).map_err(|_| full())?;
        self.first.extend_from_slice(&document.to_le_bytes());
        self.paths.extend_from_slice(&prepared.path);
        let end = u32::try_from(self.paths.len()).map_err(|_| full())?;
        self.path_ends.extend_from_slice(&end.to_le_bytes());
        self.hashes.extend_from_slice(&prepared.hash.to_le_bytes());
        for words in &prepared.chunks {
            self.lines.extend_from_slice(&words.lines.to_le_bytes());
            self.lengths.extend(words.lengths.iter().map(|length| length.0));
            self.totals.add(&words.lengths);
        }
        self.lines_left += prepared.lines_left as u64;
        self.files += 1;
        Ok(())
    }

    /// Writes the table to the new file `path`.
    pub(super) fn write(
        self,
        path: &Path,
        generation: u64,
        segments: &[SegmentRecord],
    ) -> Result<()> {
        self.with_sections(generation, segments, |sections| {
            format::write(path, FileKind::TextFiles, sections)
        })
    }

    /// Returns the table as the bytes of a file.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.with_sections(0, &[], |sections| format::to_bytes(FileKind::TextFiles, sections))
    }

    fn with_sections<T>(
        mut self,
        generation: u64,
        segments: &[SegmentRecord],
        write: impl FnOnce(&[(u32, &[&[u8]])]) -> T,
    ) -> T {
        let documents = self.totals.documents as u32;
        self.first.extend_from_slice(&documents.to_le_bytes());
        let mut head = Vec::with_capacity(HEAD_BYTES + segments.len() * SEGMENT_BYTES);
        head.extend_from_slice(&VERSION.to_le_bytes());
        head.extend_from_slice(&builder_number().to_le_bytes());
        head.extend_from_slice(&generation.to_le_bytes());
        head.extend_from_slice(&self.files.to_le_bytes());
        head.extend_from_slice(&documents.to_le_bytes());
        head.extend_from_slice(&self.lines_left.to_le_bytes());
        for words in self.totals.words {
            head.extend_from_slice(&words.to_le_bytes());
        }
        head.extend_from_slice(&(segments.len() as u32).to_le_bytes());
        for segment in segments {
            head.extend_from_slice(&segment.documents.to_le_bytes());
            head.extend_from_slice(&segment.checksum.to_le_bytes());
        }
        write(&[
            (section::HEAD, &[&head]),
            (section::PATH_ENDS, &[&self.path_ends]),
            (section::PATHS, &[&self.paths]),
            (section::HASHES, &[&self.hashes]),
            (section::FIRST, &[&self.first]),
            (section::LINES, &[&self.lines]),
            (section::LENGTHS, &[&self.lengths]),
        ])
    }
}

/// An opened table.
#[derive(Debug)]
pub struct Files {
    container: Container,
    files: usize,
    documents: usize,
    lines_left: u64,
    totals: Totals,
    segments: Vec<SegmentRecord>,
    path_ends: format::Range,
    paths: format::Range,
    hashes: format::Range,
    first: format::Range,
    lines: format::Range,
    lengths: format::Range,
    owners: OnceLock<Vec<u32>>,
}

impl Files {
    /// Opens the table at `path`. O(segments).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if it is damaged, or of another version or builder.
    pub(super) fn open(path: &Path, on_heap: bool) -> Result<Files> {
        Files::of(Map::open(path, on_heap)?)
    }

    /// Returns a table without files.
    ///
    /// # Errors
    ///
    /// None.
    pub(super) fn empty() -> Result<Files> {
        Files::of(Map::in_memory(PathBuf::new(), FilesBuilder::default().into_bytes()))
    }

    fn of(map: Map) -> Result<Files> {
        let container = Container::open(map, FileKind::TextFiles)?;
        let head = container.copy(container.section(section::HEAD)?)?;
        let damaged = || container.corrupt("head of the text index is damaged");
        if head.len() < HEAD_BYTES {
            return Err(damaged());
        }
        if u32_at(&head, 0) != VERSION || u64_at(&head, 4) != builder_number() {
            return Err(container.corrupt("text index is of another version"));
        }
        let count = u32_at(&head, HEAD_BYTES - 4) as usize;
        if head.len() != count.saturating_mul(SEGMENT_BYTES).saturating_add(HEAD_BYTES) {
            return Err(damaged());
        }
        let segments = head[HEAD_BYTES..].chunks_exact(SEGMENT_BYTES);
        let segments: Vec<SegmentRecord> = segments
            .map(|record| SegmentRecord {
                documents: u32_at(record, 0),
                checksum: u32_at(record, 4),
            })
            .collect();
        let (files, documents) = (u32_at(&head, 20) as usize, u32_at(&head, 24) as usize);
        let mut totals = Totals { documents: documents as u64, ..Totals::default() };
        for (field, words) in totals.words.iter_mut().enumerate() {
            *words = u64_at(&head, 36 + field * 8);
        }
        let table = Files {
            files,
            documents,
            lines_left: u64_at(&head, 28),
            totals,
            segments,
            path_ends: container.section(section::PATH_ENDS)?,
            paths: container.section(section::PATHS)?,
            hashes: container.section(section::HASHES)?,
            first: container.section(section::FIRST)?,
            lines: container.section(section::LINES)?,
            lengths: container.section(section::LENGTHS)?,
            owners: OnceLock::new(),
            container,
        };
        let in_segments: u64 = table.segments.iter().map(|s| u64::from(s.documents)).sum();
        let fits = in_segments == documents as u64
            && table.path_ends.len() == files * 4
            && table.hashes.len() == files * 16
            && table.first.len() == (files + 1) * 4
            && table.lines.len() == documents * 2
            && table.lengths.len() == documents * FIELDS;
        if fits {
            Ok(table)
        } else {
            Err(table.container.corrupt("table of the text index does not match its head"))
        }
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.files
    }

    /// Returns true if there are no files.
    pub fn is_empty(&self) -> bool {
        self.files == 0
    }

    /// Returns the number of documents.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Returns the number of lines that are in no chunk, because their file has too many chunks.
    pub fn lines_left(&self) -> u64 {
        self.lines_left
    }

    /// Returns the statistics of all documents.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    pub(super) fn segments(&self) -> &[SegmentRecord] {
        &self.segments
    }

    pub(super) fn container(&self) -> &Container {
        &self.container
    }

    /// Returns the path of file number `place`. O(1).
    pub fn path(&self, place: usize) -> Result<&[u8]> {
        let ends = self.container.bytes(self.path_ends)?;
        let end = |place: usize| {
            let at = place.checked_mul(4)?;
            ends.get(at..at + 4).map(|bytes| u32_at(bytes, 0) as usize)
        };
        let start = if place == 0 { Some(0) } else { end(place - 1) };
        let len = start.zip(end(place));
        let range = len.and_then(|(start, end)| self.paths.slice(start, end.checked_sub(start)?));
        self.container.bytes(range.ok_or_else(|| self.missing())?)
    }

    /// Returns the content hash with which file number `place` was indexed. O(1).
    pub fn hash(&self, place: usize) -> Result<u128> {
        let range =
            self.hashes.slice(place.saturating_mul(16), 16).ok_or_else(|| self.missing())?;
        let bytes = self.container.bytes(range)?;
        Ok(u128::from(u64_at(bytes, 0)) | u128::from(u64_at(bytes, 8)) << 64)
    }

    /// Returns the number of files that sort before `path`, and true if `path` is in the table.
    /// O(log files).
    pub fn find(&self, path: &[u8]) -> Result<(usize, bool)> {
        let (mut low, mut high) = (0, self.files);
        while low < high {
            let middle = low + (high - low) / 2;
            match crate::base::path::compare(self.path(middle)?, path) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Ok((middle, true)),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok((low, false))
    }

    /// Returns a checked view of the documents. O(documents) the first time.
    pub(super) fn view(&self) -> Result<Documents<'_>> {
        let first = self.container.bytes(self.first)?;
        let owners = self.owners.get_or_init(|| {
            let mut owners = vec![0; self.documents];
            let mut done = 0;
            for file in 0..self.files {
                let at = |place: usize| (u32_at(first, place * 4) as usize).min(self.documents);
                let (start, end) = (at(file), at(file + 1));
                owners[start.max(done).min(end)..end].fill(file as u32);
                done = done.max(end);
            }
            owners
        });
        Ok(Documents {
            owners,
            first,
            lines: self.container.bytes(self.lines)?,
            lengths: self.container.bytes(self.lengths)?,
            files: self.files,
            documents: self.documents,
        })
    }

    fn missing(&self) -> Error {
        self.container.corrupt("table of the text index has no such file")
    }
}

/// The documents of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Documents<'a> {
    /// The file of each document.
    owners: &'a [u32],
    first: &'a [u8],
    lines: &'a [u8],
    lengths: &'a [u8],
    files: usize,
    documents: usize,
}

impl<'a> Documents<'a> {
    /// Returns the documents of file number `place`, or an empty range if it does not exist.
    pub(super) fn of(&self, place: usize) -> Range<usize> {
        if place >= self.files {
            return 0..0;
        }
        let at = |place: usize| (u32_at(self.first, place * 4) as usize).min(self.documents);
        at(place)..at(place + 1)
    }

    /// Returns the file of `document`. O(1).
    pub(super) fn file_of(&self, document: usize) -> usize {
        self.owners.get(document).map_or(0, |&file| file as usize)
    }

    /// Returns the files of `documents`, or as many as there are. O(1).
    pub(super) fn owners(&self, documents: Range<usize>) -> &'a [u32] {
        let end = documents.end.min(self.owners.len());
        self.owners.get(documents.start..end).unwrap_or_default()
    }

    /// Returns the lines, from 1, of chunk number `ordinal` of the file with these `documents`.
    pub(super) fn lines(&self, documents: Range<usize>, ordinal: usize) -> Range<usize> {
        let lines = |document: usize| usize::from(u16_at(self.lines, document * 2));
        let at = documents.start + ordinal;
        let start = 1 + (documents.start..at).map(lines).sum::<usize>();
        start..start + lines(at)
    }

    /// Returns the length of a field of `document`.
    pub(super) fn length(&self, document: usize, field: usize) -> Length {
        Length(self.lengths.get(document * FIELDS + field).copied().unwrap_or_default())
    }

    /// Returns the field lengths of `document`.
    pub(super) fn lengths(&self, document: usize) -> Lengths {
        std::array::from_fn(|field| self.length(document, field))
    }
}
