//! The call graph: callers and callees of a symbol, and the shortest path of calls between two.
//!
//! Nothing is stored. Callers are found among the uses of a symbol's name, each resolved by the
//! linker ([`super::link`]); a name that many symbols share costs a resolution for each of its
//! uses.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::link::{
    CONFIDENCE_ANSWER, CONFIDENCE_OPEN, Code, FileFacts, Link, Linker, Outcome, Reason, SUPER,
    Site, SymbolAt, Use,
};
use crate::base::ids::FileId;
use crate::graph::weights;
use crate::lang::chain::{Chain, Root};
use crate::lang::facts::{Reference, Role};
use crate::lang::symbols::SymbolKind;

mod derived;
mod implementations;
mod implicit;
mod missing;
mod names;
mod path;
mod possible;
#[cfg(test)]
mod tests;

pub use implementations::{Implementation, Implementations, Unstated, implementations};
pub use implicit::called_by_language;
pub use missing::{MissingLink, missing_link};
use names::OtherNames;
pub use path::{CallPath, CallStep, shortest_path};
pub use possible::{can_refer_to, possible_callers, possible_counts};

/// The most uses of one name that are resolved.
const SITES_MAX: usize = 20_000;

/// The number of uses that are resolved at once beyond a bound, before the time is looked at.
const SITES_EACH_ROUND: usize = 1024;

/// The number of uses that one thread resolves.
const SITES_AT_ONCE: usize = 64;

/// The most types whose bases have the name of one constructor's type.
const DERIVED_MAX: usize = 2048;

/// A use that resolves to a symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct Caller {
    /// The use.
    pub site: Site,
    /// The confidence of the link, from 0 to 1.
    pub confidence: f32,
    /// The reason of the link.
    pub reason: Reason,
}

/// A call inside of a symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct Callee {
    /// The called name as it is written.
    pub name: String,
    /// The call.
    pub reference: Reference,
    /// The definition that is called.
    pub link: Link,
}

/// A use with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedSite {
    /// The name as it is written.
    pub name: Arc<str>,
    /// The use.
    pub site: Site,
}

/// What a use turned out to be.
enum Resolved {
    Use(usize, Caller, Also),
    Unresolved(NamedSite),
    /// A value that is read or assigned, of which nothing is known.
    UnresolvedValue(NamedSite),
    /// Another definition.
    Elsewhere,
    /// Something outside of the repository.
    Outside,
}

/// The other symbols for which a use counts, which lists it once.
#[derive(Default)]
struct Also {
    /// The method of a base that is called: the methods that override it may run.
    base: Option<SymbolAt>,
    /// The places of symbols that the use refers to itself, each with whether it counts for them.
    linked: Vec<(usize, bool)>,
}

/// The calls inside of a symbol.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Callees {
    /// Those that are resolved, in the order of the text. A call that refers to one of several
    /// definitions is listed for each, the most likely first.
    pub calls: Vec<Callee>,
    /// Those that are neither resolved nor known to leave the repository, in the same order.
    pub unresolved: Vec<NamedSite>,
}

/// The uses of some symbols.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Uses {
    /// The uses, each once and in the order of files. The number is the position, in the queried
    /// list, of the symbol that the use most likely refers to.
    pub uses: Vec<(usize, Caller)>,
    /// For each queried symbol, the number of calls in `uses` that count for it, too, but have the
    /// position of another one: those of a method that it overrides, and ambiguous ones.
    pub also: Vec<usize>,
    /// Calls of the symbols' names that are neither resolved nor known to leave the repository, or
    /// that may refer to any of several overloads, in the order of files.
    pub unresolved: Vec<NamedSite>,
    /// Values of the symbols' names that are read or assigned and are neither resolved nor known to
    /// leave the repository, in the order of files.
    pub unresolved_values: Vec<NamedSite>,
    /// The number of calls of the symbols' names that refer to other definitions.
    pub elsewhere: usize,
    /// The number of calls of the symbols' names that leave the repository.
    pub outside: usize,
    /// How many uses of the symbols' names were resolved.
    pub resolved: usize,
    /// A bound was reached, so uses may be missing.
    pub is_cut: bool,
    /// How many uses of the symbols' names were found, but not resolved.
    pub unexamined: usize,
}

