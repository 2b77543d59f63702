//! Swift references: records calls, imports, bases, local names and declared types.

use tree_sitter::Node;

use super::{locals, values};
use crate::lang::chain;
use crate::lang::facts::{Chain, Role};
use crate::lang::grammars::{mentions, modifiers};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Node kinds that open a scope for local names.
pub(super) const SCOPES: &[&str] = &[
    "class_declaration",
    "function_declaration",
    "init_declaration",
    "deinit_declaration",
    "subscript_declaration",
    "computed_property",
    "computed_getter",
    "computed_setter",
    "lambda_literal",
    "if_statement",
    "for_statement",
    "while_statement",
    "catch_block",
    "switch_entry",
];

/// Maximum number of parentheses around a name.
const LEVELS_MAX: usize = 16;

/// Records what the visited node imports, declares, extends or calls.
pub(super) fn refer<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "import_declaration" => import(visit, notes),
        "class_declaration" | "protocol_declaration" => {
            locals::type_parameters(visit, notes);
            let specifiers = modifiers::children(node);
            for specifier in specifiers.filter(|of| of.kind_name() == "inheritance_specifier") {
                if let Some(of) = specifier.field("inherits_from") {
                    mentions::base(visit, notes, of);
                }
            }
        }
        "parameter" => locals::parameter(visit, notes),
        "function_declaration" | "protocol_function_declaration" => {
            locals::type_parameters(visit, notes);
            let mut cursor = node.walk();
            let of = node.children_by_field_name("name", &mut cursor).nth(1);
            locals::typed(visit, notes, of);
        }
        "init_declaration" => locals::type_parameters(visit, notes),
        "protocol_property_declaration" => {
            let annotation = modifiers::child(node, &["type_annotation"]);
            locals::typed(visit, notes, annotation.and_then(|of| of.field("name")));
        }
        "property_declaration" => locals::property(visit, notes),
        "associatedtype_declaration" => locals::associated(visit, notes),
        "if_statement" | "guard_statement" | "while_statement" => locals::bindings(visit, notes),
        "for_statement" => locals::each(visit, notes),
        "lambda_literal" => locals::closure(visit, notes),
        "simple_identifier" => value_name(visit, notes),
        "attribute" => mentions::annotation(visit, notes),
        "call_expression" => call(visit, notes),
        "constructor_expression" => {
            let of = node.field("constructed_type");
            let name = of.and_then(|of| {
                modifiers::children(of).filter(|of| of.kind_name() == "type_identifier").last()
            });
            if let Some(name) = name {
                notes.call(visit, name, None, arguments(node));
            }
        }
        _ => {}
    }
}

fn import(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(path) = modifiers::child(visit.node(), &["identifier"]) else { return };
    let path = mentions::path(visit, path);
    match path.split_once('.') {
        Some((module, name)) => {
            let names = vec![mentions::imported(name, None)];
            mentions::import(visit, notes, module.to_owned(), names);
        }
        None => mentions::import(visit, notes, path, vec![mentions::imported("*", None)]),
    }
}

/// Returns the number of arguments of a call, including trailing closures.
fn arguments(call: Node<'_>) -> usize {
    let suffix = modifiers::child(call, &["call_suffix", "constructor_suffix"]).unwrap_or(call);
    let list = modifiers::child(suffix, &["value_arguments"]);
    let listed = list.into_iter().flat_map(modifiers::children);
    let listed = listed.filter(|part| part.kind_name() == "value_argument").count();
    let closures = modifiers::children(suffix).filter(|part| part.kind_name() == "lambda_literal");
    listed + closures.count()
}

fn call(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    // `h(_:)` is no call.
    if values::is_subscript(visit, node) || is_compound_name(node) {
        return;
    }
    let Some((name, of)) = node.named_child(0).and_then(values::callee) else { return };
    let receiver = match of {
        // `.name()` is a member of the expected type.
        Some(of) if of.kind_name() == "prefix_expression" => {
            values::expected(visit, notes).or_else(|| Some(Chain::unknown()))
        }
        Some(of) => chain::receiver(values::of(visit, notes, of)),
        None if visit.bytes(name) == b"Self" => Some(Chain::own()),
        // A call of a local variable does not refer to a definition.
        None if matches!(notes.local(visit.bytes(name)), NameLookup::Local(_)) => return,
        None => None,
    };
    notes.call(visit, name, receiver, arguments(node));
}

/// Returns true for `h(a:b:)`, the complete name of a function.
fn is_compound_name(call: Node<'_>) -> bool {
    let suffix = modifiers::child(call, &["call_suffix"]);
    let list = suffix.and_then(|suffix| modifiers::child(suffix, &["value_arguments"]));
    let first = list.and_then(|list| modifiers::child(list, &["value_argument"]));
    first.is_some_and(|first| {
        first.field("reference_specifier").is_some() && first.field("value").is_none()
    })
}

/// Records the visited name if it is used as a value without being called, such as a function that is
/// passed or assigned.
fn value_name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let is_member = visit.ancestor_kind(1) == "navigation_suffix";
    let mut levels = if is_member { 2 } else { 0 };
    if visit.ancestor_kind(levels + 1) == "call_expression"
        && visit.ancestor(levels + 1).is_some_and(|call| {
            is_compound_name(call)
                && call.start_byte() == visit.ancestor(levels).map_or(0, |of| of.start_byte())
        })
    {
        levels += 1;
    }
    let is_local = || matches!(notes.local(visit.bytes(node)), NameLookup::Local(_));
    if !is_value(visit, levels) || !is_member && is_local() {
        return;
    }
    let member = visit.ancestor(2).filter(|_| is_member);
    let object = member.and_then(|of| of.field("target").or_else(|| of.named_child(0)));
    let receiver = object.and_then(|of| chain::receiver(values::of(visit, notes, of)));
    notes.refer(visit, node, Role::Read, receiver);
}

/// Returns true if the expression `levels` above the visited node is used as a value: it is neither
/// called nor an object whose member is used, and no declared name.
fn is_value(visit: &Visit<'_, '_>, levels: usize) -> bool {
    let field = visit.field_above(levels);
    match visit.ancestor_kind(levels + 1) {
        "value_argument" | "property_declaration" => field == "value",
        "assignment" | "control_transfer_statement" => field == "result",
        "array_literal" => field == "element",
        "ternary_expression" => field != "condition",
        "dictionary_literal" | "nil_coalescing_expression" | "selector_expression" => true,
        // The value of a closure or of a function with one expression.
        "statements" => visit.ancestor(levels + 1).is_some_and(|of| of.named_child_count() == 1),
        "as_expression" => field == "expr",
        // `(h)()` and `h!()` are calls.
        "tuple_expression" => {
            let is_plain = visit.ancestor(levels + 1).is_some_and(|of| of.named_child_count() == 1);
            field == "value" && (!is_plain || levels < LEVELS_MAX && is_value(visit, levels + 1))
        }
        _ => false,
    }
}
