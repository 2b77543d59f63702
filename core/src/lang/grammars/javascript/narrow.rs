//! Local names whose type a condition tests: `if (name instanceof Class)`, `isClass(name) && …`,
//! `if (!isClass(name)) return;`.
//!
//! Whether a function has a type predicate (`value is Class`) follows from its definition, so that the name
//! is what the function tests if it has one, and what it was before otherwise.

use std::ops::Range;

use tree_sitter::Node;

use crate::lang::chain::{Chain, Parameter, Step};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

use super::chain;

/// Maximum number of conditions that are joined by `&&`.
const CONDITIONS_MAX: usize = 8;

/// Maximum number of parentheses around a condition.
const LEVELS_MAX: usize = 8;

/// The words that names of functions with a type predicate begin with.
const TESTS: [&str; 3] = ["is", "has", "assert"];

/// Narrows the local names that the visited `if`, `? :`, `while` or `&&` tests.
pub(super) fn narrow(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (condition, inside) = match node.kind_name() {
        "binary_expression" => {
            let is_and = node.field("operator").is_some_and(|word| word.kind_name() == "&&");
            (node.field("left").filter(|_| is_and), node.field("right"))
        }
        "while_statement" => (node.field("condition"), node.field("body")),
        _ => (node.field("condition"), node.field("consequence")),
    };
    let (Some(condition), Some(inside)) = (condition.map(bare), inside) else { return };
    // `if (!isClass(name)) return;`
    let tested = condition.field("argument").filter(|_| {
        condition.kind_name() == "unary_expression"
            && condition.field("operator").is_some_and(|word| word.kind_name() == "!")
    });
    if let Some(tested) = tested {
        let is_if = node.kind_name() == "if_statement" && node.field("alternative").is_none();
        let block = visit.ancestor(1).filter(|_| is_if && leaves(inside));
        if let Some(block) = block.filter(|block| block.kind_name() == "statement_block") {
            test(visit, notes, bare(tested), node.end_byte()..block.end_byte());
        }
        return;
    }
    let mut rest = vec![condition];
    for _ in 0..CONDITIONS_MAX {
        let Some(part) = rest.pop() else { return };
        let is_and = part.field("operator").is_some_and(|word| word.kind_name() == "&&");
        match (part.field("left"), part.field("right")) {
            (Some(left), Some(right)) if is_and => rest.extend([bare(left), bare(right)]),
            _ => test(visit, notes, part, inside.byte_range()),
        }
    }
}

/// Narrows the local name that a condition tests, in `range`.
fn test(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, condition: Node<'_>, range: Range<usize>) {
    let is_instance =
        condition.field("operator").is_some_and(|word| word.kind_name() == "instanceof");
    if is_instance {
        let name = condition.field("left").filter(|name| name.kind_name() == "identifier");
        let (Some(name), Some(class)) = (name, condition.field("right")) else { return };
        let class = chain::value(visit, notes, class).filter(Chain::is_path);
        // The elements of an array are known only from its former type.
        let is_array = |of: &Chain| of.is_named("Array");
        let is_known = matches!(notes.local(visit.bytes(name)), NameLookup::Local(Some(_)));
        if let Some(class) = class.filter(|of| !(is_known && is_array(of))) {
            notes.narrow(name, class.instance_of(), range);
        }
        return;
    }
    if condition.kind_name() != "call_expression" || !has_types(condition) {
        return;
    }
    let name = condition.field("arguments").and_then(|arguments| arguments.named_child(0));
    let name = name.filter(|name| name.kind_name() == "identifier");
    let (Some(name), Some(function)) = (name, condition.field("function")) else { return };
    let of = chain::value(visit, notes, function).filter(|of| of.several().is_none());
    let Some(of) = of.filter(|of| of.function_name().is_some_and(is_test)) else { return };
    let tested = of.then(Step::Parameter(Parameter::Tested));
    let narrowed = match notes.local(visit.bytes(name)) {
        NameLookup::Local(before) => Chain::first_of(&tested, before),
        NameLookup::NotLocal => None,
    };
    if let Some(narrowed) = narrowed {
        notes.narrow(name, narrowed, range);
    }
}

/// Returns true if the last name of a called path may be that of a function with a type predicate.
fn is_test(function: &str) -> bool {
    let is_its = |word: &&str| {
        function.strip_prefix(*word).is_some_and(|rest| rest.starts_with(char::is_uppercase))
    };
    TESTS.iter().any(is_its) && function != "isArray"
}

/// Returns true if the grammar of a node has types.
fn has_types(node: Node<'_>) -> bool {
    node.language().id_for_node_kind("type_predicate", true) != 0
}

/// Returns true for a statement after which the next one is not run.
fn leaves(statement: Node<'_>) -> bool {
    let is_left = |node: Node<'_>| {
        let kinds =
            ["return_statement", "throw_statement", "continue_statement", "break_statement"];
        kinds.contains(&node.kind_name())
    };
    let last = statement.named_child_count().checked_sub(1);
    is_left(statement)
        || statement.kind_name() == "statement_block"
            && last.and_then(|at| statement.named_child(at as u32)).is_some_and(is_left)
}

/// Returns a condition without parentheses.
fn bare(mut node: Node<'_>) -> Node<'_> {
    for _ in 0..LEVELS_MAX {
        match node.named_child(0).filter(|_| node.kind_name() == "parenthesized_expression") {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}
