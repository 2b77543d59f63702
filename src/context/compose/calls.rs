//! Callers and callees of the definitions that a task names, by file.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::admit::Candidate;
use super::bundle::{Calls, Entry, Role, Site};
use super::symbols::SelectedSymbols;
use super::{Detail, Options, Sources};
use crate::answer::definition::Around;
use crate::answer::texts::Texts;
use crate::base::ids::FileId;
use crate::base::path;
use crate::catalog::Catalog;
use crate::context::ranking::RankedFile;
use crate::error::Result;
use crate::graph::calls::{ALL, Bound, callees, uses_within};
use crate::graph::link::{CONFIDENCE_ANSWER, Linker, SymbolAt};
use crate::lang::facts::Role as Use;
use crate::source::secret::is_secret;

/// Number of definitions whose calls are shown, if the task names some, and if its words found them.
const SYMBOLS_MAX: usize = 3;
const BY_WORDS_MAX: usize = 1;

/// Value of the calls of a definition found by words, relative to a named one.
const BY_WORDS_SHARE: f32 = 0.4;

/// Maximum number of uses of a name that are resolved. Most uses of a very common name refer to
/// other definitions, and the few callers that are shown are searched in the best files first.
const USES_MAX: usize = 96;

/// Number of calls in the short form.
const SITES_LEAN: usize = 2;

/// Value of the first group of callers.
const VALUE: f32 = 24.0;

/// Value of callees relative to callers.
const CALLEES_SHARE: f32 = 0.6;

/// Callers or callees of one definition in one file.
struct Group {
    file: FileId,
    sites: Vec<Site>,
    /// Number of other named definitions that these functions call or are.
    shared: usize,
}

/// Returns the calls as candidates: for each definition its callers, then its callees.
pub(super) fn candidates(
    sources: &Sources<'_>,
    texts: &mut Texts<'_>,
    selected: &SelectedSymbols,
    ranked: &[RankedFile],
    options: &Options,
) -> Result<Vec<Candidate>> {
    let catalog = sources.catalog;
    let (detail, scope) = (options.detail, options.scope());
    let is_allowed = |file: FileId| {
        let path = catalog.path(file);
        scope.contains(path) && !is_secret(path)
    };
    if detail == Detail::Lean {
        return Ok(Vec::new());
    }
    let named: Vec<SymbolAt> = if selected.named.is_empty() {
        selected.by_words.iter().map(|(at, _)| *at).take(BY_WORDS_MAX).collect()
    } else {
        selected.named.iter().copied().take(SYMBOLS_MAX).collect()
    };
    let worth = if selected.named.is_empty() { BY_WORDS_SHARE } else { 1.0 };
    let places: FxHashMap<FileId, usize> =
        ranked.iter().enumerate().map(|(place, ranked)| (ranked.file, place)).collect();
    let place_of = |file: FileId| places.get(&file).copied().unwrap_or(usize::MAX);
    // Files with tests come last.
    let first = |file: FileId| {
        let is_test = catalog.marks(file).is_ok_and(|marks| marks.test);
        place_of(file).min(usize::MAX / 2) + if is_test { usize::MAX / 2 } else { 0 }
    };
    let mut callers: Vec<Vec<(SymbolAt, FileId, Site)>> = Vec::new();
    for at in &named {
        callers.push(callers_of(catalog, texts, *at, &first)?);
    }
    // A caller of several of them shows how they are connected, so it ranks first.
    let mut calling: BTreeMap<SymbolAt, usize> = BTreeMap::new();
    for of_one in &callers {
        let from: BTreeSet<SymbolAt> = of_one.iter().map(|(from, ..)| *from).collect();
        for from in from {
            *calling.entry(from).or_default() += 1;
        }
    }
    let mut candidates = Vec::new();
    for (place, (at, callers)) in named.iter().zip(callers).enumerate() {
        let Some(of) = Around::of(catalog, *at) else { continue };
        let value = worth * VALUE / (1.0 + 0.5 * place as f32);
        let shared = |from: &SymbolAt| {
            calling.get(from).map_or(0, |count| count - 1) + usize::from(named.contains(from))
        };
        let callers = callers.into_iter().filter(|(_, file, _)| is_allowed(*file));
        let callers = callers.map(|(from, file, site)| (shared(&from), file, site));
        let mut groups = grouped(callers);
        sort(&mut groups, &place_of);
        let files = groups.len();
        let groups_max = detail.callers() / named.len().max(1);
        for (number, group) in groups.into_iter().take(groups_max.max(1)).enumerate() {
            let value = value * (1.0 + 0.5 * group.shared as f32) / (1.0 + 0.4 * number as f32);
            let end = (&*of.name, Role::Caller, files);
            candidates.push(candidate(catalog, end, group, value, detail));
        }
        let called = callees_of(catalog, texts, *at);
        let called = called.into_iter().filter(|(to, _)| is_allowed(to.file));
        let called = called.map(|(to, site)| (usize::from(named.contains(&to)), to.file, site));
        let mut groups = grouped(called);
        sort(&mut groups, &place_of);
        let files = groups.len();
        let groups_max = detail.callers() / 2 / named.len().max(1);
        for (number, group) in groups.into_iter().take(groups_max).enumerate() {
            let value = CALLEES_SHARE * value * (1.0 + 0.5 * group.shared as f32)
                / (1.0 + 0.6 * number as f32);
            let end = (&*of.name, Role::Callee, files);
            candidates.push(candidate(catalog, end, group, value, detail));
        }
    }
    Ok(candidates)
}

