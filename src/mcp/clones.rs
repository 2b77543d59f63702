//! Clones of remote repositories in the cache: `clones/<hash of the address>/<host>/<path>/`.
//!
//! ```text
//! writing    locked while a process clones or updates
//! used       share-locked by the sessions that use the clone; its modification time is the last use
//! partial-*  a clone in progress or about to be removed, or of a process that was killed
//! ```
//!
//! Limits: 32 clones. Beyond that, the least recently used ones are removed, except those in use.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::{Duration, SystemTime};

use crate::error::{Error, Kind, Result};
use crate::history::git::Remote;
use crate::source::private_dir;
use crate::source::stamp::Stamp;

/// The number of clones that are kept.
const CLONES_MAX: usize = 32;

/// The start of the names of directories that are not a complete clone.
const PARTIAL: &str = "partial-";

/// The interval at which a lock that another process holds is retried.
const PAUSE: Duration = Duration::from_millis(50);

/// The directory of clones.
#[derive(Debug)]
pub(super) struct Clones {
    dir: PathBuf,
    /// Serialises the clones of this process.
    busy: Mutex<()>,
}

/// Prevents the removal of a clone while it exists.
#[derive(Debug)]
pub(super) struct Lease {
    used: File,
}

impl Drop for Lease {
    /// Unlocks explicitly. Closing the file is not enough: a child process that another thread has
    /// just forked keeps a copy of the descriptor until it executes its program.
    fn drop(&mut self) {
        let _ = self.used.unlock();
    }
}

impl Clones {
    /// Returns the clones in the cache directory `cache`; creates nothing.
    pub(super) fn new(cache: &Path) -> Clones {
        Clones { dir: cache.join("clones"), busy: Mutex::new(()) }
    }

    /// Returns true if `folder` is inside one of the clones. Its path must not contain links.
    pub(super) fn hold(&self, folder: &Path) -> bool {
        self.dir.canonicalize().is_ok_and(|dir| folder.starts_with(dir))
    }

