//! The linker: resolves a use of a name to definitions, each with a confidence and a reason.
//!
//! Resolution is lazy and pure: it stores nothing and follows the facts of files
//! ([`mod@crate::lang::facts`]) through [`Code`] each time. A file imports only from files above it:
//!
//! 1. `kinds`: groups of kinds of symbols;
//! 2. `dialect`: the rules of each language; `library`: what the types of its standard library give;
//! 3. `parameters`: the parameters and argument counts of signatures; `receiver_bounds`: the type
//!    parameters that functions of Kotlin extend; `binding` and `signature`: overloads;
//! 4. `code`: the interface to the index, and the facts of one file;
//! 5. `result`: a use of a name, a link and its reason;
//! 6. `value`: a candidate; `hops`: look-ups of names in modules;
//! 7. `memo`: what one linker has looked up;
//! 8. `walk`: the state and bounds of one resolution (`Walk`);
//! 9. the steps of a resolution, which are methods of `Walk` and call each other recursively:
//!    `scope` (bare names: the file, its imports, its package, the program), `qualified_names` and
//!    `usings` (the same in PHP and C#), `namespaces` (the same in C++), `opened` (namespaces that its macros open), `templates` (its type
//!    parameters), `bounds` (type parameters of Rust), `generics` (those of TypeScript), `overloads` (its overloads), `compiled` and
//!    `settings` (which code of C a compiler reads), `fields` (of C), `follow` (an import to the
//!    definition, through
//!    re-exports), `exports` (chains of re-exports, cached), `members` (of types, bases, traits,
//!    implementation blocks and embedded types), `alternatives` (values that are one of two), `passed`
//!    (parameters of Ruby, by the calls), `mixed` (bases of TypeScript that are values), `mixins`
//!    (modules that types of Ruby include or prepend), `super_calls` (Ruby's `super`),
//!    `operators` (of Rust), `own` (what `$` is), `sides` (of a
//!    type itself or of its instances), `chain` (receiver chains), `contents` (elements and type
//!    arguments), `given` (what values of outside types give), `protocols` (what types of the repository give by an index, in a loop …), `fixture` (values of pytest's fixtures), `context` (parameters
//!    of callbacks), `called_this` (their `this`), `extension` (methods that traits add to outside types), `derived` (what
//!    `#[derive]` makes), `implementers` (types that extend or implement one), `features` (imports under `#[cfg]`), `implementations` (those of one trait), `arrows` (what `->` of C++ and `*` of Rust refer to), `added` (extension methods of C#,
//!    Kotlin and Swift), `similar` (the type that all uses of a variable fit), `wrapped` (functions of JavaScript
//!    that return a parameter), `several` (values that are one of several), `magic` (PHP's `__call`), `companions` (Scala's `apply`), `implicit_classes` (of Scala), `extended_objects` (of Ruby), `macro_calls` (C++), `block_imports` (of Rust),
//!    `tuples` (parts of Python's tuples), `decorated` (what Python's decorators make), `blocks` (definitions of one name in several blocks), `pick` (constructors,
//!    overloads, definitions before declarations, and
//!    guesses for unresolved receivers), `possible` (what an unresolved call may refer to),
//!    `held` (what outside functions and containers may return), `literals` (members of literals),
//!    `local_functions` (functions in functions, which are members of nothing);
//! 10. `rivals` (several answers to one call), `calibration` (from the evidence to a probability).
//!
//! The linker does not model control flow, type parameters beyond their bounds, reflection, or
//! callbacks from libraries. [`super::calls`] computes who calls whom.

use std::rc::Rc;
use std::sync::Arc;

use crate::base::ids::FileId;
use crate::lang::facts::Reference;

mod added;
mod arrows;
mod attributes;
mod bases;
mod binding;
mod block_imports;
mod blocks;
mod bounds;
mod calibration;
mod called_this;
mod chain;
mod class_arguments;
mod code;
mod companions;
mod compiled;
mod conditions;
mod contents;
mod context;
mod decorated;
mod derived;
mod dialect;
mod exports;
mod extended_objects;
mod extension;
mod features;
mod fields;
mod fixture;
mod follow;
mod general;
mod generics;
mod given;
mod held;
mod hops;
mod implementations;
mod implementers;
mod implicit_classes;
mod kinds;
mod library;
mod literals;
mod local_functions;
mod macro_blocks;
mod macro_calls;
mod magic;
mod mapped;
mod members;
mod memo;
mod mixed;
mod mixins;
mod namespaces;
mod object_methods;
mod opened;
mod operators;
mod overloads;
mod own;
mod parameters;
mod passed;
mod pick;
mod plugins;
mod position;
mod possible;
mod protocols;
mod qualified_names;
mod receiver_bounds;
mod result;
mod rivals;
mod satisfied;
mod scope;
mod selectors;
mod settings;
mod several;
mod sides;
mod signature;
mod similar;
mod source_sets;
mod specs;
mod super_calls;
mod syntax;
mod templates;
#[cfg(test)]
pub(in crate::graph) mod tests;
mod tuples;
mod type_syntax;
mod typed;
mod undef_directives;
mod undefined;
mod usings;
mod value;
mod walk;
mod wrapped;

pub use code::{Code, FileFacts, Site, last_name};
pub use implementers::{Implementer, Implementers};
use memo::Memo;
pub use position::{SymbolAt, UseAt};
pub use result::{CONFIDENCE_ANSWER, CONFIDENCE_OPEN, LINKS_MAX, Link, Outcome, Reason, Use};
pub use several::OPEN_MAX as CONFIDENCE_OPEN_MAX;
pub use super_calls::WORD as SUPER;
use value::Place;
use walk::Walk;

