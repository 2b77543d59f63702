//! Ruby: everything is visible in the whole program, and the last definition is effective.

use super::{ArgumentRules, Dialect, Group, NONE, Parameter, Surplus};

/// Classifies a parameter.
fn parameter(part: &str) -> Parameter {
    if part.starts_with('*') || part.contains("...") {
        Parameter::Many
    } else if part.starts_with('&') {
        Parameter::Block
    } else if part.contains([':', '=']) {
        Parameter::Optional
    } else {
        Parameter::Required
    }
}

pub(super) static RUBY: Dialect = Dialect {
    group: Group::Ruby,
    reopens_types: true,
    marks_class_members: true,
    calls_properties: true,
    has_module_instances: true,
    has_open_self: true,
    has_closed_constants: true,
    // The last argument may be written as any number of `key: value`, and every function accepts
    // a block.
    arguments: Some(ArgumentRules {
        surplus: Surplus::KeywordsOrBlock,
        ..ArgumentRules::new(parameter)
    }),
    has_bare_members: true,
    is_whole_program: true,
    last_wins: true,
    constructors: &["initialize"],
    constructor_call: Some("new"),
    has_expression_bases: true,
    inherits_constructors: true,
    elements: &["[]", "each"],
    content_methods: &[
        "collect",
        "delete",
        "delete_at",
        "detect",
        "dig",
        "find",
        "flat_map",
        "inject",
        "map",
        "max_by",
        "min_by",
        "pop",
        "reduce",
        "shift",
        "zip",
    ],
    container_methods: &[
        "concat", "drop", "flatten", "merge", "push", "reverse", "slice", "take", "uniq", "values",
    ],
    common: &[
        "add",
        "all",
        "any?",
        "call",
        "class",
        "clear",
        "collect",
        "count",
        "delete",
        "each",
        "empty?",
        "find",
        "first",
        "freeze",
        "get",
        "gsub",
        "has_key?",
        "id",
        "include?",
        "inject",
        "is_a?",
        "join",
        "key?",
        "keys",
        "last",
        "length",
        "map",
        "merge",
        "message",
        "name",
        "new",
        "nil?",
        "open",
        "push",
        "put",
        "raise",
        "read",
        "reject",
        "respond_to?",
        "run",
        "select",
        "send",
        "size",
        "sort",
        "split",
        "strip",
        "sub",
        "to_a",
        "to_i",
        "to_s",
        "to_sym",
        "update",
        "values",
        "write",
    ],
    ..NONE
};
