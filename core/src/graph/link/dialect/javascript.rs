//! JavaScript and TypeScript: only what a file exports can be imported from it.

use super::{ArgumentRules, Dialect, Group, NONE, Structural};

/// A call in JavaScript may have any number of arguments.
static JAVASCRIPT: Dialect = RULES;

static TYPESCRIPT: Dialect = Dialect { arguments: Some(ArgumentRules::USUAL), ..RULES };

/// Returns the rules of a language of the family.
pub(super) fn of(language: &str) -> &'static Dialect {
    match language {
        "tsx" | "typescript" => &TYPESCRIPT,
        _ => &JAVASCRIPT,
    }
}

const RULES: Dialect = Dialect {
    group: Group::JavaScript,
    has_outside_types: true,
    structural: Some(Structural::Interfaces),
    has_expression_bases: true,
    merges_types: true,
    has_added_members: true,
    has_call_signatures: true,
    has_module_values: true,
    constructors: &["constructor"],
    inherits_constructors: true,
    constructor_words: &["super"],
    elements: &["next"],
    wrappers: &["Readonly", "Partial", "Required", "NonNullable", "Optional", "Ref"],
    content_first: &["Generator", "AsyncGenerator", "Omit", "Pick"],
    container_methods: &[
        "filter", "slice", "concat", "sort", "reverse", "catch", "finally", "values", "flat",
        "splice",
    ],
    content_methods: &["find", "pop", "shift", "at", "get", "deref"],
    globals: &[
        "Array",
        "Atomics",
        "BigInt",
        "Boolean",
        "Buffer",
        "Date",
        "Error",
        "Intl",
        "JSON",
        "Map",
        "Math",
        "Number",
        "Object",
        "Promise",
        "Proxy",
        "Reflect",
        "RegExp",
        "Set",
        "String",
        "Symbol",
        "URL",
        "WeakMap",
        "WeakSet",
        "console",
        "crypto",
        "document",
        "globalThis",
        "history",
        "localStorage",
        "navigator",
        "performance",
        "process",
        "window",
    ],
    common: &[
        "add", "all", "apply", "bind", "call", "catch", "concat", "clear", "close", "create",
        "delete", "emit", "end", "entries", "every", "exec", "filter", "find", "forEach", "get",
        "has", "includes", "indexOf", "join", "keys", "length", "map", "match", "next", "on",
        "once", "pop", "push", "reduce", "replace", "resolve", "set", "shift", "slice", "some",
        "sort", "splice", "split", "test", "then", "toString", "trim", "unshift", "values",
        "write",
    ],
    ..NONE
};
