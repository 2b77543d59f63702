//! How JavaScript's values come about, as chains.

use std::ops::Range;

use tree_sitter::Node;

use crate::lang::facts::{CHAIN_BYTES_MAX, Chain};
use crate::lang::notes::{Local, Notes};
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::Visit;

use super::types;

/// Nodes of an expression that are followed from the outermost one inwards.
pub(super) const DEPTH_MAX: usize = 24;

/// Returns how the value of the expression `node` comes about.
pub(super) fn value(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    value_in(visit, notes, node, 0)
}

/// Returns the same for what lies `depth` nodes inside of what is followed.
pub(super) fn value_in(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
) -> Option<Chain> {
    let mut chain = Chain::new();
    push(visit, notes, node, depth, &mut chain)?;
    (chain.len() <= CHAIN_BYTES_MAX).then_some(chain)
}

/// Returns the type of a value that is a new instance or whose type is named.
pub(super) fn class_of(chain: &str) -> Option<&str> {
    let class = match chain.strip_prefix('@') {
        Some(class) => class,
        None => chain.strip_suffix("()").filter(|name| {
            let last = name.rsplit('.').next().unwrap_or_default();
            last.starts_with(|c: char| c.is_ascii_uppercase())
        })?,
    };
    let is_plain = |c: char| !"()[]@".contains(c);
    class.chars().all(is_plain).then_some(class)
}

/// Returns what awaiting an asynchronous function gives, put back around what it returns.
pub(super) fn promise(chain: Chain) -> Chain {
    match class_of(&chain) {
        Some(class) if !class.starts_with("Promise") => format!("@Promise<{class}>"),
        _ => chain,
    }
}

fn push(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
    chain: &mut Chain,
) -> Option<()> {
    if depth > DEPTH_MAX || chain.len() > CHAIN_BYTES_MAX {
        return None;
    }
    let inner =
        |child: Option<Node<'_>>, chain: &mut Chain| push(visit, notes, child?, depth + 1, chain);
    match node.kind() {
        "identifier" | "shorthand_property_identifier" => match notes.local(visit.bytes(node)) {
            Local::Is(known) => chain.push_str(known?),
            Local::Not => chain.push_str(text(visit, node)?),
        },
        // A function may say what its `this` is.
        "this" => match notes.local(b"this") {
            Local::Is(Some(own)) => chain.push_str(own),
            _ => push_this(visit, chain),
        },
        "super" => chain.push_str("$$"),
        "member_expression" => {
            inner(node.child(0), chain)?;
            push_member(chain, text(visit, node.child_by_field_name("property")?)?);
        }
        "subscript_expression" => {
            inner(node.child(0), chain)?;
            let is_name = |name: &Range<usize>| {
                visit.text[name.clone()].iter().all(|&byte| crate::lang::chain::is_name(byte))
            };
            match node.child_by_field_name("index").and_then(literal).filter(is_name) {
                Some(name) => push_member(chain, std::str::from_utf8(&visit.text[name]).ok()?),
                None => chain.push_str("[]"),
            }
        }
        "call_expression" => push_call(visit, notes, node, depth, chain)?,
        "new_expression" => {
            let class = node.child_by_field_name("constructor")?;
            inner(Some(class), chain)?;
            match node.child_by_field_name("type_arguments") {
                Some(arguments) if !chain.starts_with(['$', '@']) => {
                    let mut cursor = arguments.walk();
                    let arguments = arguments.named_children(&mut cursor).take(4);
                    let arguments: Vec<Option<Chain>> = arguments
                        .map(|argument| types::chain_in(visit, notes, argument, depth + 1))
                        .collect();
                    *chain = types::container(chain, &arguments);
                }
                _ => chain.push_str("()"),
            }
        }
        "await_expression" => {
            inner(node.named_child(0), chain)?;
            chain.push_str("[]");
        }
        "as_expression" | "satisfies_expression" => {
            let asserted =
                node.named_child(1).and_then(|of| types::chain_in(visit, notes, of, depth + 1));
            match asserted {
                Some(asserted) => chain.push_str(&asserted),
                None => inner(node.named_child(0), chain)?,
            }
        }
        "type_assertion" => {
            let asserted = node.named_child(0)?.named_child(0)?;
            match types::chain_in(visit, notes, asserted, depth + 1) {
                Some(asserted) => chain.push_str(&asserted),
                None => inner(node.named_child(1), chain)?,
            }
        }
        "parenthesized_expression" | "non_null_expression" | "instantiation_expression" => {
            inner(node.named_child(0), chain)?;
        }
        "sequence_expression" => {
            inner(node.named_child(node.named_child_count().checked_sub(1)? as u32), chain)?;
        }
        "assignment_expression" => inner(node.child_by_field_name("right"), chain)?,
        "ternary_expression" => {
            let first = inner(node.child_by_field_name("consequence"), chain);
            or_else(chain, first, |chain| inner(node.child_by_field_name("alternative"), chain))?;
        }
        "binary_expression" => match node.child_by_field_name("operator")?.kind() {
            "||" | "??" => {
                let first = inner(node.child_by_field_name("left"), chain);
                or_else(chain, first, |chain| inner(node.child_by_field_name("right"), chain))?;
            }
            "&&" => inner(node.child_by_field_name("right"), chain)?,
            _ => return None,
        },
        "array" => {
            let first =
                node.named_child(0).and_then(|first| value_in(visit, notes, first, depth + 1));
            let first = first.filter(|first| class_of(first).is_some());
            match first {
                Some(first) => chain.push_str(&types::container("Array", &[Some(first)])),
                None => chain.push_str("@Array"),
            }
        }
        "string" | "template_string" => chain.push_str("@string"),
        "number" => chain.push_str("@number"),
        "true" | "false" => chain.push_str("@boolean"),
        "regex" => chain.push_str("@RegExp"),
        _ => return None,
    }
    Some(())
}

