//! The typed facts of one file: what a language is lowered into, and all that the resolver sees.
//!
//! A [`File`] holds arenas with typed indices. Everything that has a place has a byte range. Where
//! a construct of a language does not fit, its lowering desugars it; where this is not possible, it
//! is `Opaque` with a reason. Names of languages do not occur here. [`text`] reads and writes the
//! form that tests use, [`codec`] the stored slice.

pub mod arena;
pub mod beyond;
pub mod codec;
mod definition;
mod expression;
pub mod text;
mod types;

pub use arena::{Arena, Id};
pub use definition::{
    Base, BaseKind, Binding, Condition, Definition, DefinitionKind, Effects, Export, Import,
    Imported, Parameter, Predicate, Protocol, Scope, ScopeKind, Signature, Target, Visibility,
};
pub use expression::{Argument, Expression, ExpressionNode, Narrowing, Role, Use};
pub use types::{Literal, Qualifiers, Type, TypeNode};

use std::sync::Arc;

/// A name, shared by all that mention it.
pub type Name = Arc<str>;

/// The bytes `start..end` of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Range {
    /// The first byte.
    pub start: u32,
    /// The first byte that is outside.
    pub end: u32,
}

impl Range {
    /// Returns whether `other` lies within this range.
    pub fn contains(self, other: Range) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// A type as it is written, or as lowering gives it.
pub type TypeId = Id<TypeNode>;
/// A value.
pub type ExpressionId = Id<ExpressionNode>;
/// A definition.
pub type DefinitionId = Id<Definition>;
/// A scope; that of the whole file is the first.
pub type ScopeId = Id<Scope>;
/// A name that holds a value from a position on.
pub type BindingId = Id<Binding>;
/// A place that uses a definition.
pub type UseId = Id<Use>;

/// The facts of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// Its path within the tree.
    pub path: Name,
    /// The module, package or namespace that it belongs to, if it states one.
    pub module: Option<Name>,
    /// Types that something refers to.
    pub types: Arena<TypeNode>,
    /// Values.
    pub expressions: Arena<ExpressionNode>,
    /// Definitions, in the order of their starts.
    pub definitions: Arena<Definition>,
    /// The tree of scopes.
    pub scopes: Arena<Scope>,
    /// Names and members that hold values.
    pub bindings: Arena<Binding>,
    /// Places that use definitions.
    pub uses: Arena<Use>,
    /// What other files give to this one.
    pub imports: Vec<Import>,
    /// What this one gives under another name, or passes on.
    pub exports: Vec<Export>,
}
