//! Lua.

use tree_sitter::Node;

use super::{mentions, modifiers};
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

/// Lua. The qualified name of a table's function includes the table: `M.new`, and `M.add` for
/// `function M:add()`.
pub(crate) static LUA: Language = Language {
    name: "lua",
    extensions: &["lua", "rockspec", "wlua"],
    filenames: &[".luacheckrc"],
    shebangs: &["lua", "luajit", "texlua"],
    separator: ".",
    line_comments: &["--"],
    block_comments: &[("--[[", "]]")],
    tests: TestConventions {
        file_prefixes: &["test_"],
        file_suffixes: &["_test.lua", "_spec.lua"],
        directories: &["test", "tests", "spec"],
    },
    grammar: grammar!("tree-sitter-lua", tree_sitter_lua::LANGUAGE),
    refine: None,
    mask: None,
    embedded: None,
    comments: &["comment"],
    doc_comments: &[],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer),
    scopes: &["function_declaration", "function_definition", "for_statement"],
};

/// Maximum number of nested tables around a key.
const TABLES_MAX: usize = 16;

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    match node.kind_name() {
        "function_declaration" => found.extend(function(visit)),
        "assignment_statement" => assignment(visit, found),
        // `local a, b` without values.
        "variable_declaration" => {
            let list = modifiers::child(node, &["variable_list"]);
            for name in list.into_iter().flat_map(names) {
                found.extend(variable(visit, name, None, 0));
            }
        }
        "field" => found.extend(field(visit)),
        _ => {}
    }
}

fn function<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let mut definition = target(visit, node.field("name")?, SymbolKind::Function)?;
    definition.body = node.field("body").or_else(|| end(node));
    let is_local = modifiers::child(node, &["local"]).is_some();
    definition.visibility = visibility(visit, is_local);
    Some(definition)
}

/// Returns the `end` of a function, which serves as the body of an empty function.
fn end(node: Node) -> Option<Node> {
    let parameters = node.field("parameters")?;
    parameters.next_sibling()
}

/// Returns the definition of an assignment target: a name, or a field of a table (`a.b.c`).
fn target<'t>(visit: &Visit<'_, 't>, target: Node<'t>, kind: SymbolKind) -> Option<Definition<'t>> {
    let (name, table) = match target.kind_name() {
        "identifier" => return Some(Definition::new(visit, kind, target)),
        "dot_index_expression" => (target.field("field")?, target),
        "method_index_expression" => (target.field("method")?, target),
        _ => return None,
    };
    let of = table.field("table")?;
    let is_plain = |text: &str| text.bytes().all(|byte| is_word(byte) || byte == b'.');
    let prefix = visit.text(of);
    if !is_plain(&prefix) {
        return None;
    }
    let is_method = target.kind_name() == "method_index_expression";
    let kind = if is_method { SymbolKind::Method } else { kind };
    let prefix = Some(prefix.into_owned());
    Some(Definition { prefix, ..Definition::new(visit, kind, name) })
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

fn visibility(visit: &Visit<'_, '_>, is_local: bool) -> Visibility {
    let in_function = visit.enclosing_kind().is_some_and(SymbolKind::is_callable);
    if is_local || in_function { Visibility::Private } else { Visibility::Public }
}

fn names(list: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let is_target = |node: &Node| node.is_named() && node.kind_name() != "attribute";
    modifiers::children(list).filter(is_target)
}

/// Adds the targets of an assignment: functions in any scope, other top-level values at their first
/// assignment.
fn assignment<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let list = |kind: &str| modifiers::child(node, &[kind]);
    let (Some(targets), Some(values)) = (list("variable_list"), list("expression_list")) else {
        return;
    };
    let outer = usize::from(visit.ancestor_kind(1) == "variable_declaration");
    let mut values = names(values);
    for target in names(targets) {
        found.extend(variable(visit, target, values.next(), outer));
    }
}

