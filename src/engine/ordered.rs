//! Work on many things by several threads, whose results are taken in order.
//!
//! A thread may be ahead of the taker by so many things and bytes, no more, so that one slow thing
//! does not fill the memory with those behind it.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard};

/// Results that may wait to be taken.
const AHEAD_MAX: usize = 1024;

/// Bytes of results that may wait to be taken.
const AHEAD_BYTES_MAX: usize = 96 << 20;

struct State<T> {
    /// The next thing that nobody works on.
    next: usize,
    /// The next thing to be taken.
    taken: usize,
    /// Finished, but not taken: with their bytes.
    waiting: BTreeMap<usize, (usize, T)>,
    bytes: usize,
    stopped: bool,
}

/// Calls `work` for each of `0..count` on `threads` threads, and `take` with the results on this one,
/// in order. `work` returns a result and about how many bytes it holds. Ends early where `take`
/// returns an error. O(count).
///
/// # Errors
///
/// That of `take`.
pub(super) fn ordered<T: Send, E>(
    count: usize,
    threads: usize,
    work: impl Fn(usize) -> (T, usize) + Sync,
    mut take: impl FnMut(usize, T) -> Result<(), E>,
) -> Result<(), E> {
    let state =
        Mutex::new(State { next: 0, taken: 0, waiting: BTreeMap::new(), bytes: 0, stopped: false });
    let (done, free) = (Condvar::new(), Condvar::new());
    let lock = || -> MutexGuard<'_, State<T>> { state.lock().unwrap_or_else(|e| e.into_inner()) };
    let run = || {
        loop {
            let at = {
                let mut state = lock();
                loop {
                    if state.stopped || state.next >= count {
                        return;
                    }
                    // Whoever works on the next thing to be taken must not wait for the taker.
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
            let (result, bytes) = work(at);
            let mut state = lock();
            state.bytes += bytes;
            state.waiting.insert(at, (bytes, result));
            if at == state.taken {
                done.notify_one();
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..threads.clamp(1, count.max(1))).map(|_| scope.spawn(run)).collect();
        let mut result = Ok(());
        for at in 0..count {
            let taken = {
                let mut state = lock();
                loop {
                    if let Some((bytes, taken)) = state.waiting.remove(&at) {
                        state.bytes -= bytes;
                        break Some(taken);
                    }
                    // A worker that panicked leaves a hole.
                    if workers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
                        break state.waiting.remove(&at).map(|(_, taken)| taken);
                    }
                    let patience = std::time::Duration::from_millis(200);
                    let waited = done.wait_timeout(state, patience);
                    state = waited.unwrap_or_else(|e| e.into_inner()).0;
                }
            };
            result = match taken {
                Some(taken) => take(at, taken),
                None => break,
            };
            let mut state = lock();
            state.taken = at + 1;
            state.stopped = result.is_err();
            drop(state);
            free.notify_all();
            if result.is_err() {
                break;
            }
        }
        lock().stopped = true;
        free.notify_all();
        result
    })
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
    fn an_error_ends_it() {
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
}
