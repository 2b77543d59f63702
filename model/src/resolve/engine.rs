//! The cache of queries: its rule for cycles, and budgets that do not depend on what is cached.
//!
//! **Cycles.** Every member of a cycle is unknown, and this is cached. A query that was entered but
//! whose cycle is still being evaluated is *open*; reading it gives the unknown value and joins the
//! reader to the cycle (Tarjan's strongly connected components). A component's members are decided
//! together when its first query is done, so that no value depends on where it was entered.
//!
//! **Budget.** A query costs one, plus what it reads, whether that was cached or not. All members
//! of a cycle cost the same. A question whose cost exceeds the budget is undecided as a whole, and
//! nothing of it that was not finished is cached.
//!
//! **Depth.** A chain of queries that is too long for the stack makes the question undecided, too:
//! the length is stored with each value, so that a warm cache changes nothing. A cycle counts as long
//! as it has members, since the length through it depends on where it was entered.

use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::hash::Hash;

/// Caches the values of queries.
pub struct Engine<K, V> {
    entries: RefCell<FxHashMap<K, Entry<V>>>,
    stack: RefCell<Vec<Frame<K>>>,
    /// Queries that are done but whose cycle is not.
    pending: RefCell<Vec<(K, usize)>>,
    entered: Cell<usize>,
    asked: Cell<u64>,
    remaining: Cell<u64>,
    is_exhausted: Cell<bool>,
    /// The longest chain of the question.
    deepest: Cell<usize>,
    depth_max: usize,
    unknown: V,
}

enum Entry<V> {
    Done(V, Size),
    /// On the stack, or in a cycle that is: the first query that it reaches.
    Open(usize),
}

/// What a value costs, and how long the longest chain of queries below it is.
#[derive(Clone, Copy)]
struct Size {
    cost: u64,
    depth: usize,
}

struct Frame<K> {
    key: K,
    index: usize,
    low: usize,
    is_cyclic: bool,
    cost: u64,
    /// The longest chain below, without members of an open cycle.
    depth: usize,
}

impl<K: Copy + Eq + Hash, V: Clone> Engine<K, V> {
    /// Returns an empty cache in which members of cycles get the value `unknown`, and chains of
    /// queries are as long as `depth_max`.
    pub fn new(unknown: V, depth_max: usize) -> Self {
        Self {
            entries: RefCell::default(),
            stack: RefCell::default(),
            pending: RefCell::default(),
            entered: Cell::new(0),
            asked: Cell::new(0),
            remaining: Cell::new(0),
            is_exhausted: Cell::new(false),
            deepest: Cell::new(0),
            depth_max,
            unknown,
        }
    }

    /// Runs a question with a budget. Returns its answer and cost, or none where the budget does
    /// not suffice.
    pub fn question<T>(&self, budget: u64, ask: impl FnOnce() -> T) -> Option<(T, u64)> {
        debug_assert!(self.stack.borrow().is_empty(), "a question asks no other");
        self.remaining.set(budget);
        self.is_exhausted.set(false);
        self.entered.set(0);
        self.deepest.set(0);
        let answer = ask();
        if self.deepest.get() > self.depth_max {
            self.is_exhausted.set(true);
        }
        (!self.is_exhausted.get()).then(|| (answer, budget - self.remaining.get()))
    }

    /// Returns the value of `key`, which `compute` gives where it is not cached.
    pub fn ask(&self, key: K, compute: impl FnOnce() -> V) -> V {
        self.asked.set(self.asked.get() + 1);
        if self.is_exhausted.get() {
            return self.unknown.clone();
        }
        let cached = match self.entries.borrow().get(&key) {
            Some(Entry::Done(value, size)) => Some((value.clone(), *size, None)),
            Some(Entry::Open(low)) => {
                Some((self.unknown.clone(), Size { cost: 1, depth: 0 }, Some(*low)))
            }
            None => None,
        };
        if let Some((value, Size { cost, depth }, low)) = cached {
            self.charge(cost);
            match self.stack.borrow_mut().last_mut() {
                Some(frame) => {
                    frame.depth = frame.depth.max(depth);
                    frame.cost = frame.cost.saturating_add(cost);
                    if let Some(low) = low {
                        frame.low = frame.low.min(low);
                        frame.is_cyclic |= low == frame.index;
                    }
                }
                None => self.deepest.set(self.deepest.get().max(depth)),
            }
            return if self.is_exhausted.get() { self.unknown.clone() } else { value };
        }
        self.charge(1);
        if self.stack.borrow().len() >= self.depth_max {
            self.is_exhausted.set(true);
            return self.unknown.clone();
        }
        let index = self.entered.replace(self.entered.get() + 1);
        self.entries.borrow_mut().insert(key, Entry::Open(index));
        let frame = Frame { key, index, low: index, is_cyclic: false, cost: 1, depth: 0 };
        self.stack.borrow_mut().push(frame);
        let value = compute();
        self.finish(value)
    }

