//! The name rules of each language: where a bare name is looked up, which types are transparent,
//! which names carry no information.
//!
//! The linker compares no language names; whatever differs between languages is a field here.

mod arguments;
mod c;
mod go;
mod java;
mod javascript;
mod other;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;

pub(super) use arguments::{ArgumentRules, Parameter, Surplus};
pub(super) use c::is_standard_function;
pub(super) use python::is_built_in_type;

use super::library::{self, Library};
use crate::graph::imports::Family;
use crate::lang::language::Language;

/// Languages whose definitions can refer to each other.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) enum Group {
    C,
    CSharp,
    Go,
    Java,
    JavaScript,
    Other,
    Php,
    Python,
    Ruby,
    Rust,
    Swift,
}

/// Which interfaces types satisfy without naming them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Structural {
    /// All of the language.
    Interfaces,
    /// Types with a base of this name.
    Bases(&'static str),
}

/// How overloads that accept the same number of arguments are compared; see [`mod@super::overloads`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) enum OverloadRules {
    CSharp,
    Cpp,
    Java,
    Kotlin,
    Swift,
}

/// How the types of parameters and of functions are written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum TypeSyntax {
    /// `name: Type`, and `(name: A) => R` for a function: TypeScript.
    NamedArrow,
    /// `name: Type`, and `(A) -> R` for a function: Kotlin and Swift.
    Arrow,
    /// `Type name`, and delegates such as `Func<A, R>` for a function: C#.
    Delegate,
}

/// How a method names the type that it extends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Extensions {
    /// There are no such methods.
    None,
    /// By its first parameter: C#'s `this Type name`.
    Parameter,
    /// Before its own name: Kotlin's `Type.name`.
    Prefix,
    /// By the block around it: Swift's `extension Type`.
    Block,
}

/// The rules of one language.
pub(super) struct Dialect {
    /// The languages that it shares definitions with.
    pub(super) group: Group,

