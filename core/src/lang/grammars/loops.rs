//! Variables that a loop assigns again: each round but the first has the value of the one before.

use tree_sitter::Node;

use crate::lang::facts::Chain;
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Maximum number of nodes of one loop that are searched.
const NODES_MAX: usize = 2048;

/// Maximum number of assignments of one loop that are followed.
const ASSIGNMENTS_MAX: usize = 64;

/// The nodes of a language.
pub(super) struct Kinds<'k> {
    pub(super) assignment: &'k str,
    /// A variable on the left of an assignment.
    pub(super) variable: &'k str,
    /// Functions and types, which are not searched.
    pub(super) definitions: &'k [&'k str],
}

/// Gives each local variable that the visited loop assigns, for the whole loop, one of the value that it
/// has before and those that it is assigned. `value` returns the chain of an assigned value, and `None`
/// for one that does not count. O(nodes of the loop), at most [`NODES_MAX`].
pub(super) fn widen<'t>(
    visit: &Visit<'_, 't>,
    notes: &mut Notes<'_>,
    kinds: &Kinds<'_>,
    value: impl Fn(&Notes<'_>, Node<'t>) -> Option<Option<Chain>>,
) {
    let node = visit.node();
    let mut found: Vec<(Node<'t>, Chain)> = Vec::new();
    let (mut rest, mut assignments) = (vec![node], 0);
    for _ in 0..NODES_MAX {
        let Some(part) = rest.pop() else { break };
        let mut cursor = part.walk();
        rest.extend(
            part.named_children(&mut cursor)
                .filter(|child| !kinds.definitions.contains(&child.kind_name())),
        );
        if part.kind_name() != kinds.assignment || assignments >= ASSIGNMENTS_MAX {
            continue;
        }
        let (Some(left), Some(right)) = (part.field("left"), part.field("right")) else { continue };
        if left.kind_name() != kinds.variable {
            continue;
        }
        assignments += 1;
        let name = visit.bytes(left);
        let position = found.iter().position(|(other, _)| visit.bytes(*other) == name);
        let before = match (position, notes.local(name)) {
            (Some(at), _) => found[at].1.clone(),
            (None, NameLookup::Local(Some(before))) => before.clone(),
            _ => continue,
        };
        let Some(assigned) = value(notes, right) else { continue };
        let all = Chain::one_of([Some(before.clone()), assigned]).and_then(Chain::bounded);
        match (position, all) {
            (Some(at), Some(all)) => found[at].1 = all,
            (None, Some(all)) if all != before => found.push((left, all)),
            _ => {}
        }
    }
    for (name, chain) in found {
        notes.narrow(name, chain, node.byte_range());
    }
}
