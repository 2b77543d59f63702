//! Dart.

use super::{mentions, modifiers};
use crate::lang::facts::{Import, ImportKind, ImportedName};
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

/// Dart.
pub(crate) static DART: Language = Language {
    name: "dart",
    extensions: &["dart"],
    filenames: &[],
    shebangs: &["dart"],
    separator: ".",
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    tests: TestConventions {
        file_prefixes: &[],
        file_suffixes: &["_test.dart"],
        directories: &["test", "integration_test"],
    },
    grammar: grammar!("tree-sitter-dart", tree_sitter_dart::LANGUAGE),
    refine: None,
    mask: None,
    embedded: None,
    comments: &["comment", "documentation_comment"],
    doc_comments: &["///", "/**"],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer),
    scopes: &[
        "function_declaration",
        "method_declaration",
        "declaration",
        "local_function_declaration",
        "function_expression",
        "getter_declaration",
        "setter_declaration",
    ],
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let definition = match node.kind_name() {
        "class_declaration" => class(visit),
        "mixin_declaration" => Definition::named(visit, SymbolKind::Trait),
        "enum_declaration" => Definition::named(visit, SymbolKind::Enum),
        "enum_entry" => Definition::named(visit, SymbolKind::EnumMember),
        "extension_declaration" => extension(visit),
        "extension_type_declaration" => extension_type(visit),
        "type_alias" => modifiers::child(node, &["type_identifier"])
            .map(|name| Definition::new(visit, SymbolKind::Type, name)),
        "method_declaration"
        | "function_declaration"
        | "getter_declaration"
        | "setter_declaration"
        | "local_function_declaration"
        | "external_function_declaration"
        | "external_getter_declaration"
        | "external_setter_declaration" => callable(visit),
        "declaration" => match callable(visit) {
            Some(definition) => Some(definition),
            None => return variables(visit, found),
        },
        "top_level_variable_declaration" => return variables(visit, found),
        _ => return,
    };
    found.extend(definition.map(|definition| finish(visit, definition)));
}

fn finish<'t>(visit: &Visit<'_, 't>, definition: Definition<'t>) -> Definition<'t> {
    let node = visit.node();
    let in_function = visit.enclosing_kind().is_some_and(SymbolKind::is_callable);
    let is_private = in_function || definition.name.starts_with('_');
    Definition {
        outer: usize::from(is_member(visit)),
        signature_start: Some(modifiers::after_annotations(node).unwrap_or(node.start_byte())),
        visibility: if is_private { Visibility::Private } else { Visibility::Public },
        ..definition
    }
}

fn is_member(visit: &Visit<'_, '_>) -> bool {
    visit.ancestor_kind(1) == "member_declaration"
}

/// Returns a class. In `class A = B with C;` the name is in a nested node.
fn class<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    Definition::named(visit, SymbolKind::Class).or_else(|| {
        let applied = modifiers::child(visit.node(), &["mixin_application_class"])?;
        let name = modifiers::child(applied, &["identifier"])?;
        Some(Definition::new(visit, SymbolKind::Class, name))
    })
}

/// Returns an extension. An unnamed one takes the name of the type that it extends.
fn extension<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = node.field("name").or_else(|| node.field("class"))?;
    let body = node.field("body");
    Some(Definition { body, ..Definition::new(visit, SymbolKind::Impl, name) })
}

fn extension_type<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = node.field("name")?;
    let name = modifiers::child(name, &["identifier"]).unwrap_or(name);
    let body = node.field("body");
    Some(Definition { body, ..Definition::new(visit, SymbolKind::Class, name) })
}

/// Returns the function, accessor, operator or constructor that the visited node declares.
fn callable<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let around = modifiers::child(node, &["method_signature"]).unwrap_or(node);
    let signature =
        modifiers::children(around).find(|child| child.kind_name().ends_with("signature"))?;
    let name = signature.field("name");
    let mut definition = match signature.kind_name() {
        "operator_signature" => {
            let sign = signature.field("operator")?;
            let definition = Definition::new(visit, SymbolKind::Method, sign);
            Definition { name: format!("operator {}", definition.name), ..definition }
        }
        "getter_signature" | "setter_signature" => {
            Definition::new(visit, SymbolKind::Property, name?)
        }
        "function_signature" if is_member(visit) => {
            Definition::new(visit, SymbolKind::Method, name?)
        }
        "function_signature" => Definition::new(visit, SymbolKind::Function, name?),
        // In `Type.name` the last name is the constructor's own.
        _ => {
            let mut cursor = signature.walk();
            let names = signature.children_by_field_name("name", &mut cursor);
            Definition::new(visit, SymbolKind::Constructor, names.last()?)
        }
    };
    let initializers = modifiers::child(around, &["initializers"]);
    definition.body = initializers
        .or_else(|| modifiers::child(node, &["initializers", "redirection", "function_body"]));
    Some(definition)
}

