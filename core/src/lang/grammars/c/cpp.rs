//! C++ references: records the uses, local names, imports and declared types of each node.

use tree_sitter::Node;

use super::refer::{arguments, called, flag, include, macro_body, macro_value};
use super::{declared, literals, macros, objects, prototypes, values};
use crate::lang::chain::{self, Protocol};
use crate::lang::facts::{Chain, Import, ImportKind, ImportedName, Role};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Node kinds that open a scope for local names.
pub(super) const SCOPES: &[&str] = &[
    "template_declaration",
    "function_definition",
    "compound_statement",
    "for_statement",
    "for_range_loop",
    "if_statement",
    "while_statement",
    "switch_statement",
    "catch_clause",
    "lambda_expression",
];

/// Keywords that the grammar takes for function templates.
const CASTS: &[&[u8]] = &[b"const_cast", b"dynamic_cast", b"reinterpret_cast", b"static_cast"];

/// Records what the visited node declares, includes or refers to.
pub(super) fn refer<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "identifier" | "namespace_identifier" => name(visit, notes),
        "type_identifier" => type_name(visit, notes),
        "field_identifier" => member(visit, notes),
        "declaration" if visit.defined.is_empty() => variables(visit, notes),
        "declaration"
        | "field_declaration"
        | "function_definition"
        | "alias_declaration"
        | "type_definition" => {
            record_types(visit, notes);
            fixture(visit, notes);
        }
        "parameter_declaration"
        | "optional_parameter_declaration"
        | "variadic_parameter_declaration" => parameter(visit, notes),
        "type_parameter_declaration" => {
            if let Some(name) = node.named_child(0) {
                notes.declare(name, None);
            }
        }
        "for_range_loop" => loop_over(visit, notes),
        "lambda_capture_initializer" => {
            if let (Some(name), Some(value)) = (node.field("left"), node.field("right")) {
                let chain = values::of(visit, notes, value);
                notes.declare_from(name, chain, node.start_byte());
            }
        }
        "class_specifier" | "struct_specifier" => bases(visit, notes),
        "template_declaration" => macros::attributes(visit, notes),
        "function_declarator" => prototypes::refer(visit, notes),
        "enumerator" => {
            let around = visit.enclosing().and_then(|around| chain::instance(&around.name));
            if let (Some(chain), false) = (around, visit.defined.is_empty()) {
                notes.set_type(visit.defined.start, chain);
            }
        }
        "compound_statement" if !visit.defined.is_empty() => test_case(visit, notes),
        "using_declaration" | "namespace_alias_definition" => using(visit, notes),
        "preproc_include" => include(visit, notes),
        "compound_literal_expression" => literals::refer(visit, notes),
        "preproc_def" if node.field("value").is_none() => flag(visit, notes),
        "preproc_arg" => {
            macro_body(visit, notes);
            macro_value(visit, notes);
        }
        _ => {}
    }
}

/// Returns the chain of the value that a declarator with the type `of` declares.
fn declarator_chain(declarator: Node<'_>, of: Option<String>) -> Option<Chain> {
    let inner = declarator.field("declarator");
    let is_array = declarator.kind_name() == "array_declarator"
        || inner.is_some_and(|inner| inner.kind_name() == "array_declarator");
    let of = of?;
    if is_array { chain::instance(&format!("slice<{of}>")) } else { chain::instance(&of) }
}

/// Declares the variables of a declaration inside a function.
fn variables(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    if !notes.is_local() {
        return;
    }
    let node = visit.node();
    let written = node.field("type");
    let of = written.and_then(|of| values::type_name(visit, notes, of));
    let of = of.or_else(|| values::type_parameter(visit, notes, written?));
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let value = declarator.field("value").or(node.field("value"));
        let chain = match &of {
            Some(_) => declarator_chain(declarator, of.clone()),
            None => value.and_then(|value| values::of(visit, notes, value)),
        };
        bind(visit, notes, declarator, chain, declarator.end_byte());
    }
}

/// Declares the name or names of a declarator.
fn bind(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    declarator: Node<'_>,
    chain: Option<Chain>,
    from: usize,
) {
    let mut inner = declarator;
    for _ in 0..4 {
        match inner.kind_name() {
            "init_declarator" => match inner.field("declarator") {
                Some(of) => inner = of,
                None => return,
            },
            "reference_declarator" => match inner.named_child(0) {
                Some(of) => inner = of,
                None => return,
            },
            _ => break,
        }
    }
    if inner.kind_name() == "structured_binding_declarator" {
        for at in 0..8_u32 {
            let Some(name) = inner.named_child(at) else { return };
            let part = chain::member(chain.clone(), at.to_string().as_bytes());
            notes.declare_from(name, part, from);
        }
    } else if let Some(found) = declared(visit, declarator) {
        notes.declare_from(found.name, chain, from);
    }
}

