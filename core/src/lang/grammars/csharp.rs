//! C#.

use super::modifiers;
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

mod directives;
mod locals;
mod refer;
mod values;

/// C#. Namespaces are listed as symbols, but are not part of qualified names.
pub(crate) static CSHARP: Language = Language {
    name: "csharp",
    extensions: &["cs", "csx"],
    filenames: &[],
    shebangs: &["dotnet-script"],
    separator: ".",
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    tests: TestConventions {
        file_prefixes: &[],
        file_suffixes: &["Test.cs", "Tests.cs"],
        directories: &["test", "tests", "Test", "Tests"],
    },
    grammar: grammar!("tree-sitter-c-sharp", tree_sitter_c_sharp::LANGUAGE),
    refine: None,
    mask: Some(directives::mask),
    embedded: None,
    comments: &["comment"],
    doc_comments: &["///", "/**"],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer::refer),
    scopes: refer::SCOPES,
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let definition = match node.kind_name() {
        "namespace_declaration" => Definition::named(visit, SymbolKind::Module)
            .map(|definition| Definition { scope: Some(String::new()), ..definition }),
        "class_declaration" => Definition::named(visit, SymbolKind::Class),
        "record_declaration" if modifiers::child(node, &["struct"]).is_none() => {
            Definition::named(visit, SymbolKind::Class)
        }
        "struct_declaration" | "record_declaration" => Definition::named(visit, SymbolKind::Struct),
        "interface_declaration" => Definition::named(visit, SymbolKind::Interface),
        "enum_declaration" => Definition::named(visit, SymbolKind::Enum),
        "enum_member_declaration" => Definition::named(visit, SymbolKind::EnumMember),
        "delegate_declaration" => Definition::named(visit, SymbolKind::Type),
        "method_declaration" => Definition::named(visit, SymbolKind::Method),
        "local_function_statement" => Definition::named(visit, SymbolKind::Function),
        "constructor_declaration" => constructor(visit),
        "destructor_declaration" => Definition::named(visit, SymbolKind::Method)
            .map(|definition| Definition { name: format!("~{}", definition.name), ..definition }),
        "operator_declaration" | "conversion_operator_declaration" => operator(visit),
        "property_declaration" => property(visit),
        "event_declaration" => Definition::named(visit, SymbolKind::Property),
        "indexer_declaration" => indexer(visit),
        // The parameters of a record are its properties.
        "parameter" if visit.ancestor_kind(2) == "record_declaration" => {
            Definition::named(visit, SymbolKind::Property)
        }
        "field_declaration" | "event_field_declaration" => return fields(visit, found),
        _ => return,
    };
    found.extend(definition.map(|definition| finish(visit, definition)));
}

fn finish<'t>(visit: &Visit<'_, 't>, definition: Definition<'t>) -> Definition<'t> {
    let signature_start = modifiers::after_annotations(visit.node());
    Definition { signature_start, visibility: visibility(visit), ..definition }
}

fn visibility(visit: &Visit<'_, '_>) -> Visibility {
    let node = visit.node();
    if let Some(visibility) = modifiers::visibility(visit, node) {
        return visibility;
    }
    let around = visit.enclosing().filter(|symbol| symbol.kind != SymbolKind::Module);
    match around {
        _ if matches!(node.kind_name(), "namespace_declaration" | "parameter") => {
            Visibility::Public
        }
        // An explicit interface implementation is accessible through the interface.
        _ if modifiers::child(node, &["explicit_interface_specifier"]).is_some() => {
            Visibility::Public
        }
        Some(symbol) if matches!(symbol.kind, SymbolKind::Interface | SymbolKind::Enum) => {
            symbol.visibility
        }
        Some(_) => Visibility::Private,
        None => Visibility::Internal,
    }
}

fn constructor<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let definition = Definition::named(visit, SymbolKind::Constructor)?;
    let body = modifiers::child(visit.node(), &["constructor_initializer"]).or(definition.body);
    Some(Definition { body, ..definition })
}

/// Returns an operator, named `operator +`, or a conversion, named `operator int`.
fn operator<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let sign = node.field("operator").or_else(|| node.field("type"))?;
    let definition = Definition::new(visit, SymbolKind::Method, sign);
    Some(Definition {
        name: format!("operator {}", definition.name),
        body: node.field("body"),
        ..definition
    })
}

fn property<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let definition = Definition::named(visit, SymbolKind::Property)?;
    let body = modifiers::child(visit.node(), &["accessor_list", "arrow_expression_clause"]);
    Some(Definition { body, ..definition })
}

fn indexer<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = modifiers::child(node, &["this"])?;
    let body = modifiers::child(node, &["accessor_list", "arrow_expression_clause"]);
    Some(Definition { body, ..Definition::new(visit, SymbolKind::Property, name) })
}

/// Adds the fields, constants or events of a declaration, which may declare several.
fn fields<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let Some(list) = modifiers::child(node, &["variable_declaration"]) else { return };
    let is_constant = modifiers::has(visit, node, "const")
        || (modifiers::has(visit, node, "static") && modifiers::has(visit, node, "readonly"));
    let kind = if is_constant { SymbolKind::Constant } else { SymbolKind::Field };
    let mut cursor = list.walk();
    for declarator in list.named_children(&mut cursor) {
        let is_declarator = declarator.kind_name() == "variable_declarator";
        let name = declarator.field("name").filter(|_| is_declarator);
        found.extend(name.map(|name| finish(visit, Definition::new(visit, kind, name))));
    }
}
