//! A use of a name, and the links that it resolves to.

use serde::Serialize;

use super::code::SymbolAt;
use crate::lang::chain::Chain;
use crate::lang::facts::{Reference, Role};

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