fn parameter(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(declarator) = node.field("declarator") else { return };
    let of = node.field("type");
    let name = of.and_then(|of| values::type_name(visit, notes, of));
    let name = name.or_else(|| values::type_parameter(visit, notes, of?));
    if let Some(found) = declared(visit, declarator) {
        notes.declare(found.name, declarator_chain(declarator, name));
    }
}

fn loop_over(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(declarator) = node.field("declarator") else { return };
    let Some(right) = node.field("right") else { return };
    let of = node.field("type");
    let of = of.and_then(|of| values::of_type(visit, notes, of));
    let chain = of.or_else(|| chain::yielded(values::of(visit, notes, right), Protocol::Iterate));
    bind(visit, notes, declarator, chain, right.end_byte());
}

/// Records the types of the symbols that the visited declaration defines: return type, type of the
/// value, or aliased type.
fn record_types(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(of) = trailing_type(node).or_else(|| node.field("type")) else { return };
    let name = values::type_name(visit, notes, of);
    let name = name.or_else(|| values::type_parameter(visit, notes, of));
    let mut cursor = node.walk();
    let mut declarators = node.children_by_field_name("declarator", &mut cursor);
    for index in visit.defined.clone() {
        let declarator = declarators.next();
        let chain = match declarator {
            _ if name.is_none() => {
                let value = declarator.and_then(|of| of.field("value"));
                value.and_then(|value| values::of(visit, notes, value))
            }
            Some(declarator) => declarator_chain(declarator, name.clone()),
            None => name.as_deref().and_then(chain::instance),
        };
        if let Some(chain) = chain {
            notes.set_type(index, chain);
        }
    }
}

/// Returns the type after the parameters of a function: `auto f() -> Type`.
fn trailing_type<'t>(node: Node<'t>) -> Option<Node<'t>> {
    let mut declarator = node.field("declarator")?;
    while declarator.kind_name() != "function_declarator" {
        declarator = declarator.field("declarator").or_else(|| declarator.named_child(0))?;
    }
    let children = (0..8).map_while(|at| declarator.named_child(at));
    children.filter(|child| child.kind_name() == "trailing_return_type").last()?.named_child(0)
}

/// Records the fixture of a test that a macro defines as its base: the macro makes a class of both.
fn fixture(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    if visit.defined.is_empty() || visit.node().kind_name() != "function_definition" {
        return;
    }
    let suite = macros::defined(visit).and_then(|defined| defined.suite);
    if let Some(name) = suite.and_then(|suite| values::type_name(visit, notes, suite)) {
        notes.add_base(visit.defined.start, Chain::name(name));
    }
}

/// Records the fixture of a test whose name is a string.
fn test_case(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let fixture = macros::test_case(visit).and_then(|test| test.fixture);
    let Some(name) = fixture.and_then(|fixture| visit.text.get(fixture)) else { return };
    let name = String::from_utf8_lossy(name).replace("::", ".");
    notes.add_base(visit.defined.start, chain::without_arguments(&name));
}

fn bases(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    if visit.defined.is_empty() {
        return;
    }
    let Some(clause) = visit.child(visit.node(), "base_class_clause") else { return };
    for of in (0..32).map_while(|at| clause.named_child(at)) {
        if let Some(name) = values::type_name(visit, notes, of) {
            notes.add_base(visit.defined.start, Chain::name(name));
        }
    }
}

/// Records `using namespace a::b`, `using a::b::c` and `namespace c = a::b`.
fn using(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    notes.finish(node);
    let last = u32::try_from(node.named_child_count()).unwrap_or(0).checked_sub(1);
    let Some(path) = last.and_then(|last| node.named_child(last)) else { return };
    let mut text = visit.text_of(path);
    text.retain(|c| !c.is_whitespace());
    let whole = |alias: String| vec![ImportedName { name: String::new(), alias }];
    let is_namespace = node.child(1).is_some_and(|word| word.kind_name() == "namespace");
    let (module, names) = match node.field("name") {
        Some(alias) => (text, whole(visit.text_of(alias))),
        None if is_namespace => {
            (text, vec![ImportedName { name: "*".to_owned(), alias: String::new() }])
        }
        None => match text.rsplit_once("::") {
            Some((module, name)) => {
                let (name, alias) = (name.to_owned(), name.to_owned());
                (module.to_owned(), vec![ImportedName { name, alias }])
            }
            None => return,
        },
    };
    let (span, line) = (node.byte_range(), node.start_position().row + 1);
    notes.import(Import { span, line, kind: ImportKind::Module, module, names });
}

/// The scopes and template arguments that enclose a name.
struct Qualifiers {
    /// Number of levels from the name to the complete qualified name.
    levels: usize,
    /// The scopes before the name, as a chain.
    receiver: Option<Chain>,
}

