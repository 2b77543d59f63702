//! Where a path of calls most likely breaks: an unresolved call, or a function passed as a value.

use std::collections::{HashMap, HashSet};

use super::{Callees, callees, calling_symbols};
use crate::graph::link::{Code, Linker, Reason, Site, SymbolAt, Use};
use crate::graph::weights;
use crate::lang::facts::Role;

/// The most symbols that are visited from the start.
const VISITED_MAX: usize = 400;

/// The most names of symbols that lead to the end.
const NAMES_MAX: usize = 200;

/// The most uses of one name that are examined.
const SITES_MAX: usize = 2_000;

/// A call that may connect two symbols, but is not resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingLink {
    /// The function that contains it, which the start calls, directly or through others.
    pub from: SymbolAt,
    /// What it may call, which calls the end, directly or through others.
    pub to: SymbolAt,
    /// The use.
    pub site: Site,
    /// The confidence, from 0 to 1.
    pub confidence: f32,
    /// Why it is not an answer; `None` if the function is passed as a value.
    pub reason: Option<Reason>,
}

/// Returns the most likely unresolved call between what `from` calls and what calls `to`, which
/// [`super::CallPath::reached`] lists.
pub fn missing_link(
    code: &dyn Code,
    from: &[SymbolAt],
    to: &[SymbolAt],
    confidence_min: f32,
) -> Option<MissingLink> {
    let mut named: HashMap<String, Vec<SymbolAt>> = HashMap::new();
    for &at in to {
        let Some(facts) = code.file(at.file) else { continue };
        let Some(symbol) = facts.symbols.get(at.place as usize) else { continue };
        if named.len() < NAMES_MAX || named.contains_key(&symbol.name) {
            named.entry(symbol.name.clone()).or_default().push(at);
        }
    }
    let linker = Linker::new(code);
    let mut best: Option<MissingLink> = None;
    let mut see = |link: MissingLink| {
        if best.as_ref().is_none_or(|best| link.confidence > best.confidence) {
            best = Some(link);
        }
    };
    let mut visited: Vec<SymbolAt> = from.to_vec();
    let mut seen: HashSet<SymbolAt> = from.iter().copied().collect();
    let mut next = 0;
    while let Some(&at) = visited.get(next).filter(|_| next < VISITED_MAX) {
        next += 1;
        let Callees { calls, unresolved } = callees(code, at, confidence_min);
        visited.extend(calls.iter().map(|call| call.link.to).filter(|&to| seen.insert(to)));
        for call in unresolved {
            let facts = code.file(at.file);
            let of_super = facts.as_ref().and_then(|facts| {
                let method = facts.method_of_super(&call.name, call.site.reference.enclosing)?;
                Some(facts.symbols[method].name.as_str())
            });
            let Some(of) = named.get(of_super.unwrap_or(&*call.name)) else { continue };
            let (file, reference) = (call.site.file, &call.site.reference);
            let outcome = linker.outcome_at(file, &call.name, reference);
            let used = Use::new(&call.name, reference);
            let possible = linker.possibilities(file, used, &outcome.links, of);
            for (&to, possible) in of.iter().zip(possible) {
                if let Some((confidence, reason)) = possible {
                    let (site, reason) = (call.site.clone(), Some(reason));
                    see(MissingLink { from: at, to, site, confidence, reason });
                }
            }
        }
    }
    let mut names: Vec<&String> = named.keys().collect();
    names.sort_unstable();
    for name in names {
        let sites = code.sites(name).into_iter().take(SITES_MAX);
        for site in sites.filter(|site| site.reference.role == Role::Read) {
            let around = calling_symbols(code, &site);
            let Some(&at) = around.iter().find(|at| seen.contains(at)) else { continue };
            let links = linker.resolve(site.file, Use::new(name, &site.reference));
            let is_answer = |link: &&crate::graph::link::Link| link.confidence >= confidence_min;
            let to = links.iter().filter(is_answer).find(|link| named[name].contains(&link.to));
            if let Some(to) = to.map(|link| link.to) {
                see(MissingLink { from: at, to, site, confidence: weights::PASSED, reason: None });
            }
        }
    }
    best
}
