//! Methods that traits of the repository give to types from elsewhere: Rust's `impl Trait for u32`.

use super::Reason;
use super::code::{FileFacts, SymbolAt, last_name};
use super::value::{Held, Place, VALUES_MAX, Value, Walk, Written, is_type};
use super::{CONFIDENCE_ANSWER, Use};
use crate::lang::facts::Role;
use crate::lang::symbols::SymbolKind;

/// Definitions of one name that are looked at.
const NAMED_MAX: usize = 64;

/// Blocks of one trait that are looked at.
const BLOCKS_MAX: usize = 32;

/// How names of methods begin that Rust's own types have in plenty.
const STANDARD: [&str; 26] = [
    "abs",
    "and",
    "as_mut_",
    "as_ptr",
    "chars",
    "checked_",
    "chunk",
    "copy_",
    "count_",
    "div_",
    "get_",
    "is_ascii",
    "leading_",
    "overflowing_",
    "pow",
    "rem_",
    "rotate_",
    "saturating_",
    "sort_",
    "split_",
    "strip_",
    "swap",
    "to_ascii",
    "trailing_",
    "trim_",
    "wrapping_",
];

impl Walk<'_> {
    /// Returns the methods called `name` that blocks of traits give to a type from elsewhere.
    pub(super) fn extensions(&self, facts: &FileFacts, of: &Written, name: &str) -> Vec<Held> {
        let type_name = last_name(&of.text);
        if facts.language.name != "rust" || type_name.is_empty() || is_standard(name) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for at in self.code.members(type_name, name).into_iter().take(NAMED_MAX) {
            let Some((there, place)) = self.symbol(at) else { continue };
            let block = there.symbols[place].parent.map(|parent| &there.symbols[parent]);
            let of_trait = block.filter(|block| block.kind == SymbolKind::Impl);
            let of_trait = of_trait.and_then(|block| block.bases.first());
            if found.len() < VALUES_MAX
                && of_trait.is_some_and(|name| self.trait_of(name).is_some())
            {
                found.push(Held::new(Value::Name(at), 0.9, Reason::Receiver));
            }
        }
        found
    }

    fn trait_of(&self, name: &str) -> Option<SymbolAt> {
        let named = self.code.named(last_name(name)).into_iter().take(NAMED_MAX);
        named.into_iter().find(|at| {
            let symbol = self.symbol(*at);
            symbol.is_some_and(|(facts, place)| facts.symbols[place].kind == SymbolKind::Trait)
        })
    }

    /// Returns the method of the one trait that declares a name called on something of which no more
    /// is known than, perhaps, that its type is from elsewhere.
    pub(super) fn of_one_trait(&self, place: Place, used: Use<'_>, is_foreign: bool) -> Vec<Held> {
        let Some(facts) = self.facts(place.file) else { return Vec::new() };
        let is_path = used.receiver.is_some_and(|chain| !chain.contains(['(', '[', '@', '$', '?']));
        let is_common = facts.dialect.common.contains(&used.name) || is_standard(used.name);
        if facts.language.name != "rust" || used.role != Role::Call || is_path || is_common {
            return Vec::new();
        }
        let (mut declared, mut own) = (Vec::new(), Vec::new());
        for at in self.code.named(used.name).into_iter().take(NAMED_MAX) {
            let Some((there, place)) = self.symbol(at) else { continue };
            let symbol = &there.symbols[place];
            let Some(parent) = symbol.parent.filter(|_| symbol.kind.is_callable()) else {
                continue;
            };
            if !self.takes(used, at, symbol) {
                continue;
            }
            let around = &there.symbols[parent];
            match around.kind {
                SymbolKind::Trait => declared.push((at, around.name.clone())),
                SymbolKind::Impl => own.push(around.bases.first().cloned()),
                _ => {}
            }
        }
        let [(at, of_trait)] = declared.as_slice() else { return Vec::new() };
        let is_its = |base: &Option<String>| base.as_deref().map(last_name) == Some(of_trait);
        let is_fit = match is_foreign {
            true => self.is_for_foreign(of_trait),
            false => own.iter().all(is_its),
        };
        let reason = if own.is_empty() { Reason::UniqueName } else { Reason::Inherited };
        let confidence = CONFIDENCE_ANSWER + 0.05;
        is_fit.then(|| Held::new(Value::Name(*at), confidence, reason)).into_iter().collect()
    }

    /// Returns true if a block implements the trait for what is no type of the repository.
    fn is_for_foreign(&self, of_trait: &str) -> bool {
        self.code.derived(of_trait).into_iter().take(BLOCKS_MAX).any(|block| {
            let Some((facts, place)) = self.symbol(block) else { return false };
            let Some(name) = facts.block_type(place) else { return false };
            let named = self.code.named(name).into_iter().take(NAMED_MAX);
            let is_own = |at: SymbolAt| {
                let symbol = self.symbol(at);
                symbol.is_some_and(|(facts, place)| is_type(facts.symbols[place].kind))
            };
            !named.into_iter().any(is_own)
        })
    }
}

/// Returns true for the name of a method that types of the standard library may have themselves.
fn is_standard(name: &str) -> bool {
    STANDARD.iter().any(|start| name.starts_with(start))
}
