//! Objective-C.

use tree_sitter::Node;

use super::{c, mentions, modifiers};
use crate::lang::facts::{Chain, ImportKind, Role};
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

mod macros;

/// Objective-C. Methods are named by their full selectors: `Loader.load:error:`.
pub(crate) static OBJC: Language = Language {
    name: "objective-c",
    extensions: &["m", "mm"],
    filenames: &[],
    shebangs: &[],
    separator: ".",
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    tests: TestConventions {
        file_prefixes: &[],
        file_suffixes: &["Test.m", "Tests.m", "Test.mm", "Tests.mm"],
        directories: &["Test", "Tests", "test", "tests"],
    },
    grammar: grammar!("tree-sitter-objc", tree_sitter_objc::LANGUAGE),
    refine: None,
    mask: Some(macros::mask),
    embedded: None,
    comments: &["comment"],
    doc_comments: &[],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer),
    scopes: &["function_definition", "method_definition", "compound_statement", "for_statement"],
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    match node.kind_name() {
        "class_interface" | "class_implementation" => found.extend(class(visit)),
        "protocol_declaration" => found.extend(protocol(visit)),
        "method_declaration" | "method_definition" => found.extend(method(visit)),
        "property_declaration" => properties(visit, SymbolKind::Property, found),
        "instance_variable" => properties(visit, SymbolKind::Field, found),
        _ => c::define_c(visit, found),
    }
}

/// Returns a class, or an implementation, category or extension of one.
///
/// It is not a scope, since functions and types inside it are not members of the class. Methods and
/// properties have the class as an explicit prefix.
fn class<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = modifiers::child(node, &["identifier"])?;
    let category = modifiers::child(node, &["("])
        .is_some()
        .then(|| visit.field(node, "category").unwrap_or_default());
    let is_class = node.kind_name() == "class_interface" && category.is_none();
    let kind = if is_class { SymbolKind::Class } else { SymbolKind::Impl };
    let mut definition = Definition::new(visit, kind, name);
    if let Some(category) = category {
        definition.name = format!("{} ({category})", definition.name);
    }
    let members = |kind: &str| {
        kind.ends_with("_declaration")
            || kind.ends_with("_definition")
            || kind == "instance_variables"
    };
    definition.body = modifiers::children(node).find(|child| {
        members(child.kind_name()) || matches!(child.kind_name(), "@end" | "comment")
    });
    definition.scope = Some(String::new());
    Some(definition)
}

fn protocol<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = modifiers::child(node, &["identifier"])?;
    let members =
        |kind: &str| kind.ends_with("_declaration") || kind == "@end" || kind == "comment";
    Some(Definition {
        body: modifiers::children(node).find(|child| members(child.kind_name())),
        scope: Some(String::new()),
        ..Definition::new(visit, SymbolKind::Interface, name)
    })
}

/// Returns the name of the class or protocol that encloses the visited node.
fn owner(visit: &Visit<'_, '_>) -> Option<String> {
    let kinds = ["class_interface", "class_implementation", "protocol_declaration"];
    let around = (1..5).filter_map(|level| visit.ancestor(level));
    let mut around = around.filter(|node| kinds.contains(&node.kind_name()));
    let name = modifiers::child(around.next()?, &["identifier"])?;
    Some(visit.text(name).into_owned())
}

/// Returns a method, named by its selector.
fn method<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = modifiers::child(node, &["identifier"])?;
    let mut definition = Definition::new(visit, SymbolKind::Method, name);
    definition.name = selector(visit, node);
    definition.prefix = owner(visit);
    definition.body = modifiers::child(node, &["compound_statement"]);
    // An `implementation_definition` wraps only this method.
    definition.outer = usize::from(visit.ancestor_kind(1) == "implementation_definition");
    Some(definition)
}

/// Returns the parts of a method's name: `load:error:` of `load:(int)a error:(int *)e`.
fn selector(visit: &Visit<'_, '_>, node: Node) -> String {
    let mut selector = String::new();
    let mut last = None;
    for child in modifiers::children(node) {
        match child.kind_name() {
            // A word without a parameter after it is an attribute macro, unless it is the only
            // word.
            "identifier" if last.is_none() && !selector.is_empty() => last = Some(child),
            "identifier" => last = Some(child),
            "method_parameter" => {
                selector.push_str(&last.take().map(|part| visit.text(part)).unwrap_or_default());
                selector.push(':');
            }
            _ => {}
        }
    }
    match last {
        Some(name) if selector.is_empty() => visit.text(name).into_owned(),
        _ => selector,
    }
}

