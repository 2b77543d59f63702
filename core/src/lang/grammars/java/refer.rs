//! Java references: records the uses, local names, imports and declared types of each node.

use tree_sitter::Node;

use super::{locals, values};
use crate::lang::chain;
use crate::lang::facts::{Chain, Import, ImportKind, ImportedName, Role};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Node kinds that open a scope for local names.
pub(super) const SCOPES: &[&str] = &[
    "class_declaration",
    "interface_declaration",
    "record_declaration",
    "method_declaration",
    "constructor_declaration",
    "compact_constructor_declaration",
    "lambda_expression",
    "block",
    "constructor_body",
    "for_statement",
    "enhanced_for_statement",
    "try_with_resources_statement",
    "catch_clause",
    "switch_block_statement_group",
    "switch_rule",
];

/// Records what the visited node declares, imports or refers to.
pub(super) fn refer<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "identifier" => name(visit, notes),
        "type_identifier" => type_name(visit, notes),
        "package_declaration" => {
            notes.finish(node);
            let name = (0..8).map_while(|at| node.named_child(at)).last();
            notes.package = name.map(|name| without_space(&visit.text_of(name)));
        }
        "import_declaration" => import(visit, notes),
        "local_variable_declaration" => locals::variables(visit, notes),
        "formal_parameter" if visit.defined.is_empty() => locals::typed(visit, notes),
        "enhanced_for_statement" | "resource" => locals::typed(visit, notes),
        "spread_parameter" => locals::variadic_parameter(visit, notes),
        "catch_formal_parameter" => locals::catch_parameter(visit, notes),
        "instanceof_expression" | "type_pattern" | "record_pattern_component" => {
            locals::pattern(visit, notes);
        }
        "lambda_expression" => locals::lambda(visit, notes),
        "field_declaration"
        | "constant_declaration"
        | "formal_parameter"
        | "method_declaration"
        | "annotation_type_element_declaration" => declared(visit, notes),
        "enum_constant" => constant(visit, notes),
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration" => bases(visit, notes),
        "explicit_constructor_invocation" => constructor(visit, notes),
        _ => {}
    }
}

fn without_space(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Records an import: `import a.b.C` is `C` from `a.b`, `import static a.B.c` is `c` from `a.B`.
fn import(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    notes.finish(node);
    let mut parts = (0..6).map_while(|at| node.named_child(at));
    let Some(path) = parts.find(|part| part.kind_name().ends_with("identifier")) else { return };
    let is_all = visit.child(node, "asterisk").is_some();
    let name = path.field("name").filter(|_| !is_all);
    let scope = path.field("scope").filter(|_| !is_all).unwrap_or(path);
    let module = without_space(&visit.text_of(scope));
    let names = match name {
        Some(name) => {
            notes.refer(visit, name, Role::Import, Some(Chain::name(module.as_str())));
            let name = visit.text_of(name);
            vec![ImportedName { alias: name.clone(), name }]
        }
        None if is_all => vec![ImportedName { name: "*".to_owned(), alias: String::new() }],
        None => vec![ImportedName { name: String::new(), alias: module.clone() }],
    };
    let (span, line) = (node.byte_range(), node.start_position().row + 1);
    notes.import(Import { span, line, kind: ImportKind::Module, module, names });
}

/// Records the type of the symbols that the visited node defines.
fn declared(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    locals::type_parameters(visit, notes);
    let of = visit.node().field("type");
    if let Some(chain) = of.and_then(|of| values::of_member_type(visit, notes, of)) {
        for index in visit.defined.clone() {
            notes.set_type(index, chain.clone());
        }
    }
}

fn constant(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let chain = visit.enclosing().and_then(|around| chain::instance(&around.name));
    if let (Some(chain), false) = (chain, visit.defined.is_empty()) {
        notes.set_type(visit.defined.start, chain);
    }
}

/// Records the types that the visited type extends and implements.
fn bases(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    locals::type_parameters(visit, notes);
    if visit.defined.is_empty() {
        return;
    }
    let node = visit.node();
    let parts = (0..10).map_while(|at| node.named_child(at));
    for part in parts {
        let list = match part.kind_name() {
            "superclass" => part,
            "super_interfaces" | "extends_interfaces" => match part.named_child(0) {
                Some(list) => list,
                None => continue,
            },
            _ => continue,
        };
        for of in (0..32).map_while(|at| list.named_child(at)) {
            if let Some(name) = values::type_name(visit, notes, of) {
                notes.add_base(visit.defined.start, chain::without_arguments(&name));
            }
        }
    }
}

/// Records the visited `this(…)` or `super(…)`.
fn constructor(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(word) = node.field("constructor") else { return };
    let of = if word.kind_name() == "super" { Chain::base() } else { Chain::own() };
    notes.call(visit, word, Some(of), arguments(Some(node)));
}

fn arguments(call: Option<Node<'_>>) -> usize {
    let arguments = call.and_then(|call| call.field("arguments"));
    arguments.map_or(0, |arguments| arguments.element_count())
}

/// Records a name in an expression.
fn name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let parent = visit.ancestor(1);
    let of = |field: &str| parent.and_then(|parent| parent.field(field));
    let own = visit.own_field();
    match visit.ancestor_kind(1) {
        "method_invocation" if own == "name" => {
            let object = of("object");
            let receiver = match object {
                Some(object) => chain::receiver(values::of(visit, notes, object)),
                None => values::anonymous(visit, notes, visit.bytes(node)),
            };
            notes.call(visit, node, receiver, arguments(parent));
        }
        "field_access" if own == "field" => {
            let object = of("object").and_then(|object| values::of(visit, notes, object));
            record_use(visit, notes, 1, chain::receiver(object));
        }
        "scoped_identifier" if own == "name" => {
            let scope = of("scope").map(|scope| Chain::name(without_space(&visit.text_of(scope))));
            notes.refer(visit, node, Role::Type, scope);
        }
        "annotation" | "marker_annotation" if own == "name" => {
            notes.refer(visit, node, Role::Type, None);
        }
        "method_reference" if parent.is_some_and(|of| of.start_byte() < node.start_byte()) => {
            let object = parent.and_then(|parent| parent.child(0));
            let receiver = object.and_then(|object| {
                if object.kind_name().contains("type") {
                    values::type_name(visit, notes, object).map(Chain::name)
                } else {
                    values::of(visit, notes, object)
                }
            });
            notes.refer(visit, node, Role::Read, chain::receiver(receiver));
        }
        "lambda_expression" if own == "parameters" => {}
        "inferred_parameters"
        | "labeled_statement"
        | "break_statement"
        | "continue_statement"
        | "type_pattern"
        | "record_pattern_component"
        | "receiver_parameter" => {}
        "element_value_pair" if own == "key" => {}
        "switch_label" => {
            let receiver = switch_selector(visit, notes);
            notes.refer(visit, node, Role::Read, receiver);
        }
        _ if own == "name" => {}
        _ if matches!(notes.local(visit.bytes(node)), NameLookup::Local(_)) => {}
        _ => record_use(visit, notes, 0, None),
    }
}

