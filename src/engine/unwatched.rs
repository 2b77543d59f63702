//! The watch server where there is none yet: nobody serves, so every client looks for itself.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::compare::WatchReport;
use super::{Engine, Pace};
use crate::error::{Error, Kind, Result};
use crate::index::store::Store;

/// Asks a server to end, from any thread.
#[derive(Debug)]
pub struct Stop(AtomicBool);

impl Stop {
    /// Returns a handle with which nothing is asked yet.
    pub fn new() -> Result<Stop> {
        Ok(Stop(AtomicBool::new(false)))
    }

    /// Asks whoever serves with this handle to end.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Returns true if an end was asked for.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Returns an error.
pub fn serve(_engine: &Engine, _pace: &Pace, _stop: &Stop) -> Result<()> {
    Err(Error::new(Kind::Usage, "watching is not supported on this platform yet")
        .with_hint("search without it: `--fresh strict` is always right"))
}

/// A question to a watch server, of which there is none.
#[derive(Debug)]
pub enum PendingSync {}

/// Returns `None`: nobody serves.
pub fn start_sync(_engine: &Engine) -> Option<PendingSync> {
    None
}

impl PendingSync {
    /// Waits for the answer.
    pub fn wait(self, _deadline: Duration) -> Option<WatchReport> {
        match self {}
    }
}

/// Returns `None`: nobody serves.
pub fn sync(_engine: &Engine, _deadline: Duration) -> Option<WatchReport> {
    None
}

/// What a watch server of this process vouches for: nothing.
#[derive(Debug, Default)]
pub(super) struct WatchState;

impl WatchState {
    /// Returns `None`: nobody serves.
    pub(super) fn unchanged(&self, _store: &Store) -> Option<UnchangedGeneration> {
        None
    }

    /// Returns false: nobody serves.
    pub(super) fn is_settled(&self) -> bool {
        false
    }

    /// Returns `None`: nobody serves.
    pub(super) fn code_publications(&self) -> Option<u64> {
        None
    }
}

/// A generation of which nothing changed, of which nobody tells.
#[derive(Debug)]
pub(super) enum UnchangedGeneration {}

impl UnchangedGeneration {
    /// Returns whether it speaks of a generation.
    pub(super) fn is_of(&self, _generation: u64, _checksums: &[u32]) -> bool {
        match *self {}
    }
}
