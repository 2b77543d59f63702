//! Members of a type itself and members of its instances, in languages where both can have one name:
//! Ruby's `def self.name` and `def name`.

use super::code::{FileFacts, last_name};
use super::kinds::is_type;
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Place, Value};
use super::walk::Walk;
use crate::lang::symbols::{Symbol, SymbolKind};

impl Walk<'_> {
    /// Removes members of the other side (of instances if `of_type`, of the type otherwise) where
    /// there are some of the right one, and then properties where there are methods.
    pub(super) fn prefer_side(&self, found: &mut Vec<Candidate>, of_type: bool) {
        if found.len() < 2 {
            return;
        }
        self.prefer(found, |symbol| is_of_type(symbol) == of_type);
        self.prefer(found, |symbol| symbol.kind.is_callable());
    }

    /// Replaces members of the instances of a class by [`Value::Outside`] where they are called on the
    /// class itself, which has a method of this name from the language: Ruby's `Type.to_s`. Those of
    /// modules can be members of the class, too.
    pub(super) fn remove_of_instances(&self, of: SymbolAt, name: &str, found: &mut Vec<Candidate>) {
        let Some((facts, place)) = self.symbol(of) else { return };
        let is_class = facts.dialect.marks_class_members
            && facts.symbols[place].kind == SymbolKind::Class
            && facts.dialect.standard.binary_search(&name).is_ok();
        let is_its = |candidate: &Candidate| {
            let Value::Name(at) = candidate.value else { return false };
            self.symbol(at).is_some_and(|(there, member)| {
                let symbol = &there.symbols[member];
                let around = symbol.parent.map(|parent| &there.symbols[parent]);
                let is_of_class = around.is_some_and(|around| around.kind == SymbolKind::Class);
                is_of_class && !is_of_type(symbol)
            })
        };
        if is_class && !found.is_empty() && found.iter().all(is_its) {
            *found = vec![Candidate::new(Value::Outside, 1.0, Reason::Receiver)];
        }
    }

    /// Returns true for a member that a type of Ruby itself has, not its instances.
    pub(super) fn is_of_type_itself(&self, member: &Candidate) -> bool {
        let Value::Name(at) = member.value else { return false };
        self.symbol(at).is_some_and(|(facts, place)| {
            facts.dialect.marks_class_members && is_of_type(&facts.symbols[place])
        })
    }

    /// Returns true for a member that a module of Ruby itself has: `def self.name` in a module.
    pub(super) fn is_of_module_itself(&self, member: &Candidate) -> bool {
        let Value::Name(at) = member.value else { return false };
        self.symbol(at).is_some_and(|(facts, place)| {
            let symbol = &facts.symbols[place];
            let around = symbol.parent.map(|parent| facts.symbols[parent].kind);
            facts.dialect.marks_class_members
                && symbol.kind.is_callable()
                && is_of_type(symbol)
                && around == Some(SymbolKind::Module)
        })
    }

    /// Removes what `is_better` rejects, if it accepts something.
    fn prefer(&self, found: &mut Vec<Candidate>, is_better: impl Fn(&Symbol) -> bool) {
        let rated: Vec<Option<bool>> = found
            .iter()
            .map(|candidate| {
                let Value::Name(at) = candidate.value else { return None };
                let (facts, place) = self.symbol(at)?;
                facts.dialect.marks_class_members.then(|| is_better(&facts.symbols[place]))
            })
            .collect();
        if rated.contains(&Some(true)) {
            let mut rated = rated.into_iter();
            found.retain(|_| rated.next() != Some(Some(false)));
        }
    }

    /// Returns true where `self` is a type and not an instance: in a method of the type itself, and
    /// in the body of a type.
    pub(super) fn is_class_side(&self, place: Place) -> bool {
        let Some(facts) = self.facts(place.file) else { return false };
        if !facts.dialect.marks_class_members {
            return false;
        }
        let around = facts.ancestors(place.enclosing).map(|at| &facts.symbols[at]);
        let mut decisive = around.filter(|symbol| {
            let is_body = is_type(symbol.kind) || symbol.kind == SymbolKind::Module;
            is_body || symbol.kind.is_callable()
        });
        decisive.next().is_some_and(|symbol| !symbol.kind.is_callable() || is_of_type(symbol))
    }
}

/// Returns true for a method of Ruby of one object or of another type than the enclosing one, `def
/// object.name`: it has no bare name.
pub(super) fn is_of_object(facts: &FileFacts, place: usize) -> bool {
    let Some(symbol) = facts.symbols.get(place) else { return false };
    if !facts.dialect.marks_class_members || !is_of_type(symbol) {
        return false;
    }
    let around = symbol.parent.map(|parent| facts.symbols[parent].name.as_str());
    facts.owner(place).is_some_and(|owner| around.is_none_or(|around| last_name(around) != owner))
}

/// Returns true for a member of a type itself: `Type.name`.
pub(super) fn is_of_type(symbol: &Symbol) -> bool {
    symbol.qualified_name.strip_suffix(&symbol.name).is_some_and(|scope| scope.ends_with('.'))
}
