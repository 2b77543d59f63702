//! Reads whole files into a buffer that is used again, never waiting on a pipe.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::platform;
use super::stamp::Stamp;

/// Opens a file for reading; a pipe or device in its place is an error, not a wait.
///
/// # Errors
///
/// Those of opening, and `InvalidInput` if it is no regular file.
pub fn open(path: &Path) -> io::Result<(File, std::fs::Metadata)> {
    let file = platform::open_without_waiting(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((file, metadata))
}

/// Reads the file at `path` into `buffer`, replacing what was there, and returns its stamp from
/// before the first byte was read. O(file).
pub fn read(path: &Path, buffer: &mut Vec<u8>) -> io::Result<Stamp> {
    let (mut file, metadata) = open(path)?;
    read_rest(&mut file, metadata.len(), buffer)?;
    Ok(Stamp::of(&metadata))
}

/// Reads an opened file of about `len_bytes` into `buffer`, replacing what was there.
pub fn read_rest(file: &mut File, len_bytes: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
    let expected = usize::try_from(len_bytes).unwrap_or(usize::MAX);
    // One byte more than expected, so that the end shows in the same call.
    if buffer.len() <= expected {
        buffer.resize(expected.saturating_add(1), 0);
    }
    let mut len = 0;
    loop {
        if len == buffer.len() {
            buffer.resize(len + (len / 2).max(8192), 0);
        }
        match file.read(&mut buffer[len..]) {
            Ok(0) => break,
            Ok(count) => len += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer.truncate(len);
    Ok(())
}
