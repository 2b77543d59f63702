//! How Python's values come about, as chains.

use tree_sitter::Node;

use crate::lang::facts::{CHAIN_BYTES_MAX, Chain};
use crate::lang::notes::{Local, Notes};
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::Visit;

use super::annotation;

/// Nodes of an expression that are followed from the outermost one inwards.
const DEPTH_MAX: usize = 24;

/// Returns how the value of the expression `node` comes about.
pub(super) fn value(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    value_in(visit, notes, node, 0)
}

/// Returns the same for what lies `depth` nodes inside of what is followed.
fn value_in(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
) -> Option<Chain> {
    let mut chain = Chain::new();
    push(visit, notes, node, depth, &mut chain)?;
    (chain.len() <= CHAIN_BYTES_MAX).then_some(chain)
}

/// Returns how what `node` yields comes about.
pub(super) fn element(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    element_in(visit, notes, node, 0)
}

fn element_in(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
) -> Option<Chain> {
    if depth > DEPTH_MAX {
        return None;
    }
    if let Some((function, arguments)) = call(node) {
        let first = arguments.named_child(0);
        match &visit.text[function.byte_range()] {
            b"list" | b"sorted" | b"reversed" | b"set" | b"tuple" | b"iter" | b"frozenset" => {
                return element_in(visit, notes, first?, depth + 1);
            }
            b"range" => return Some("@int".to_owned()),
            b"enumerate" | b"zip" => return None,
            _ => {}
        }
        if function.kind() == "attribute" && first.is_none() {
            match &visit.text[function.child_by_field_name("attribute")?.byte_range()] {
                b"values" => return element_in(visit, notes, function.child(0)?, depth + 1),
                b"keys" | b"items" => return None,
                _ => {}
            }
        }
    }
    let mut chain = value_in(visit, notes, node, depth + 1)?;
    chain.push_str("[]");
    Some(chain)
}

/// Returns how each of the values that `node` yields as tuples comes about, if it is a call that is
/// known to.
pub(super) fn elements(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
) -> Option<Vec<Option<Chain>>> {
    let (function, arguments) = call(node)?;
    let mut cursor = arguments.walk();
    let mut arguments = arguments.named_children(&mut cursor).take(16);
    match &visit.text[function.byte_range()] {
        b"enumerate" => {
            Some(vec![Some("@int".to_owned()), element(visit, notes, arguments.next()?)])
        }
        b"zip" => Some(arguments.map(|argument| element(visit, notes, argument)).collect()),
        _ if function.kind() == "attribute" => {
            let name = function.child_by_field_name("attribute")?;
            let is_items = &visit.text[name.byte_range()] == b"items" && arguments.next().is_none();
            let of = function.child(0).filter(|_| is_items)?;
            Some(vec![None, element(visit, notes, of)])
        }
        _ => None,
    }
}

/// Returns the function and the arguments of a call.
pub(super) fn call<'t>(node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    if node.kind() != "call" {
        return None;
    }
    Some((node.child(0)?, node.child_by_field_name("arguments")?))
}

/// Returns a chain for a container of what `element` says, as far as it can be said.
fn container(name: &str, element: Option<&str>) -> Chain {
    match element.and_then(class_of) {
        Some(class) => format!("@{name}<{class}>"),
        None => format!("@{name}"),
    }
}

