//! Instance variables of Ruby: each is a field `@name` of the class, at its first assignment, and an
//! attribute reads the one of its name.

use tree_sitter::Node;

use crate::lang::chain::{Chain, Step};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

use super::macros;
use super::value::is_literal;

/// Returns the field that the visited assignment adds to a class or module, unless it has one of
/// that name. In a block outside of all definitions, as in a specification, the file has the field.
pub(super) fn assigned<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let name = visit.node().field("left").filter(|left| left.kind_name() == "instance_variable")?;
    if visit.enclosing().is_none() {
        let is_first = !visit.is_defined(&visit.text(name), "");
        let field = Definition::new(visit, SymbolKind::Field, name);
        let field = Definition { visibility: Visibility::Private, ..field };
        return Some(field).filter(|_| is_first);
    }
    let (owner, separator) = owner(visit)?;
    if visit.is_member(owner, &visit.text(name), separator) {
        return None;
    }
    Some(Definition {
        owner: Some(owner),
        separator: Some(separator),
        visibility: Visibility::Private,
        ..Definition::new(visit, SymbolKind::Field, name)
    })
}

/// Records the chain of the value that the visited assignment gives to an instance variable.
pub(super) fn typed(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    left: Node<'_>,
    value: Option<Chain>,
) {
    let index = visit.defined.clone().next().filter(|_| visit.enclosing().is_none());
    if left.kind_name() == "instance_variable"
        && let (Some(index), Some(value)) = (index, &value)
    {
        notes.set_type(index, value.clone());
    }
    if left.kind_name() == "instance_variable"
        && let (Some((owner, _)), Some(value)) = (owner(visit), value)
    {
        if value.is_of_variable() || is_literal(&value) {
            notes.set_weak_member(owner, left, value);
        } else {
            notes.add_member(owner, left, value);
        }
    }
}

/// Records the chain of the container that the instance variable `object` is, from an element that the
/// visited node adds to it.
pub(super) fn filled(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    object: Node<'_>,
    container: Option<Chain>,
) {
    let container = container.filter(|of| of.has_type_arguments());
    if object.kind_name() == "instance_variable"
        && let (Some((owner, _)), Some(container)) = (owner(visit), container)
    {
        notes.set_content(owner, object, container);
    }
}

/// Returns the index of the class or module around the visited method, and the separator before the
/// names of the variables there.
fn owner(visit: &Visit<'_, '_>) -> Option<(usize, &'static str)> {
    let method = visit.enclosing().filter(|symbol| symbol.kind.is_callable())?;
    let owner = method.parent?;
    let around = visit.symbols.get(owner)?;
    let scope = method.qualified_name.strip_suffix(&method.name)?;
    let separator = if scope.ends_with('.') { "." } else { "#" };
    matches!(around.kind, SymbolKind::Class | SymbolKind::Module).then_some((owner, separator))
}

/// Records the results of the methods that the visited call defines by delegation:
/// `def_delegators :@a, :b`, `delegate :b, to: :a`.
pub(super) fn delegated(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(list) = node.field("arguments").filter(|_| !visit.defined.is_empty()) else { return };
    let word = visit.field(node, "method").unwrap_or_default();
    let (accessor, method) = match &*word {
        "def_delegator" | "def_instance_delegator" => (list.named_child(0), list.named_child(1)),
        "def_delegators" | "def_instance_delegators" => (list.named_child(0), None),
        "delegate" => {
            let options = (0..64).map_while(|at| list.named_child(at));
            let is_target =
                |it: &Node<'_>| it.field("key").is_some_and(|key| visit.bytes(key) == b"to");
            let mut options = options.filter(|it| it.kind_name() == "pair");
            (options.find(is_target).and_then(|it| it.field("value")), None)
        }
        _ => return,
    };
    let Some((accessor, _)) = accessor.and_then(|it| macros::name_of(visit, it)) else { return };
    let method = method.and_then(|it| macros::name_of(visit, it));
    let of = Chain::own().then(Step::Member(&accessor));
    let of = if accessor.starts_with('@') { of } else { of.then(Step::Call) };
    for index in visit.defined.clone() {
        let Some(symbol) = visit.symbols.get(index) else { continue };
        let name = method.as_ref().map_or(&symbol.name, |(name, _)| name);
        notes.set_type(index, of.clone().then(Step::Member(name)).then(Step::Call));
    }
}

/// Records for the attributes that the visited call defines that they read instance variables.
pub(super) fn read(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    for index in visit.defined.clone() {
        let Some(symbol) = visit.symbols.get(index) else { continue };
        if symbol.kind == SymbolKind::Property {
            let variable = format!("@{}", symbol.name);
            notes.set_type(index, Chain::own().then(Step::Member(&variable)));
        }
    }
}
