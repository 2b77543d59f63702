//! Receivers of unknown type, or whose type does not have what is called: the last step, by names
//! alone.

use super::answers::Called;
use super::ty::{Def, FileId, Ty};
use super::{Choice, Evidence, Mode, Resolution, Resolver, Substitution};
use crate::ir::*;

/// The most definitions that a name is linked to.
const CHOICES: usize = 4;

/// How many values are followed to find where a receiver comes from.
const STEPS: usize = 16;

impl Resolver<'_> {
    /// Returns what a call on a value of unknown type links to by its name: the only function of
    /// this name that types of the tree have, or, where the types extend one of them, that one's. On
    /// a value whose type has no such member, it links to those of the types below. Nothing for names of the library's members, and for values that come from outside.
    pub(super) fn by_name(&self, file: FileId, id: UseId) -> Resolution {
        let facts = self.world.file(file);
        let of = &facts.uses[id];
        let (Some(receiver), Some(name), Role::Call) = (of.receiver, &of.name, of.role) else {
            return Resolution::unknown();
        };
        let ty = self.type_of(file, receiver, Mode::Uses);
        let named = self.world.methods(name);
        let is_standard = named.iter().any(|def| self.world.is_library(def.file))
            || self.rules().construct().members.contains(&&**name);
        let is_base = facts.expressions[receiver].kind == Expression::Base;
        if is_base || is_standard || named.is_empty() || self.is_from_outside(file, receiver) {
            return Resolution::unknown();
        }
        let holder = |def: &Def| {
            let around = self.world.type_around(def.file, self.world.definition(*def).scope);
            around.map(|around| self.canonical(around))
        };
        let below = |def: &Def, of: Def| holder(def).is_some_and(|own| self.extends(own, of));
        let found: Vec<Def> = match ty {
            Ty::Unknown => {
                let is_base = |def: &&Def| {
                    holder(def).is_some_and(|own| named.iter().all(|other| below(other, own)))
                };
                named.iter().find(is_base).copied().into_iter().collect()
            }
            // A type that has none: those below it may have one.
            Ty::Named(of, _) | Ty::Own(of) if !self.has_unknown_base(of) => {
                named.iter().copied().filter(|def| below(def, of)).collect()
            }
            _ => Vec::new(),
        };
        if found.is_empty() || found.len() > CHOICES {
            return Resolution::unknown();
        }
        let (evidence, choice) = match named.len() {
            1 => (Evidence::UniqueName, Choice::Only),
            _ => (Evidence::SimilarName, Choice::Several),
        };
        let called = |def| Called { def, substitution: Substitution::default(), result: None };
        let called = found.into_iter().map(called).collect();
        Resolution { called, evidence, choice, ..Resolution::unknown() }
    }

    /// Returns whether a value is what something outside of the tree gives.
    fn is_from_outside(&self, file: FileId, value: ExpressionId) -> bool {
        let facts = self.world.file(file);
        let mut at = value;
        for _ in 0..STEPS {
            at = match &facts.expressions[at].kind {
                Expression::Member { of, .. }
                | Expression::Yield { of, .. }
                | Expression::Narrowed { of, .. } => *of,
                Expression::Call(of) => {
                    let resolution = self.definition(file, *of, Mode::Plain);
                    match facts.uses[*of].receiver {
                        _ if resolution.is_outside => return true,
                        Some(receiver) => receiver,
                        None => return false,
                    }
                }
                Expression::Name { .. } => match self.bound_value(file, at) {
                    Some(value) => value,
                    None => return self.type_of(file, at, Mode::Plain) == Ty::Outside,
                },
                _ => return false,
            };
            if self.type_of(file, at, Mode::Plain) == Ty::Outside {
                return true;
            }
        }
        false
    }
}
