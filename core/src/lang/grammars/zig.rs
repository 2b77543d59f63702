//! Zig.

use tree_sitter::Node;

use super::{mentions, modifiers};
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

/// Zig.
pub(crate) static ZIG: Language = Language {
    name: "zig",
    extensions: &["zig", "zon"],
    filenames: &[],
    shebangs: &[],
    separator: ".",
    line_comments: &["//"],
    block_comments: &[],
    tests: TestConventions {
        file_prefixes: &["test_"],
        file_suffixes: &["_test.zig"],
        directories: &["test", "tests"],
    },
    grammar: grammar!("tree-sitter-zig", tree_sitter_zig::LANGUAGE),
    refine: None,
    mask: None,
    embedded: None,
    comments: &["comment"],
    doc_comments: &["///"],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer),
    scopes: &["function_declaration", "test_declaration"],
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let definition = match visit.node().kind_name() {
        "function_declaration" => function(visit),
        "variable_declaration" => variable(visit),
        "container_field" => field(visit),
        "error_set_declaration" => return errors(visit, found),
        "test_declaration" => test(visit),
        _ => None,
    };
    found.extend(definition);
}

fn is_container(kind: &str) -> bool {
    matches!(
        kind,
        "struct_declaration" | "enum_declaration" | "union_declaration" | "opaque_declaration"
    )
}

fn visibility(node: Node) -> Visibility {
    match modifiers::child(node, &["pub", "export"]) {
        Some(_) => Visibility::Public,
        None => Visibility::Private,
    }
}

fn function<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let has_body = node.field("body").is_some();
    let kind = if is_container(visit.ancestor_kind(1)) {
        SymbolKind::Method
    } else if !has_body {
        SymbolKind::Prototype
    } else {
        SymbolKind::Function
    };
    let definition = Definition::named(visit, kind)?;
    Some(Definition { visibility: visibility(node), ..definition })
}

/// Returns a type bound to a name, or a constant or variable outside of functions.
fn variable<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = modifiers::child(node, &["identifier"])?;
    let last = u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?;
    let value = node.named_child(last).filter(|&value| value != name);
    let is_fixed = modifiers::child(node, &["const"]).is_some();
    let kind = match value.map_or("", |value| value.kind_name()) {
        _ if !is_fixed => SymbolKind::Variable,
        "struct_declaration" | "opaque_declaration" => SymbolKind::Struct,
        "enum_declaration" | "error_set_declaration" => SymbolKind::Enum,
        "union_declaration" => SymbolKind::Union,
        _ => SymbolKind::Constant,
    };
    let is_value = matches!(kind, SymbolKind::Constant | SymbolKind::Variable);
    let parent = visit.ancestor_kind(1);
    if is_value && parent != "source_file" && !is_container(parent) {
        return None;
    }
    // `const std = @import("std");` and `const Self = @This();` are aliases, not definitions.
    let text = value.map(|value| visit.text(value)).unwrap_or_default();
    if text.starts_with("@import(") || text.starts_with("@This(") {
        return None;
    }
    let body = value.filter(|_| !is_value).and_then(|value| modifiers::child(value, &["{"]));
    let visibility = visibility(node);
    Some(Definition { body, visibility, ..Definition::new(visit, kind, name) })
}

/// Returns a field of a struct or union, or a member of an enumeration.
fn field<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let in_enum = visit.ancestor_kind(1) == "enum_declaration";
    let in_tuple = visit.ancestor_kind(1) == "struct_declaration" && node.field("type").is_none();
    let name = node.field("name").filter(|_| !in_tuple)?;
    let kind = if in_enum { SymbolKind::EnumMember } else { SymbolKind::Field };
    let definition = Definition::new(visit, kind, name);
    (definition.name != "_").then_some(definition)
}

/// Adds the members of a named error set.
fn errors<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let is_named = visit.ancestor_kind(1) == "variable_declaration"
        && visit.enclosing_kind() == Some(SymbolKind::Enum);
    if !is_named {
        return;
    }
    let node = visit.node();
    let mut cursor = node.walk();
    let names = node.named_children(&mut cursor).filter(|child| child.kind_name() == "identifier");
    found.extend(names.map(|name| Definition::new(visit, SymbolKind::EnumMember, name)));
}

/// Returns a named test.
fn test<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = modifiers::child(node, &["string", "identifier"])?;
    let name = modifiers::child(name, &["string_content"]).unwrap_or(name);
    let body = modifiers::child(node, &["block"]);
    let visibility = Visibility::Private;
    Some(Definition { body, visibility, ..Definition::new(visit, SymbolKind::Function, name) })
}

/// Records what the visited node imports, declares or calls.
fn refer<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let of = node.field("type");
    match node.kind_name() {
        "builtin_function" => import(visit, notes),
        "function_declaration" | "container_field" => mentions::typed(visit, notes, of),
        "parameter" => {
            let name = node.field("name");
            mentions::declare(visit, notes, name, of, None);
        }
        "variable_declaration" => {
            let name = modifiers::child(node, &["identifier"]);
            let sign = modifiers::child(node, &["="]);
            let value = sign.and_then(|sign| sign.next_named_sibling());
            mentions::declare(visit, notes, name, of, value);
        }
        "payload" => {
            for name in modifiers::children(node).filter(|name| name.kind_name() == "identifier") {
                mentions::declare(visit, notes, Some(name), None, None);
            }
        }
        _ => mentions::call(visit, notes),
    }
}

/// Records `const a = @import("b.zig");`.
fn import(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let word = modifiers::child(node, &["builtin_identifier"]);
    if word.is_none_or(|word| visit.text_of(word) != "@import") {
        return;
    }
    let list = modifiers::child(node, &["arguments"]);
    let text = list.and_then(|list| modifiers::child(list, &["string"]));
    let Some(content) = text.and_then(|text| modifiers::child(text, &["string_content"])) else {
        return;
    };
    let around = visit.ancestor(1).filter(|around| around.kind_name() == "variable_declaration");
    let bound = around.and_then(|around| modifiers::child(around, &["identifier"]));
    let alias = bound.map(|name| mentions::imported("", Some(visit.text_of(name))));
    mentions::import(visit, notes, visit.text_of(content), alias.into_iter().collect());
}
