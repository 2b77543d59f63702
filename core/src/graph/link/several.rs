//! Values that are one of several: `condition ? a : b`, a variable that is assigned twice, a function
//! with several results, definitions that replace each other.
//!
//! Each alternative of a chain is followed on its own. A definition to which all of them lead is as
//! certain as without them; otherwise each has less confidence, and the others are listed too.

use super::blocks::levels_between;
use super::code::{FileFacts, last_name};
use super::dialect::Extensions;
use super::kinds::{is_type, is_variable};
use super::memo::Shared;
use super::position::SymbolAt;
use super::result::{CONFIDENCE_ANSWER, Link, Reason, Use};
use super::value::{Candidate, Choice, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::graph::weights;
pub use crate::graph::weights::OPEN_MAX;
use crate::lang::chain::Chain;
use crate::lang::facts::Role;
use crate::lang::symbols::{Symbol, SymbolKind};

/// The most types of results.
const RESULTS_MAX: usize = 8;

impl Walk<'_> {
    /// Returns what `find` returns for each value that a chain may have, each result once; `None` if the
    /// chain has one value. `is_value` states that the results are values, not definitions.
    pub(super) fn one_of(
        &self,
        chain: &Chain,
        is_value: bool,
        find: impl Fn(&Chain) -> Vec<Candidate>,
    ) -> Option<Vec<Candidate>> {
        let of_each: Vec<Vec<Candidate>> = chain.several()?.iter().map(find).collect();
        if chain.is_all() {
            return Some(united(of_each, is_value));
        }
        if chain.is_first() {
            let mut others = of_each;
            let first = if others.is_empty() { Vec::new() } else { others.remove(0) };
            let is_known = first.iter().any(is_known_value);
            return Some(if is_known { first } else { merged(others, chain.may_be_unknown()) });
        }
        Some(merged(of_each, chain.may_be_unknown()))
    }

    /// Returns the members `name` of an alias of several types of TypeScript, of which a value has one;
    /// `None` for other types. Types of the repository that lack the member do not count. `own` are those
    /// of the object types among them.
    pub(super) fn members_of_union(
        &self,
        of: SymbolAt,
        own: &[Candidate],
        depth: usize,
        find: impl Fn(&Candidate) -> Vec<Candidate>,
    ) -> Option<Vec<Candidate>> {
        let (facts, place) = self.symbol(of)?;
        let symbol = &facts.symbols[place];
        let marks = symbol.bases.iter().filter(|base| **base == Chain::unknown()).count();
        if symbol.kind != SymbolKind::Type || marks == 0 {
            return None;
        }
        let mut each = if own.is_empty() { Vec::new() } else { vec![own.to_vec()] };
        for base in self.bases(of, depth + 1) {
            let mut found = find(&base);
            for candidate in &mut found {
                candidate.confidence *= weights::BELOW;
                candidate.reason = candidate.reason.max(Reason::Inherited);
            }
            if !found.is_empty() || !matches!(base.value, Value::Instance(..)) {
                each.push(found);
            }
        }
        Some(merged(each, marks > 1 || symbol.bases.len() > VALUES_MAX + marks))
    }

    /// Removes definitions of JavaScript that a later one in the same block replaces. Definitions in
    /// different blocks are open. O(text between the definitions).
    pub(super) fn prefer_last(
        &self,
        place: Place,
        used: Option<Use<'_>>,
        candidates: &mut Vec<Candidate>,
    ) {
        let mut at = 0;
        while at < candidates.len() {
            let earlier = self.replaceable(&candidates[at]);
            let later = earlier.as_ref().and_then(|(facts, earlier)| {
                let before = &facts.symbols[earlier.place as usize];
                let replaces = |after: &Symbol| {
                    before.qualified_name == after.qualified_name
                        && before.parent == after.parent
                        && before.span.end <= after.span.start
                };
                let is_later = |it: &&mut Candidate| {
                    let later = self.replaceable(it).filter(|(_, it)| it.file == earlier.file);
                    later.is_some_and(|(there, it)| replaces(&there.symbols[it.place as usize]))
                };
                candidates.iter_mut().rfind(is_later)
            });
            let Some((later, (facts, earlier))) = later.zip(earlier) else {
                at += 1;
                continue;
            };
            let Value::Name(replacing) = later.value else { break };
            let span = |at: SymbolAt| &facts.symbols[at.place as usize].span;
            let text = self.code.text(earlier.file);
            let levels = text
                .and_then(|text| levels_between(&text, span(earlier).end, span(replacing).start));
            // A use outside of functions between the two has the first one.
            let is_between = used.and_then(|used| used.start).is_some_and(|start| {
                let is_here = place.file == earlier.file && place.enclosing.is_none();
                is_here && (span(earlier).end..span(replacing).start).contains(&start)
            });
            if levels == Some((0, 0)) && !is_between {
                candidates.remove(at);
                continue;
            }
            later.choice = Choice::Open;
            candidates[at].choice = Choice::Open;
            at += 1;
        }
    }

    /// Returns the definition of a candidate of JavaScript that another one of its name can replace: a
    /// function or variable that is no member of a class, and no signature.
    fn replaceable(&self, candidate: &Candidate) -> Option<(Shared, SymbolAt)> {
        let Value::Name(at) = candidate.value else { return None };
        let (facts, place) = self.symbol(at)?;
        let symbol = &facts.symbols[place];
        let is_of_type = symbol.parent.is_some_and(|parent| is_type(facts.symbols[parent].kind));
        let has_body = symbol.source.signature.end < symbol.span.end;
        let is_value = is_variable(symbol.kind) || symbol.kind.is_callable() && has_body;
        let is_its = facts.dialect.has_module_values && is_value && !is_of_type;
        is_its.then(|| (facts.clone(), at))
    }

    /// Marks functions of JavaScript that are assigned another value somewhere, and definitions of
    /// Python whose name the module imports as well: `except ImportError: name = None`.
    pub(super) fn open_reassigned(&self, candidates: &mut [Candidate]) {
        for candidate in candidates {
            let Value::Name(at) = candidate.value else { continue };
            let Some((facts, place)) = self.symbol(at) else { continue };
            let symbol = &facts.symbols[place];
            let is_reassigned =
                facts.dialect.has_module_values && symbol.bases.contains(&Chain::unknown());
            let is_imported = || {
                let is_alone = symbol.parent.is_none() && facts.dialect.binds_dotted_names;
                is_alone && facts.bindings(&symbol.name).next().is_some()
            };
            if is_reassigned || is_imported() {
                candidate.choice = Choice::Open;
            }
        }
    }
}

