//! Reads whole files into a reusable buffer, and never blocks on a pipe.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use super::platform;

/// Opens a regular file for reading. A pipe or device in its place is an error and does not block.
/// For paths that the user gave: [`super::beneath`] opens those of a tree that is served to others.
///
/// # Errors
///
/// Errors of opening, and `InvalidInput` if it is not a regular file.
pub fn open(path: &Path) -> io::Result<(File, std::fs::Metadata)> {
    let file = platform::open_without_waiting(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((file, metadata))
}

/// Returns true if the file has several names (hard links), through each of which it can be changed;
/// false where the system does not report their number.
pub fn has_other_names(metadata: &std::fs::Metadata) -> bool {
    platform::has_other_names(metadata)
}

/// Maximum number of bytes read from a file whose metadata reports length 0.
const WITHOUT_LENGTH_BYTES_MAX: usize = 64 << 20;

/// The bytes of one file, in memory that is reused for the next.
#[derive(Debug, Default)]
pub struct Buffer {
    /// As long as the longest file so far; bytes after `len` belong to earlier files.
    bytes: Vec<u8>,
    len: usize,
}

impl Buffer {
    /// Returns the bytes of the last file read.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Returns the bytes of the last file read and frees the rest of the memory.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.truncate(self.len);
        self.bytes.shrink_to_fit();
        self.bytes
    }

    /// Reads the bytes `range` of an open file, or as many of them as exist. O(range).
    pub fn fill_range(&mut self, file: &mut File, range: Range<u64>) -> io::Result<()> {
        file.seek(SeekFrom::Start(range.start))?;
        self.len = 0;
        match range.end.saturating_sub(range.start) {
            0 => Ok(()),
            len_bytes => self.fill(file, len_bytes),
        }
    }

    /// Reads an open file, whose metadata reports `len_bytes`, to its end. O(file).
    ///
    /// A file that has grown since is read up to `len_bytes`. If that is 0 it is read to its end,
    /// since some file systems report no lengths; more than `WITHOUT_LENGTH_BYTES_MAX` are then an
    /// error.
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
