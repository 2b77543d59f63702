//! Python.

use tree_sitter::Node;

use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

mod annotation;
mod chain;
mod fixtures;
mod imports;
mod names;
mod refer;

/// Maximum number of names in one pattern.
const NAMES_MAX: usize = 256;

/// Python.
pub(crate) static PYTHON: Language = Language {
    name: "python",
    extensions: &["py", "pyi", "pyw"],
    filenames: &["SConstruct", "SConscript", "wscript"],
    shebangs: &["python", "pypy", "uv"],
    separator: ".",
    line_comments: &["#"],
    block_comments: &[],
    tests: TestConventions {
        file_prefixes: &["test_"],
        file_suffixes: &["_test.py"],
        directories: &["tests", "test"],
    },
    grammar: grammar!("tree-sitter-python", tree_sitter_python::LANGUAGE),
    refine: None,
    mask: None,
    embedded: None,
    comments: &["comment"],
    doc_comments: &["#:"],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer::refer),
    scopes: &[
        "module",
        "function_definition",
        "lambda",
        "list_comprehension",
        "set_comprehension",
        "dictionary_comprehension",
        "generator_expression",
    ],
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    if visit.node().kind_name() == "assignment" {
        found.extend(unpacked(visit).into_iter().map(with_visibility));
    }
    let definition = match visit.node().kind_name() {
        "function_definition" => {
            let in_class = visit.enclosing_kind() == Some(SymbolKind::Class);
            let kind = if !in_class {
                SymbolKind::Function
            } else if is_property(visit) {
                SymbolKind::Property
            } else {
                SymbolKind::Method
            };
            block(visit, kind)
        }
        "class_definition" => block(visit, SymbolKind::Class),
        "assignment" => assignment(visit),
        "type_alias_statement" => visit
            .node()
            .field("left")
            // The grammar parses `type(a).b = c` as a type alias.
            .filter(|name| visit.text[name.start_byte()] != b'(')
            .map(|name| Definition::new(visit, SymbolKind::Type, name)),
        _ => None,
    };
    found.extend(definition.map(with_visibility));
}

