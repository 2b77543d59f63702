//! Builds a text index from prepared files in path order. tantivy writes segments one after
//! another, without threads.
//!
//! Memory is bounded by `SEGMENT_HEAP_BYTES` and the files of one segment, about half as much. A
//! caller that prepares files in parallel bounds its own queue.

use std::fs;
use std::path::{Path, PathBuf};

use tantivy::Directory;
use tantivy::SingleSegmentIndexWriter;
use tantivy::TantivyDocument;
use tantivy::directory::{OwnedBytes, RamDirectory};

use super::files::{FilesBuilder, SegmentRecord};
use super::prepare::Prepared;
use super::{Field, directory, schema};
use crate::base::path::compare;
use crate::error::{Error, Kind, Result};
use crate::index::format;
use crate::index::store::WriterLock;

/// Heap size of tantivy's writer at which a segment is closed. Checked between files.
const SEGMENT_HEAP_BYTES: usize = 128 << 20;

/// The memory budget passed to tantivy, which sizes its first table by it.
const TABLE_BYTES: usize = 16 << 20;

/// Suffix of the directory of an incomplete index.
const UNFINISHED: &str = ".new";

/// Builds the text index of one generation. If it is dropped unfinished, it removes its files.
pub struct TextBuilder {
    dir: PathBuf,
    temporary: PathBuf,
    generation: u64,
    files: FilesBuilder,
    segments: Vec<SegmentRecord>,
    open: Option<OpenSegment>,
    last: Option<Vec<u8>>,
    heap_bytes: usize,
}

struct OpenSegment {
    writer: SingleSegmentIndexWriter,
    memory: RamDirectory,
    documents: u32,
}

impl std::fmt::Debug for TextBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextBuilder").field("temporary", &self.temporary).finish_non_exhaustive()
    }
}

impl TextBuilder {
    /// Starts the text index of `generation` in the index directory `dir` and removes the remains
    /// of earlier builders. The caller holds the lock of the code index.
    pub fn new(dir: &Path, generation: u64) -> Result<TextBuilder> {
        // Not `.tmp`: the holder of the search index's lock removes such files.
        let temporary = dir.join(format!("text-{generation}{UNFINISHED}"));
        remove_unfinished(dir);
        fs::create_dir(&temporary).map_err(|error| Error::io(&temporary, error))?;
        Ok(TextBuilder {
            dir: dir.to_path_buf(),
            temporary,
            generation,
            files: FilesBuilder::default(),
            segments: Vec::new(),
            open: None,
            last: None,
            heap_bytes: SEGMENT_HEAP_BYTES,
        })
    }

    /// Closes segments at `bytes` of heap, so that tests have several segments.
    #[cfg(test)]
    pub(super) fn with_heap_bytes(mut self, bytes: usize) -> TextBuilder {
        self.heap_bytes = bytes;
        self
    }

