//! Who calls whom: callers and callees of a symbol, and the shortest chain of calls between two.
//!
//! Nothing of it is stored. Callers come from the uses of a symbol's name, each resolved by the
//! linker ([`super::link`]); a name that many share costs a resolution for each of its uses.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::link::{CONFIDENCE_ANSWER, Code, Link, Linker, Reason, Site, SymbolAt, Use};
use crate::base::ids::FileId;
use crate::lang::facts::{ImportKind, Reference, Role};
use crate::lang::symbols::SymbolKind;

/// Uses of one name that are resolved.
const SITES_MAX: usize = 20_000;

/// Other names under which files offer one thing.
const NAMES_MAX: usize = 16;

/// The name under which JavaScript imports what a file exports by default.
const DEFAULT: &str = "default";

/// Symbols that a search for a chain of calls visits.
const VISITED_MAX: usize = 5_000;

/// Symbols whose callers a search looks for at once.
const SYMBOLS_AT_ONCE: usize = 32;

/// Uses of names that a search for a chain of calls resolves before it gives up.
const RESOLVED_MAX: usize = 200_000;

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
    uses_of(code, &[of], least).0.into_iter().map(|(_, caller)| caller).collect()
}

/// Returns the uses of several symbols, each once, with the place among them of the one that is
/// likeliest meant, in the order of files; and how many uses of their names were looked at.
///
/// A use is resolved once, however many symbols share its name.
pub fn uses_of(code: &dyn Code, of: &[SymbolAt], least: f32) -> (Vec<(usize, Caller)>, usize) {
    let places: HashMap<SymbolAt, usize> =
        of.iter().zip(0..).map(|(&at, place)| (at, place)).collect();
    let files: BTreeSet<FileId> = of.iter().map(|at| at.file).collect();
    let mut names = BTreeSet::new();
    for at in of {
        let Some(facts) = code.file(at.file) else { continue };
        let place = at.place as usize;
        let Some(symbol) = facts.symbols.get(place) else { continue };
        names.insert(symbol.name.clone());
        // A constructor is called by the name of its type.
        let of_type = facts.owner(place).filter(|_| facts.is_constructor(place));
        names.extend(of_type.map(str::to_owned));
    }
    let linker = Linker::new(code);
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for name in &names {
        each_named_site(code, &files, name, |text, site| {
            if !seen.insert((site.file, site.reference.span.start)) {
                return;
            }
            let links = linker.resolve(site.file, Use::new(text, &site.reference));
            let mut meant = links.iter().filter(|link| link.confidence >= least);
            let meant = meant.find_map(|link| Some((*places.get(&link.to)?, link)));
            if let Some((of, &Link { confidence, reason, .. })) = meant {
                found.push((of, Caller { site, confidence, reason }));
            }
        });
    }
    found.sort_by_key(|(_, caller)| (caller.site.file, caller.site.reference.span.start));
    (found, seen.len())
}

/// Calls `see` with the uses of a name that `files` define, and with those of other names under
/// which files import it or offer it to others.
fn each_named_site(
    code: &dyn Code,
    files: &BTreeSet<FileId>,
    name: &str,
    mut see: impl FnMut(&str, Site),
) {
    let mut other = OtherNames::default();
    for &file in files {
        other.offered(code, file, name);
    }
    let mut at = Some(name.to_owned());
    while let Some(name) = at {
        for site in code.sites(&name).into_iter().take(SITES_MAX) {
            if site.reference.role == Role::Import {
                other.imported(code, site.file, &name);
            }
            see(&name, site);
        }
        at = other.next();
    }
    for (alias, files) in other.inside {
        let sites = code.sites(&alias).into_iter().filter(|site| files.contains(&site.file));
        sites.take(SITES_MAX).for_each(|site| see(&alias, site));
    }
}

/// The other names of something.
#[derive(Default)]
struct OtherNames {
    /// Those that files give it for themselves alone.
    inside: BTreeMap<String, BTreeSet<FileId>>,
    /// Those under which others may import it.
    outside: BTreeSet<String>,
    /// Those of them that were asked for.
    asked: BTreeSet<String>,
}

impl OtherNames {
    /// Notes what an import of `name` in a file is called there.
    fn imported(&mut self, code: &dyn Code, file: FileId, name: &str) {
        let Some(facts) = code.file(file) else { return };
        for import in &facts.imports {
            let renamed = import.names.iter().filter(|bound| bound.name == name);
            for bound in renamed.filter(|bound| bound.alias != name && !bound.alias.is_empty()) {
                if import.kind != ImportKind::ReExport {
                    self.inside.entry(bound.alias.clone()).or_default().insert(file);
                } else if bound.alias == DEFAULT {
                    self.taken(code, file);
                } else {
                    self.outside.insert(bound.alias.clone());
                }
            }
        }
    }

