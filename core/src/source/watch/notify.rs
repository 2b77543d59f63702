//! Other platforms: the `notify` crate, which watches the whole root from the start.
//!
//! It also reports excluded entries, and is less exact: an event that is not certainly a change of
//! a file's content is reported as a change of anything below that path.

use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};

use notify::event::ModifyKind;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::{Event, Watch};
use crate::base::path;
use crate::error::{Error, Kind, Result};

/// Maximum number of events per call of [`Backend::drain`].
const TURN: usize = 16_384;

/// Never constructed: on these platforms events arrive after the calls that caused them.
#[derive(Debug)]
pub enum Queue {}

impl Queue {
    /// Returns whether all events were drained.
    pub fn is_empty(&self) -> bool {
        match *self {}
    }
}

#[derive(Debug)]
pub(super) struct Backend {
    root: PathBuf,
    index_dir: PathBuf,
    events: Receiver<notify::Result<notify::Event>>,
    wake: UnixStream,
    _watcher: RecommendedWatcher,
}

impl Backend {
    pub(super) fn new(root: &Path, index_dir: &Path) -> Result<Backend> {
        let root = root.canonicalize().map_err(|error| Error::io(root, error))?;
        let index_dir = index_dir.canonicalize().map_err(|error| Error::io(index_dir, error))?;
        let (sender, events) = mpsc::channel();
        let (mut waker, wake) = UnixStream::pair().map_err(super::no_watcher)?;
        for end in [&waker, &wake] {
            end.set_nonblocking(true).map_err(super::no_watcher)?;
        }
        let tell = move |event| {
            // A full pipe wakes the reader as well as one more byte would.
            if sender.send(event).is_ok() {
                let _ = waker.write(&[1]);
            }
        };
        let refused = |error: notify::Error| Error::new(Kind::Limit, error.to_string());
        let mut watcher = notify::recommended_watcher(tell).map_err(refused)?;
        watcher.watch(&root, RecursiveMode::Recursive).map_err(refused)?;
        if !index_dir.starts_with(&root) {
            watcher.watch(&index_dir, RecursiveMode::NonRecursive).map_err(refused)?;
        }
        Ok(Backend { root, index_dir, events, wake, _watcher: watcher })
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }

    pub(super) fn queue(&self) -> Option<Queue> {
        None
    }

    pub(super) fn watch(&mut self, root: &Path, dir: &[u8]) -> Watch {
        if self.index_dir == root.join(path::to_path(dir)) { Watch::Index } else { Watch::Stood }
    }

    pub(super) fn is_watched(&self, dir: &[u8]) -> bool {
        self.index_dir != self.root.join(path::to_path(dir))
    }

    pub(super) fn retain(&mut self, _keep: impl FnMut(&[u8]) -> bool) {}

    pub(super) fn drain(&mut self, each: &mut dyn FnMut(Event)) {
        // Bytes first, then events: an event that arrives in between leaves a byte.
        while matches!((&self.wake).read(&mut [0; 4096]), Ok(4096)) {}
        for _ in 0..TURN {
            match self.events.try_recv() {
                Ok(Ok(event)) => self.translate(&event, each),
                Ok(Err(_)) => each(Event::Lost),
                Err(_) => return,
            }
        }
        // There may be more events, whose bytes were already read.
        each(Event::Lost);
    }

    fn translate(&self, event: &notify::Event, each: &mut dyn FnMut(Event)) {
        if event.need_rescan() {
            return each(Event::Lost);
        }
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        for path in &event.paths {
            if let Ok(name) = path.strip_prefix(&self.index_dir) {
                let went = !path.exists();
                if name.as_os_str().is_empty() && went {
                    each(Event::Gone(self.index_dir.clone()));
                } else if let Some(name) = path::from_path(name) {
                    let said = super::index_event(&self.index_dir, &name, went);
                    said.into_iter().for_each(&mut *each);
                }
                continue;
            }
            let Ok(relative) = path.strip_prefix(&self.root) else { continue };
            let Some(relative) = path::from_path(relative) else { continue };
            if relative.is_empty() && !self.root.exists() {
                each(Event::Gone(self.root.clone()));
            } else if matches!(event.kind, EventKind::Modify(ModifyKind::Data(_))) {
                each(Event::Content(relative));
            } else {
                each(Event::Tree(relative.clone()));
                if !relative.is_empty() {
                    each(Event::Entry(relative));
                }
            }
        }
    }
}
