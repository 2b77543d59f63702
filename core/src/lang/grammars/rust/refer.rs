//! Rust references: records the uses, local names and declared types of each node.

use tree_sitter::Node;

use super::{expected, generated, imports, patterns, tokens, types, values};
use crate::lang::chain::{self, Protocol};
use crate::lang::facts::{Chain, Role};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::Visit;

/// Maximum number of parentheses around a path that is called.
const PARENTHESES_MAX: usize = 16;

/// Node kinds that open a scope for local names.
pub(super) const SCOPES: &[&str] = &[
    "function_item",
    "function_signature_item",
    "impl_item",
    "trait_item",
    "struct_item",
    "enum_item",
    "type_item",
    "closure_expression",
    "block",
    "if_expression",
    "while_expression",
    "for_expression",
    "match_arm",
    "token_tree",
];

/// Records what the visited node declares, imports or refers to.
pub(super) fn refer<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    // The variable of a macro stands for any code.
    if visit.bytes(node).starts_with(b"$") && node.child_count() == 0 {
        return;
    }
    match node.kind_name() {
        "macro_invocation" if !visit.defined.is_empty() => generated::record_results(visit, notes),
        "identifier" if !visit.defined.is_empty() => generated::record_result(visit, notes),
        "identifier" if visit.ancestor_kind(1).starts_with("token_tree") => {
            tokens::name(visit, notes, node);
        }
        "token_tree" => tokens::keyword_names(visit, notes),
        "identifier" => name(visit, notes),
        "type_identifier" => type_name(visit, notes),
        "field_identifier" => field_name(visit, notes),
        "shorthand_field_identifier" => {
            let of = visit.ancestor(2).and_then(|of| of.field("type"));
            literal_field(visit, notes, of, Role::Read);
        }
        "use_declaration" => imports::declaration(visit, notes),
        "extern_crate_declaration" => imports::extern_crate(visit, notes),
        "mod_item" => imports::submodule(visit, notes),
        "let_declaration" => patterns::declare_let(visit, notes),
        "let_condition" => condition(visit, notes),
        "for_expression" => loop_over(visit, notes),
        "match_arm" => arm(visit, notes),
        "closure_expression" => patterns::declare_closure(visit, notes),
        "parameter" => parameter(visit, notes),
        "function_item" | "function_signature_item" => function(visit, notes),
        "impl_item" => implementation(visit, notes),
        "struct_item" | "enum_item" | "union_item" | "trait_item" => {
            types::declare_parameters(visit, notes);
        }
        "type_item" | "const_item" | "static_item" | "field_declaration" => {
            types::declare_parameters(visit, notes);
            declared(visit, notes, node.field("type"));
        }
        "associated_type" => {
            let bounds = node.field("bounds");
            let mut bounds = (0..8).map_while(|at| bounds?.named_child(at));
            declared(visit, notes, bounds.find(|bound| bound.kind_name() != "lifetime"));
        }
        "ordered_field_declaration_list" => positions(visit, notes),
        "enum_variant" => variant(visit, notes),
        _ => {}
    }
}

/// Records the type of the symbols that the visited node defines.
fn declared(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, of: Option<Node<'_>>) {
    if let (Some(of), false) = (of, visit.defined.is_empty())
        && let Some(chain) = types::value_of(visit, notes, of)
    {
        notes.set_type(visit.defined.start, chain);
    }
}

/// Records the types of tuple fields. The name span of such a symbol is its type's node.
fn positions(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let mut cursor = node.walk();
    let mut types = node.named_children(&mut cursor);
    for index in visit.defined.clone() {
        let span = &visit.symbols[index].name_span;
        let Some(of) = types.find(|of| of.byte_range() == *span) else { return };
        if let Some(chain) = types::value_of(visit, notes, of) {
            notes.set_type(index, chain);
        }
    }
}

fn variant(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    // The constants of flags have the type around them, too.
    let around = visit
        .enclosing()
        .filter(|around| matches!(around.kind, SymbolKind::Enum | SymbolKind::Struct));
    if let (Some(around), false) = (around, visit.defined.is_empty())
        && let Some(chain) = chain::instance(&around.name)
    {
        notes.set_type(visit.defined.start, chain);
    }
}

