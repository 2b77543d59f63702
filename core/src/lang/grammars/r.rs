//! R.

use tree_sitter::Node;

use crate::lang::chain::Chain;
use crate::lang::facts::{Import, ImportKind, ImportedName, Role};
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

/// R.
pub(crate) static R: Language = Language {
    name: "r",
    extensions: &["r"],
    filenames: &[".Rprofile"],
    shebangs: &["Rscript"],
    separator: "$",
    line_comments: &["#"],
    block_comments: &[],
    tests: TestConventions {
        file_prefixes: &["test-", "test_"],
        file_suffixes: &[],
        directories: &["testthat", "tests"],
    },
    grammar: grammar!("tree-sitter-r", tree_sitter_r::LANGUAGE),
    refine: None,
    mask: None,
    embedded: None,
    comments: &["comment"],
    doc_comments: &[],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer),
    scopes: &["function_definition"],
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let definition = match visit.node().kind_name() {
        "binary_operator" => assignment(visit),
        "call" => generic(visit),
        "argument" => member(visit),
        _ => None,
    };
    found.extend(definition.map(|definition| {
        let is_private = definition.name.starts_with('.');
        let visibility = if is_private { Visibility::Private } else { definition.visibility };
        Definition { visibility, ..definition }
    }));
}

/// Returns the name and the value of an assignment.
fn assigned<'t>(visit: &Visit<'_, 't>) -> Option<(Node<'t>, Node<'t>)> {
    let node = visit.node();
    let (left, right) = (node.field("lhs")?, node.field("rhs")?);
    let (name, value) = match visit.field(node, "operator")?.as_ref() {
        "<-" | "<<-" | "=" | ":=" => (left, right),
        "->" | "->>" => (right, left),
        _ => return None,
    };
    matches!(name.kind_name(), "identifier" | "string").then_some((name, value))
}

fn plain(name: &str) -> String {
    name.trim_matches(['`', '"', '\'']).to_owned()
}

/// Returns the name of the called function without its package.
fn called_name<'t>(visit: &Visit<'_, 't>, call: Node<'t>) -> String {
    let name = visit.field(call, "function").unwrap_or_default();
    name.rsplit(':').next().unwrap_or_default().to_owned()
}

/// Returns a function, a class, or a top-level value.
fn assignment<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let (name, value) = assigned(visit)?;
    let called =
        if value.kind_name() == "call" { called_name(visit, value) } else { String::new() };
    let kind = match value.kind_name() {
        "function_definition" => SymbolKind::Function,
        _ if matches!(called.as_str(), "R6Class" | "setRefClass" | "setClass" | "ggproto") => {
            SymbolKind::Class
        }
        _ if visit.ancestor_kind(1) != "program" => return None,
        _ => SymbolKind::Variable,
    };
    if kind == SymbolKind::Variable && visit.is_defined(&plain(&visit.text(name)), "$") {
        return None;
    }
    let body = match kind {
        SymbolKind::Function => value.field("body"),
        SymbolKind::Class => value.field("arguments"),
        _ => None,
    };
    let definition = Definition::new(visit, kind, name);
    Some(Definition { name: plain(&definition.name), body, ..definition })
}

/// Returns the argument `at` of a call if it is a string.
fn string_argument<'t>(call: Node<'t>, at: u32) -> Option<Node<'t>> {
    let mut cursor = call.walk();
    let arguments = call.field("arguments")?;
    let mut values = arguments.children_by_field_name("argument", &mut cursor);
    let value = values.nth(usize::try_from(at).ok()?)?.field("value")?;
    (value.kind_name() == "string").then_some(value)
}

