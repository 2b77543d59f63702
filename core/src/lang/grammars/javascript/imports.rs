//! JavaScript imports: import statements, and calls of `require` and `import`.

use tree_sitter::Node;

use crate::lang::facts::{Import, ImportKind, ImportedName, Role};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::visit::Visit;

use super::chain::literal;

/// Maximum number of alternative imports in one expression.
const ALTERNATIVES_MAX: usize = 16;

/// Maximum number of names in one pattern.
const NAMES_MAX: usize = 256;

/// Maximum length of the source text of a dynamic import's expression.
const WRITTEN_BYTES_MAX: usize = 200;

/// Records an import of `module` by the node `around`.
pub(super) fn note(
    notes: &mut Notes<'_>,
    around: Node<'_>,
    kind: ImportKind,
    module: String,
    names: Vec<ImportedName>,
) {
    let line = around.start_position().row + 1;
    notes.import(Import { span: around.byte_range(), line, kind, module, names });
}

/// Returns an imported name with its local alias.
pub(super) fn name(name: &str, alias: &str) -> ImportedName {
    ImportedName { name: name.to_owned(), alias: alias.to_owned() }
}

/// Returns the text of a module specifier without its quotes.
pub(super) fn source(visit: &Visit<'_, '_>, node: Node<'_>) -> String {
    let range = literal(node).unwrap_or(node.byte_range());
    String::from_utf8_lossy(&visit.text[range]).into_owned()
}

/// Records the visited `import … from "…"`, `import "…"` or `import x = require("…")`.
pub(super) fn statement(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let mut names = Vec::new();
    let mut module = node.field("source");
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor).take(8) {
        match child.kind_name() {
            "import_clause" => clause(visit, notes, child, &mut names),
            "import_require_clause" => {
                module = child.field("source");
                names.extend(child.named_child(0).map(|local| name("", &visit.text_of(local))));
            }
            _ => {}
        }
    }
    if let Some(module) = module {
        note(notes, node, ImportKind::Module, source(visit, module), names);
    }
}

fn clause(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    clause: Node<'_>,
    names: &mut Vec<ImportedName>,
) {
    let mut cursor = clause.walk();
    for child in clause.named_children(&mut cursor).take(8) {
        match child.kind_name() {
            "identifier" => {
                names.push(name("default", &visit.text_of(child)));
                notes.refer_span(visit, child.byte_range(), Role::Import, None, None);
            }
            "namespace_import" => {
                names.extend(child.named_child(0).map(|local| name("", &visit.text_of(local))));
            }
            _ => specifiers(visit, notes, child, names),
        }
    }
}

/// Adds the names between the braces of an import or export.
pub(super) fn specifiers(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    list: Node<'_>,
    names: &mut Vec<ImportedName>,
) {
    let mut cursor = list.walk();
    for specifier in list.named_children(&mut cursor) {
        let Some(original) = specifier.field("name") else { continue };
        let local = specifier.field("alias").unwrap_or(original);
        names.push(name(&source(visit, original), &source(visit, local)));
        notes.refer_span(visit, original.byte_range(), Role::Import, None, None);
    }
}

/// Records `import A = B.C`, which declares an alias within the file.
pub(super) fn alias(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    if let (Some(local), Some(original)) = (node.named_child(0), node.named_child(1)) {
        let names = vec![name(&visit.text_of(original), &visit.text_of(local))];
        note(notes, node, ImportKind::Module, String::new(), names);
    }
}

/// Returns the call of `require` or `import` in `value`, which may be awaited, and the member of
/// the result that `value` accesses, if any.
fn load_call<'t>(
    visit: &Visit<'_, '_>,
    mut value: Node<'t>,
) -> Option<(Node<'t>, Option<Node<'t>>)> {
    let mut member = None;
    for _ in 0..4 {
        match value.kind_name() {
            "await_expression" | "parenthesized_expression" | "as_expression" => {
                value = value.named_child(0)?;
            }
            "member_expression" if member.is_none() => {
                member = value.field("property");
                value = value.child(0)?;
            }
            "call_expression" => return is_load(visit, value).then_some((value, member)),
            _ => return None,
        }
    }
    None
}

fn is_load(visit: &Visit<'_, '_>, call: Node<'_>) -> bool {
    let function = call.child(0);
    function.is_some_and(|function| {
        function.kind_name() == "import"
            || function.kind_name() == "identifier" && visit.bytes(function) == b"require"
    })
}

/// Returns true if assigning `value` to a variable binds a module or a member of one.
pub(super) fn binds(visit: &Visit<'_, '_>, value: Node<'_>) -> bool {
    load_call(visit, value).is_some()
}

/// Returns true if the visited property is the member of a module that a variable is bound to:
/// `var name = require("…").member`.
pub(super) fn is_bound_member(visit: &Visit<'_, '_>) -> bool {
    let declared = visit.ancestor(2).filter(|it| it.kind_name() == "variable_declarator");
    let is_name = |it: Node<'_>| it.kind_name() == "identifier";
    let Some(declared) = declared.filter(|it| it.field("name").is_some_and(is_name)) else {
        return false;
    };
    let loaded = declared.field("value").and_then(|value| load_call(visit, value));
    loaded.and_then(|(_, member)| member).is_some_and(|member| member.id() == visit.node().id())
}