fn candidate(
    catalog: &Catalog,
    (of, role, files): (&str, Role, usize),
    group: Group,
    value: f32,
    detail: Detail,
) -> Candidate {
    let mut sites = group.sites;
    sites.truncate(detail.sites());
    let calls = |sites: Vec<Site>| {
        let path = path::shown(catalog.path(group.file));
        Entry::Calls(Calls { of: of.to_owned(), role, path, sites, files })
    };
    let mut forms = Vec::new();
    if sites.len() > SITES_LEAN {
        forms.push((0.8 * value, calls(sites[..SITES_LEAN].to_vec())));
    }
    forms.push((value, calls(sites)));
    Candidate { forms }
}

/// Returns the calls of a definition outside tests, or those in tests if there are no others: the
/// caller, its file and the call site.
fn callers_of(
    catalog: &Catalog,
    texts: &mut Texts<'_>,
    at: SymbolAt,
    first: &dyn Fn(FileId) -> usize,
) -> Result<Vec<(SymbolAt, FileId, Site)>> {
    let (mut others, mut in_tests) = (Vec::new(), Vec::new());
    let bound = Bound { uses_max: USES_MAX, roles: &[Use::Call], first, ..ALL };
    for (_, caller) in uses_within(&Linker::new(catalog), &[at], CONFIDENCE_ANSWER, bound).uses {
        let site = &caller.site;
        let from = crate::graph::calls::calling_symbol(catalog, site);
        // Skip recursive calls.
        if from == Some(at) {
            continue;
        }
        let name = from.and_then(|from| Around::of(catalog, from)).map(|from| from.name);
        let name = name.unwrap_or_else(|| "(file)".to_owned());
        let from = from.unwrap_or(SymbolAt { file: site.file, place: u32::MAX });
        let is_test = catalog.marks(site.file)?.test;
        let of_kind = if is_test { &mut in_tests } else { &mut others };
        of_kind.push((from, site.file, site.reference.span.start, name));
    }
    let chosen = if others.is_empty() { in_tests } else { others };
    let placed = chosen.into_iter().filter_map(|(from, file, start, name)| {
        // Line 0 marks a file that changed since it was indexed.
        let line = Some(texts.line(file, start).0).filter(|line| *line > 0)?;
        Some((from, file, Site { name, line }))
    });
    Ok(placed.collect())
}

/// Returns the distinct callees of a definition and the lines of their definitions.
fn callees_of(catalog: &Catalog, texts: &mut Texts<'_>, at: SymbolAt) -> Vec<(SymbolAt, Site)> {
    let mut called = BTreeSet::new();
    let mut found = Vec::new();
    for callee in callees(catalog, at, CONFIDENCE_ANSWER).calls {
        let to = callee.link.to;
        let Some(of) = Around::of(catalog, to) else { continue };
        if to != at && called.insert(to) && !texts.of(to.file).is_empty() {
            found.push((to, Site { name: of.name, line: of.line }));
        }
    }
    found
}

/// Groups callers or callees by file, in each file those connected with other definitions first.
fn grouped(ends: impl Iterator<Item = (usize, FileId, Site)>) -> Vec<Group> {
    let mut by_file: BTreeMap<FileId, Vec<(usize, Site)>> = BTreeMap::new();
    for (shared, file, site) in ends {
        by_file.entry(file).or_default().push((shared, site));
    }
    let group = |(file, mut sites): (FileId, Vec<(usize, Site)>)| {
        sites.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
        let shared = sites.first().map_or(0, |(shared, _)| *shared);
        // A function that calls twice is listed once.
        let mut distinct: Vec<Site> = Vec::new();
        for (_, site) in sites {
            if distinct.iter().all(|other| other.name != site.name) {
                distinct.push(site);
            }
        }
        Group { file, sites: distinct, shared }
    };
    by_file.into_iter().map(group).collect()
}

/// Sorts groups by connection with other definitions, then by rank of the file.
fn sort(groups: &mut [Group], place_of: &dyn Fn(FileId) -> usize) {
    groups.sort_by_key(|group| (std::cmp::Reverse(group.shared), place_of(group.file), group.file));
}
