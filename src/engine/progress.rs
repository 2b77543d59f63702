//! How far a build is, to be read by another thread.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use crate::error::{Error, Kind};

/// Counters that a build writes and a progress bar reads; also carries the wish to stop.
#[derive(Debug, Default)]
pub struct Progress {
    stage: AtomicU8,
    files_done: AtomicU64,
    files_total: AtomicU64,
    bytes_done: AtomicU64,
    cancelled: AtomicBool,
}

/// What a build is doing.
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
    /// Cutting files for the text index.
    Ranking,
    /// Reading the log of commits, which are counted instead of files.
    History,
}

impl Progress {
    /// Returns the stage.
    pub fn stage(&self) -> Stage {
        match self.stage.load(Ordering::Relaxed) {
            0 => Stage::Walking,
            1 => Stage::Reading,
            2 => Stage::Writing,
            3 => Stage::Parsing,
            4 => Stage::Ranking,
            _ => Stage::History,
        }
    }

    /// Returns files done, files in all, and bytes read.
    pub fn counts(&self) -> (u64, u64, u64) {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        (load(&self.files_done), load(&self.files_total), load(&self.bytes_done))
    }

    /// Asks the build to stop; it ends with [`crate::Kind::Cancelled`] and publishes nothing.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns the error of a build that was asked to stop.
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

    /// Counts from nothing again, for another stage.
    pub(super) fn restart(&self, files: u64) {
        self.files_done.store(0, Ordering::Relaxed);
        self.bytes_done.store(0, Ordering::Relaxed);
        self.expect_files(files);
    }

    pub(super) fn add(&self, files: u64, bytes: u64) {
        self.files_done.fetch_add(files, Ordering::Relaxed);
        self.bytes_done.fetch_add(bytes, Ordering::Relaxed);
    }
}
