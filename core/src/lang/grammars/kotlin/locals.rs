//! Parameters and variables of Kotlin functions, and the types of properties.

use std::ops::Range;

use tree_sitter::Node;

use super::values::{self, TYPES};
use crate::lang::chain::{self, Parameter, Protocol, Step};
use crate::lang::facts::Chain;
use crate::lang::grammars::modifiers;
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::Visit;

/// Library functions that call their lambda with an element of the receiver.
const ELEMENT_CALLBACKS: &[&[u8]] = &[
    b"all",
    b"any",
    b"associate",
    b"associateBy",
    b"associateWith",
    b"count",
    b"filter",
    b"filterNot",
    b"find",
    b"first",
    b"firstOrNull",
    b"flatMap",
    b"forEach",
    b"groupBy",
    b"joinToString",
    b"last",
    b"lastOrNull",
    b"map",
    b"mapNotNull",
    b"maxBy",
    b"maxByOrNull",
    b"minBy",
    b"minByOrNull",
    b"none",
    b"onEach",
    b"partition",
    b"single",
    b"singleOrNull",
    b"sortedBy",
    b"sumOf",
];

/// Library functions that call their lambda with the receiver.
const RECEIVER_CALLBACKS: &[&[u8]] = &[b"also", b"let", b"takeIf", b"takeUnless", b"use"];

/// Library functions in whose lambda the receiver is the instance.
const SCOPES: &[&[u8]] = &[b"apply", b"run"];

/// The local name of the implicit receiver of bare names.
pub(super) const RECEIVER: &[u8] = b"<receiver>";

/// Declares the type parameters of the visited definition: those of a type as what its users give, others
/// as values of their bounds.
pub(super) fn type_parameters(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(list) = modifiers::child(visit.node(), &["type_parameters"]) else { return };
    for parameter in modifiers::children(list).filter(|of| of.kind_name() == "type_parameter") {
        let Some(name) = modifiers::child(parameter, &["identifier"]) else { continue };
        if visit.node().kind_name() == "class_declaration" {
            notes.declare(name, Some(Chain::parameter(&visit.text_of(name))));
            continue;
        }
        // Every value is an `Any`.
        let bound = modifiers::child(parameter, TYPES)
            .filter(|bound| !matches!(visit.bytes(*bound), b"Any" | b"Any?"));
        notes.declare(name, bound.and_then(|bound| values::of_type(visit, notes, bound)));
    }
}

/// Records the type of the result of the visited function: the declared one, or that of the
/// expression after `=`.
pub(super) fn result(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    if visit.defined.is_empty() {
        return;
    }
    let list = modifiers::child(node, &["function_value_parameters"]);
    let of = list.and_then(|list| list.next_named_sibling());
    let of = of.filter(|of| TYPES.contains(&of.kind_name()));
    if let Some(chain) = of.and_then(|of| values::of_type(visit, notes, of)) {
        notes.set_type(visit.defined.start, chain);
    }
}

/// Records the value of the visited body `= value` as the result of its function or property.
pub(super) fn body(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let is_value = node.child(0).is_some_and(|sign| sign.kind_name() == "=");
    let Some(value) = node.named_child(0).filter(|_| is_value) else { return };
    let of_symbol = ["function_declaration", "getter"].contains(&visit.ancestor_kind(1));
    let Some(index) = visit.enclosing_index().filter(|_| of_symbol) else { return };
    let is_result = visit
        .symbols
        .get(index)
        .is_some_and(|symbol| symbol.kind.is_callable() || symbol.kind == SymbolKind::Property);
    if let (Some(chain), true) = (values::of(visit, notes, value), is_result) {
        notes.set_return(index, chain);
    }
}

/// Records the type of the visited property or class parameter, and declares the latter.
pub(super) fn class_parameter(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let of = modifiers::child(node, TYPES);
    let mut chain = of.and_then(|of| values::of_type(visit, notes, of));
    let words = modifiers::child(node, &["modifiers"]).map(|of| visit.text_of(of));
    if words.is_some_and(|words| words.split_whitespace().any(|word| word == "vararg")) {
        chain = array_of(chain);
    }
    if let Some(chain) = &chain {
        visit.defined.clone().for_each(|index| notes.set_type(index, chain.clone()));
    }
    let name = modifiers::child(node, &["identifier"]).filter(|_| visit.defined.is_empty());
    if let Some(name) = name {
        notes.declare(name, chain);
    }
}