/// Records the visited variable declaration if it binds a module or a member of one.
pub(super) fn variable(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (Some(target), Some(value)) = (node.field("name"), node.field("value")) else {
        return;
    };
    let Some((call, member)) = load_call(visit, value) else { return };
    let of = member.map(|member| visit.text_of(member)).unwrap_or_default();
    let mut names = Vec::new();
    match target.kind_name() {
        "identifier" => names.push(name(&of, &visit.text_of(target))),
        "object_pattern" if member.is_none() => {
            let mut cursor = target.walk();
            for part in target.named_children(&mut cursor).take(NAMES_MAX) {
                bound(visit, notes, part, &mut names);
            }
        }
        _ => {}
    }
    load(visit, notes, call, ImportKind::Module, names);
}

/// Adds the names that one part of a destructuring pattern binds.
fn bound(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    part: Node<'_>,
    names: &mut Vec<ImportedName>,
) {
    let own = |node: Node<'_>| name(&visit.text_of(node), &visit.text_of(node));
    match part.kind_name() {
        "shorthand_property_identifier_pattern" => names.push(own(part)),
        "object_assignment_pattern" => names.extend(part.field("left").map(own)),
        "pair_pattern" => {
            let (key, value) = (part.field("key"), part.field("value"));
            if let (Some(key), Some(value)) = (key, value.filter(|v| v.kind_name() == "identifier"))
            {
                names.push(name(&visit.text_of(key), &visit.text_of(value)));
                notes.refer_span(visit, key.byte_range(), Role::Import, None, None);
            }
        }
        _ => {}
    }
}

/// Records the import of the visited call. A call that initializes a variable is recorded by
/// [`variable`] instead.
pub(super) fn call(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    if !is_load(visit, node) {
        return evaluated(visit, notes);
    }
    let mut level = 1;
    while matches!(
        visit.ancestor_kind(level),
        "await_expression" | "parenthesized_expression" | "as_expression" | "member_expression"
    ) {
        level += 1;
    }
    let around = visit.ancestor(level);
    match visit.ancestor_kind(level) {
        "variable_declarator"
            if around.is_some_and(|v| {
                v.field("value").is_some_and(|value| load_call(visit, value).is_some())
            }) => {}
        "assignment_expression" if level == 1 => {
            let left = around.and_then(|around| around.field("left"));
            let left = left.map(|left| visit.text_of(left)).unwrap_or_default();
            let exported = left.strip_prefix("module.exports.").or(left.strip_prefix("exports."));
            match exported {
                _ if left == "module.exports" => {
                    load(visit, notes, node, ImportKind::ReExport, vec![name("*", "")]);
                }
                Some(alias) => {
                    load(visit, notes, node, ImportKind::ReExport, vec![name("", alias)]);
                }
                None if left.contains('.') => {
                    load(visit, notes, node, ImportKind::Module, Vec::new());
                }
                None => load(visit, notes, node, ImportKind::Module, vec![name("", &left)]),
            }
        }
        _ => load(visit, notes, node, ImportKind::Module, Vec::new()),
    }
}

/// Records `eval("… require …")` and `new Function("require", …)`, with or without `new`.
pub(super) fn evaluated(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let function = node.field("constructor").or_else(|| node.child(0));
    let Some(function) = function.filter(|function| function.kind_name() == "identifier") else {
        return;
    };
    if !matches!(visit.bytes(function), b"eval" | b"Function") {
        return;
    }
    let Some(code) = node.field("arguments") else { return };
    let text = visit.bytes(code);
    let loads = ["require", "import"].iter().any(|w| bstr::ByteSlice::contains_str(text, w));
    if loads {
        note(notes, node, ImportKind::DynamicEval, written(visit, code), Vec::new());
    }
}

/// Records the import of `call`. `kind` is the kind for a string literal passed to `require`.
fn load(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    call: Node<'_>,
    kind: ImportKind,
    names: Vec<ImportedName>,
) {
    let first = call.field("arguments").and_then(|all| all.named_child(0));
    let Some(first) = first else { return };
    let is_import = call.child(0).is_some_and(|function| function.kind_name() == "import");
    let mut rest = vec![(first, false)];
    for _ in 0..ALTERNATIVES_MAX {
        let Some((given, is_one_of)) = rest.pop() else { return };
        let plain = literal(given);
        let kind = match given.kind_name() {
            _ if plain.is_some() && is_one_of => ImportKind::DynamicConditional,
            _ if plain.is_some() && is_import => ImportKind::Dynamic,
            _ if plain.is_some() => kind,
            "template_string" => ImportKind::DynamicTemplate,
            "binary_expression" => match given.field("operator").map(|o| o.kind_name()) {
                Some("||" | "??") => {
                    rest.extend(given.field("right").map(|node| (node, true)));
                    rest.extend(given.field("left").map(|node| (node, true)));
                    continue;
                }
                _ => ImportKind::DynamicConcatenation,
            },
            "ternary_expression" => {
                rest.extend(given.field("alternative").map(|node| (node, true)));
                rest.extend(given.field("consequence").map(|node| (node, true)));
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
            None => written(visit, given),
        };
        note(notes, call, kind, module, names.clone());
    }
}

/// Returns the source text of an expression, truncated to [`WRITTEN_BYTES_MAX`] bytes.
fn written(visit: &Visit<'_, '_>, node: Node<'_>) -> String {
    let text = visit.bytes(node);
    String::from_utf8_lossy(&text[..text.len().min(WRITTEN_BYTES_MAX)]).into_owned()
}
