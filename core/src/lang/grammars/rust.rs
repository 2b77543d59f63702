//! Rust.

use tree_sitter::Node;

use crate::lang::embedded::Embedded;
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::symbols::{Symbol, SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

mod expected;
mod generated;
mod imports;
mod items;
mod macro_body;
mod patterns;
mod refer;
mod tokens;
mod types;
mod values;
pub(crate) mod written;

/// Rust.
pub(crate) static RUST: Language = Language {
    name: "rust",
    extensions: &["rs"],
    filenames: &[],
    shebangs: &["rust-script"],
    separator: "::",
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    tests: TestConventions {
        file_prefixes: &[],
        file_suffixes: &["_test.rs", "_tests.rs"],
        directories: &["tests", "benches"],
    },
    grammar: grammar!("tree-sitter-rust", tree_sitter_rust::LANGUAGE),
    refine: None,
    mask: None,
    embedded: Some(embedded),
    comments: &["line_comment", "block_comment"],
    doc_comments: &["///", "/**"],
    attributes: &["attribute_item"],
    markers: &[],
    define,
    refer: Some(refer::refer),
    scopes: refer::SCOPES,
};

/// Returns the items in the visited node: in the arguments of a macro call, or in a macro's body.
fn embedded(visit: &Visit<'_, '_>) -> Option<Embedded> {
    items::in_macro(visit).or_else(|| macro_body::items_of_body(visit))
}

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let around = visit.enclosing_kind();
    let is_member = matches!(around, Some(SymbolKind::Impl | SymbolKind::Trait))
        && visit.ancestor_kind(1) == "declaration_list";
    let kind = match node.kind_name() {
        "function_item" | "function_signature_item" if is_member => SymbolKind::Method,
        "function_item" => SymbolKind::Function,
        "function_signature_item" => SymbolKind::Prototype,
        "struct_item" => SymbolKind::Struct,
        "union_item" => SymbolKind::Union,
        "enum_item" if items::is_flags(visit, node) => SymbolKind::Struct,
        "enum_item" => SymbolKind::Enum,
        "enum_variant" if around == Some(SymbolKind::Struct) => SymbolKind::Constant,
        "enum_variant" => SymbolKind::EnumMember,
        "trait_item" => SymbolKind::Trait,
        "mod_item" => SymbolKind::Module,
        "macro_definition" => SymbolKind::Macro,
        "const_item" => SymbolKind::Constant,
        "static_item" if visit.child(node, "mutable_specifier").is_some() => SymbolKind::Variable,
        "static_item" => SymbolKind::Constant,
        "type_item" | "associated_type" => SymbolKind::Type,
        "field_declaration" => SymbolKind::Field,
        "ordered_field_declaration_list" => return tuple_fields(visit, found),
        "impl_item" => return found.extend(implementation(visit)),
        "let_declaration" => return found.extend(closure(visit)),
        "macro_invocation" => return generated::made(visit, found),
        "identifier" => {
            return found.extend(generated::named(visit).or_else(|| generated::in_body(visit)));
        }
        _ => return,
    };
    let Some(mut definition) = Definition::named(visit, kind) else { return };
    // `const _: () = …` has no name.
    if definition.name == "_" {
        return;
    }
    // The fields of a tuple struct are part of its signature.
    let has_list = |body: &Node| body.kind_name() != "ordered_field_declaration_list";
    definition.body = definition.body.filter(has_list);
    definition.visibility = visibility(visit);
    found.push(definition);
}

/// Returns the function of `let name = |…| …` in a function.
fn closure<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = node.field("pattern").filter(|name| name.kind_name() == "identifier")?;
    let value = node.field("value").filter(|value| value.kind_name() == "closure_expression")?;
    let definition = Definition::new(visit, SymbolKind::Function, name);
    let (body, visibility) = (value.field("body"), Visibility::Private);
    Some(Definition { body, visibility, ..definition })
}

/// Adds the fields of a tuple struct or variant, which are named by their positions.
fn tuple_fields<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let of_variant = visit.enclosing().filter(|around| around.kind == SymbolKind::EnumMember);
    let (mut at, mut is_public) = (0, false);
    let mut cursor = node.walk();
    let parts: Vec<Node<'t>> = node.children(&mut cursor).collect();
    for (index, part) in parts.iter().enumerate() {
        match part.kind_name() {
            "visibility_modifier" => is_public = visit.text(*part) == "pub",
            "attribute_item" | "line_comment" | "block_comment" => {}
            _ if part.is_named() => {
                let mut field = Definition::new(visit, SymbolKind::Field, *part);
                field.name = at.to_string();
                field.signature_start = Some(part.start_byte());
                field.body = parts.get(index + 1).copied();
                field.visibility = match of_variant {
                    Some(variant) => variant.visibility,
                    None if is_public => Visibility::Public,
                    None => Visibility::Private,
                };
                found.push(field);
                (at, is_public) = (at + 1, false);
            }
            _ => {}
        }
    }
}

/// Returns an implementation block, named `impl Trait for Type`. Its methods are named
/// `Type::method`.
fn implementation<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let of = node.field("type")?;
    let mut definition = Definition::new(visit, SymbolKind::Impl, of);
    definition.name = match visit.field(node, "trait") {
        Some(of_trait) => format!("impl {of_trait} for {}", visit.text(of)),
        None => format!("impl {}", visit.text(of)),
    };
    definition.scope = Some(visit.text(base_type(of)).into_owned());
    definition.body = node.field("body");
    Some(definition)
}

/// Returns the node of a type's own name: `Type` of `&'a module::Type<T>`.
fn base_type(mut node: Node) -> Node {
    for _ in 0..16 {
        let inner = match node.kind_name() {
            "generic_type" | "reference_type" | "pointer_type" => node.field("type"),
            "scoped_type_identifier" => node.field("name"),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

fn visibility(visit: &Visit<'_, '_>) -> Visibility {
    use SymbolKind::{Enum, EnumMember, Struct, Trait};
    let node = visit.node();
    if let Some(modifier) = visit.child(node, "visibility_modifier") {
        let is_plain = modifier.child_count() <= 1 && visit.text(modifier) == "pub";
        return if is_plain { Visibility::Public } else { Visibility::Internal };
    }
    match visit.enclosing() {
        // The constants of flags are public.
        Some(Symbol { kind: Struct, .. }) if node.kind_name() == "enum_variant" => {
            Visibility::Public
        }
        // A trait member has the visibility of the trait, a variant that of its enumeration.
        Some(Symbol { kind: Trait | Enum | EnumMember, visibility, .. }) => *visibility,
        Some(symbol) if symbol.kind == SymbolKind::Impl && symbol.name.contains(" for ") => {
            Visibility::Public
        }
        _ if node.kind_name() == "macro_definition"
            && visit.leading_text(0).contains("macro_export") =>
        {
            Visibility::Public
        }
        _ => Visibility::Private,
    }
}
