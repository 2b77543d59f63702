//! The chains of Swift's types and expressions.

use tree_sitter::Node;

use crate::lang::chain::{self, Protocol, Step};
use crate::lang::facts::{CHAIN_BYTES_MAX, Chain};
use crate::lang::grammars::modifiers;
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Maximum nesting of types and expressions.
const DEPTH_MAX: usize = 20;

/// Properties that are texts, whatever value they describe.
const TEXT_PROPERTIES: &[&[u8]] = &[b"debugDescription", b"description", b"localizedDescription"];

/// Returns the chain of a value of the type `node`.
pub(super) fn of_type(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    let name = type_name(visit, notes, node)?;
    if name == "Self" { Some(Chain::own()) } else { chain::instance(&name) }
}

/// Returns the name of a type with its arguments.
pub(super) fn type_name(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
) -> Option<String> {
    let mut name = String::new();
    let is_named = write(visit, notes, node, &mut name, DEPTH_MAX);
    (is_named && !name.is_empty() && name.len() <= CHAIN_BYTES_MAX).then_some(name)
}

/// Appends the name of the type `node` to `out`. Returns false if it has no name.
fn write(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    out: &mut String,
    depth: usize,
) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    if out.len() > CHAIN_BYTES_MAX {
        return false;
    }
    let inner = |of: Option<Node<'_>>, out: &mut String| {
        of.is_some_and(|of| write(visit, notes, of, out, depth))
    };
    match node.kind_name() {
        "user_type" => {
            let mut is_first = true;
            for part in modifiers::children(node) {
                match part.kind_name() {
                    "type_identifier" => {
                        let own = visit.bytes(part);
                        match notes.local(own) {
                            NameLookup::Local(Some(chain))
                                if is_first && chain.starts_at_type() =>
                            {
                                out.push_str(chain.named_type().text());
                            }
                            NameLookup::Local(_) if is_first => return false,
                            _ => {
                                out.push_str(if is_first { "" } else { "." });
                                out.push_str(&String::from_utf8_lossy(own));
                            }
                        }
                        is_first = false;
                    }
                    "type_arguments" => {
                        out.push('<');
                        let arguments = modifiers::children(part).filter(Node::is_named);
                        for (at, argument) in arguments.enumerate() {
                            if at > 0 {
                                out.push(',');
                            }
                            let start = out.len();
                            if !write(visit, notes, argument, out, depth) {
                                out.truncate(start);
                                out.push('_');
                            }
                        }
                        out.push('>');
                    }
                    _ => {}
                }
            }
            !is_first
        }
        "optional_type" => inner(node.field("wrapped"), out),
        "tuple_type" if node.named_child_count() == 1 => inner(node.named_child(0), out),
        "array_type" => {
            out.push_str("Array<");
            let is_named = inner(node.field("element").or(node.field("name")), out);
            out.push('>');
            is_named
        }
        "dictionary_type" => {
            out.push_str("Dictionary<_,");
            let is_named = inner(node.field("value"), out);
            out.push('>');
            is_named
        }
        "opaque_type"
        | "existential_type"
        | "implicitly_unwrapped_type"
        | "type_annotation"
        | "tuple_type_item" => inner(modifiers::children(node).filter(Node::is_named).last(), out),
        _ => false,
    }
}

/// Returns the called name, and the expression that it is a member of, of a called expression.
pub(super) fn callee(function: Node<'_>) -> Option<(Node<'_>, Option<Node<'_>>)> {
    match function.kind_name() {
        "simple_identifier" => Some((function, None)),
        "navigation_expression" => {
            let name = function.field("suffix")?.field("suffix")?;
            let of = function.field("target").or_else(|| function.named_child(0));
            (name.kind_name() == "simple_identifier").then_some((name, of))
        }
        // The grammar takes `a + b()` for `(a + b)()` and `!a()` for `(!a)()`.
        "additive_expression" | "multiplicative_expression" => {
            callee(modifiers::children(function).filter(Node::is_named).last()?)
        }
        "prefix_expression" if function.child(0).is_some_and(|of| of.kind_name() != ".") => {
            callee(function.field("target")?)
        }
        "prefix_expression" => {
            let target = function.field("target")?;
            (target.kind_name() == "simple_identifier").then_some((target, Some(function)))
        }
        // `(h)()` and `h!()`
        "tuple_expression" if function.named_child_count() == 1 => callee(function.field("value")?),
        "postfix_expression" => callee(function.field("target")?),
        _ => None,
    }
}

/// Returns true for `a[b]`, which the grammar parses as a call.
pub(super) fn is_subscript(visit: &Visit<'_, '_>, call: Node<'_>) -> bool {
    let suffix = modifiers::child(call, &["call_suffix"]);
    suffix.is_some_and(|suffix| visit.bytes(suffix).starts_with(b"["))
}

