//! The parts of the index that calls found damaged and did without.

use std::sync::atomic::{AtomicU8, Ordering};

/// A part of the index.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub enum Part {
    /// Table and posting lists.
    Search = 1,
    /// Code segments.
    Code = 2,
    /// The text index.
    Text = 4,
    /// The commit log.
    History = 8,
}

/// A set of parts, to which several threads may add.
#[derive(Debug, Default)]
pub struct Damage(AtomicU8);

impl Damage {
    /// Adds a part.
    pub fn note(&self, part: Part) {
        self.0.fetch_or(part as u8, Ordering::Relaxed);
    }

    /// Adds the parts of `other`.
    pub fn add(&self, other: &Damage) {
        self.0.fetch_or(other.0.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Returns true if it contains `part`.
    pub fn has(&self, part: Part) -> bool {
        self.0.load(Ordering::Relaxed) & part as u8 != 0
    }

    /// Returns true if it contains no part.
    pub fn is_empty(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    /// Removes and returns all parts.
    pub fn take(&self) -> Damage {
        Damage(AtomicU8::new(self.0.swap(0, Ordering::Relaxed)))
    }
}
