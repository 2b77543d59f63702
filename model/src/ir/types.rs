//! Types as they are written.

use super::{DefinitionId, ExpressionId, Name, TypeId};

/// A type with its qualifiers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TypeNode {
    /// The type without them.
    pub kind: Type,
    /// Whether it is constant, may be absent, is passed by reference.
    pub qualifiers: Qualifiers,
}

/// What a type is qualified with; none of it changes the members that a type has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Qualifiers {
    /// Values cannot be changed through it.
    pub constant: bool,
    /// The value may be absent.
    pub nullable: bool,
    /// The value is referred to, not copied.
    pub reference: bool,
}

/// A type. Arrays, pointers, options and futures are `Named` types of the language's library.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A type that a source or a library declares.
    Named {
        /// The segments of its name, as written.
        path: Vec<Name>,
        /// What its parameters stand for.
        arguments: Vec<TypeId>,
    },
    /// A parameter of the enclosing definition.
    Parameter(DefinitionId),
    /// A function.
    Function {
        /// What its body has as implicit receiver.
        receiver: Option<TypeId>,
        /// In order.
        parameters: Vec<TypeId>,
        /// What a call returns.
        result: TypeId,
    },
    /// Several values in order.
    Tuple(Vec<TypeId>),
    /// Named fields without a declaration.
    Record(Vec<(Name, TypeId)>),
    /// One of these.
    OneOf(Vec<TypeId>),
    /// All of these at once.
    AllOf(Vec<TypeId>),
    /// A type that another one has as a member.
    Projection {
        /// The type that has it.
        of: TypeId,
        /// The member's name.
        member: Name,
    },
    /// The type of a value.
    TypeOf(ExpressionId),
    /// The type of the receiver at the call.
    Own,
    /// One value.
    Literal(Literal),
    /// Not represented, with the reason.
    Opaque(Name),
    /// Not written.
    Unknown,
}

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Literal {
    /// A text. In types and narrowings its content matters.
    String(Name),
    /// A whole number.
    Integer,
    /// A number with a fraction.
    Float,
    /// `true` or `false`.
    Boolean,
    /// The absent value.
    Null,
}
