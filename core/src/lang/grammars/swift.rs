//! Swift.

use tree_sitter::Node;

use super::modifiers;
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

mod attributes;
mod directives;
mod locals;
mod ranges;
mod refer;
mod regexes;
mod units;
mod values;

/// Swift. Members of an extension are named like members of the extended type.
pub(crate) static SWIFT: Language = Language {
    name: "swift",
    extensions: &["swift"],
    filenames: &[],
    shebangs: &["swift"],
    separator: ".",
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    tests: TestConventions {
        file_prefixes: &[],
        file_suffixes: &["Test.swift", "Tests.swift", "Spec.swift"],
        directories: &["Test", "Tests", "test", "tests"],
    },
    grammar: grammar!("tree-sitter-swift", tree_sitter_swift::LANGUAGE),
    refine: None,
    mask: Some(units::mask),
    embedded: None,
    comments: &["comment", "multiline_comment"],
    doc_comments: &["///", "/**"],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer::refer),
    scopes: refer::SCOPES,
};

/// Node kinds of bodies whose functions are methods.
const BODIES: [&str; 3] = ["class_body", "enum_class_body", "protocol_body"];

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let is_member = BODIES.contains(&visit.ancestor_kind(1));
    let definition = match node.kind_name() {
        "class_declaration" => class(visit),
        "protocol_declaration" => Definition::named(visit, SymbolKind::Interface),
        "function_declaration" | "protocol_function_declaration" if is_member => {
            Definition::named(visit, SymbolKind::Method)
        }
        "function_declaration" => Definition::named(visit, SymbolKind::Function),
        "init_declaration" => Definition::named(visit, SymbolKind::Constructor),
        "deinit_declaration" => of_child(visit, SymbolKind::Method, "deinit"),
        "subscript_declaration" => of_child(visit, SymbolKind::Property, "subscript"),
        "typealias_declaration" | "associatedtype_declaration" => {
            Definition::named(visit, SymbolKind::Type)
        }
        "macro_declaration" => of_child(visit, SymbolKind::Macro, "simple_identifier"),
        "property_declaration" | "protocol_property_declaration" => {
            return properties(visit, is_member, found);
        }
        "enum_entry" => {
            let mut cursor = node.walk();
            for name in node.children_by_field_name("name", &mut cursor) {
                let definition = Definition::new(visit, SymbolKind::EnumMember, name);
                found.push(finish(visit, definition));
            }
            return;
        }
        _ => return,
    };
    found.extend(definition.map(|definition| finish(visit, definition)));
}

fn finish<'t>(visit: &Visit<'_, 't>, definition: Definition<'t>) -> Definition<'t> {
    let node = visit.node();
    let visibility =
        modifiers::visibility(visit, node).unwrap_or_else(|| match visit.enclosing() {
            Some(symbol) if symbol.kind.is_callable() => Visibility::Private,
            Some(symbol) if symbol.kind == SymbolKind::Interface => symbol.visibility,
            Some(symbol) if node.kind_name() == "enum_entry" => symbol.visibility,
            // The access modifier of an extension applies to its members.
            Some(symbol) if symbol.kind == SymbolKind::Impl => symbol.visibility,
            _ => Visibility::Internal,
        });
    let name = definition.name.trim_matches('`').to_owned();
    let signature_start = modifiers::after_annotations(node);
    Definition { name, signature_start, visibility, ..definition }
}

/// Returns a definition named by its first child of kind `of_kind`.
fn of_child<'t>(visit: &Visit<'_, 't>, kind: SymbolKind, of_kind: &str) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = modifiers::child(node, &[of_kind])?;
    let body = modifiers::child(node, &["function_body", "computed_property"]);
    Some(Definition { body, ..Definition::new(visit, kind, name) })
}

/// Returns a class, actor, struct, enumeration or extension, for which the grammar has one node
/// kind.
fn class<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let kind = match node.field("declaration_kind")?.kind_name() {
        "struct" => SymbolKind::Struct,
        "enum" => SymbolKind::Enum,
        "extension" => SymbolKind::Impl,
        _ => SymbolKind::Class,
    };
    let mut definition = Definition::named(visit, kind)?;
    if kind == SymbolKind::Impl {
        let of = definition.name.split('<').next().unwrap_or_default().to_owned();
        definition.name = format!("extension {of}");
        definition.scope = Some(of);
    }
    Some(definition)
}

/// Adds the properties of types and files; local variables are not symbols.
fn properties<'t>(visit: &Visit<'_, 't>, is_member: bool, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    if !is_member && visit.ancestor_kind(1) != "source_file" {
        return;
    }
    let is_fixed = modifiers::child(node, &["value_binding_pattern"])
        .is_some_and(|binding| modifiers::child(binding, &["let"]).is_some());
    let computed = node.field("computed_value");
    let of_type = modifiers::has(visit, node, "static") || modifiers::has(visit, node, "class");
    let kind = if computed.is_some() || node.kind_name() == "protocol_property_declaration" {
        SymbolKind::Property
    } else if is_fixed && (of_type || !is_member) {
        SymbolKind::Constant
    } else if is_member {
        SymbolKind::Field
    } else {
        SymbolKind::Variable
    };
    let body = computed.or_else(|| {
        modifiers::child(node, &["willset_didset_block", "protocol_property_requirements"])
    });
    let mut cursor = node.walk();
    for pattern in node.children_by_field_name("name", &mut cursor) {
        let mut names = Vec::new();
        add_names(pattern, &mut names, 0);
        for name in names {
            let definition = Definition { body, ..Definition::new(visit, kind, name) };
            found.push(finish(visit, definition));
        }
    }
}

/// Adds the names that a pattern binds, including tuple patterns.
fn add_names<'t>(pattern: Node<'t>, names: &mut Vec<Node<'t>>, depth: usize) {
    match pattern.kind_name() {
        "simple_identifier" => names.push(pattern),
        "pattern" if depth < 8 => {
            modifiers::children(pattern).for_each(|inner| add_names(inner, names, depth + 1));
        }
        _ => {}
    }
}
