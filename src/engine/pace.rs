//! How often a watch server refreshes the index.

use std::time::Duration;

/// When a watch server refreshes the index after changes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Pace {
    /// It waits until nothing changed for this long,
    pub quiet: Duration,
    /// but not longer than this after the first change; and it rests at least this long between
    /// refreshes,
    pub interval: Duration,
    /// and so many times as long as the last one took.
    pub rest: u32,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { quiet: Duration::from_millis(300), interval: Duration::from_secs(2), rest: 5 }
    }
}
