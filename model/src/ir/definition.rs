//! Definitions, scopes, bindings, imports and exports.

use super::{DefinitionId, ExpressionId, Name, Range, ScopeId, TypeId};

/// What a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DefinitionKind {
    /// A type with members that can be constructed.
    Class,
    /// A type that others satisfy or implement.
    Interface,
    /// A set of members that types take over.
    Mixin,
    /// Another name of a type.
    Alias,
    /// Members that are added to a type elsewhere.
    Extension,
    /// A named scope that is no type.
    Namespace,
    /// A parameter of a type or function, or a type that a type has as a member.
    TypeParameter,
    /// A function or method.
    Function,
    /// Runs when its type is constructed.
    Constructor,
    /// A stored member.
    Field,
    /// A member that is read like a field and runs code.
    Property,
    /// A variable or constant.
    Variable,
    /// A macro.
    Macro,
}

impl DefinitionKind {
    /// Returns whether it has members of its own.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Interface | Self::Mixin | Self::Alias | Self::TypeParameter
        )
    }

    /// Returns whether calling it runs code of its own.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Constructor | Self::Macro)
    }
}

/// Who may use a definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// Everyone.
    #[default]
    Public,
    /// Its type and those that extend it.
    Protected,
    /// Its type, or its file where it has none.
    Private,
}

/// A definition of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its name; of an extension, that of the type that it adds to.
    pub name: Name,
    /// What it is.
    pub kind: DefinitionKind,
    /// Who may use it.
    pub visibility: Visibility,
    /// Where it is declared.
    pub scope: ScopeId,
    /// What it encloses.
    pub body: Option<ScopeId>,
    /// Where it stands.
    pub range: Range,
    /// What it takes members from.
    pub bases: Vec<Base>,
    /// What values of it give by protocol (stated by libraries).
    pub yields: Vec<(Protocol, TypeId)>,
    /// Its parameters, result and the like.
    pub signature: Signature,
}

/// How a definition takes members from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BaseKind {
    /// It is one.
    Extends,
    /// It has what it demands.
    Implements,
    /// Its members come after those of the definition.
    Mixes,
    /// Its members come before those of the definition.
    Prepends,
    /// A field gives its members.
    Embeds,
    /// A field implements it.
    Delegates,
    /// A function that gets the definition and returns what takes its place.
    Decorates,
}

/// One base of a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    /// How members are taken.
    pub kind: BaseKind,
    /// From what.
    pub target: Target,
    /// Members that get another name, or none.
    pub renames: Vec<(Name, Option<Name>)>,
}

/// A base is a type, or a value that is one.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A type.
    Type(TypeId),
    /// A value.
    Value(ExpressionId),
}

/// The condition of a region.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// A symbol is defined.
    Defined(Name),
    /// The opposite.
    Not(Box<Condition>),
    /// All of them.
    All(Vec<Condition>),
    /// One of them.
    Any(Vec<Condition>),
    /// Not represented: its text.
    Opaque(Name),
}

impl Condition {
    /// Returns whether both can hold at once, as far as symbols show.
    pub fn is_compatible(&self, other: &Condition) -> bool {
        let (mut here, mut there) = (Vec::new(), Vec::new());
        self.collect(false, &mut here);
        other.collect(false, &mut there);
        !here.iter().any(|(name, negated)| there.iter().any(|(n, m)| n == name && m != negated))
    }

    /// Returns whether it holds where `defined` tells of symbols; none where that cannot be said.
    pub fn holds(&self, defined: &dyn Fn(&str) -> bool) -> Option<bool> {
        match self {
            Self::Defined(name) => Some(defined(name)),
            Self::Not(inner) => inner.holds(defined).map(|holds| !holds),
            Self::All(all) => {
                let all: Vec<_> = all.iter().map(|part| part.holds(defined)).collect();
                if all.contains(&Some(false)) {
                    return Some(false);
                }
                (!all.contains(&None)).then_some(true)
            }
            Self::Any(any) => {
                let any: Vec<_> = any.iter().map(|part| part.holds(defined)).collect();
                if any.contains(&Some(true)) {
                    return Some(true);
                }
                (!any.contains(&None)).then_some(false)
            }
            Self::Opaque(_) => None,
        }
    }

