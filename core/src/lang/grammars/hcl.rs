//! HCL: Terraform and related tools.

use tree_sitter::Node;

use crate::lang::chain::Chain;
use crate::lang::facts::{Import, ImportKind, Role};
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

/// HCL. Qualified names are Terraform addresses: `aws_instance.web`, `var.region`.
pub(crate) static HCL: Language = Language {
    name: "hcl",
    extensions: &["hcl", "tf", "tfvars", "nomad", "tofu"],
    filenames: &[".terraform.lock.hcl"],
    shebangs: &[],
    separator: ".",
    line_comments: &["#", "//"],
    block_comments: &[("/*", "*/")],
    tests: TestConventions {
        file_prefixes: &[],
        file_suffixes: &[".tftest.hcl"],
        directories: &["test", "tests"],
    },
    grammar: grammar!("tree-sitter-hcl", tree_sitter_hcl::LANGUAGE),
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
    let definition = match visit.node().kind_name() {
        "block" => block(visit),
        "attribute" => attribute(visit),
        _ => None,
    };
    found.extend(definition);
}

/// Returns true if the visited node is at the top level of the file.
fn is_outermost(visit: &Visit<'_, '_>) -> bool {
    visit.ancestor_kind(1) == "body" && visit.ancestor_kind(2) == "config_file"
}

/// Returns a top-level block, or a nested block with a label.
fn block<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let word = node.named_child(0).filter(|word| word.kind_name() == "identifier")?;
    let mut cursor = node.walk();
    let children: Vec<Node<'t>> = node.named_children(&mut cursor).take(8).collect();
    let is_label = |child: &&Node| matches!(child.kind_name(), "string_lit" | "identifier");
    let labels: Vec<Node<'t>> = children[1..].iter().take_while(is_label).copied().collect();
    let body = children.iter().find(|child| child.kind_name() == "block_start").copied();
    if labels.is_empty() && !is_outermost(visit) {
        return None;
    }
    let name = labels.last().copied().unwrap_or(word);
    let plain = |node: &Node<'t>| visit.text(*node).trim_matches('"').to_owned();
    let mut definition = Definition { body, ..Definition::new(visit, SymbolKind::Block, name) };
    definition.name = plain(&name);
    let before = match visit.text(word).as_ref() {
        "variable" => Some("var".to_owned()),
        "resource" => None,
        _ if labels.is_empty() => None,
        // Other tools nest their blocks, so they need no prefix.
        word @ ("module" | "data" | "output" | "provider") => Some(word.to_owned()),
        _ => None,
    };
    let others = labels.iter().rev().skip(1).rev().map(plain);
    let prefix: Vec<String> = before.into_iter().chain(others).collect();
    definition.prefix = (!prefix.is_empty()).then(|| prefix.join("."));
    Some(definition)
}

/// Returns a top-level attribute, or a value of a `locals` block.
fn attribute<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let name = visit.node().named_child(0).filter(|name| name.kind_name() == "identifier")?;
    if is_outermost(visit) {
        return Some(Definition::new(visit, SymbolKind::Key, name));
    }
    let around = visit.ancestor(2).filter(|block| block.kind_name() == "block")?;
    let is_local = around.named_child(0).is_some_and(|word| visit.text(word) == "locals")
        && visit.ancestor_kind(4) == "config_file";
    is_local.then(|| Definition::new(visit, SymbolKind::Variable, name))
}

fn refer(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "get_attr" => {
            let around = visit.ancestor(1);
            let first = around.and_then(|around| around.named_child(0));
            let Some(first) = first.filter(|first| first.kind_name() == "variable_expr") else {
                return;
            };
            if first.end_byte() != node.start_byte() {
                return;
            }
            if let Some(name) = node.named_child(0) {
                notes.refer(visit, name, Role::Read, Some(Chain::name(visit.text(first))));
            }
        }
        "function_call" => {
            let arguments = visit.child(node, "function_arguments");
            let count = arguments.map_or(0, |list| list.named_child_count());
            if let Some(name) = visit.child(node, "identifier") {
                notes.call(visit, name, None, count);
            }
        }
        "attribute" => module_source(visit, notes),
        _ => {}
    }
}

/// Records the `source` of a module as an import.
fn module_source(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(name) = node.named_child(0).filter(|name| visit.text(*name) == "source") else {
        return;
    };
    let is_module = visit
        .ancestor(2)
        .and_then(|block| block.named_child(0))
        .is_some_and(|word| visit.text(word) == "module");
    let value = &visit.text[name.end_byte()..node.end_byte()];
    let value = String::from_utf8_lossy(value).trim_matches([' ', '=', '\t']).to_owned();
    let literal = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    if let Some(module) = literal.filter(|module| is_module && !module.contains("${")) {
        let (line, kind) = (node.start_position().row + 1, ImportKind::Module);
        let module = module.to_owned();
        notes.import(Import { span: node.byte_range(), line, kind, module, names: Vec::new() });
    }
}