/// Returns the type of the selector of the enclosing `switch`, if it may be an enumeration. Case
/// labels name enumeration constants without their type.
fn switch_selector(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let value = visit.ancestor(4)?.field("condition")?;
    let chain = values::of(visit, notes, value)?;
    let name = chain.as_argument()?;
    let is_own = name.starts_with(char::is_uppercase)
        && !matches!(name, "String" | "Integer" | "Character" | "Byte" | "Short");
    is_own.then_some(chain)
}

/// Records the use of the visited name as a value. The expression that consists of the name and its
/// receiver is `levels` above.
fn record_use(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    levels: usize,
    receiver: Option<Chain>,
) {
    let node = visit.node();
    let field = visit.field_above(levels);
    let is_capital = visit.bytes(node).first().is_some_and(u8::is_ascii_uppercase);
    let role = match visit.ancestor_kind(levels + 1) {
        "assignment_expression" if field == "left" => Role::Write,
        // `Type.member`, but not `CONSTANT.member`.
        "method_invocation" | "field_access" | "method_reference" if is_capital => {
            let is_constant = visit.bytes(node).iter().all(|byte| !byte.is_ascii_lowercase());
            if is_constant { Role::Read } else { Role::Type }
        }
        _ => Role::Read,
    };
    notes.refer(visit, node, role, receiver);
}

fn type_name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let own = visit.bytes(node);
    if visit.ancestor_kind(1) == "type_parameter" || own == b"var" {
        return;
    }
    let (mut levels, mut receiver) = (1, None);
    if visit.ancestor_kind(1) == "scoped_type_identifier" {
        // The qualifier before the type name.
        let Some(scope) = visit.ancestor(1) else { return };
        let start = scope.start_byte();
        let before = String::from_utf8_lossy(&visit.text[start..node.start_byte()]);
        let before = without_space(&before);
        let before = before.trim_end_matches('.').to_owned();
        receiver = (!before.is_empty()).then(|| Chain::name(before));
        let is_last = scope.end_byte() == node.end_byte();
        levels = if is_last { 2 } else { 40 };
    } else if matches!(notes.local(own), NameLookup::Local(_)) {
        return;
    }
    if visit.ancestor_kind(levels) == "generic_type"
        && visit.ancestor(levels).is_some_and(|of| {
            of.start_byte() <= node.start_byte()
                && of.named_child(0).is_some_and(|first| first.end_byte() == node.end_byte())
        })
    {
        levels += 1;
    }
    match visit.ancestor_kind(levels) {
        "object_creation_expression" if visit.field_above(levels - 1) == "type" => {
            notes.call(visit, node, receiver, arguments(visit.ancestor(levels)));
        }
        "superclass" => notes.refer(visit, node, Role::Base, receiver),
        "type_list" if visit.ancestor_kind(levels + 1) != "permits" => {
            notes.refer(visit, node, Role::Base, receiver);
        }
        _ => notes.refer(visit, node, Role::Type, receiver),
    }
}
