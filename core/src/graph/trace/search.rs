//! The chains between two ends: a search by cost from both of them at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::callbacks;
use super::edges::{Edge, Open};
use super::forward::Forward;
use super::known::Known;
use crate::graph::link::{Code, Linker, SymbolAt};

/// Chains that cost more than the best one by this share, in percent, are not shown.
const WORSE_MAX: u32 = 100;

/// The number of steps over which a chain is looked for.
const EXAMINED_MAX: usize = 1_000;

/// The number of doubtful steps of a chain: one of more is a guess.
const DOUBTFUL_MAX: usize = 3;

/// The number of nodes without callers from which the chains to the end are kept.
const ENTRIES_MAX: usize = 256;

/// A chain of steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The node where it begins.
    pub start: SymbolAt,
    /// The steps in order; none if the start is an end.
    pub edges: Vec<Edge>,
    /// The sum of the costs of the steps, and of the start.
    pub cost: u32,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The chains, best first, those without guesses before others. Each has a node that none before it
    /// has.
    pub chains: Vec<Chain>,
    /// The nodes that the start leads to, nearest first.
    pub reached: Vec<SymbolAt>,
    /// The nodes that lead to the end, nearest first.
    pub leading: Vec<SymbolAt>,
    /// The chains to the end by steps that are no guesses from nodes to which no such step leads, the
    /// shortest first. Their cost is 0.
    pub entries: Vec<Chain>,
    /// The calls of `reached` that nothing resolves, in the same order.
    pub open: Vec<Open>,
    /// How many uses of names were resolved.
    pub resolved: usize,
    /// The search ended at a limit, so there may be other chains.
    pub is_cut: bool,
}

/// The least known cost of each node.
type Costs = FxHashMap<SymbolAt, u32>;

/// One of the two searches.
#[derive(Default)]
struct Side {
    costs: Costs,
    /// Nodes to be visited.
    heap: BinaryHeap<Reverse<(u32, SymbolAt)>>,
    /// The visited nodes, nearest first.
    visited: Vec<SymbolAt>,
    done: FxHashSet<SymbolAt>,
    /// How many uses it resolved.
    spent: usize,
}

impl Side {
    fn offer(&mut self, node: SymbolAt, cost: u32) {
        if self.costs.get(&node).is_none_or(|known| cost < *known) {
            self.costs.insert(node, cost);
            self.heap.push(Reverse((cost, node)));
        }
    }

    /// Returns the next node to visit with its cost.
    fn next(&mut self) -> Option<(u32, SymbolAt)> {
        while let Some(Reverse((cost, node))) = self.heap.pop() {
            if self.done.insert(node) {
                self.visited.push(node);
                return Some((cost, node));
            }
        }
        None
    }

    /// Returns the cost of the next node.
    fn least(&self) -> Option<u32> {
        self.heap.peek().map(|Reverse((cost, _))| *cost)
    }
}

/// Returns the chains from one of some nodes, each with a cost to begin there, to one of others: at most
/// `chains_max`, best first. The search ends when `resolved_max` uses of names were resolved.
///
/// The result does not depend on timing.
pub fn chains(
    code: &dyn Code,
    from: &[(SymbolAt, u32)],
    to: &[(SymbolAt, u32)],
    chains_max: usize,
    resolved_max: usize,
) -> Found {
    let linker = Linker::new(code);
    let steps = Forward::new(&linker);
    let (mut ahead, mut back) = (Side::default(), Side::default());
    from.iter().for_each(|(node, cost)| ahead.offer(*node, *cost));
    to.iter().for_each(|(node, cost)| back.offer(*node, *cost));
    let (mut found, mut known) = (Found::default(), Known::default());
    let mut limit = from
        .iter()
        .filter_map(|(node, cost)| Some(cost + back.costs.get(node)?))
        .min()
        .unwrap_or(u32::MAX);
    loop {
        // The two find different kinds of steps, so one goes on where the other has ended.
        let (least_ahead, least_back) = (ahead.least(), back.least());
        if least_ahead.or(least_back).is_none()
            || least_ahead.unwrap_or(0).saturating_add(least_back.unwrap_or(0)) > limit
        {
            break;
        }
        let before = steps.count.get();
        if before >= resolved_max {
            found.is_cut = true;
            break;
        }
        let is_ahead = least_ahead.is_some() && (ahead.spent <= back.spent || least_back.is_none());
        let (side, other) =
            if is_ahead { (&mut ahead, &mut back) } else { (&mut back, &mut ahead) };
        let Some((cost, node)) = side.next() else { continue };
        let edges = if is_ahead {
            let of = steps.steps(node);
            found.open.extend(of.open);
            of.edges
        } else {
            let (edges, is_cut) = steps.steps_to(node);
            found.is_cut |= is_cut;
            edges
        };
        for edge in edges {
            let next = if is_ahead { edge.to } else { edge.from };
            let cost = cost + edge.cost();
            side.offer(next, cost);
            if let Some(rest) = other.costs.get(&next) {
                let whole = cost + rest;
                limit = limit.min(whole + whole * WORSE_MAX / 100);
            }
            known.add(edge);
        }
        // A visit that resolves nothing costs as well.
        side.spent += (steps.count.get() - before).max(1);
    }
    found.chains = extract(&steps, &known, from, to, chains_max);
    found.entries = entries(&known, to);
    found.resolved = steps.count.get();
    found.reached = ahead.visited;
    found.leading = back.visited;
    found
}