/// Returns the type of a value that is a new instance or whose type is named.
pub(super) fn class_of(chain: &str) -> Option<&str> {
    let class = match chain.strip_prefix('@') {
        Some(class) => class,
        None => chain.strip_suffix("()").filter(|name| {
            let last = name.rsplit('.').next().unwrap_or_default();
            last.trim_start_matches('_').starts_with(|c: char| c.is_ascii_uppercase())
        })?,
    };
    let is_plain = |c: char| !"()[]$@".contains(c);
    class.chars().all(is_plain).then_some(class)
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
        "identifier" => match notes.local(&visit.text[node.byte_range()]) {
            Local::Is(known) => chain.push_str(known?),
            Local::Not => chain.push_str(text(visit, node)?),
        },
        "attribute" => {
            inner(node.child(0), chain)?;
            let name = text(visit, node.child_by_field_name("attribute")?)?;
            if name == "__class__" {
                *chain = class_of_value(visit, chain)?;
            } else {
                chain.push('.');
                chain.push_str(name);
            }
        }
        "call" => push_call(visit, notes, node, depth, chain)?,
        "await" => {
            inner(node.named_child(0), chain)?;
            chain.push_str("[]");
        }
        "subscript" => {
            let value = node.child(0)?;
            inner(Some(value), chain)?;
            let is_slice = node.named_child(1).is_some_and(|index| index.kind() == "slice");
            if !is_slice && !is_type(visit, notes, value) {
                chain.push_str("[]");
            }
        }
        "parenthesized_expression" | "as_pattern" => inner(node.named_child(0), chain)?,
        "named_expression" => inner(node.child_by_field_name("value"), chain)?,
        "assignment" => inner(node.child_by_field_name("right"), chain)?,
        "conditional_expression" => {
            either(chain, [0, 2], |at, chain| inner(node.named_child(at), chain))?;
        }
        "boolean_operator" => {
            let is_or = node.child(1).is_some_and(|operator| operator.kind() == "or");
            let order = if is_or { [0, 1] } else { [1, 1] };
            either(chain, order, |at, chain| inner(node.named_child(at), chain))?;
        }
        "binary_operator" => {
            let operator = node.child(1)?.kind();
            if !matches!(operator, "/" | "+" | "|" | "&" | "%") {
                return None;
            }
            inner(node.child(0), chain)?;
        }
        "tuple" | "expression_list" => push_tuple(visit, notes, node, depth, chain),
        "list" | "set" => {
            let first =
                node.named_child(0).and_then(|first| value_in(visit, notes, first, depth + 1));
            chain.push_str(&container(node.kind(), first.as_deref()));
        }
        "list_comprehension" | "set_comprehension" | "generator_expression" => {
            push_comprehension(visit, notes, node, depth, chain)?;
        }
        "dictionary" | "dictionary_comprehension" => chain.push_str("@dict"),
        "string" | "concatenated_string" => chain.push_str("@str"),
        "integer" => chain.push_str("@int"),
        "float" => chain.push_str("@float"),
        "true" | "false" | "not_operator" | "comparison_operator" => chain.push_str("@bool"),
        _ => return None,
    }
    Some(())
}

/// Pushes the first of two alternatives that is known.
fn either(
    chain: &mut Chain,
    order: [u32; 2],
    push: impl Fn(u32, &mut Chain) -> Option<()>,
) -> Option<()> {
    let start = chain.len();
    push(order[0], chain).or_else(|| {
        chain.truncate(start);
        push(order[1], chain)
    })
}

fn push_call(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
    chain: &mut Chain,
) -> Option<()> {
    let (function, arguments) = call(node)?;
    let name = text(visit, function).unwrap_or_default();
    let is_known = function.kind() == "identifier"
        && matches!(notes.local(name.as_bytes()), Local::Not)
        || name == "typing.cast"
        || name.ends_with(".deepcopy");
    let argument = |at: u32| {
        let argument = arguments.named_child(at)?;
        (argument.kind() != "keyword_argument").then_some(argument)
    };
    match name.rsplit('.').next().filter(|_| is_known).unwrap_or_default() {
        "super" => chain.push_str("$$"),
        "type" if arguments.named_child_count() == 1 => {
            let value = value_in(visit, notes, argument(0)?, depth + 1)?;
            chain.push_str(&class_of_value(visit, &value)?);
        }
        "cast" => chain.push_str(&annotation::chain(visit, argument(0)?)?),
        "list" | "sorted" | "reversed" | "set" | "tuple" | "iter" | "copy" | "deepcopy" => {
            let same = argument(0).and_then(|argument| value_in(visit, notes, argument, depth + 1));
            match same {
                Some(same) => chain.push_str(&same),
                None => {
                    chain.push('@');
                    chain.push_str(if name == "sorted" { "list" } else { name });
                }
            }
        }
        "next" => chain.push_str(&element_in(visit, notes, argument(0)?, depth + 1)?),
        "getattr" => {
            push(visit, notes, argument(0)?, depth + 1, chain)?;
            let attribute = literal(argument(1)?)?;
            chain.push('.');
            chain.push_str(std::str::from_utf8(&visit.text[attribute]).ok()?);
        }
        "defaultdict" => {
            let class =
                argument(0).and_then(|argument| value_in(visit, notes, argument, depth + 1));
            let class = class.map(|class| format!("{class}()"));
            chain.push_str(&container("defaultdict", class.as_deref()));
        }
        _ => {
            push(visit, notes, function, depth + 1, chain)?;
            chain.push_str("()");
        }
    }
    Some(())
}