    /// Returns the directory of a clone of `remote`: the existing one, updated if `update` is set,
    /// or a new one.
    ///
    /// # Errors
    ///
    /// Those of [`Remote::copy_to`]; [`Kind::Io`] if the cache cannot be written.
    pub(super) fn copy(
        &self,
        remote: &Remote,
        update: bool,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(PathBuf, Lease)> {
        let _busy = loop {
            match self.busy.try_lock() {
                Ok(busy) => break busy,
                Err(TryLockError::Poisoned(busy)) => break PoisonError::into_inner(busy),
                Err(TryLockError::WouldBlock) => pause(is_cancelled)?,
            }
        };
        let hash = xxhash_rust::xxh3::xxh3_64(remote.url().as_bytes());
        let own = self.dir.join(format!("{hash:016x}"));
        let writing = loop {
            private_dir::create(&own, private_dir::INDEX)?;
            match lock_in_place(&own.join("writing")) {
                Ok(Some(writing)) => break writing,
                // Another process writes the clone, or has just removed it.
                Ok(None) => pause(is_cancelled)?,
                Err(error) if error.kind() == Kind::NotFound => pause(is_cancelled)?,
                Err(error) => return Err(error),
            }
        };
        let held = lease(&own)?;
        let place = own.join(remote.folders());
        if !place.is_dir() {
            if let Err(error) = self.make(remote, &own, &place, is_cancelled) {
                // Otherwise the directory of a failed clone would count as a clone.
                drop(held);
                let _ = writing.unlock();
                remove(&own);
                return Err(error);
            }
        } else if update || Remote::is_unfinished(&place) {
            remote.update(&place, is_cancelled)?;
        }
        let _ = writing.unlock();
        self.evict(&own);
        Ok((place, held))
    }

    /// Clones into a temporary directory, and moves the result into its place.
    fn make(
        &self,
        remote: &Remote,
        own: &Path,
        place: &Path,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<()> {
        remove_partial(own);
        let partial = own.join(format!("{PARTIAL}{}", std::process::id()));
        let made = remote.copy_to(&partial, is_cancelled).and_then(|()| {
            let parent = place.parent().unwrap_or(own);
            let moved = fs::create_dir_all(parent).and_then(|()| fs::rename(&partial, place));
            moved.map_err(|error| Error::io(place, error))
        });
        if made.is_err() {
            remove_partial(own);
        }
        made
    }

    /// Removes the least recently used clones beyond the limit; `own` stays.
    fn evict(&self, own: &Path) {
        let mut copies: Vec<(SystemTime, PathBuf)> = folders(&self.dir)
            .into_iter()
            .map(|dir| {
                let used = fs::metadata(dir.join("used")).and_then(|metadata| metadata.modified());
                (used.unwrap_or(SystemTime::UNIX_EPOCH), dir)
            })
            .collect();
        copies.sort();
        let mut left = copies.len();
        for (_, dir) in copies {
            if left <= CLONES_MAX {
                return;
            }
            if dir != own && remove(&dir) {
                left -= 1;
            }
        }
    }
}

/// Removes a clone that is not in use. Returns true if it was removed.
fn remove(dir: &Path) -> bool {
    let lock = |name: &str| lock_in_place(&dir.join(name)).ok().flatten();
    // Both stay locked until the directory is gone.
    let locks = lock("writing").and_then(|writing| Some((writing, lock("used")?)));
    locks.is_some() && put_aside(dir).and_then(|()| fs::remove_dir_all(dir)).is_ok()
}

/// Renames the clone in `dir`, so that it does not look complete if its removal is interrupted.
fn put_aside(dir: &Path) -> std::io::Result<()> {
    let folders = folders(dir).into_iter().filter(|dir| !is_partial(dir));
    for (number, folder) in folders.enumerate() {
        let name = format!("{PARTIAL}removed-{}-{number}", std::process::id());
        fs::rename(folder, dir.join(name))?;
    }
    Ok(())
}

/// Locks the file at `path`, which is created. Returns `None` if another process holds the lock, or
/// removed or replaced the file before it was locked: the lock would not exclude anybody.
fn lock_in_place(path: &Path) -> Result<Option<File>> {
    let file = open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => return Ok(None),
        Err(fs::TryLockError::Error(error)) => return Err(Error::io(path, error)),
    }
    let inode = |metadata: fs::Metadata| Stamp::of(&metadata).inode;
    let is_in_place = match (file.metadata(), fs::metadata(path)) {
        (Ok(locked), Ok(there)) => inode(locked) == inode(there),
        _ => false,
    };
    Ok(is_in_place.then_some(file))
}

fn remove_partial(own: &Path) {
    for dir in folders(own) {
        if is_partial(&dir) {
            // Leftover files do no harm: every process uses a different temporary name.
            let _ = fs::remove_dir_all(&dir);
        }
    }
}

fn is_partial(dir: &Path) -> bool {
    dir.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(PARTIAL))
}

/// Marks a clone as used and returns a lease of it.
fn lease(own: &Path) -> Result<Lease> {
    let path = own.join("used");
    let used = open(&path)?;
    used.lock_shared().map_err(|error| Error::io(&path, error))?;
    // The time affects only the order of removal.
    let _ = used.set_modified(SystemTime::now());
    Ok(Lease { used })
}

fn open(path: &Path) -> Result<File> {
    let file = File::options().create(true).truncate(false).write(true).open(path);
    file.map_err(|error| Error::io(path, error))
}

fn folders(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let is_folder =
        |entry: &fs::DirEntry| entry.file_type().is_ok_and(|file_type| file_type.is_dir());
    entries.filter(is_folder).map(|entry| entry.path()).collect()
}

