//! Kotlin.

use tree_sitter::Node;

use super::modifiers;
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

mod annotations;
mod bodies;
mod guards;
mod headers;
mod locals;
mod names;
mod refer;
mod uses;
mod values;

/// Kotlin. The qualified name of an extension includes the extended type: `String.words`.
pub(crate) static KOTLIN: Language = Language {
    name: "kotlin",
    extensions: &["kt", "kts"],
    filenames: &[],
    shebangs: &["kotlin", "kscript"],
    separator: ".",
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    tests: TestConventions {
        file_prefixes: &[],
        file_suffixes: &["Test.kt", "Tests.kt", "IT.kt", "Spec.kt"],
        directories: &["test", "androidTest", "commonTest", "jvmTest", "jsTest", "nativeTest"],
    },
    grammar: grammar!("tree-sitter-kotlin-ng", tree_sitter_kotlin_ng::LANGUAGE),
    refine: None,
    mask: Some(headers::mask),
    embedded: None,
    comments: &["line_comment", "block_comment"],
    doc_comments: &["/**"],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer::refer),
    scopes: refer::SCOPES,
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let definition = match node.kind_name() {
        "class_declaration" => class(visit),
        "object_declaration" => Definition::named(visit, SymbolKind::Class),
        "companion_object" => companion(visit),
        "enum_entry" => plain(visit, SymbolKind::EnumMember, &["identifier"]),
        "function_declaration" => function(visit),
        "secondary_constructor" => plain(visit, SymbolKind::Constructor, &["constructor"]),
        "type_alias" => {
            let name = node.field("type");
            name.map(|name| Definition::new(visit, SymbolKind::Type, name))
        }
        "class_parameter" => parameter(visit),
        "property_declaration" => return properties(visit, found),
        _ => return,
    };
    found.extend(definition.map(|definition| finish(visit, definition)));
}

fn finish<'t>(visit: &Visit<'_, 't>, definition: Definition<'t>) -> Definition<'t> {
    let node = visit.node();
    let visibility =
        modifiers::visibility(visit, node).unwrap_or_else(|| match visit.enclosing() {
            Some(symbol) if symbol.kind.is_callable() => Visibility::Private,
            Some(symbol) if node.kind_name() == "enum_entry" => symbol.visibility,
            _ => Visibility::Public,
        });
    let bodies = ["class_body", "enum_class_body", "function_body", "block"];
    Definition {
        name: definition.name.trim_matches('`').to_owned(),
        body: modifiers::child(node, &bodies),
        signature_start: modifiers::after_annotations(node),
        visibility,
        ..definition
    }
}

/// Returns a definition named by its first child of one of `kinds`.
fn plain<'t>(visit: &Visit<'_, 't>, kind: SymbolKind, kinds: &[&str]) -> Option<Definition<'t>> {
    Some(Definition::new(visit, kind, modifiers::child(visit.node(), kinds)?))
}

fn class<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let has = |kind: &str| modifiers::child(node, &[kind]).is_some();
    let kind = if has("interface") {
        SymbolKind::Interface
    } else if has("enum_class_body") || modifiers::has(visit, node, "enum") {
        SymbolKind::Enum
    } else {
        SymbolKind::Class
    };
    Definition::named(visit, kind)
}

/// Returns a named companion object. Its members count as members of the class.
fn companion<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let definition = Definition::named(visit, SymbolKind::Class)?;
    Some(Definition { scope: Some(String::new()), ..definition })
}

fn function<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let mut definition = Definition::named(visit, SymbolKind::Function)?;
    let mut prefix = extended(visit, "function_value_parameters");
    if definition.name.is_empty() {
        // In front of some parameter lists the grammar parses `List<T>.name` as a type.
        let missing = visit.node().field("name")?;
        let whole =
            missing.prev_named_sibling().filter(|whole| whole.kind_name() == "user_type")?;
        let name =
            modifiers::children(whole).filter(|part| part.kind_name() == "identifier").last()?;
        prefix = visit.text(whole).split(['<', '.']).next().map(str::to_owned);
        definition = Definition::new(visit, SymbolKind::Function, name);
    }
    let is_method = is_member(visit) || prefix.is_some();
    let kind = if is_method { SymbolKind::Method } else { SymbolKind::Function };
    Some(Definition { kind, prefix, ..definition })
}

fn is_member(visit: &Visit<'_, '_>) -> bool {
    matches!(visit.ancestor_kind(1), "class_body" | "enum_class_body")
}

/// Returns the name of the extended type of an extension, which precedes the child `end`.
fn extended(visit: &Visit<'_, '_>, end: &str) -> Option<String> {
    let head: Vec<Node> =
        modifiers::children(visit.node()).take_while(|child| child.kind_name() != end).collect();
    let dot = head.iter().position(|child| child.kind_name() == ".")?;
    let mut of = *head.get(dot.checked_sub(1)?)?;
    while matches!(of.kind_name(), "nullable_type" | "parenthesized_type" | "non_nullable_type") {
        of = of.named_child(0)?;
    }
    let name = visit.text(of);
    Some(name.split('<').next()?.to_owned())
}

/// Returns the property that a class parameter with `val` or `var` declares.
fn parameter<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    modifiers::child(visit.node(), &["val", "var"])?;
    plain(visit, SymbolKind::Property, &["identifier"])
}

/// Adds the properties of types and files; local variables are not symbols.
fn properties<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let is_local = visit.enclosing_kind().is_some_and(SymbolKind::is_callable);
    let is_outside = visit.ancestor_kind(1) == "source_file";
    if is_local || !(is_outside || is_member(visit)) {
        return;
    }
    let prefix = extended(visit, "variable_declaration");
    let kind = if modifiers::has(visit, node, "const") {
        SymbolKind::Constant
    } else if is_outside && prefix.is_none() {
        SymbolKind::Variable
    } else {
        SymbolKind::Property
    };
    let several = modifiers::child(node, &["multi_variable_declaration"]);
    let declared = modifiers::children(several.unwrap_or(node));
    for declared in declared.filter(|child| child.kind_name() == "variable_declaration") {
        let Some(name) = modifiers::child(declared, &["identifier"]) else { continue };
        let definition = Definition::new(visit, kind, name);
        found.push(finish(visit, Definition { prefix: prefix.clone(), ..definition }));
    }
}