/// Declares the parameters of the constructor of the class around the visited function or accessor as
/// names that are not local: only initialisers see those that are no properties.
pub(super) fn hide_class_parameters(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let is_accessor = visit.ancestor_kind(1) == "property_declaration";
    let level = 1 + usize::from(is_accessor);
    if visit.ancestor_kind(level) != "class_body" {
        return;
    }
    let Some(class) = visit.ancestor(level + 1) else { return };
    let Some(primary) = modifiers::child(class, &["primary_constructor"]) else { return };
    let Some(list) = modifiers::child(primary, &["class_parameters"]) else { return };
    for parameter in modifiers::children(list).filter(|of| of.kind_name() == "class_parameter") {
        let name = modifiers::child(parameter, &["identifier"]);
        if let Some(name) = name.filter(|_| modifiers::child(parameter, &["val", "var"]).is_none())
        {
            notes.declare_outer(name);
        }
    }
}

/// Returns the chain of an array of values with a chain.
fn array_of(element: Option<Chain>) -> Option<Chain> {
    chain::instance(&format!("Array<{}>", element?.as_argument()?))
}

/// Records the target of the visited alias, unless it is a function type.
pub(super) fn alias(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let target = modifiers::child(visit.node(), TYPES);
    let chain = target.and_then(|target| values::of_type(visit, notes, target));
    if let Some(chain) = chain.filter(|_| !visit.defined.is_empty()) {
        notes.set_type(visit.defined.start, chain);
    }
}

/// Returns the chain of the value that the visited property is set to: after `=`, or of `by lazy`.
fn set_value(visit: &Visit<'_, '_>, notes: &Notes<'_>, property: Node<'_>) -> Option<Chain> {
    let sign = modifiers::children(property).find(|part| part.kind_name() == "=");
    let delegate = modifiers::child(property, &["property_delegate"]);
    let value = sign.and_then(|sign| sign.next_named_sibling());
    let value = value.or_else(|| delegate.and_then(|delegate| delegate.named_child(0)))?;
    values::of(visit, notes, value)
}

/// Records the type of the visited property, or declares the visited variable.
pub(super) fn property(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(declared) = modifiers::child(node, &["variable_declaration"]) else {
        let several = modifiers::child(node, &["multi_variable_declaration"]);
        for declared in several.into_iter().flat_map(modifiers::children) {
            if let Some(name) = modifiers::child(declared, &["identifier"]) {
                notes.declare_from(name, None, node.end_byte());
            }
        }
        return;
    };
    let of = modifiers::child(declared, TYPES);
    let chain = of
        .and_then(|of| values::of_type(visit, notes, of))
        .or_else(|| set_value(visit, notes, node));
    if !visit.defined.is_empty() {
        if let Some(chain) = chain {
            notes.set_type(visit.defined.start, chain);
        }
    } else if let Some(name) = modifiers::child(declared, &["identifier"]) {
        notes.declare_from(name, chain, node.end_byte());
    }
}

/// Declares the visited parameter of a function.
pub(super) fn parameter(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(name) = modifiers::child(node, &["identifier"]) else { return };
    let of = modifiers::child(node, TYPES);
    let mut chain = of.and_then(|of| values::of_type(visit, notes, of));
    if let Some(result) = function_result(node) {
        values::declare_result(visit, notes, name, result);
    }
    let before = node.prev_sibling().filter(|of| of.kind_name() == "parameter_modifiers");
    if before.is_some_and(|of| visit.bytes(of).ends_with(b"vararg")) {
        chain = array_of(chain);
    }
    notes.declare(name, chain);
}

