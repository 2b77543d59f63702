//! Object literals and functions that are values of something with a name, also as arguments of a call:
//! `const useStore = defineStore({ load() {} })`, `extend(A.prototype, { run() {} })`,
//! `const onSave = useCallback(() => …)`.

use tree_sitter::Node;

use super::{bare, is_function};
use crate::lang::node::NodeNames;
use crate::lang::visit::Visit;

/// Functions that add the members of an object to another.
const MIXING: &[&[u8]] = &[b"assign", b"extend", b"extendFlat", b"mixin"];

/// Functions whose result is called like the function that is their first argument.
const WRAPPING: &[&[u8]] = &[
    b"asyncHandler",
    b"cache",
    b"catchAsync",
    b"debounce",
    b"forwardRef",
    b"memo",
    b"memoize",
    b"observer",
    b"once",
    b"throttle",
    b"useCallback",
    b"useDebouncedCallback",
    b"useEffectEvent",
    b"useEvent",
    b"useEventCallback",
    b"useMemoizedFn",
    b"useThrottledCallback",
];

/// Maximum number of calls around a function.
const CALLS_MAX: usize = 4;

/// Maximum number of arguments that are examined.
const ARGUMENTS_MAX: usize = 8;

/// Returns the level of the object literal's call, if the object literal around the visited member is an
/// argument.
fn call_level(visit: &Visit<'_, '_>) -> Option<usize> {
    let level = literal_end(visit, 1);
    (visit.ancestor_kind(level) == "arguments").then_some(level + 1)
}

/// Returns the first ancestor from `level` on that is no part of an object literal.
fn literal_end(visit: &Visit<'_, '_>, level: usize) -> usize {
    let mut level = level;
    while matches!(
        visit.ancestor_kind(level),
        "object" | "as_expression" | "satisfies_expression" | "parenthesized_expression" | "pair"
    ) {
        level += 1;
    }
    level
}

/// Returns true if the visited node is in an object literal that is bound to a name or exported, or in an
/// argument of a call that is.
pub(super) fn is_bound(visit: &Visit<'_, '_>) -> bool {
    let mut level = literal_end(visit, 1);
    let mut is_argument = false;
    for _ in 0..CALLS_MAX {
        let is_call =
            matches!(visit.ancestor_kind(level + 1), "call_expression" | "new_expression");
        if visit.ancestor_kind(level) != "arguments" || !is_call {
            break;
        }
        is_argument = true;
        level = literal_end(visit, level + 2);
        if visit.ancestor_kind(level) == "await_expression" {
            level += 1;
        }
    }
    match visit.ancestor_kind(level) {
        "variable_declarator" | "assignment_expression" | "export_statement" => true,
        "field_definition" | "public_field_definition" => true,
        "return_statement" => !is_argument,
        "expression_statement" => {
            is_argument && (visit.enclosing().is_none() || mixing(visit).is_some())
        }
        _ => false,
    }
}

/// Returns the call of a function that adds the members of the literal around the visited member to
/// another object.
fn mixing<'t>(visit: &Visit<'_, 't>) -> Option<Node<'t>> {
    let call = visit.ancestor(call_level(visit)?)?;
    called(visit, call).filter(|name| MIXING.contains(name)).map(|_| call)
}

/// Returns the last name of the function that is called.
fn called<'a>(visit: &'a Visit<'_, '_>, call: Node<'_>) -> Option<&'a [u8]> {
    let function = call.field("function")?;
    let name = function.field("property").unwrap_or(function);
    Some(visit.bytes(name))
}

/// Returns the object to which the visited member of an object literal is added: `A` of
/// `extend(A.prototype, { run() {} })` and of `A.extend({ run() {} })`.
pub(super) fn target(visit: &Visit<'_, '_>) -> Option<String> {
    if visit.enclosing().is_some() {
        return None;
    }
    let call = mixing(visit)?;
    let first = call.field("arguments")?.named_child(0)?;
    let of = match first.kind_name() {
        "object" => call.field("function")?.field("object")?,
        _ => first,
    };
    if !matches!(of.kind_name(), "identifier" | "member_expression") {
        return None;
    }
    let name = visit.text_of(of);
    let is_path = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_$.".contains(&byte));
    let name = name.strip_suffix(".prototype").unwrap_or(&name);
    (is_path && !matches!(name, "Object" | "_" | "$")).then(|| name.to_owned())
}

/// Returns the function that a value is, also as the first argument of a call that returns it in effect.
pub(super) fn function<'t>(visit: &Visit<'_, 't>, value: Node<'t>) -> Option<Node<'t>> {
    let mut value = value;
    for _ in 0..CALLS_MAX {
        if is_function(value) {
            return Some(value);
        }
        if value.kind_name() != "call_expression" || !WRAPPING.contains(&called(visit, value)?) {
            return None;
        }
        value = bare(value.field("arguments")?.named_child(0)?);
    }
    None
}

/// Returns true if an argument of a call is an object literal.
pub(super) fn has_object(call: Node<'_>) -> bool {
    let Some(list) = call.field("arguments") else { return false };
    let mut cursor = list.walk();
    list.named_children(&mut cursor).take(ARGUMENTS_MAX).any(|it| bare(it).kind_name() == "object")
}
