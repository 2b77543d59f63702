//! How often a watch server refreshes the index.

use std::time::Duration;

/// When a watch server refreshes the index after changes: after `quiet` without changes, but at
/// most `interval` after the first one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Pace {
    /// Duration without changes before a refresh.
    pub quiet: Duration,
    /// Maximum wait after the first change, and minimum pause between refreshes.
    pub interval: Duration,
    /// Minimum pause between refreshes as a multiple of the duration of the last one.
    pub rest: u32,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { quiet: Duration::from_millis(300), interval: Duration::from_secs(2), rest: 5 }
    }
}
