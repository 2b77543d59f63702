//! The type that the code around a Rust call expects of its result, where that determines what the call
//! runs: `value.into()` runs `Type::from`.

use tree_sitter::Node;

use super::{types, values};
use crate::lang::chain::{self, Protocol, Step};
use crate::lang::facts::Chain;
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::visit::Visit;

/// The most nodes around a call that are followed.
const LEVELS_MAX: usize = 24;

/// Methods that return the content of a `Result`, or the same one with another error.
const UNWRAPPING: [&[u8]; 5] =
    [b"expect", b"unwrap", b"unwrap_or", b"unwrap_or_default", b"unwrap_or_else"];

/// Methods that return a `Result` with the same content.
const PASSING: [&[u8]; 3] = [b"map_err", b"context", b"with_context"];

/// What a call returns: the expected value, or a `Result` of it.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Form {
    Value,
    Fallible,
}

/// Returns true for a method of the standard library whose result's type determines what it runs.
pub(super) fn is_conversion(name: &[u8], arguments: usize) -> bool {
    arguments == 0 && matches!(name, b"into" | b"try_into" | b"parse")
}

/// Returns the receiver of a conversion: the chain `source` with that of the expected result. The call
/// is the ancestor `levels` above the visited node.
pub(super) fn receiver(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    levels: usize,
    source: Option<Chain>,
) -> Option<Chain> {
    let name = visit.bytes(visit.node());
    let form =
        if matches!(name, b"into" | b"default" | b"from") { Form::Value } else { Form::Fallible };
    let expected = Expected { visit, notes }.of(levels, form);
    match expected {
        Some(expected) => {
            let source = source.unwrap_or_else(Chain::unknown);
            source.clone().converted_to(&expected).bounded().or(Some(source))
        }
        None => source,
    }
}

struct Expected<'v, 'a, 't> {
    visit: &'v Visit<'a, 't>,
    notes: &'v Notes<'v>,
}

impl<'t> Expected<'_, '_, 't> {
    /// Returns the chain of the value that is expected of the ancestor `level` above the visited node.
    fn of(&self, mut level: usize, mut form: Form) -> Option<Chain> {
        let turbofish = self.turbofish(level);
        if turbofish.is_some() {
            return turbofish;
        }
        // The contents that are expected, from the outside in: `Some(value)`.
        let mut contents = 0_usize;
        let mut is_error = false;
        for _ in 0..LEVELS_MAX {
            let node = self.visit.ancestor(level)?;
            let around = self.visit.ancestor(level + 1)?;
            let is_field = |name: &str| around.field(name).is_some_and(|of| of.id() == node.id());
            let value = |chain: Option<Chain>| {
                let chain = if is_error { error_of(&chain?) } else { chain };
                let elements = contents + usize::from(form == Form::Fallible);
                let content = |of, _| chain::yielded(Some(of), Protocol::Unwrap);
                (0..elements).try_fold(chain?, content)
            };
            match around.kind_name() {
                "try_expression" if form == Form::Fallible => form = Form::Value,
                "parenthesized_expression"
                | "reference_expression"
                | "else_clause"
                | "match_block" => {}
                "if_expression" if !is_field("condition") => {}
                "match_expression" if is_field("body") => {}
                "match_arm" if is_field("value") => {}
                "block" if is_last(around, node) => {}
                "field_expression" if is_field("value") => {
                    let method = self.visit.bytes(around.field("field")?);
                    if form == Form::Fallible && UNWRAPPING.contains(&method) {
                        form = Form::Value;
                    } else if form != Form::Fallible || !PASSING.contains(&method) {
                        return None;
                    }
                    // The call of the method.
                    level += 1;
                }
                "let_declaration" if is_field("value") => {
                    return value(types::value_of(self.visit, self.notes, around.field("type")?));
                }
                "const_item" | "static_item" if is_field("value") => {
                    return value(types::value_of(self.visit, self.notes, around.field("type")?));
                }
                "field_initializer" if is_field("value") => {
                    let of = self.visit.ancestor(level + 3)?.field("name")?;
                    let of = values::of_path(self.visit, self.notes, of);
                    return value(chain::member(of, self.visit.bytes(around.field("field")?)));
                }
                "base_field_initializer" => {
                    let of = self.visit.ancestor(level + 3)?.field("name")?;
                    return value(types::value_of(self.visit, self.notes, of));
                }
                "assignment_expression" if is_field("right") => {
                    return value(values::of(self.visit, self.notes, around.field("left")?));
                }
                "arguments" => {
                    let call = self.visit.ancestor(level + 2)?;
                    let function = call.field("function")?;
                    let name = self.visit.bytes(function);
                    if matches!(name, b"Some" | b"Ok") {
                        contents += 1;
                        level += 1;
                    } else if name == b"Err" && contents == 0 && !is_error {
                        is_error = true;
                        level += 1;
                    } else {
                        return value(self.parameter(function, around, node));
                    }
                }
                "return_expression" => return value(self.result(level + 2)),
                "function_item" if is_field("body") => return value(self.result(level + 1)),
                _ => return None,
            }
            level += 1;
        }
        None
    }

    /// Returns the type argument of the call itself: `parse::<Type>()`.
    fn turbofish(&self, level: usize) -> Option<Chain> {
        let function = self.visit.ancestor(level)?.field("function")?;
        let list = function.field("type_arguments")?;
        types::value_of(self.visit, self.notes, list.named_child(0)?)
    }

    /// Returns the chain of the parameter that an argument of a call is passed to.
    fn parameter(&self, function: Node<'t>, arguments: Node<'t>, of: Node<'t>) -> Option<Chain> {
        let mut cursor = arguments.walk();
        let at = arguments.named_children(&mut cursor).position(|it| it.id() == of.id())?;
        let called = values::of(self.visit, self.notes, function)?;
        let last = called.last_name();
        // The field of a tuple struct or variant.
        if called.is_path() && last.starts_with(char::is_uppercase) {
            return chain::member(Some(called), at.to_string().as_bytes());
        }
        called.then(Step::Parameter(at.into())).bounded()
    }

    /// Returns the chain of the result of the function around, from an ancestor on.
    fn result(&self, from: usize) -> Option<Chain> {
        let levels = (from..from + LEVELS_MAX).map_while(|level| self.visit.ancestor(level));
        let is_function = |node: &Node<'t>| {
            matches!(node.kind_name(), "function_item" | "closure_expression" | "async_block")
        };
        let function = levels.into_iter().find(is_function)?;
        types::value_of(self.visit, self.notes, function.field("return_type")?)
    }
}

/// Returns the chain of the error of a `Result` as it is written.
fn error_of(result: &Chain) -> Option<Chain> {
    let written = result.written_type()?;
    let [_, error] = written.arguments()[..] else { return None };
    written.name().ends_with("Result").then(|| chain::instance(error.text())).flatten()
}

/// Returns true for the last expression of a block, without a semicolon.
fn is_last(block: Node<'_>, node: Node<'_>) -> bool {
    let mut cursor = block.walk();
    block.named_children(&mut cursor).last().is_some_and(|last| last.id() == node.id())
}