    /// Takes the frame of a query that was computed and decides whether its value can be cached.
    fn finish(&self, value: V) -> V {
        let frame = self.stack.borrow_mut().pop().expect("a frame was pushed for this query");
        let mut entries = self.entries.borrow_mut();
        let mut pending = self.pending.borrow_mut();
        // Those of an inner cycle were entered later; the list is in the order of entry.
        let first = pending.partition_point(|&(_, index)| index < frame.index);
        let members = pending.split_off(first);
        if self.is_exhausted.get() {
            entries.remove(&frame.key);
            for (key, _) in members {
                entries.remove(&key);
            }
            return self.unknown.clone();
        }
        let is_in_cycle = frame.low < frame.index;
        let depth = if is_in_cycle { frame.depth } else { frame.depth + members.len() + 1 };
        match self.stack.borrow_mut().last_mut() {
            Some(parent) => {
                parent.cost = parent.cost.saturating_add(frame.cost);
                parent.low = parent.low.min(frame.low);
                parent.depth = parent.depth.max(depth);
            }
            None => self.deepest.set(self.deepest.get().max(depth)),
        }
        if is_in_cycle {
            entries.insert(frame.key, Entry::Open(frame.low));
            pending.push((frame.key, frame.index));
            pending.extend(members);
            return self.unknown.clone();
        }
        let is_cyclic = frame.is_cyclic || !members.is_empty();
        let value = if is_cyclic { self.unknown.clone() } else { value };
        let size = Size { cost: frame.cost, depth };
        for (key, _) in members {
            entries.insert(key, Entry::Done(self.unknown.clone(), size));
        }
        entries.insert(frame.key, Entry::Done(value.clone(), size));
        value
    }

    fn charge(&self, cost: u64) {
        match self.remaining.get().checked_sub(cost) {
            Some(remaining) => self.remaining.set(remaining),
            None => self.is_exhausted.set(true),
        }
    }

    /// Forgets all values.
    pub fn forget(&self) {
        self.entries.borrow_mut().clear();
    }

    /// Returns how often a query was asked.
    pub fn asked(&self) -> u64 {
        self.asked.get()
    }

    /// Makes the question undecided: it needs more than its answer may cost.
    pub fn exhaust(&self) {
        self.is_exhausted.set(true);
    }

    /// Returns whether the question is undecided.
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted.get()
    }
}

#[cfg(test)]
mod tests {
    use super::Engine;

    /// Evaluates a graph of reads: a node's value is one more than the largest that it reads, or
    /// that of `otherwise` where one of them is unknown.
    struct Graph {
        reads: Vec<Vec<usize>>,
        otherwise: Vec<Vec<usize>>,
        engine: Engine<usize, Option<u32>>,
    }

    impl Graph {
        fn value(&self, node: usize) -> Option<u32> {
            self.engine.ask(node, || {
                let read: Vec<_> = self.reads[node].iter().map(|&next| self.value(next)).collect();
                if read.iter().all(Option::is_some) {
                    return Some(1 + read.into_iter().flatten().max().unwrap_or(0));
                }
                let read = self.otherwise[node].iter().map(|&next| self.value(next));
                Some(100 + read.flatten().max().unwrap_or(0))
            })
        }
    }

    proptest::proptest! {
        /// Values and whether a budget suffices are the same in every order, cold and warm.
        #[test]
        fn answers_do_not_depend_on_the_order_of_questions(
            reads in proptest::collection::vec(proptest::collection::vec(0usize..9, 0..4), 9),
            otherwise in proptest::collection::vec(proptest::collection::vec(0usize..9, 0..3), 9),
            order in proptest::collection::vec(0usize..9, 1..30),
            budget in 1u64..200,
            depth in 1usize..12,
        ) {
            let graph = |budget| {
                let engine = Engine::new(None, depth);
                let graph = Graph { reads: reads.clone(), otherwise: otherwise.clone(), engine };
                move |node| graph.engine.question(budget, || graph.value(node))
            };
            let warm = graph(budget);
            for node in order {
                proptest::prop_assert_eq!(warm(node), graph(budget)(node), "node {}", node);
            }
        }
    }
}
