//! Go references: records the uses, local names, imports and declared types of each node.

use tree_sitter::Node;

use super::{locals, values};
use crate::lang::chain::{self, Protocol};
use crate::lang::facts::{Chain, Import, ImportKind, ImportedName, Role};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Maximum number of parentheses around an expression that is called.
const LEVELS_MAX: usize = 16;

/// Node kinds that open a scope for local names.
pub(super) const SCOPES: &[&str] = &[
    "function_declaration",
    "method_declaration",
    "method_elem",
    "func_literal",
    "type_spec",
    "block",
    "for_statement",
    "if_statement",
    "expression_switch_statement",
    "type_switch_statement",
    "select_statement",
    "expression_case",
    "type_case",
    "default_case",
    "communication_case",
];

/// Predeclared types.
const PLAIN_TYPES: [&[u8]; 22] = [
    b"any",
    b"bool",
    b"byte",
    b"comparable",
    b"complex128",
    b"complex64",
    b"error",
    b"float32",
    b"float64",
    b"int",
    b"int16",
    b"int32",
    b"int64",
    b"int8",
    b"rune",
    b"string",
    b"uint",
    b"uint16",
    b"uint32",
    b"uint64",
    b"uint8",
    b"uintptr",
];

/// Predeclared functions whose names packages rarely redefine.
const PLAIN_FUNCTIONS: [&[u8]; 9] =
    [b"append", b"cap", b"copy", b"delete", b"len", b"make", b"new", b"panic", b"recover"];

/// Records what the visited node declares, imports or refers to.
pub(super) fn refer<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "identifier" => name(visit, notes),
        "type_identifier" => type_name(visit, notes),
        "field_identifier" => member(visit, notes),
        "package_identifier" => package_name(visit, notes),
        "import_spec" => import(visit, notes),
        "parameter_declaration" | "variadic_parameter_declaration" => {
            locals::parameter(visit, notes);
        }
        "type_parameter_declaration" => locals::type_parameter(visit, notes),
        "short_var_declaration" => locals::short(visit, notes),
        "range_clause" if declares(node) => locals::short(visit, notes),
        "receive_statement" if declares(node) => locals::short(visit, notes),
        "type_case" | "default_case" => locals::case(visit, notes),
        "var_spec" | "const_spec" if visit.defined.is_empty() => locals::variables(visit, notes),
        "var_spec" | "const_spec" => globals(visit, notes),
        "function_declaration" | "method_declaration" | "method_elem" => result(visit, notes),
        "type_spec" | "type_alias" => alias(visit, notes),
        "field_declaration" => field(visit, notes),
        "type_elem" if visit.ancestor_kind(1) == "interface_type" => embedded(visit, notes),
        _ => {}
    }
}

/// Returns true if a clause declares its names, as `:=` does, instead of assigning to them.
fn declares(node: Node<'_>) -> bool {
    (0..4).map_while(|at| node.child(at)).any(|child| child.kind_name() == ":=")
}

fn import(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    notes.finish(node);
    let Some(path) = node.field("path") else { return };
    let module = visit.text_of(path).trim_matches(['"', '`']).to_owned();
    let alias = node.field("name").map(|name| visit.text_of(name));
    // The last part of a path is the package's name, except for version suffixes.
    let own = || {
        let mut parts = module.rsplit('/');
        let last = parts.next().unwrap_or_default();
        let is_version = last.strip_prefix('v').is_some_and(|v| v.parse::<u32>().is_ok());
        let last = if is_version { parts.next().unwrap_or(last) } else { last };
        last.split(".v").next().unwrap_or(last).to_owned()
    };
    let names = match alias.as_deref() {
        Some("_") => Vec::new(),
        Some(".") => vec![ImportedName { name: "*".to_owned(), alias: String::new() }],
        _ => vec![ImportedName { name: String::new(), alias: alias.unwrap_or_else(own) }],
    };
    let (span, line) = (node.byte_range(), node.start_position().row + 1);
    notes.import(Import { span, line, kind: ImportKind::Module, module, names });
}

