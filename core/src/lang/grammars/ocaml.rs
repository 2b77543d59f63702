//! OCaml: implementations and interfaces.

use tree_sitter::Node;

use super::mentions;
use crate::lang::chain::Chain;
use crate::lang::facts::{Import, ImportKind, ImportedName};
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

/// OCaml.
pub(crate) static OCAML: Language = Language {
    name: "ocaml",
    extensions: &["ml"],
    filenames: &[],
    shebangs: &["ocaml"],
    separator: ".",
    line_comments: &[],
    block_comments: &[("(*", "*)")],
    tests: TestConventions {
        file_prefixes: &["test_"],
        file_suffixes: &["_test.ml"],
        directories: &["test", "tests"],
    },
    grammar: grammar!("tree-sitter-ocaml", tree_sitter_ocaml::LANGUAGE_OCAML),
    refine: None,
    mask: None,
    embedded: None,
    comments: &["comment"],
    doc_comments: &[],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer),
    scopes: &[
        "let_binding",
        "fun_expression",
        "function_expression",
        "let_expression",
        "match_case",
    ],
};

/// OCaml interfaces.
pub(crate) static OCAML_INTERFACE: Language = Language {
    name: "ocaml-interface",
    extensions: &["mli"],
    shebangs: &[],
    grammar: grammar!("tree-sitter-ocaml", tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE),
    ..OCAML
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let (kind, name) = match node.kind_name() {
        "let_binding" => return found.extend(value(visit)),
        "type_binding" => return found.extend(type_binding(visit)),
        "module_binding" => (SymbolKind::Module, "module_name"),
        "module_type_definition" => (SymbolKind::Interface, "module_type_name"),
        "class_binding" => (SymbolKind::Class, "class_name"),
        "class_type_binding" => (SymbolKind::Interface, "class_type_name"),
        "method_definition" | "method_specification" => (SymbolKind::Method, "method_name"),
        "instance_variable_definition" => (SymbolKind::Field, "instance_variable_name"),
        "field_declaration" => (SymbolKind::Field, "field_name"),
        "constructor_declaration" if visit.ancestor_kind(1) == "exception_definition" => {
            (SymbolKind::Type, "constructor_name")
        }
        "constructor_declaration" => (SymbolKind::EnumMember, "constructor_name"),
        "value_specification" => (SymbolKind::Prototype, "value_name"),
        "external" => (SymbolKind::Function, "value_name"),
        _ => return,
    };
    let operator = visit.child(node, "parenthesized_operator");
    let Some(name) = visit.child(node, name).or(operator) else { return };
    let body = node.field("body").or_else(|| {
        let typed = node.field("module_type")?;
        (typed.kind_name() == "signature").then_some(typed)
    });
    let is_private = kind == SymbolKind::Method && visit.child(node, "private").is_some();
    let definition = Definition::new(visit, kind, name);
    found.push(Definition {
        name: plain(&definition.name),
        body,
        outer: outer(visit),
        visibility: if is_private { Visibility::Private } else { Visibility::Public },
        ..definition
    });
}

/// Returns an operator name without parentheses.
fn plain(name: &str) -> String {
    name.trim_matches(['(', ')', ' ']).to_owned()
}

/// Returns 1 if the visited binding is the only one of its definition, so that the definition's
/// span includes the keyword, otherwise 0.
fn outer(visit: &Visit<'_, '_>) -> usize {
    let is_definition = visit.ancestor_kind(1).ends_with("_definition");
    let siblings = visit.ancestor(1).map_or(0, |definition| {
        let mut cursor = definition.walk();
        let kind = visit.node().kind_name();
        definition
            .named_children(&mut cursor)
            .filter(|child| child.kind_name() == kind)
            .take(2)
            .count()
    });
    usize::from(is_definition && siblings == 1)
}

/// Returns true if the visited binding belongs to a module, not to an expression.
fn is_outermost(visit: &Visit<'_, '_>) -> bool {
    visit.ancestor_kind(1) == "value_definition"
        && matches!(visit.ancestor_kind(2), "compilation_unit" | "structure" | "signature")
}

