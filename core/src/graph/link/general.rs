//! Extensions of every value: those of a type parameter, and of the type that all others derive from.

use super::added::names_all;
use super::code::FileFacts;
use super::dialect::Extensions;
use super::kinds::is_type;
use super::position::SymbolAt;
use super::value::Place;
use super::walk::Walk;

/// The most definitions of one name that are considered.
const NAMED_MAX: usize = 256;

impl Walk<'_> {
    /// Returns true if the name of an extended type is that of a type parameter: `A`, `TValue`.
    pub(super) fn names_parameter(&self, facts: &FileFacts, extended: &str) -> bool {
        let is_prefixed =
            extended.starts_with('T') && extended[1..].starts_with(char::is_uppercase);
        extended.len() <= 2 || is_prefixed && !self.is_type_name(facts, extended)
    }

    /// Returns true if a type of the repository has that name.
    pub(super) fn is_type_name(&self, facts: &FileFacts, name: &str) -> bool {
        let is_type = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(there, place)| {
                there.dialect.group == facts.dialect.group && is_type(there.symbols[place].kind)
            })
        };
        self.code.named(name).iter().take(NAMED_MAX).any(is_type)
    }

    /// Returns the only extension of Kotlin among some functions that extends a type parameter and is visible
    /// in a file: it is a member of every value.
    pub(super) fn extension_of_all(
        &self,
        facts: &FileFacts,
        place: Place,
        found: &[SymbolAt],
        name: &str,
    ) -> Option<SymbolAt> {
        let around = || self.types_around(place);
        if facts.dialect.extensions != Extensions::Prefix {
            return None;
        }
        let is_of_all = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(there, place)| {
                let extended = self.extended(&there, *at, place);
                extended.is_some_and(|(of, _)| names_all(&of) || self.names_parameter(&there, &of))
            })
        };
        let is_visible = |at: &SymbolAt| {
            self.visibility(facts, place.file, *at, name) >= 1.0
                && self.extending_member(*at).is_none_or(|of| around().contains(&of))
        };
        let mut all = found.iter().copied().filter(|at| is_of_all(at) && is_visible(at));
        all.next().filter(|_| all.next().is_none())
    }

    /// Returns the type of Kotlin that has an extension of another type as a member.
    pub(super) fn extending_member(&self, at: SymbolAt) -> Option<SymbolAt> {
        let (facts, place) = self.symbol(at)?;
        let parent = facts.symbols[place].parent?;
        let is_inside =
            facts.dialect.extensions == Extensions::Prefix && is_type(facts.symbols[parent].kind);
        is_inside.then_some(SymbolAt { file: at.file, place: parent as u32 })
    }
}
