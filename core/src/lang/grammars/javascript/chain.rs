//! The chains of JavaScript expressions.

use std::ops::Range;

use tree_sitter::Node;

use crate::lang::chain::{Chain, Protocol, Step};
use crate::lang::code_text;
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::Visit;

use super::types;

/// Maximum number of members of an object literal that are examined.
const METHODS_MAX: usize = 256;

/// Maximum number of elements of an array that are examined.
const ELEMENTS_MAX: u32 = 32;

/// Maximum nesting of an expression.
pub(super) const DEPTH_MAX: usize = 24;

/// Returns the chain of the expression `node`.
pub(super) fn value(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    value_in(visit, notes, node, 0)
}

/// Returns the chain of a node that is nested at `depth` in an expression.
pub(super) fn value_in(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
) -> Option<Chain> {
    unbounded(visit, notes, node, depth)?.bounded()
}

/// Returns the class of a new instance, or of a value whose type is written.
pub(super) fn class_of(chain: &Chain) -> Option<&str> {
    chain.class(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Returns the chain of the promise that an asynchronous function returns, from the chain of the
/// value that its body returns.
pub(super) fn promise(chain: Chain) -> Chain {
    chain.each_alternative(|chain| match class_of(&chain) {
        Some(class) if !class.starts_with("Promise") => {
            Chain::instance(&format!("Promise<{class}>"))
        }
        _ => chain,
    })
}

fn unbounded(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
) -> Option<Chain> {
    if depth > DEPTH_MAX {
        return None;
    }
    let inner = |child: Option<Node<'_>>| unbounded(visit, notes, child?, depth + 1);
    let field = |name: &str| node.field(name);
    match node.kind_name() {
        "identifier" | "shorthand_property_identifier" => match notes.local(visit.bytes(node)) {
            NameLookup::Local(local) => local.cloned(),
            NameLookup::NotLocal => Some(Chain::name(text(visit, node)?)),
        },
        // A function may declare the type of its `this`.
        "this" => match notes.local(b"this") {
            NameLookup::Local(Some(own)) => (*own != Chain::unknown()).then(|| own.clone()),
            _ => Some(this(visit)),
        },
        "super" => Some(Chain::base()),
        "member_expression" => {
            let of = inner(node.child(0))?;
            Some(member(of, text(visit, field("property")?)?))
        }
        "subscript_expression" => {
            let of = inner(node.child(0))?;
            let is_name = |name: &Range<usize>| {
                visit.text[name.clone()].iter().all(|&byte| code_text::is_name(byte))
            };
            match field("index").and_then(literal).filter(is_name) {
                Some(name) => Some(member(of, std::str::from_utf8(&visit.text[name]).ok()?)),
                None => Some(of.then(Step::Yield(Protocol::Index))),
            }
        }
        "call_expression" => call(visit, notes, node, depth),
        "new_expression" => {
            let class = inner(Some(field("constructor")?))?;
            match field("type_arguments") {
                Some(arguments) if !class.has_sign() => {
                    let mut cursor = arguments.walk();
                    let arguments = arguments.named_children(&mut cursor).take(4);
                    let arguments: Vec<Option<Chain>> = arguments
                        .map(|argument| types::chain_in(visit, notes, argument, depth + 1))
                        .collect();
                    Some(types::container(class.named_type().text(), &arguments))
                }
                _ => Some(class.then(Step::Call)),
            }
        }
        "await_expression" => Some(inner(node.named_child(0))?.then(Step::Yield(Protocol::Await))),
        "as_expression" | "satisfies_expression" => {
            let asserted =
                node.named_child(1).and_then(|of| types::chain_in(visit, notes, of, depth + 1));
            asserted.or_else(|| inner(node.named_child(0)))
        }
        "type_assertion" => {
            let asserted = node.named_child(0)?.named_child(0)?;
            let asserted = types::chain_in(visit, notes, asserted, depth + 1);
            asserted.or_else(|| inner(node.named_child(1)))
        }
        "parenthesized_expression" | "non_null_expression" | "instantiation_expression" => {
            inner(node.named_child(0))
        }
        "sequence_expression" => {
            inner(node.named_child(node.named_child_count().checked_sub(1)? as u32))
        }
        "assignment_expression" => inner(field("right")),
        "ternary_expression" => either(field("consequence"), field("alternative"), inner),
        "binary_expression" => match field("operator")?.kind_name() {
            "||" | "??" => either(field("left"), field("right"), inner),
            "&&" => inner(field("right")),
            _ => None,
        },
        "array" => {
            let elements = (0..ELEMENTS_MAX).map_while(|at| node.named_child(at));
            let elements = elements.filter(|it| !it.is_extra() && !is_empty(*it));
            if elements.clone().any(|it| it.kind_name() == "spread_element") {
                return spread(visit, notes, elements, depth);
            }
            let values = elements.map(|it| value_in(visit, notes, it, depth + 1));
            let element = Chain::one_of_types(values, |of| class_of(of).map(str::to_owned));
            Some(match element {
                Some(element) => types::container("Array", &[Some(element)]),
                None => Chain::instance("Array"),
            })
        }
        "object" => made_object(visit, node),
        "string" | "template_string" => Some(Chain::instance("string")),
        "number" => Some(Chain::instance("number")),
        "true" | "false" => Some(Chain::instance("boolean")),
        "regex" => Some(Chain::instance("RegExp")),
        _ => None,
    }
}

/// Returns the chain of an array literal with the elements of others: `[...a, ...b, c]` is one of them.
fn spread<'t>(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    elements: impl Iterator<Item = Node<'t>>,
    depth: usize,
) -> Option<Chain> {
    let values = elements.map(|it| match it.kind_name() {
        "spread_element" => value_in(visit, notes, it.named_child(0)?, depth + 1),
        _ => {
            let value = value_in(visit, notes, it, depth + 1);
            value
                .filter(|of| class_of(of).is_some())
                .map(|of| types::container("Array", &[Some(of)]))
        }
    });
    Some(Chain::one_of(values).unwrap_or_else(|| Chain::instance("Array")))
}

/// Returns the chain of the value of one of two expressions.
fn either<'t>(
    first: Option<Node<'t>>,
    second: Option<Node<'t>>,
    value: impl Fn(Option<Node<'t>>) -> Option<Chain>,
) -> Option<Chain> {
    let known = [first, second].into_iter().filter(|it| it.is_none_or(|it| !is_empty(it)));
    Chain::one_of(known.map(value))
}

/// Returns true for an expression whose value has no members.
pub(super) fn is_empty(node: Node<'_>) -> bool {
    matches!(super::bare(node).kind_name(), "null" | "undefined")
}

/// Returns the chain of an object literal with methods inside of a function: its methods are members
/// of the function, so the function stands for it.
fn made_object(visit: &Visit<'_, '_>, object: Node<'_>) -> Option<Chain> {
    let function = visit.enclosing().filter(|symbol| symbol.kind == SymbolKind::Function)?;
    let mut cursor = object.walk();
    let has_methods = object.named_children(&mut cursor).take(METHODS_MAX).any(|member| {
        let value = member.field("value");
        matches!(member.kind_name(), "method_definition" | "shorthand_property_identifier")
            || value.is_some_and(super::is_function)
    });
    let is_plain = function.name.bytes().all(code_text::is_name);
    (has_methods && is_plain).then(|| Chain::name(function.name.as_str()))
}

fn member(of: Chain, name: &str) -> Chain {
    // A member of a prototype is one of its instances.
    if name == "prototype" && !of.has_sign() {
        of.instance_of()
    } else if name == "constructor" && of == Chain::own() {
        Chain::name("Self")
    } else if name == "constructor" && of.starts_at_type() {
        of.type_of()
    } else if matches!(name, "call" | "bind") && of.starts_at_type() {
        of
    } else {
        of.then(Step::Member(name))
    }
}

fn call(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>, depth: usize) -> Option<Chain> {
    let function = node.child(0)?;
    let arguments = node.field("arguments");
    let first = arguments.and_then(|arguments| arguments.named_child(0));
    match visit.bytes(function) {
        b"Object.assign" | b"Object.freeze" | b"Object.values" | b"Array.from"
        | b"Promise.resolve" => unbounded(visit, notes, first?, depth + 1),
        b"Object.create" => {
            let prototype = unbounded(visit, notes, first?, depth + 1)?;
            prototype.starts_at_type().then_some(prototype)
        }
        b"require" => None,
        _ => Some(unbounded(visit, notes, function, depth + 1)?.then(Step::Call)),
    }
}

/// Returns the chain of `this`: the enclosing instance, one of the type to whose prototype the
/// function is assigned, or the object to which it is assigned.
fn this(visit: &Visit<'_, '_>) -> Chain {
    let mut index = visit.own_or_enclosing_index();
    while let Some(symbol) = index.and_then(|index| visit.symbols.get(index)) {
        if symbol.parent.is_none()
            && let Some((owner, _)) = symbol.qualified_name.rsplit_once('.')
        {
            match symbol.kind {
                SymbolKind::Method => return Chain::instance(owner),
                SymbolKind::Function => return Chain::name(owner),
                _ => {}
            }
        }
        index = symbol.parent;
    }
    Chain::own()
}

/// Returns the bytes between the quotes of a string without interpolation.
pub(super) fn literal(node: Node<'_>) -> Option<Range<usize>> {
    let is_plain = match node.kind_name() {
        "string" => true,
        "template_string" => {
            (0..4).map_while(|at| node.named_child(at)).all(|c| c.kind_name() == "string_fragment")
                && node.named_child_count() <= 1
        }
        _ => false,
    };
    let range = node.start_byte() + 1..node.end_byte().saturating_sub(1);
    (is_plain && range.start <= range.end).then_some(range)
}

pub(super) fn text<'a>(visit: &Visit<'a, '_>, node: Node<'_>) -> Option<&'a str> {
    std::str::from_utf8(&visit.text[node.byte_range()]).ok()
}
