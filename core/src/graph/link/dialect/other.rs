//! All languages without rules of their own: every name is visible in the whole program.

use super::{Dialect, NONE};

pub(super) static OTHER: Dialect = RULES;

/// Elixir: a bare name is a function of the module around it, or of an imported module.
pub(super) static ELIXIR: Dialect =
    Dialect { is_whole_program: false, has_global_modules: true, ..RULES };

const RULES: Dialect = Dialect {
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
