//! PHP.

use tree_sitter::Node;

use super::modifiers;
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

mod doc;
mod locals;
mod refer;
mod values;

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
    grammar: grammar!("tree-sitter-php", tree_sitter_php::LANGUAGE_PHP),
    refine: None,
    mask: None,
    embedded: None,
    comments: &["comment"],
    doc_comments: &["/**"],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer::refer),
    scopes: refer::SCOPES,
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    if matches!(
        node.kind_name(),
        "class_declaration" | "interface_declaration" | "trait_declaration"
    ) {
        let kind = match node.kind_name() {
            "class_declaration" => SymbolKind::Class,
            "interface_declaration" => SymbolKind::Interface,
            _ => SymbolKind::Trait,
        };
        if let Some(definition) = Definition::named(visit, kind) {
            found.push(definition);
            documented(visit, found);
        }
        return;
    }
    let definition = match node.kind_name() {
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
        // A promoted parameter of the constructor is a property of the class.
        "property_promotion_parameter" => {
            let owner = visit.enclosing().and_then(|constructor| constructor.parent);
            plain(visit, SymbolKind::Field, own_name(node))
                .map(|definition| Definition { owner, ..definition })
        }
        "function_call_expression" => defined(visit),
        "assignment_expression" => closure(visit),
        _ => return,
    };
    found.extend(definition);
}

/// Adds the methods that the documentation of the visited type declares: `@method Item of(string $a)`.
fn documented<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let leading = visit.leading_span();
    let comment = visit.text.get(leading.clone()).unwrap_or_default();
    let Ok(comment) = std::str::from_utf8(comment) else { return };
    let owner = visit.symbols.len();
    for method in doc::methods(comment) {
        let name = comment[method.name.clone()].to_owned();
        let within =
            |range: &std::ops::Range<usize>| leading.start + range.start..leading.start + range.end;
        found.push(Definition {
            name,
            name_span: within(&method.name),
            written: Some(within(&method.span)),
            owner: Some(owner),
            ..Definition::new(visit, SymbolKind::Method, visit.node())
        });
    }
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

/// Returns the function that the visited assignment binds to a variable: `$f = fn ($x) => …`. Its name
/// includes the `$`, since a function `f` is another one.
fn closure<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = node.field("left").filter(|name| name.kind_name() == "variable_name")?;
    let mut value = node.field("right")?;
    while value.kind_name() == "parenthesized_expression" {
        value = value.named_child(0)?;
    }
    if !matches!(value.kind_name(), "anonymous_function" | "arrow_function") {
        return None;
    }
    let is_outermost = visit.enclosing().is_none();
    let visibility = if is_outermost { Visibility::Public } else { Visibility::Private };
    let body = value.field("body");
    Some(Definition { body, visibility, ..Definition::new(visit, SymbolKind::Function, name) })
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
