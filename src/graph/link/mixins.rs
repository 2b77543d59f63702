//! Modules that types and modules of Ruby include, extend or prepend. Methods of a prepended module run
//! in place of the class's own.

use super::code::near;
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Place, Value};
use super::walk::Walk;
use crate::lang::chain::Chain;
use crate::lang::symbols::SymbolKind;

/// The most definitions of a class's name that are searched for its parts.
const PARTS_MAX: usize = 64;

/// The confidence of a method that one of a prepended module replaces: it runs only by `super`.
const REPLACED: f32 = 0.25;

impl Walk<'_> {
    /// Puts the members of modules that a type prepends, in any of its parts, before its own.
    pub(super) fn put_prepended_first(
        &self,
        of: SymbolAt,
        name: &str,
        own: &mut Vec<Candidate>,
        depth: usize,
    ) {
        let Some((facts, place)) = self.symbol(of) else { return };
        if !facts.dialect.has_module_instances {
            return;
        }
        let symbol = &facts.symbols[place];
        let mut first: Vec<Candidate> = Vec::new();
        for &part in near(&self.code.named(&symbol.name), of.file, PARTS_MAX) {
            let Some((there, at)) = self.symbol(part) else { continue };
            let it = &there.symbols[at];
            if it.bases.is_empty() || it.qualified_name != symbol.qualified_name {
                continue;
            }
            let scope = Place { file: part.file, enclosing: Some(at) };
            for (module, _) in it.bases.iter().filter_map(Chain::before_parameter) {
                for value in self.chain(scope, Some(part), &module, depth + 1) {
                    let members = self.member(&value, name, depth + 1).into_iter();
                    first.extend(members.map(|it| Candidate { reason: Reason::Inherited, ..it }));
                }
            }
        }
        first.retain(|it| matches!(it.value, Value::Name(_)));
        if first.is_empty() {
            return;
        }
        // A method of the class itself is another one.
        let is_replaced = |it: &Candidate| match it.value {
            Value::Name(at) => self.symbol(at).is_some_and(|(there, at)| {
                !super::sides::is_of_type(&there.symbols[at])
                    && there.symbols[at].kind.is_callable()
            }),
            _ => false,
        };
        own.iter_mut()
            .filter(|it| is_replaced(it))
            .for_each(|it| it.confidence = it.confidence.min(REPLACED));
        own.splice(..0, first);
    }

    /// Returns the members of the modules that a module includes or extends.
    pub(super) fn of_mixins(&self, of: SymbolAt, name: &str, depth: usize) -> Vec<Candidate> {
        let is_itself = |it: &Candidate| matches!(it.value, Value::Name(at) if at == of);
        for base in self.bases(of, depth + 1).iter().filter(|it| !is_itself(it)) {
            let mut found = self.member(base, name, depth + 1);
            found.retain(|it| matches!(it.value, Value::Name(_)));
            if !found.is_empty() {
                let inherited = |it: Candidate| Candidate {
                    confidence: it.confidence * 0.99,
                    reason: it.reason.max(Reason::Inherited),
                    ..it
                };
                return found.into_iter().map(inherited).collect();
            }
        }
        Vec::new()
    }

    /// Returns true for a receiver that is a type or module itself, not one of its instances, in languages
    /// where both have members of one name.
    pub(super) fn is_type_itself(&self, place: Place, receiver: Option<&Chain>) -> bool {
        let has_sides =
            self.facts(place.file).is_some_and(|facts| facts.dialect.marks_class_members);
        let Some(chain) = receiver.filter(|chain| has_sides && chain.is_path()) else {
            return false;
        };
        let values = self.chain(place, None, chain, 1);
        let is_type = |it: &Candidate| {
            self.kind(it).is_some_and(|kind| {
                matches!(kind, SymbolKind::Class | SymbolKind::Module) && it.link().is_some()
            })
        };
        !values.is_empty() && values.iter().all(is_type)
    }

    /// Returns true for a member that a type itself may have: its own, or one of a module that it extends.
    pub(super) fn may_be_of_type(&self, member: SymbolAt) -> bool {
        self.symbol(member).is_some_and(|(facts, at)| {
            let symbol = &facts.symbols[at];
            let around = symbol.parent.map(|parent| facts.symbols[parent].kind);
            super::sides::is_of_type(symbol) || around != Some(SymbolKind::Class)
        })
    }

    /// Returns true for a module that types include: Ruby's.
    pub(super) fn is_mixin(&self, at: SymbolAt) -> bool {
        self.symbol(at).is_some_and(|(facts, place)| {
            facts.dialect.has_module_instances && facts.symbols[place].kind == SymbolKind::Module
        })
    }
}
