//! Replaces the watch server on platforms without one: every client compares the tree itself.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::compare::WatchReport;
use super::{Engine, Pace};
use crate::error::{Error, Kind, Result};
use crate::index::store::Store;

/// A handle that stops a server, from any thread.
#[derive(Debug)]
pub struct Stop(AtomicBool);

impl Stop {
    /// Creates a handle that is not signalled.
    pub fn new() -> Result<Stop> {
        Ok(Stop(AtomicBool::new(false)))
    }

    /// Signals the server with this handle to stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Returns true if the stop was signalled.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Returns an error.
pub fn serve(_engine: &Engine, _pace: &Pace, _stop: &Stop) -> Result<()> {
    Err(Error::new(Kind::Usage, "watching is not supported on this platform yet")
        .with_hint("search without a watcher: `--fresh strict` compares the whole tree"))
}

/// Never constructed: there is no watch server.
#[derive(Debug)]
pub enum PendingSync {}

/// Returns `None`: there is no server.
pub fn start_sync(_engine: &Engine) -> Option<PendingSync> {
    None
}

impl PendingSync {
    /// Waits for the answer.
    pub fn wait(self, _deadline: Duration) -> Option<WatchReport> {
        match self {}
    }
}

/// Returns `None`: there is no server.
pub fn sync(_engine: &Engine, _deadline: Duration) -> Option<WatchReport> {
    None
}

/// The state of the watch server, of which there is none.
#[derive(Debug, Default)]
pub(super) struct WatchState;

impl WatchState {
    /// Returns `None`: there is no server.
    pub(super) fn unchanged(&self, _store: &Store) -> Option<UnchangedGeneration> {
        None
    }

    /// Returns `None`: there is no server.
    pub(super) fn code_publications(&self) -> Option<u64> {
        None
    }
}

/// Never constructed: no server guarantees that a generation is unchanged.
#[derive(Debug)]
pub(super) enum UnchangedGeneration {}

impl UnchangedGeneration {
    /// Returns whether it is a generation.
    pub(super) fn is_of(&self, _generation: u64, _checksums: &[u32]) -> bool {
        match *self {}
    }
}
