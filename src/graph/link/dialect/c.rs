//! C, C++ and Objective-C: names of headers are visible to the files that include them.

use super::{ArgumentRules, Dialect, Group, NONE, OverloadRules};

static C: Dialect = Dialect {
    arguments: Some(ArgumentRules { is_empty_list_open: true, ..ArgumentRules::USUAL }),
    ..RULES
};

static CPP: Dialect = Dialect {
    arguments: Some(ArgumentRules::USUAL),
    overloads: Some(OverloadRules::Cpp),
    has_namespaces: true,
    aliases_have_members: true,
    deref: Some("operator->"),
    globals: &["std"],
    ..RULES
};

static OBJECTIVE_C: Dialect = RULES;

/// Returns the rules of a language of the family.
pub(super) fn of(language: &str) -> &'static Dialect {
    match language {
        "c" => &C,
        "cpp" => &CPP,
        _ => &OBJECTIVE_C,
    }
}

const RULES: Dialect = Dialect {
    group: Group::C,
    has_bodiless_declarations: true,
    has_bare_members: true,
    is_whole_program: true,
    reexports_imports: true,
    elements: &["operator*", "operator->", "operator[]"],
    wrappers: &["unique_ptr", "shared_ptr", "weak_ptr", "optional", "reference_wrapper"],
    container_methods: &["begin", "end", "rbegin", "cbegin", "find", "lock"],
    content_methods: &["front", "back", "at", "get", "value", "top"],
    common: &[
        "add",
        "append",
        "at",
        "back",
        "begin",
        "c_str",
        "clear",
        "close",
        "count",
        "data",
        "empty",
        "emplace",
        "emplace_back",
        "end",
        "erase",
        "find",
        "first",
        "front",
        "get",
        "insert",
        "length",
        "lock",
        "open",
        "pop",
        "pop_back",
        "push",
        "push_back",
        "read",
        "release",
        "remove",
        "reset",
        "resize",
        "second",
        "size",
        "str",
        "substr",
        "swap",
        "top",
        "unlock",
        "value",
        "write",
    ],
    ..NONE
};