/// Records the types of variables and constants outside of functions.
fn globals(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let of = node.field("type");
    let typed = of.and_then(|of| values::of_type(visit, notes, of));
    let list = node.field("value");
    for (at, index) in visit.defined.clone().enumerate() {
        let value = list.and_then(|list| list.named_child(u32::try_from(at).unwrap_or(u32::MAX)));
        let value = value.and_then(|value| values::of(visit, notes, value));
        if let Some(chain) = typed.clone().or(value) {
            notes.set_type(index, chain);
        }
    }
}

/// Records the type of the first result of the visited function.
fn result(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(of) = visit.node().field("result") else { return };
    let first = match of.kind_name() {
        "parameter_list" => of.named_child(0).and_then(|first| first.field("type")),
        _ => Some(of),
    };
    let chain = first.and_then(|first| values::of_type(visit, notes, first));
    if let (Some(chain), false) = (chain, visit.defined.is_empty()) {
        notes.set_type(visit.defined.start, chain);
    }
}

/// Records the type that the visited type name is defined as.
fn alias(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let of = visit.node().field("type");
    let chain = of.and_then(|of| values::of_type(visit, notes, of));
    if let (Some(chain), false) = (chain, visit.defined.is_empty()) {
        notes.set_type(visit.defined.start, chain);
    }
}

/// Records the type of the visited field. An embedded field is also a base of its struct.
fn field(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(of) = node.field("type") else { return };
    let Some(name) = values::type_name(visit, notes, of) else { return };
    for index in visit.defined.clone() {
        notes.set_type(index, Chain::instance(&name));
    }
    let around = visit.defined.clone().next().and_then(|index| visit.symbols[index].parent);
    if let (None, Some(around)) = (node.field("name"), around) {
        notes.add_base(around, chain::without_arguments(&name));
    }
}

/// Records a name in an expression.
fn name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let own = visit.bytes(node);
    let field = visit.own_field();
    let parent = visit.ancestor_kind(1);
    let is_declared = field == "name" && parent != "qualified_type";
    if is_declared || own == b"_" || matches!(notes.local(own), NameLookup::Local(_)) {
        return;
    }
    // The names on the left of `:=` are visited before they are declared.
    if parent == "expression_list"
        && matches!(visit.field_above(1), "left" | "alias")
        && match visit.ancestor_kind(2) {
            "short_var_declaration" | "type_switch_statement" => true,
            "range_clause" | "receive_statement" => visit.ancestor(2).is_some_and(declares),
            _ => false,
        }
    {
        return;
    }
    let is_called = is_callee(visit, 0);
    if is_called && (PLAIN_FUNCTIONS.contains(&own) || PLAIN_TYPES.contains(&own)) {
        return;
    }
    match parent {
        "literal_element" if visit.field_above(1) == "key" && !is_map(visit) => {
            let receiver = chain::receiver(literal(visit, notes));
            notes.refer(visit, node, Role::Write, receiver);
        }
        _ => record_use(visit, notes, 0, None),
    }
}

/// Records the use of the visited name. The expression that consists of the name and its receiver
/// is `levels` above.
fn record_use(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    levels: usize,
    receiver: Option<Chain>,
) {
    let node = visit.node();
    let field = visit.field_above(levels);
    match visit.ancestor_kind(levels + 1) {
        "call_expression" if field == "function" => {
            let call = visit.ancestor(levels + 1);
            let arguments = call.and_then(|call| call.field("arguments"));
            let count = arguments.map_or(0, |arguments| arguments.element_count());
            notes.call(visit, node, receiver, count);
        }
        // `f[int](x)`
        "type_instantiation_expression" | "index_expression"
            if matches!(field, "type" | "operand")
                && visit.field_above(levels + 1) == "function" =>
        {
            record_use(visit, notes, levels + 1, receiver);
        }
        "parenthesized_expression" if is_callee(visit, levels) => {
            record_use(visit, notes, levels + 1, receiver);
        }
        "composite_literal" if field == "type" => notes.refer(visit, node, Role::Type, receiver),
        "expression_list"
            if visit.field_above(levels + 1) == "left"
                && visit.ancestor_kind(levels + 2) == "assignment_statement" =>
        {
            notes.refer(visit, node, Role::Write, receiver);
        }
        _ => notes.refer(visit, node, Role::Read, receiver),
    }
}