/// Returns the result in the function type that a parameter has, possibly in parentheses or nullable.
fn function_result(parameter: Node<'_>) -> Option<Node<'_>> {
    let mut of = parameter;
    for _ in 0..4 {
        if let Some(function) = modifiers::child(of, &["function_type"]) {
            return modifiers::children(function)
                .filter(|part| TYPES.contains(&part.kind_name()))
                .last();
        }
        of = modifiers::child(of, TYPES)?;
    }
    None
}

/// Declares the variable of the visited `for` or `catch`.
pub(super) fn bound(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    if node.kind_name() == "catch_block" {
        let name = modifiers::child(node, &["identifier"]);
        let of = modifiers::child(node, TYPES);
        if let Some(name) = name {
            notes.declare(name, of.and_then(|of| values::of_type(visit, notes, of)));
        }
        return;
    }
    let word = modifiers::children(node).find(|part| part.kind_name() == "in");
    let value = word.and_then(|word| word.next_named_sibling());
    let Some(declared) = modifiers::child(node, &["variable_declaration"]) else { return };
    let Some(name) = modifiers::child(declared, &["identifier"]) else { return };
    let of = modifiers::child(declared, TYPES);
    let chain = of
        .and_then(|of| values::of_type(visit, notes, of))
        .or_else(|| chain::yielded(values::of(visit, notes, value?), Protocol::Iterate));
    notes.declare(name, chain);
}

/// Declares the parameters of the visited lambda.
pub(super) fn lambda(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let (library, callback) = (lambda_argument(visit, notes), callback(visit, notes));
    let scope = scope(visit, notes);
    let passed = |number: usize| {
        let library = library.clone().filter(|_| number == 0);
        library.or_else(|| callback.clone()?.then(Step::Parameter(number.into())).bounded())
    };
    let list = modifiers::child(visit.node(), &["lambda_parameters"]);
    for (at, declared) in
        list.into_iter().flat_map(modifiers::children).filter(Node::is_named).enumerate()
    {
        let Some(name) = modifiers::child(declared, &["identifier"]) else { continue };
        let of = modifiers::child(declared, TYPES);
        let chain = of.and_then(|of| values::of_type(visit, notes, of));
        notes.declare(name, chain.or_else(|| passed(at)));
    }
    // The name of the argument, and of an instance that differs from that of the method.
    if list.is_none() {
        notes.declare_name(b"it", passed(0));
    }
    if let Some(of) = scope {
        notes.declare_name(b"this", Some(of.clone()));
        notes.declare_name(RECEIVER, Some(of));
    } else if let Some(of) = callback
        && let Some(of) = of.then(Step::Parameter(Parameter::Receiver)).bounded()
    {
        notes.declare_name(RECEIVER, Some(of));
    }
}

/// Returns the chain of the parameter of the called function that the visited lambda is passed to;
/// `None` for functions of the library.
fn callback(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let (name, of) = values::callee(call(visit)?)?;
    let own = visit.bytes(name);
    let is_library = ELEMENT_CALLBACKS.contains(&own) || RECEIVER_CALLBACKS.contains(&own);
    if of.is_some() && is_library {
        return None;
    }
    let function = match of {
        Some(of) => chain::member(values::of(visit, notes, of), own),
        None => match (notes.local(own), notes.local(RECEIVER)) {
            (NameLookup::Local(_), _) => None,
            (_, NameLookup::Local(of)) => chain::member(of.cloned(), own),
            _ => Some(Chain::name(String::from_utf8_lossy(own))),
        },
    };
    function?.then(Step::Parameter(Parameter::Last)).bounded()
}

/// Returns the call that the visited lambda is passed to.
fn call<'t>(visit: &Visit<'_, 't>) -> Option<Node<'t>> {
    let is_after = visit.ancestor_kind(1) == "annotated_lambda";
    visit.ancestor(2).filter(|call| is_after && call.kind_name() == "call_expression")
}

/// Returns the chain of the argument with which the visited lambda is called.
fn lambda_argument(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let (name, of) = values::callee(call(visit)?)?;
    let name = visit.bytes(name);
    if RECEIVER_CALLBACKS.contains(&name) {
        return values::of(visit, notes, of?);
    }
    let is_element = ELEMENT_CALLBACKS.contains(&name);
    chain::yielded(values::of(visit, notes, of.filter(|_| is_element)?), Protocol::Iterate)
}

/// Returns the chain of the instance in the visited lambda, if that is the receiver of the call.
fn scope(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let call = call(visit)?;
    let (name, of) = values::callee(call)?;
    match (visit.bytes(name), of) {
        (b"with", None) => values::of(visit, notes, values::argument(call)?),
        (name, Some(of)) if SCOPES.contains(&name) => values::of(visit, notes, of),
        _ => None,
    }
}

/// Narrows the variables that the condition of the visited expression tests with `is`.
pub(super) fn narrow(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "if_expression" => {
            let Some(condition) = node.field("condition") else { return };
            let Some(body) = condition.next_named_sibling() else { return };
            narrow_by(visit, notes, condition, &body.byte_range(), Holds::WhenTrue, 8);
            // `if (name !is Type) return`
            let after = after_statement(visit).filter(|_| body.next_named_sibling().is_none());
            if let Some(after) = after.filter(|_| leaves(visit, body)) {
                narrow_by(visit, notes, condition, &after, Holds::WhenFalse, 8);
            }
        }
        "call_expression" => {
            let function = node.named_child(0).map(|name| visit.bytes(name));
            let list = modifiers::child(node, &["value_arguments"]);
            let first = list.and_then(|list| list.named_child(0)?.named_child(0));
            let is_check = function.is_some_and(|name| CHECKS.contains(&name));
            if let (true, Some(condition), Some(after)) = (is_check, first, after_statement(visit))
            {
                narrow_by(visit, notes, condition, &after, Holds::WhenTrue, 8);
            }
        }
        "binary_expression" => {
            let operator = node.field("operator").map(|sign| visit.bytes(sign));
            if let (Some(b"&&"), Some(left), Some(right)) =
                (operator, node.field("left"), node.field("right"))
            {
                narrow_by(visit, notes, left, &right.byte_range(), Holds::WhenTrue, 8);
            }
        }
        "when_entry" => {
            let subject =
                visit.ancestor(1).and_then(|when| modifiers::child(when, &["when_subject"]));
            let of = |kind: &str| subject.and_then(|subject| modifiers::child(subject, &[kind]));
            let (subject, is_own) = (of("identifier"), of("this_expression").is_some());
            if subject.is_none() && !is_own {
                return;
            }
            // `is A, is B ->` says only that it is one of them.
            let mut cursor = node.walk();
            let mut tests = node.children_by_field_name("condition", &mut cursor);
            let (Some(test), None) = (tests.next(), tests.next()) else { return };
            let of = modifiers::child(test, TYPES).or_else(|| test.field("right"));
            let is_is = visit.bytes(test).starts_with(b"is");
            let Some(body) = modifiers::children(node).last().filter(|_| is_is) else { return };
            if let Some(chain) = of.and_then(|of| values::of_type(visit, notes, of)) {
                match subject {
                    Some(subject) => notes.narrow(subject, chain, body.byte_range()),
                    // `when (this) { is Type -> … }`; the entry is a scope.
                    None => {
                        notes.declare_name(b"this", Some(chain.clone()));
                        notes.declare_name(RECEIVER, Some(chain));
                    }
                }
            }
        }
        _ => {}
    }
}

