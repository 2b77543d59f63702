//! Python: what a file imports can be imported from it, and the last definition of a name is
//! effective.

use super::arguments::many_or_usual;
use super::{ArgumentRules, Dialect, Group, NONE, Structural, library};

/// Types that Python itself defines, sorted.
const BUILT_IN_TYPES: &[&str] = &[
    "BaseException",
    "Exception",
    "bool",
    "bytearray",
    "bytes",
    "complex",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "memoryview",
    "object",
    "range",
    "set",
    "str",
    "tuple",
    "type",
];

/// Returns true for the name of a type that Python itself defines.
pub(in super::super) fn is_built_in_type(name: &str) -> bool {
    BUILT_IN_TYPES.binary_search(&name).is_ok()
}

pub(super) static PYTHON: Dialect = Dialect {
    group: Group::Python,
    library: library::python,
    binds_dotted_names: true,
    package_file: Some("__init__.py"),
    wildcard_list: Some("__all__"),
    has_closed_types: true,
    decorates: true,
    arguments: Some(ArgumentRules {
        passes_instance: true,
        ..ArgumentRules::new(|part| many_or_usual(part.starts_with('*'), part))
    }),
    reexports_imports: true,
    last_wins: true,
    constructors: &["__init__", "__new__"],
    constructor_words: &["__class__", "cls", "type"],
    has_linear_bases: true,
    structural: Some(Structural::Bases("Protocol")),
    inherits_constructors: true,
    common: &[
        "add",
        "append",
        "clear",
        "close",
        "copy",
        "count",
        "decode",
        "encode",
        "endswith",
        "extend",
        "find",
        "format",
        "get",
        "group",
        "index",
        "insert",
        "isdigit",
        "items",
        "join",
        "keys",
        "lower",
        "lstrip",
        "match",
        "partition",
        "pop",
        "read",
        "readline",
        "remove",
        "replace",
        "rstrip",
        "search",
        "send",
        "setdefault",
        "sort",
        "split",
        "splitlines",
        "start",
        "startswith",
        "strip",
        "sub",
        "title",
        "update",
        "upper",
        "values",
        "write",
    ],
    ..NONE
};
