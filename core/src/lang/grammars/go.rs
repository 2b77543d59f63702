//! Go.

use tree_sitter::Node;

use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

mod locals;
mod refer;
mod values;

/// Go.
pub(crate) static GO: Language = Language {
    name: "go",
    extensions: &["go"],
    filenames: &[],
    shebangs: &[],
    separator: ".",
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    tests: TestConventions { file_prefixes: &[], file_suffixes: &["_test.go"], directories: &[] },
    grammar: grammar!("tree-sitter-go", tree_sitter_go::LANGUAGE),
    refine: None,
    mask: None,
    embedded: None,
    comments: &["comment"],
    doc_comments: &[],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer::refer),
    scopes: refer::SCOPES,
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let definition = match node.kind_name() {
        "function_declaration" => Definition::named(visit, SymbolKind::Function),
        "method_declaration" => method(visit),
        "method_elem" => Definition::named(visit, SymbolKind::Method),
        "type_spec" | "type_alias" => type_spec(visit),
        "field_declaration" => return fields(visit, found),
        "const_spec" => return values(visit, SymbolKind::Constant, found),
        "var_spec" => return values(visit, SymbolKind::Variable, found),
        "short_var_declaration" => closure(visit),
        _ => return,
    };
    found.extend(definition.map(|definition| with_visibility(visit, definition)));
}

fn with_visibility<'t>(visit: &Visit<'_, '_>, definition: Definition<'t>) -> Definition<'t> {
    let is_capital = definition.name.chars().next().is_some_and(char::is_uppercase);
    let is_local = visit.enclosing_kind().is_some_and(SymbolKind::is_callable);
    let visibility = match (is_local, is_capital) {
        (true, _) => Visibility::Private,
        (false, true) => Visibility::Public,
        (false, false) => Visibility::Internal,
    };
    Definition { visibility, ..definition }
}

/// Returns the function of `name := func(…) { … }` in a function.
fn closure<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let (name, value) = locals::closure(visit.node())?;
    let definition = Definition::new(visit, SymbolKind::Function, name);
    Some(Definition { body: value.field("body"), ..definition })
}

/// Returns a method, prefixed with the type of its receiver.
fn method<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let definition = Definition::named(visit, SymbolKind::Method)?;
    let receiver = visit.node().field("receiver")?;
    let parameter = (0..4).filter_map(|at| receiver.named_child(at));
    let mut parameter = parameter.filter(|node| node.kind_name() == "parameter_declaration");
    let of = parameter.next().and_then(|parameter| parameter.field("type"));
    let prefix = of.map(|of| visit.text(base_type(of)).into_owned());
    Some(Definition { prefix, ..definition })
}

/// Returns the node of a type's own name: `Type` of `*Type[T]`.
fn base_type(mut node: Node) -> Node {
    for _ in 0..16 {
        let inner = match node.kind_name() {
            "pointer_type" | "parenthesized_type" => node.named_child(0),
            "generic_type" => node.field("type"),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

fn type_spec<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let of = visit.node().field("type");
    let kind = match of.map_or("", |of| of.kind_name()) {
        "struct_type" => SymbolKind::Struct,
        "interface_type" => SymbolKind::Interface,
        _ => SymbolKind::Type,
    };
    let mut definition = Definition::named(visit, kind)?;
    definition.outer = outer(visit);
    // The body is the list of fields and methods; `struct` and `interface` belong to the signature.
    definition.body = of.filter(|_| kind != SymbolKind::Type).and_then(|of| {
        (0..3)
            .filter_map(|at| of.child(at))
            .find(|child| matches!(child.kind_name(), "{" | "field_declaration_list"))
    });
    Some(definition)
}

/// Returns 1 if the enclosing declaration consists of only the visited node, without parentheses.
fn outer(visit: &Visit<'_, '_>) -> usize {
    let is_declaration = matches!(
        visit.ancestor_kind(1),
        "type_declaration" | "const_declaration" | "var_declaration"
    );
    let is_plain = visit.ancestor(1).is_some_and(|around| around.child_count() == 2);
    usize::from(is_declaration && is_plain)
}

/// Adds the fields of a struct. An embedded field takes the name of its type.
fn fields<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    // Fields of an anonymous struct cannot be looked up by a type name.
    if visit.enclosing_kind() != Some(SymbolKind::Struct) {
        return;
    }
    let mut cursor = node.walk();
    let names: Vec<Node<'t>> = node.children_by_field_name("name", &mut cursor).collect();
    let embedded = || {
        let of = base_type(node.field("type")?);
        of.field("name").or(Some(of))
    };
    let names = if names.is_empty() { embedded().into_iter().collect() } else { names };
    for name in names.into_iter().filter(|name| name.is_named()) {
        let definition = Definition::new(visit, SymbolKind::Field, name);
        found.push(with_visibility(visit, definition));
    }
}

fn values<'t>(visit: &Visit<'_, 't>, kind: SymbolKind, found: &mut Vec<Definition<'t>>) {
    if visit.enclosing().is_some() {
        return;
    }
    let node = visit.node();
    let outer = outer(visit);
    let mut cursor = node.walk();
    for name in node.children_by_field_name("name", &mut cursor) {
        if name.kind_name() == "identifier" && &visit.text[name.byte_range()] != b"_" {
            let definition = Definition { outer, ..Definition::new(visit, kind, name) };
            found.push(with_visibility(visit, definition));
        }
    }
}
