//! Watches the directories of a work tree, and the index directory, as one ordered queue.
//!
//! Limits: a write through a shared memory map is reported when the map is closed. Not reported are
//! changes through another name of a file (hard link), changes by another machine on a network file
//! system, and changes below a mount, except that `mounts` reports a mount itself. Searches check
//! the metadata of files that had several names when they were indexed. A name that is made later
//! is noticed if it is in a watched directory; one that is made elsewhere causes no event. The
//! watcher reports what may have changed, never the present content.
//!
//! On Linux this module reads inotify directly: one watch for each directory, with a mask that
//! excludes opening and reading (which `notify` does not allow, so that a search of a large tree
//! would overflow the queue), and with watches identified by descriptor (by path, a rename at the
//! wrong time silently loses one).

use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

pub use backend::Queue;
pub use mounts::{CHANGE, Mounts};

use crate::error::{Error, Kind, Result};

#[cfg(any(target_os = "linux", target_os = "android"))]
#[path = "watch/inotify.rs"]
mod backend;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
#[path = "watch/notify.rs"]
mod backend;

mod mounts;

/// Prefix of the files with which [`Watcher::touch`] marks the queue.
const COOKIE: &str = "cookie-";

/// The socket in the index directory; without it no client can connect.
pub const SOCKET: &str = "watch.sock";

/// A possible change. Paths are repository paths.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Event {
    /// The content or the metadata of the entry changed.
    Content(Vec<u8>),
    /// The entry was created, removed or replaced: the listing of its directory changed.
    Entry(Vec<u8>),
    /// Anything in the directory or below it may have changed.
    Tree(Vec<u8>),
    /// The mark of this [`Watcher::touch`] was reached.
    Touched(u64),
    /// This generation was published in the index directory.
    Published(u64),
    /// A code index was published there.
    CodePublished,
    /// Events were lost: anything may have changed.
    Lost,
    /// The root, the index directory or the socket was removed or renamed.
    Gone(PathBuf),
}

/// Result of a request to watch a directory.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Watch {
    /// It was already watched under this path.
    Stood,
    /// It is watched from now on; earlier changes are unknown.
    New,
    /// There is no such directory now.
    Absent,
    /// It is the index directory, whose changes are not reported.
    Index,
    /// The system refused: no permission, or a limit is reached.
    Refused,
}

/// The watches of one tree and its index directory.
#[derive(Debug)]
pub struct Watcher {
    root: PathBuf,
    root_identity: (u64, u64),
    index_dir: PathBuf,
    touches: u64,
    backend: backend::Backend,
}

impl Watcher {
    /// Watches only the index directory; the directories of the tree are added with
    /// [`Watcher::watch`].
    ///
    /// # Errors
    ///
    /// [`Kind::Limit`] if the system allows no more watchers; [`Kind::NotFound`] if the root or the
    /// index directory does not exist.
    pub fn new(root: &Path, index_dir: &Path) -> Result<Watcher> {
        let root_identity = identity(root).map_err(|error| Error::io(root, error))?;
        let backend = backend::Backend::new(root, index_dir)?;
        Ok(Watcher {
            root: root.to_path_buf(),
            root_identity,
            index_dir: index_dir.to_path_buf(),
            touches: 0,
            backend,
        })
    }

    /// Returns a descriptor that is readable while [`Watcher::drain`] has events.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.backend.fd()
    }

    /// Returns a second handle of the event queue, on platforms that queue an event before the call
    /// that caused it returns.
    pub fn queue(&self) -> Option<Queue> {
        self.backend.queue()
    }

    /// Watches the directory at a repository path (not what lies below it).
    pub fn watch(&mut self, dir: &[u8]) -> Watch {
        self.backend.watch(&self.root, dir)
    }

    /// Returns true if the directory is watched, as far as events were drained.
    pub fn is_watched(&self, dir: &[u8]) -> bool {
        self.backend.is_watched(dir)
    }

    /// Removes the watches of directories for which `keep` returns false.
    pub fn retain(&mut self, keep: impl FnMut(&[u8]) -> bool) {
        self.backend.retain(keep);
    }

    /// Reports events in order, without blocking. Handles a bounded number of events, so that a
    /// flood does not keep the caller from its other work.
    pub fn drain(&mut self, each: &mut dyn FnMut(Event)) {
        self.backend.drain(each);
    }

    /// Marks the queue: when [`Event::Touched`] with the returned number is drained, everything
    /// that happened before this call has been drained.
    ///
    /// # Errors
    ///
    /// If the index directory cannot be written.
    pub fn touch(&mut self) -> io::Result<u64> {
        self.touches += 1;
        let name = format!("{COOKIE}{}-{}", std::process::id(), self.touches);
        let path = self.index_dir.join(name);
        File::create(&path)?;
        std::fs::remove_file(&path)?;
        Ok(self.touches)
    }

    /// Returns the number of the last mark.
    pub fn touches(&self) -> u64 {
        self.touches
    }

    /// Returns device and inode of the tree's root.
    pub fn root_identity(&self) -> (u64, u64) {
        self.root_identity
    }

    /// Returns true if the root's path still leads to the watched directory; no event reports a
    /// rename of a directory above it. One `stat`.
    pub fn root_holds(&self) -> bool {
        identity(&self.root).is_ok_and(|now| now == self.root_identity)
    }
}

/// Removes the marker files that crashed servers left in the index directory.
pub fn forget_cookies(index_dir: &Path) {
    for entry in std::fs::read_dir(index_dir).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(COOKIE) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Returns device and inode of a directory, which are unique while it exists.
pub fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = std::fs::metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Returns the event for a change of the entry `name` of the index directory; `went` is true if it
/// was removed or renamed.
fn index_event(index_dir: &Path, name: &[u8], went: bool) -> Option<Event> {
    let name = std::str::from_utf8(name).ok()?;
    if name == SOCKET {
        // The kernel reports the removal of the directory late if files in it are mapped.
        return went.then(|| Event::Gone(index_dir.to_path_buf()));
    }
    if let Some(rest) = name.strip_prefix(COOKIE) {
        let (process, number) = rest.split_once('-')?;
        let ours = process.parse() == Ok(std::process::id());
        return ours.then_some(Event::Touched(number.parse().ok()?));
    }
    if name.starts_with("code-") && name.ends_with(".json") {
        return Some(Event::CodePublished);
    }
    let number = name.strip_prefix("gen-")?.strip_suffix(".json")?;
    Some(Event::Published(number.parse().ok()?))
}

fn no_watcher(error: io::Error) -> Error {
    Error::new(Kind::Limit, format!("the system allows no more file watchers: {error}")).with_hint(
        "close other programs that watch files, or raise `fs.inotify.max_user_instances`",
    )
}