/// Returns the chain of the function that a call calls; `None` for a local variable.
pub(super) fn function(visit: &Visit<'_, '_>, notes: &Notes<'_>, call: Node<'_>) -> Option<Chain> {
    let (name, object) = callee(call.named_child(0)?)?;
    let own = visit.bytes(name);
    match object {
        Some(object) if object.kind_name() == "prefix_expression" => None,
        Some(object) => chain::member(of(visit, notes, object), own),
        None if matches!(notes.local(own), NameLookup::Local(_)) => None,
        None => Some(Chain::name(String::from_utf8_lossy(own))),
    }
}

/// Returns the position of an argument in its list.
pub(super) fn place(argument: Node<'_>) -> Option<usize> {
    let all = modifiers::children(argument.parent()?);
    let arguments = all.filter(|of| of.kind_name() == "value_argument");
    Some(arguments.take_while(|of| of.id() != argument.id()).count())
}

/// Returns the chain of a value of the type that is expected of the visited expression `.name(…)`:
/// that of the parameter, variable, result or other side of a comparison.
pub(super) fn expected(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let mut level = 1;
    while matches!(visit.ancestor_kind(level), "try_expression" | "await_expression") {
        level += 1;
    }
    let around = visit.ancestor(level)?;
    match around.kind_name() {
        "value_argument" => {
            let call = visit.ancestor(level + 3)?;
            let function = function(visit, notes, call)?;
            function.then(Step::Parameter(place(around)?.into())).bounded()
        }
        "property_declaration" => {
            let annotation = modifiers::child(around, &["type_annotation"])?;
            of_type(visit, notes, annotation.field("name")?)
        }
        "equality_expression" => of(visit, notes, around.field("lhs")?),
        "assignment" => of(visit, notes, around.field("target")?.named_child(0)?),
        "control_transfer_statement" | "statements" => {
            let around = (level + 1..level + 24).map_while(|level| visit.ancestor(level));
            let function =
                around.take_while(|of| of.kind_name() != "lambda_literal").find(|of| {
                    matches!(of.kind_name(), "function_declaration" | "property_declaration")
                })?;
            if let Some(annotation) = modifiers::child(function, &["type_annotation"]) {
                return of_type(visit, notes, annotation.field("name")?);
            }
            let mut cursor = function.walk();
            let result = function.children_by_field_name("name", &mut cursor).nth(1)?;
            of_type(visit, notes, result)
        }
        _ => None,
    }
}

/// Returns the chain of the expression `node`.
pub(super) fn of(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    value(visit, notes, node, DEPTH_MAX)
}

fn value(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>, depth: usize) -> Option<Chain> {
    let depth = depth.checked_sub(1)?;
    let field = |name: &str| node.field(name);
    let of = |node: Node<'_>| value(visit, notes, node, depth);
    let first = || node.named_child(0);
    match node.kind_name() {
        "simple_identifier" => chain::of_name(notes, visit.bytes(node)),
        "self_expression" => Some(Chain::own()),
        "super_expression" => Some(Chain::base()),
        "user_type" | "array_type" | "dictionary_type" => of_type(visit, notes, node),
        "navigation_expression" => {
            let (name, object) = callee(node)?;
            let object = of(object?);
            match visit.bytes(name) {
                b"self" => object,
                name if TEXT_PROPERTIES.contains(&name) => chain::instance("String"),
                name => chain::member(object, name),
            }
        }
        "call_expression" => {
            let function = first()?;
            if is_subscript(visit, node) {
                return chain::yielded(of(function), Protocol::Index);
            }
            let Some((name, object)) = callee(function) else {
                return chain::called(of(function));
            };
            let own = visit.bytes(name);
            let Some(object) = object else {
                return match notes.local(own) {
                    NameLookup::Local(_) => None,
                    NameLookup::NotLocal if own == b"Self" => Some(Chain::own()),
                    NameLookup::NotLocal => {
                        chain::called(Some(Chain::name(String::from_utf8_lossy(own))))
                    }
                };
            };
            if object.kind_name() == "prefix_expression" {
                return None;
            }
            chain::called(chain::member(of(object), own))
        }
        "constructor_expression" => of_type(visit, notes, field("constructed_type")?),
        "try_expression" | "await_expression" => of(field("expr").or_else(first)?),
        "as_expression" => of_type(visit, notes, field("name").or(field("type"))?),
        "postfix_expression" | "optional_chain_expression" => of(field("target").or_else(first)?),
        "prefix_expression" => {
            let is_member = visit.bytes(node).starts_with(b".");
            if is_member { None } else { of(field("target")?) }
        }
        "nil_coalescing_expression" => of(field("value")?).or_else(|| of(field("if_nil")?)),
        "ternary_expression" => of(field("if_true")?).or_else(|| of(field("if_false")?)),
        "tuple_expression" if node.named_child_count() == 1 => of(field("value").or_else(first)?),
        "line_string_literal" | "multi_line_string_literal" => chain::instance("String"),
        "integer_literal" => chain::instance("Int"),
        "boolean_literal" => chain::instance("Bool"),
        "array_literal" => {
            let element = first().and_then(of);
            let class = element
                .as_ref()
                .and_then(|element| element.class(|name| name.starts_with(char::is_uppercase)));
            chain::instance(&match class {
                Some(of) => format!("Array<{of}>"),
                None => "Array".to_owned(),
            })
        }
        _ => None,
    }
}
