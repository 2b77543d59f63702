//! Python imports: import statements, and calls that import.

use tree_sitter::Node;

use crate::lang::facts::{Import, ImportKind, ImportedName, Role};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::visit::Visit;

use super::chain::{call, literal, text};

/// Maximum number of alternative imports in one expression.
const ALTERNATIVES_MAX: usize = 16;

/// Records `import a.b, c as d`.
pub(super) fn modules(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let mut cursor = visit.node().walk();
    for child in visit.node().named_children(&mut cursor) {
        let (module, alias) = match child.kind_name() {
            "dotted_name" => (child, child),
            "aliased_import" => match named(child) {
                Some(pair) => pair,
                None => continue,
            },
            _ => continue,
        };
        let names = vec![ImportedName { name: String::new(), alias: written(visit, alias) }];
        note(visit, notes, ImportKind::Module, written(visit, module), names);
    }
}

/// Records `from a import b as c`.
pub(super) fn names(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(module) = node.field("module_name") else { return };
    let mut names = Vec::new();
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor).skip(1) {
        let (name, alias) = match child.kind_name() {
            "dotted_name" => (child, child),
            "aliased_import" => match named(child) {
                Some(pair) => pair,
                None => continue,
            },
            "wildcard_import" => {
                names.push(ImportedName { name: "*".to_owned(), alias: String::new() });
                continue;
            }
            _ => continue,
        };
        notes.refer(visit, name, Role::Import, None);
        names.push(ImportedName { name: written(visit, name), alias: written(visit, alias) });
    }
    note(visit, notes, ImportKind::Module, written(visit, module), names);
}

fn named<'t>(aliased: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    Some((aliased.field("name")?, aliased.field("alias")?))
}

/// Returns the source text of a name, without white space.
fn written(visit: &Visit<'_, '_>, node: Node<'_>) -> String {
    let mut text = String::from_utf8_lossy(&visit.text[node.byte_range()]).into_owned();
    text.retain(|c| !c.is_whitespace());
    text
}

fn note(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    kind: ImportKind,
    module: String,
    names: Vec<ImportedName>,
) {
    let node = visit.node();
    let line = node.start_position().row + 1;
    notes.import(Import { span: node.byte_range(), line, kind, module, names });
}

/// Returns true if `node` is a call that imports and returns a module.
pub(super) fn is_dynamic(visit: &Visit<'_, '_>, node: Node<'_>) -> bool {
    let function = call(node).and_then(|(function, _)| text(visit, function));
    matches!(function, Some("__import__" | "import_module" | "importlib.import_module"))
}

/// Records the dynamic import of the visited call, if it is one.
pub(super) fn dynamic(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some((function, arguments)) = call(node) else { return };
    let Some(first) = arguments.named_child(0) else { return };
    if !is_dynamic(visit, node) {
        let is_code = matches!(&visit.text[function.byte_range()], b"exec" | b"eval");
        let code = &visit.text[first.byte_range()];
        if is_code && bstr::ByteSlice::contains_str(code, "import") {
            note(visit, notes, ImportKind::DynamicEval, expression_text(visit, first), Vec::new());
        }
        return;
    }
    let assigned = visit.ancestor(1).filter(|around| around.kind_name() == "assignment");
    let alias = assigned
        .and_then(|assigned| assigned.field("left"))
        .filter(|left| left.kind_name() == "identifier");
    let names = match alias {
        Some(alias) => vec![ImportedName { name: String::new(), alias: written(visit, alias) }],
        None => Vec::new(),
    };
    let mut rest = vec![(first, false)];
    for _ in 0..ALTERNATIVES_MAX {
        let Some((given, is_one_of)) = rest.pop() else { return };
        let plain = literal(given);
        let kind = match given.kind_name() {
            "string" if plain.is_some() && is_one_of => ImportKind::DynamicConditional,
            "string" if plain.is_some() => ImportKind::Dynamic,
            "string" => ImportKind::DynamicTemplate,
            "binary_operator" if given.child(1).is_some_and(|sign| sign.kind_name() == "%") => {
                ImportKind::DynamicTemplate
            }
            "binary_operator" | "concatenated_string" => ImportKind::DynamicConcatenation,
            "call" => ImportKind::DynamicTemplate,
            "conditional_expression" => {
                rest.extend(given.named_child(2).map(|node| (node, true)));
                rest.extend(given.named_child(0).map(|node| (node, true)));
                continue;
            }
            "parenthesized_expression" => {
                rest.extend(given.named_child(0).map(|node| (node, is_one_of)));
                continue;
            }
            _ => ImportKind::DynamicVariable,
        };
        let module = match plain {
            Some(range) => String::from_utf8_lossy(&visit.text[range]).into_owned(),
            None => expression_text(visit, given),
        };
        note(visit, notes, kind, module, names.clone());
    }
}

/// Returns the source text of an expression, truncated to 200 bytes.
fn expression_text(visit: &Visit<'_, '_>, node: Node<'_>) -> String {
    let text = &visit.text[node.byte_range()];
    String::from_utf8_lossy(&text[..text.len().min(200)]).into_owned()
}