/// Returns the shortest chains to some ends from nodes to which nothing leads; see [`Found::entries`].
fn entries(known: &Known, to: &[(SymbolAt, u32)]) -> Vec<Chain> {
    let mut nodes: Vec<SymbolAt> = to.iter().map(|(node, _)| *node).collect();
    let mut next: FxHashMap<SymbolAt, Option<usize>> =
        nodes.iter().map(|node| (*node, None)).collect();
    let (mut at, mut found) = (0, Vec::new());
    while let Some(node) = nodes.get(at).copied() {
        at += 1;
        let steps = known.into.get(&node).into_iter().flatten().copied();
        let steps = steps.filter(|step| !known.edges[*step].kind.is_doubtful());
        let mut is_entry = true;
        for step in steps {
            is_entry = false;
            let from = known.edges[step].from;
            next.entry(from).or_insert_with(|| {
                nodes.push(from);
                Some(step)
            });
        }
        if is_entry && found.len() < ENTRIES_MAX {
            let (mut edges, mut around) = (Vec::new(), node);
            while let Some(Some(step)) = next.get(&around) {
                edges.push(known.edges[*step].clone());
                around = known.edges[*step].to;
            }
            found.push(Chain { start: node, edges, cost: 0 });
        }
    }
    found
}

/// Returns the best chains over the known steps: those without guesses, then the ones with guesses that
/// cost less than these.
fn extract(
    steps: &Forward<'_, '_>,
    known: &Known,
    from: &[(SymbolAt, u32)],
    to: &[(SymbolAt, u32)],
    chains_max: usize,
) -> Vec<Chain> {
    if let Some((start, cost)) = from.iter().find(|(node, _)| to.iter().any(|(to, _)| to == node)) {
        return vec![Chain { start: *start, edges: Vec::new(), cost: *cost }];
    }
    let mut nodes = FxHashSet::default();
    let mut chains: Vec<Chain> = Vec::new();
    for guesses in [false, true] {
        let (ahead, back) = (known.costs(from, false, guesses), known.costs(to, true, guesses));
        let of = Costed { steps, known, ahead, back, guesses };
        let best = chains.first().map(|chain| chain.cost);
        let mut found = of.chains(&mut nodes, chains_max - chains.len(), best);
        found.sort_by_key(|chain| chain.cost);
        chains.extend(found);
    }
    chains
}

/// The least costs of nodes from the start and to the end.
struct Costed<'k, 'f> {
    steps: &'k Forward<'f, 'f>,
    known: &'k Known,
    ahead: FxHashMap<SymbolAt, (u32, Option<usize>)>,
    back: FxHashMap<SymbolAt, (u32, Option<usize>)>,
    /// Also over steps that only a name supports.
    guesses: bool,
}

impl Costed<'_, '_> {
    /// Returns the best chains that have a node which is not in `nodes`: first one for each way in which
    /// the end is reached, then others. With `below`, only those that cost less.
    fn chains(
        &self,
        nodes: &mut FxHashSet<SymbolAt>,
        chains_max: usize,
        below: Option<u32>,
    ) -> Vec<Chain> {
        // The cheapest chain over each step.
        let all = self.known.edges.iter().enumerate();
        let all = all.filter(|(_, edge)| self.guesses || !edge.kind.is_guess());
        let whole = all.filter_map(|(at, edge)| {
            let (begin, rest) = (self.ahead.get(&edge.from)?.0, self.back.get(&edge.to)?.0);
            Some((begin + edge.cost() + rest, at))
        });
        let mut whole: Vec<(u32, usize)> = whole.collect();
        whole.sort_unstable();
        let Some(best) = whole.first().map(|(cost, _)| *cost) else { return Vec::new() };
        let limit = below.map_or(best + best * WORSE_MAX / 100, |below| below.saturating_sub(1));
        whole.retain(|(cost, _)| *cost <= limit);
        let mut chains: Vec<Chain> = Vec::new();
        let mut lasts = FxHashSet::default();
        for is_first in [true, false] {
            for &(cost, at) in whole.iter().take(EXAMINED_MAX) {
                if chains.len() >= chains_max {
                    break;
                }
                let Some(mut edges) = self.over(at) else { continue };
                let (Some(first), Some(last)) = (edges.first(), edges.last()) else { continue };
                let doubtful = edges.iter().filter(|edge| edge.kind.is_doubtful()).count();
                if doubtful > DOUBTFUL_MAX || is_first && lasts.contains(&last.from) {
                    continue;
                }
                let (start, last) = (first.from, last.from);
                let all = || std::iter::once(start).chain(edges.iter().map(|edge| edge.to));
                if all().all(|node| nodes.contains(&node))
                    || !callbacks::settle(self.steps, self.known, &mut edges)
                {
                    continue;
                }
                lasts.insert(last);
                nodes.extend(std::iter::once(start).chain(edges.iter().map(|edge| edge.to)));
                chains.push(Chain { start, edges, cost });
            }
        }
        chains
    }

    /// Returns the steps of the cheapest chain over a step; `None` if it passes a node twice.
    fn over(&self, at: usize) -> Option<Vec<Edge>> {
        let middle = &self.known.edges[at];
        let mut edges = vec![middle.clone()];
        let mut seen = FxHashSet::from_iter([middle.from]);
        if !seen.insert(middle.to) {
            return None;
        }
        let mut node = middle.from;
        while let Some((_, Some(at))) = self.ahead.get(&node) {
            let edge = &self.known.edges[*at];
            if !seen.insert(edge.from) {
                return None;
            }
            edges.push(edge.clone());
            node = edge.from;
        }
        edges.reverse();
        let mut node = middle.to;
        while let Some((_, Some(at))) = self.back.get(&node) {
            let edge = &self.known.edges[*at];
            if !seen.insert(edge.to) {
                return None;
            }
            edges.push(edge.clone());
            node = edge.to;
        }
        Some(edges)
    }
}