    fn collect<'c>(&'c self, negated: bool, symbols: &mut Vec<(&'c str, bool)>) {
        match self {
            Self::Defined(name) | Self::Opaque(name) => symbols.push((name, negated)),
            Self::Not(inner) => inner.collect(!negated, symbols),
            Self::All(all) if !negated => all.iter().for_each(|c| c.collect(false, symbols)),
            Self::Any(any) if negated => any.iter().for_each(|c| c.collect(true, symbols)),
            Self::All(_) | Self::Any(_) => {}
        }
    }
}

/// How a definition is called and what it returns. A field has only a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signature {
    /// Its type parameters.
    pub generics: Vec<DefinitionId>,
    /// The type of the receiver: `Own` in a type's body, another one for what extends it there.
    pub receiver: Option<TypeId>,
    /// Its parameters; none where it is no function.
    pub parameters: Option<Vec<Parameter>>,
    /// What it returns, if written; of a type parameter, its default; of an alias, its type.
    pub result: Option<TypeId>,
    /// What a true result states.
    pub predicate: Option<Predicate>,
    /// Async, generator.
    pub effects: Effects,
    /// It has no body here.
    pub is_declaration: bool,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// What the body calls it.
    pub name: Name,
    /// What the caller calls it, where this matters.
    pub label: Option<Name>,
    /// Its written type.
    pub r#type: Option<TypeId>,
    /// It may be left out.
    pub has_default: bool,
    /// It takes all that remain.
    pub is_variadic: bool,
}

/// `x is T`.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    /// The parameter that it is about.
    pub parameter: Name,
    /// What it is then.
    pub r#type: TypeId,
}

/// How a call returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// With a value that is awaited.
    pub is_async: bool,
    /// With one that yields others.
    pub is_generator: bool,
}

/// What a value gives without naming a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// `x[i]`.
    Index,
    /// `for v in x`.
    Iterate,
    /// `await x`.
    Await,
    /// `x?`, `x!`.
    Unwrap,
    /// `*x`, and member access through it.
    Dereference,
}

impl Protocol {
    /// All, with their names in the text form.
    pub const ALL: [(Protocol, &'static str); 5] = [
        (Self::Index, "index"),
        (Self::Iterate, "iterate"),
        (Self::Await, "await"),
        (Self::Unwrap, "unwrap"),
        (Self::Dereference, "deref"),
    ];
}

/// What a scope belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// The whole file.
    File,
    /// A type, extension or namespace.
    Type,
    /// A function or method.
    Function,
    /// A lambda.
    Lambda,
    /// A block, or a region with a condition.
    Block,
}

/// A range in which names are visible.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// What it belongs to.
    pub kind: ScopeKind,
    /// The scope around it.
    pub parent: Option<ScopeId>,
    /// The definition that it is the body of.
    pub owner: Option<DefinitionId>,
    /// Where it stands.
    pub range: Range,
    /// Values whose members are named without a receiver.
    pub receivers: Vec<ExpressionId>,
    /// When it is compiled.
    pub condition: Option<Condition>,
    /// What its function or lambda returns.
    pub results: Vec<ExpressionId>,
}

/// A name, or a member of a value, holds a value from a position on.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// The value whose member it is; none for a name.
    pub of: Option<ExpressionId>,
    /// The name.
    pub name: Name,
    /// Where it is visible.
    pub scope: ScopeId,
    /// From where on.
    pub range: Range,
    /// What it holds.
    pub value: Option<ExpressionId>,
    /// Its written type.
    pub r#type: Option<TypeId>,
}

/// What an import names.
#[derive(Clone, Debug, PartialEq)]
pub enum Imported {
    /// The module itself, under a name; an empty one is the module's own.
    Module(Name),
    /// These of it, each with its name here.
    Names(Vec<(Name, Name)>),
    /// All of it.
    All,
}

/// Names that another module gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// The module, as written.
    pub module: Name,
    /// What of it.
    pub imported: Imported,
    /// Where it is visible.
    pub scope: ScopeId,
    /// Where it stands.
    pub range: Range,
}

/// A name that others see.
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    /// The module that it is taken from; none for this file.
    pub module: Option<Name>,
    /// What, and its name for others; `All` passes on everything.
    pub exported: Imported,
    /// Where it stands.
    pub range: Range,
}