/// Adds the fields of a type or the top-level variables of a file.
fn variables<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let is_member = is_member(visit);
    let has = |word: &str| modifiers::child(node, &[word]).is_some();
    let kind = if has("const") || (has("final") && !is_member) {
        SymbolKind::Constant
    } else if is_member {
        SymbolKind::Field
    } else {
        SymbolKind::Variable
    };
    let lists = ["static_final_declaration_list", "initialized_identifier_list", "identifier_list"];
    let Some(list) = modifiers::child(node, &lists) else { return };
    let mut cursor = list.walk();
    for declared in list.named_children(&mut cursor) {
        let name = match declared.kind_name() {
            "identifier" => Some(declared),
            _ => declared.field("name"),
        };
        found.extend(name.map(|name| finish(visit, Definition::new(visit, kind, name))));
    }
}

/// Records what the visited node imports, declares, extends or calls.
fn refer<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let name = node.field("name");
    let of = modifiers::child(node, &["type"]);
    match node.kind_name() {
        "library_name" => {
            let name = modifiers::child(node, &["dotted_identifier_list"]);
            notes.package = name.map(|name| mentions::path(visit, name));
        }
        "library_import" | "library_export" | "part_directive" => import(visit, notes),
        "class_declaration" | "enum_declaration" | "mixin_declaration" => {
            let clauses = modifiers::children(node);
            let kinds = ["superclass", "interfaces", "mixins"];
            for clause in clauses.filter(|clause| kinds.contains(&clause.kind_name())) {
                let mixed = modifiers::child(clause, &["mixins"]);
                let mixed = mixed.into_iter().flat_map(modifiers::children);
                for of in modifiers::children(clause).chain(mixed) {
                    mentions::base(visit, notes, of);
                }
            }
        }
        "function_declaration" | "getter_declaration" | "method_declaration" => {
            let around = modifiers::child(node, &["method_signature"]).unwrap_or(node);
            let signature = ["function_signature", "getter_signature"];
            let of = modifiers::child(around, &signature)
                .and_then(|signature| signature.field("return_type"));
            mentions::typed(visit, notes, of);
        }
        "declaration" | "top_level_variable_declaration" => mentions::typed(visit, notes, of),
        "formal_parameter" => mentions::declare(visit, notes, name, of, None),
        "initialized_variable_declaration" => {
            mentions::declare(visit, notes, name, of, node.field("value"));
        }
        _ => mentions::call(visit, notes),
    }
}

/// Records the visited import, export or `part` directive.
fn import(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let inner = modifiers::child(node, &["import_specification"]).unwrap_or(node);
    let Some(uri) = inner.field("uri") else { return };
    let module = visit.text_of(uri).trim_matches(['\'', '"']).to_owned();
    let kind = match node.kind_name() {
        "library_export" => ImportKind::ReExport,
        "part_directive" => ImportKind::LocalInclude,
        _ => ImportKind::Module,
    };
    let mut names = Vec::new();
    for combinator in modifiers::children(inner).filter(|child| child.kind_name() == "combinator") {
        if visit.text_of(combinator).starts_with("show") {
            let shown =
                modifiers::children(combinator).filter(|name| name.kind_name() == "identifier");
            names.extend(shown.map(|name| mentions::imported(&visit.text_of(name), None)));
        }
    }
    let alias = inner.field("alias").map(|alias| visit.text_of(alias));
    match alias {
        Some(alias) => names = vec![ImportedName { name: String::new(), alias }],
        None if names.is_empty() && kind != ImportKind::LocalInclude => {
            names.push(mentions::imported("*", None));
        }
        None => {}
    }
    let (span, line) = (node.byte_range(), node.start_position().row + 1);
    notes.import(Import { span, line, kind, module, names });
}
