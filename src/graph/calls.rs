//! Who calls whom: callers and callees of a symbol, and the shortest chain of calls between two.
//!
//! Nothing of it is stored. Callers come from the uses of a symbol's name, each resolved by the
//! linker ([`super::link`]); a name that many share costs a resolution for each of its uses.

use std::collections::{BTreeMap, HashSet, VecDeque};

use super::link::{CONFIDENCE_ANSWER, Code, Link, Linker, Reason, Site, SymbolAt, Use};
use crate::base::ids::FileId;
use crate::lang::facts::{Reference, Role};
use crate::lang::symbols::SymbolKind;

/// Uses of one name that are resolved.
const SITES_MAX: usize = 20_000;

/// Symbols that a search for a chain of calls visits.
const VISITED_MAX: usize = 5_000;

/// A use that means a symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct Caller {
    /// Where it is used.
    pub site: Site,
    /// How sure it is that the symbol is meant.
    pub confidence: f32,
    /// Why.
    pub reason: Reason,
}

/// A call inside of a symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct Callee {
    /// What is called, as it is written.
    pub name: String,
    /// The call.
    pub reference: Reference,
    /// What it means.
    pub link: Link,
}

/// Returns the calls of a symbol that are at least as sure as `least`, in the order of files.
///
/// Uses of a type as a base or annotation are no calls; functions that are passed on are left to
/// [`uses`]. Bounded by 20,000 uses of the name.
pub fn callers(code: &dyn Code, of: SymbolAt, least: f32) -> Vec<Caller> {
    let mut found = uses(code, of, least);
    found.retain(|caller| caller.site.reference.role == Role::Call);
    found
}

/// Returns the calls of a symbol that are sure enough to be answers.
pub fn answered_callers(code: &dyn Code, of: SymbolAt) -> Vec<Caller> {
    callers(code, of, CONFIDENCE_ANSWER)
}

/// Returns the uses of a symbol that are at least as sure as `least`, in the order of files.
pub fn uses(code: &dyn Code, of: SymbolAt, least: f32) -> Vec<Caller> {
    let Some(facts) = code.file(of.file) else { return Vec::new() };
    let place = of.place as usize;
    let Some(symbol) = facts.symbols.get(place) else { return Vec::new() };
    let linker = Linker::new(code);
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    // A constructor is called by the name of its type.
    let of_type = facts.owner(place).filter(|_| facts.is_constructor(place));
    let names = of_type.into_iter().chain([symbol.name.as_str()]);
    for name in names {
        for site in named_sites(code, name) {
            let text = site.1.as_deref().unwrap_or(name);
            if seen.insert((site.0.file, site.0.reference.span.start)) {
                let links = linker.resolve(site.0.file, Use::new(text, &site.0.reference));
                let link = links.iter().find(|link| link.to == of);
                if let Some(link) = link.filter(|link| link.confidence >= least) {
                    let (confidence, reason) = (link.confidence, link.reason);
                    found.push(Caller { site: site.0, confidence, reason });
                }
            }
        }
    }
    found.sort_by_key(|caller| (caller.site.file, caller.site.reference.span.start));
    found
}

/// Returns the uses of a name, and those of other names under which files import it.
fn named_sites(code: &dyn Code, name: &str) -> Vec<(Site, Option<String>)> {
    let mut sites: Vec<(Site, Option<String>)> = Vec::new();
    let mut renamed: BTreeMap<FileId, Vec<String>> = BTreeMap::new();
    for site in code.sites(name).into_iter().take(SITES_MAX) {
        if site.reference.role == Role::Import
            && let Some(facts) = code.file(site.file)
        {
            let bound = facts.imports.iter().flat_map(|import| &import.names);
            let bound = bound.filter(|bound| bound.name == name && bound.alias != name);
            let aliases = bound.map(|bound| bound.alias.clone()).filter(|alias| !alias.is_empty());
            renamed.entry(site.file).or_default().extend(aliases);
        }
        sites.push((site, None));
    }
    for (file, aliases) in renamed {
        if aliases.is_empty() {
            continue;
        }
        for (text, reference) in code.references(file) {
            if aliases.contains(&text) {
                sites.push((Site { file, reference }, Some(text)));
            }
        }
    }
    sites
}