impl Walk<'_> {
    /// Marks properties of JavaScript that a call by a local name refers to: `({ run }) => run()` calls
    /// the variable, and the type of the property may have the function.
    pub(super) fn open_taken(&self, place: Place, used: Use<'_>, candidates: &mut [Candidate]) {
        let is_call = used.role == Role::Call && used.receiver.is_some();
        let Some(start) = used.start.filter(|_| is_call) else { return };
        for candidate in candidates {
            let Value::Name(at) = candidate.value else { continue };
            let is_property = self.symbol(at).is_some_and(|(facts, place)| {
                let symbol = &facts.symbols[place];
                facts.dialect.has_module_values && symbol.kind == SymbolKind::Field
            });
            let text = || self.code.text(place.file);
            if is_property && text().is_some_and(|text| !is_member_access(&text, start)) {
                candidate.choice = Choice::Open;
            }
        }
    }
}

/// Returns the candidates of something that has several types at once: of a value those of all types, of a
/// definition those of the first type that leads to something of the repository.
fn united(of_each: Vec<Vec<Candidate>>, is_value: bool) -> Vec<Candidate> {
    if is_value && of_each.iter().flatten().any(is_known_value) {
        let mut found: Vec<Candidate> = Vec::new();
        for candidate in of_each.into_iter().flatten() {
            if !found.iter().any(|known| is_same_value(known, &candidate)) {
                found.push(candidate);
            }
        }
        found.sort_by_key(|it| !is_known_value(it));
        found.truncate(VALUES_MAX);
        return found;
    }
    let known = of_each.iter().position(|found| found.iter().any(is_known_value));
    let first = known.or_else(|| of_each.iter().position(|found| !found.is_empty()));
    first.and_then(|at| of_each.into_iter().nth(at)).unwrap_or_default()
}

