//! Other platforms (Windows): the standard library's metadata, by path.

mod writing;

use std::ffi::CStr;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::base::path;
use crate::source::stamp::{EntryKind, Stamp};

pub(in crate::source) use writing::{Lock, keep};

/// Returns the stamp in `metadata`. There is no change time; the creation time replaces the inode.
pub(in crate::source) fn stamp(metadata: &Metadata) -> Stamp {
    let nanoseconds = |time: io::Result<SystemTime>| {
        time.ok()
            .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok())
            .map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
    };
    Stamp {
        size: metadata.len(),
        mtime_ns: nanoseconds(metadata.modified()),
        ctime_ns: 0,
        inode: nanoseconds(metadata.created()) as u64,
    }
}

/// Returns true for the error of taking a lock on a file system that has none.
pub(crate) fn lacks_locks(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported
}

/// Returns false: the standard library does not report the number of names. There is no watcher
/// here, so each search checks the metadata of every file.
pub(in crate::source) fn has_other_names(_: &Metadata) -> bool {
    false
}

/// A directory whose entries are inspected.
pub struct DirHandle(PathBuf);

impl DirHandle {
    /// Creates a handle for the directory at `path`.
    pub fn open(path: &Path) -> io::Result<DirHandle> {
        Ok(DirHandle(path.to_path_buf()))
    }

    /// Creates a handle for the directory `path` below this one; a symbolic link in its place is an
    /// error.
    pub fn open_below(&self, path: &CStr) -> io::Result<DirHandle> {
        let below = self.0.join(path::to_path(path.to_bytes()));
        if !below.symlink_metadata()?.is_dir() {
            return Err(io::Error::from(io::ErrorKind::NotADirectory));
        }
        Ok(DirHandle(below))
    }

    /// Returns the directory's own stamp.
    pub fn stamp(&self) -> io::Result<Stamp> {
        Ok(stamp(&self.0.symlink_metadata()?))
    }

    /// Returns kind and metadata of the entry `name`; for a symbolic link its own.
    pub fn stat(&self, name: &CStr) -> io::Result<(EntryKind, Stamp)> {
        let metadata = self.0.join(path::to_path(name.to_bytes())).symlink_metadata()?;
        let kind = match metadata.file_type() {
            kind if kind.is_file() => EntryKind::File,
            kind if kind.is_dir() => EntryKind::Dir,
            _ => EntryKind::Other,
        };
        Ok((kind, stamp(&metadata)))
    }
}

/// Opens a file for reading.
pub(in crate::source) fn open_without_waiting(path: &Path) -> io::Result<std::fs::File> {
    std::fs::File::open(path)
}

/// Returns `None`: no call opens a path without following links.
pub(in crate::source) fn open_without_links(_: &Path) -> Option<io::Result<std::fs::File>> {
    None
}
