//! What Python's decorators make of a function: `@group()` before `def cli()` makes `cli` what the call
//! of `group()` with the function returns.
//!
//! Facts list the value of each decorator with its call as a base of the function, outermost first
//! (`crate::lang::symbols::Symbol::bases`).

use super::code::FileFacts;
use super::kinds::is_type;
use super::position::SymbolAt;
use super::value::{Candidate, Place, Value};
use super::walk::Walk;
use crate::lang::chain::Chain;

/// The most decorators of one function that are followed.
const DECORATORS_MAX: usize = 8;

impl Walk<'_> {
    /// Returns what the decorators of a function of Python make of it; nothing if it stays a function, or
    /// if what they make is unknown.
    pub(super) fn decorated(
        &self,
        facts: &FileFacts,
        of: SymbolAt,
        depth: usize,
    ) -> Vec<Candidate> {
        let symbol = &facts.symbols[of.place as usize];
        if !facts.dialect.decorates || !symbol.kind.is_callable() {
            return Vec::new();
        }
        let place = Place { file: of.file, enclosing: symbol.parent };
        for decorator in symbol.bases.iter().take(DECORATORS_MAX) {
            if *decorator == Chain::unknown() {
                continue;
            }
            let mut made = self.chain(place, None, decorator, depth + 1);
            // A decorator from outside may be typed so that its result is a function, too.
            let is_function = |it: &Candidate| {
                self.kind(it).is_some_and(|kind| kind.is_callable() || is_type(kind))
            };
            made.retain(|it| !is_function(it));
            if !made.is_empty() {
                return made;
            }
        }
        Vec::new()
    }

    /// Returns the members of what the decorators of a function make of it.
    pub(super) fn members_of_decorated(
        &self,
        facts: &FileFacts,
        of: SymbolAt,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let made = self.decorated(facts, of, depth);
        let is_itself = |it: &Candidate| matches!(it.value, Value::Name(at) if at == of);
        made.iter()
            .filter(|it| !is_itself(it))
            .flat_map(|it| self.member(it, name, depth + 1))
            .collect()
    }
}
