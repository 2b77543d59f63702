//! What the signature of an overload shows, parsed once per definition.

use super::binding::{Binding, Qualifiers};

/// A type as it is written: its last name, and whether it is a pointer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Shape {
    pub(super) base: String,
    /// A pointer of C++, an array of Java.
    pub(super) is_pointer: bool,
    /// A parameter of Java that accepts any number of arguments.
    pub(super) is_variadic: bool,
    /// `Type?`
    pub(super) is_nullable: bool,
    /// The number of type arguments; 0 in C++ and Java, where they are not compared. Of a function
    /// type of C#, what it returns: see [`VOID`], [`VALUE`], [`TASK`] and [`CALLED`].
    pub(super) arguments: usize,
    /// In C++: what is pointed or referred to is constant, or a variable itself is.
    pub(super) is_const: bool,
}

/// What a function type of C# returns: nothing, a value, or a task. 0 if that is unknown.
pub(super) const VOID: usize = 1;
pub(super) const VALUE: usize = 2;
pub(super) const TASK: usize = 3;

/// What a lambda of C# returns that calls a method with a result, which a delegate without one ignores.
pub(super) const CALLED: usize = 4;

/// The signature of a function whose parameters are compared with the arguments of a call.
pub(super) struct Signature {
    /// The type of each parameter; `None` for a type parameter.
    pub(super) types: Vec<Option<Shape>>,
    /// The types as they are written, in languages where arguments can name their parameters.
    pub(super) written: Vec<String>,
    /// The names of the parameters, where arguments can name them.
    pub(super) names: Vec<String>,
    /// The number of type parameters, of methods in languages where calls state them.
    pub(super) type_parameters: Option<usize>,
    /// A function of Swift that is called with `await`.
    pub(super) is_async: bool,
    /// The parameters show all type parameters.
    pub(super) is_inferable: bool,
    /// How parameters of C++ bind to arguments.
    pub(super) bindings: Vec<Binding>,
    pub(super) qualifiers: Qualifiers,
    /// A template of C++ with type parameters.
    pub(super) is_template: bool,
    /// A template of C++ with conditions on its type parameters, which are not evaluated.
    pub(super) is_constrained: bool,
    /// The type parameters of a template of C++ and their conditions.
    pub(super) template: Option<Template>,
    /// Of `template <>`: the type arguments that are written after its name.
    pub(super) specialized: Option<String>,
}

/// The type parameters of a function template of C++.
pub(super) struct Template {
    pub(super) parameters: Vec<TypeParameter>,
    /// The conditions of `enable_if`, as they are written.
    pub(super) conditions: Vec<String>,
    /// For each parameter of the function, the type parameter that is its type.
    pub(super) deduced: Vec<Option<String>>,
    /// Nothing else decides whether it is a candidate.
    pub(super) is_complete: bool,
}

/// A parameter in `template <…>`.
pub(super) struct TypeParameter {
    pub(super) name: String,
    /// It accepts any number of arguments.
    pub(super) is_pack: bool,
    /// The arguments of a call or a default value may determine it.
    pub(super) is_optional: bool,
}

impl Shape {
    /// Returns a type without arguments.
    pub(super) fn plain(base: String, is_pointer: bool) -> Shape {
        Shape {
            base,
            is_pointer,
            is_variadic: false,
            is_nullable: false,
            arguments: 0,
            is_const: false,
        }
    }
}