    /// Adds a file, whose path sorts after those added before.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] if it does not; [`Kind::Io`] if a segment cannot be written.
    pub fn add(&mut self, prepared: &Prepared) -> Result<()> {
        if self.last.as_ref().is_some_and(|last| compare(last, &prepared.path).is_ge()) {
            return Err(Error::usage("files of a text index must be added in path order"));
        }
        self.files.add(prepared)?;
        self.last = Some(prepared.path.clone());
        if prepared.chunks.is_empty() {
            return Ok(());
        }
        if self.open.is_none() {
            self.open = Some(OpenSegment::new().map_err(|error| self.temporary_refused(&error))?);
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        let mut result = Ok(());
        for words in &prepared.chunks {
            let mut document = TantivyDocument::new();
            for field in Field::ALL {
                let text = prepared.field(words, field);
                if !text.is_empty() {
                    document.add_text(schema::tantivy_field(field), text);
                }
            }
            open.documents += 1;
            result = result.and(open.writer.add_document(document));
        }
        let is_full = open.writer.mem_usage() >= self.heap_bytes;
        result.map_err(|error| self.temporary_refused(&error))?;
        if is_full {
            self.close_segment()?;
        }
        Ok(())
    }

    /// Publishes the index and removes older ones.
    ///
    /// # Errors
    ///
    /// Those of [`WriterLock::check`]; [`Kind::Io`] if it cannot be written.
    pub fn finish(mut self, lock: &WriterLock) -> Result<()> {
        lock.check()?;
        self.complete()?;
        let files = std::mem::take(&mut self.files);
        files.write(&self.temporary.join("files.idx"), self.generation, &self.segments)?;
        let name = format!("text-{}", self.generation);
        let target = self.dir.join(&name);
        // An index of the same generation exists only if it was found damaged.
        let _ = fs::remove_dir_all(&target);
        fs::rename(&self.temporary, &target).map_err(|error| Error::io(&target, error))?;
        remove_where(&self.dir, |other| other != name);
        Ok(())
    }

    /// Writes the last segment, which is most of the work of [`TextBuilder::finish`]. Nothing is
    /// published yet.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`] if it cannot be written.
    pub fn complete(&mut self) -> Result<()> {
        self.close_segment()
    }

    fn close_segment(&mut self) -> Result<()> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let OpenSegment { writer, memory, documents } = open;
        let index = writer.finalize().map_err(|error| self.temporary_refused(&error))?;
        let managed = index.directory().list_managed_files();
        let mut names: Vec<PathBuf> = managed.into_iter().collect();
        names.retain(|name| memory.exists(name).unwrap_or(false));
        names.sort();
        let path = self.temporary.join(segment_name(self.segments.len()));
        let empty = OpenSegment::store().map_err(|error| self.temporary_refused(&error))?;
        directory::write(&path, &memory, &names, &empty)?;
        let checksum = format::checksum(&path)?;
        self.segments.push(SegmentRecord { documents, checksum });
        Ok(())
    }

    fn temporary_refused(&self, error: &tantivy::TantivyError) -> Error {
        Error::new(Kind::Io, error.to_string()).with_path(&self.temporary)
    }
}

impl OpenSegment {
    fn new() -> tantivy::Result<OpenSegment> {
        let memory = RamDirectory::create();
        let builder = schema::index_builder();
        let writer = builder.single_segment_index_writer(memory.clone(), TABLE_BYTES)?;
        Ok(OpenSegment { writer, memory, documents: 0 })
    }

    /// Returns the stored-documents file of an empty index. tantivy requires the file although
    /// nothing is stored, and would write five bytes per document.
    fn store() -> tantivy::Result<OwnedBytes> {
        let OpenSegment { writer, memory, .. } = OpenSegment::new()?;
        let managed = writer.finalize()?.directory().list_managed_files();
        let store = managed.into_iter().find(|name| directory::is_store(name));
        let bytes = store.map(|name| memory.open_read(&name)).transpose()?;
        Ok(bytes.map(|bytes| bytes.read_bytes()).transpose()?.unwrap_or_else(OwnedBytes::empty))
    }
}

impl Drop for TextBuilder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.temporary);
    }
}

/// Returns the file name of segment number `place`.
pub(super) fn segment_name(place: usize) -> String {
    format!("segment-{place}.idx")
}

/// Removes unfinished text indexes in `dir`. The caller holds the lock of the code index.
pub fn remove_unfinished(dir: &Path) {
    remove_where(dir, |name| name.ends_with(UNFINISHED));
}

/// Removes the text indexes in `dir` for whose names `is_removed` returns true. On Windows, those
/// in use stay until the next cleanup.
fn remove_where(dir: &Path, is_removed: impl Fn(&str) -> bool) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_ours = name.strip_prefix("text-").is_some_and(|rest| {
            rest.trim_end_matches(UNFINISHED).bytes().all(|byte| byte.is_ascii_digit())
        });
        if is_ours && is_removed(&name) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
