//! A cached value that one thread at a time computes, while others wait for a bounded time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The last computed value. No lock is held while a value is computed.
#[derive(Debug)]
pub(super) struct SingleFlight<T> {
    state: Mutex<State<T>>,
    ended: Condvar,
}

#[derive(Debug)]
struct State<T> {
    last: Option<T>,
    is_computing: bool,
}

impl<T> Default for SingleFlight<T> {
    fn default() -> SingleFlight<T> {
        let state = Mutex::new(State { last: None, is_computing: false });
        SingleFlight { state, ended: Condvar::new() }
    }
}

impl<T: Clone> SingleFlight<T> {
    /// Returns the last value if it is usable, else the value of `compute`, which receives the last
    /// one. If another thread computes a value, waits for it; after `patience`, returns the last
    /// value even if it is not usable.
    pub(super) fn get(
        &self,
        patience: Duration,
        is_usable: impl Fn(&T) -> bool,
        compute: impl FnOnce(Option<&T>) -> T,
    ) -> Option<T> {
        let until = Instant::now() + patience;
        let mut state = self.lock();
        loop {
            if let Some(last) = state.last.as_ref().filter(|last| is_usable(last)) {
                return Some(last.clone());
            }
            if !state.is_computing {
                break;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return state.last.clone();
            }
            let waited = self.ended.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.is_computing = true;
        let last = state.last.clone();
        drop(state);
        // Also if `compute` panics, others may compute.
        let _turn = Turn(self);
        let value = compute(last.as_ref());
        self.lock().last = Some(value.clone());
        Some(value)
    }

    /// Returns the last value without waiting.
    pub(super) fn last(&self) -> Option<T> {
        self.lock().last.clone()
    }

    /// Replaces the last value.
    pub(super) fn set(&self, value: T) {
        self.lock().last = Some(value);
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to compute, until it is dropped.
struct Turn<'a, T: Clone>(&'a SingleFlight<T>);

impl<T: Clone> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        self.0.lock().is_computing = false;
        self.0.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn concurrent_calls_compute_once_and_wait_only_for_a_bounded_time() {
        let cell = SingleFlight::default();
        let at = |now: u32| move |value: &u32| *value == now;
        assert_eq!(cell.get(LONG, at(1), |last| last.map_or(1, |_| 0)), Some(1));
        let computed = AtomicUsize::new(0);
        let (begin, begun) = mpsc::channel();
        let (go, gone) = mpsc::channel::<()>();
        thread::scope(|scope| {
            let (cell, computed) = (&cell, &computed);
            let slow = scope.spawn(move || {
                cell.get(LONG, at(2), |last| {
                    begin.send(()).expect("it is awaited");
                    gone.recv().expect("it is sent");
                    computed.fetch_add(1, Ordering::Relaxed);
                    last.map_or(0, |last| last + 1)
                })
            });
            begun.recv().expect("it begins");
            // While one thread computes, another gets the last value in time.
            let started = Instant::now();
            let early = cell.get(Duration::from_millis(20), at(2), |_| unreachable!("not twice"));
            assert_eq!(early, Some(1));
            assert!(started.elapsed() < LONG);
            // A value that is usable does not wait at all.
            assert_eq!(cell.get(LONG, at(1), |_| unreachable!("it is usable")), Some(1));
            let waits = scope.spawn(move || cell.get(LONG, at(2), |_| unreachable!("not twice")));
            go.send(()).expect("it waits");
            assert_eq!(slow.join().expect("it ends"), Some(2));
            assert_eq!(waits.join().expect("it ends"), Some(2));
        });
        assert_eq!(computed.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn after_a_panic_others_compute() {
        let cell = SingleFlight::default();
        let panics = || cell.get(LONG, |_| true, |_| -> u32 { panic!("as a test") });
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        assert_eq!(cell.get(LONG, |_| true, |_| 7), Some(7));
    }
}
