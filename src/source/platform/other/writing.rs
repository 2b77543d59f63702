//! Entries of a directory made, replaced and removed, by path.

use std::ffi::CStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::DirHandle;
use crate::base::path;

/// One writer of this process at a time; others are told apart by what they wrote.
static WRITER: Mutex<()> = Mutex::new(());

/// Holds a directory for one writer, until it is dropped.
#[derive(Debug)]
pub(in crate::source) struct Lock {
    _guard: MutexGuard<'static, ()>,
}

impl DirHandle {
    fn path(&self, name: &CStr) -> PathBuf {
        self.0.join(path::to_path(name.to_bytes()))
    }

    /// Returns where the symbolic link `name` leads; `None` where that is no link.
    pub(in crate::source) fn link(&self, name: &CStr) -> io::Result<Option<PathBuf>> {
        let path = self.path(name);
        match path.symlink_metadata()?.is_symlink() {
            true => fs::read_link(path).map(Some),
            false => Ok(None),
        }
    }

    /// Opens the file `name` for reading.
    pub(in crate::source) fn open_file(&self, name: &CStr) -> io::Result<File> {
        File::open(self.path(name))
    }

    /// Returns true if the file `name` may be written as it is.
    pub(in crate::source) fn is_writable(&self, name: &CStr) -> bool {
        OpenOptions::new().write(true).open(self.path(name)).is_ok()
    }

    /// Makes the directory `name`.
    pub(in crate::source) fn make(&self, name: &CStr) -> io::Result<()> {
        fs::create_dir(self.path(name))
    }

    /// Makes the file `name`.
    pub(in crate::source) fn create(&self, name: &CStr) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(self.path(name))
    }

    /// Makes the file `name`.
    pub(in crate::source) fn create_private(&self, name: &CStr) -> io::Result<File> {
        self.create(name)
    }

    /// Renames `from` to `to`, in the place of what is there.
    pub(in crate::source) fn rename(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        fs::rename(self.path(from), self.path(to))
    }

    /// Renames the file `from` to `to` where nothing is; `AlreadyExists` where something is.
    pub(in crate::source) fn put(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        fs::hard_link(self.path(from), self.path(to))?;
        self.remove(from)
    }

    /// Removes the file `name`.
    pub(in crate::source) fn remove(&self, name: &CStr) -> io::Result<()> {
        fs::remove_file(self.path(name))
    }

    /// Removes the directory `name`, which is empty.
    pub(in crate::source) fn remove_dir(&self, name: &CStr) -> io::Result<()> {
        fs::remove_dir(self.path(name))
    }

    /// Returns true if `other` is this directory.
    pub(in crate::source) fn is_same(&self, other: &DirHandle) -> io::Result<bool> {
        Ok(self.0.canonicalize()? == other.0.canonicalize()?)
    }

    /// Waits until no other writer of this process is at work.
    pub(in crate::source) fn lock(&self) -> io::Result<Lock> {
        Ok(Lock { _guard: WRITER.lock().unwrap_or_else(PoisonError::into_inner) })
    }
}

/// Gives `file` the permissions of the file `like`.
///
/// # Errors
///
/// If they cannot be set.
pub(in crate::source) fn keep(file: &File, like: &File) -> io::Result<()> {
    file.set_permissions(like.metadata()?.permissions())
}
