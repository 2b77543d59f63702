//! Swift references: records calls, imports, bases, local names and declared types.

use tree_sitter::Node;

use super::{locals, values};
use crate::lang::chain;
use crate::lang::facts::Chain;
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
    if values::is_subscript(visit, node) {
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
