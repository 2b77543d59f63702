//! An ordered queue: many threads work on items at once, their results come out strictly in the
//! items' order, each as soon as all before it are out.
//!
//! Items are claimed in order. Results that must wait are held up to [`WAITING_BYTES_MAX`]; beyond
//! that a thread holds its own until room is made or its turn comes. That cannot deadlock: the next
//! item in turn is always claimed by a thread that never waits here, since it is its turn.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// So many bytes of results may wait for their turn, all threads together.
pub(crate) const WAITING_BYTES_MAX: usize = 64 << 20;

/// Takes results in order.
pub(crate) trait Sink {
    /// What the work on one item gives.
    type Part: Send;

    /// Returns the memory that a part takes while it waits.
    fn size_bytes(part: &Self::Part) -> usize;

    /// Takes the next part; `Break` ends the work on all items that follow.
    fn accept(&mut self, part: Self::Part) -> ControlFlow<()>;

    /// Hands out what was accepted, since it may take a while until more comes.
    fn flush(&mut self) -> ControlFlow<()>;
}

/// Works on `items` in `threads` threads and gives the results to `sink` in the items' order.
///
/// `start` makes what a thread keeps from item to item, `work` handles one item.
pub(crate) fn run<T, S, L>(
    items: &[T],
    threads: usize,
    sink: &mut S,
    start: impl Fn() -> L + Sync,
    work: impl Fn(&mut L, &T) -> S::Part + Sync,
) where
    T: Sync,
    S: Sink + Send,
{
    let queue = Queue::new(sink, items.len(), WAITING_BYTES_MAX);
    let work_through = || {
        let stop_on_panic = StopOnPanic(&queue);
        let mut local = start();
        while let Some(index) = queue.claim() {
            queue.submit(index, work(&mut local, &items[index]));
        }
        drop(stop_on_panic);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(items.len()) {
            scope.spawn(work_through);
        }
        work_through();
    });
}

struct Queue<'s, S: Sink> {
    len: usize,
    waiting_bytes_max: usize,
    claimed: AtomicUsize,
    stopped: AtomicBool,
    state: Mutex<State<'s, S>>,
    turn_changed: Condvar,
}

struct State<'s, S: Sink> {
    /// The index whose turn it is.
    next: usize,
    /// The parts of `next`, `next + 1` and so on, as far as they are there; never that of `next`.
    waiting: VecDeque<Option<S::Part>>,
    waiting_bytes: usize,
    /// Threads that hold their part until room is made or its turn comes.
    held: usize,
    sink: &'s mut S,
}

impl<'s, S: Sink> Queue<'s, S> {
    fn new(sink: &'s mut S, len: usize, waiting_bytes_max: usize) -> Queue<'s, S> {
        Queue {
            len,
            waiting_bytes_max,
            claimed: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            state: Mutex::new(State {
                next: 0,
                waiting: VecDeque::new(),
                waiting_bytes: 0,
                held: 0,
                sink,
            }),
            turn_changed: Condvar::new(),
        }
    }

    fn claim(&self) -> Option<usize> {
        if self.stopped.load(Ordering::Relaxed) {
            return None;
        }
        let index = self.claimed.fetch_add(1, Ordering::Relaxed);
        (index < self.len).then_some(index)
    }

    fn submit(&self, index: usize, part: S::Part) {
        let size_bytes = S::size_bytes(&part);
        let mut state = self.lock();
        while index != state.next {
            if self.stopped.load(Ordering::Relaxed) {
                return;
            }
            if size_bytes == 0 || state.waiting_bytes + size_bytes <= self.waiting_bytes_max {
                state.park(index, part, size_bytes);
                return;
            }
            state.held += 1;
            state = self.turn_changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.held -= 1;
        }
        if self.stopped.load(Ordering::Relaxed) {
            return;
        }
        if state.advance(part).is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        // Waking nobody still costs a system call.
        let held = state.held > 0;
        drop(state);
        if held {
            self.turn_changed.notify_all();
        }
    }

    fn stop(&self) {
        // Under the lock, so that no thread checks the flag and then misses the wake-up.
        let state = self.lock();
        self.stopped.store(true, Ordering::Relaxed);
        drop(state);
        self.turn_changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<'s, S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Sink> State<'_, S> {
    fn park(&mut self, index: usize, part: S::Part, size_bytes: usize) {
        let place = index - self.next;
        if self.waiting.len() <= place {
            self.waiting.resize_with(place + 1, || None);
        }
        self.waiting[place] = Some(part);
        self.waiting_bytes += size_bytes;
    }

    /// Hands out the part whose turn it is and all that waited only for it.
    fn advance(&mut self, part: S::Part) -> ControlFlow<()> {
        let mut ready = Some(part);
        while let Some(part) = ready {
            self.sink.accept(part)?;
            self.next += 1;
            self.waiting.pop_front();
            ready = self.waiting.front_mut().and_then(Option::take);
            if let Some(part) = &ready {
                self.waiting_bytes -= S::size_bytes(part);
            }
        }
        self.sink.flush()
    }
}

/// Lets the other threads go when one panics: the turn would never come to them.
struct StopOnPanic<'q, 's, S: Sink>(&'q Queue<'s, S>);

impl<S: Sink> Drop for StopOnPanic<'_, '_, S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::time::Duration;

    use super::{Queue, Sink, run};

    #[derive(Default)]
    struct Collected {
        numbers: Vec<usize>,
        stop_at: Option<usize>,
    }

    impl Sink for Collected {
        type Part = usize;

        fn size_bytes(part: &usize) -> usize {
            *part
        }

        fn accept(&mut self, part: usize) -> ControlFlow<()> {
            self.numbers.push(part);
            if self.stop_at == Some(part) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }

        fn flush(&mut self) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    fn slow_sometimes(number: usize) -> usize {
        if number.is_multiple_of(7) {
            std::thread::sleep(Duration::from_micros(300));
        }
        number
    }

    #[test]
    fn results_come_in_order_from_any_number_of_threads() {
        let items: Vec<usize> = (0..500).collect();
        for threads in [1, 2, 8] {
            let mut sink = Collected::default();
            run(&items, threads, &mut sink, || (), |(), &item| slow_sometimes(item));
            assert_eq!(sink.numbers, items);
        }
    }

    #[test]
    fn a_break_ends_the_work() {
        let items: Vec<usize> = (0..100_000).collect();
        let mut sink = Collected { stop_at: Some(70), ..Collected::default() };
        run(&items, 4, &mut sink, || (), |(), &item| slow_sometimes(item));
        assert_eq!(sink.numbers, items[..=70]);
    }

    #[test]
    fn a_full_queue_holds_threads_back_without_deadlock() {
        let items: Vec<usize> = (0..300).collect();
        let mut sink = Collected::default();
        let queue = Queue::new(&mut sink, items.len(), 1);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    while let Some(index) = queue.claim() {
                        queue.submit(index, slow_sometimes(index));
                    }
                });
            }
        });
        drop(queue);
        assert_eq!(sink.numbers, items);
    }

    #[test]
    fn a_panic_lets_the_other_threads_go() {
        let items: Vec<usize> = (0..100).collect();
        let mut sink = Collected::default();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            run(
                &items,
                4,
                &mut sink,
                || (),
                |(), &item| {
                    assert_ne!(item, 3, "this panic is the test");
                    item
                },
            );
        }));
        assert!(outcome.is_err());
        assert!(sink.numbers.len() <= 3);
    }
}
