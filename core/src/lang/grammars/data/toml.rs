//! TOML.

use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

/// TOML.
pub(crate) static TOML: Language = Language {
    name: "toml",
    extensions: &["toml"],
    filenames: &["Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "Gopkg.lock", "Pipfile"],
    shebangs: &[],
    separator: ".",
    line_comments: &["#"],
    block_comments: &[],
    tests: TestConventions::NONE,
    grammar: grammar!("tree-sitter-toml-ng", tree_sitter_toml_ng::LANGUAGE),
    refine: None,
    mask: None,
    embedded: None,
    comments: &["comment"],
    doc_comments: &[],
    attributes: &[],
    markers: &[],
    define,
    refer: None,
    scopes: &[],
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let kind = match (node.kind_name(), visit.ancestor_kind(1)) {
        ("table" | "table_array_element", _) => SymbolKind::Section,
        // Keys of `table_array_element` are left out: every element repeats the same keys.
        ("pair", "document" | "table") => SymbolKind::Key,
        _ => return,
    };
    if let Some(name) = node.named_child(0).filter(|name| name.kind_name().ends_with("key")) {
        found.extend(super::key(visit, kind, name));
    }
}
