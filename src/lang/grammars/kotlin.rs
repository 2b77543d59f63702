//! Kotlin.

use tree_sitter::Node;

use super::{mentions, modifiers};
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

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
    grammar: tree_sitter_kotlin_ng::LANGUAGE,
    refine: None,
    mask: None,
    embedded: None,
    comments: &["line_comment", "block_comment"],
    doc_comments: &["/**"],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer),
    scopes: &[
        "function_declaration",
        "secondary_constructor",
        "anonymous_initializer",
        "anonymous_function",
        "lambda_literal",
        "getter",
        "setter",
    ],
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

/// Records what the visited node imports, declares, extends or calls.
fn refer<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "package_header" => {
            let name = modifiers::child(node, &["qualified_identifier"]);
            notes.package = name.map(|name| mentions::path(visit, name));
        }
        "import" => import(visit, notes),
        "class_declaration" | "object_declaration" | "companion_object" => bases(visit, notes),
        "function_declaration" => {
            let list = modifiers::child(node, &["function_value_parameters"]);
            let of = list.and_then(|list| list.next_named_sibling());
            let of = of.filter(|of| matches!(of.kind_name(), "user_type" | "nullable_type"));
            mentions::typed(visit, notes, of);
        }
        "class_parameter" => {
            let of = modifiers::child(node, &["user_type", "nullable_type"]);
            mentions::typed(visit, notes, of);
        }
        "property_declaration" => {
            let declared = modifiers::child(node, &["variable_declaration"]);
            let of = declared
                .and_then(|declared| modifiers::child(declared, &["user_type", "nullable_type"]));
            mentions::typed(visit, notes, of);
        }
        "parameter" | "variable_declaration" => local(visit, notes),
        _ => mentions::call(visit, notes),
    }
}

fn import(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(path) = modifiers::child(node, &["qualified_identifier"]) else { return };
    let path = mentions::path(visit, path);
    if modifiers::child(node, &["*"]).is_some() {
        return mentions::import(visit, notes, path, vec![mentions::imported("*", None)]);
    }
    let alias = modifiers::child(node, &["identifier"]).map(|alias| visit.text_of(alias));
    mentions::import_last(visit, notes, &path, '.', alias);
}

fn bases(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(list) = modifiers::child(visit.node(), &["delegation_specifiers"]) else { return };
    for specifier in modifiers::children(list) {
        let inner = ["constructor_invocation", "explicit_delegation"];
        let of = modifiers::child(specifier, &inner).unwrap_or(specifier);
        if let Some(of) = modifiers::child(of, &["user_type"]) {
            mentions::base(visit, notes, of);
        }
    }
}

/// Declares a parameter, or a variable with its initializer.
fn local(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let name = modifiers::child(node, &["identifier"]);
    let of = modifiers::child(node, &["user_type", "nullable_type"]);
    let is_set = visit.ancestor_kind(1) == "property_declaration";
    let value = node.next_sibling().filter(|next| is_set && next.kind_name() == "=");
    let value = value.and_then(|sign| sign.next_named_sibling());
    mentions::declare(visit, notes, name, of, value);
}
