//! The shortest chain of calls between two symbols.

use std::collections::{HashMap, HashSet};

use super::{Caller, calling_symbols, uses_of};
use crate::graph::link::{Code, Reason, Site, SymbolAt};
use crate::lang::facts::Role;

/// Symbols that a search for a chain of calls visits.
const VISITED_MAX: usize = 5_000;

/// Symbols whose callers a search looks for at once.
const SYMBOLS_AT_ONCE: usize = 32;

/// Uses of names that a search for a chain of calls resolves before it gives up.
const RESOLVED_MAX: usize = 200_000;

/// A symbol that calls another one, perhaps through others.
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    /// The symbol.
    pub symbol: SymbolAt,
    /// What it calls on the way.
    pub next: SymbolAt,
    /// The call.
    pub site: Site,
    /// How sure that call is.
    pub confidence: f32,
    /// Why.
    pub reason: Reason,
}

/// The shortest chain of calls between symbols.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The calls, the first one first; `None` if no chain was found.
    pub calls: Option<Vec<Reached>>,
    /// A limit was reached before all callers were seen, so there may be one nevertheless.
    pub is_cut: bool,
}

/// Returns the shortest chain of calls from one of some symbols to one of others, the first call
/// first, searched among 5,000 symbols. Of equally short ones it is the first by files and places;
/// it is empty if a symbol is among both. What a function calls that is nested in another one counts
/// as a call of both.
pub fn shortest(code: &dyn Code, from: &[SymbolAt], to: &[SymbolAt], least: f32) -> Chain {
    if from.iter().any(|at| to.contains(at)) {
        return Chain { calls: Some(Vec::new()), is_cut: false };
    }
    let (reached, is_cut) = search(code, to, least, |symbol| from.contains(&symbol));
    let steps: HashMap<SymbolAt, &Reached> =
        reached.iter().map(|step| (step.symbol, step)).collect();
    let Some(first) = reached.last().filter(|step| from.contains(&step.symbol)) else {
        return Chain { calls: None, is_cut };
    };
    // Each step leads to a symbol that was reached before it.
    let calls = std::iter::successors(Some(first), |step| steps.get(&step.next).copied());
    Chain { calls: Some(calls.cloned().collect()), is_cut: false }
}

/// Goes breadth first from symbols to those that call them, up to one that `is_found`; tells if a
/// limit ended it, or kept callers from being seen.
fn search(
    code: &dyn Code,
    of: &[SymbolAt],
    least: f32,
    is_found: impl Fn(SymbolAt) -> bool,
) -> (Vec<Reached>, bool) {
    let mut seen: HashSet<SymbolAt> = of.iter().copied().collect();
    let mut reached = Vec::new();
    let mut level = of.to_vec();
    let (mut resolved, mut is_cut) = (0, false);
    while !level.is_empty() {
        let mut next = Vec::new();
        // Several at once, since uses of a name that they share are resolved once.
        for symbols in level.chunks(SYMBOLS_AT_ONCE) {
            if resolved >= RESOLVED_MAX {
                return (reached, true);
            }
            let mut found = uses_of(code, symbols, least);
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
                    reached.push(Reached { symbol, next: to, site, confidence, reason });
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
