//! Modules that a class of Ruby prepends: their methods run in place of the class's own.

use super::code::near;
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Place, Value};
use super::walk::Walk;
use crate::lang::chain::Chain;

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
}