/// Adds the names that a property or instance variable declares.
fn properties<'t>(visit: &Visit<'_, 't>, kind: SymbolKind, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let Some(declaration) = modifiers::child(node, &["struct_declaration"]) else { return };
    let visibility = match kind {
        SymbolKind::Property => Visibility::Public,
        _ => visibility(visit),
    };
    for declarator in modifiers::children(declaration) {
        if declarator.kind_name() != "struct_declarator" {
            continue;
        }
        let Some(name) = innermost(declarator) else { continue };
        let definition = Definition::new(visit, kind, name);
        found.push(Definition { prefix: owner(visit), visibility, ..definition });
    }
}

/// Returns the visibility of an instance variable, set by the last specifier such as `@private`
/// before it.
fn visibility(visit: &Visit<'_, '_>) -> Visibility {
    let mut before = visit.node().prev_named_sibling();
    for _ in 0..64 {
        let Some(node) = before else { break };
        if let Some(word) = modifiers::child(node, &["visibility_specification"]) {
            return match &visit.text[word.byte_range()] {
                b"@public" => Visibility::Public,
                b"@package" => Visibility::Internal,
                b"@private" => Visibility::Private,
                _ => Visibility::Protected,
            };
        }
        before = node.prev_named_sibling();
    }
    Visibility::Protected
}

/// Returns the name in a declarator with pointers, arrays and parameters.
fn innermost(mut node: Node<'_>) -> Option<Node<'_>> {
    for _ in 0..16 {
        if matches!(node.kind_name(), "identifier" | "field_identifier") {
            return Some(node);
        }
        let inner = modifiers::children(node).find(|child| {
            child.kind_name().ends_with("declarator") || child.kind_name().ends_with("identifier")
        });
        node = inner?;
    }
    None
}

/// Records what the visited node includes, imports, declares or calls.
fn refer<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "preproc_include" => {
            let Some(path) = node.field("path") else { return };
            let kind = match path.kind_name() {
                "string_literal" => ImportKind::LocalInclude,
                "system_lib_string" => ImportKind::SystemInclude,
                _ => return,
            };
            let path = visit.text_of(path);
            let path = path.trim_matches(['"', '<', '>']).to_owned();
            mentions::include(visit, notes, kind, path);
        }
        "module_import" => {
            let mut cursor = node.walk();
            let path = node.children_by_field_name("path", &mut cursor).filter(Node::is_named);
            let path: Vec<String> = path.map(|part| visit.text_of(part)).collect();
            let names = vec![mentions::imported("*", None)];
            mentions::import(visit, notes, path.join("."), names);
        }
        "message_expression" => message(visit, notes),
        "selector_expression" => {
            let first = node.named_child(0).and_then(innermost_name);
            if let Some(first) = first {
                notes.refer(visit, first, Role::Read, Some(Chain::unknown()));
            }
        }
        "method_parameter" => {
            if let Some(name) = modifiers::child(node, &["identifier"]) {
                notes.declare(name, None);
            }
        }
        "identifier" if is_declared(visit) => {}
        _ => c::refer_c(visit, notes),
    }
}

/// Returns true for names that are no values: parts of selectors, names of definitions, and words of the
/// language.
fn is_declared(visit: &Visit<'_, '_>) -> bool {
    match visit.ancestor_kind(1) {
        "message_expression" if visit.field_above(0) == "method" => true,
        "class_interface"
        | "class_implementation"
        | "method_declaration"
        | "method_definition"
        | "method_identifier"
        | "method_parameter"
        | "module_import"
        | "property_attribute"
        | "protocol_declaration"
        | "selector_expression" => true,
        _ => matches!(visit.bytes(visit.node()), b"self" | b"super" | b"nil" | b"YES" | b"NO"),
    }
}

/// Returns the first identifier in a selector.
fn innermost_name(mut node: Node<'_>) -> Option<Node<'_>> {
    while node.kind_name() != "identifier" {
        node = node.named_child(0)?;
    }
    Some(node)
}

/// Records the visited message as a call. Its name is the first part of the selector; the linker reads
/// the others from the text.
fn message<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (Some(name), Some(object)) = (node.field("method"), node.field("receiver")) else { return };
    let text = visit.bytes(object);
    let receiver = match text {
        b"self" => Some(Chain::own()),
        b"super" => Some(Chain::base()),
        _ if object.kind_name() != "identifier" => None,
        _ => match notes.local(text) {
            NameLookup::Local(chain) => chain.cloned(),
            NameLookup::NotLocal => Some(Chain::name(visit.text_of(object))),
        },
    };
    let count = node.named_child_count().saturating_sub(2);
    notes.call(visit, name, Some(receiver.unwrap_or_else(Chain::unknown)), count);
}