    /// Notes under which other names a file offers its own `name`.
    fn offered(&mut self, code: &dyn Code, file: FileId, name: &str) {
        let Some(facts) = code.file(file) else { return };
        let own = facts.imports.iter().filter(|import| import.kind == ImportKind::ReExport);
        let mut names = own.filter(|import| import.module.is_empty()).flat_map(|own| &own.names);
        if names.any(|bound| bound.name == name && bound.alias != name) {
            self.imported(code, file, name);
        }
    }

    /// Notes what those who import a file call what it exports by default.
    fn taken(&mut self, code: &dyn Code, file: FileId) {
        for importer in code.importers(file) {
            let Some(facts) = code.file(importer) else { continue };
            let names = facts.imports.iter().flat_map(|import| &import.names);
            for bound in names.filter(|bound| bound.name == DEFAULT && !bound.alias.is_empty()) {
                self.inside.entry(bound.alias.clone()).or_default().insert(importer);
            }
        }
    }

    /// Returns a name that was not asked for yet, while these are few.
    fn next(&mut self) -> Option<String> {
        while let Some(name) = self.outside.pop_first() {
            if self.asked.len() < NAMES_MAX && self.asked.insert(name.clone()) {
                return Some(name);
            }
        }
        None
    }
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
    /// Why.
    pub reason: Reason,
}

/// Returns the symbols that call `of` through at most `depth_max` calls, nearest first, each once
/// by its shortest chain; at most 5,000.
pub fn reaching(code: &dyn Code, of: SymbolAt, depth_max: usize, least: f32) -> Vec<Reached> {
    search(code, &[of], depth_max, least, |_| false).0
}

/// The shortest chain of calls between symbols.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The calls, the first one first; `None` if no chain was found.
    pub calls: Option<Vec<Reached>>,
    /// A limit was reached before all callers were seen, so there may be one nevertheless.
    pub is_cut: bool,
}

/// Returns the shortest chain of calls from one symbol to another, the first call first; `None` if
/// there is none within 5,000 symbols. Of equally short ones it is the first by files and places.
pub fn path(code: &dyn Code, from: SymbolAt, to: SymbolAt, least: f32) -> Option<Vec<Reached>> {
    shortest(code, &[from], &[to], least).calls
}

/// Returns the shortest chain of calls from one of some symbols to one of others, as [`path`] does.
/// It is empty if a symbol is among both.
pub fn shortest(code: &dyn Code, from: &[SymbolAt], to: &[SymbolAt], least: f32) -> Chain {
    if from.iter().any(|at| to.contains(at)) {
        return Chain { calls: Some(Vec::new()), is_cut: false };
    }
    let (reached, is_cut) = search(code, to, usize::MAX, least, |symbol| from.contains(&symbol));
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
/// limit ended it.
fn search(
    code: &dyn Code,
    of: &[SymbolAt],
    depth_max: usize,
    least: f32,
    is_found: impl Fn(SymbolAt) -> bool,
) -> (Vec<Reached>, bool) {
    let mut seen: HashSet<SymbolAt> = of.iter().copied().collect();
    let mut reached = Vec::new();
    let mut level = of.to_vec();
    let mut resolved = 0;
    for depth in 1..=depth_max {
        let mut next = Vec::new();
        // Several at once, since uses of a name that they share are resolved once.
        for symbols in level.chunks(SYMBOLS_AT_ONCE) {
            if resolved >= RESOLVED_MAX {
                return (reached, true);
            }
            let (mut callers, sites) = uses_of(code, symbols, least);
            resolved += sites;
            callers.retain(|(_, caller)| caller.site.reference.role == Role::Call);
            callers.sort_by_key(|(of, _)| *of);
            for (of, Caller { site, confidence, reason }) in callers {
                let Some(symbol) = calling_symbol(code, &site) else { continue };
                if !seen.insert(symbol) {
                    continue;
                }
                next.push(symbol);
                let to = symbols[of];
                reached.push(Reached { symbol, depth, next: to, site, confidence, reason });
                if is_found(symbol) {
                    return (reached, false);
                }
                if seen.len() >= VISITED_MAX {
                    return (reached, true);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    (reached, false)
}
