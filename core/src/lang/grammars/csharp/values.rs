//! The chains of C#'s types and expressions.

use tree_sitter::Node;

use crate::lang::chain::{self, Protocol};
use crate::lang::facts::{CHAIN_BYTES_MAX, Chain};
use crate::lang::grammars::modifiers;
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Maximum nesting of types and expressions.
const DEPTH_MAX: usize = 20;

/// Returns the chain of a value of the type `node`.
pub(super) fn of_type(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    chain::instance(&type_name(visit, notes, node)?)
}

/// Returns the name of a type with its arguments. The name of a type parameter is that of its
/// constraint.
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
    let mut inner = |of: Option<Node<'_>>| of.is_some_and(|of| write(visit, notes, of, out, depth));
    match node.kind_name() {
        "identifier" => {
            let own = visit.bytes(node);
            match notes.local(own) {
                NameLookup::Local(Some(chain)) if chain.starts_at_type() => {
                    out.push_str(chain.named_type().text());
                }
                NameLookup::Local(None) if own.len() <= 2 || own.first() == Some(&b'T') => {
                    return false;
                }
                _ => out.push_str(&String::from_utf8_lossy(own)),
            }
            true
        }
        "predefined_type" => {
            out.push_str(&visit.text_of(node));
            true
        }
        "nullable_type" | "ref_type" | "scoped_type" | "pointer_type" => {
            inner(node.field("type").or_else(|| node.named_child(0)))
        }
        "array_type" => {
            out.push_str("slice<");
            let element = node.field("type");
            let is_named = element.is_some_and(|of| write(visit, notes, of, out, depth));
            out.push('>');
            is_named
        }
        "qualified_name" => {
            let is_named = inner(node.field("qualifier"));
            out.push('.');
            is_named && node.field("name").is_some_and(|of| write(visit, notes, of, out, depth))
        }
        "alias_qualified_name" => inner(node.field("name")),
        "generic_name" => {
            if !inner(node.named_child(0)) {
                return false;
            }
            let list = modifiers::child(node, &["type_argument_list"]);
            let parts: Vec<Node<'_>> =
                list.into_iter().flat_map(modifiers::children).filter(Node::is_named).collect();
            if parts.is_empty() {
                return true;
            }
            out.push('<');
            for (at, part) in parts.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                let start = out.len();
                if !write(visit, notes, part, out, depth) {
                    out.truncate(start);
                    out.push('_');
                }
            }
            out.push('>');
            true
        }
        _ => false,
    }
}

/// Returns the called name, and the expression that it is a member of, of the function of a call.
pub(super) fn callee(function: Node<'_>) -> Option<(Node<'_>, Option<Node<'_>>)> {
    let (name, of) = match function.kind_name() {
        "identifier" | "generic_name" => (function, None),
        "member_access_expression" | "qualified_name" | "alias_qualified_name" => {
            let of = function.field("expression").or_else(|| function.field("qualifier"));
            (function.field("name")?, of)
        }
        "conditional_access_expression" => {
            let binding = modifiers::child(function, &["member_binding_expression"])?;
            (binding.field("name")?, function.field("condition"))
        }
        "postfix_unary_expression" | "parenthesized_expression" => {
            return callee(function.named_child(0)?);
        }
        _ => return None,
    };
    let name = if name.kind_name() == "generic_name" { name.named_child(0)? } else { name };
    (name.kind_name() == "identifier").then_some((name, of))
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
    let instance = |node: Node<'_>| of_type(visit, notes, node);
    match node.kind_name() {
        "identifier" => chain::of_name(notes, visit.bytes(node)),
        "generic_name" => instance(node),
        "this" => Some(Chain::own()),
        "base" => Some(Chain::base()),
        "predefined_type" => Some(Chain::name(visit.text_of(node))),
        "member_access_expression" | "qualified_name" | "conditional_access_expression" => {
            let (name, object) = callee(node)?;
            chain::member(of(object?), visit.bytes(name))
        }
        "alias_qualified_name" => of(field("name")?),
        "invocation_expression" => {
            let (name, object) = callee(field("function")?)?;
            let own = visit.bytes(name);
            let Some(object) = object else {
                return match notes.local(own) {
                    NameLookup::Local(_) => None,
                    NameLookup::NotLocal => {
                        // The type arguments may be the type of the result.
                        let generic =
                            field("function").filter(|of| of.kind_name() == "generic_name");
                        let stated = generic.and_then(|of| type_name(visit, notes, of));
                        let stated = stated.filter(|of| !of.contains(['.', '[', '(']));
                        let name = || String::from_utf8_lossy(own).into_owned();
                        chain::called(Some(Chain::name(stated.unwrap_or_else(name))))
                    }
                };
            };
            chain::called(chain::member(of(object), own))
        }
        "object_creation_expression" => instance(field("type")?),
        "array_creation_expression" => instance(field("type")?),
        "cast_expression" => instance(field("type")?),
        "as_expression" => instance(field("right")?),
        "parenthesized_expression" | "with_expression" | "postfix_unary_expression" => of(first()?),
        "await_expression" => chain::yielded(of(first()?), Protocol::Await),
        "conditional_expression" => of(field("consequence")?).or_else(|| of(field("alternative")?)),
        "binary_expression" if visit.bytes(field("operator")?) == b"??" => {
            of(field("left")?).or_else(|| of(field("right")?))
        }
        "assignment_expression" => of(field("left")?).or_else(|| of(field("right")?)),
        "element_access_expression" => chain::yielded(of(field("expression")?), Protocol::Index),
        "switch_expression" => {
            let arms = modifiers::children(node);
            let arms = arms.filter(|arm| arm.kind_name() == "switch_expression_arm");
            arms.filter_map(|arm| of(modifiers::children(arm).last()?)).next()
        }
        "string_literal"
        | "interpolated_string_expression"
        | "verbatim_string_literal"
        | "raw_string_literal" => chain::instance("string"),
        "integer_literal" => chain::instance(match visit.bytes(node).last() {
            Some(b'l' | b'L') => "long",
            Some(b'u' | b'U') => "uint",
            _ => "int",
        }),
        "real_literal" => chain::instance(match visit.bytes(node).last() {
            Some(b'f' | b'F') => "float",
            Some(b'm' | b'M') => "decimal",
            _ => "double",
        }),
        "boolean_literal" => chain::instance("bool"),
        "character_literal" => chain::instance("char"),
        "typeof_expression" => chain::instance("Type"),
        _ => None,
    }
}
