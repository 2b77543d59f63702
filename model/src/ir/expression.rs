//! Values and uses.

use super::{ExpressionId, Literal, Name, Protocol, Range, ScopeId, TypeId, UseId};

/// A value with its scope.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpressionNode {
    /// What it is.
    pub kind: Expression,
    /// Where names in it are looked up.
    pub scope: ScopeId,
    /// Where it stands: what decides which binding of a name it sees.
    pub range: Range,
}

/// A value. Operators, loops, contexts and the like are desugared into these.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A name; `is_type` where only types and modules can stand.
    Name {
        /// The name.
        name: Name,
        /// It can only be a type or module.
        is_type: bool,
    },
    /// The receiver of the method; in a method of the type itself, the type.
    Own,
    /// The receiver, with members looked up behind its own type.
    Base,
    /// A member of a value.
    Member {
        /// The value.
        of: ExpressionId,
        /// The member's name.
        name: Name,
    },
    /// What a call, a construction or an operator returns.
    Call(UseId),
    /// What a value gives by protocol.
    Yield {
        /// The value.
        of: ExpressionId,
        /// How it is taken.
        protocol: Protocol,
    },
    /// The value, known to be of a type.
    Cast {
        /// The value.
        of: ExpressionId,
        /// Its type.
        r#type: TypeId,
    },
    /// Where branches join.
    OneOf(Vec<ExpressionId>),
    /// A function without a name. Its scope has the parameters as bindings and the results.
    Lambda {
        /// Its scope.
        scope: ScopeId,
        /// Its parameters' names, with their types where written.
        parameters: Vec<(Name, Option<TypeId>)>,
        /// Its result, if written.
        result: Option<TypeId>,
    },
    /// Fields with values: of a type, if one is written.
    Record {
        /// The type.
        r#type: Option<TypeId>,
        /// Each field's value; positions are numbers.
        fields: Vec<(Name, ExpressionId)>,
    },
    /// What a call passes to a lambda that is one of its arguments: the parameter at `position`,
    /// or the implicit receiver.
    Parameter {
        /// The call.
        of: UseId,
        /// Which argument the lambda is.
        argument: u8,
        /// Which parameter of the lambda; none for its receiver.
        position: Option<u8>,
    },
    /// A literal.
    Literal(Literal),
    /// Not represented, with the reason.
    Opaque(Name),
    /// Nothing is known.
    Unknown,
    /// Beyond the page: a value of which a test has shown something that is no plain cast.
    Narrowed {
        /// The value.
        of: ExpressionId,
        /// What the test has shown.
        by: Narrowing,
    },
}

/// What a test shows of a value (beyond the page).
#[derive(Clone, Debug, PartialEq)]
pub enum Narrowing {
    /// It is not of the type.
    Not(TypeId),
    /// A member of it has this value.
    Member(Name, Literal),
    /// The predicate of the function that this use calls holds, or does not.
    Predicate(UseId, bool),
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It is called.
    Call,
    /// Its type is constructed.
    Construct,
    /// It is read.
    Read,
}

/// A place that uses a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// How.
    pub role: Role,
    /// The name; none where a value is called that has none.
    pub name: Option<Name>,
    /// Where it is looked up.
    pub scope: ScopeId,
    /// The value whose member it is, or which is called.
    pub receiver: Option<ExpressionId>,
    /// The type that is constructed.
    pub r#type: Option<TypeId>,
    /// What is passed.
    pub arguments: Vec<Argument>,
    /// Written type arguments.
    pub type_arguments: Vec<TypeId>,
    /// Where it stands.
    pub range: Range,
}

/// One argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Its label.
    pub label: Option<Name>,
    /// Its value.
    pub value: ExpressionId,
}
