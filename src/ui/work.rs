//! Runs what a page asks of the tree, in threads that may block.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::Semaphore;

use super::prose::OFFERED;
use crate::error::{Error, Kind, Result};
use crate::mcp::site::Tree;
use crate::tools::Call;

/// The greatest number of pages that are made at the same time: many open windows leave the processors to
/// other clients of the server.
const PAGES_MAX: usize = 4;

/// The tree, and the places for work on it.
#[derive(Debug)]
pub(super) struct Work {
    tree: Tree,
    places: Semaphore,
    pools: Pools,
}

/// Threads for the parallel parts of pages, apart from those of the server's other clients, which would else wait
/// until pages are done. Each pool works for one page at a time: a thread that waits for a part of its page must
/// not begin another one.
#[derive(Clone, Debug, Default)]
struct Pools(Arc<Mutex<Vec<ThreadPool>>>);

impl Pools {
    /// Runs `make` in a pool that nothing else uses, with half of the processors.
    fn run<T: Send>(&self, make: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        let free = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let threads = available_parallelism().map_or(1, usize::from).div_ceil(2);
        let new = || ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = free.map_or_else(new, Ok).map_err(|error| {
            Error::new(Kind::Io, format!("the page cannot be made: no threads: {error}"))
        })?;
        let made = pool.install(make);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(pool);
        made
    }
}

/// Sets a flag when the request that waits for the work is dropped: the client has closed the connection.
struct Cancels(Arc<AtomicBool>);

impl Drop for Cancels {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Work {
    pub(super) fn new(tree: Tree) -> Work {
        Work { tree, places: Semaphore::new(PAGES_MAX), pools: Pools::default() }
    }

    /// Runs `make` with a call on one state of the tree. Ends it soon after the future is dropped.
    ///
    /// # Errors
    ///
    /// Those of `make`, and if the tree cannot be opened.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        make: impl Fn(&Call<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let failed = |_| Error::new(Kind::Io, "the page cannot be made: its thread ended");
        let _place = self
            .places
            .acquire()
            .await
            .map_err(|_| Error::new(Kind::Cancelled, "the server is being stopped"))?;
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let _cancels = Cancels(Arc::clone(&is_cancelled));
        let (tree, pools) = (self.tree.clone(), self.pools.clone());
        let made = tokio::task::spawn_blocking(move || {
            let make = move |call: &Call<'_>| make(&Call { offered: Some(&OFFERED), ..*call });
            pools.run(|| tree.call(&|| is_cancelled.load(Ordering::Relaxed), make))
        });
        made.await.map_err(failed)?
    }
}
