//! Gives memory back after calls: once no call has ended for a while, the memory that the last ones
//! took and freed is returned to the operating system.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::base::memory;

/// How long no call of a server may have ended.
pub(super) const QUIET: Duration = Duration::from_secs(1);

/// Counts the calls of a server and notices when there are no more.
#[derive(Debug)]
pub(super) struct Quiet {
    /// How long no call may have ended.
    after: Duration,
    calls: AtomicU64,
    is_waiting: AtomicBool,
}

impl Quiet {
    /// Returns a count of 0. Memory is returned when no call has ended for the time `after`.
    pub(super) fn new(after: Duration) -> Quiet {
        Quiet { after, calls: AtomicU64::new(0), is_waiting: AtomicBool::new(false) }
    }

    /// Notes the end of a call. The first one after a quiet time starts a timer of the runtime.
    pub(super) fn call_ended(self: &Arc<Self>) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if self.is_waiting.swap(true, Ordering::Relaxed) {
            return;
        }
        let quiet = Arc::clone(self);
        tokio::spawn(async move {
            let mut seen = quiet.calls.load(Ordering::Relaxed);
            loop {
                tokio::time::sleep(quiet.after).await;
                let calls = quiet.calls.load(Ordering::Relaxed);
                if calls == seen {
                    break;
                }
                seen = calls;
            }
            // Before memory is returned, so that a call that ends meanwhile starts a new timer.
            quiet.is_waiting.store(false, Ordering::Relaxed);
            let _ = tokio::task::spawn_blocking(memory::release_free).await;
        });
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn the_timer_ends_after_a_quiet_time_and_starts_again() {
        let after = Duration::from_millis(20);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.expect("a runtime").block_on(async {
            let quiet = Arc::new(Quiet::new(after));
            for _ in 0..2 {
                (0..5).for_each(|_| quiet.call_ended());
                let ended_at = Instant::now();
                assert!(quiet.is_waiting.load(Ordering::Relaxed));
                while quiet.is_waiting.load(Ordering::Relaxed) {
                    assert!(ended_at.elapsed() < Duration::from_secs(60), "the timer never ends");
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                assert!(ended_at.elapsed() >= after);
            }
        });
    }
}
