//! Creates, replaces and removes entries of a directory, by path.

use std::ffi::CStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::DirHandle;
use crate::base::path;

/// How long a rename is tried again while another process has the target open.
const RENAME_PATIENCE: Duration = Duration::from_secs(1);

/// Pause between two tries.
const RENAME_PAUSE: Duration = Duration::from_millis(10);

/// Allows one writer of this process at a time. Writers of other processes are detected by what
/// they wrote.
static WRITER: Mutex<()> = Mutex::new(());

/// Locks a directory for one writer until dropped.
#[derive(Debug)]
pub(in crate::source) struct Lock {
    _guard: MutexGuard<'static, ()>,
}

impl DirHandle {
    fn path(&self, name: &CStr) -> PathBuf {
        self.0.join(path::to_path(name.to_bytes()))
    }

    /// Returns the target of the symbolic link `name`, or `None` if it is not a link.
    pub(in crate::source) fn link(&self, name: &CStr) -> io::Result<Option<PathBuf>> {
        let path = self.path(name);
        if path.symlink_metadata()?.is_symlink() { fs::read_link(path).map(Some) } else { Ok(None) }
    }

    /// Opens the file `name` for reading.
    pub(in crate::source) fn open_file(&self, name: &CStr) -> io::Result<File> {
        File::open(self.path(name))
    }

    /// Returns true if the existing file `name` may be written.
    pub(in crate::source) fn is_writable(&self, name: &CStr) -> bool {
        OpenOptions::new().write(true).open(self.path(name)).is_ok()
    }

    /// Creates the directory `name`.
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
        let (from, to) = (self.path(from), self.path(to));
        let until = Instant::now() + RENAME_PATIENCE;
        loop {
            match fs::rename(&from, &to) {
                // Another process, such as a virus scanner, has the file open without sharing it.
                Err(error)
                    if error.kind() == io::ErrorKind::PermissionDenied
                        && Instant::now() < until =>
                {
                    std::thread::sleep(RENAME_PAUSE);
                }
                result => return result,
            }
        }
    }

    /// Renames the file `from` to `to`; fails with `AlreadyExists` if `to` exists.
    pub(in crate::source) fn put(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        match fs::hard_link(self.path(from), self.path(to)) {
            // The file is in place, even if its other name cannot be removed.
            Ok(()) => {
                let _ = self.remove(from);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // A file system without hard links, such as FAT: not atomic there.
            Err(error) => match self.path(to).symlink_metadata() {
                Err(absent) if absent.kind() == io::ErrorKind::NotFound => self.rename(from, to),
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                Err(_) => Err(error),
            },
        }
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

    /// Waits until no other writer of this process holds the lock.
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