/// Returns a function or value of a module.
fn value<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = node.field("pattern")?;
    let is_name = matches!(name.kind_name(), "value_name" | "parenthesized_operator");
    if !is_name || !is_outermost(visit) {
        return None;
    }
    let body = node.field("body");
    let is_function = visit.child(node, "parameter").is_some()
        || body.is_some_and(|body| {
            matches!(body.kind_name(), "function_expression" | "fun_expression")
        });
    let kind = if is_function { SymbolKind::Function } else { SymbolKind::Constant };
    let definition = Definition::new(visit, kind, name);
    let is_private = definition.name.starts_with('_');
    Some(Definition {
        name: plain(&definition.name),
        body,
        outer: outer(visit),
        visibility: if is_private { Visibility::Private } else { Visibility::Public },
        ..definition
    })
}

fn type_binding<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let body = node.field("body");
    let kind = match body.map_or("", |body| body.kind_name()) {
        "record_declaration" => SymbolKind::Struct,
        "variant_declaration" => SymbolKind::Enum,
        _ => SymbolKind::Type,
    };
    let name = node.field("name").filter(|name| name.kind_name() == "type_constructor")?;
    let body = if kind == SymbolKind::Type { None } else { body };
    Some(Definition { body, outer: outer(visit), ..Definition::new(visit, kind, name) })
}

fn refer(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "value_pattern" => notes.declare(node, None),
        // The names are visible in the `let` expression, whose scope is open here.
        "value_definition" if visit.ancestor_kind(1) == "let_expression" => {
            let mut cursor = node.walk();
            for binding in node.named_children(&mut cursor) {
                let name = binding.field("pattern");
                if let Some(name) = name.filter(|name| name.kind_name() == "value_name") {
                    notes.declare(name, None);
                }
            }
        }
        "open_module" | "include_module" => import(visit, notes),
        "application_expression" => application(visit, notes),
        "value_path" => value_path(visit, notes),
        _ => {}
    }
}

/// Records the visited name where it is an argument or an operand: `f` in `map f` is read, and called in
/// `x |> f` and `f @@ x`.
fn value_path(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let sign = || visit.ancestor(1).and_then(|around| visit.field(around, "operator"));
    let is_called = match (visit.ancestor_kind(1), visit.field_above(0)) {
        ("application_expression", "argument") | ("list_expression" | "tuple_expression", _) => {
            false
        }
        ("infix_expression", "left") => sign().is_some_and(|sign| sign == "@@"),
        ("infix_expression", "right") => sign().is_some_and(|sign| sign == "|>"),
        _ => return,
    };
    let receiver = visit.child(node, "module_path").map(|path| Chain::name(visit.text(path)));
    let Some(name) = visit.child(node, "value_name") else { return };
    mentions::applied(visit, notes, name, receiver, is_called);
}

fn application(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let function = node.field("function");
    let Some(path) = function.filter(|function| function.kind_name() == "value_path") else {
        return;
    };
    let mut cursor = node.walk();
    let count = node.children_by_field_name("argument", &mut cursor).count();
    let receiver = visit.child(path, "module_path").map(|path| Chain::name(visit.text(path)));
    let Some(name) = visit.child(path, "value_name") else { return };
    let is_local = matches!(notes.local(&visit.text[name.byte_range()]), NameLookup::Local(_));
    if receiver.is_some() || !is_local {
        notes.call(visit, name, receiver, count);
    }
}

fn import(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node: Node = visit.node();
    let module = node.field("module").filter(|path| path.kind_name() == "module_path");
    let Some(module) = module.map(|module| visit.text(module).into_owned()) else { return };
    let kind = match node.kind_name() {
        "include_module" => ImportKind::ReExport,
        _ => ImportKind::Module,
    };
    let names = vec![ImportedName { name: "*".to_owned(), alias: String::new() }];
    let line = node.start_position().row + 1;
    notes.import(Import { span: node.byte_range(), line, kind, module, names });
}
