//! What a watch server vouches for to calls of its own process: that nothing happened since a
//! generation was made, without a question to another thread.
//!
//! Linux queues what happened to a file before the call that did it returns. So where the queue is
//! empty and the server noted nothing, nothing happened. The server holds the lock while it takes
//! events out of the queue, so that none is in neither place.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::base::path;
use crate::index::snapshot::Snapshot;
use crate::index::store::Store;
use crate::source::rules::{Followed, Source};
use crate::source::watch::{self, Queue, Watcher};

/// How often calls that are answered so note that the index was used.
const NOTED_EVERY: Duration = Duration::from_secs(600);

/// Where the server of this process stands, if there is one.
#[derive(Debug, Default)]
pub(super) struct WatchState {
    watched_tree: Mutex<Option<WatchedTree>>,
    /// Servers that began, so that what one counted is not taken for another one's.
    servers: AtomicU64,
}

/// Where a server stands.
#[derive(Debug)]
pub(super) struct WatchedTree {
    queue: Queue,
    root: PathBuf,
    root_identity: (u64, u64),
    /// What holds while nothing happens; `None` while something did.
    pub(super) unchanged: Option<Arc<UnchangedGeneration>>,
    /// What held last.
    last: Option<Arc<UnchangedGeneration>>,
    /// Counts how often the code index was published, as far as events were taken out of the queue.
    pub(super) code_publications: u64,
    noted: Option<Instant>,
}

/// A generation of which nothing changed.
#[derive(Debug)]
pub(super) struct UnchangedGeneration {
    generation: u64,
    checksums: Vec<u32>,
    /// Ignore rules' sources: what changes them through another name, or a map, makes no event.
    sources: Vec<Followed>,
}

impl UnchangedGeneration {
    /// Returns what is vouched for by who watches every directory of the generation; `before` is what was
    /// vouched for last.
    fn new(
        snapshot: &Snapshot,
        sources: Vec<Source>,
        before: Option<&UnchangedGeneration>,
    ) -> UnchangedGeneration {
        let checksums = snapshot.checksums().collect();
        let is_watched = |source: &Source| {
            let dir = source.path.parent()?.strip_prefix(&snapshot.root).ok()?;
            snapshot.table.find_dir(&path::from_path(dir)?).ok()?
        };
        let before: HashMap<&Path, &Followed> = before
            .iter()
            .flat_map(|unchanged| &unchanged.sources)
            .map(|of| (of.path(), of))
            .collect();
        let follow = |source: Source| {
            let (is_watched, before) = (is_watched(&source).is_some(), before.get(&*source.path));
            Followed::new(source, is_watched, before.copied())
        };
        let sources = sources.into_iter().map(follow).collect();
        UnchangedGeneration { generation: snapshot.generation, checksums, sources }
    }

    /// Returns true if it speaks of the generation with this number and these checksums.
    pub(super) fn is_of(&self, generation: u64, checksums: &[u32]) -> bool {
        (self.generation, &*self.checksums) == (generation, checksums)
    }
}

/// Ends what is vouched for when the server does.
#[derive(Debug)]
pub(super) struct ServerGuard<'a>(&'a WatchState);

impl Drop for ServerGuard<'_> {
    fn drop(&mut self) {
        *self.0.lock() = None;
    }
}

impl WatchState {
    /// Notes that a server begins, which vouches for nothing yet. Where the system's queue says
    /// nothing of its own moment, it never will.
    pub(super) fn begin(&self, root: &Path, watcher: &Watcher) -> ServerGuard<'_> {
        let (root, root_identity) = (root.to_path_buf(), watcher.root_identity());
        let code_publications = self.servers.fetch_add(1, Ordering::Relaxed) << 32;
        let begun = |queue| WatchedTree {
            queue,
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

    /// Returns the server's standing; while it is held, nobody takes events out of the queue.
    pub(super) fn lock(&self) -> MutexGuard<'_, Option<WatchedTree>> {
        self.watched_tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what holds from now on while nothing happens: the generation and the sources that `unchanged` gives.
    pub(super) fn set_unchanged<'a>(
        &self,
        unchanged: impl FnOnce() -> Option<(&'a Snapshot, Vec<Source>)>,
    ) {
        let mut watched_tree = self.lock();
        let Some(watched_tree) = &mut *watched_tree else { return };
        watched_tree.unchanged = unchanged().map(|(snapshot, sources)| {
            Arc::new(UnchangedGeneration::new(snapshot, sources, watched_tree.last.as_deref()))
        });
        if watched_tree.unchanged.is_some() {
            watched_tree.last.clone_from(&watched_tree.unchanged);
        }
    }

    /// Returns the generation of which nothing changed until now, if that is certain. Costs a look
    /// at the queue and at each of the ignore rules' sources.
    pub(super) fn unchanged(&self, store: &Store) -> Option<Arc<UnchangedGeneration>> {
        let unchanged = {
            let mut watched_tree = self.lock();
            let watched_tree = watched_tree.as_mut()?;
            let unchanged =
                watched_tree.unchanged.clone().filter(|_| watched_tree.queue.is_empty())?;
            if watch::identity(&watched_tree.root).ok()? != watched_tree.root_identity {
                return None;
            }
            let now = Instant::now();
            if watched_tree.noted.is_none_or(|noted| now - noted > NOTED_EVERY) {
                watched_tree.noted = Some(now);
                store.note_use();
            }
            unchanged
        };
        unchanged.sources.iter().all(Followed::holds).then_some(unchanged)
    }

    /// Returns true if nothing was noticed since the newest generation. Costs a look at the queue.
    pub(super) fn is_settled(&self) -> bool {
        let watched_tree = self.lock();
        watched_tree.as_ref().is_some_and(|it| it.unchanged.is_some() && it.queue.is_empty())
    }

    /// Returns a number that is another one after each publication of the code index, if none is
    /// on its way.
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
