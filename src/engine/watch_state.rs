//! In-process fast path: proves from the inotify queue that the tree is unchanged since a
//! generation, without a request to the server's thread. On a busy machine `codedb_status` of a
//! server takes 0.13 ms at the median for the client with it and 0.44 ms without (2,113 files).
//!
//! Linux queues an event before the call that caused it returns. So if the queue is empty and the
//! server recorded nothing, nothing happened. The server holds the lock while it drains events, so
//! that each event is either in the queue or recorded.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::base::path;
use crate::index::snapshot::Snapshot;
use crate::index::store::Store;
use crate::source::followed::FollowedSources;
use crate::source::rules::Source;
use crate::source::watch::{Mounts, Queue, Watcher};

/// Minimum interval between two records of the index's last use by calls on the fast path.
const NOTED_EVERY: Duration = Duration::from_secs(600);

/// The state of the watch server of this process, if there is one.
#[derive(Debug, Default)]
pub(super) struct WatchState {
    watched_tree: Mutex<Option<WatchedTree>>,
    /// Number of servers started, so that the counts of two servers differ.
    servers: AtomicU64,
}

/// The state of one server.
#[derive(Debug)]
pub(super) struct WatchedTree {
    queue: Queue,
    /// The table of mounts, with a descriptor of its own; `None` if the system has none.
    mounts: Option<Mounts>,
    /// The table of mounts changed since the server read it.
    has_new_mounts: bool,
    root: PathBuf,
    root_identity: (u64, u64),
    /// The generation that is unchanged while the queue is empty; `None` if something changed.
    pub(super) unchanged: Option<Arc<UnchangedGeneration>>,
    /// The last unchanged generation.
    last: Option<Arc<UnchangedGeneration>>,
    /// Number of publications of the code index, as far as events were drained.
    pub(super) code_publications: u64,
    noted: Option<Instant>,
}

impl WatchedTree {
    /// Returns true if every event of the tree was drained. Two system calls.
    fn has_no_events(&mut self) -> bool {
        // A change is reported by one poll only.
        self.has_new_mounts |= self.mounts.as_ref().is_some_and(Mounts::has_changed);
        !self.has_new_mounts && self.queue.is_empty()
    }

    /// Records that the server has read the table of mounts, after each drain of the queue.
    pub(super) fn mounts_were_read(&mut self) {
        if let Some(last) = self.last.as_ref().filter(|_| self.has_new_mounts) {
            last.sources.forget();
        }
        self.has_new_mounts = false;
    }
}

/// A generation that is unchanged since it was made.
#[derive(Debug)]
pub(super) struct UnchangedGeneration {
    generation: u64,
    checksums: Vec<u32>,
    /// The sources of ignore rules: a change through another name or a memory map causes no event.
    sources: FollowedSources,
}

impl UnchangedGeneration {
    /// Creates the state for a server that watches every directory of the generation;
    /// `watched_tree` has the last unchanged generation, whose descriptors are reused.
    fn new(
        snapshot: &Snapshot,
        sources: Vec<Source>,
        watched_tree: &WatchedTree,
    ) -> UnchangedGeneration {
        let checksums = snapshot.checksums().collect();
        let is_watched = |source: &Source| {
            let dir = source.path.parent()?.strip_prefix(&snapshot.root).ok()?;
            snapshot.table.find_dir(&path::from_path(dir)?).ok()?
        };
        let sources = FollowedSources::new(
            &watched_tree.root,
            watched_tree.root_identity,
            sources,
            |source| is_watched(source).is_some(),
            watched_tree.mounts.is_some(),
            watched_tree.last.as_ref().map(|last| &last.sources),
        );
        UnchangedGeneration { generation: snapshot.generation, checksums, sources }
    }

    /// Returns true if it is the generation with this number and these checksums.
    pub(super) fn is_of(&self, generation: u64, checksums: &[u32]) -> bool {
        (self.generation, &*self.checksums) == (generation, checksums)
    }
}

/// Clears the state when the server ends.
#[derive(Debug)]
pub(super) struct ServerGuard<'a>(&'a WatchState);

impl Drop for ServerGuard<'_> {
    fn drop(&mut self) {
        *self.0.lock() = None;
    }
}

impl WatchState {
    /// Records the start of a server, which guarantees nothing yet. On platforms without an ordered
    /// queue it never will.
    pub(super) fn begin(&self, root: &Path, watcher: &Watcher) -> ServerGuard<'_> {
        let (root, root_identity) = (root.to_path_buf(), watcher.root_identity());
        let mounts = Mounts::new(&root);
        let code_publications = self.servers.fetch_add(1, Ordering::Relaxed) << 32;
        let begun = |queue| WatchedTree {
            queue,
            mounts,
            has_new_mounts: false,
            root,
            root_identity,
            unchanged: None,
            last: None,
            code_publications,
            noted: None,
        };
        *self.lock() = watcher.queue().map(begun);
        ServerGuard(self)
    }

    /// Returns the server's state; while it is locked, no events are drained.
    pub(super) fn lock(&self) -> MutexGuard<'_, Option<WatchedTree>> {
        self.watched_tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the generation that is unchanged while the queue is empty, with the sources that
    /// `unchanged` returns.
    pub(super) fn set_unchanged<'a>(
        &self,
        unchanged: impl FnOnce() -> Option<(&'a Snapshot, Vec<Source>)>,
    ) {
        let mut watched_tree = self.lock();
        let Some(watched_tree) = &mut *watched_tree else { return };
        watched_tree.unchanged = unchanged().map(|(snapshot, sources)| {
            Arc::new(UnchangedGeneration::new(snapshot, sources, watched_tree))
        });
        if watched_tree.unchanged.is_some() {
            watched_tree.last.clone_from(&watched_tree.unchanged);
        }
    }

    /// Returns the generation that is certainly unchanged until now. Costs a check of the queue, and
    /// an `fstat` for each source of ignore rules that exists and for each directory on the way to
    /// the root and to sources outside of it. With 17 sources, `tool/status/whole` takes 9 µs; it took
    /// 22 µs when each was looked up by its path.
    pub(super) fn unchanged(&self, store: &Store) -> Option<Arc<UnchangedGeneration>> {
        let unchanged = {
            let mut watched_tree = self.lock();
            let watched_tree = watched_tree.as_mut()?;
            let unchanged =
                watched_tree.unchanged.clone().filter(|_| watched_tree.has_no_events())?;
            let now = Instant::now();
            if watched_tree.noted.is_none_or(|noted| now - noted > NOTED_EVERY) {
                watched_tree.noted = Some(now);
                store.note_use();
            }
            unchanged
        };
        unchanged.sources.hold().then_some(unchanged)
    }

    /// Returns a number that differs after each publication of the code index, if no event is
    /// pending.
    pub(super) fn code_publications(&self) -> Option<u64> {
        let watched_tree = self.lock();
        watched_tree
            .as_ref()
            .filter(|watched_tree| watched_tree.queue.is_empty())
            .map(|it| it.code_publications)
    }
}

#[cfg(all(test, any(target_os = "linux", target_os = "android")))]
mod tests;
