//! PHP's magic methods: a call of a method that a type lacks runs `__call` or `__callStatic`, and the
//! members of a type that a comment mixes in (`@mixin Builder`).
//!
//! Facts list a mixed-in type as a base `^mixin|Type` (`crate::lang::symbols::Symbol::bases`).

use super::code::FileFacts;
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Place, Value};
use super::walk::Walk;
use crate::graph::weights;

/// The most types that are searched for mixed-in ones.
const TYPES_MAX: usize = 32;

impl Walk<'_> {
    /// Returns what runs when a member `name` is called that a type of PHP and its bases lack, on the
    /// type itself or on an instance. `found` are the members that were found.
    pub(super) fn magic(
        &self,
        of: SymbolAt,
        name: &str,
        is_static: bool,
        found: &[Candidate],
        depth: usize,
    ) -> Vec<Candidate> {
        let Some((facts, _)) = self.symbol(of) else { return Vec::new() };
        let is_known = |it: &Candidate| !matches!(it.value, Value::Outside);
        if !facts.dialect.has_magic_calls || found.iter().any(is_known) || name.starts_with("__") {
            return Vec::new();
        }
        let mixed = self.mixed_in(of, depth);
        let members = mixed.iter().flat_map(|it| self.member(it, name, depth + 1));
        let mut members: Vec<Candidate> = members.filter(|it| is_known(it)).collect();
        if !members.is_empty() {
            for member in &mut members {
                member.confidence *= weights::LIKELY;
                member.reason = member.reason.max(Reason::Inherited);
            }
            return members;
        }
        let factor = if found.is_empty() { weights::OPEN_MAX } else { weights::HALF };
        let names: &[&str] = if is_static { &["__callStatic", "__call"] } else { &["__call"] };
        for magic in names {
            let mut methods = self.members(of, magic, depth + 1);
            methods.retain(is_known);
            if !methods.is_empty() {
                methods.iter_mut().for_each(|it| it.confidence *= factor);
                return methods;
            }
        }
        Vec::new()
    }

    /// Returns values of the types that comments mix into a type or its bases.
    fn mixed_in(&self, of: SymbolAt, depth: usize) -> Vec<Candidate> {
        let (mut types, mut at, mut found) = (vec![of], 0, Vec::new());
        while let Some(&next) = types.get(at).filter(|_| at < TYPES_MAX) {
            at += 1;
            let Some((facts, place)) = self.symbol(next) else { continue };
            found.extend(self.mixed_into(&facts, next, place, depth));
            for base in self.bases(next, depth + 1) {
                if let Value::Instance(base, _) = base.value
                    && !types.contains(&base)
                {
                    types.push(base);
                }
            }
        }
        found
    }

    fn mixed_into(
        &self,
        facts: &FileFacts,
        of: SymbolAt,
        place: usize,
        depth: usize,
    ) -> Vec<Candidate> {
        let symbol = &facts.symbols[place];
        let scope = Place { file: of.file, enclosing: symbol.parent };
        let mixed = symbol.bases.iter().filter_map(crate::lang::chain::Chain::passed);
        mixed.flat_map(|mixed| self.chain(scope, Some(of), &mixed, depth + 1)).collect()
    }
}
