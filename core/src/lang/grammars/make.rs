//! Makefiles.

use tree_sitter::Node;

use crate::lang::facts::{Import, ImportKind, Role};
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

/// GNU make, and the syntax that other makes share with it.
pub(crate) static MAKE: Language = Language {
    name: "make",
    extensions: &["mk", "mak", "make"],
    filenames: &["Makefile", "makefile", "GNUmakefile", "BSDmakefile", "Kbuild", "Makefile.am"],
    shebangs: &["make"],
    separator: ".",
    line_comments: &["#"],
    block_comments: &[],
    tests: TestConventions::NONE,
    grammar: grammar!("tree-sitter-make", tree_sitter_make::LANGUAGE),
    refine: None,
    mask: Some(mask),
    embedded: None,
    comments: &["comment"],
    doc_comments: &[],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer),
    scopes: &[],
};

/// Rewrites syntax that the grammar does not support: `$(…)` in the name of an assigned variable
/// (`obj-$(CONFIG_A) += a.o`) becomes underscores, and a leading tab outside of a recipe becomes a
/// space.
fn mask(text: &[u8]) -> Vec<u8> {
    let mut masked = text.to_vec();
    let mut has_rule = false;
    for (start, line) in super::blank::lines(text) {
        if line.starts_with(b"\t") {
            if !has_rule {
                masked[start] = b' ';
            }
        } else if let Some(sign) = line.iter().position(|byte| b":=".contains(byte)) {
            let colons = line[sign..].iter().take_while(|byte| **byte == b':').count();
            let is_assigned = line.get(sign + colons) == Some(&b'=');
            has_rule = !is_assigned;
        }
        let Some(sign) = line.iter().position(|&byte| byte == b'=') else { continue };
        let operator = line[..sign].iter().rev().take_while(|byte| b"+:?!".contains(byte)).count();
        let name = line[..sign - operator].trim_ascii_end();
        let is_name =
            name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"$(){}-_.".contains(byte));
        if is_name && name.contains(&b'$') && name.first().is_some_and(|byte| *byte != b'$') {
            for byte in &mut masked[start..start + name.len()] {
                if b"$(){}".contains(byte) {
                    *byte = b'_';
                }
            }
        }
    }
    masked
}

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    match node.kind_name() {
        "rule" => targets(visit, found),
        "variable_assignment" | "shell_assignment" => found.extend(variable(visit)),
        "define_directive" => found.extend(Definition::named(visit, SymbolKind::Macro)),
        _ => {}
    }
}

/// Adds the targets of a rule, except for special ones such as `.PHONY`.
fn targets<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let Some(targets) = visit.child(node, "targets") else { return };
    let body = visit.child(node, "recipe");
    let mut cursor = targets.walk();
    for target in targets.named_children(&mut cursor) {
        let name = visit.text(target);
        let is_special = name.strip_prefix('.').is_some_and(|rest| {
            !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        });
        if !is_special {
            found.push(Definition { body, ..Definition::new(visit, SymbolKind::Target, target) });
        }
    }
}

/// Returns a variable at its first assignment. Target-specific assignments are skipped.
fn variable<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    if node.field("target_or_pattern").is_some() {
        return None;
    }
    let name = node.field("name")?;
    // The grammar includes the operator's sign in the name in `A?=1` and `A+=1`.
    let text = visit.text(name).trim_end_matches(['?', '+']).to_owned();
    if text.is_empty() || visit.is_defined(&text, ".") {
        return None;
    }
    let is_inside = matches!(
        visit.ancestor_kind(1),
        "export_directive" | "override_directive" | "private_directive"
    );
    let name_span = name.start_byte()..name.start_byte() + text.len();
    let definition = Definition::new(visit, SymbolKind::Variable, name);
    Some(Definition { outer: usize::from(is_inside), name: text, name_span, ..definition })
}

fn refer(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "include_directive" => include(visit, notes),
        "word" if matches!(visit.ancestor_kind(1), "variable_reference" | "prerequisites") => {
            notes.refer(visit, node, Role::Read, None);
        }
        _ => {}
    }
}

fn include(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(files) = node.field("filenames") else { return };
    let mut cursor = files.walk();
    let found: Vec<Node> = files.named_children(&mut cursor).collect();
    for file in found {
        let module = String::from_utf8_lossy(&visit.text[file.byte_range()]).into_owned();
        let kind = match file.kind_name() {
            "variable_reference" => ImportKind::DynamicVariable,
            _ if module.contains('$') => ImportKind::DynamicTemplate,
            _ => ImportKind::LocalInclude,
        };
        let line = file.start_position().row + 1;
        notes.import(Import { span: node.byte_range(), line, kind, module, names: Vec::new() });
    }
}
