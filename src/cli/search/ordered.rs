//! An ordered queue: several threads work on items at the same time, and their outputs are emitted
//! in the order of the items, each as soon as all before it are emitted.
//!
//! Items are claimed in order. Up to [`WAITING_BYTES_MAX`] bytes of outputs wait in the queue;
//! beyond that, a thread blocks with its own output until there is room or until it is next. A thread
//! can also emit a part of a large output before its item is processed ([`Queue::emit`]). This cannot
//! deadlock: the thread that has claimed the next item never blocks here.

use std::cell::Cell;
use std::collections::VecDeque;
use std::iter::Enumerate;
use std::ops::ControlFlow;
use std::rc::Rc;
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

/// A sink that accepts an output in parts.
pub(crate) trait PartSink: Sink {
    /// Receives a part of the next output, before [`Sink::accept`]; `Break` cancels all work.
    fn accept_part(&mut self, bytes: &[u8]) -> ControlFlow<()>;
}

/// The items of a run, which threads claim in order.
pub(crate) trait Items: Sync {
    /// One item, or a reference to it.
    type Item;

    /// Returns the next item and its index, which counts from 0; `None` after the last one.
    fn claim(&self) -> Option<(usize, Self::Item)>;

    /// Returns the number of items, if it is known.
    fn count(&self) -> Option<usize>;
}

/// Items that are listed before the run.
#[derive(Debug)]
pub(crate) struct Listed<'a, T> {
    items: &'a [T],
    claimed: AtomicUsize,
}

impl<'a, T> Listed<'a, T> {
    pub(crate) fn new(items: &'a [T]) -> Listed<'a, T> {
        Listed { items, claimed: AtomicUsize::new(0) }
    }
}

impl<'a, T: Sync> Items for Listed<'a, T> {
    type Item = &'a T;

    fn claim(&self) -> Option<(usize, &'a T)> {
        let index = self.claimed.fetch_add(1, Ordering::Relaxed);
        self.items.get(index).map(|item| (index, item))
    }