    // Bare names.
    /// A bare name may be a member of the enclosing type.
    pub(super) has_bare_members: bool,
    /// Files of a package see each other's names.
    pub(super) has_packages: bool,
    /// Each file declares the name of its package, which may differ from the end of the import path.
    pub(super) declares_package_name: bool,
    /// A bare name may be a member of an object that facts do not show: of a base from outside, or
    /// of the object in which a block runs.
    pub(super) has_open_self: bool,
    /// Names of files are visible in the whole program.
    pub(super) is_whole_program: bool,
    /// Names belong to namespaces, which any file can open.
    pub(super) has_namespaces: bool,
    /// Macros are visible in the whole program.
    pub(super) has_program_macros: bool,
    /// Macros of the standard library: a macro of such a name that is not exported is visible only in
    /// its module.
    pub(super) standard_macros: &'static [&'static str],
    /// Of several definitions of a name the last one is effective.
    pub(super) last_wins: bool,
    /// Names with members that the language itself defines.
    pub(super) globals: &'static [&'static str],
    /// Types that the language itself defines; methods can be added to them.
    pub(super) primitives: &'static [&'static str],
    /// In a file with imports, a capitalized name without a binding comes from outside of the
    /// repository.
    pub(super) has_outside_types: bool,
    /// A capitalized name that nothing in the repository defines comes from outside.
    pub(super) has_closed_constants: bool,

    // Imports and paths.
    /// An import may name a type, and then a member of it: `import static a.Type.member`.
    pub(super) imports_types: bool,
    /// What a file imports can be imported from it.
    pub(super) reexports_imports: bool,
    /// Imports and namespaces determine the qualified name of every name.
    pub(super) qualifies_names: bool,
    /// A file sees the names of its namespace, of the enclosing ones, and of those that it uses.
    pub(super) has_usings: bool,
    /// An import may bind several names at once: `import a.b` binds `a` and `a.b`.
    pub(super) binds_dotted_names: bool,
    /// Methods are named by all keywords of a call: `put:at:`.
    pub(super) has_selectors: bool,
    /// Modules are named by their qualified names everywhere.
    pub(super) has_global_modules: bool,
    /// A path may start at a module without an import: `self`, `super`, the name of a crate.
    pub(super) has_module_paths: bool,
    /// The variable that lists the names that an import of all names includes.
    pub(super) wildcard_list: Option<&'static str>,
    /// The file that stands for its directory, whose other files are its submodules.
    pub(super) package_file: Option<&'static str>,

    // Types and their members.
    /// All members and bases of a type are written in its own definition.
    pub(super) has_closed_types: bool,
    /// A type or module can be opened again elsewhere, under the same qualified name.
    pub(super) reopens_types: bool,
    /// Several definitions of a type, possibly in several files, are parts of it.
    pub(super) has_partial_types: bool,
    /// How methods are added to types outside of their definitions.
    pub(super) extensions: Extensions,
    /// Qualified names distinguish members of a type itself (`Type.name`) from those of its
    /// instances (`Type#name`).
    pub(super) marks_class_members: bool,
    /// A call of a method that a type lacks runs its `__call` or `__callStatic`.
    pub(super) has_magic_calls: bool,
    /// A decorator makes something else of a function.
    pub(super) decorates: bool,
    /// A property is read by a call without arguments.
    pub(super) calls_properties: bool,
    /// A module has instances of its own: its methods refer to themselves by `self`.
    pub(super) has_module_instances: bool,
    /// Implementation blocks add members and bases to a type.
    pub(super) has_impl_blocks: bool,
    /// Traits can add methods to types from outside of the repository.
    pub(super) has_extension_traits: bool,
    /// Prefixes of method names that types of the standard library have.
    pub(super) standard_prefixes: &'static [&'static str],
    /// An alias has the members of its target: `Alias::new()`.
    pub(super) aliases_have_members: bool,
    /// A common base is searched after all types that are derived from it.
    pub(super) has_linear_bases: bool,
    /// A member of a base hides those of the bases of other bases: the least deep one is meant.
    pub(super) searches_bases_by_depth: bool,
    /// Which interfaces types satisfy without naming them.
    pub(super) structural: Option<Structural>,
    /// A base is an expression, such as a call of a function that returns a class, or a module.
    pub(super) has_expression_bases: bool,
    /// Types of the same name in one scope are one type.
    pub(super) merges_types: bool,
    /// A function can be a type, and members can be added to any value from outside of its
    /// definition: `Type.prototype.method = …`, `object.method = …`.
    pub(super) has_added_members: bool,
    /// An interface may have signatures by which its values are called.
    pub(super) has_call_signatures: bool,
    /// A module can be a value: what the file assigns to `module.exports`.
    pub(super) has_module_values: bool,
    /// Fields and methods have separate namespaces: a call never refers to a field.
    pub(super) separates_fields: bool,
    /// A call never refers to a variable: no value is a function.
    pub(super) calls_only_methods: bool,
    /// A function without a body only declares one that is defined elsewhere.
    pub(super) has_bodiless_declarations: bool,
    /// Methods that create an instance, in addition to one named like the type.
    pub(super) constructors: &'static [&'static str],
    /// A type without a constructor of its own uses that of its base.
    pub(super) inherits_constructors: bool,
    /// The method of a type by which its constructor is called.
    pub(super) constructor_call: Option<&'static str>,
    /// A call of a class without a word runs a method `apply` of an object of the same name.
    pub(super) has_companions: bool,
    /// The methods of the type that all others derive from, with their numbers of parameters.
    pub(super) root_methods: &'static [(&'static str, u8)],
    /// The words by which constructors call others, of their own type or of its base.
    pub(super) constructor_words: &'static [&'static str],

    // Values.
    /// The methods by which a type gives its elements take precedence over type arguments.
    pub(super) wraps_elements: bool,
    /// The types of the standard library.
    pub(super) library: fn() -> &'static Library,
    /// The method whose result's members are also members of the type.
    pub(super) deref: Option<&'static str>,
    /// Functions from outside whose result has the type of an argument or of what a callback returns,
    /// sorted: it may be one of the repository.
    pub(super) generic_results: &'static [&'static str],

    // Functions.
    /// The type of a callback is a bound: `impl Fn(A) -> R`.
    pub(super) has_callable_bounds: bool,
    /// How the types of parameters and functions are written.
    pub(super) type_syntax: TypeSyntax,
    /// How many arguments a call has; `None` if any number is legal or the syntax hides some.
    pub(super) arguments: Option<ArgumentRules>,
    /// How overloads are compared that accept the same number of arguments.
    pub(super) overloads: Option<OverloadRules>,
    /// Variables and parameters have no written types, so that only their uses show these.
    pub(super) has_untyped_values: bool,
    /// Methods of the types that the language itself defines, sorted: a receiver of unknown type may
    /// be one of these.
    pub(super) standard: &'static [&'static str],
    /// Method names too common to identify a type.
    pub(super) common: &'static [&'static str],
}