fn pause(is_cancelled: &dyn Fn() -> bool) -> Result<()> {
    if is_cancelled() {
        return Err(Error::new(Kind::Cancelled, "the call was cancelled"));
    }
    std::thread::sleep(PAUSE);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn repository(dir: &Path) {
        fs::create_dir(dir).expect("a folder");
        fs::write(dir.join("a.rs"), "fn a() {}\n").expect("a file");
        for args in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "one"]] {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(args);
            git.current_dir(dir).env("GIT_CONFIG_NOSYSTEM", "1").env_remove("GIT_DIR");
            assert!(git.output().expect("git runs").status.success(), "{args:?}");
        }
    }

    #[test]
    fn a_repository_is_cloned_once_and_completely_or_not_at_all() {
        let place = tempfile::tempdir().expect("a folder");
        let base = place.path().canonicalize().expect("it is there");
        repository(&base.join("origin"));
        let clones = Clones::new(&base.join("cache"));
        let remote = Remote::local(&base.join("origin"));
        let error = clones.copy(&remote, false, &|| true).expect_err("nobody waits");
        assert_eq!(error.kind(), Kind::Cancelled, "{error}");
        let (folder, lease) = clones.copy(&remote, false, &|| false).expect("it is copied");
        assert!(folder.ends_with("local") && folder.join("a.rs").is_file(), "{}", folder.display());
        assert!(clones.hold(&folder) && !clones.hold(&base.join("origin")));
        let own = folder.parent().expect("a folder");
        assert_eq!(folders(own), std::slice::from_ref(&folder), "nothing partial");
        // An existing clone is used without contacting its repository, which was deleted.
        fs::remove_dir_all(base.join("origin")).expect("it can be removed");
        assert_eq!(clones.copy(&remote, false, &|| false).expect("it is there").0, folder);
        assert!(clones.copy(&remote, true, &|| false).is_err());
        assert!(!remove(own), "somebody holds it");
        drop(lease);
        assert!(remove(own) && !own.exists());
    }

    #[test]
    fn a_clone_whose_removal_was_interrupted_is_made_again() {
        let place = tempfile::tempdir().expect("a folder");
        let base = place.path().canonicalize().expect("it is there");
        repository(&base.join("origin"));
        let clones = Clones::new(&base.join("cache"));
        let remote = Remote::local(&base.join("origin"));
        let (folder, lease) = clones.copy(&remote, false, &|| false).expect("it is copied");
        drop(lease);
        let own = folder.parent().expect("a folder");
        put_aside(own).expect("it is renamed");
        let left = folders(own).pop().expect("it is not removed yet");
        fs::remove_file(left.join("a.rs")).expect("a part of it is removed");
        let (again, _lease) = clones.copy(&remote, false, &|| false).expect("it is copied");
        assert!(again == folder && again.join("a.rs").is_file());
        assert_eq!(folders(own), [folder], "the rest is removed");
    }

    #[test]
    fn a_lock_of_a_removed_clone_excludes_nobody() {
        let place = tempfile::tempdir().expect("a folder");
        let base = place.path().canonicalize().expect("it is there");
        repository(&base.join("origin"));
        let clones = Clones::new(&base.join("cache"));
        let remote = Remote::local(&base.join("origin"));
        let (folder, lease) = clones.copy(&remote, false, &|| false).expect("it is copied");
        drop(lease);
        let own = folder.parent().expect("a folder");
        let lock = || lock_in_place(&own.join("writing")).expect("a file").expect("it is free");
        // Another process removes the clone, while a third one waits for the lock, and a fourth one
        // begins to clone.
        let removing = lock();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| clones.copy(&remote, false, &|| false));
            std::thread::sleep(3 * PAUSE);
            fs::remove_dir_all(own).expect("it can be removed");
            private_dir::create(own, private_dir::INDEX).expect("a folder");
            let cloning = lock();
            drop(removing);
            std::thread::sleep(6 * PAUSE);
            assert!(folders(own).is_empty(), "two processes write the clone");
            drop(cloning);
            let (again, _lease) = waiting.join().expect("it ends").expect("it is copied");
            assert!(again.join("a.rs").is_file());
        });
    }

    #[test]
    fn the_least_recently_used_clones_are_removed() {
        let place = tempfile::tempdir().expect("a folder");
        let clones = Clones::new(place.path());
        let dirs: Vec<PathBuf> =
            (0..CLONES_MAX + 3).map(|n| clones.dir.join(format!("{n:016x}"))).collect();
        for (age, dir) in dirs.iter().enumerate() {
            private_dir::create(dir, private_dir::INDEX).expect("a folder");
            let at = SystemTime::now() - Duration::from_secs(3600 * (age as u64 + 1));
            open(&dir.join("used"))
                .and_then(|used| used.set_modified(at).map_err(|error| Error::io(dir, error)))
                .expect("a time");
        }
        let oldest = dirs.last().expect("there are some");
        let held = open(&oldest.join("used")).expect("a file");
        held.lock_shared().expect("nobody has it");
        clones.evict(&dirs[CLONES_MAX + 1]);
        let gone: Vec<usize> = (0..dirs.len()).filter(|&at| !dirs[at].exists()).collect();
        assert_eq!(gone, [CLONES_MAX - 2, CLONES_MAX - 1, CLONES_MAX]);
    }
}