fn with_visibility(definition: Definition<'_>) -> Definition<'_> {
    let name = definition.name.as_str();
    let is_dunder = name.len() > 4 && name.starts_with("__") && name.ends_with("__");
    let is_private = name.starts_with('_') && !is_dunder;
    let visibility = if is_private { Visibility::Private } else { Visibility::Public };
    Definition { visibility, ..definition }
}

/// Returns the variables that `a, b = …` defines outside of functions.
fn unpacked<'t>(visit: &Visit<'_, 't>) -> Vec<Definition<'t>> {
    let Some(left) = visit.node().field("left") else { return Vec::new() };
    let is_pattern = matches!(left.kind_name(), "pattern_list" | "tuple_pattern");
    if !is_pattern || visit.ancestor_kind(1) != "expression_statement" {
        return Vec::new();
    }
    let mut cursor = left.walk();
    let names = left.named_children(&mut cursor).take(NAMES_MAX);
    let names = names.filter(|name| name.kind_name() == "identifier");
    let mut found: Vec<Definition<'t>> = Vec::new();
    for name in names {
        // The name without a use: `_, name = …`.
        let text = visit.text(name);
        let is_again = found.iter().any(|it| it.name == text) || visit.is_defined(&text, ".");
        if text != "_" && !is_again {
            found
                .extend(variable_kind(visit, &text).map(|kind| Definition::new(visit, kind, name)));
        }
    }
    found
}

/// Returns true if the visited method has a property decorator.
fn is_property(visit: &Visit<'_, '_>) -> bool {
    let Some(around) = visit.ancestor(1).filter(|node| node.kind_name() == "decorated_definition")
    else {
        return false;
    };
    let mut cursor = around.walk();
    let mut decorators = around.children(&mut cursor).take_while(|c| c.kind_name() == "decorator");
    decorators.any(|decorator| {
        let name = visit.text[decorator.byte_range()].trim_ascii();
        name.ends_with(b"property")
            || [&b".setter"[..], b".getter", b".deleter"].iter().any(|end| name.ends_with(end))
    })
}

/// Returns a function or class, including its decorators.
fn block<'t>(visit: &Visit<'_, 't>, kind: SymbolKind) -> Option<Definition<'t>> {
    let definition = Definition::named(visit, kind)?;
    let is_decorated = visit.ancestor_kind(1) == "decorated_definition";
    let first = definition.body.and_then(|body| body.named_child(0));
    let docstring = first.filter(|first| first.kind_name() == "expression_statement");
    let docstring = docstring.and_then(|first| first.named_child(0));
    Some(Definition {
        outer: usize::from(is_decorated),
        signature_start: Some(visit.node().start_byte()),
        docstring: docstring.filter(|first| first.kind_name() == "string"),
        ..definition
    })
}

/// Returns the definition of an assignment: a module variable, or an attribute, constant or
/// enumeration member of a class, at the first assignment of its name; or a lambda bound to a name,
/// in any scope.
fn assignment<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let name = visit.node().field("left")?;
    if visit.ancestor_kind(1) != "expression_statement" {
        return None;
    }
    if name.kind_name() == "attribute" {
        return attribute(visit, name);
    }
    if name.kind_name() != "identifier" {
        return None;
    }
    if visit.node().field("right").is_some_and(|value| value.kind_name() == "lambda") {
        let in_class = visit.enclosing_kind() == Some(SymbolKind::Class);
        let kind = if in_class { SymbolKind::Method } else { SymbolKind::Function };
        return Some(Definition::new(visit, kind, name));
    }
    let text = visit.text(name);
    let kind = variable_kind(visit, &text)?;
    let is_again = visit.is_defined(&text, ".");
    if is_again { None } else { Some(Definition::new(visit, kind, name)) }
}

/// Returns the kind of the variable `text` that the visited assignment sets; `None` in a function.
fn variable_kind(visit: &Visit<'_, '_>, text: &str) -> Option<SymbolKind> {
    let is_capital = text.chars().any(|c| c.is_ascii_uppercase())
        && !text.chars().any(|c| c.is_ascii_lowercase());
    Some(match visit.enclosing() {
        None if is_capital => SymbolKind::Constant,
        None => SymbolKind::Variable,
        Some(class) if class.kind == SymbolKind::Class => {
            let bases = class.signature.split_once('(').map_or("", |(_, bases)| bases);
            let is_enum = ["Enum", "Flag"].iter().any(|base| bases.contains(base));
            if is_enum && !text.starts_with('_') {
                SymbolKind::EnumMember
            } else if is_capital {
                SymbolKind::Constant
            } else {
                SymbolKind::Field
            }
        }
        Some(_) => return None,
    })
}

/// Returns the attribute that `self.name = …` adds to a class, unless the class already has one of
/// that name.
fn attribute<'t>(visit: &Visit<'_, 't>, left: Node<'t>) -> Option<Definition<'t>> {
    let (owner, name) = attribute_owner(visit, left)?;
    if visit.is_member(owner, &visit.text(name), ".") {
        return None;
    }
    let definition = Definition::new(visit, SymbolKind::Field, name);
    Some(Definition { owner: Some(owner), ..definition })
}

/// If `left` is `self.name` in a method, returns the index of the class and the name of the
/// attribute.
fn attribute_owner<'t>(visit: &Visit<'_, 't>, left: Node<'t>) -> Option<(usize, Node<'t>)> {
    let method = visit.enclosing()?;
    let is_self = matches!(&visit.text[left.child(0)?.byte_range()], b"self" | b"cls");
    let owner = method.parent.filter(|_| is_self)?;
    let is_class = visit.symbols.get(owner)?.kind == SymbolKind::Class;
    let name = left.field("attribute")?;
    is_class.then_some((owner, name))
}
