//! The class that a group of a Ruby specification describes: `described_class` in `describe Type do`.

use tree_sitter::Node;

use crate::lang::node::NodeNames;
use crate::lang::visit::Visit;

/// How many nodes lie between an expression and the group around it at most.
const LEVELS_MAX: usize = 64;

/// Returns the class that the innermost group around the visited node describes: `describe Type do`.
pub(super) fn described<'t>(visit: &Visit<'_, 't>) -> Option<Node<'t>> {
    (1..LEVELS_MAX).map_while(|level| visit.ancestor(level)).find_map(|around| {
        let word = around.field("method").filter(|_| around.kind_name() == "call")?;
        let first = around.field("arguments")?.named_child(0)?;
        (visit.bytes(word) == b"describe" && is_path(first)).then_some(first)
    })
}

/// Returns true for the path of a constant.
pub(super) fn is_path(node: Node<'_>) -> bool {
    matches!(node.kind_name(), "constant" | "scope_resolution")
}
