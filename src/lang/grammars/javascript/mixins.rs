//! Mixins: `class A extends mixin(B, C)`, `Object.assign(A.prototype, b)`.

use tree_sitter::Node;

use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::Visit;

use super::chain;
use super::refer::add_base;

/// Maximum number of mixed-in parts of one type.
const PARTS_MAX: usize = 32;

/// Records the bases of a class. If the class extends the result of a call, its bases are the
/// arguments of the call and the function itself, whose members are those of the class that it
/// returns.
pub(super) fn extended(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    index: usize,
    value: Node<'_>,
) {
    let mut rest = vec![value];
    for _ in 0..PARTS_MAX {
        let Some(part) = rest.pop() else { return };
        if part.kind_name() != "call_expression" {
            add_base(notes, index, chain::value(visit, notes, part));
            continue;
        }
        let is_part = |part: &Node<'_>| {
            matches!(part.kind_name(), "identifier" | "member_expression" | "call_expression")
        };
        let list = part.field("arguments");
        let arguments = (0..PARTS_MAX as u32).map_while(|at| list?.named_child(at));
        let mut parts: Vec<Node<'_>> = arguments.filter(is_part).collect();
        parts.reverse();
        rest.extend(parts);
        rest.extend(part.child(0));
    }
}

/// Records the objects that `Object.assign(Type.prototype, …)` adds to a class or constructor
/// function.
pub(super) fn assigned(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    if node.child(0).is_none_or(|function| visit.bytes(function) != b"Object.assign") {
        return;
    }
    let Some(arguments) = node.field("arguments") else { return };
    let Some(target) = arguments.named_child(0).map(|first| visit.bytes(first)) else { return };
    let Some(name) = target.strip_suffix(b".prototype") else { return };
    let index = visit.symbols.iter().position(|symbol| {
        let has_members = matches!(symbol.kind, SymbolKind::Class | SymbolKind::Function);
        has_members && symbol.name.as_bytes() == name
    });
    let Some(index) = index else { return };
    let mut cursor = arguments.walk();
    for part in arguments.named_children(&mut cursor).skip(1).take(PARTS_MAX) {
        add_base(notes, index, chain::value(visit, notes, part));
    }
}