fn or_else(
    chain: &mut Chain,
    first: Option<()>,
    second: impl Fn(&mut Chain) -> Option<()>,
) -> Option<()> {
    first.or_else(|| {
        chain.clear();
        second(chain)
    })
}

fn push_member(chain: &mut Chain, name: &str) {
    // A member of a prototype is one of its instances.
    if name == "prototype" && !chain.starts_with(['@', '$']) {
        chain.insert(0, '@');
    } else if !(name == "call" || name == "bind") || !chain.starts_with('@') {
        chain.push('.');
        chain.push_str(name);
    }
}

fn push_call(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
    chain: &mut Chain,
) -> Option<()> {
    let function = node.child(0)?;
    let arguments = node.child_by_field_name("arguments");
    let first = arguments.and_then(|arguments| arguments.named_child(0));
    match visit.bytes(function) {
        b"Object.assign" | b"Object.freeze" | b"Object.values" | b"Array.from"
        | b"Promise.resolve" => push(visit, notes, first?, depth + 1, chain),
        b"Object.create" => {
            push(visit, notes, first?, depth + 1, chain)?;
            chain.starts_with('@').then_some(())
        }
        b"require" => None,
        _ => {
            push(visit, notes, function, depth + 1, chain)?;
            chain.push_str("()");
            Some(())
        }
    }
}

/// Pushes what `this` stands for: the instance around, or one of the type whose prototype the function
/// is assigned to.
fn push_this(visit: &Visit<'_, '_>, chain: &mut Chain) {
    let mut place = visit.enclosing_place();
    while let Some(symbol) = place.and_then(|place| visit.symbols.get(place)) {
        if symbol.parent.is_none()
            && symbol.kind == SymbolKind::Method
            && let Some((owner, _)) = symbol.qualified_name.rsplit_once('.')
        {
            chain.push('@');
            return chain.push_str(owner);
        }
        place = symbol.parent;
    }
    chain.push('$');
}

/// Returns the bytes inside of the quotes of a text without anything put in.
pub(super) fn literal(node: Node<'_>) -> Option<Range<usize>> {
    let is_plain = match node.kind() {
        "string" => true,
        "template_string" => {
            (0..4).map_while(|at| node.named_child(at)).all(|c| c.kind() == "string_fragment")
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