/// Returns true if the expression `levels` above the visited node is called: `f()` and `(f)()`.
fn is_callee(visit: &Visit<'_, '_>, levels: usize) -> bool {
    let is_around = |at: &usize| visit.ancestor_kind(at + 1) == "parenthesized_expression";
    let levels = levels + (levels..levels + LEVELS_MAX).take_while(is_around).count();
    visit.ancestor_kind(levels + 1) == "call_expression" && visit.field_above(levels) == "function"
}

/// Returns the number of levels from the visited key to its `composite_literal`, and the number of
/// untyped literals between them.
fn literal_above(visit: &Visit<'_, '_>) -> Option<(usize, usize)> {
    let mut inner = 0;
    for levels in 3..40 {
        match visit.ancestor_kind(levels) {
            "composite_literal" => return Some((levels, inner.max(1) - 1)),
            "literal_value" => inner += 1,
            "literal_element" | "keyed_element" => {}
            _ => return None,
        }
    }
    None
}

/// Returns true if the visited key belongs to a map or array literal.
fn is_map(visit: &Visit<'_, '_>) -> bool {
    let Some((levels, 0)) = literal_above(visit) else { return false };
    let of = visit.ancestor(levels).and_then(|of| of.field("type"));
    of.is_some_and(|of| {
        matches!(
            of.kind_name(),
            "map_type" | "array_type" | "slice_type" | "implicit_length_array_type"
        )
    })
}

/// Returns the chain of the literal that the visited key belongs to.
fn literal(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let (levels, inner) = literal_above(visit)?;
    let of = visit.ancestor(levels)?.field("type")?;
    let of = values::of_type(visit, notes, of);
    (0..inner).fold(of, |of, _| chain::yielded(of, Protocol::Index))
}

fn type_name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let own = visit.bytes(node);
    let parent = visit.ancestor_kind(1);
    if parent == "qualified_type" {
        let package = visit.ancestor(1).and_then(|of| of.field("package"));
        return notes.refer(
            visit,
            node,
            role(visit, 1),
            package.map(|of| Chain::name(visit.text_of(of))),
        );
    }
    let is_declared = visit.own_field() == "name" && matches!(parent, "type_spec" | "type_alias");
    if is_declared || PLAIN_TYPES.contains(&own) || matches!(notes.local(own), NameLookup::Local(_))
    {
        return;
    }
    notes.refer(visit, node, role(visit, 0), None);
}

/// Returns the role of the type `levels` above: embedded ones are bases.
fn role(visit: &Visit<'_, '_>, levels: usize) -> Role {
    let levels =
        if visit.ancestor_kind(levels + 1) == "pointer_type" { levels + 1 } else { levels };
    match visit.ancestor_kind(levels + 1) {
        "field_declaration" => {
            let is_named =
                visit.ancestor(levels + 1).is_some_and(|field| field.field("name").is_some());
            if is_named { Role::Type } else { Role::Base }
        }
        "type_elem" if visit.ancestor_kind(levels + 2) == "interface_type" => Role::Base,
        _ => Role::Type,
    }
}

/// Records a package before a type, or the package clause of the file.
fn package_name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match visit.ancestor_kind(1) {
        "package_clause" => notes.package = Some(visit.text_of(node)),
        "qualified_type" => notes.refer(visit, node, Role::Read, None),
        _ => {}
    }
}

/// Records the member of an expression, and embedded interfaces.
fn member(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    match visit.ancestor_kind(1) {
        "selector_expression" => {
            let of = visit.ancestor(1).and_then(|of| of.field("operand"));
            let receiver = of.and_then(|of| values::of(visit, notes, of));
            record_use(visit, notes, 1, chain::receiver(receiver));
        }
        "keyed_element" => {
            let receiver = chain::receiver(literal(visit, notes));
            notes.refer(visit, visit.node(), Role::Write, receiver);
        }
        _ => {}
    }
}

/// Records the visited element of an interface as a base of it.
fn embedded(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let is_only = visit.node().named_child_count() == 1;
    let (Some(of), Some(index)) = (visit.node().named_child(0), visit.own_or_enclosing_index())
    else {
        return;
    };
    if let (true, Some(name)) = (is_only, values::type_name(visit, notes, of)) {
        notes.add_base(index, chain::without_arguments(&name));
    }
}