/// Returns the definition made by `setClass`, `setGeneric` or `setMethod`.
fn generic<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let kind = match called_name(visit, node).as_str() {
        // An assigned class is defined by the assignment.
        "setClass" | "setRefClass" if visit.ancestor_kind(1) != "binary_operator" => {
            SymbolKind::Class
        }
        "setGeneric" => SymbolKind::Function,
        "setMethod" => SymbolKind::Method,
        _ => return None,
    };
    let name = string_argument(node, 0)?;
    let definition = Definition::new(visit, kind, name);
    let class = string_argument(node, 1).filter(|_| kind == SymbolKind::Method);
    let prefix = class.map(|class| plain(&visit.text(class)));
    Some(Definition { name: plain(&definition.name), prefix, ..definition })
}

/// Returns a function in the member list of a class: `public = list(push = function(x) …)`.
fn member<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = node.field("name")?;
    let value = node.field("value").filter(|v| v.kind_name() == "function_definition")?;
    if visit.enclosing_kind() != Some(SymbolKind::Class) {
        return None;
    }
    // Ancestors: the arguments of `list(…)`, the call itself, and the argument `public = …`.
    let list = visit.ancestor(3).filter(|list| list.kind_name() == "argument");
    let part = list.and_then(|list| visit.field(list, "name"));
    let visibility = match part.as_deref() {
        Some("private") => Visibility::Private,
        _ => Visibility::Public,
    };
    let body = value.field("body");
    Some(Definition { body, visibility, ..Definition::new(visit, SymbolKind::Method, name) })
}

fn refer(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "parameter" => {
            if let Some(name) = node.field("name") {
                notes.declare(name, None);
            }
        }
        "binary_operator" if visit.defined.is_empty() => {
            if let Some((name, _)) = assigned(visit) {
                notes.declare(name, None);
            }
        }
        "call" => call(visit, notes),
        "identifier" if visit.ancestor_kind(1) == "argument" && visit.field_above(0) == "value" => {
            if matches!(notes.local(visit.bytes(node)), NameLookup::NotLocal) {
                notes.refer(visit, node, Role::Read, None);
            }
        }
        _ => {}
    }
}

fn call(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (Some(function), Some(arguments)) = (node.field("function"), node.field("arguments"))
    else {
        return;
    };
    let mut cursor = arguments.walk();
    let count = arguments.children_by_field_name("argument", &mut cursor).count();
    match function.kind_name() {
        "identifier" => {
            let word = &visit.text[function.byte_range()];
            let loads: [&[u8]; 5] =
                [b"library", b"require", b"requireNamespace", b"loadNamespace", b"source"];
            if loads.contains(&word) {
                import(visit, notes, word == b"source");
            } else if matches!(notes.local(word), NameLookup::NotLocal) {
                notes.call(visit, function, None, count);
            }
        }
        "namespace_operator" => {
            let package = visit.field(function, "lhs").map(Chain::name);
            if let Some(name) = function.field("rhs") {
                notes.call(visit, name, package, count);
            }
        }
        "extract_operator" => {
            if let Some(name) = function.field("rhs") {
                notes.call(visit, name, Some(Chain::unknown()), count);
            }
        }
        _ => {}
    }
}

/// Records a package that is loaded, or a file that is sourced.
fn import(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, is_file: bool) {
    let node = visit.node();
    let mut cursor = node.walk();
    let value = node
        .field("arguments")
        .and_then(|list| list.children_by_field_name("argument", &mut cursor).next())
        .and_then(|argument| argument.field("value"));
    let Some(value) = value else { return };
    let kind = match value.kind_name() {
        "string" if is_file => ImportKind::LocalInclude,
        "string" => ImportKind::Module,
        "identifier" if !is_file => ImportKind::Module,
        "identifier" => ImportKind::DynamicVariable,
        _ => ImportKind::DynamicConcatenation,
    };
    let all = ImportedName { name: "*".to_owned(), alias: String::new() };
    let text = String::from_utf8_lossy(&visit.text[value.byte_range()]);
    let line = node.start_position().row + 1;
    notes.import(Import {
        span: node.byte_range(),
        line,
        kind,
        module: plain(&text),
        names: vec![all],
    });
}