fn variable<'t>(
    visit: &Visit<'_, 't>,
    name: Node<'t>,
    value: Option<Node<'t>>,
    outer: usize,
) -> Option<Definition<'t>> {
    let is_local = outer > 0 || visit.node().kind_name() == "variable_declaration";
    let function = value.filter(|value| value.kind_name() == "function_definition");
    let is_constant = name.next_sibling().is_some_and(|next| next.kind_name() == "attribute");
    let kind = match (function, name.kind_name()) {
        (Some(_), _) => SymbolKind::Function,
        (None, "dot_index_expression") => SymbolKind::Field,
        (None, _) if is_constant => SymbolKind::Constant,
        (None, _) => SymbolKind::Variable,
    };
    let mut definition = target(visit, name, kind)?;
    if let Some(function) = function {
        definition.body = function.field("body").or_else(|| end(function));
    } else {
        let is_outside = visit.ancestor_kind(outer + 1) == "chunk";
        let text = value.map(|value| visit.text(value)).unwrap_or_default();
        let is_import = text.starts_with("require");
        let whole = match &definition.prefix {
            Some(prefix) => format!("{prefix}.{}", definition.name),
            None => definition.name.clone(),
        };
        if !is_outside || is_import || visit.is_defined(&whole, ".") {
            return None;
        }
    }
    definition.outer = outer;
    definition.visibility = visibility(visit, is_local);
    Some(definition)
}

/// Returns the function that is the value of a table key. The keys of enclosing tables become its
/// prefix.
fn field<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let value = node.field("value")?;
    let name = node.field("name").filter(|name| name.kind_name() == "identifier")?;
    if value.kind_name() != "function_definition" {
        return None;
    }
    let mut definition = Definition::new(visit, SymbolKind::Function, name);
    definition.body = value.field("body").or_else(|| end(value));
    // The keys of enclosing tables are not symbols, but are part of the qualified name.
    let mut keys = Vec::new();
    for level in 1..TABLES_MAX {
        match visit.ancestor(level) {
            Some(around) if around.kind_name() == "field" => {
                keys.extend(visit.field(around, "name"));
            }
            Some(around) if around.kind_name() == "table_constructor" => {}
            _ => break,
        }
    }
    keys.reverse();
    definition.prefix = (!keys.is_empty()).then(|| keys.join("."));
    Some(definition)
}

/// Records what the visited node loads, declares or calls.
fn refer<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "parameters" => {
            for name in modifiers::children(node).filter(|name| name.kind_name() == "identifier") {
                mentions::declare(visit, notes, Some(name), None, None);
            }
        }
        "variable_declaration" | "for_generic_clause" => {
            let around = modifiers::child(node, &["assignment_statement"]).unwrap_or(node);
            let names_of = modifiers::child(around, &["variable_list"]).into_iter().flat_map(names);
            let values = modifiers::child(around, &["expression_list"]).into_iter();
            let is_loop = node.kind_name() == "for_generic_clause";
            let mut values = values.flat_map(names).filter(|_| !is_loop);
            for name in names_of.filter(|name| name.kind_name() == "identifier") {
                mentions::declare(visit, notes, Some(name), None, values.next());
            }
        }
        "function_call" if visit.field(node, "name").as_deref() == Some("require") => {
            require(visit, notes);
        }
        _ => mentions::call(visit, notes),
    }
}

/// Records `local a = require "b.c"`.
fn require(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let arguments = visit.node().field("arguments");
    let text = arguments.and_then(|list| modifiers::child(list, &["string"]));
    let Some(content) = text.and_then(|text| text.field("content")) else { return };
    let around = visit.ancestor(2).filter(|around| around.kind_name() == "assignment_statement");
    let bound = around
        .and_then(|around| modifiers::child(around, &["variable_list"]))
        .and_then(|list| names(list).next())
        .filter(|name| name.kind_name() == "identifier");
    let alias = bound.map(|name| mentions::imported("", Some(visit.text_of(name))));
    mentions::import(visit, notes, visit.text_of(content), alias.into_iter().collect());
}
