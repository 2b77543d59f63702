//! Interfaces that a type satisfies without naming them: those of Go and TypeScript, and Python's
//! `Protocol`.

use super::code::{FileFacts, near};
use super::dialect::Structural;
use super::position::SymbolAt;
use super::value::{Candidate, Value};
use super::walk::Walk;
use crate::lang::symbols::SymbolKind;

/// The most definitions of one name among which interfaces are searched.
const NAMED_MAX: usize = 256;

/// The most interfaces of which one method is an implementation.
const INTERFACES_MAX: usize = 16;

/// The most methods of an interface that are compared, and the most interfaces in it.
pub(super) const METHODS_MAX: usize = 64;
pub(super) const EMBEDDED_MAX: usize = 8;

impl Walk<'_> {
    /// Returns the methods of interfaces that `method` of the type `of` may implement: those of its name
    /// in interfaces of whose methods the type has all. An interface from outside that is embedded in
    /// one counts as satisfied. O(definitions of the name), bounded.
    pub(super) fn satisfied(
        &self,
        facts: &FileFacts,
        method: SymbolAt,
        of: SymbolAt,
    ) -> Vec<SymbolAt> {
        let Some(rule) = facts.dialect.structural else { return Vec::new() };
        let symbol = &facts.symbols[method.place as usize];
        let named = self.code.named(&symbol.name);
        let mut found = Vec::new();
        for &at in near(&named, method.file, NAMED_MAX) {
            if found.len() == INTERFACES_MAX {
                break;
            }
            let Some((there, place)) = self.symbol(at).filter(|_| at != method) else { continue };
            let Some(parent) = there.symbols[place].parent else { continue };
            let interface = SymbolAt { file: at.file, place: parent as u32 };
            if there.dialect.group == facts.dialect.group
                && there.symbols[place].kind.is_callable()
                && is_structural(rule, &there, parent)
                && !self.differs(method, at)
                && interface != of
                && self.take_step(0)
                && self.has_all(of, interface, 0)
            {
                found.push(at);
            }
        }
        found
    }

    /// Returns true if two methods cannot have the same parameters.
    pub(super) fn differs(&self, a: SymbolAt, b: SymbolAt) -> bool {
        let arity = |of: SymbolAt| {
            let (facts, _) = self.symbol(of)?;
            facts.arity(of.place, || self.code.text(of.file))
        };
        let parts = arity(a).zip(arity(b));
        parts.is_some_and(|((least_a, most_a), (least_b, most_b))| {
            most_a < least_b || most_b < least_a
        })
    }

    /// Returns true if a type has all methods of an interface, as far as these are in the repository.
    pub(super) fn has_all(&self, of: SymbolAt, interface: SymbolAt, depth: usize) -> bool {
        let Some((facts, place)) = self.symbol(interface) else { return true };
        let methods = facts.all_children(Some(place)).iter().map(|&at| &facts.symbols[at as usize]);
        let methods = methods.filter(|it| it.kind.is_callable()).take(METHODS_MAX);
        let is_there = |it: &Candidate| matches!(it.value, Value::Name(_));
        for method in methods {
            if !self.members(of, &method.name, depth + 1).iter().any(is_there) {
                return false;
            }
        }
        let bases = self.bases(interface, depth + 1);
        bases.iter().take(EMBEDDED_MAX).all(|base| match base.value {
            Value::Instance(base, _) if depth < EMBEDDED_MAX && base != interface => {
                self.has_all(of, base, depth + 1)
            }
            _ => true,
        })
    }
}

/// Returns true for an interface that types satisfy without naming it.
pub(super) fn is_structural(rule: Structural, facts: &FileFacts, place: usize) -> bool {
    let symbol = &facts.symbols[place];
    match rule {
        Structural::Interfaces => symbol.kind == SymbolKind::Interface,
        Structural::Bases(name) => symbol.bases.iter().any(|base| base.last_name() == name),
    }
}