/// Returns the uses of several symbols with a confidence of at least `confidence_min`, calls also of at
/// least [`CONFIDENCE_ANSWER`].
///
/// A use is resolved once, however many symbols share its name. Bounded by 20,000 uses of a name
/// and 64 other names for it. Uses of a type as a base or annotation are not calls, nor are
/// functions that are passed as values; see [`Role`].
pub fn uses_of(code: &dyn Code, of: &[SymbolAt], confidence_min: f32) -> Uses {
    uses_within(&Linker::new(code), of, confidence_min, ALL)
}

/// Which uses are resolved where there are many.
#[derive(Clone, Copy)]
pub struct Bound<'a> {
    /// The most uses that are resolved in any case.
    pub uses_max: usize,
    /// More are resolved until this time has passed since the first one; zero for none.
    pub more_within: Duration,
    /// The roles that the uses may have; empty for all.
    pub roles: &'a [Role],
    /// Uses in files with a lower number come first, then those earlier in the order of files.
    pub first: &'a dyn Fn(FileId) -> usize,
}

/// No bound, and no order.
pub const ALL: Bound<'static> =
    Bound { uses_max: usize::MAX, more_within: Duration::ZERO, roles: &[], first: &|_| 0 };

/// Returns the same as [`uses_of`], but resolves no more uses than `bound` allows. The look-ups of
/// `linker` are reused where the uses are few enough for one thread.
pub fn uses_within(
    linker: &Linker<'_>,
    of: &[SymbolAt],
    confidence_min: f32,
    bound: Bound<'_>,
) -> Uses {
    let code = linker.code();
    let mut places: FxHashMap<SymbolAt, usize> =
        of.iter().zip(0..).map(|(&at, place)| (at, place)).collect();
    let mut found = Uses::default();
    let (mut names, mut around) = (Names::new(), BTreeSet::new());
    for (place, at) in of.iter().enumerate() {
        for constructor in called_constructors(code, *at) {
            if let Entry::Vacant(vacant) = places.entry(constructor) {
                vacant.insert(place);
                found.is_cut |= add_names(code, constructor, &mut names, &mut around);
            }
        }
    }
    // What the symbols override: a call of one of these may run the symbol instead.
    let mut overridden: FxHashMap<SymbolAt, Vec<usize>> = FxHashMap::default();
    for (place, at) in of.iter().enumerate() {
        found.is_cut |= add_names(code, *at, &mut names, &mut around);
        for base in linker.overridden(*at) {
            let places = overridden.entry(base).or_default();
            if places.last() != Some(&place) {
                places.push(place);
            }
        }
    }
    let refers_to = |file: FileId, used: Use<'_>| {
        linker.resolve(file, used).iter().any(|link| places.contains_key(&link.to))
    };
    let (mut seen, mut sites) = (FxHashSet::default(), Vec::new());
    for (name, files) in &names {
        let mut other = OtherNames::new(code, &refers_to);
        found.is_cut |= each_named_site(code, files, name, &mut other, |text, site| {
            if seen.insert((site.file, site.reference.span.start)) {
                sites.push((Arc::clone(text), site));
            }
        });
    }
    for (text, site) in super_sites(code, of) {
        if seen.insert((site.file, site.reference.span.start)) {
            sites.push((text, site));
        }
    }
    for file in around {
        let Some(facts) = code.file(file) else { continue };
        for (name, reference) in code.calls(file).iter() {
            if facts.is_constructor_word(name) && seen.insert((file, reference.span.start)) {
                sites.push((name.as_str().into(), Site { file, reference: reference.clone() }));
            }
        }
    }
    let is_wanted = |role: &Role| bound.roles.is_empty() || bound.roles.contains(role);
    sites.retain(|(_, site)| is_wanted(&site.reference.role));
    let (derived, is_cut) = derived::derived_sites(linker, of);
    found.is_cut |= is_cut;
    let mut of_derived = FxHashSet::default();
    for (text, site) in derived {
        if is_wanted(&site.reference.role) && seen.insert((site.file, site.reference.span.start)) {
            of_derived.insert((site.file, site.reference.span.start));
            sites.push((text, site));
        }
    }
    let in_text = |(_, site): &(Arc<str>, Site)| (site.file, site.reference.span.start);
    let mut later = Vec::new();
    if sites.len() > bound.uses_max {
        sites.sort_by_cached_key(|site| ((bound.first)(site.1.file), in_text(site)));
        later = sites.split_off(bound.uses_max);
    }
    sites.sort_by_key(in_text);
    let resolved = sites.len();
    let resolve = |linker: &Linker<'_>, (text, site): (Arc<str>, Site)| {
        let outcome = linker.outcome_at(site.file, &text, &site.reference);
        if site.reference.role == Role::Call && is_unresolved(&outcome) {
            return Resolved::Unresolved(NamedSite { name: text, site });
        }
        let mut links = outcome.links.iter();
        let direct = links.find_map(|link| Some((*places.get(&link.to)?, *link)));
        // One of several overloads, of which nothing selects one.
        let is_open = direct.is_some_and(|(_, link)| {
            (CONFIDENCE_OPEN..CONFIDENCE_ANSWER).contains(&link.confidence)
        });
        let is_call = site.reference.role == Role::Call;
        if is_call && is_open {
            return Resolved::Unresolved(NamedSite { name: text, site });
        }
        let least = if is_call { CONFIDENCE_ANSWER } else { confidence_min };
        let direct = direct.filter(|(_, link)| link.confidence >= least);
        let through = through_base(code, &outcome, &site, &overridden);
        let base = through.map(|(base, ..)| base);
        let link = direct.or_else(|| through.map(|(_, of, link)| (of, link)));
        match link.filter(|(_, link)| link.confidence >= confidence_min) {
            Some((of, Link { confidence, reason, .. })) => {
                let mut also = Also::default();
                if is_call {
                    also = Also { base, linked: vec![(of, false)] };
                    let others = outcome.links.iter().filter_map(|link| {
                        let place = places.get(&link.to).filter(|place| **place != of)?;
                        (link.confidence >= CONFIDENCE_OPEN)
                            .then_some((*place, link.confidence >= CONFIDENCE_ANSWER))
                    });
                    also.linked.extend(others);
                }
                Resolved::Use(of, Caller { site, confidence, reason }, also)
            }
            None if is_call && outcome.is_open => {
                Resolved::Unresolved(NamedSite { name: text, site })
            }
            None if outcome.is_outside => Resolved::Outside,
            None if is_unresolved(&outcome)
                && matches!(site.reference.role, Role::Read | Role::Write) =>
            {
                Resolved::UnresolvedValue(NamedSite { name: text, site })
            }
            None => Resolved::Elsewhere,
        }
    };
    let resolve = |linker: &Linker<'_>, named: (Arc<str>, Site)| {
        let is_named = !of_derived.contains(&in_text(&named));
        let is_call = named.1.reference.role == Role::Call;
        let is_conversion = derived::is_conversion(&named.0);
        let resolved = resolve(linker, named);
        let is_counted = match resolved {
            Resolved::Use(..) => true,
            Resolved::Unresolved(_) => is_named || is_conversion,
            Resolved::UnresolvedValue(_) | Resolved::Elsewhere | Resolved::Outside => is_named,
        };
        is_counted.then_some((is_call, resolved))
    };
    // Within a parallel job the other threads are busy, and the look-ups of `linker` save more.
    let is_alone = rayon::current_thread_index().is_none();
    let resolve_all = |sites: Vec<(Arc<str>, Site)>| -> Vec<Option<(bool, Resolved)>> {
        if is_alone && sites.len() > SITES_AT_ONCE {
            let at_once = at_once(sites.len());
            let sites = sites.into_par_iter().with_min_len(at_once);
            sites.map_init(|| Linker::new(code), |linker, site| resolve(linker, site)).collect()
        } else {
            // For few uses, waking another thread would take longer.
            sites.into_iter().map(|site| resolve(linker, site)).collect()
        }
    };
    let started = Instant::now();
    let mut all = resolve_all(sites);
    found.resolved = resolved;
    while !later.is_empty() && started.elapsed() < bound.more_within {
        let after = later.split_off(SITES_EACH_ROUND.min(later.len()));
        let round = std::mem::replace(&mut later, after);
        found.resolved += round.len();
        all.extend(resolve_all(round));
    }
    found.resolved -= of_derived.len().min(found.resolved);
    found.unexamined = later.len();
    found.is_cut |= !later.is_empty();
    let mut counted = Counted { also: vec![0; of.len()], of_bases: BTreeMap::new() };
    for (is_call, resolved) in all.into_iter().flatten() {
        match resolved {
            Resolved::Use(of, caller, also) => {
                found.uses.push((of, caller));
                counted.add(&also, &overridden);
            }
            Resolved::Unresolved(named) => found.unresolved.push(named),
            Resolved::UnresolvedValue(named) => found.unresolved_values.push(named),
            Resolved::Elsewhere => found.elsewhere += usize::from(is_call),
            Resolved::Outside => found.outside += usize::from(is_call),
        }
    }
    found.uses.sort_by_key(|(_, it)| (it.site.file, it.site.reference.span.start));
    for open in [&mut found.unresolved, &mut found.unresolved_values] {
        open.sort_by_key(|it| (it.site.file, it.site.reference.span.start));
    }
    found.also = counted.finish(&overridden);
    found
}

