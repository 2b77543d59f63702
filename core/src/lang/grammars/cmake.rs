//! CMake.

use tree_sitter::Node;

use crate::lang::facts::{Import, ImportKind, Role};
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

/// CMake. Command names are case-insensitive.
pub(crate) static CMAKE: Language = Language {
    name: "cmake",
    extensions: &["cmake"],
    filenames: &["CMakeLists.txt"],
    shebangs: &["cmake"],
    separator: ".",
    line_comments: &["#"],
    block_comments: &[("#[[", "]]")],
    tests: TestConventions::NONE,
    grammar: grammar!("tree-sitter-cmake", tree_sitter_cmake::LANGUAGE),
    refine: None,
    mask: None,
    embedded: None,
    comments: &["line_comment", "bracket_comment"],
    doc_comments: &[],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer),
    scopes: &[],
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let definition = match node.kind_name() {
        "function_def" => block(visit, SymbolKind::Function),
        "macro_def" => block(visit, SymbolKind::Macro),
        "normal_command" => command(visit),
        _ => None,
    };
    found.extend(definition);
}

/// Returns the first argument of a command.
fn first_argument<'t>(visit: &Visit<'_, 't>, command: Node<'t>) -> Option<Node<'t>> {
    let arguments = visit.child(command, "argument_list")?;
    arguments.named_child(0).filter(|argument| argument.kind_name() == "argument")
}

fn block<'t>(visit: &Visit<'_, 't>, kind: SymbolKind) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = first_argument(visit, node.named_child(0)?)?;
    let body = visit.child(node, "body");
    Some(Definition { body, ..Definition::new(visit, kind, name) })
}

/// Returns a target, option or project, or a variable outside of functions at its first `set`.
fn command<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let word = visit.text(visit.child(node, "identifier")?).to_ascii_lowercase();
    let kind = match word.as_str() {
        "add_executable" | "add_library" | "add_custom_target" => SymbolKind::Target,
        "project" => SymbolKind::Module,
        "option" | "set" => SymbolKind::Variable,
        _ => return None,
    };
    let name = first_argument(visit, node)?;
    let text = visit.text(name);
    let is_local = kind == SymbolKind::Variable && visit.enclosing_kind().is_some();
    let is_again = kind == SymbolKind::Variable && visit.is_defined(&text, ".");
    if is_local || is_again || text.contains('$') {
        return None;
    }
    let name_text = text.trim_matches('"').to_owned();
    // The contents of a project are not inside its command, so it has no body.
    Some(Definition { name: name_text, ..Definition::new(visit, kind, name) })
}

fn refer(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "normal_command" => refer_command(visit, notes),
        "variable" => notes.refer(visit, node, Role::Read, None),
        _ => {}
    }
}

fn refer_command(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(name) = visit.child(node, "identifier") else { return };
    let word = String::from_utf8_lossy(&visit.text[name.byte_range()]).to_ascii_lowercase();
    let kind = match word.as_str() {
        "include" | "add_subdirectory" => ImportKind::LocalInclude,
        "find_package" => ImportKind::Module,
        _ => {
            let arguments = visit.child(node, "argument_list");
            return notes.call(
                visit,
                name,
                None,
                arguments.map_or(0, |list| list.named_child_count()),
            );
        }
    };
    let Some(argument) = first_argument(visit, node) else { return };
    let module = String::from_utf8_lossy(&visit.text[argument.byte_range()]).into_owned();
    let module = module.trim_matches('"').to_owned();
    let kind = if module.contains('$') { ImportKind::DynamicTemplate } else { kind };
    let line = node.start_position().row + 1;
    notes.import(Import { span: node.byte_range(), line, kind, module, names: Vec::new() });
}
