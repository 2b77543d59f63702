//! Watches the directories of a work tree, and the index directory, as one ordered queue.
//!
//! Limits: a store through a shared memory map shows when the map is closed, a change through a hard
//! link outside of the tree not at all, nor one that another machine makes on a network file
//! system, nor what a mount covers. The watcher says what may have changed, never what it is now.
//!
//! Linux reads inotify itself: one watch for each directory, with a mask that leaves out opening
//! and reading (which `notify` cannot, so that a search of a large tree would overflow the queue),
//! and with watches kept by descriptor (by path, a rename at the wrong moment loses one silently).
//! Elsewhere the `notify` crate watches the whole root.

use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

pub use backend::Queue;

use crate::error::{Error, Kind, Result};

#[cfg(any(target_os = "linux", target_os = "android"))]
#[path = "watch/inotify.rs"]
mod backend;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
#[path = "watch/notify.rs"]
mod backend;

/// How the names of the files start with which [`Watcher::touch`] marks the queue.
const COOKIE: &str = "cookie-";

/// The socket in the index directory: once it is gone, nobody can ask any more.
pub const SOCKET: &str = "watch.sock";

/// Something that may have happened. Paths are repository paths.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Event {
    /// The content or the metadata of the entry changed.
    Content(Vec<u8>),
    /// The entry came, went or was replaced: its directory has another list.
    Entry(Vec<u8>),
    /// Anything may have changed in the directory and below it.
    Tree(Vec<u8>),
    /// The mark of this [`Watcher::touch`] was reached.
    Touched(u64),
    /// This generation was published in the index directory.
    Published(u64),
    /// A code index was published there.
    CodePublished,
    /// Events were lost: anything may have changed.
    Lost,
    /// The root itself, or the index directory or the socket in it, was removed or renamed.
    Gone(PathBuf),
}

/// What became of a wish to watch a directory.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Watch {
    /// It was watched all the time under this path.
    Stood,
    /// It is watched from now on; what happened before is unknown.
    New,
    /// There is no such directory now.
    Absent,
    /// It is the index directory, whose own changes are not reported.
    Index,
    /// The system refused: no permission, or a limit was reached.
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
    /// Watches the index directory alone; the tree's directories come with [`Watcher::watch`].
    ///
    /// # Errors
    ///
    /// [`Kind::Limit`] where the system grants no more watchers; [`Kind::NotFound`] without root
    /// or index directory.
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

    /// Returns a descriptor that is readable while [`Watcher::drain`] has something to tell.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.backend.fd()
    }

    /// Returns its queue seen from beside, where events are in it before what they tell of is over.
    pub fn queue(&self) -> Option<Queue> {
        self.backend.queue()
    }

    /// Watches the directory at a repository path (not what lies below it).
    pub fn watch(&mut self, dir: &[u8]) -> Watch {
        self.backend.watch(&self.root, dir)
    }

    /// Returns true if there is a watch for the directory, as far as events were drained.
    pub fn is_watched(&self, dir: &[u8]) -> bool {
        self.backend.is_watched(dir)
    }

    /// Ends the watches of the directories that `keep` does not want.
    pub fn retain(&mut self, keep: impl FnMut(&[u8]) -> bool) {
        self.backend.retain(keep);
    }

    /// Hands over what happened, in its order, without waiting. A bounded number of events, so
    /// that a flood does not keep the caller from its other work.
    pub fn drain(&mut self, each: &mut dyn FnMut(Event)) {
        self.backend.drain(each);
    }

    /// Marks the queue: once [`Event::Touched`] with the returned number comes out, so has
    /// everything that happened before this call.
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

    /// Returns true if the root's path still leads to the directory that is watched; a rename of
    /// a directory above it shows nowhere else. One `stat`.
    pub fn root_holds(&self) -> bool {
        identity(&self.root).is_ok_and(|now| now == self.root_identity)
    }
}

/// Removes the marks that servers left in the index directory when they died.
pub fn forget_cookies(index_dir: &Path) {
    for entry in std::fs::read_dir(index_dir).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(COOKIE) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Returns device and inode of a directory: no other one has the same at the same time.
pub fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = std::fs::metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Returns what an event about the entry `name` of the index directory says; `went` if it was
/// removed or renamed.
fn index_event(index_dir: &Path, name: &[u8], went: bool) -> Option<Event> {
    let name = std::str::from_utf8(name).ok()?;
    if name == SOCKET {
        // The directory's own end is told late, if there are maps of what was in it.
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
    Error::new(Kind::Limit, format!("the system grants no watcher: {error}"))
        .with_hint("end other programs that watch files, or raise `fs.inotify.max_user_instances`")
}
