//! Java.

use tree_sitter::Node;

use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

mod locals;
mod refer;
mod values;

/// Java.
pub(crate) static JAVA: Language = Language {
    name: "java",
    extensions: &["java"],
    filenames: &[],
    shebangs: &[],
    separator: ".",
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    tests: TestConventions {
        file_prefixes: &[],
        file_suffixes: &["Test.java", "Tests.java", "IT.java"],
        directories: &["test"],
    },
    grammar: grammar!("tree-sitter-java", tree_sitter_java::LANGUAGE),
    refine: None,
    mask: None,
    embedded: None,
    comments: &["line_comment", "block_comment"],
    doc_comments: &["/**", "///"],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer::refer),
    scopes: refer::SCOPES,
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let kind = match visit.node().kind_name() {
        "class_declaration" | "record_declaration" => SymbolKind::Class,
        "interface_declaration" | "annotation_type_declaration" => SymbolKind::Interface,
        "enum_declaration" => SymbolKind::Enum,
        "enum_constant" => SymbolKind::EnumMember,
        "module_declaration" => SymbolKind::Module,
        "method_declaration" | "annotation_type_element_declaration" => SymbolKind::Method,
        "constructor_declaration" | "compact_constructor_declaration" => SymbolKind::Constructor,
        "field_declaration" | "constant_declaration" => return fields(visit, found),
        // The components of a record are its fields.
        "formal_parameter" if visit.ancestor_kind(2) == "record_declaration" => SymbolKind::Field,
        _ => return,
    };
    found.extend(Definition::named(visit, kind).map(|definition| finish(visit, definition)));
}

fn finish<'t>(visit: &Visit<'_, 't>, definition: Definition<'t>) -> Definition<'t> {
    let modifiers = modifiers(visit.node());
    let signature_start = modifiers.map(after_annotations);
    Definition { signature_start, visibility: visibility(visit, modifiers), ..definition }
}

fn modifiers(node: Node) -> Option<Node> {
    node.child(0).filter(|child| child.kind_name() == "modifiers")
}

/// Returns the end of the last annotation, after which the signature begins.
fn after_annotations(modifiers: Node) -> usize {
    let children = (0..64).map_while(|at| modifiers.child(at));
    let annotations = children.filter(|child| child.kind_name().ends_with("annotation"));
    annotations.last().map_or(modifiers.start_byte(), |last| last.end_byte())
}

fn visibility(visit: &Visit<'_, '_>, modifiers: Option<Node>) -> Visibility {
    let words = modifiers.into_iter().flat_map(|modifiers| {
        (0..64).map_while(move |at| modifiers.child(at)).map(|word| word.kind_name())
    });
    for word in words {
        match word {
            "public" => return Visibility::Public,
            "protected" => return Visibility::Protected,
            "private" => return Visibility::Private,
            _ => {}
        }
    }
    let is_constant = visit.node().kind_name() == "enum_constant";
    match visit.enclosing() {
        Some(symbol) if is_constant => symbol.visibility,
        Some(symbol) if symbol.kind == SymbolKind::Interface => Visibility::Public,
        _ => Visibility::Internal,
    }
}

/// Adds the fields of a declaration; `static final` fields are constants.
fn fields<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let has = |word: &str| {
        let modifiers = modifiers(node).into_iter();
        modifiers
            .flat_map(|modifiers| (0..64).map_while(move |at| modifiers.child(at)))
            .any(|child| child.kind_name() == word)
    };
    let is_constant = node.kind_name() == "constant_declaration" || (has("static") && has("final"));
    let kind = if is_constant { SymbolKind::Constant } else { SymbolKind::Field };
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        if let Some(name) = declarator.field("name") {
            found.push(finish(visit, Definition::new(visit, kind, name)));
        }
    }
}
