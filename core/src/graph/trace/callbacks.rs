//! Which of several steps between the same nodes belong to a chain: those whose calls pass what runs later
//! in it.

use super::arguments::words;
use super::edges::{Edge, Kind};
use super::forward::Forward;
use super::known::Known;
use crate::graph::link::{Site, SymbolAt};

/// The most bytes of a line that are looked at.
const LINE_MAX: usize = 1 << 10;

/// The most steps between two nodes of which the best is looked for.
const PARALLEL_MAX: usize = 256;

/// Makes the steps of a chain agree: what a function calls as its parameter is what a call in the chain
/// passes for it, and of several steps between two nodes it has the one whose line names what follows.
/// Returns false if a call in the chain passes something else.
pub(super) fn settle(steps: &Forward<'_, '_>, known: &Known, edges: &mut [Edge]) -> bool {
    for at in 0..edges.len() {
        let (before, rest) = edges.split_at_mut(at);
        let Some(edge) = rest.first_mut().filter(|edge| !edge.passed.is_empty()) else { continue };
        let passing = match passing(steps, before, &edge.passed) {
            Some(calls) => calls,
            None => {
                let others =
                    known.parallel(edge.from, edge.to).filter(|other| other.kind == Kind::Callback);
                let mut fitting = others.take(PARALLEL_MAX).filter_map(|other| {
                    Some((other.clone(), passing(steps, before, &other.passed)?))
                });
                let Some((other, calls)) = fitting.next() else { return false };
                *edge = other;
                calls
            }
        };
        for (at, site) in passing {
            before[at].site = Some(site);
        }
    }
    for at in 0..edges.len() {
        let later: Vec<SymbolAt> = edges[at + 1..].iter().map(|edge| edge.to).collect();
        if edges[at + 1..].iter().all(|edge| edge.passed.is_empty())
            && let Some(best) = naming(steps, known, &edges[at], &later)
        {
            edges[at].site = Some(best);
        }
    }
    true
}

/// Returns the calls that must stand in place of steps in `before` so that they pass something through the
/// functions of `passed`; `None` if another function calls one of these.
pub(super) fn passing(
    steps: &Forward<'_, '_>,
    before: &[Edge],
    passed: &[(SymbolAt, Site)],
) -> Option<Vec<(usize, Site)>> {
    let (mut end, mut calls) = (before.len(), Vec::new());
    for (function, site) in passed {
        // Where nothing in the chain calls it, any caller may have passed it.
        let Some(at) = before[..end].iter().rposition(|edge| edge.to == *function) else { break };
        let edge = &before[at];
        let is_call = matches!(edge.kind, Kind::Call | Kind::Override);
        let Some(own) = edge.site.as_ref().filter(|_| is_call) else { break };
        if own != site {
            // The same function may call it several times.
            if edge.from != steps.holder(site.file, &site.reference) {
                return None;
            }
            calls.push((at, site.clone()));
        }
        end = at;
    }
    Some(calls)
}

/// Returns the use by which a step leads on whose line names one of the nodes `later`, or its type, the last
/// one first; `None` if none does, or that of the step itself.
fn naming(steps: &Forward<'_, '_>, known: &Known, edge: &Edge, later: &[SymbolAt]) -> Option<Site> {
    let own = edge.site.as_ref()?;
    let same = known.parallel(edge.from, edge.to).filter(|other| other.kind == edge.kind);
    let mut sites: Vec<&Site> = same.take(PARALLEL_MAX).filter_map(|of| of.site.as_ref()).collect();
    sites.sort_by_key(|site| (site.file, site.reference.span.start));
    sites.dedup();
    if sites.len() < 2 {
        return None;
    }
    let code = steps.linker.code();
    let names = |of: &SymbolAt| {
        let facts = steps.linker.file(of.file)?;
        let name = facts.symbols.get(of.place as usize)?.name.clone();
        Some((facts.owner(of.place as usize).map(str::to_owned), name))
    };
    let to = names(&edge.to).map(|(_, name)| name);
    for (owner, name) in later.iter().rev().filter_map(names) {
        for name in owner.into_iter().chain([name]).filter(|name| Some(name) != to.as_ref()) {
            let names_it = |site: &&Site| {
                let Some(text) = code.text(site.file) else { return false };
                words(line(&text, site.reference.span.start)).any(|word| word == name)
            };
            // The own line, if it is one of them.
            if names_it(&own) {
                return None;
            }
            if let Some(site) = sites.iter().copied().find(names_it) {
                return Some(site.clone());
            }
        }
    }
    None
}

/// Returns the line around a byte.
fn line(text: &[u8], at: usize) -> &[u8] {
    let at = at.min(text.len());
    let start = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let end = text[at..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| at + end);
    &text[start..end.min(start + LINE_MAX)]
}
