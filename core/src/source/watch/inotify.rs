//! Linux: one inotify watch for each directory, identified by watch descriptor.
//!
//! The kernel assigns one descriptor to a directory, whatever its path, and never reuses it. So a
//! renamed directory keeps its descriptor, and the path stored for it is the last one seen. A
//! rename is reported as [`Event::Tree`] of the old and the new path; the caller then watches the
//! directories below anew.

use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use super::{Event, Watch};
use crate::base::path;
use crate::error::{Error, Result};

/// Maximum number of events per call of [`Backend::drain`].
const TURN: usize = 16_384;

const BUFFER_BYTES: usize = 64 << 10;

/// The kernel's event queue. Linux queues an event before the call that caused it returns.
#[derive(Debug)]
pub struct Queue(OwnedFd);

impl Queue {
    /// Returns true if all events of watched directories before this call were drained.
    pub fn is_empty(&self) -> bool {
        rustix::io::ioctl_fionread(&self.0).is_ok_and(|bytes| bytes == 0)
    }
}

#[derive(Debug)]
pub(super) struct Backend {
    fd: OwnedFd,
    buffer: Vec<MaybeUninit<u8>>,
    known: Known,
}

/// Maps between descriptors and paths. Both maps agree, except for descriptors in `paths` whose
/// path was taken over by another one; those watches are removed at once.
#[derive(Debug)]
struct Known {
    root: PathBuf,
    index_dir: PathBuf,
    index: i32,
    paths: HashMap<i32, Vec<u8>>,
    descriptors: HashMap<Vec<u8>, i32>,
}

impl Backend {
    pub(super) fn new(root: &Path, index_dir: &Path) -> Result<Backend> {
        let fd = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)
            .map_err(|error| super::no_watcher(error.into()))?;
        let index = inotify::add_watch(&fd, index_dir, mask()).map_err(|error| match error {
            Errno::NOSPC | Errno::NOMEM => super::no_watcher(error.into()),
            _ => Error::io(index_dir, error.into()),
        })?;
        let known = Known {
            root: root.to_path_buf(),
            index_dir: index_dir.to_path_buf(),
            index,
            paths: HashMap::new(),
            descriptors: HashMap::new(),
        };
        Ok(Backend { fd, buffer: vec![MaybeUninit::uninit(); BUFFER_BYTES], known })
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    pub(super) fn queue(&self) -> Option<Queue> {
        self.fd.try_clone().ok().map(Queue)
    }

    pub(super) fn watch(&mut self, root: &Path, dir: &[u8]) -> Watch {
        let absolute = root.join(path::to_path(dir));
        let descriptor = match inotify::add_watch(&self.fd, &absolute, mask()) {
            Ok(descriptor) => descriptor,
            Err(error) => {
                self.end(dir);
                return match error {
                    Errno::NOENT | Errno::NOTDIR => Watch::Absent,
                    _ => Watch::Refused,
                };
            }
        };
        if descriptor == self.known.index {
            return Watch::Index;
        }
        let known = &mut self.known;
        if known.paths.get(&descriptor).is_some_and(|path| path == dir) {
            return Watch::Stood;
        }
        // A directory that is mounted in two places has one watch, which reports only one path.
        if known.paths.get(&descriptor).is_some_and(|other| is_same(root, other, dir)) {
            self.end(dir);
            return Watch::Refused;
        }
        self.end(dir);
        let known = &mut self.known;
        // It was watched under another path before.
        if let Some(old) = known.paths.insert(descriptor, dir.to_vec()) {
            known.descriptors.remove(&old);
        }
        known.descriptors.insert(dir.to_vec(), descriptor);
        Watch::New
    }

    pub(super) fn is_watched(&self, dir: &[u8]) -> bool {
        self.known.descriptors.contains_key(dir)
    }

    pub(super) fn retain(&mut self, mut keep: impl FnMut(&[u8]) -> bool) {
        let Known { paths, descriptors, .. } = &mut self.known;
        descriptors.retain(|path, descriptor| {
            let kept = keep(path);
            if !kept {
                paths.remove(descriptor);
                // Fails if the directory was removed, which removes the watch too.
                let _ = inotify::remove_watch(&self.fd, *descriptor);
            }
            kept
        });
    }

    pub(super) fn drain(&mut self, each: &mut dyn FnMut(Event)) {
        let Backend { fd, buffer, known } = self;
        let mut reader = Reader::new(&*fd, buffer);
        let mut count = 0;
        while count < TURN || !reader.is_buffer_empty() {
            match reader.next() {
                Ok(event) => known.translate(fd, &event, each),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => return each(Event::Lost),
            }
            count += 1;
        }
    }

    /// Removes the watch stored for `dir`, if any.
    fn end(&mut self, dir: &[u8]) {
        if let Some(descriptor) = self.known.descriptors.remove(dir) {
            self.known.paths.remove(&descriptor);
            let _ = inotify::remove_watch(&self.fd, descriptor);
        }
    }
}

impl Known {
    fn translate(&mut self, fd: &OwnedFd, event: &inotify::Event<'_>, each: &mut dyn FnMut(Event)) {
        let flags = event.events();
        if flags.intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT) {
            return each(Event::Lost);
        }
        let ended = ReadFlags::IGNORED | ReadFlags::MOVE_SELF | ReadFlags::DELETE_SELF;
        if event.wd() == self.index {
            match event.file_name() {
                Some(name) => {
                    let went = flags.intersects(ReadFlags::DELETE | ReadFlags::MOVED_FROM);
                    let said = super::index_event(&self.index_dir, name.to_bytes(), went);
                    said.into_iter().for_each(each);
                }
                None if flags.intersects(ended) => each(Event::Gone(self.index_dir.clone())),
                None => {}
            }
            return;
        }
        // A removed watch may still have events in the queue.
        let Some(dir) = self.paths.get(&event.wd()) else { return };
        let Some(name) = event.file_name() else {
            if flags.intersects(ended) && dir.is_empty() {
                return each(Event::Gone(self.root.clone()));
            }
            each(Event::Tree(dir.clone()));
            if flags.intersects(ended) {
                let dir = self.paths.remove(&event.wd()).unwrap_or_default();
                self.descriptors.remove(&dir);
                let _ = inotify::remove_watch(fd, event.wd());
            }
            return;
        };
        let entry = path::join(dir, name.to_bytes());
        let came_or_went =
            ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
        if flags.contains(ReadFlags::ISDIR) {
            each(Event::Tree(entry.clone()));
        }
        if flags.intersects(came_or_went) {
            each(Event::Entry(entry));
        } else if !flags.contains(ReadFlags::ISDIR) {
            each(Event::Content(entry));
        }
    }
}

/// Returns true if two paths lead to the same directory now.
fn is_same(root: &Path, a: &[u8], b: &[u8]) -> bool {
    let identity = |dir: &[u8]| super::identity(&root.join(path::to_path(dir)));
    matches!((identity(a), identity(b)), (Ok(a), Ok(b)) if a == b)
}

/// All events that change something. Opening and reading are excluded: a search opens every file.
fn mask() -> WatchFlags {
    WatchFlags::ATTRIB
        | WatchFlags::CLOSE_WRITE
        | WatchFlags::CREATE
        | WatchFlags::DELETE
        | WatchFlags::DELETE_SELF
        | WatchFlags::MODIFY
        | WatchFlags::MOVE
        | WatchFlags::MOVE_SELF
        | WatchFlags::DONT_FOLLOW
        | WatchFlags::ONLYDIR
}
