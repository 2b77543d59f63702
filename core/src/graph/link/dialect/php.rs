//! PHP: namespaces and imports determine every name, and members need a receiver.

use super::{ArgumentRules, Dialect, Group, NONE, Surplus, library};

pub(super) static PHP: Dialect = Dialect {
    group: Group::Php,
    library: library::php,
    qualifies_names: true,
    has_closed_types: true,
    has_magic_calls: true,
    separates_fields: true,
    constructors: &["__construct"],
    inherits_constructors: true,
    constructor_words: &["parent", "self", "static"],
    // More arguments are legal; `func_get_args` reads them.
    arguments: Some(ArgumentRules { surplus: Surplus::Allowed, ..ArgumentRules::USUAL }),
    common: &[
        "add", "append", "clear", "close", "count", "filter", "find", "format", "get", "insert",
        "join", "keys", "length", "map", "new", "open", "pop", "push", "put", "read", "remove",
        "replace", "run", "set", "size", "sort", "split", "toString", "update", "value", "values",
        "write",
    ],
    ..NONE
};