/// Returns how many of `count` uses one linker resolves: each begins without any look-up.
fn at_once(count: usize) -> usize {
    SITES_AT_ONCE.max(count.div_ceil(2 * rayon::current_num_threads()))
}

/// Counts the calls that count for symbols at whose positions they are not listed. A method that many
/// types override is counted once for each of its calls, not for each call and type.
struct Counted {
    /// By the position of the symbol: without the calls of methods that it overrides, of which it
    /// lacks those that it has otherwise.
    also: Vec<isize>,
    /// The number of calls of methods that are overridden.
    of_bases: BTreeMap<SymbolAt, isize>,
}

impl Counted {
    fn add(&mut self, also: &Also, overridden: &FxHashMap<SymbolAt, Vec<usize>>) {
        let overriding = also.base.and_then(|base| overridden.get(&base));
        if let Some(base) = also.base {
            *self.of_bases.entry(base).or_default() += 1;
        }
        for (at, &(place, counts)) in also.linked.iter().enumerate() {
            if also.linked[..at].iter().any(|(before, _)| *before == place) {
                continue;
            }
            let is_through = overriding.is_some_and(|all| all.binary_search(&place).is_ok());
            self.also[place] += isize::from(counts) - isize::from(is_through);
        }
    }

    fn finish(mut self, overridden: &FxHashMap<SymbolAt, Vec<usize>>) -> Vec<usize> {
        for (base, count) in &self.of_bases {
            for &place in overridden.get(base).into_iter().flatten() {
                self.also[place] += count;
            }
        }
        self.also.into_iter().map(|count| usize::try_from(count).unwrap_or(0)).collect()
    }
}

