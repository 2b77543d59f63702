//! Shell scripts: POSIX shell, Bash, Zsh.

use tree_sitter::Node;

use crate::lang::facts::{Import, ImportKind};
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

/// Bash. Its grammar is close enough to those of the other shells.
pub(crate) static BASH: Language = Language {
    name: "bash",
    extensions: &["sh", "bash", "zsh", "ksh", "ash", "dash", "ebuild", "eclass"],
    filenames: &[
        ".bashrc",
        ".bash_profile",
        ".bash_aliases",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        "PKGBUILD",
        "APKBUILD",
    ],
    shebangs: &["sh", "bash", "zsh", "ksh", "ash", "dash"],
    separator: ".",
    line_comments: &["#"],
    block_comments: &[],
    tests: TestConventions {
        file_prefixes: &["test_", "test-"],
        file_suffixes: &["_test.sh", "-test.sh", "_spec.sh", ".test.sh"],
        directories: &["test", "tests"],
    },
    grammar: grammar!("tree-sitter-bash", tree_sitter_bash::LANGUAGE),
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
        "function_definition" => Definition::named(visit, SymbolKind::Function),
        "variable_assignment" => variable(visit),
        "command" => alias(visit),
        _ => None,
    };
    found.extend(definition);
}

/// Returns the variable of an assignment outside of functions, if it is the first one of its name.
fn variable<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let name = visit.node().field("name")?;
    let declaration = visit.ancestor(1).filter(|node| node.kind_name() == "declaration_command");
    let is_statement = declaration.is_some()
        || !matches!(visit.ancestor_kind(1), "command" | "for_statement" | "c_style_for_statement");
    if name.kind_name() != "variable_name"
        || !is_statement
        || visit.enclosing_kind().is_some()
        || visit.is_defined(&visit.text(name), ".")
    {
        return None;
    }
    let words = declaration.map(|node| visit.text(node)).unwrap_or_default();
    let is_constant = words.starts_with("readonly")
        || words.split_whitespace().nth(1).is_some_and(|flags| {
            flags.starts_with('-') && flags.contains('r') && !words.starts_with("export")
        });
    let kind = if is_constant { SymbolKind::Constant } else { SymbolKind::Variable };
    let is_alone = declaration.is_some_and(|node| {
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .filter(|child| child.kind_name() == "variable_assignment")
            .take(2)
            .count()
            == 1
    });
    Some(Definition { outer: usize::from(is_alone), ..Definition::new(visit, kind, name) })
}

/// Returns the alias that `alias name=…` defines.
fn alias<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    if visit.field(node, "name")? != "alias" {
        return None;
    }
    let argument = node.field("argument")?;
    let text = visit.text(argument);
    let (name, _) = text.split_once('=')?;
    let mut definition = Definition::new(visit, SymbolKind::Macro, argument);
    let start = argument.start_byte();
    definition.name_span = start..(start + name.len()).min(argument.end_byte());
    definition.name = name.to_owned();
    Some(definition)
}

fn refer(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    if node.kind_name() != "command" {
        return;
    }
    let Some(name) = node.field("name") else { return };
    let Some(word) = name.named_child(0).filter(|word| word.kind_name() == "word") else { return };
    let mut cursor = node.walk();
    let mut arguments = node.children_by_field_name("argument", &mut cursor);
    if matches!(visit.text(word).as_ref(), "source" | ".") {
        if let Some(file) = arguments.next() {
            notes.import(source(visit, node, file));
        }
        return;
    }
    notes.call(visit, word, None, arguments.count());
}

fn source(visit: &Visit<'_, '_>, command: Node, file: Node) -> Import {
    let text = String::from_utf8_lossy(&visit.text[file.byte_range()]).into_owned();
    let module = text.trim_matches(['"', '\'']).to_owned();
    let kind = if !module.contains(['$', '`']) {
        ImportKind::LocalInclude
    } else if file.kind_name() == "simple_expansion" {
        ImportKind::DynamicVariable
    } else {
        ImportKind::DynamicTemplate
    };
    let line = command.start_position().row + 1;
    Import { span: command.byte_range(), line, kind, module, names: Vec::new() }
}
