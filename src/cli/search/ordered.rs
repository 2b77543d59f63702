//! An ordered queue: several threads work on items at the same time, and their outputs are emitted
//! in the order of the items, each as soon as all before it are emitted.
//!
//! Items are claimed in order. Up to [`WAITING_BYTES_MAX`] bytes of outputs wait in the queue;
//! beyond that, a thread blocks with its own output until there is room or until it is next. This
//! cannot deadlock: the thread that has claimed the next item never blocks here.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The maximum number of bytes of waiting outputs of all threads together.
pub(crate) const WAITING_BYTES_MAX: usize = 64 << 20;

/// Receives outputs in order.
pub(crate) trait Sink {
    /// The output of the work on one item.
    type Output: Send;

    /// Returns the memory that an output uses while it waits.
    fn size_bytes(output: &Self::Output) -> usize;

    /// Receives the next output; `Break` cancels the work on all later items.
    fn accept(&mut self, output: Self::Output) -> ControlFlow<()>;

    /// Writes what was accepted, since the next output may take a while.
    fn flush(&mut self) -> ControlFlow<()>;
}

/// Processes `items` with `threads` threads and passes the outputs to `sink` in the order of the
/// items.
///
/// `start` creates the local state of a thread, `work` processes one item.
pub(crate) fn run<T, S, L>(
    items: &[T],
    threads: usize,
    sink: &mut S,
    start: impl Fn() -> L + Sync,
    work: impl Fn(&mut L, &T) -> S::Output + Sync,
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
    state: Mutex<QueueState<'s, S>>,
    turn_changed: Condvar,
}

struct QueueState<'s, S: Sink> {
    /// The index of the next output to emit.
    next: usize,
    /// The outputs from index `next` on, if they are complete; that of `next` is never in here.
    waiting: VecDeque<Option<S::Output>>,
    waiting_bytes: usize,
    /// The number of threads that are blocked with their output.
    blocked: usize,
    sink: &'s mut S,
}

impl<'s, S: Sink> Queue<'s, S> {
    fn new(sink: &'s mut S, len: usize, waiting_bytes_max: usize) -> Queue<'s, S> {
        Queue {
            len,
            waiting_bytes_max,
            claimed: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            state: Mutex::new(QueueState {
                next: 0,
                waiting: VecDeque::new(),
                waiting_bytes: 0,
                blocked: 0,
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

    fn submit(&self, index: usize, output: S::Output) {
        let size_bytes = S::size_bytes(&output);
        let mut state = self.lock();
        while index != state.next {
            if self.stopped.load(Ordering::Relaxed) {
                return;
            }
            if size_bytes == 0 || state.waiting_bytes + size_bytes <= self.waiting_bytes_max {
                state.park(index, output, size_bytes);
                return;
            }
            state.blocked += 1;
            state = self.turn_changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.blocked -= 1;
        }
        if self.stopped.load(Ordering::Relaxed) {
            return;
        }
        if state.advance(output).is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        // A notification is a system call even if no thread is blocked.
        let has_blocked = state.blocked > 0;
        drop(state);
        if has_blocked {
            self.turn_changed.notify_all();
        }
    }

    fn stop(&self) {
        // Set under the lock, so that no thread checks the flag and then misses the notification.
        let state = self.lock();
        self.stopped.store(true, Ordering::Relaxed);
        drop(state);
        self.turn_changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, QueueState<'s, S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Sink> QueueState<'_, S> {
    fn park(&mut self, index: usize, output: S::Output, size_bytes: usize) {
        let place = index - self.next;
        if self.waiting.len() <= place {
            self.waiting.resize_with(place + 1, || None);
        }
        self.waiting[place] = Some(output);
        self.waiting_bytes += size_bytes;
    }

    /// Emits the next output and all that waited only for it.
    fn advance(&mut self, output: S::Output) -> ControlFlow<()> {
        let mut ready = Some(output);
        while let Some(output) = ready {
            self.sink.accept(output)?;
            self.next += 1;
            self.waiting.pop_front();
            ready = self.waiting.front_mut().and_then(Option::take);
            if let Some(output) = &ready {
                self.waiting_bytes -= S::size_bytes(output);
            }
        }
        self.sink.flush()
    }
}

/// Stops the other threads if one panics: the output that they wait for never comes.
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
        type Output = usize;

        fn size_bytes(number: &usize) -> usize {
            *number
        }

        fn accept(&mut self, number: usize) -> ControlFlow<()> {
            self.numbers.push(number);
            if self.stop_at == Some(number) {
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
    fn outputs_are_ordered_for_any_number_of_threads() {
        let items: Vec<usize> = (0..500).collect();
        for threads in [1, 2, 8] {
            let mut sink = Collected::default();
            run(&items, threads, &mut sink, || (), |(), &item| slow_sometimes(item));
            assert_eq!(sink.numbers, items);
        }
    }

    #[test]
    fn a_break_stops_the_threads() {
        let items: Vec<usize> = (0..100_000).collect();
        let mut sink = Collected { stop_at: Some(70), ..Collected::default() };
        run(&items, 4, &mut sink, || (), |(), &item| slow_sometimes(item));
        assert_eq!(sink.numbers, items[..=70]);
    }

    #[test]
    fn a_full_queue_blocks_without_deadlock() {
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
    fn a_panic_stops_the_other_threads() {
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