/// Returns the link of a call that refers to a method which one of the symbols overrides, with that
/// method and the last such symbol. A call by
/// `super`, and one that names the type (C++'s `Base::method()`), never runs the overriding method, and
/// one that refers to an inherited method has a receiver of another derived type.
fn through_base(
    code: &dyn Code,
    outcome: &Outcome,
    site: &Site,
    overridden: &FxHashMap<SymbolAt, Vec<usize>>,
) -> Option<(SymbolAt, usize, Link)> {
    let link = outcome.links.first().filter(|link| link.confidence >= CONFIDENCE_ANSWER)?;
    let place = *overridden.get(&link.to)?.last()?;
    let receiver = site.reference.receiver.as_ref();
    let names_type = |chain: &Chain| {
        let facts = code.file(link.to.file).filter(|facts| facts.language.name == "cpp");
        let of = facts.as_ref().and_then(|facts| facts.owner(link.to.place as usize));
        chain.is_path() && of.is_some_and(|of| chain.last_name() == of)
    };
    let is_super =
        receiver.is_some_and(|chain| matches!(chain.decode().0, Root::Base) || names_type(chain));
    if site.reference.role != Role::Call || link.reason == Reason::Inherited || is_super {
        return None;
    }
    let confidence = (link.confidence * weights::HALF).max(CONFIDENCE_ANSWER);
    Some((link.to, place, Link { confidence, reason: Reason::Implementation, ..*link }))
}

/// Returns true if nothing is known about a use: it has no answer and may be one of the repository.
fn is_unresolved(outcome: &Outcome) -> bool {
    let best = outcome.links.first().map_or(0.0, |link| link.confidence);
    !outcome.is_outside && best < CONFIDENCE_ANSWER
}

/// Names by which something is used, with the files that define it.
type Names = BTreeMap<String, BTreeSet<FileId>>;

