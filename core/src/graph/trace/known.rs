//! The steps that a search found, and what nodes cost over them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::edges::Edge;
use crate::graph::link::SymbolAt;

/// The steps that both searches found.
#[derive(Default)]
pub(super) struct Known {
    pub(super) edges: Vec<Edge>,
    /// The positions of the steps from and to each node.
    out: FxHashMap<SymbolAt, Vec<usize>>,
    pub(super) into: FxHashMap<SymbolAt, Vec<usize>>,
}

impl Known {
    /// Adds a step.
    pub(super) fn add(&mut self, edge: Edge) {
        let at = self.edges.len();
        self.out.entry(edge.from).or_default().push(at);
        self.into.entry(edge.to).or_default().push(at);
        self.edges.push(edge);
    }

    /// Returns the steps from one node to another, in the order in which they were found.
    pub(super) fn parallel(&self, from: SymbolAt, to: SymbolAt) -> impl Iterator<Item = &Edge> {
        let steps = self.out.get(&from).into_iter().flatten();
        steps.map(|at| &self.edges[*at]).filter(move |other| other.to == to)
    }

    /// Returns the least cost of each node from some nodes, and the step by which it has it. With
    /// `is_back`, the cost to them; with `guesses`, also over steps that only a name supports.
    pub(super) fn costs(
        &self,
        ends: &[(SymbolAt, u32)],
        is_back: bool,
        guesses: bool,
    ) -> FxHashMap<SymbolAt, (u32, Option<usize>)> {
        let mut costs: FxHashMap<SymbolAt, (u32, Option<usize>)> = FxHashMap::default();
        let mut heap = BinaryHeap::new();
        for (node, cost) in ends {
            costs.insert(*node, (*cost, None));
            heap.push(Reverse((*cost, *node)));
        }
        let steps = if is_back { &self.into } else { &self.out };
        while let Some(Reverse((cost, node))) = heap.pop() {
            if costs.get(&node).is_some_and(|(known, _)| *known < cost) {
                continue;
            }
            for &at in steps.get(&node).into_iter().flatten() {
                let edge = &self.edges[at];
                if !guesses && edge.kind.is_guess() {
                    continue;
                }
                let next = if is_back { edge.from } else { edge.to };
                let cost = cost + edge.cost();
                if costs.get(&next).is_none_or(|(known, _)| cost < *known) {
                    costs.insert(next, (cost, Some(at)));
                    heap.push(Reverse((cost, next)));
                }
            }
        }
        costs
    }
}
