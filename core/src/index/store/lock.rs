//! The locks of an index directory: operating-system locks on empty files.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};
use crate::source::lacks_locks;
use crate::source::stamp::Stamp;

/// The roles of processes in an index directory. Each role has a lock, which one process at a time
/// holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LockRole {
    /// Publishes generations of the search index.
    Writer,
    /// Publishes code index, text index and history.
    CodeWriter,
    /// Watches the tree and answers searches.
    Watcher,
}

impl LockRole {
    /// Every role, in the order in which a process takes all locks.
    pub const ALL: [LockRole; 3] = [LockRole::Writer, LockRole::CodeWriter, LockRole::Watcher];

    /// Returns the name of the lock file.
    pub fn file_name(self) -> &'static str {
        match self {
            LockRole::Writer => "lock",
            LockRole::CodeWriter => "code.lock",
            LockRole::Watcher => "watch.lock",
        }
    }

    /// Returns the error message for a lock that another process holds.
    pub(super) fn busy(self) -> &'static str {
        match self {
            LockRole::Writer => "another codedb is writing this index",
            LockRole::CodeWriter => "another codedb is writing the code index",
            LockRole::Watcher => "another codedb is watching this tree",
        }
    }

    fn hint(self) -> &'static str {
        match self {
            LockRole::Writer | LockRole::CodeWriter => {
                "wait for it, or search: searches do not need the lock"
            }
            LockRole::Watcher => "nothing to do: searches use that watcher",
        }
    }
}

/// The held lock of a role. It is released when dropped or when the process ends.
#[derive(Debug)]
pub struct WriterLock {
    file: File,
    path: PathBuf,
}

impl WriterLock {
    /// Takes the lock of `role` in the existing directory `dir`, without waiting.
    pub(super) fn take(dir: &Path, role: LockRole) -> Result<WriterLock> {
        let path = dir.join(role.file_name());
        let busy = || Error::new(Kind::Busy, role.busy()).with_path(&path).with_hint(role.hint());
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| Error::io(&path, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(busy()),
            Err(TryLockError::Error(error)) => return Err(failed(&path, error)),
        }
        // Between opening and locking, another process may have replaced the directory.
        let lock = WriterLock { file, path: path.clone() };
        if lock.is_in_place() { Ok(lock) } else { Err(busy()) }
    }

    /// Checks that the lock is still valid for its directory.
    ///
    /// # Errors
    ///
    /// [`Kind::Busy`] if the directory was removed in the meantime: another process may already
    /// write there with a lock of its own.
    pub fn check(&self) -> Result<()> {
        if self.is_in_place() {
            return Ok(());
        }
        Err(Error::new(Kind::Busy, "the index was removed while it was being written")
            .with_path(&self.path)
            .with_hint("run it again"))
    }

    /// Returns true if the path of the lock still refers to the locked file.
    fn is_in_place(&self) -> bool {
        let inode = |metadata: fs::Metadata| Stamp::of(&metadata).inode;
        match (self.file.metadata(), fs::metadata(&self.path)) {
            (Ok(opened), Ok(there)) => inode(opened) == inode(there),
            _ => false,
        }
    }
}

/// Returns the error for a lock that could not be taken, although no other process holds it.
fn failed(path: &Path, error: io::Error) -> Error {
    if !lacks_locks(&error) {
        return Error::io(path, error);
    }
    let message = format!("no index can be written on this file system: it has no locks ({error})");
    Error::new(Kind::Io, message).with_path(path).with_hint(
        "choose a directory on a local file system with `--index-dir` or CODEDB_INDEX_DIR; without \
         an index, searches read the files of the tree",
    )
}

impl Drop for WriterLock {
    /// Closing the file is not enough: a child process that another thread has just forked keeps
    /// the lock until it executes its program.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Network and user-space file systems can refuse every lock.
    #[test]
    fn a_file_system_without_locks_is_reported_with_the_fix() {
        use rustix::io::Errno;
        for errno in [Errno::NOLCK, Errno::OPNOTSUPP, Errno::NOTSUP, Errno::NOSYS] {
            let error = failed(Path::new("/net/lock"), errno.into());
            let start = "/net/lock: no index can be written on this file system: it has no locks";
            assert!(error.to_string().starts_with(start), "{error}");
            assert!(error.hints()[0].contains("`--index-dir` or CODEDB_INDEX_DIR"), "{error}");
        }
        let other = failed(Path::new("/net/lock"), Errno::IO.into());
        assert!(other.hints().is_empty() && !other.to_string().contains("no locks"), "{other}");
    }
}