/// Adds the names by which a symbol is used: its own, and for a constructor those of its type and
/// of the types that inherit it. Adds to `around` the files where constructors may call it without its
/// name. Returns true if there are too many.
fn add_names(
    code: &dyn Code,
    at: SymbolAt,
    names: &mut Names,
    around: &mut BTreeSet<FileId>,
) -> bool {
    let Some(facts) = code.file(at.file) else { return false };
    let place = at.place as usize;
    let Some(symbol) = facts.symbols.get(place) else { return false };
    names.entry(symbol.name.clone()).or_default().insert(at.file);
    let constructor_call = facts
        .constructor_call()
        .filter(|_| facts.is_constructor(place) || facts.inherits_constructor(place));
    if let Some(word) = constructor_call {
        names.entry(word.to_owned()).or_default().insert(at.file);
    }
    // Scala's `Name(1)` runs the `apply` of the object, or one that it inherits.
    if let Some(object) = facts.applied_object(place) {
        names.entry(object.to_owned()).or_default().insert(at.file);
        for derived in code.derived(object).iter().take(DERIVED_MAX) {
            let facts = code.file(derived.file);
            let symbol = facts.as_ref().and_then(|it| it.symbols.get(derived.place as usize));
            if let Some(symbol) = symbol {
                names.entry(symbol.name.clone()).or_default().insert(derived.file);
            }
        }
    }
    if let Some(first) = facts.selector_start(place) {
        names.entry(first.to_owned()).or_default().insert(at.file);
    }
    let owner = symbol.parent.filter(|_| facts.is_constructor(place));
    if let Some(name) = facts.attribute_name(owner.unwrap_or(place)) {
        names.entry(name.to_owned()).or_default().insert(at.file);
    }
    // A type stands for its primary constructor, and for the one that it has implicitly.
    if facts.calls_constructors_by_words(place) {
        around.insert(at.file);
        let derived = code.derived(&symbol.name);
        around.extend(derived.iter().take(DERIVED_MAX).map(|derived| derived.file));
    }
    // A type without a constructor stands for the one that it has implicitly.
    if facts.inherits_constructor(place) {
        // `new static()` in the type itself.
        around.insert(at.file);
        let derived = code.derived(&symbol.name);
        around.extend(derived.iter().take(DERIVED_MAX).map(|derived| derived.file));
        return derived.len() > DERIVED_MAX;
    }
    let of_type = facts.owner(place).filter(|_| facts.is_constructor(place));
    let Some(of_type) = of_type else { return false };
    names.entry(of_type.to_owned()).or_default().insert(at.file);
    around.insert(at.file);
    let mut bases = vec![of_type.to_owned()];
    let mut seen = FxHashSet::default();
    while let Some(base) = bases.pop() {
        for &derived in code.derived(&base).iter() {
            let Some(facts) = code.file(derived.file) else { continue };
            if !seen.insert(derived) {
                continue;
            }
            if seen.len() > DERIVED_MAX {
                return true;
            }
            around.insert(derived.file);
            let place = derived.place as usize;
            if !facts.inherits_constructor(place) {
                continue;
            }
            let name = facts.symbols[place].name.clone();
            names.entry(name.clone()).or_default().insert(derived.file);
            bases.push(name);
        }
    }
    false
}

/// Returns the constructors of a type where they are called by a method of it (Ruby's `Type.new`,
/// which runs `initialize`, and Swift's `Type.init()`): such calls count for the type as well.
fn called_constructors(code: &dyn Code, at: SymbolAt) -> Vec<SymbolAt> {
    let Some(facts) = code.file(at.file) else { return Vec::new() };
    if !facts.calls_constructors_by_methods() {
        return Vec::new();
    }
    let own = facts.own_constructors(at.place as usize);
    own.map(|place| SymbolAt { file: at.file, place }).collect()
}

/// Returns the uses of Ruby's `super` in methods that have the name of one of the symbols, or `new` for a
/// constructor. O(uses of `super`).
fn super_sites(code: &dyn Code, of: &[SymbolAt]) -> Vec<(Arc<str>, Site)> {
    let name = |at: &SymbolAt| {
        let facts = code.file(at.file)?;
        let symbol = facts.symbols.get(at.place as usize)?;
        let is_own = facts.language.name == "ruby" && symbol.kind.is_callable();
        let made = facts.constructor_call().filter(|_| facts.is_constructor(at.place as usize));
        is_own.then(|| [Some(symbol.name.clone()), made.map(str::to_owned)])
    };
    let names = of.iter().filter_map(name).flatten().flatten();
    let names: BTreeSet<String> = names.collect();
    if names.is_empty() {
        return Vec::new();
    }
    let text: Arc<str> = SUPER.into();
    let is_its = |site: &Site| {
        code.file(site.file).is_some_and(|facts| {
            let method = facts.method_of_super(SUPER, site.reference.enclosing);
            method.is_some_and(|method| names.contains(&facts.symbols[method].name))
        })
    };
    let sites = code.sites(SUPER).into_iter().filter(is_its).take(SITES_MAX);
    sites.map(|site| (Arc::clone(&text), site)).collect()
}