fn function(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    types::declare_parameters(visit, notes);
    let node = visit.node();
    let Some(of) = node.field("return_type") else { return };
    if visit.defined.is_empty() {
        return;
    }
    let modifiers = visit.child(node, "function_modifiers");
    let mut words = modifiers.into_iter().flat_map(|of| (0..6).map_while(move |at| of.child(at)));
    let chain = if words.any(|word| word.kind_name() == "async") {
        types::name_of(visit, notes, of)
            .and_then(|name| chain::instance(&format!("Future<{name}>")))
    } else {
        // What is behind `impl Trait`, if the function shows it.
        let made = match of.kind_name() {
            "abstract_type" => node.field("body").and_then(|body| values::made(visit, notes, body)),
            _ => None,
        };
        made.or_else(|| types::value_of(visit, notes, of))
    };
    if let Some(chain) = chain {
        notes.set_type(visit.defined.start, chain);
    }
}

fn implementation(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    types::declare_parameters(visit, notes);
    declared(visit, notes, visit.node().field("type"));
}

fn parameter(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(pattern) = node.field("pattern") else { return };
    let of = node.field("type");
    let value = of.and_then(|of| types::value_of(visit, notes, of));
    patterns::declare(visit, notes, pattern, value, node.end_byte());
}

/// Declares the names that `let pattern = value` in a condition binds.
fn condition(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(pattern) = node.field("pattern") else { return };
    let Some(value) = node.field("value") else { return };
    patterns::declare_matched(visit, notes, pattern, value, node.end_byte());
}

fn loop_over(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(pattern) = node.field("pattern") else { return };
    let Some(value) = node.field("value") else { return };
    let of = chain::yielded(values::of(visit, notes, value), Protocol::Iterate);
    patterns::declare(visit, notes, pattern, of, value.end_byte());
}

fn arm(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(pattern) = visit.node().field("pattern") else { return };
    let of = visit.ancestor(2).and_then(|of| of.field("value"));
    // The names are also visible in the guard.
    if let Some(of) = of {
        patterns::declare_matched(visit, notes, pattern, of, pattern.start_byte());
    }
}

/// Records a name in an expression, a path or a pattern.
fn name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let own = visit.bytes(node);
    let field = visit.own_field();
    let (mut levels, mut receiver) = (1, None);
    match visit.ancestor_kind(1) {
        // `Type { field }` sets the field.
        "shorthand_field_initializer" => {
            let of = visit.ancestor(3).and_then(|of| of.field("name"));
            literal_field(visit, notes, of, Role::Write);
        }
        "scoped_identifier" if field == "name" => {
            receiver = path_before(visit, notes);
            levels = 2;
        }
        "scoped_identifier" | "scoped_type_identifier" | "generic_type" => {
            let role = if patterns::is_binding(own) { Role::Read } else { Role::Type };
            return whole(visit, notes, role);
        }
        "macro_invocation" if field == "macro" => return called_macro(visit, notes, None),
        "let_declaration" | "let_condition" | "for_expression" if field == "pattern" => {
            return constant(visit, notes);
        }
        "match_pattern" if field == "condition" => {}
        "match_pattern" | "tuple_pattern" | "slice_pattern" | "or_pattern" | "ref_pattern"
        | "mut_pattern" | "captured_pattern" | "reference_pattern" | "closure_parameters"
        | "parameter" | "field_pattern" => return constant(visit, notes),
        "tuple_struct_pattern" if field != "type" => return constant(visit, notes),
        // These are names of definitions, and labels.
        "function_item"
        | "function_signature_item"
        | "mod_item"
        | "const_item"
        | "static_item"
        | "enum_variant"
        | "macro_definition"
        | "const_parameter"
        | "label"
            if matches!(field, "name" | "") =>
        {
            return;
        }
        _ => {}
    }
    if levels == 1 && matches!(own, b"Self" | b"Some" | b"Ok" | b"Err" | b"None") {
        return;
    }
    if visit.ancestor_kind(levels) == "generic_function"
        && visit.field_above(levels - 1) == "function"
    {
        levels += 1;
    }
    // `(f)()` is a call.
    let is_around = |at: &usize| visit.ancestor_kind(*at) == "parenthesized_expression";
    let outer = levels + (levels..levels + PARENTHESES_MAX).take_while(is_around).count();
    if visit.ancestor_kind(outer) == "call_expression" && visit.field_above(outer - 1) == "function"
    {
        levels = outer;
    }
    let is_local = receiver.is_none() && matches!(notes.local(own), NameLookup::Local(_));
    match visit.ancestor_kind(levels) {
        _ if is_local => {}
        "call_expression" if visit.field_above(levels - 1) == "function" => {
            let of_trait = receiver.as_ref().and_then(Chain::as_path).unwrap_or_default();
            let receiver = if matches!(of_trait, "Default" | "From" | "TryFrom" | "FromStr") {
                expected::receiver(visit, notes, levels, receiver)
            } else {
                receiver
            };
            notes.call(visit, node, receiver, arguments(visit, levels));
        }
        "macro_invocation" if levels > 1 => called_macro(visit, notes, receiver),
        "assignment_expression" | "compound_assignment_expr"
            if visit.field_above(levels - 1) == "left" =>
        {
            notes.refer(visit, node, Role::Write, receiver);
        }
        _ => notes.refer(visit, node, Role::Read, receiver),
    }
}

