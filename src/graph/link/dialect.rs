//! What the rules of a language say about names: where a bare name is looked for, what a value can
//! be seen through, which names say nothing.

mod c;
mod java;
mod python;
mod ruby;
mod rust;
mod script;

use crate::graph::imports::Family;
use crate::lang::language::Language;

/// The rules of a family of languages.
pub(super) struct Dialect {
    /// A bare name may be a member of the type around it.
    pub(super) has_bare_members: bool,
    /// Files of a package see each other's names.
    pub(super) has_packages: bool,
    /// An import may name a type, and then what is in it: `import static a.Type.member`.
    pub(super) imports_types: bool,
    /// Names of files are visible in the whole program.
    pub(super) is_whole_program: bool,
    /// What a file imports can be imported from it.
    pub(super) offers_imports: bool,
    /// Of several definitions of a name the last one holds.
    pub(super) last_wins: bool,
    /// Names of the function that makes a new instance, beside that of the type.
    pub(super) constructors: &'static [&'static str],
    /// A type without a constructor of its own is made by that of its base.
    pub(super) inherits_constructors: bool,
    /// Names of methods that give what `[]` gives.
    pub(super) elements: &'static [&'static str],
    /// Types whose members are those of what they hold.
    pub(super) holders: &'static [&'static str],
    /// Generic types whose first argument is what they hold; of others it is the last one.
    pub(super) holds_first: &'static [&'static str],
    /// Methods of types from elsewhere that give the same type, or one that holds the same.
    pub(super) keeps: &'static [&'static str],
    /// Methods of types from elsewhere that give what the type holds.
    pub(super) takes: &'static [&'static str],
    /// Names that the language itself gives to what has members.
    pub(super) globals: &'static [&'static str],
    /// Method names so common that they say nothing of the type.
    pub(super) common: &'static [&'static str],
}

/// Returns the rules of a language.
pub(super) fn of(language: &Language) -> &'static Dialect {
    match Family::of(language) {
        Some(Family::Python) => &python::PYTHON,
        Some(Family::JavaScript) => &script::SCRIPT,
        Some(Family::Go) => &GO,
        Some(Family::Rust) => &rust::RUST,
        Some(Family::Jvm | Family::CSharp | Family::Dart) => &java::JAVA,
        Some(Family::Swift) => &java::SWIFT,
        Some(Family::C) => &c::C,
        Some(Family::Ruby) => &ruby::RUBY,
        _ => &OTHER,
    }
}

const NONE: Dialect = Dialect {
    has_bare_members: false,
    has_packages: false,
    imports_types: false,
    is_whole_program: false,
    offers_imports: false,
    last_wins: false,
    constructors: &[],
    inherits_constructors: false,
    elements: &[],
    holders: &[],
    holds_first: &[],
    keeps: &[],
    takes: &[],
    globals: &[],
    common: &[],
};

static GO: Dialect = Dialect {
    has_packages: true,
    common: &[
        "Add", "Close", "Error", "Flush", "Get", "Len", "Lock", "Name", "Open", "Read", "Reset",
        "RLock", "RUnlock", "Set", "String", "Unlock", "Write",
    ],
    ..NONE
};

static OTHER: Dialect = Dialect {
    is_whole_program: true,
    has_bare_members: true,
    constructors: &["__construct", "new", "init"],
    inherits_constructors: true,
    common: &[
        "add", "append", "clear", "close", "count", "filter", "find", "format", "get", "insert",
        "join", "keys", "length", "map", "new", "open", "pop", "push", "put", "read", "remove",
        "replace", "run", "set", "size", "sort", "split", "toString", "update", "value", "values",
        "write",
    ],
    ..NONE
};
