//! Values that Kotlin code reads and assigns: members of expressions, and bare names that are no local
//! variables.

use tree_sitter::Node;

use super::{locals, values};
use crate::lang::chain::{self, Step};
use crate::lang::facts::Role;
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Maximum number of parentheses around a name that is called.
const LEVELS_MAX: usize = 4;

/// Records the member that the visited `a.b` reads or assigns, unless it is called.
pub(super) fn member(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some((name, Some(of))) = values::member(visit.node()) else { return };
    if is_called(visit, name) {
        return;
    }
    let receiver = chain::receiver(values::of(visit, notes, of));
    notes.refer(visit, name, role(visit), receiver);
}

/// Records the visited bare name if it is an expression, unless it is local or called.
pub(super) fn name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(around) = visit.ancestor(1) else { return };
    let is_first = || around.named_child(0).is_some_and(|first| first.id() == node.id());
    let is_value = match around.kind_name() {
        // `Config(name = 1)`
        "value_argument" if is_named(visit) => return argument(visit, notes),
        "navigation_expression" => {
            is_first() && node.next_sibling().is_some_and(|sign| sign.kind_name() != "::")
        }
        "infix_expression" => around.named_child(1).is_none_or(|name| name.id() != node.id()),
        // A default value.
        "class_parameter" | "function_value_parameters" => {
            node.prev_sibling().is_some_and(|sign| sign.kind_name() == "=")
        }
        "value_argument"
        | "property_declaration"
        | "as_expression"
        | "assignment"
        | "binary_expression"
        | "block"
        | "collection_literal"
        | "do_while_statement"
        | "explicit_delegation"
        | "function_body"
        | "if_expression"
        | "in_expression"
        | "index_expression"
        | "interpolation"
        | "is_expression"
        | "lambda_literal"
        | "parenthesized_expression"
        | "property_delegate"
        | "range_expression"
        | "range_test"
        | "spread_expression"
        | "throw_expression"
        | "unary_expression"
        | "when_entry"
        | "when_subject"
        | "while_statement" => true,
        "return_expression" => {
            node.prev_sibling().is_some_and(|word| !visit.bytes(word).ends_with(b"@"))
        }
        "for_statement" => {
            node.prev_sibling().is_some_and(|word| matches!(word.kind_name(), "in" | ")"))
        }
        _ => false,
    };
    let own = visit.bytes(node);
    // A bare name before a member is mostly a type or a package.
    let is_type = around.kind_name() == "navigation_expression"
        && own.first().is_some_and(u8::is_ascii_uppercase);
    if !is_value || is_type || is_called(visit, node) || own == b"field" || own == b"it" {
        return;
    }
    let receiver = match (notes.local(own), notes.local(locals::RECEIVER)) {
        (NameLookup::Local(_), _) => return,
        (_, NameLookup::Local(of)) => of.map(|of| of.clone().then(Step::Member("this"))),
        (_, NameLookup::NotLocal) => None,
    };
    notes.refer(visit, node, role(visit), receiver);
}

/// Returns true for the name of a named argument.
fn is_named(visit: &Visit<'_, '_>) -> bool {
    visit.node().next_sibling().is_some_and(|sign| sign.kind_name() == "=")
}

/// Records the property that a named argument of a constructor or of `copy` sets.
fn argument(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let call = visit.ancestor(3).filter(|call| call.kind_name() == "call_expression");
    let Some((call, (name, _))) = call.and_then(|call| Some((call, values::callee(call)?))) else {
        return;
    };
    let called = visit.bytes(name);
    if !called.first().is_some_and(u8::is_ascii_uppercase) && called != b"copy" {
        return;
    }
    let of = match (called, values::callee(call)) {
        (b"copy", Some((_, Some(of)))) => values::of(visit, notes, of),
        _ => values::of(visit, notes, call),
    };
    if let Some(of) = of {
        notes.refer(visit, visit.node(), Role::Write, Some(of));
    }
}

/// Returns true if a call around the visited node calls `name`.
fn is_called(visit: &Visit<'_, '_>, name: Node<'_>) -> bool {
    for level in 1..=LEVELS_MAX {
        let Some(around) = visit.ancestor(level) else { return false };
        match around.kind_name() {
            "call_expression" => {
                return values::callee(around).is_some_and(|(called, _)| called.id() == name.id());
            }
            "parenthesized_expression" | "unary_expression" => {}
            _ => return false,
        }
    }
    false
}

/// Returns the role of the visited expression.
fn role(visit: &Visit<'_, '_>) -> Role {
    let Some(around) = visit.ancestor(1) else { return Role::Read };
    match around.kind_name() {
        "assignment" if visit.own_field() == "left" => Role::Write,
        "unary_expression" => match around.field("operator").map(|sign| visit.bytes(sign)) {
            Some(b"++" | b"--") => Role::Write,
            _ => Role::Read,
        },
        _ => Role::Read,
    }
}
