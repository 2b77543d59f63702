//! Mixins and bases without `class`: `class A extends mixin(B, C)`, `Object.assign(A.prototype, b)`,
//! `inherits(A, B)`, `A.prototype = Object.create(B.prototype)`.

use tree_sitter::Node;

use crate::lang::chain::Step;
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
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

/// Records the base of a class without a name in the function with index `index`, if it is a parameter of
/// the function: the type of its values, `A` of `(base: new () => A) => class extends base {}`.
pub(super) fn returned(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    index: usize,
    heritage: Node<'_>,
) {
    let clause = heritage.named_child(0).map(|clause| clause.field("value").unwrap_or(clause));
    let Some(base) = clause.filter(|base| base.kind_name() == "identifier") else { return };
    if let NameLookup::Local(Some(class)) = notes.local(visit.bytes(base)) {
        let made = class.clone().then(Step::Call);
        notes.add_base(index, made);
    }
}

/// Records the objects that `Object.assign(Type.prototype, …)` adds to a class or constructor
/// function, and the base that `inherits(Type, Base)` gives to it.
pub(super) fn assigned(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(function) = visit.node().child(0) else { return };
    let Some(arguments) = visit.node().field("arguments") else { return };
    let function = visit.bytes(function);
    let is_added = match function {
        b"Object.assign" | b"Object.setPrototypeOf" => true,
        _ if function.ends_with(b"inherits") => false,
        _ => return,
    };
    let Some(target) = arguments.named_child(0).map(|first| visit.bytes(first)) else { return };
    let name = if is_added { target.strip_suffix(b".prototype") } else { Some(target) };
    let Some(index) = name.and_then(|name| extensible(visit, name)) else { return };
    let mut cursor = arguments.walk();
    for part in arguments.named_children(&mut cursor).skip(1).take(PARTS_MAX) {
        add_base(notes, index, chain::value(visit, notes, part));
    }
}

/// Records the base that the visited assignment gives to a constructor function:
/// `Type.prototype = Object.create(Base.prototype)`, `Type.prototype.__proto__ = Base.prototype`.
pub(super) fn prototype(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let (Some(left), Some(right)) = (visit.node().field("left"), visit.node().field("right"))
    else {
        return;
    };
    let left = visit.bytes(left);
    let prototype = left.strip_suffix(b".__proto__").unwrap_or(left);
    let Some(name) = prototype.strip_suffix(b".prototype") else { return };
    let made = match right.kind_name() {
        "call_expression" | "member_expression" => chain::value(visit, notes, right),
        "new_expression" => {
            right.field("constructor").and_then(|of| chain::value(visit, notes, of))
        }
        _ => None,
    };
    // The result of an unknown function is no type.
    let made = made.filter(|chain| !chain.has_call());
    if let (Some(index), Some(made)) = (extensible(visit, name), made) {
        add_base(notes, index, Some(made));
    }
}

/// Returns the index of the class or constructor function of that name.
fn extensible(visit: &Visit<'_, '_>, name: &[u8]) -> Option<usize> {
    visit.symbols.iter().position(|symbol| {
        let has_members = matches!(symbol.kind, SymbolKind::Class | SymbolKind::Function);
        has_members && symbol.name.as_bytes() == name
    })
}