/// Calls `see` with the uses of a name that `files` define, and with those of other names under
/// which files import or re-export it. Returns true if there are too many.
fn each_named_site(
    code: &dyn Code,
    files: &BTreeSet<FileId>,
    name: &str,
    other: &mut OtherNames<'_>,
    mut see: impl FnMut(&Arc<str>, Site),
) -> bool {
    for &file in files {
        other.exported(file, name);
    }
    let mut is_cut = false;
    let mut at = other.start(name);
    while let Some(name) = at {
        let mut sites = code.sites(&name);
        let text: Arc<str> = name.as_str().into();
        if sites.len() > SITES_MAX {
            is_cut = true;
            sites.sort_by_key(|site| site.reference.role != Role::Call);
        }
        for site in sites.into_iter().take(SITES_MAX) {
            if site.reference.role == Role::Import {
                other.imported(&site, &name);
            } else if site.reference.role == Role::Read {
                other.held(&site);
            }
            see(&text, site);
        }
        at = other.next();
    }
    for (alias, files) in other.inside() {
        let text: Arc<str> = alias.into();
        let sites = code.sites(alias).into_iter().filter(|site| files.contains(&site.file));
        for (count, site) in sites.enumerate() {
            if count >= SITES_MAX {
                is_cut = true;
                break;
            }
            see(&text, site);
        }
    }
    is_cut || other.is_cut()
}

/// Returns the calls inside of a symbol. Calls of nested functions are included.
pub fn callees(code: &dyn Code, of: SymbolAt, confidence_min: f32) -> Callees {
    let Some(facts) = code.file(of.file) else { return Callees::default() };
    let linker = Linker::new(code);
    let mut found = Callees::default();
    for (name, reference) in code.calls(of.file).iter() {
        let mut around = facts.ancestors(reference.enclosing);
        if !around.any(|at| at == of.place as usize) {
            continue;
        }
        let outcome = linker.outcome_at(of.file, name, reference);
        let mut links = outcome.links.iter().filter(|link| link.confidence >= confidence_min);
        if let Some(&first) = links.next() {
            let called = |link| Callee { name: name.clone(), reference: reference.clone(), link };
            found.calls.push(called(first));
            // One of several definitions: `callers` of each lists the call.
            let others = links.filter(|link| !is_same(code, first.to, link.to)).copied();
            found.calls.extend(others.map(called));
        } else if is_unresolved(&outcome) {
            let site = Site { file: of.file, reference: reference.clone() };
            found.unresolved.push(NamedSite { name: name.as_str().into(), site });
        }
    }
    found
}

/// Returns true if a call of one definition is one of the other: they have the same qualified name
/// (a declaration, or a part of a type), or one is the constructor of the other.
fn is_same(code: &dyn Code, a: SymbolAt, b: SymbolAt) -> bool {
    let (Some(of_a), Some(of_b)) = (code.file(a.file), code.file(b.file)) else { return true };
    let (place_a, place_b) = (a.place as usize, b.place as usize);
    let (symbol_a, symbol_b) = (&of_a.symbols[place_a], &of_b.symbols[place_b]);
    let is_made = |made: &FileFacts, place: usize, of: usize| {
        made.is_constructor(place) && made.symbols[place].parent == Some(of)
    };
    symbol_a.qualified_name == symbol_b.qualified_name
        || a.file == b.file
            && (is_made(&of_a, place_a, place_b) || is_made(&of_a, place_b, place_a))
}

/// Returns the symbol that a call belongs to: the innermost enclosing function, or the outermost
/// symbol if there is none.
pub fn calling_symbol(code: &dyn Code, site: &Site) -> Option<SymbolAt> {
    calling_symbols(code, site).first().copied()
}

/// Returns the functions that enclose a call, innermost first, or the outermost symbol if there are
/// none.
fn calling_symbols(code: &dyn Code, site: &Site) -> Vec<SymbolAt> {
    let Some(facts) = code.file(site.file) else { return Vec::new() };
    let around: Vec<usize> = facts.ancestors(site.reference.enclosing).collect();
    let is_code = |place: &usize| {
        let kind = facts.symbols[*place].kind;
        kind.is_callable() || matches!(kind, SymbolKind::Property | SymbolKind::Macro)
    };
    let at = |place: usize| SymbolAt { file: site.file, place: place as u32 };
    let functions: Vec<SymbolAt> = around.iter().copied().filter(is_code).map(at).collect();
    if functions.is_empty() {
        around.last().copied().map(at).into_iter().collect()
    } else {
        functions
    }
}
