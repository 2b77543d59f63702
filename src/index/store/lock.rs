//! The locks of an index directory: the operating system's, on files that hold nothing.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};
use crate::source::stamp::Stamp;

/// Who works in an index directory; there is a lock for each, and one process at a time that has it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Role {
    /// Publishes generations of the search index.
    Writer,
    /// Publishes parts of the code index, and text indexes.
    CodeWriter,
    /// Watches the tree and answers searches.
    Watcher,
}

impl Role {
    /// Every role, in the order in which whoever wants all locks takes them.
    pub const ALL: [Role; 3] = [Role::Writer, Role::CodeWriter, Role::Watcher];

    /// Returns the name of the lock's file.
    pub fn file_name(self) -> &'static str {
        match self {
            Role::Writer => "lock",
            Role::CodeWriter => "code.lock",
            Role::Watcher => "watch.lock",
        }
    }

    /// Returns what another process does that has the lock.
    pub(super) fn busy(self) -> &'static str {
        match self {
            Role::Writer => "another codedb is writing this index",
            Role::CodeWriter => "another codedb is writing symbols and words of this index",
            Role::Watcher => "another codedb is watching for this index",
        }
    }

    fn hint(self) -> &'static str {
        match self {
            Role::Writer | Role::CodeWriter => {
                "wait for it, or search: a search never needs the lock"
            }
            Role::Watcher => "nothing is to be done: searches ask that one",
        }
    }
}

/// The lock of a role; released when dropped or when the process ends.
#[derive(Debug)]
pub struct WriterLock {
    file: File,
    path: PathBuf,
}

impl WriterLock {
    /// Takes the lock of `role` in the directory `dir`, which is there; does not wait.
    pub(super) fn take(dir: &Path, role: Role) -> Result<WriterLock> {
        let path = dir.join(role.file_name());
        let busy = || Error::new(Kind::Busy, role.busy()).with_path(&path).with_hint(role.hint());
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| Error::io(&path, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(busy()),
            Err(TryLockError::Error(error)) => return Err(Error::io(&path, error)),
        }
        // Somebody may have removed the directory between the two, and a third one have made it.
        let lock = WriterLock { file, path: path.clone() };
        if lock.is_in_place() { Ok(lock) } else { Err(busy()) }
    }

    /// Fails unless the lock still stands for its directory.
    ///
    /// # Errors
    ///
    /// [`Kind::Busy`] where somebody removed the directory meanwhile: a third one may write there by
    /// now, with a lock of its own.
    pub fn check(&self) -> Result<()> {
        if self.is_in_place() {
            return Ok(());
        }
        Err(Error::new(Kind::Busy, "the index was removed while it was being written")
            .with_path(&self.path)
            .with_hint("run it again"))
    }

    /// Returns true if the path of the lock still leads to the file that is locked.
    fn is_in_place(&self) -> bool {
        let inode = |metadata: fs::Metadata| Stamp::of(&metadata).inode;
        match (self.file.metadata(), fs::metadata(&self.path)) {
            (Ok(opened), Ok(there)) => inode(opened) == inode(there),
            _ => false,
        }
    }
}

impl Drop for WriterLock {
    /// Closing the file is not enough: a child that another thread has just forked holds it, too,
    /// until it runs its program.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}
