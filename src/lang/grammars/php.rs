//! PHP.

use tree_sitter::Node;

use super::{mentions, modifiers};
use crate::lang::facts::ImportKind;
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

/// PHP. Names of properties do not include the `$`.
pub(crate) static PHP: Language = Language {
    name: "php",
    extensions: &["php", "phtml", "php3", "php4", "php5", "php7", "phps", "inc"],
    filenames: &[],
    shebangs: &["php"],
    separator: "::",
    line_comments: &["//", "#"],
    block_comments: &[("/*", "*/")],
    tests: TestConventions {
        file_prefixes: &[],
        file_suffixes: &["Test.php", "TestCase.php", "_test.php"],
        directories: &["test", "tests", "Tests"],
    },
    grammar: tree_sitter_php::LANGUAGE_PHP,
    refine: None,
    mask: None,
    embedded: None,
    comments: &["comment"],
    doc_comments: &["/**"],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer),
    scopes: &["function_definition", "method_declaration", "anonymous_function", "arrow_function"],
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let definition = match node.kind_name() {
        "class_declaration" => Definition::named(visit, SymbolKind::Class),
        "interface_declaration" => Definition::named(visit, SymbolKind::Interface),
        "trait_declaration" => Definition::named(visit, SymbolKind::Trait),
        "enum_declaration" => Definition::named(visit, SymbolKind::Enum),
        "enum_case" => Definition::named(visit, SymbolKind::EnumMember),
        "function_definition" => Definition::named(visit, SymbolKind::Function),
        "method_declaration" => method(visit),
        "const_element" => plain(visit, SymbolKind::Constant, modifiers::child(node, &["name"])),
        "property_element" => {
            let has_code = visit
                .ancestor(1)
                .is_some_and(|around| modifiers::child(around, &["property_hook_list"]).is_some());
            let kind = if has_code { SymbolKind::Property } else { SymbolKind::Field };
            plain(visit, kind, own_name(node))
        }
        "property_promotion_parameter" => plain(visit, SymbolKind::Field, own_name(node)),
        "function_call_expression" => defined(visit),
        _ => return,
    };
    found.extend(definition);
}

/// Returns the name of a variable without its `$`.
fn own_name(node: Node) -> Option<Node> {
    let mut name = node.field("name")?;
    for _ in 0..2 {
        name = modifiers::child(name, &["name", "variable_name"])?;
        if name.kind_name() == "name" {
            return Some(name);
        }
    }
    None
}

fn method<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let mut definition = Definition::named(visit, SymbolKind::Method)?;
    if definition.name.eq_ignore_ascii_case("__construct") {
        definition.kind = SymbolKind::Constructor;
        // Promoted constructor parameters are properties of the class.
        definition.scope = Some(String::new());
    }
    Some(finish(visit, visit.node(), definition))
}

/// Returns a constant or property with the visibility of its enclosing declaration.
fn plain<'t>(
    visit: &Visit<'_, 't>,
    kind: SymbolKind,
    name: Option<Node<'t>>,
) -> Option<Definition<'t>> {
    let declaration = match visit.node().kind_name() {
        "property_promotion_parameter" => visit.node(),
        _ => visit.ancestor(1)?,
    };
    let definition = Definition::new(visit, kind, name?);
    Some(finish(visit, declaration, definition))
}

fn finish<'t>(
    visit: &Visit<'_, 't>,
    declaration: Node<'t>,
    definition: Definition<'t>,
) -> Definition<'t> {
    let visibility = modifiers::visibility(visit, declaration).unwrap_or(Visibility::Public);
    Definition { visibility, ..definition }
}

/// Returns the constant that a call of `define` creates.
fn defined<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    if visit.field(node, "function")?.trim_start_matches('\\') != "define" {
        return None;
    }
    let first = node.field("arguments")?.named_child(0)?;
    let text = first.named_child(0).filter(|text| text.kind_name().contains("string"))?;
    let name = modifiers::child(text, &["string_content"])?;
    Some(Definition::new(visit, SymbolKind::Constant, name))
}

/// Records what the visited node imports, declares, extends or calls.
fn refer<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let name = node.field("name");
    match node.kind_name() {
        "namespace_definition" if notes.package.is_none() => {
            notes.package = name.map(|name| visit.text_of(name));
        }
        "namespace_use_clause" => import(visit, notes),
        "include_expression"
        | "include_once_expression"
        | "require_expression"
        | "require_once_expression" => include(visit, notes),
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "trait_declaration" => bases(visit, notes),
        "function_definition" | "method_declaration" => {
            mentions::typed(visit, notes, node.field("return_type"));
        }
        "property_element" => {
            let of = visit.ancestor(1).and_then(|all| all.field("type"));
            mentions::typed(visit, notes, of);
        }
        "simple_parameter" | "variadic_parameter" | "property_promotion_parameter" => {
            let of = node.field("type");
            mentions::typed(visit, notes, of);
            mentions::declare(visit, notes, name, of, None);
        }
        "assignment_expression" => {
            let name = node.field("left");
            let name = name.filter(|name| name.kind_name() == "variable_name");
            mentions::declare(visit, notes, name, None, node.field("right"));
        }
        _ => mentions::call(visit, notes),
    }
}

/// Records `use a\b;`, `use a\b as c;` or one name of `use a\{b, c};`.
fn import(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(path) = modifiers::child(node, &["qualified_name", "name"]) else { return };
    let mut path = visit.text_of(path).trim_start_matches('\\').to_owned();
    if visit.ancestor_kind(1) == "namespace_use_group" {
        let around = visit.ancestor(2).and_then(|all| modifiers::child(all, &["namespace_name"]));
        if let Some(around) = around {
            path = format!("{}\\{path}", visit.text_of(around));
        }
    }
    let alias = node.field("alias").map(|alias| visit.text_of(alias));
    mentions::import_last(visit, notes, &path, '\\', alias);
}

/// Records `require 'a.php'`, optionally with `__DIR__ .` before the path.
fn include(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(mut path) = node.named_child(0) else { return };
    if path.kind_name() == "parenthesized_expression" {
        path = path.named_child(0).unwrap_or(path);
    }
    let left = visit.field(path, "left");
    if path.kind_name() == "binary_expression" && left.as_deref() == Some("__DIR__") {
        path = path.field("right").unwrap_or(path);
    }
    let is_literal = matches!(path.kind_name(), "string" | "encapsed_string");
    let content = Some(path).filter(|path| is_literal && path.named_child_count() == 1);
    let content = content.and_then(|path| modifiers::child(path, &["string_content"]));
    if let Some(content) = content {
        mentions::include(visit, notes, ImportKind::LocalInclude, visit.text_of(content));
    }
}

/// Records the types that a type extends and implements, and the traits that it uses.
fn bases(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let body = node.field("body").into_iter().flat_map(modifiers::children);
    let used = body.filter(|member| member.kind_name() == "use_declaration");
    let clauses = modifiers::children(node)
        .filter(|clause| matches!(clause.kind_name(), "base_clause" | "class_interface_clause"));
    for list in clauses.chain(used) {
        for of in modifiers::children(list) {
            mentions::base(visit, notes, of);
        }
    }
}
