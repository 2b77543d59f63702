//! Parameters, receivers and variables of Go functions.

use tree_sitter::Node;

use super::values;
use crate::lang::chain::{self, Protocol};
use crate::lang::facts::Chain;
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Maximum number of names in one declaration.
const NAMES_MAX: usize = 32;

/// Declares the visited parameter; a method's receiver is `$`.
pub(super) fn parameter(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let of = node.field("type");
    let is_receiver = visit.field_above(1) == "receiver";
    if is_receiver && let Some(of) = of {
        receiver_parameters(notes, of);
    }
    let value = match node.kind_name() {
        _ if is_receiver => Some(Chain::own()),
        "variadic_parameter_declaration" => of
            .and_then(|of| values::type_name(visit, notes, of))
            .and_then(|name| chain::instance(&format!("slice<{name}>"))),
        _ => of.and_then(|of| values::of_type(visit, notes, of)),
    };
    declare_names(notes, node, value);
}

/// Declares the type parameters in a receiver: `T` of `*List[T]`.
fn receiver_parameters(notes: &mut Notes<'_>, of: Node<'_>) {
    let of = if of.kind_name() == "pointer_type" { of.named_child(0) } else { Some(of) };
    let Some(arguments) = of.and_then(|of| of.field("type_arguments")) else {
        return;
    };
    for element in (0..6).map_while(|at| arguments.named_child(at)) {
        notes.declare(element.named_child(0).unwrap_or(element), None);
    }
}

/// Declares the visited type parameter as a value of its constraint.
pub(super) fn type_parameter(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let of = node.field("type");
    let of = of.filter(|of| of.named_child_count() == 1);
    let value = of.and_then(|of| values::of_type(visit, notes, of));
    let of = value.as_ref().and_then(Chain::written_type);
    let is_vague = of.is_some_and(|of| matches!(of.text(), "any" | "comparable"));
    declare_names(notes, node, value.filter(|_| !is_vague));
}

fn declare_names(notes: &mut Notes<'_>, node: Node<'_>, value: Option<Chain>) {
    let mut cursor = node.walk();
    for name in node.children_by_field_name("name", &mut cursor) {
        if name.is_named() {
            notes.declare(name, value.clone());
        }
    }
}

/// Returns the name and the function of `name := func(…) { … }`.
pub(super) fn closure<'t>(node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    let alone = |list: Node<'t>| list.named_child(0).filter(|_| list.named_child_count() == 1);
    let name = alone(node.field("left")?).filter(|name| name.kind_name() == "identifier")?;
    let value = alone(node.field("right")?).filter(|of| of.kind_name() == "func_literal")?;
    Some((name, value))
}

/// Declares the names that the visited `a, b := …` or `a, b = range …` binds.
pub(super) fn short(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
        return;
    };
    // The name of a function literal is a definition, unless it was a variable before.
    let is_new = |name: Node<'_>| matches!(notes.local(visit.bytes(name)), NameLookup::NotLocal);
    if let Some(index) = visit.defined.clone().next()
        && left.named_child(0).is_some_and(is_new)
    {
        let result = right.named_child(0).and_then(|function| function.field("result"));
        if let Some(chain) = result.and_then(|of| values::of_type(visit, notes, of)) {
            notes.set_type(index, chain);
        }
        return;
    }
    match node.kind_name() {
        "range_clause" => {
            let of = values::of(visit, notes, right);
            let written = of.as_ref().and_then(Chain::written_type);
            let is_channel = written.is_some_and(|of| of.has_arguments() && of.path() == "chan");
            for (at, name) in names(left).enumerate() {
                let value = match at {
                    0 if !is_channel => key_of(of.as_ref()),
                    _ if is_channel => chain::yielded(of.clone(), Protocol::Iterate),
                    // The second variable of a map is its value.
                    _ => chain::yielded(of.clone(), Protocol::Index),
                };
                declare(visit, notes, name, value, node.end_byte());
            }
        }
        _ => pair(visit, notes, names(left).collect(), Some(right)),
    }
}

/// Returns the chain of the first loop variable when ranging over `of`: a map key or an index. That of
/// an iterator, which a function may return, is a value.
fn key_of(of: Option<&Chain>) -> Option<Chain> {
    let of = of?.written_type()?;
    match of.path() {
        "map" if of.arguments().len() > 1 => chain::instance(of.argument(0)?.text()),
        "slice" => chain::instance("int"),
        "int" | "string" if !of.has_arguments() => chain::instance("int"),
        _ => None,
    }
}

/// Declares the names that the visited `var` or `const` in a function binds.
pub(super) fn variables(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    if let Some(of) = node.field("type") {
        let value = values::of_type(visit, notes, of);
        return declare_names(notes, node, value);
    }
    let mut cursor = node.walk();
    let names = node.children_by_field_name("name", &mut cursor);
    let names = names.filter(|name| name.is_named()).take(NAMES_MAX).collect();
    pair(visit, notes, names, node.field("value"));
}

/// Declares each name with the chain of its value, or of the result of a call with several results.
fn pair(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    names: Vec<Node<'_>>,
    values: Option<Node<'_>>,
) {
    let from = visit.node().end_byte();
    let one = values.filter(|values| values.named_child_count() == 1);
    for (at, name) in names.into_iter().enumerate() {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let value = match one {
            // Of several results only the first has a chain.
            Some(_) if at > 0 => None,
            _ => values.and_then(|values| values.named_child(at)),
        };
        let chain = match value {
            Some(value) => values::of(visit, notes, value),
            None if &visit.text[name.byte_range()] == b"err" => chain::instance("error"),
            None => None,
        };
        declare(visit, notes, name, chain, from);
    }
}

/// Declares the variable of a `switch x := y.(type)` for the visited case.
pub(super) fn case(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let around = visit.ancestor(1).filter(|around| around.kind_name() == "type_switch_statement");
    let alias = around.and_then(|around| around.field("alias"));
    let Some(name) = alias.and_then(|alias| alias.named_child(0)) else { return };
    let node = visit.node();
    let mut cursor = node.walk();
    let mut types = node.children_by_field_name("type", &mut cursor).filter(|of| of.is_named());
    let value = match (types.next(), types.next()) {
        (Some(of), None) => values::of_type(visit, notes, of),
        _ => around
            .and_then(|around| around.field("value"))
            .and_then(|value| values::of(visit, notes, value)),
    };
    notes.declare(name, value);
}

fn declare(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    name: Node<'_>,
    value: Option<Chain>,
    from: usize,
) {
    if name.kind_name() == "identifier" && visit.bytes(name) != b"_" {
        notes.declare_from(name, value, from);
    }
}

fn names(list: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let count = u32::try_from(NAMES_MAX).unwrap_or(0);
    (0..count).map_while(move |at| list.named_child(at))
}