/// Returns the scopes and template arguments that enclose the visited name.
fn qualifiers(visit: &Visit<'_, '_>) -> Qualifiers {
    let (mut levels, mut scopes) = (0, Vec::new());
    for _ in 0..16 {
        let field = visit.field_above(levels);
        match visit.ancestor_kind(levels + 1) {
            "template_function" | "template_type" | "template_method" if field == "name" => {}
            "qualified_identifier" if field == "name" => {
                let around = visit.ancestor(levels + 1);
                let scope = around.and_then(|around| around.field("scope"));
                if let Some(scope) = scope {
                    let own = scope.field("name").unwrap_or(scope);
                    scopes.push(visit.text_of(own));
                }
            }
            "dependent_name" | "dependent_type" => {}
            _ => break,
        }
        levels += 1;
    }
    scopes.reverse();
    Qualifiers { levels, receiver: (!scopes.is_empty()).then(|| Chain::name(scopes.join("."))) }
}

fn name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    if macros::masked_macro(visit, notes) {
        return;
    }
    let own = visit.bytes(node);
    let Qualifiers { levels, receiver } = qualifiers(visit);
    let field = visit.field_above(levels);
    let parent = visit.ancestor_kind(levels + 1);
    if node.kind_name() == "namespace_identifier" && field != "scope" {
        return;
    }
    match (field, parent) {
        ("name", "preproc_ifdef") => {}
        ("name" | "declarator", _)
        | (
            _,
            "preproc_params"
            | "parenthesized_declarator"
            | "reference_declarator"
            | "attributed_declarator"
            | "structured_binding_declarator"
            | "variadic_declarator"
            | "destructor_name",
        ) => return,
        ("left", "lambda_capture_initializer") => return,
        _ => {}
    }
    if receiver.is_none() && matches!(notes.local(own), NameLookup::Local(_)) {
        return;
    }
    if let Some(call) = called(visit, levels) {
        if levels == 0 || !CASTS.contains(&own) {
            notes.call(visit, node, receiver, arguments(call));
        }
        return;
    }
    match (field, parent) {
        ("left", "assignment_expression") => notes.refer(visit, node, Role::Write, receiver),
        ("scope", _) => {
            let is_type = own.first().is_some_and(u8::is_ascii_uppercase);
            let role = if is_type { Role::Type } else { Role::Read };
            notes.refer(visit, node, role, receiver);
        }
        _ => notes.refer(visit, node, Role::Read, receiver),
    }
}

fn type_name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    if macros::masked_macro(visit, notes) {
        return;
    }
    let Qualifiers { levels, receiver } = qualifiers(visit);
    let field = visit.field_above(levels);
    let around = visit.ancestor(levels + 1);
    let parent = visit.ancestor_kind(levels + 1);
    let has_body = || around.is_some_and(|around| around.field("body").is_some());
    let is_declared = match field {
        "declarator" => true,
        "name" => parent == "alias_declaration" || has_body(),
        _ => parent == "type_parameter_declaration" || parent == "destructor_name",
    };
    if is_declared || matches!(notes.local(visit.bytes(node)), NameLookup::Local(_)) {
        return;
    }
    match parent {
        "base_class_clause" => notes.refer(visit, node, Role::Base, receiver),
        "new_expression" if field == "type" => {
            notes.call(visit, node, receiver, around.map_or(0, arguments));
        }
        _ => match objects::constructed(visit, notes, levels) {
            Some(arguments) => notes.call(visit, node, receiver, arguments),
            None => notes.refer(visit, node, Role::Type, receiver),
        },
    }
}

fn member(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Qualifiers { levels, receiver: scopes } = qualifiers(visit);
    let around = visit.ancestor(levels + 1);
    match visit.ancestor_kind(levels + 1) {
        "field_expression" => {}
        "field_initializer" => {
            let is_base = visit.bytes(node).first().is_some_and(u8::is_ascii_uppercase);
            if is_base {
                let list = around.and_then(|around| around.named_child(1));
                let count = list.map_or(0, |list| list.named_child_count());
                return notes.call(visit, node, None, count);
            }
            return notes.refer(visit, node, Role::Write, Some(Chain::own()));
        }
        _ => return,
    }
    let of = around.and_then(|around| around.field("argument"));
    // `value.Base::member()` names the type whose member it is.
    let receiver =
        scopes.or_else(|| chain::receiver(of.and_then(|of| values::of(visit, notes, of))));
    if let Some(call) = called(visit, levels + 1) {
        return notes.call(visit, node, receiver, arguments(call));
    }
    match (visit.field_above(levels + 1), visit.ancestor_kind(levels + 2)) {
        ("left", "assignment_expression") => notes.refer(visit, node, Role::Write, receiver),
        _ => notes.refer(visit, node, Role::Read, receiver),
    }
}
