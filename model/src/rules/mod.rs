//! What differs between languages, as data. The resolver asks; no method walks facts.

mod tree;

pub use tree::{Tree, relative};

use crate::ir::codec::Needs;
use crate::ir::{Literal, Protocol};

/// The library's type that `type<T>`, a type as a value, is an instance of.
pub const TYPE: &str = "type";
/// The library's type whose members functions as values have.
pub const FUNCTION: &str = "function";
/// The library's type whose records are tuples.
pub const TUPLE: &str = "tuple";

/// The rules of one language. The defaults fit most.
pub trait Rules {
    /// Where a bare name is looked up besides the scopes around it.
    fn visible(&self) -> Visible {
        Visible::default()
    }

    /// In which order a type's bases are searched.
    fn linearize(&self) -> Linearization {
        Linearization::Ancestors
    }

    /// Which types satisfy an interface.
    fn satisfies(&self) -> Satisfaction {
        Satisfaction::Declared
    }

    /// How members of a type that stand outside of its body are found, and how they compete.
    fn member_sources(&self) -> MemberSources {
        MemberSources::default()
    }

    /// What constructing a type runs.
    fn construct(&self) -> Construction {
        Construction::default()
    }

    /// How well a value of the library's type `from` fits a parameter of its type `to`; smaller
    /// is better, none if not at all.
    fn convert(&self, from: &str, to: &str) -> Option<u8> {
        let _ = (from, to);
        None
    }

    /// Whether most values have no written type, so that what is called on a value of unknown type is
    /// linked by its name where only one type has it.
    fn is_untyped(&self) -> bool {
        false
    }

    /// Whether the absent value is one of the library's type `to`.
    fn may_be_absent(&self, to: &str) -> bool {
        let _ = to;
        true
    }

    /// How arguments are matched with parameters.
    fn arguments(&self) -> Arguments {
        Arguments::default()
    }

    /// The members that give what a protocol takes from a value, each called on the last one's result.
    fn protocol_members(&self, protocol: Protocol) -> &'static [&'static str] {
        let _ = protocol;
        &[]
    }

    /// Where the import of `specifier` by the file at `from` leads.
    fn module(&self, specifier: &str, from: &str, tree: &Tree) -> Module {
        let _ = (from, tree);
        Module::Named(specifier.to_string())
    }

    /// The module `name` that the one of the file at `of` has as a member without declaring it.
    fn submodule(&self, of: &str, name: &str, tree: &Tree) -> Module {
        let _ = (of, name, tree);
        Module::Files(Vec::new())
    }

    /// The name under which an import without a written name has a module, from its specifier and
    /// from what the files of the module state, if they are in the tree.
    fn import_name<'n>(&self, specifier: &'n str, module: Option<&'n str>) -> &'n str {
        let name = module.unwrap_or(specifier);
        name.rsplit(['.', '/']).next().unwrap_or(name)
    }

    /// Whether a symbol of conditions is known to be defined, or not to be; none where the tree says.
    fn defined(&self, symbol: &str) -> Option<bool> {
        let _ = symbol;
        None
    }

    /// Which values of a file are stored.
    fn needs(&self) -> Needs {
        Needs::ALL
    }

    /// The library's type of a literal.
    fn literal(&self, literal: &Literal) -> &'static str;

    /// The standard library in the text form.
    fn library(&self) -> &'static str;

    /// How syntax trees become facts; none where only the text form is read.
    #[cfg(feature = "lower")]
    fn lowering(&self) -> Option<&'static dyn crate::lower::Lowers> {
        None
    }
}

/// Where bare names come from.
#[derive(Clone, Copy, Debug)]
pub struct Visible {
    /// Members of the types around a use are named without a receiver.
    pub members: bool,
    /// Types and static members in the body of a type around are visible.
    pub type_scopes: bool,
    /// Files that state the same module see each other.
    pub siblings: bool,
    /// All top-level definitions of the tree that are not private are visible.
    pub tree: bool,
    /// A bare call also sees the functions of its arguments' namespaces.
    pub argument_namespaces: bool,
    /// Calls do not see variables, fields and parameters.
    pub calls_skip_values: bool,
    /// What a file imports is a member of its module.
    pub imports_are_members: bool,
    /// A name that is imported from outside of the tree is none of the module or the library.
    pub imports_decide: bool,
}

impl Default for Visible {
    fn default() -> Self {
        Self {
            members: true,
            type_scopes: true,
            siblings: true,
            tree: false,
            argument_namespaces: false,
            calls_skip_values: false,
            imports_are_members: false,
            imports_decide: false,
        }
    }
}

/// The order of bases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linearization {
    /// Prepended, the type itself, mixed in, extended, implemented: depth first.
    Ancestors,
    /// By depth; several of one depth are ambiguous.
    Levels,
    /// The merge that keeps the order of all bases (C3).
    Merged,
}

/// Which types satisfy an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Satisfaction {
    /// Those that name it.
    Declared,
    /// Those that have its members.
    Structural,
}

/// Members outside of a type's body.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemberSources {
    /// Functions with a receiver type are members, not candidates after all members.
    pub functions_on_are_members: bool,
    /// Several definitions of one type are one type.
    pub open_types: bool,
    /// A base's overloads compete with those of the type.
    pub overloads_through_bases: bool,
    /// A value gives the members of what it dereferences to.
    pub dereferences: bool,
    /// What a base means in the body of a type: the next one of its users, too.
    pub base_of_users: BaseOfUsers,
    /// A nested set of members that users of the outer one get as members of the type.
    pub nested_static_mixin: Option<&'static str>,
    /// The library's type whose members all values have.
    pub root: Option<&'static str>,
    /// What answers for a member that is missing.
    pub missing_member: Option<&'static str>,
    /// What reading a member's value calls.
    pub get_member: Option<&'static str>,
}

/// Whose order of bases decides what follows a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaseOfUsers {
    /// That of the type itself.
    #[default]
    Own,
    /// For a mixin, that of the types that mix it in.
    Mixins,
    /// That of all types below it.
    All,
}

/// Constructions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Construction {
    /// Names of members that run.
    pub members: &'static [&'static str],
    /// A base's constructor runs where the type has none.
    pub inherited: bool,
    /// The static member that constructs.
    pub call: Option<&'static str>,
    /// The member that calling a value runs.
    pub call_value: &'static [&'static str],
}

/// Arguments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arguments {
    /// Labels are part of the name.
    pub labels_must_match: bool,
    /// A function value fits an interface with one function.
    pub functions_fit_interfaces: bool,
    /// Declarations beside a body are its signatures.
    pub signatures_beside_body: bool,
    /// Any number of arguments may be passed.
    pub any_number: bool,
    /// Functions are told apart by their names alone: there are no overloads.
    pub by_name: bool,
    /// A function that takes all that remain is called so only where no other fits.
    pub variadic_last: bool,
    /// An array can be passed for all that a variadic parameter takes.
    pub variadic_takes_whole: bool,
    /// Lambdas list all their parameters.
    pub lambdas_list_parameters: bool,
    /// A value fits a type parameter as it fits the parameter's bound, or the root.
    pub parameters_are_bounds: bool,
}

/// Where an import leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Module {
    /// Files of the tree, by position.
    Files(Vec<usize>),
    /// A module, namespace or type of this name.
    Named(String),
}