/// Records a capitalized name in a pattern. Other names are bindings.
fn constant(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let own = visit.bytes(visit.node());
    if !patterns::is_binding(own) && own != b"None" {
        notes.refer(visit, visit.node(), Role::Read, None);
    }
}

/// Records a name without a receiver, unless it is local.
fn whole(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, role: Role) {
    let node = visit.node();
    let own = visit.bytes(node);
    if own != b"Self" && matches!(notes.local(own), NameLookup::NotLocal) {
        notes.refer(visit, node, role, None);
    }
}

fn called_macro(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, receiver: Option<Chain>) {
    notes.call(visit, visit.node(), receiver, 0);
}

/// Returns the path before the visited name in its scoped name.
fn path_before(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let path = visit.ancestor(1)?.field("path")?;
    chain::receiver(values::of_path(visit, notes, path))
}

fn arguments(visit: &Visit<'_, '_>, levels: usize) -> usize {
    let arguments = visit.ancestor(levels).and_then(|call| call.field("arguments"));
    arguments.map_or(0, |arguments| arguments.element_count())
}

fn type_name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let field = visit.own_field();
    let parent = visit.ancestor_kind(1);
    let is_scoped = parent == "scoped_type_identifier" && field == "name";
    if field == "name" && !is_scoped && parent != "struct_expression" {
        return;
    }
    let mut levels = if is_scoped { 2 } else { 1 };
    if visit.ancestor_kind(levels) == "generic_type" && visit.field_above(levels - 1) == "type" {
        levels += 1;
    }
    let is_base = match visit.ancestor_kind(levels) {
        "impl_item" => visit.field_above(levels - 1) == "trait",
        "trait_bounds" => visit.ancestor_kind(levels + 1) == "trait_item",
        _ => false,
    };
    if is_base
        && let (Some(of), Some(index)) =
            (visit.ancestor(levels - 1), visit.own_or_enclosing_index())
        && let Some(name) = values::of_path(visit, notes, of)
    {
        notes.add_base(index, name);
    }
    let role = if is_base { Role::Base } else { Role::Type };
    if is_scoped {
        let receiver = path_before(visit, notes);
        notes.refer(visit, node, role, receiver);
    } else {
        whole(visit, notes, role);
    }
}

/// Records the member of an expression, or a field that is set in a struct literal.
fn field_name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match visit.ancestor_kind(1) {
        "field_expression" => {}
        "field_initializer" => {
            let of = visit.ancestor(3).and_then(|of| of.field("name"));
            return literal_field(visit, notes, of, Role::Write);
        }
        "field_pattern" => {
            let of = visit.ancestor(2).and_then(|of| of.field("type"));
            return literal_field(visit, notes, of, Role::Read);
        }
        _ => return,
    }
    let value = visit.ancestor(1).and_then(|of| of.field("value"));
    let receiver = chain::receiver(value.and_then(|value| values::of(visit, notes, value)));
    let is_generic = visit.ancestor_kind(2) == "generic_function";
    let levels = if is_generic { 3 } else { 2 };
    match visit.ancestor_kind(levels) {
        "call_expression" if visit.field_above(levels - 1) == "function" => {
            let arguments = arguments(visit, levels);
            let receiver = if expected::is_conversion(visit.bytes(node), arguments) {
                expected::receiver(visit, notes, levels, receiver)
            } else {
                receiver
            };
            notes.call(visit, node, receiver, arguments);
        }
        "assignment_expression" | "compound_assignment_expr"
            if visit.field_above(levels - 1) == "left" =>
        {
            notes.refer(visit, node, Role::Write, receiver);
        }
        _ => notes.refer(visit, node, Role::Read, receiver),
    }
}

fn literal_field(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, of: Option<Node<'_>>, role: Role) {
    // The fields of a variant are members of its path, not of a value of the type.
    let is_variant = of.is_some_and(|of| {
        let path = of.field("path");
        path.is_some_and(|path| !patterns::is_binding(visit.bytes(path)))
    });
    let receiver = match of {
        Some(of) if is_variant => values::of_path(visit, notes, of),
        Some(of) => types::value_of(visit, notes, of),
        None => None,
    };
    notes.refer(visit, visit.node(), role, chain::receiver(receiver));
}