impl Dialect {
    /// Returns true for Java, whose generic types are written as those of TypeScript, with the type
    /// parameters of a method before its result.
    pub(super) fn has_java_types(&self) -> bool {
        self.overloads == Some(OverloadRules::Java)
    }
}

/// Returns the rules of a language.
pub(super) fn of(language: &Language) -> &'static Dialect {
    match Family::of(language) {
        Some(Family::Python) => &python::PYTHON,
        Some(Family::JavaScript) => javascript::of(language.name),
        Some(Family::Go) => &go::GO,
        Some(Family::Rust) => &rust::RUST,
        Some(Family::Jvm | Family::CSharp | Family::Dart) => java::of(language.name),
        Some(Family::Swift) => &java::SWIFT,
        Some(Family::C) => c::of(language.name),
        Some(Family::Ruby) => &ruby::RUBY,
        Some(Family::Php) => &php::PHP,
        Some(Family::Elixir) => &other::ELIXIR,
        _ => &other::OTHER,
    }
}

const NONE: Dialect = Dialect {
    group: Group::Other,
    has_bare_members: false,
    has_open_self: false,
    has_packages: false,
    declares_package_name: false,
    is_whole_program: false,
    has_namespaces: false,
    has_program_macros: false,
    standard_macros: &[],
    last_wins: false,
    globals: &[],
    primitives: &[],
    has_outside_types: false,
    has_closed_constants: false,
    imports_types: false,
    reexports_imports: false,
    qualifies_names: false,
    has_usings: false,
    binds_dotted_names: false,
    has_selectors: false,
    has_global_modules: false,
    has_module_paths: false,
    wildcard_list: None,
    package_file: None,
    has_closed_types: false,
    reopens_types: false,
    has_partial_types: false,
    extensions: Extensions::None,
    marks_class_members: false,
    has_magic_calls: false,
    decorates: false,
    calls_properties: false,
    has_module_instances: false,
    has_impl_blocks: false,
    has_extension_traits: false,
    standard_prefixes: &[],
    aliases_have_members: false,
    has_linear_bases: false,
    searches_bases_by_depth: false,
    structural: None,
    has_expression_bases: false,
    merges_types: false,
    has_added_members: false,
    has_call_signatures: false,
    has_module_values: false,
    separates_fields: false,
    calls_only_methods: false,
    has_bodiless_declarations: false,
    constructors: &[],
    inherits_constructors: false,
    constructor_call: None,
    has_companions: false,
    root_methods: &[],
    constructor_words: &[],
    wraps_elements: false,
    library: library::none,
    deref: None,
    generic_results: &[],
    has_callable_bounds: false,
    type_syntax: TypeSyntax::NamedArrow,
    arguments: None,
    overloads: None,
    has_untyped_values: false,
    standard: &[],
    common: &[],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::language::LANGUAGES;

    /// The languages whose calls are compared with the number of parameters.
    #[test]
    fn arguments_are_counted_in_these_languages() {
        let counted = LANGUAGES.iter().filter(|language| of(language).arguments.is_some());
        let mut names: Vec<&str> = counted.map(|language| language.name).collect();
        names.sort_unstable();
        let expected = [
            "c",
            "cpp",
            "csharp",
            "dart",
            "go",
            "java",
            "kotlin",
            "php",
            "python",
            "ruby",
            "rust",
            "scala",
            "swift",
            "tsx",
            "typescript",
        ];
        assert_eq!(names, expected);
    }

    /// Languages that compile into one program share definitions.
    #[test]
    fn groups_join_languages_of_one_program() {
        let group = |name: &str| {
            let language = LANGUAGES.iter().find(|language| language.name == name);
            language.map(|language| of(language).group)
        };
        assert_eq!(group("java"), group("kotlin"));
        assert_eq!(group("c"), group("objective-c"));
        assert_eq!(group("javascript"), group("tsx"));
        assert_eq!(group("php"), Some(Group::Php));
        assert_ne!(group("java"), group("swift"));
    }
}
