//! Fields of JavaScript classes and TypeScript types, including properties set in constructors.

use tree_sitter::Node;

use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

use super::{chain, doc, types};

/// Returns the field that the visited property of an interface or object type declares.
pub(super) fn signature<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    is_of_type(visit).then(|| Definition::named(visit, SymbolKind::Field))?
}

/// Returns true if the visited member belongs to an interface, to a named object type, or to the
/// object type of such a member.
pub(super) fn is_of_type(visit: &Visit<'_, '_>) -> bool {
    let mut level = 1;
    match visit.ancestor_kind(level) {
        "interface_body" => return true,
        "object_type" => level += 1,
        _ => return false,
    }
    loop {
        level += match visit.ancestor_kind(level) {
            "intersection_type" | "union_type" | "parenthesized_type" | "readonly_type" => 1,
            // `Readonly<{ name: A }>`.
            "type_arguments" if is_same_type(visit, level + 1) => 2,
            _ => break,
        };
    }
    match visit.ancestor_kind(level) {
        "type_alias_declaration" => true,
        "type_annotation" => {
            let is_field = matches!(
                visit.ancestor_kind(level + 1),
                "property_signature" | "public_field_definition"
            );
            is_field && visit.enclosing_kind() == Some(SymbolKind::Field)
        }
        _ => false,
    }
}

/// Returns true if the generic type `level` above the visited member has the members of its argument.
fn is_same_type(visit: &Visit<'_, '_>, level: usize) -> bool {
    let name = visit.ancestor(level).and_then(|of| of.field("name"));
    name.is_some_and(|name| {
        matches!(visit.bytes(name), b"NonNullable" | b"Partial" | b"Readonly" | b"Required")
    })
}

/// Returns the field that the visited constructor parameter declares.
pub(super) fn parameter<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let (owner, name) = parameter_owner(visit)?;
    if visit.is_member(owner, &visit.text(name), ".") {
        return None;
    }
    Some(Definition { owner: Some(owner), ..Definition::new(visit, SymbolKind::Field, name) })
}

fn parameter_owner<'t>(visit: &Visit<'_, 't>) -> Option<(usize, Node<'t>)> {
    let node = visit.node();
    let is_field = (0..4)
        .map_while(|at| node.child(at))
        .any(|word| matches!(word.kind_name(), "accessibility_modifier" | "readonly"));
    let constructor = visit.enclosing().filter(|symbol| symbol.kind == SymbolKind::Constructor)?;
    let name = node.field("pattern").filter(|name| name.kind_name() == "identifier")?;
    let is_own = visit.ancestor_kind(2) == "method_definition";
    Some((constructor.parent.filter(|_| is_field && is_own)?, name))
}

/// Returns the field that `this.name = …` adds to a class or to the instances of a constructor
/// function.
pub(super) fn of_this<'t>(visit: &Visit<'_, 't>, left: Node<'t>) -> Option<Definition<'t>> {
    let (owner, name) = owner(visit, left)?;
    if visit.is_member(owner, &visit.text(name), ".") {
        return None;
    }
    Some(Definition { owner: Some(owner), ..Definition::new(visit, SymbolKind::Field, name) })
}

/// Returns the field that `value.name = …` adds to a function, class or constant of the file.
pub(super) fn added<'t>(visit: &Visit<'_, 't>, left: Node<'t>) -> Option<Definition<'t>> {
    let object = left.field("object").filter(|object| object.kind_name() == "identifier")?;
    let name = left.field("property")?;
    let of = visit.text(object);
    let is_added = visit.enclosing().is_none()
        && visit.is_defined(&of, ".")
        && !visit.is_defined(&format!("{of}.{}", visit.text(name)), ".");
    is_added.then(|| Definition {
        prefix: Some(of.into_owned()),
        ..Definition::new(visit, SymbolKind::Field, name)
    })
}

/// If `left` is `this.name`, returns the index of the class or constructor function and the name of
/// the field.
pub(super) fn owner<'t>(visit: &Visit<'_, 't>, left: Node<'t>) -> Option<(usize, Node<'t>)> {
    let is_this = left.kind_name() == "member_expression" && left.child(0)?.kind_name() == "this";
    let name = left.field("property").filter(|_| is_this)?;
    let index = visit.enclosing_index()?;
    let around = visit.symbols.get(index)?;
    match around.kind {
        SymbolKind::Method | SymbolKind::Constructor | SymbolKind::Property => {
            let owner = around.parent?;
            let is_class = visit.symbols.get(owner)?.kind == SymbolKind::Class;
            is_class.then_some((owner, name))
        }
        SymbolKind::Function if around.name.starts_with(|c: char| c.is_ascii_uppercase()) => {
            Some((index, name))
        }
        _ => None,
    }
}

/// Records the type of the visited field or property.
pub(super) fn typed(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(index) = visit.defined.clone().next() else { return };
    let node = visit.node();
    let is_data = visit.symbols.get(index).is_some_and(|symbol| symbol.kind == SymbolKind::Field);
    let value = node.field("value");
    let declared =
        types::annotated(visit, notes, node).or_else(|| types::result(visit, notes, node));
    let documented = || doc::tagged(&doc::comment(visit), &["@type"], None);
    let declared = declared.or_else(|| is_data.then(documented).flatten());
    if let Some(chain) = declared.filter(|_| is_data) {
        notes.set_type(index, chain);
    } else if let Some(chain) =
        value.filter(|_| is_data).and_then(|value| chain::value(visit, notes, value))
    {
        notes.add_value(index, Some(chain));
    }
}

/// Records the type of the field that the visited parameter declares.
pub(super) fn typed_parameter(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    if visit.defined.is_empty() {
        return;
    }
    let node = visit.node();
    let default = node.field("value");
    let chain = types::annotated(visit, notes, node)
        .or_else(|| types::result(visit, notes, node))
        .or_else(|| chain::value(visit, notes, default?));
    if let (Some(index), Some(chain)) = (visit.defined.clone().next(), chain) {
        notes.set_type(index, chain);
    }
}

/// Records the type of the value that the visited statement assigns to `this.name`.
pub(super) fn assigned(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(left) = node.field("left") else { return };
    if left.kind_name() != "member_expression" {
        return;
    }
    let Some((owner, name)) = owner(visit, left) else { return };
    if visit.ancestor_kind(1) == "expression_statement"
        && let Some(chain) = doc::tagged(&doc::comment(visit), &["@type"], None)
    {
        return notes.add_member(owner, name, chain);
    }
    let right = node.field("right");
    if let Some(chain) = right.and_then(|right| chain::value(visit, notes, right)) {
        notes.add_member(owner, name, chain);
    }
}

/// Records the value of the member that the visited `{ name }` defines.
pub(super) fn shorthand(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(index) = visit.defined.clone().next() else { return };
    if let Some(chain) = chain::value(visit, notes, visit.node()) {
        notes.add_value(index, Some(chain));
    }
}
