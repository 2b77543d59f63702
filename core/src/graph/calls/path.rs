//! The shortest path of calls between two symbols.

use std::collections::{HashMap, HashSet};

use super::{ALL, Bound, Caller, calling_symbols, uses_within};
use crate::graph::link::{Code, Linker, Reason, Site, SymbolAt};
use crate::lang::facts::Role;

/// The most symbols that a search visits.
const VISITED_MAX: usize = 5_000;

/// The number of symbols whose callers are searched together.
const SYMBOLS_AT_ONCE: usize = 32;

/// The most uses of names that a search resolves.
const RESOLVED_MAX: usize = 200_000;

/// A symbol that calls another one, directly or through others.
#[derive(Clone, Debug, PartialEq)]
pub struct CallStep {
    /// The symbol.
    pub symbol: SymbolAt,
    /// The symbol that it calls on this path.
    pub next: SymbolAt,
    /// The call.
    pub site: Site,
    /// The confidence of the call, from 0 to 1.
    pub confidence: f32,
    /// The reason of the call's link.
    pub reason: Reason,
}

/// The shortest path of calls between symbols.
#[derive(Clone, Debug, PartialEq)]
pub struct CallPath {
    /// The calls from first to last; `None` if no path was found.
    pub calls: Option<Vec<CallStep>>,
    /// Without a path: the symbols that lead to the end, beginning with the end itself.
    pub reached: Vec<SymbolAt>,
    /// A bound was reached before all callers were seen, so a path may exist nevertheless.
    pub is_cut: bool,
}

/// Returns the shortest path of calls from one of some symbols to one of others, searched among
/// 5,000 symbols. Of paths of equal length it returns the first by file and position; the path is
/// empty if a symbol is in both lists. A call of a nested function counts for the enclosing
/// function, too.
pub fn shortest_path(
    code: &dyn Code,
    from: &[SymbolAt],
    to: &[SymbolAt],
    confidence_min: f32,
) -> CallPath {
    if from.iter().any(|at| to.contains(at)) {
        return CallPath { calls: Some(Vec::new()), reached: Vec::new(), is_cut: false };
    }
    let (reached, is_cut) = search(code, to, confidence_min, |symbol| from.contains(&symbol));
    let steps: HashMap<SymbolAt, &CallStep> =
        reached.iter().map(|step| (step.symbol, step)).collect();
    let Some(first) = reached.last().filter(|step| from.contains(&step.symbol)) else {
        let reached = to.iter().copied().chain(reached.iter().map(|step| step.symbol)).collect();
        return CallPath { calls: None, reached, is_cut };
    };
    // Each step leads to a symbol that the search reached earlier.
    let calls = std::iter::successors(Some(first), |step| steps.get(&step.next).copied());
    CallPath { calls: Some(calls.cloned().collect()), reached: Vec::new(), is_cut: false }
}

/// Searches breadth first from symbols to their callers, up to one that `is_found` accepts. Returns
/// the calls, and true if a bound ended the search or hid callers.
fn search(
    code: &dyn Code,
    of: &[SymbolAt],
    confidence_min: f32,
    is_found: impl Fn(SymbolAt) -> bool,
) -> (Vec<CallStep>, bool) {
    let mut seen: HashSet<SymbolAt> = of.iter().copied().collect();
    let mut reached = Vec::new();
    let mut level = of.to_vec();
    // Levels have many look-ups in common.
    let linker = Linker::new(code);
    let bound = Bound { roles: &[Role::Call], ..ALL };
    let (mut resolved, mut is_cut) = (0, false);
    while !level.is_empty() {
        let mut next = Vec::new();
        // The uses of a name that several symbols share are resolved once.
        for symbols in level.chunks(SYMBOLS_AT_ONCE) {
            if resolved >= RESOLVED_MAX {
                return (reached, true);
            }
            let mut found = uses_within(&linker, symbols, confidence_min, bound);
            resolved += found.resolved;
            is_cut |= found.is_cut;
            found.uses.retain(|(_, caller)| caller.site.reference.role == Role::Call);
            found.uses.sort_by_key(|(of, _)| *of);
            for (of, Caller { site, confidence, reason }) in found.uses {
                for symbol in calling_symbols(code, &site) {
                    if !seen.insert(symbol) {
                        continue;
                    }
                    next.push(symbol);
                    let (to, site) = (symbols[of], site.clone());
                    reached.push(CallStep { symbol, next: to, site, confidence, reason });
                    if is_found(symbol) {
                        return (reached, false);
                    }
                    if seen.len() >= VISITED_MAX {
                        return (reached, true);
                    }
                }
            }
        }
        level = next;
    }
    (reached, is_cut)
}
