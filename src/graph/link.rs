//! The linker: which definition a use of a name means, how sure that is, and why.
//!
//! Resolution is lazy and pure: nothing of it is stored, it follows the facts of files
//! ([`mod@crate::lang::facts`]) through [`Code`] each time it is asked. The order of steps:
//!
//! 1. `scope`: what is around the use, its file, its imports, its package, the program;
//! 2. `follow`: an import to the definition, through what re-exports it;
//! 3. `chain`: a receiver's chain to types and modules, and `members`: their members, those of
//!    bases, traits, implementation blocks and embedded types; `contents`: what values hold and are
//!    seen through; `context`: what callbacks are handed;
//! 4. `pick`: constructors, overloads, definitions before declarations, and, where nothing is
//!    known of the receiver, a name that few have; `extension`: methods that traits of the
//!    repository give to types from elsewhere.
//!
//! It does not know control flow, what type parameters stand for beyond their bounds, reflection, or
//! what a library from elsewhere calls back. Who calls whom is in [`super::calls`].

use serde::Serialize;

use crate::base::ids::FileId;
use crate::lang::chain::{Chain, Root};
use crate::lang::facts::{Reference, Role};

mod chain;
mod code;
mod contents;
mod context;
mod dialect;
mod extension;
mod follow;
mod members;
mod memo;
mod parameters;
mod pick;
mod scope;
#[cfg(test)]
pub(in crate::graph) mod tests;
mod value;

pub use code::{Code, FileFacts, Site, SymbolAt, last_name};
use memo::Memo;
use value::{Held, Place, Walk};

/// Links of one use that are told.
pub const LINKS_MAX: usize = 64;

/// A link is an answer from this confidence on; below it is a guess, kept for those who ask for
/// everything.
pub const CONFIDENCE_ANSWER: f32 = 0.45;

/// Why a use is taken to mean a definition; the weakest step of the way.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It is defined around the use.
    Scope,
    /// It is defined in the same file.
    SameFile,
    /// It is imported by name.
    Import,
    /// It belongs to the same package.
    SamePackage,
    /// It comes in with all that a module has.
    StarImport,
    /// The program has it, and names of this language are visible everywhere.
    Program,
    /// It is a member of the receiver's type or module.
    Receiver,
    /// It is a member of a base of the receiver's type.
    Inherited,
    /// It implements what the receiver's type declares.
    Implementation,
    /// Nothing is known of the receiver, and nothing else is called so.
    UniqueName,
    /// Nothing is known of the receiver, and a few things are called so.
    Ambiguous,
}

impl Reason {
    /// Returns the reason in words for people.
    pub fn words(self) -> &'static str {
        match self {
            Reason::Scope => "defined around it",
            Reason::SameFile => "defined in the same file",
            Reason::Import => "imported",
            Reason::SamePackage => "of the same package",
            Reason::StarImport => "imported with everything",
            Reason::Program => "visible in the whole program",
            Reason::Receiver => "a member of the receiver's type",
            Reason::Inherited => "inherited by the receiver's type",
            Reason::Implementation => "implements the receiver's interface",
            Reason::UniqueName => "the only one of that name",
            Reason::Ambiguous => "one of several of that name",
        }
    }
}

/// What a use of a name may mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The definition.
    pub to: SymbolAt,
    /// How sure that is, from 0 to 1.
    pub confidence: f32,
    /// Why.
    pub reason: Reason,
}

/// A use of a name as the linker sees it.
#[derive(Clone, Copy, Debug)]
pub struct Use<'a> {
    /// The name.
    pub name: &'a str,
    /// How it is used.
    pub role: Role,
    /// What it is a member of; see [`Reference::receiver`].
    pub receiver: Option<&'a Chain>,
    /// The symbol around it.
    pub enclosing: Option<usize>,
    /// With a call: the number of arguments.
    pub arguments: Option<u8>,
}

impl<'a> Use<'a> {
    /// Returns the use of `name` that `reference` tells of.
    pub fn new(name: &'a str, reference: &'a Reference) -> Use<'a> {
        Use {
            name,
            role: reference.role,
            receiver: reference.receiver.as_ref(),
            enclosing: reference.enclosing,
            arguments: reference.arguments,
        }
    }
}

/// Resolves uses of names in the code of one generation, and remembers what it looked up; each thread
/// has its own.
pub struct Linker<'a> {
    code: &'a dyn Code,
    memo: Memo,
}

impl<'a> Linker<'a> {
    /// Returns a linker over `code`. Free.
    pub fn new(code: &'a dyn Code) -> Linker<'a> {
        Linker { code, memo: Memo::default() }
    }

    /// Returns what a use in `file` may mean, the likeliest first, at most [`LINKS_MAX`]; empty
    /// if it lies outside of the repository or nothing is known.
    ///
    /// Bounded by a number of steps, whatever cycles imports and types have.
    pub fn resolve(&self, file: FileId, used: Use<'_>) -> Vec<Link> {
        let walk = Walk::new(self.code, &self.memo);
        let place = Place { file, enclosing: used.enclosing };
        let held = match used.receiver {
            None => walk.name(place, used.name, 0),
            Some(chain) => match (chain.decode(), used.name) {
                ((Root::Unknown, _), _) => Vec::new(),
                // `super(…)` runs the base's constructor.
                ((Root::Base, steps), "super") if steps.is_done() => {
                    let mut bases = walk.chain(place, None, chain, 0);
                    bases.retain(|base| !walk.is_interface_value(base));
                    bases.iter().filter_map(Held::of_type).collect()
                }
                // `this(…)` runs another constructor of the same type.
                ((Root::Own, steps), "this") if steps.is_done() => {
                    walk.chain(place, None, chain, 0).iter().filter_map(Held::of_type).collect()
                }
                _ => walk
                    .chain(place, None, chain, 0)
                    .iter()
                    .flat_map(|held| walk.member(held, used.name, 0))
                    .collect(),
            },
        };
        walk.pick(place, used, held)
    }
}