/// Returns what a symbol calls, in the order of its text, as far as it is known; what is nested in
/// it counts as its own.
pub fn callees(code: &dyn Code, of: SymbolAt, least: f32) -> Vec<Callee> {
    let Some(facts) = code.file(of.file) else { return Vec::new() };
    let linker = Linker::new(code);
    let mut found = Vec::new();
    for (name, reference) in code.references(of.file) {
        let mut around = facts.ancestors(reference.enclosing);
        if reference.role != Role::Call || !around.any(|at| at == of.place as usize) {
            continue;
        }
        let links = linker.resolve(of.file, Use::new(&name, &reference));
        if let Some(&link) = links.first().filter(|link| link.confidence >= least) {
            found.push(Callee { name, reference, link });
        }
    }
    found
}

/// Returns the symbol that a call belongs to: the innermost function around it, or the outermost
/// symbol where there is none.
pub fn calling_symbol(code: &dyn Code, site: &Site) -> Option<SymbolAt> {
    let facts = code.file(site.file)?;
    let around: Vec<usize> = facts.ancestors(site.reference.enclosing).collect();
    let is_code = |at: &&usize| {
        let kind = facts.symbols[**at].kind;
        kind.is_callable() || matches!(kind, SymbolKind::Property | SymbolKind::Macro)
    };
    let place = around.iter().find(is_code).or(around.last())?;
    Some(SymbolAt { file: site.file, place: *place as u32 })
}

/// A symbol that calls another one, perhaps through others.
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    /// The symbol.
    pub symbol: SymbolAt,
    /// How many calls lie between.
    pub depth: usize,
    /// What it calls on the way.
    pub next: SymbolAt,
    /// The call.
    pub site: Site,
    /// How sure that call is.
    pub confidence: f32,
}

/// Returns the symbols that call `of` through at most `depth_max` calls, nearest first, each once
/// by its shortest chain; at most 5,000.
pub fn reaching(code: &dyn Code, of: SymbolAt, depth_max: usize, least: f32) -> Vec<Reached> {
    search(code, of, depth_max, least, |_| false)
}

/// Returns the shortest chain of calls from one symbol to another, the first call first; `None` if
/// there is none within 5,000 symbols. Of equally short ones it is the first by files and places.
pub fn path(code: &dyn Code, from: SymbolAt, to: SymbolAt, least: f32) -> Option<Vec<Reached>> {
    let reached = search(code, to, usize::MAX, least, |symbol| symbol == from);
    let mut chain = Vec::new();
    let mut at = from;
    while at != to {
        let step = reached.iter().find(|step| step.symbol == at)?;
        at = step.next;
        chain.push(step.clone());
        if chain.len() > reached.len() {
            return None;
        }
    }
    Some(chain)
}

/// Goes breadth first from a symbol to those that call it, up to one that `is_found`.
fn search(
    code: &dyn Code,
    of: SymbolAt,
    depth_max: usize,
    least: f32,
    is_found: impl Fn(SymbolAt) -> bool,
) -> Vec<Reached> {
    let mut seen = HashSet::from([of]);
    let mut queue = VecDeque::from([(of, 0)]);
    let mut reached = Vec::new();
    while let Some((next, depth)) = queue.pop_front() {
        if depth >= depth_max {
            continue;
        }
        for Caller { site, confidence, .. } in callers(code, next, least) {
            let Some(symbol) = calling_symbol(code, &site) else { continue };
            if !seen.insert(symbol) {
                continue;
            }
            queue.push_back((symbol, depth + 1));
            reached.push(Reached { symbol, depth: depth + 1, next, site, confidence });
            if is_found(symbol) || seen.len() >= VISITED_MAX {
                return reached;
            }
        }
    }
    reached
}