    fn count(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// Items that are listed during the run, by the threads that claim them.
#[derive(Debug)]
pub(crate) struct Streamed<I: Iterator>(Mutex<Enumerate<I>>);

impl<I: Iterator> Streamed<I> {
    pub(crate) fn new(items: I) -> Streamed<I> {
        Streamed(Mutex::new(items.enumerate()))
    }
}

impl<I: Iterator + Send> Items for Streamed<I> {
    type Item = I::Item;

    fn claim(&self) -> Option<(usize, I::Item)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    fn count(&self) -> Option<usize> {
        None
    }
}

/// The index of the item that a thread is processing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Position(Rc<Cell<usize>>);

/// Processes `items` with `threads` threads and passes the outputs to `sink` in the order of the
/// items.
///
/// `start` creates the local state of a thread, `work` processes one item.
pub(crate) fn run<I, S, L>(
    items: &I,
    threads: usize,
    sink: &mut S,
    start: impl Fn() -> L + Sync,
    work: impl Fn(&mut L, I::Item) -> S::Output + Sync,
) where
    I: Items,
    S: Sink + Send,
{
    Queue::new(sink, WAITING_BYTES_MAX).run(items, threads, |_| start(), work);
}

/// The queue of one run.
pub(crate) struct Queue<'s, S: Sink> {
    waiting_bytes_max: usize,
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
    /// Returns a queue in which up to `waiting_bytes_max` bytes of outputs wait.
    pub(crate) fn new(sink: &'s mut S, waiting_bytes_max: usize) -> Queue<'s, S> {
        Queue {
            waiting_bytes_max,
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

    /// As [`run()`]; `start` also gets the position of its thread, for [`Queue::emit`].
    pub(crate) fn run<I, L>(
        &self,
        items: &I,
        threads: usize,
        start: impl Fn(Position) -> L + Sync,
        work: impl Fn(&mut L, I::Item) -> S::Output + Sync,
    ) where
        I: Items,
        S: Send,
    {
        let work_through = || {
            let stop_on_panic = StopOnPanic(self);
            let position = Position::default();
            let mut local = start(position.clone());
            while let Some((index, item)) = self.claim(items) {
                position.0.set(index);
                self.submit(index, work(&mut local, item));
            }
            drop(stop_on_panic);
        };
        std::thread::scope(|scope| {
            for _ in 1..items.count().map_or(threads, |count| threads.min(count)) {
                scope.spawn(work_through);
            }
            work_through();
        });
    }

    fn claim<I: Items>(&self, items: &I) -> Option<(usize, I::Item)> {
        if self.stopped.load(Ordering::Relaxed) { None } else { items.claim() }
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
            state = self.wait(state);
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

    /// Waits until the turn may have changed.
    fn wait<'g>(
        &self,
        mut state: MutexGuard<'g, QueueState<'s, S>>,
    ) -> MutexGuard<'g, QueueState<'s, S>> {
        state.blocked += 1;
        state = self.turn_changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.blocked -= 1;
        state
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

impl<S: PartSink> Queue<'_, S> {
    /// Waits until the outputs of all earlier items are emitted, then emits `part` of the output of
    /// the item at `position`, which the calling thread is processing. `Break` if the work is
    /// cancelled.
    pub(crate) fn emit(&self, position: &Position, part: &[u8]) -> ControlFlow<()> {
        let mut state = self.lock();
        while position.0.get() != state.next && !self.stopped.load(Ordering::Relaxed) {
            state = self.wait(state);
        }
        if self.stopped.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        let flow = state.sink.accept_part(part);
        drop(state);
        if flow.is_break() {
            self.stop();
        }
        flow
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

    use super::{Listed, PartSink, Queue, Sink, Streamed, WAITING_BYTES_MAX, run};

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

    /// Each part is a number; so is the rest of each output.
    impl PartSink for Collected {
        fn accept_part(&mut self, part: &[u8]) -> ControlFlow<()> {
            let number = std::str::from_utf8(part).expect("text").parse().expect("a number");
            self.accept(number)
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
            run(&Listed::new(&items), threads, &mut sink, || (), |(), &item| slow_sometimes(item));
            assert_eq!(sink.numbers, items);
            let streamed = Streamed::new(items.iter().copied());
            let mut sink = Collected::default();
            run(&streamed, threads, &mut sink, || (), |(), item| slow_sometimes(item));
            assert_eq!(sink.numbers, items);
        }
    }

    #[test]
    fn parts_are_emitted_before_the_rest_of_their_output() {
        let items: Vec<usize> = (0..500).collect();
        // Every fifth output has two parts and a rest.
        let has_parts = |item: usize| item.is_multiple_of(5);
        let expected: Vec<usize> = items
            .iter()
            .flat_map(|&item| std::iter::repeat_n(item, if has_parts(item) { 3 } else { 1 }))
            .collect();
        for (threads, stop_at) in [(1, None), (2, None), (8, None), (2, Some(250)), (8, Some(250))]
        {
            let mut sink = Collected { stop_at, ..Collected::default() };
            let queue = Queue::new(&mut sink, WAITING_BYTES_MAX);
            queue.run(
                &Listed::new(&items),
                threads,
                |position| position,
                |position, &item| {
                    slow_sometimes(item);
                    let part = item.to_string();
                    let emit = || queue.emit(position, part.as_bytes());
                    if has_parts(item) && emit().is_continue() {
                        let _ = emit();
                    }
                    item
                },
            );
            drop(queue);
            let end = stop_at.map_or(expected.len(), |at| {
                1 + expected.iter().position(|&item| item == at).expect("it is an item")
            });
            assert_eq!(sink.numbers, expected[..end], "{threads} {stop_at:?}");
        }
    }

    #[test]
    fn a_break_stops_the_threads() {
        let items: Vec<usize> = (0..100_000).collect();
        let mut sink = Collected { stop_at: Some(70), ..Collected::default() };
        run(&Listed::new(&items), 4, &mut sink, || (), |(), &item| slow_sometimes(item));
        assert_eq!(sink.numbers, items[..=70]);
    }

    #[test]
    fn a_full_queue_blocks_without_deadlock() {
        let items: Vec<usize> = (0..300).collect();
        let mut sink = Collected::default();
        let queue = Queue::new(&mut sink, 1);
        let listed = Listed::new(&items);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    while let Some((index, &item)) = queue.claim(&listed) {
                        queue.submit(index, slow_sometimes(item));
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
                &Listed::new(&items),
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
