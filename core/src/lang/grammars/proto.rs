//! Protocol buffers.

use tree_sitter::Node;

use crate::lang::chain::Chain;
use crate::lang::facts::{Import, ImportKind, Role};
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

/// Protocol buffers, syntax 2 and 3.
pub(crate) static PROTO: Language = Language {
    name: "protobuf",
    extensions: &["proto"],
    filenames: &[],
    shebangs: &[],
    separator: ".",
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    tests: TestConventions {
        file_prefixes: &[],
        file_suffixes: &["_test.proto"],
        directories: &[],
    },
    grammar: grammar!("tree-sitter-proto", tree_sitter_proto::LANGUAGE),
    refine: None,
    mask: None,
    embedded: None,
    comments: &["comment"],
    doc_comments: &[],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer),
    scopes: &[],
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let (kind, name, body) = match node.kind_name() {
        "message" => (SymbolKind::Struct, "message_name", "message_body"),
        "enum" => (SymbolKind::Enum, "enum_name", "enum_body"),
        "enum_field" => (SymbolKind::EnumMember, "identifier", ""),
        "service" => (SymbolKind::Interface, "service_name", "{"),
        "rpc" => (SymbolKind::Method, "rpc_name", ""),
        "field" | "map_field" | "oneof_field" => (SymbolKind::Field, "identifier", ""),
        "oneof" => (SymbolKind::Field, "identifier", "{"),
        _ => return,
    };
    let Some(name) = visit.child(node, name) else { return };
    let mut cursor = node.walk();
    let body = match kind {
        // An `rpc` may have a block of options after its types.
        SymbolKind::Method => node.children(&mut cursor).find(|child| child.kind_name() == "{"),
        _ => visit.child(node, body),
    };
    // The members of a `oneof` are fields of the message.
    let scope = (node.kind_name() == "oneof").then(String::new);
    found.push(Definition { body, scope, ..Definition::new(visit, kind, name) });
}

fn refer(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "package" => {
            let name = visit.child(node, "full_ident");
            notes.package = name.map(|name| visit.text(name).into_owned());
        }
        "import" => notes.import(import(visit, node)),
        "message_or_enum_type" => {
            let Some(count) = node.named_child_count().checked_sub(1) else { return };
            let last = u32::try_from(count).ok().and_then(|last| node.named_child(last));
            let Some(name) = last.filter(|name| name.kind_name() == "identifier") else { return };
            let before = &visit.text[node.start_byte()..name.start_byte()];
            let receiver = String::from_utf8_lossy(before).trim_matches('.').to_owned();
            let receiver = (!receiver.is_empty()).then(|| Chain::name(receiver));
            notes.refer(visit, name, Role::Type, receiver);
        }
        _ => {}
    }
}

fn import(visit: &Visit<'_, '_>, node: Node) -> Import {
    let text = String::from_utf8_lossy(&visit.text[node.byte_range()]);
    let module = text.split(['"', '\'']).nth(1).unwrap_or_default().to_owned();
    let is_public = text.split_whitespace().nth(1) == Some("public");
    let kind = if is_public { ImportKind::ReExport } else { ImportKind::SystemInclude };
    let line = node.start_position().row + 1;
    Import { span: node.byte_range(), line, kind, module, names: Vec::new() }
}
