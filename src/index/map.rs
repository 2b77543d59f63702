//! A read-only memory map of an immutable index file.
//!
//! The map is sound as long as nobody truncates the file:
//! index files are only ever created, read and unlinked. A cut by a third party is caught by
//! [`Map::still_holds`] before bytes are first touched; on network file systems, where a server may
//! cut a file at any time, the file is read to the heap instead.

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
    /// Maps the file at `path`, or reads it to the heap if `on_heap`.
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
            reason = "mapping a file is inherently unsafe; see the module's text"
        )]
        // SAFETY: index files are never written to, truncated or renamed over once they are
        // published, and the process holds the file open, so the mapped pages stay as they are.
        let map = unsafe { memmap2::Mmap::map(&file) }.map_err(io)?;
        Ok(Map { path: path.to_path_buf(), bytes: Bytes::Mapped { map, file, opened } })
    }

    /// Wraps bytes that live in anonymous memory; `path` names them in errors.
    pub fn in_memory(path: PathBuf, bytes: Vec<u8>) -> Map {
        Map { path, bytes: Bytes::Heap(bytes) }
    }

    /// Returns all bytes. Touching bytes that were not checked by [`Map::still_holds`] is up to
    /// the caller.
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

    /// Returns true if the file on disk is still as long as the map, so that touching a page of it
    /// cannot fault.
    pub fn still_holds(&self) -> bool {
        match &self.bytes {
            Bytes::Mapped { map, file, .. } => {
                file.metadata().is_ok_and(|metadata| metadata.len() >= map.len() as u64)
            }
            Bytes::Heap(_) => true,
        }
    }

    /// Returns true if nobody did anything to the file on disk since it was mapped, so that blocks which were
    /// checked then are sound still. To unlink it counts as doing something.
    pub fn is_untouched(&self) -> bool {
        match &self.bytes {
            Bytes::Mapped { file, opened, .. } => {
                file.metadata().is_ok_and(|metadata| Stamp::of(&metadata) == *opened)
            }
            Bytes::Heap(_) => true,
        }
    }
}