/// Returns the bytes after the visited statement, up to the end of its block.
fn after_statement(visit: &Visit<'_, '_>) -> Option<Range<usize>> {
    // A call with a lambda consists of two.
    let around = (1..=2).filter_map(|level| visit.ancestor(level));
    let block =
        around.into_iter().find(|of| matches!(of.kind_name(), "block" | "lambda_literal"))?;
    Some(visit.node().end_byte()..block.end_byte())
}

/// Returns true if what follows a statement is not reached after it.
fn leaves(visit: &Visit<'_, '_>, body: Node<'_>) -> bool {
    let last = if body.kind_name() == "block" {
        modifiers::children(body).filter(Node::is_named).last()
    } else {
        Some(body)
    };
    let words: [&[u8]; 4] = [b"return", b"throw", b"continue", b"break"];
    last.is_some_and(|last| {
        let text = visit.bytes(last);
        let is_word = |of: &u8| of.is_ascii_alphanumeric() || *of == b'_';
        words.iter().any(|word| {
            text.strip_prefix(*word).is_some_and(|rest| !rest.first().is_some_and(is_word))
        })
    })
}

/// Whether a condition is true where a variable has the type that it tests.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Holds {
    WhenTrue,
    WhenFalse,
}

/// Library functions after which their first argument is true.
const CHECKS: &[&[u8]] = &[b"assert", b"check", b"require"];

fn narrow_by<'t>(
    visit: &Visit<'_, 't>,
    notes: &mut Notes<'_>,
    condition: Node<'t>,
    range: &Range<usize>,
    holds: Holds,
    depth: usize,
) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match condition.kind_name() {
        "parenthesized_expression" => {
            if let Some(inner) = condition.named_child(0) {
                narrow_by(visit, notes, inner, range, holds, depth);
            }
        }
        "binary_expression" => {
            let joined: &[u8] = if holds == Holds::WhenTrue { b"&&" } else { b"||" };
            let is_joined =
                condition.field("operator").is_some_and(|sign| visit.bytes(sign) == joined);
            for side in ["left", "right"].iter().filter(|_| is_joined) {
                if let Some(inner) = condition.field(side) {
                    narrow_by(visit, notes, inner, range, holds, depth);
                }
            }
        }
        "is_expression" => {
            let (Some(left), Some(of)) = (condition.field("left"), condition.field("right")) else {
                return;
            };
            let is_negated = modifiers::children(condition).any(|part| part.kind_name() == "!is");
            let is_true = is_negated == (holds == Holds::WhenFalse);
            if let (Some(chain), "identifier", true) =
                (values::of_type(visit, notes, of), left.kind_name(), is_true)
            {
                notes.narrow(left, chain, range.clone());
            }
        }
        _ => {}
    }
}
