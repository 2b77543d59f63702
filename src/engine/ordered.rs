//! Processes many items on several threads and consumes the results in order.
//!
//! Workers may be ahead of the consumer by a bounded number of items and bytes, so that one slow
//! item does not fill the memory with the results after it. A panic on either side ends the work on
//! both.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard};

/// Maximum number of results that wait to be consumed.
const AHEAD_MAX: usize = 1024;

/// Maximum size of results that wait to be consumed.
const AHEAD_BYTES_MAX: usize = 96 << 20;

struct State<T> {
    /// Index of the next item to process.
    next: usize,
    /// Index of the next result to consume.
    taken: usize,
    /// Results that are not consumed yet, with their sizes.
    waiting: BTreeMap<usize, (usize, T)>,
    bytes: usize,
    stopped: bool,
    /// The payload of the first panic of `work`.
    panic: Option<Box<dyn Any + Send>>,
}

/// Stops the workers when dropped, so that they do not wait for a consumer that panicked.
struct Stop<F: Fn()>(F);

impl<F: Fn()> Drop for Stop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Calls `work` for each of `0..count` on `threads` threads, and `take` with the results in order
/// on this thread. `work` returns a result and its approximate size in bytes. Stops early if `take`
/// returns an error. O(count).
///
/// # Errors
///
/// That of `take`.
///
/// # Panics
///
/// Where `work` or `take` does.
pub(super) fn ordered<T: Send, E>(
    count: usize,
    threads: usize,
    work: impl Fn(usize) -> (T, usize) + Sync,
    mut take: impl FnMut(usize, T) -> Result<(), E>,
) -> Result<(), E> {
    let state = Mutex::new(State {
        next: 0,
        taken: 0,
        waiting: BTreeMap::new(),
        bytes: 0,
        stopped: false,
        panic: None,
    });
    let (done, free) = (Condvar::new(), Condvar::new());
    let lock = || -> MutexGuard<'_, State<T>> { state.lock().unwrap_or_else(|e| e.into_inner()) };
    let stop = || {
        lock().stopped = true;
        free.notify_all();
    };
    let run = || {
        loop {
            let at = {
                let mut state = lock();
                loop {
                    if state.stopped || state.next >= count {
                        return;
                    }
                    // The worker of the next result to consume must not wait for the consumer.
                    let is_near =
                        state.next < state.taken + AHEAD_MAX && state.bytes < AHEAD_BYTES_MAX;
                    if is_near || state.next == state.taken {
                        break;
                    }
                    state = free.wait(state).unwrap_or_else(|e| e.into_inner());
                }
                state.next += 1;
                state.next - 1
            };
            let worked = catch_unwind(AssertUnwindSafe(|| work(at)));
            let mut state = lock();
            let (result, bytes) = match worked {
                Ok(worked) => worked,
                Err(panic) => {
                    state.panic.get_or_insert(panic);
                    state.stopped = true;
                    done.notify_one();
                    free.notify_all();
                    return;
                }
            };
            state.bytes += bytes;
            state.waiting.insert(at, (bytes, result));
            if at == state.taken {
                done.notify_one();
            }
        }
    };
    let result = std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        for _ in 0..threads.clamp(1, count.max(1)) {
            scope.spawn(run);
        }
        for at in 0..count {
            let taken = {
                let mut state = lock();
                loop {
                    if state.panic.is_some() {
                        return Ok(());
                    }
                    if let Some((bytes, taken)) = state.waiting.remove(&at) {
                        state.bytes -= bytes;
                        break taken;
                    }
                    state = done.wait(state).unwrap_or_else(|e| e.into_inner());
                }
            };
            take(at, taken)?;
            lock().taken = at + 1;
            free.notify_all();
        }
        Ok(())
    });
    match state.into_inner().unwrap_or_else(|e| e.into_inner()).panic {
        Some(panic) => resume_unwind(panic),
        None => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_each_once() {
        for threads in [1, 2, 7] {
            let mut seen = Vec::new();
            let work = |at: usize| {
                if at.is_multiple_of(97) {
                    std::thread::sleep(std::time::Duration::from_millis(2));
                }
                (at * 3, AHEAD_BYTES_MAX / 3)
            };
            let result: Result<(), ()> = ordered(1000, threads, work, |at, result| {
                seen.push((at, result));
                Ok(())
            });
            assert_eq!(result, Ok(()));
            assert!(seen.iter().enumerate().all(|(i, &(at, got))| i == at && got == at * 3));
            assert_eq!(seen.len(), 1000);
        }
    }

    #[test]
    fn an_error_stops_the_work() {
        let mut taken = 0;
        let result = ordered(
            100_000,
            3,
            |at| (at, 8),
            |at, _| {
                taken += 1;
                if at == 10 { Err("enough") } else { Ok(()) }
            },
        );
        assert_eq!((result, taken), (Err("enough"), 11));
    }

    /// Runs `run` on its own thread, and fails if it does not end in time.
    fn ends(run: impl FnOnce() + Send + 'static) {
        let (sender, ended) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            run();
            let _ = sender.send(());
        });
        ended.recv_timeout(std::time::Duration::from_secs(60)).expect("it ends");
    }

    #[test]
    fn a_panic_of_a_worker_is_passed_on() {
        ends(|| {
            for (threads, place) in [(1, 0), (2, 5), (3, 5000)] {
                let work = |at: usize| {
                    assert!(at != place, "the one that panics");
                    (at, 8)
                };
                let run = || ordered(3 * AHEAD_MAX + 4000, threads, work, |_, _| Ok::<(), ()>(()));
                let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("it is passed on");
                assert_eq!(panic.downcast_ref::<&str>(), Some(&"the one that panics"));
            }
        });
    }

    #[test]
    fn a_panic_of_the_consumer_is_passed_on() {
        ends(|| {
            let take = |at: usize, _: usize| -> Result<(), ()> {
                // The workers can only wait by now.
                std::thread::sleep(std::time::Duration::from_millis(20));
                assert!(at < 3, "enough");
                Ok(())
            };
            let run = || ordered(100_000, 2, |at| (at, 8), take);
            let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("it is passed on");
            assert_eq!(panic.downcast_ref::<&str>(), Some(&"enough"));
        });
    }
}