/// Returns true if nothing selects the first of some uncalibrated links: another definition is as likely.
pub fn is_open(links: &[Link]) -> bool {
    calibration::is_open(links)
}

/// Resolves uses of names in the code of one generation, and caches its look-ups; each thread has
/// its own linker.
pub struct Linker<'a> {
    code: &'a dyn Code,
    memo: Memo,
}

impl<'a> Linker<'a> {
    /// Returns a linker over `code`. O(1).
    pub fn new(code: &'a dyn Code) -> Linker<'a> {
        Linker { code, memo: Memo::default() }
    }

    /// Returns the code.
    pub fn code(&self) -> &'a dyn Code {
        self.code
    }

    /// Returns the facts of a file from the linker's cache. A clone does not touch the counter that
    /// threads share.
    pub fn file(&self, file: FileId) -> Option<Rc<Arc<FileFacts>>> {
        self.memo.file(self.code, file)
    }

    /// Returns the definitions that a use in `file` may refer to, most likely first, at most
    /// [`LINKS_MAX`]; empty if the use refers to something outside of the repository or is
    /// unresolved.
    ///
    /// The number of steps is bounded, even if imports or types form cycles.
    pub fn resolve(&self, file: FileId, used: Use<'_>) -> Vec<Link> {
        self.outcome(file, used).links
    }

    /// Returns the same as [`Linker::resolve`], and whether a use without links is known to refer
    /// to something outside of the repository.
    pub fn outcome(&self, file: FileId, used: Use<'_>) -> Outcome {
        let mut outcome = self.uncalibrated(file, used);
        if let Some(facts) = self.file(file) {
            calibration::calibrate(facts.language.name, &mut outcome.links);
        }
        outcome
    }

    /// Returns the same as [`Linker::outcome`], but each confidence is the product of the factors of the
    /// steps, from which the calibration is fitted (`benches/calls`).
    pub fn uncalibrated(&self, file: FileId, used: Use<'_>) -> Outcome {
        let walk = Walk::new(self.code, &self.memo);
        let place = Place { file, enclosing: used.enclosing };
        let selector = walk.selector(place, used);
        let used = match &selector {
            Some(selector) => Use { name: selector, arguments: None, ..used },
            None => used,
        };
        let mut candidates =
            walk.of_attribute(place, used).unwrap_or_else(|| walk.candidates(place, used));
        if candidates.is_empty() {
            candidates = walk.of_literal(place, used).unwrap_or_default();
        }
        let is_outside = walk.is_outside(place, used, &candidates);
        let links = if is_outside && candidates.is_empty() && walk.is_known_global(place, used) {
            Vec::new()
        } else {
            walk.pick(place, used, candidates)
        };
        Outcome { links, is_outside, is_open: walk.is_open.get() }
    }

    /// Returns [`Linker::outcome`] of the use of `name` in `reference`, which is cached for the state
    /// of the tree: searches for callers resolve the same uses at every step.
    pub fn outcome_at(&self, file: FileId, name: &str, reference: &Reference) -> Arc<Outcome> {
        let (span, role) = (&reference.span, reference.role);
        let at = UseAt { file, start: span.start, end: span.end, role };
        if let Some(cached) = self.code.cached_outcome(at) {
            return cached;
        }
        let outcome = Arc::new(self.outcome(file, Use::new(name, reference)));
        self.code.cache_outcome(at, &outcome);
        outcome
    }

    /// Returns the methods that a method overrides or implements, nearest first.
    pub fn overridden(&self, of: SymbolAt) -> Vec<SymbolAt> {
        Walk::new(self.code, &self.memo).overridden(of)
    }

    /// Returns the types that extend or implement a type and name it, or satisfy an interface without
    /// naming it. O(types that name a base of its name, and definitions of a method's name), bounded.
    pub fn implementers(&self, of: SymbolAt) -> Implementers {
        implementers::implementers(of, || Walk::new(self.code, &self.memo))
    }

    /// Returns the type that a member belongs to; `None` for what is no member of a type.
    pub fn member_type(&self, of: SymbolAt) -> Option<SymbolAt> {
        Walk::new(self.code, &self.memo).member_type(of)
    }

    /// Returns what a type, or a block for it, uses for the member `member` of one of its bases: its
    /// own members of that name, or else an inherited one; nothing if it uses `member` itself.
    pub fn implementing_members(&self, of: SymbolAt, member: SymbolAt) -> Vec<SymbolAt> {
        Walk::new(self.code, &self.memo).implementing_members(of, member)
    }

    /// Returns the names of the methods that attributes of a type derive: those of Rust's
    /// `#[derive(…)]`.
    pub fn derived_methods(&self, of: SymbolAt) -> Vec<&'static str> {
        Walk::new(self.code, &self.memo).derived_methods(of)
    }

    /// Returns the names by which conversions call a method: Rust's `into` for `from`.
    pub fn conversions_to(&self, method: SymbolAt) -> Vec<&'static str> {
        Walk::new(self.code, &self.memo).conversions_to(method)
    }

    /// Returns for each definition of `of` the confidence that an unresolved call in `file` refers to it,
    /// with the reason; `None` if their languages share no definitions. `links` are those of the call:
    /// resolving it costs more than all of these.
    pub fn possibilities(
        &self,
        file: FileId,
        used: Use<'_>,
        links: &[Link],
        of: &[SymbolAt],
    ) -> Vec<Option<(f32, Reason)>> {
        let walk = Walk::new(self.code, &self.memo);
        walk.possibilities(Place { file, enclosing: used.enclosing }, used, links, of)
    }
}
