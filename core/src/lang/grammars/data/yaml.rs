//! YAML.

use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

/// YAML.
pub(crate) static YAML: Language = Language {
    name: "yaml",
    extensions: &["yaml", "yml"],
    filenames: &[".clang-format", ".clang-tidy", "CITATION.cff", "pubspec.lock"],
    shebangs: &[],
    separator: ".",
    line_comments: &["#"],
    block_comments: &[],
    tests: TestConventions::NONE,
    grammar: grammar!("tree-sitter-yaml", tree_sitter_yaml::LANGUAGE),
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
    // A pair and its enclosing pair are three levels apart: the mapping and its node are between
    // them.
    let is_key = matches!(node.kind_name(), "block_mapping_pair" | "flow_pair")
        && match visit.ancestor_kind(3) {
            "document" => true,
            "block_mapping_pair" => visit.ancestor_kind(6) == "document",
            _ => false,
        };
    if !is_key {
        return;
    }
    if let Some(name) = node.field("key") {
        found.extend(super::key(visit, SymbolKind::Key, name));
    }
}
