//! The value that is expected where an expression is written: that of an annotated variable, of a
//! parameter, of a member of an expected object, or of a result. From it follow the types of the
//! parameters of functions that have none written.

use tree_sitter::Node;

use crate::lang::chain::{Protocol, Step};
use crate::lang::code_text;
use crate::lang::facts::Chain;
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::visit::Visit;

use super::{chain, is_function, types};

/// Maximum number of arguments of one call.
const ARGUMENTS_MAX: usize = 16;

/// Maximum number of nodes around an expression that are followed.
const LEVELS_MAX: usize = 40;

/// Returns the chain of the value that is expected of the visited expression.
pub(super) fn expected(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    around(visit, notes, 0)
}

/// Returns the chain of the value that is expected of the expression `level` above the visited node.
pub(super) fn around(visit: &Visit<'_, '_>, notes: &Notes<'_>, mut level: usize) -> Option<Chain> {
    // Method definitions are members of an object themselves.
    let mut steps: Vec<Expected<'_>> = Vec::new();
    let of = loop {
        let around = visit.ancestor(level + 1).filter(|_| level < LEVELS_MAX)?;
        let own = visit.ancestor(level)?;
        let is_field = |name| around.field(name).is_some_and(|of| of.id() == own.id());
        match around.kind_name() {
            "parenthesized_expression" => {}
            "ternary_expression" if !is_field("condition") => {}
            "binary_expression" if is_either(around) => {}
            "pair" if is_field("value") => {
                steps.push(Expected::Member(member(visit, around.field("key")?)?));
                // The object.
                level += 1;
            }
            "object" if own.kind_name() == "method_definition" => {
                steps.push(Expected::Member(member(visit, own.field("name")?)?));
            }
            "array" => steps.push(Expected::Element),
            "arguments" => {
                let called = match visit.ancestor(level + 2)? {
                    call if call.kind_name() == "call_expression" => call.child(0)?,
                    call if call.kind_name() == "new_expression" => call.field("constructor")?,
                    _ => return None,
                };
                let mut cursor = around.walk();
                let mut arguments = around.named_children(&mut cursor).take(ARGUMENTS_MAX);
                let at = arguments.position(|argument| argument.id() == own.id())?;
                break chain::value(visit, notes, called)?.then(Step::Parameter(at.into()));
            }
            "satisfies_expression" | "as_expression" => {
                break types::chain(visit, notes, around.named_child(1)?)?;
            }
            "variable_declarator" | "public_field_definition" => {
                break types::annotated(visit, notes, around)?;
            }
            "arrow_function" if is_field("body") => match result(visit, notes, around) {
                Some(of) => break of,
                None => steps.push(Expected::Result),
            },
            "return_statement" => {
                let function = (level + 2..level + LEVELS_MAX).find(|&at| {
                    let node = visit.ancestor(at);
                    node.is_none_or(|node| is_function(node) || is_declared(node))
                })?;
                let node = visit.ancestor(function)?;
                if let Some(of) = result(visit, notes, node) {
                    break of;
                }
                if node.kind_name() == "function_declaration" {
                    return None;
                }
                steps.push(Expected::Result);
                level = function;
                continue;
            }
            _ => return None,
        }
        level += 1;
    };
    Some(steps.into_iter().rev().fold(of, |of, step| match step {
        Expected::Member(name) => of.then(Step::Member(name)),
        Expected::Element => of.then(Step::Yield(Protocol::Index)),
        Expected::Result => of.then(Step::Call),
    }))
}

/// A step from an expected value to one inside of it.
enum Expected<'a> {
    Member(&'a str),
    Element,
    Result,
}

fn member<'a>(visit: &Visit<'a, '_>, key: Node<'_>) -> Option<&'a str> {
    chain::text(visit, key).filter(|name| name.bytes().all(code_text::is_name))
}

fn is_either(node: Node<'_>) -> bool {
    node.field("operator").is_some_and(|word| matches!(word.kind_name(), "||" | "??"))
}

fn is_declared(node: Node<'_>) -> bool {
    matches!(node.kind_name(), "function_declaration" | "method_definition")
}

/// Returns the chain of the written result of a function.
fn result(visit: &Visit<'_, '_>, notes: &Notes<'_>, function: Node<'_>) -> Option<Chain> {
    types::chain(visit, notes, function.field("return_type")?)
}
