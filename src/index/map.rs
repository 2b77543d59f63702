//! A read-only memory map of an immutable index file.
//!
//! The map is sound as long as nobody truncates the file. codedb only creates, reads and unlinks
//! index files. [`Map::still_holds`] detects truncation by a third party before bytes are first
//! accessed. On network file systems, where a server may truncate a file at any time, the file is
//! read to the heap instead.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::source::stamp::Stamp;

/// The bytes of an index file, mapped or on the heap.
#[derive(Debug)]
pub struct Map {
    path: PathBuf,
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    Mapped { map: memmap2::Mmap, file: File, opened: Stamp },
    Heap(Vec<u8>),
}

impl Map {
    /// Maps the file at `path`, or reads it to the heap if `on_heap` is set.
    pub fn open(path: &Path, on_heap: bool) -> Result<Map> {
        let io = |error| Error::io(path, error);
        let file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        let (opened, len_bytes) = (Stamp::of(&metadata), metadata.len());
        if on_heap || len_bytes == 0 {
            let bytes = Bytes::Heap(std::fs::read(path).map_err(io)?);
            return Ok(Map { path: path.to_path_buf(), bytes });
        }
        #[expect(
            unsafe_code,
            reason = "mapping a file is inherently unsafe; see the module documentation"
        )]
        // SAFETY: published index files are never written, truncated or replaced in place, and the
        // process keeps the file open, so the mapped pages do not change.
        let map = unsafe { memmap2::Mmap::map(&file) }.map_err(io)?;
        Ok(Map { path: path.to_path_buf(), bytes: Bytes::Mapped { map, file, opened } })
    }

    /// Wraps bytes in memory. `path` is used in errors.
    pub fn in_memory(path: PathBuf, bytes: Vec<u8>) -> Map {
        Map { path, bytes: Bytes::Heap(bytes) }
    }

    /// Returns all bytes. The caller calls [`Map::still_holds`] before it reads bytes for the first
    /// time.
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped { map, .. } => map,
            Bytes::Heap(bytes) => bytes,
        }
    }

    /// Returns the path, for errors.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if the file on disk is still at least as long as the map, so that reading a
    /// page cannot fault.
    pub fn still_holds(&self) -> bool {
        match &self.bytes {
            Bytes::Mapped { map, file, .. } => {
                file.metadata().is_ok_and(|metadata| metadata.len() >= map.len() as u64)
            }
            Bytes::Heap(_) => true,
        }
    }

    /// Returns true if the file's metadata is unchanged since it was mapped, so that blocks checked
    /// since then are still valid. Unlinking the file also changes its metadata.
    pub fn is_untouched(&self) -> bool {
        match &self.bytes {
            Bytes::Mapped { file, opened, .. } => {
                file.metadata().is_ok_and(|metadata| Stamp::of(&metadata) == *opened)
            }
            Bytes::Heap(_) => true,
        }
    }
}
