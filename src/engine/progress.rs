//! The progress of a build, for display by another thread.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use crate::error::{Error, Kind};

/// Counters that a build writes and a progress bar reads; also carries the cancel flag.
#[derive(Debug, Default)]
pub struct Progress {
    stage: AtomicU8,
    files_done: AtomicU64,
    files_total: AtomicU64,
    bytes_done: AtomicU64,
    cancelled: AtomicBool,
}

/// The stage of a build.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stage {
    /// Finding files.
    Walking,
    /// Reading files and extracting their trigrams.
    Reading,
    /// Encoding and writing postings and the file table.
    Writing,
    /// Parsing files for the code index.
    Parsing,
    /// Splitting files into chunks for the text index.
    Ranking,
    /// Reading the commit log; counts commits instead of files.
    History,
    /// Waiting for another process that builds this index and shares no progress.
    Waiting,
}

impl Stage {
    /// All stages; a stage is stored as its index.
    const ALL: [Stage; 7] = [
        Stage::Walking,
        Stage::Reading,
        Stage::Writing,
        Stage::Parsing,
        Stage::Ranking,
        Stage::History,
        Stage::Waiting,
    ];
}

impl Progress {
    /// Returns the stage.
    pub fn stage(&self) -> Stage {
        let stage = usize::from(self.stage.load(Ordering::Relaxed));
        Stage::ALL.get(stage).copied().unwrap_or(Stage::Waiting)
    }

    /// Returns files done, files in all, and bytes read.
    pub fn counts(&self) -> (u64, u64, u64) {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        (load(&self.files_done), load(&self.files_total), load(&self.bytes_done))
    }

    /// Cancels the build; it ends with [`crate::Kind::Cancelled`] and publishes nothing.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns the error of a cancelled build.
    pub(super) fn cancelled() -> Error {
        Error::new(Kind::Cancelled, "indexing was cancelled")
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(super) fn enter(&self, stage: Stage) {
        self.stage.store(stage as u8, Ordering::Relaxed);
    }

    pub(super) fn expect_files(&self, files: u64) {
        self.files_total.store(files, Ordering::Relaxed);
    }

    /// Resets the counters for another stage.
    pub(super) fn restart(&self, files: u64) {
        self.files_done.store(0, Ordering::Relaxed);
        self.bytes_done.store(0, Ordering::Relaxed);
        self.expect_files(files);
    }

    /// Sets the counters of a stage that counts elsewhere.
    pub(super) fn set(&self, done: u64, expected: u64) {
        self.files_done.store(done, Ordering::Relaxed);
        self.expect_files(expected);
    }

    /// Returns stage and counters as one line.
    pub(super) fn to_line(&self) -> String {
        let (done, total, bytes) = self.counts();
        format!("{} {done} {total} {bytes}\n", self.stage.load(Ordering::Relaxed))
    }

    /// Shows the progress of another process, which [`Progress::to_line`] returned there, or that
    /// it shares none.
    pub(super) fn follow(&self, line: Option<&str>) {
        let numbers = line.and_then(|line| {
            let mut numbers = line.split_whitespace().map(str::parse::<u64>);
            let mut next = || numbers.next()?.ok();
            let (stage, counts) = (next()?, (next()?, next()?, next()?));
            let stage = Stage::ALL.get(usize::try_from(stage).ok()?)?;
            Some((*stage, counts))
        });
        let (stage, (done, total, bytes)) = numbers.unwrap_or((Stage::Waiting, (0, 0, 0)));
        self.enter(stage);
        self.expect_files(total);
        self.files_done.store(done, Ordering::Relaxed);
        self.bytes_done.store(bytes, Ordering::Relaxed);
    }

    pub(super) fn add(&self, files: u64, bytes: u64) {
        self.files_done.fetch_add(files, Ordering::Relaxed);
        self.bytes_done.fetch_add(bytes, Ordering::Relaxed);
    }
}
