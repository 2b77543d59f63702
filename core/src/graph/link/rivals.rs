//! Several answers to one call, of which it runs one: none of them is as likely as an only one.

use super::dialect::{Extensions, Group};
use super::kinds::{is_type, is_variable};
use super::memo::Shared;
use super::parameters::inside;
use super::position::SymbolAt;
use super::result::{CONFIDENCE_ANSWER, Link, Use};
use super::several::OPEN_MAX;
use super::value::Place;
use super::walk::Walk;
use crate::lang::facts::Role;
use crate::lang::split;
use crate::lang::symbols::{Symbol, SymbolKind};

/// The most bytes of the arguments of a call that are read.
const CALL_BYTES_MAX: usize = 400;

impl Walk<'_> {
    /// Lowers the confidence of several answers to one call: it runs one of them, and nothing selects it.
    /// A declaration, a type and its constructor are one answer.
    pub(super) fn limit_several(&self, links: &mut [Link]) {
        let answers = links.partition_point(|link| link.confidence > CONFIDENCE_ANSWER);
        let Some((first, others)) = links[..answers].split_first() else { return };
        if others.iter().all(|other| self.is_one_answer(first.to, other.to)) {
            return;
        }
        for link in &mut links[..answers] {
            link.confidence = link.confidence.min(OPEN_MAX);
        }
    }

    /// Returns the fields that a call does not refer to, since there is a method of that name in the same
    /// type; and properties of Kotlin, since the call has arguments that no value of a function takes.
    pub(super) fn hidden_fields(
        &self,
        place_of_use: Place,
        used: Use<'_>,
        links: &[Link],
    ) -> Vec<SymbolAt> {
        if used.role != Role::Call {
            return Vec::new();
        }
        let named = links.iter().filter_map(|link| Some((link.to, self.symbol(link.to)?)));
        let (methods, others): (Vec<_>, Vec<_>) =
            named.partition(|(_, (facts, at))| facts.symbols[*at].kind.is_callable());
        if methods.is_empty() {
            return Vec::new();
        }
        let owner = |(at, (facts, place)): &(SymbolAt, (Shared, usize))| {
            facts.symbols[*place].parent.map(|parent| (at.file, parent))
        };
        let is_hidden = |other: &(SymbolAt, (Shared, usize))| {
            let (facts, place) = &other.1;
            let kind = facts.symbols[*place].kind;
            let of = owner(other).filter(|_| kind == SymbolKind::Field);
            let is_kotlin = facts.dialect.extensions == Extensions::Prefix;
            of.is_some() && methods.iter().any(|method| owner(method) == of)
                || is_kotlin && is_variable(kind) && self.is_function_call(place_of_use, used)
        };
        others.iter().filter(|other| is_hidden(other)).map(|(at, _)| *at).collect()
    }

    /// Returns true for a call with names of arguments or with a block after them.
    fn is_function_call(&self, place: Place, used: Use<'_>) -> bool {
        let text = self.code.text(place.file);
        let (Some(text), Some(start)) = (text, used.start) else { return false };
        let after = text.get(start + used.name.len()..).unwrap_or_default();
        let after = String::from_utf8_lossy(&after[..after.len().min(CALL_BYTES_MAX)]);
        let after = after.trim_start();
        if after.starts_with('{') {
            return true;
        }
        let Some(inside) = inside(after) else { return false };
        let rest = &after[inside.len() + 2..];
        let is_named = |argument: &str| {
            argument.split_once('=').is_some_and(|(name, value)| {
                let name = name.trim();
                !name.is_empty()
                    && name.chars().all(char::is_alphanumeric)
                    && !value.starts_with('=')
            })
        };
        rest.trim_start_matches(' ').starts_with('{')
            || split(inside, b',').into_iter().any(is_named)
    }

    /// Returns true for two definitions of which a call runs both, or that are one: a declaration and its
    /// definition, a type and its constructor, a definition for each platform.
    fn is_one_answer(&self, a: SymbolAt, b: SymbolAt) -> bool {
        let (Some((of_a, a)), Some((of_b, b))) = (self.symbol(a), self.symbol(b)) else {
            return true;
        };
        let (one, other) = (&of_a.symbols[a], &of_b.symbols[b]);
        let is_made = |made: &Symbol, of: &Symbol| {
            let rest = made.qualified_name.strip_prefix(of.qualified_name.as_str());
            // `PriceList::of` is not a member of `Price`.
            let is_member = |rest: &str| {
                rest.is_empty() || rest.starts_with(|c: char| !c.is_alphanumeric() && c != '_')
            };
            is_type(of.kind) && rest.is_some_and(is_member)
        };
        if is_made(one, other) || is_made(other, one) {
            return true;
        }
        let is_declared = of_a.is_declaration(a) || of_b.is_declaration(b);
        let is_elsewhere = of_a.path != of_b.path && of_a.dialect.group != Group::C;
        one.qualified_name == other.qualified_name && (is_declared || is_elsewhere)
    }
}