pub(super) fn is_known_value(it: &Candidate) -> bool {
    !matches!(it.value, Value::Outside | Value::Foreign(_) | Value::ForeignMethod { .. })
}

/// Returns the candidates of each of several alternatives, each once, with the alternatives that lead to
/// it.
pub(super) fn merged(of_each: Vec<Vec<Candidate>>, may_be_unknown: bool) -> Vec<Candidate> {
    let is_inside = |it: &Candidate| {
        matches!(it.value, Value::Name(_) | Value::Instance(..) | Value::Module(_))
    };
    let is_container = |it: &Candidate| matches!(&it.value, Value::Foreign(written) if written.of().has_arguments());
    let has_inside = of_each.iter().flatten().any(is_inside);
    // Containers from outside may have elements of the repository.
    let are_containers =
        !has_inside && of_each.iter().filter(|all| all.iter().any(is_container)).count() > 1;
    let is_inside = |it: &Candidate| if are_containers { is_container(it) } else { is_inside(it) };
    let is_known = |all: &Vec<Candidate>| all.iter().any(is_inside);
    if !has_inside && !are_containers {
        // Of a value from outside and an unknown one, the latter may be of the repository.
        let is_lost = may_be_unknown || of_each.iter().any(Vec::is_empty);
        let mut found = of_each.into_iter().find(|all| !all.is_empty()).unwrap_or_default();
        found.iter_mut().for_each(|it| it.is_lost |= is_lost);
        return found;
    }
    let is_outside =
        |all: &Vec<Candidate>| !all.is_empty() && all.iter().all(Candidate::is_outside);
    let is_open = may_be_unknown || !of_each.iter().all(|all| is_known(all) || is_outside(all));
    let count = of_each.len();
    let every = u8::MAX.checked_shr(8_u32.saturating_sub(count as u32)).unwrap_or(u8::MAX);
    // Each with its alternatives, as bits if there are few, and the number of these.
    let mut found: Vec<(Candidate, u8, usize)> = Vec::new();
    for (at, all) in of_each.into_iter().enumerate() {
        let bit = 1_u8.checked_shl(at as u32).unwrap_or_default();
        let first = found.len();
        for candidate in all.into_iter().filter(is_inside) {
            match found.iter_mut().position(|(other, ..)| is_same_value(other, &candidate)) {
                Some(known) if known < first && found[known].1 & bit == 0 => {
                    found[known].1 |= bit;
                    found[known].2 += 1;
                }
                Some(_) => {}
                None => found.push((candidate, bit, 1)),
            }
        }
    }
    // All alternatives have the same values.
    let is_same = found.iter().all(|(.., number)| *number == count);
    let with_choice = |(it, which, _): (Candidate, u8, usize)| {
        let choice = match (is_open, is_same) {
            (true, _) => Choice::Open,
            (false, true) => Choice::Only,
            (false, false) if count > 8 => Choice::Open,
            (false, false) => Choice::OneOf { which, all: every },
        };
        let is_lost = it.is_lost || are_containers && is_open;
        Candidate { choice: it.choice.and(choice), is_lost, ..it }
    };
    found.into_iter().take(VALUES_MAX).map(with_choice).collect()
}

