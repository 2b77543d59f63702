//! Reads whole files into a buffer that is used again, never waiting on a pipe.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use super::platform;

/// Opens a file for reading; a pipe or device in its place is an error, not a wait.
///
/// # Errors
///
/// Those of opening, and `InvalidInput` if it is no regular file.
pub fn open(path: &Path) -> io::Result<(File, std::fs::Metadata)> {
    of_file(platform::open_without_waiting(path)?)
}

/// Does as [`open`] for the file at `path` below the directory `root`, which is canonical, if no symbolic
/// link is on the way: so it lies there in truth, if `path` is of names alone. `None` where another way may
/// still lead to it.
pub fn open_unlinked(root: &Path, path: &Path) -> Option<(File, std::fs::Metadata)> {
    of_file(platform::open_unlinked(&root.join(path))?).ok()
}

fn of_file(file: File) -> io::Result<(File, std::fs::Metadata)> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((file, metadata))
}

/// Bytes at which reading a file gives up that has none according to its metadata.
const WITHOUT_LENGTH_BYTES_MAX: usize = 64 << 20;

/// A file's bytes, in memory that the next file uses again.
#[derive(Debug, Default)]
pub struct Buffer {
    /// As long as the longest file so far; what lies behind `len` is of earlier ones.
    bytes: Vec<u8>,
    len: usize,
}

impl Buffer {
    /// Returns the bytes of the file that was read last.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Returns the bytes of the file that was read last, and gives the rest of the memory back.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.truncate(self.len);
        self.bytes.shrink_to_fit();
        self.bytes
    }

    /// Reads the bytes `range` of an opened file, or what there is of them. O(range).
    pub fn fill_range(&mut self, file: &mut File, range: Range<u64>) -> io::Result<()> {
        file.seek(SeekFrom::Start(range.start))?;
        self.len = 0;
        match range.end.saturating_sub(range.start) {
            0 => Ok(()),
            len_bytes => self.fill(file, len_bytes),
        }
    }

    /// Reads an opened file that has `len_bytes` according to its metadata, to its end. O(file).
    ///
    /// A file that has grown since is read as long as it was, unless that was empty, since some
    /// file systems tell no lengths; such a file is an error once it has `WITHOUT_LENGTH_BYTES_MAX`.
    pub fn fill(&mut self, file: &mut File, len_bytes: u64) -> io::Result<()> {
        self.len = 0;
        let expected = usize::try_from(len_bytes).unwrap_or(usize::MAX);
        if self.bytes.len() < expected {
            self.bytes.resize(expected, 0);
        }
        while expected == 0 || self.len < expected {
            if expected == 0 && self.len > WITHOUT_LENGTH_BYTES_MAX {
                let message = "a file without a length has too many bytes";
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
            }
            if self.len == self.bytes.len() {
                self.bytes.resize(self.len + (self.len / 2).max(8192), 0);
            }
            let end = if expected == 0 { self.bytes.len() } else { expected };
            match file.read(&mut self.bytes[self.len..end]) {
                Ok(0) => break,
                Ok(count) => self.len += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
