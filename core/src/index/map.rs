//! A read-only memory map of an immutable index file.
//!
//! The map is sound as long as nobody truncates the file. codedb only creates, reads and unlinks
//! index files. [`Map::still_holds`] detects truncation by a third party before bytes are first
//! accessed, [`Map::is_untouched`] any write before a later call relies on checked bytes. What
//! remains is a truncation between such a check and the access, which ends the process with a bus
//! error (ARCHITECTURE.md, "Damage"). Small files, and all files on network file systems, where a server may
//! truncate a file at any time, are read to the heap instead.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};
use crate::source::read;
use crate::source::stamp::Stamp;

/// Files up to this size are read to the heap, which takes no longer than mapping them.
const HEAP_BYTES_MAX: u64 = 64 << 10;

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
    /// Maps the file at `path`, or reads it to the heap if it is small or `on_heap` is set.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if it is a directory or another special file; those of opening it.
    pub fn open(path: &Path, on_heap: bool) -> Result<Map> {
        let io = |error| Error::io(path, error);
        let (mut file, metadata) = match read::open(path) {
            Err(error) if error.kind() == ErrorKind::InvalidInput => {
                return Err(Error::corrupt(path, "index file is not a regular file"));
            }
            opened => opened.map_err(io)?,
        };
        let (opened, len_bytes) = (Stamp::of(&metadata), metadata.len());
        if on_heap || len_bytes <= HEAP_BYTES_MAX {
            let mut bytes = Vec::with_capacity(len_bytes as usize);
            file.by_ref().take(len_bytes).read_to_end(&mut bytes).map_err(io)?;
            return Ok(Map { path: path.to_path_buf(), bytes: Bytes::Heap(bytes) });
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

    /// Reads the small file at `path`, such as a manifest. `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// As [`Map::open`].
    pub fn read(path: &Path) -> Result<Option<Vec<u8>>> {
        match Map::open(path, true) {
            Ok(map) => Ok(Some(match map.bytes {
                Bytes::Heap(bytes) => bytes,
                Bytes::Mapped { map, .. } => map.to_vec(),
            })),
            Err(error) if error.kind() == Kind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
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

    /// Returns true if the file is unchanged since it was mapped, so that blocks checked since then
    /// are still valid. Costs one `fstat`.
    pub fn is_untouched(&self) -> bool {
        let Bytes::Mapped { file, opened, .. } = &self.bytes else { return true };
        file.metadata().is_ok_and(|metadata| {
            let now = Stamp::of(&metadata);
            // Unlinking sets the change time, too. Nobody can open the file by its path after that.
            let unlinked = Stamp { ctime_ns: opened.ctime_ns, ..now };
            now == *opened || is_unlinked(&metadata) && unlinked == *opened
        })
    }
}

#[cfg(unix)]
fn is_unlinked(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) == 0
}

#[cfg(not(unix))]
fn is_unlinked(_: &Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::FileExt;
    use std::time::Duration;

    use super::*;

    #[test]
    fn writes_are_noticed_and_unlinking_is_not_a_write() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("x.idx");
        let write = || std::fs::write(&path, vec![7; 100_000]).expect("a file can be written");
        write();
        let map = Map::open(&path, false).expect("a file");
        assert!(map.is_untouched());
        let file = File::options().write(true).open(&path).expect("a file");
        // Within the same tick of the clock, a write leaves the same metadata.
        std::thread::sleep(Duration::from_millis(20));
        file.write_all_at(b"x", 5000).expect("a file can be written");
        assert!(!map.is_untouched(), "a byte");
        let map = Map::open(&path, false).expect("a file");
        file.set_len(90_000).expect("a file can be cut");
        assert!(!map.is_untouched() && !map.still_holds(), "a truncation");
        std::fs::remove_file(&path).expect("a file can be removed");
        write();
        let map = Map::open(&path, false).expect("a file");
        std::fs::remove_file(&path).expect("a file can be removed");
        assert!(map.is_untouched(), "an unlinked file");
    }

    #[test]
    fn a_small_file_is_read_once() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("x.idx");
        std::fs::write(&path, b"some bytes").expect("a file can be written");
        let map = Map::open(&path, false).expect("a file");
        std::fs::write(&path, b"").expect("a file can be cut");
        assert_eq!(map.bytes(), b"some bytes");
        assert!(map.is_untouched());
        let error = Map::open(dir.path(), false).expect_err("a directory");
        assert_eq!(error.kind(), Kind::Corrupt, "{error}");
    }
}
