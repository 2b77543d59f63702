//! A use of a name, and the links that it resolves to.

use serde::Serialize;

use super::position::SymbolAt;
pub(super) use crate::graph::weights::CONFIDENCE_UNCERTAIN;
pub use crate::graph::weights::{CONFIDENCE_ANSWER, CONFIDENCE_OPEN};
use crate::lang::chain::Chain;
use crate::lang::facts::{Reference, Role};

/// The most links of one use.
pub const LINKS_MAX: usize = 64;

/// Why a use resolves to a definition: the weakest step of the resolution.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Defined in an enclosing scope.
    Scope,
    /// Defined in the same file.
    SameFile,
    /// Imported by name.
    Import,
    /// Defined in the same package.
    SamePackage,
    /// Imported together with all names of a module.
    StarImport,
    /// Defined in the program, in a language whose names are visible everywhere.
    Program,
    /// A member of the receiver's type or module.
    Receiver,
    /// A member of a base of the receiver's type.
    Inherited,
    /// It overrides or implements the method that the call refers to.
    Implementation,
    /// The receiver is unresolved, and no other definition has this name.
    UniqueName,
    /// The receiver is unresolved, and other definitions of this name do not fit the use.
    OnlyFit,
    /// The receiver is unresolved, and several definitions have this name.
    Ambiguous,
    /// The receiver is unresolved, and types of every library have members of this name.
    CommonName,
    /// Unresolved, and the call has another number of arguments.
    OtherArguments,
    /// A call by the bare name, which is bound to nothing that is visible there.
    Unbound,
}

impl Reason {
    /// Returns the reason as text.
    pub fn words(self) -> &'static str {
        match self {
            Reason::Scope => "in the enclosing scope",
            Reason::SameFile => "in the same file",
            Reason::Import => "imported",
            Reason::SamePackage => "in the same package",
            Reason::StarImport => "wildcard import",
            Reason::Program => "visible in the whole program",
            Reason::Receiver => "resolved by receiver type",
            Reason::Inherited => "inherited by the receiver's type",
            Reason::Implementation => "through the base type's method",
            Reason::UniqueName => "unique name",
            Reason::OnlyFit => "only definition of the name that fits",
            Reason::Ambiguous => "ambiguous name",
            Reason::CommonName => "common name",
            Reason::OtherArguments => "other number of arguments",
            Reason::Unbound => "unbound name",
        }
    }
}

/// A definition that a use may refer to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The definition.
    pub to: SymbolAt,
    /// The confidence, from 0 to 1.
    pub confidence: f32,
    /// The reason.
    pub reason: Reason,
}

/// The result of a resolution.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The definitions that the use may refer to, most likely first.
    pub links: Vec<Link>,
    /// The use refers to something outside of the repository; false if that is unknown.
    pub is_outside: bool,
    /// The use may refer to another definition: its receiver may be a value of which nothing is known.
    pub is_open: bool,
}

/// A use of a name.
#[derive(Clone, Copy, Debug)]
pub struct Use<'a> {
    /// The name.
    pub name: &'a str,
    /// How it is used.
    pub role: Role,
    /// The receiver; see [`Reference::receiver`].
    pub receiver: Option<&'a Chain>,
    /// The enclosing symbol.
    pub enclosing: Option<usize>,
    /// Of a call: the number of arguments.
    pub arguments: Option<u8>,
    /// The byte at which the name begins, if the use is in the text of a file.
    pub start: Option<usize>,
}

impl<'a> Use<'a> {
    /// Returns a call of `name` of which only the name is known.
    pub(super) fn call(name: &'a str) -> Use<'a> {
        Use {
            name,
            role: Role::Call,
            receiver: None,
            enclosing: None,
            arguments: None,
            start: None,
        }
    }

    /// Returns the use of `name` in `reference`.
    pub fn new(name: &'a str, reference: &'a Reference) -> Use<'a> {
        Use {
            name,
            role: reference.role,
            receiver: reference.receiver.as_ref(),
            enclosing: reference.enclosing,
            arguments: reference.arguments,
            start: Some(reference.span.start),
        }
    }
}
