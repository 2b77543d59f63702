//! The lock of the work directory: one run at a time, since two would slow each other down.

use std::fs::{self, File, TryLockError};
use std::path::Path;

/// The held lock. It is released when dropped or when the process ends.
#[derive(Debug)]
pub(crate) struct RunLock(File);

impl RunLock {
    /// Takes the lock of `directory`, which is created, without waiting.
    ///
    /// # Errors
    ///
    /// If another run holds it, or if the file cannot be created.
    pub(crate) fn take(directory: &Path) -> Result<RunLock, String> {
        let fail = |error: std::io::Error| format!("{}: {error}", directory.display());
        fs::create_dir_all(directory).map_err(fail)?;
        let file = File::create(directory.join("lock")).map_err(fail)?;
        match file.try_lock() {
            Ok(()) => Ok(RunLock(file)),
            Err(TryLockError::WouldBlock) => {
                Err("another run is in progress: they would slow each other down".to_owned())
            }
            Err(TryLockError::Error(error)) => Err(fail(error)),
        }
    }
}

impl Drop for RunLock {
    /// Closing the file is not enough: a child process that another thread has just forked keeps
    /// the lock until it executes its program.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}