/// Pushes a tuple with the types of its parts, as far as they can be said.
fn push_tuple(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
    chain: &mut Chain,
) {
    let mut cursor = node.walk();
    for (at, part) in node.named_children(&mut cursor).take(8).enumerate() {
        chain.push_str(if at == 0 { "@tuple<" } else { "," });
        let part = value_in(visit, notes, part, depth + 1);
        chain.push_str(part.as_deref().and_then(class_of).unwrap_or("_"));
    }
    chain.push_str(if chain.is_empty() { "@tuple" } else { ">" });
}

/// Pushes what a comprehension makes, where its elements are plain to see.
fn push_comprehension(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
    chain: &mut Chain,
) -> Option<()> {
    let body = node.child_by_field_name("body")?;
    let clause = node.named_child(1)?;
    let left = clause.child_by_field_name("left")?;
    if visit.text[left.byte_range()] == visit.text[body.byte_range()] {
        let right = clause.child_by_field_name("right")?;
        chain.push_str(&value_in(visit, notes, right, depth + 1)?);
        return Some(());
    }
    let name = if node.kind() == "set_comprehension" { "set" } else { "list" };
    // Its variables are not declared here, but a class is hardly one of them.
    let made = call(body).and_then(|_| value_in(visit, notes, body, depth + 1));
    chain.push_str(&container(name, made.as_deref().filter(|made| !made.starts_with('@'))));
    Some(())
}

/// Returns the type of the value that `chain` stands for, as what a name would stand for.
fn class_of_value(visit: &Visit<'_, '_>, chain: &str) -> Option<Chain> {
    match chain {
        "$" => own_class(visit, visit.enclosing_place()),
        _ => class_of(chain).map(|class| class.split('<').next().unwrap_or(class).to_owned()),
    }
}

/// Returns the name of the class around the symbol at `place`, that symbol included.
pub(super) fn own_class(visit: &Visit<'_, '_>, mut place: Option<usize>) -> Option<Chain> {
    while let Some(symbol) = visit.symbols.get(place?) {
        if symbol.kind == SymbolKind::Class {
            return Some(symbol.qualified_name.clone());
        }
        place = symbol.parent;
    }
    None
}

/// Returns true if `node` names a type rather than a value, by how it is written.
fn is_type(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> bool {
    let name = &visit.text[node.byte_range()];
    node.kind() == "identifier"
        && matches!(notes.local(name), Local::Not)
        && (name.first().is_some_and(u8::is_ascii_uppercase)
            && name.iter().any(u8::is_ascii_lowercase)
            || matches!(name, b"list" | b"dict" | b"set" | b"tuple" | b"type"))
}

/// Returns the bytes inside of the quotes of a text without anything put in.
pub(super) fn literal(node: Node<'_>) -> Option<std::ops::Range<usize>> {
    if node.kind() != "string" || node.named_child_count() != 3 {
        return None;
    }
    let content = node.named_child(1)?;
    let is_plain = content.kind() == "string_content" && content.named_child_count() == 0;
    is_plain.then(|| content.byte_range())
}

pub(super) fn text<'a>(visit: &Visit<'a, '_>, node: Node<'_>) -> Option<&'a str> {
    std::str::from_utf8(&visit.text[node.byte_range()]).ok()
}
