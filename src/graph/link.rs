//! The linker: resolves a use of a name to definitions, each with a confidence and a reason.
//!
//! Resolution is lazy and pure: it stores nothing and follows the facts of files
//! ([`mod@crate::lang::facts`]) through [`Code`] each time. A file imports only from files above it:
//!
//! 1. `kinds`: groups of kinds of symbols;
//! 2. `dialect`: the rules of each language;
//! 3. `parameters`: the parameters and argument counts of signatures;
//! 4. `code`: the interface to the index, and the facts of one file;
//! 5. `result`: a use of a name, a link and its reason;
//! 6. `memo`: what one linker has looked up;
//! 7. `value`: a candidate, and the bounds of one resolution (`Walk`);
//! 8. the steps of a resolution, which are methods of `Walk` and call each other recursively:
//!    `scope` (bare names: the file, its imports, its package, the program), `follow` (an import to
//!    the definition, through re-exports), `members` (of types, bases, traits, implementation blocks
//!    and embedded types), `chain` (receiver chains), `contents` (elements, type arguments,
//!    transparent wrappers), `context` (parameters of callbacks), `extension` (methods that traits
//!    add to outside types), `pick` (constructors, overloads, definitions before declarations, and
//!    guesses for unresolved receivers).
//!
//! The linker does not model control flow, type parameters beyond their bounds, reflection, or
//! callbacks from libraries. [`super::calls`] computes who calls whom.

use crate::base::ids::FileId;
use crate::lang::chain::Root;

mod chain;
mod code;
mod contents;
mod context;
mod dialect;
mod extension;
mod follow;
mod kinds;
mod members;
mod memo;
mod parameters;
mod pick;
mod result;
mod scope;
#[cfg(test)]
pub(in crate::graph) mod tests;
mod value;

pub use code::{Code, FileFacts, Site, SymbolAt, last_name};
use memo::Memo;
pub use result::{CONFIDENCE_ANSWER, LINKS_MAX, Link, Reason, Use};
use value::{Candidate, Place, Walk};

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

    /// Returns the definitions that a use in `file` may refer to, most likely first, at most
    /// [`LINKS_MAX`]; empty if the use refers to something outside of the repository or is
    /// unresolved.
    ///
    /// The number of steps is bounded, even if imports or types form cycles.
    pub fn resolve(&self, file: FileId, used: Use<'_>) -> Vec<Link> {
        let walk = Walk::new(self.code, &self.memo);
        let place = Place { file, enclosing: used.enclosing };
        let candidates = match used.receiver {
            None => walk.name(place, used.name, 0),
            Some(chain) => match (chain.decode(), used.name) {
                ((Root::Unknown, _), _) => Vec::new(),
                // `super(…)` runs the base's constructor.
                ((Root::Base, steps), "super") if steps.is_done() => {
                    let mut bases = walk.chain(place, None, chain, 0);
                    bases.retain(|base| !walk.is_interface_value(base));
                    bases.iter().filter_map(Candidate::of_type).collect()
                }
                // `this(…)` runs another constructor of the same type.
                ((Root::Own, steps), "this") if steps.is_done() => walk
                    .chain(place, None, chain, 0)
                    .iter()
                    .filter_map(Candidate::of_type)
                    .collect(),
                _ => walk
                    .chain(place, None, chain, 0)
                    .iter()
                    .flat_map(|candidate| walk.member(candidate, used.name, 0))
                    .collect(),
            },
        };
        walk.pick(place, used, candidates)
    }
}