/// Returns true if the use at `start` has its receiver before it: `a.name`.
fn is_member_access(text: &[u8], start: usize) -> bool {
    text.get(..start).is_some_and(|before| before.trim_ascii_end().ends_with(b"."))
}

impl Walk<'_> {
    /// Marks the results of a call as alternatives if its overloads return different types: a step of a chain
    /// has no arguments that select one. Java, C# and Kotlin.
    pub(super) fn mark_results(&self, place: Place, values: &mut [Candidate]) {
        let has_overloads = |facts: &FileFacts| {
            let dialect = facts.dialect;
            dialect.has_usings
                || dialect.has_java_types()
                || dialect.extensions == Extensions::Prefix
        };
        if values.len() < 2 || !self.facts(place.file).is_some_and(|facts| has_overloads(&facts)) {
            return;
        }
        let top = values.iter().map(|it| it.confidence).fold(0.0, f32::max);
        let key = |it: &Candidate| match &it.value {
            Value::Instance(at, _) => {
                let (facts, place) = self.symbol(*at)?;
                let parameters = self.type_parameters(*at, &facts, &facts.symbols[place]);
                Some((facts.symbols[place].qualified_name.clone(), parameters))
            }
            Value::Foreign(written) => {
                let name = written.of().path();
                Some((last_name(name).to_owned(), usize::MAX))
            }
            _ => None,
        };
        let keys: Vec<Option<(String, usize)>> = values
            .iter()
            .map(|it| Some(it).filter(|it| it.confidence >= top * weights::LIKELY).and_then(key))
            .collect();
        let mut types: Vec<&(String, usize)> = keys.iter().flatten().collect();
        types.sort_unstable();
        types.dedup();
        if !(2..=RESULTS_MAX).contains(&types.len()) {
            return;
        }
        let all = u8::MAX >> (u8::BITS as usize - types.len());
        for (value, key) in values.iter_mut().zip(&keys) {
            let which = key.as_ref().and_then(|key| types.iter().position(|of| *of == key));
            if let Some(which) = which {
                value.choice = value.choice.and(Choice::OneOf { which: 1 << which, all });
            }
        }
    }
}

/// Lowers the confidence of links to definitions that are one of several, unless each alternative leads to
/// each of them. Of two or more that nothing ranks above, the first keeps more, so that the others are
/// listed with the least confidence of an answer.
pub(super) fn limit_open(links: &mut [Link], choices: &[(SymbolAt, Choice)]) {
    let is_open = |to: SymbolAt| choices.iter().any(|(of, _)| *of == to);
    if choices.iter().all(|(to, _)| is_of_all(*to, choices)) {
        return;
    }
    let is_first_open = links.first().is_some_and(|link| is_open(link.to));
    let mut is_first = true;
    for link in links.iter_mut().filter(|link| is_open(link.to)) {
        let is_other = is_first_open && !is_first;
        link.confidence = link.confidence.min(if is_other { CONFIDENCE_ANSWER } else { OPEN_MAX });
        is_first = false;
    }
    links.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
}

/// Returns true if all alternatives lead to a definition.
fn is_of_all(to: SymbolAt, choices: &[(SymbolAt, Choice)]) -> bool {
    let (mut seen, mut every) = (0, 0);
    for (_, choice) in choices.iter().filter(|(of, _)| *of == to) {
        match choice {
            Choice::OneOf { which, all } => (seen, every) = (seen | which, every | all),
            Choice::Open => return false,
            Choice::Only => {}
        }
    }
    seen == every
}

fn is_same_value(a: &Candidate, b: &Candidate) -> bool {
    match (&a.value, &b.value) {
        (Value::Name(a), Value::Name(b)) => a == b,
        (Value::Instance(a, _), Value::Instance(b, _)) => a == b,
        (Value::Module(a), Value::Module(b)) => a == b,
        (Value::Foreign(a), Value::Foreign(b)) => a.text == b.text,
        _ => false,
    }
}
