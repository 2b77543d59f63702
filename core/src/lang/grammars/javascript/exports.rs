//! Exports of JavaScript modules under a name that differs from the name of a definition.
//!
//! They are recorded as imports of the kind `ReExport`. The module is empty if the file exports one
//! of its own names.

use tree_sitter::Node;

use crate::lang::facts::{ImportKind, ImportedName};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::Visit;

use super::chain;
use super::imports::{name, note, source, specifiers};

/// Maximum number of names exported by one object literal.
const NAMES_MAX: usize = 1024;

/// Records the visited `export` statement: `* from`, `{a as b} from`, `{a as b}`, `default a`,
/// `= a`.
pub(super) fn statement(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let mut names = Vec::new();
    let mut is_default = false;
    for at in 0..8 {
        let Some(child) = node.child(at) else { break };
        match child.kind_name() {
            "*" => names.push(name("*", "")),
            "namespace_export" => {
                names.extend(child.named_child(0).map(|own| name("", &source(visit, own))));
            }
            "export_clause" => specifiers(visit, notes, child, &mut names),
            "default" | "=" => is_default = true,
            "identifier" if is_default => names.push(name(&visit.text_of(child), "default")),
            _ => {}
        }
    }
    let declared = node.field("declaration").filter(|_| is_default);
    let value = node.field("value").filter(|_| is_default).map(super::bare);
    let own = declared.or(value).and_then(|node| node.field("name"));
    names.extend(own.map(|own| name(&visit.text_of(own), "default")));
    if let Some(wrapped) = value.and_then(wrapped) {
        names.push(name(&visit.text_of(wrapped), "default"));
    }
    if names.is_empty() {
        return;
    }
    let module = node.field("source");
    let module = module.map(|module| source(visit, module)).unwrap_or_default();
    note(notes, node, ImportKind::ReExport, module, names);
}

/// Returns the argument `Name` of a call such as `connect(…)(Name)` or `memo(Name)`.
fn wrapped(value: Node<'_>) -> Option<Node<'_>> {
    if value.kind_name() != "call_expression" {
        return None;
    }
    let arguments = value.field("arguments")?;
    arguments.named_child(0).filter(|argument| argument.kind_name() == "identifier")
}

/// Records the visited assignment to `module.exports` or to one of its members.
pub(super) fn assigned(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
        return;
    };
    if left.kind_name() != "member_expression" {
        return;
    }
    let target = visit.bytes(left);
    let mut names: Vec<ImportedName> = Vec::new();
    if target == b"module.exports" {
        match right.kind_name() {
            "identifier" => names.push(name(&visit.text_of(right), "default")),
            "object" => names = members(visit, right),
            _ => {
                let own = right.field("name");
                names.extend(own.map(|own| name(&visit.text_of(own), "default")));
            }
        }
        let variable = assigned_variable(visit);
        names.extend(variable.map(|variable| name(&visit.text_of(variable), "default")));
    } else {
        let exported = target.strip_prefix(b"module.exports.").or(target.strip_prefix(b"exports."));
        let exported = exported.filter(|_| right.kind_name() == "identifier");
        names
            .extend(exported.map(|own| name(&visit.text_of(right), &String::from_utf8_lossy(own))));
    }
    if !names.is_empty() {
        note(notes, node, ImportKind::ReExport, String::new(), names);
    }
}

/// Returns the variable that is declared with the value of the visited assignment:
/// `var app = exports = module.exports = {}`.
fn assigned_variable<'t>(visit: &Visit<'_, 't>) -> Option<Node<'t>> {
    let mut level = 1;
    while visit.ancestor_kind(level) == "assignment_expression" && level < 4 {
        level += 1;
    }
    let declared = visit.ancestor(level).filter(|it| it.kind_name() == "variable_declarator")?;
    declared.field("name").filter(|variable| variable.kind_name() == "identifier")
}

/// Records the value of the constant that the visited assignment exports, or of the field that it
/// adds.
pub(super) fn typed(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(index) = visit.defined.clone().next() else { return };
    let is_data = visit.symbols.get(index).is_some_and(|symbol| {
        let is_field = symbol.kind == SymbolKind::Field && symbol.parent.is_none();
        is_field || symbol.kind == SymbolKind::Constant
    });
    let right = visit.node().field("right").filter(|_| is_data);
    if let Some(chain) = right.and_then(|right| chain::value(visit, notes, right)) {
        notes.set_type(index, chain);
    }
}

/// Returns the names exported by the properties of an object literal.
fn members(visit: &Visit<'_, '_>, object: Node<'_>) -> Vec<ImportedName> {
    let mut names = Vec::new();
    let mut cursor = object.walk();
    for member in object.named_children(&mut cursor).take(NAMES_MAX) {
        match member.kind_name() {
            "shorthand_property_identifier" => {
                names.push(name(&visit.text_of(member), &visit.text_of(member)));
            }
            "pair" => {
                let (key, value) = (member.field("key"), member.field("value"));
                if let (Some(key), Some(value)) =
                    (key, value.filter(|v| v.kind_name() == "identifier"))
                {
                    names.push(name(&visit.text_of(value), &visit.text_of(key)));
                }
            }
            _ => {}
        }
    }
    names
}
