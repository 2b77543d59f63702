//! Time and chance, so that tests wait for neither.

use std::fmt::Debug;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, Instant, SystemTime};

use jiff::Timestamp;

/// The clock of a conversation.
pub(super) trait Clock: Debug + Send {
    /// Returns the time since some point in the past. It never decreases.
    fn elapsed(&self) -> Duration;

    /// Returns the time of day.
    fn now(&self) -> Timestamp;

    /// Waits.
    fn sleep(&self, duration: Duration);

    /// Returns a random number from 0 (inclusive) to 1 (exclusive).
    fn random(&self) -> f64;
}

/// The clock of the operating system.
#[derive(Debug)]
pub(super) struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// Returns a clock whose elapsed time begins now.
    pub(super) fn start() -> SystemClock {
        SystemClock { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn now(&self) -> Timestamp {
        Timestamp::try_from(SystemTime::now()).unwrap_or_default()
    }

    fn sleep(&self, duration: Duration) {
        std::thread::sleep(duration);
    }

    fn random(&self) -> f64 {
        // The seeds of the standard library's hash tables are random; jitter needs no more.
        let bits = RandomState::new().build_hasher().finish() >> 11;
        bits as f64 / (1u64 << 53) as f64
    }
}
