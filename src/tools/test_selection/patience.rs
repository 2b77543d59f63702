//! How long a call searches for the tests of what it names.

use std::time::{Duration, Instant};

use serde::Serialize;

/// The default time, on each core. Without optimization, the same search takes some thirty times as long.
const DEFAULT: Duration = Duration::from_millis(if cfg!(debug_assertions) { 30_000 } else { 300 });

/// The end of the search of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(in crate::tools) struct Patience {
    time: Option<Duration>,
}

impl Patience {
    /// Returns the time that the argument `max_ms` sets, where 0 is no limit.
    pub(in crate::tools) fn new(max_ms: Option<u64>) -> Patience {
        let time = max_ms.map_or(DEFAULT, Duration::from_millis);
        Patience { time: Some(time).filter(|time| !time.is_zero()) }
    }

    /// Returns the end of a search that begins now.
    pub(in crate::tools) fn until(self) -> Option<Instant> {
        self.time.map(|time| Instant::now() + time)
    }

    /// Returns the message that `unexamined` of `functions` were left out; if none, one was not searched to the
    /// end.
    pub(in crate::tools) fn message(self, unexamined: usize, functions: usize) -> String {
        let ms = self.time.unwrap_or_default().as_millis();
        let what = match unexamined {
            0 => "the search was not complete".to_owned(),
            _ => format!("{unexamined} of {functions} functions not examined"),
        };
        format!("{what} after {ms} ms; `max_ms` 0 has no limit")
    }
}
