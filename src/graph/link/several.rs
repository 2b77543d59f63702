//! Values that are one of several: `condition ? a : b`, a variable that is assigned twice, a function
//! with several results, definitions that replace each other.
//!
//! Each alternative of a chain is followed on its own. A definition to which all of them lead is as
//! certain as without them; otherwise each has less confidence, and the others are listed too.

use super::blocks::levels_between;
use super::kinds::{is_type, is_variable};
use super::memo::Shared;
use super::position::SymbolAt;
use super::result::{CONFIDENCE_ANSWER, Link, Use};
use super::value::{Candidate, Choice, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::lang::chain::Chain;
use crate::lang::facts::Role;
use crate::lang::symbols::{Symbol, SymbolKind};

/// The most confidence, before the calibration, of a definition that is one of several.
const OPEN_MAX: f32 = 0.62;

impl Walk<'_> {
    /// Returns what `find` returns for each value that a chain may have, each result once; `None` if the
    /// chain has one value.
    pub(super) fn one_of(
        &self,
        chain: &Chain,
        find: impl Fn(&Chain) -> Vec<Candidate>,
    ) -> Option<Vec<Candidate>> {
        let of_each: Vec<Vec<Candidate>> = chain.several()?.iter().map(find).collect();
        let is_inside = |it: &Candidate| {
            matches!(it.value, Value::Name(_) | Value::Instance(..) | Value::Module(_))
        };
        let is_known = |all: &Vec<Candidate>| all.iter().any(is_inside);
        if !of_each.iter().any(is_known) {
            // Of a value from outside and an unknown one, the latter may be of the repository.
            let is_lost = chain.may_be_unknown() || of_each.iter().any(Vec::is_empty);
            let mut found = of_each.into_iter().find(|all| !all.is_empty()).unwrap_or_default();
            found.iter_mut().for_each(|it| it.is_lost |= is_lost);
            return Some(found);
        }
        let is_open = chain.may_be_unknown() || !of_each.iter().all(is_known);
        let every = u8::MAX.checked_shr(8 - of_each.len() as u32).unwrap_or(u8::MAX);
        let mut found: Vec<(Candidate, u8)> = Vec::new();
        for (number, candidate) in of_each
            .into_iter()
            .enumerate()
            .flat_map(|(at, all)| all.into_iter().map(move |it| (at, it)))
        {
            let bit = 1_u8.checked_shl(number as u32).unwrap_or_default();
            if !is_inside(&candidate) {
                continue;
            }
            match found.iter_mut().find(|(other, _)| is_same_value(other, &candidate)) {
                Some((_, which)) => *which |= bit,
                None => found.push((candidate, bit)),
            }
        }
        // All alternatives have the same values.
        let is_same = found.iter().all(|(_, which)| *which == every);
        let with_choice = |(it, which): (Candidate, u8)| {
            let choice = match (is_open, is_same) {
                (true, _) => Choice::Open,
                (false, true) => Choice::Only,
                (false, false) => Choice::OneOf { which, all: every },
            };
            Candidate { choice: it.choice.and(choice), ..it }
        };
        Some(found.into_iter().take(VALUES_MAX).map(with_choice).collect())
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

/// Returns true if the use at `start` has its receiver before it: `a.name`.
fn is_member_access(text: &[u8], start: usize) -> bool {
    text.get(..start).is_some_and(|before| before.trim_ascii_end().ends_with(b"."))
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
        _ => false,
    }
}
