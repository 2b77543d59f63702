//! What runs from a start on, level by level.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::callbacks;
use super::edges::{Edge, Kind, Open};
use super::forward::{Forward, Steps};
use crate::graph::link::{Code, Linker, SymbolAt};
use crate::graph::weights;
use crate::lang::facts::Role;

/// What a node leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// The step to the node; `None` for a start.
    pub edge: Option<Edge>,
    /// The position of the node that leads to it.
    pub parent: Option<usize>,
    /// The node.
    pub node: SymbolAt,
    /// The number of steps from the start.
    pub depth: usize,
    /// What it leads to that runs nothing of the program itself, in the order of the text.
    pub leaves: Vec<SymbolAt>,
    /// The node was shown before, with what it leads to; here follows only what callers pass to it on
    /// this way.
    pub is_repeated: bool,
    /// The depth or the number of nodes ended the search before all that it leads to.
    pub is_unvisited: bool,
    /// Calls of the node that nothing resolves.
    pub open: Vec<Open>,
}

impl Branch {
    fn new(node: SymbolAt, edge: Option<Edge>, parent: Option<usize>, depth: usize) -> Branch {
        let (open, leaves) = (Vec::new(), Vec::new());
        Branch { edge, parent, node, depth, leaves, is_repeated: false, is_unvisited: false, open }
    }
}

/// Returns the nodes that some starts lead to within `depth_max` steps, at most `nodes_max`, level by level;
/// and the number of those that were left out. Nodes that run nothing of the program are named at the
/// node that leads to them, and do not count. Doubtful steps ([`Kind::Possible`], [`Kind::Library`],
/// [`Kind::SameName`], [`Kind::Event`]) are not followed: the calls are listed as unresolved.
pub fn spread(
    code: &dyn Code,
    from: &[SymbolAt],
    depth_max: usize,
    nodes_max: usize,
) -> (Vec<Branch>, usize) {
    let linker = Linker::new(code);
    let steps = Forward::new(&linker);
    let mut followed: FxHashMap<SymbolAt, Rc<Steps>> = FxHashMap::default();
    let mut branches: Vec<Branch> =
        from.iter().map(|node| Branch::new(*node, None, None, 0)).collect();
    let mut seen: FxHashSet<SymbolAt> = from.iter().copied().collect();
    // What is passed to a node, where it was listed.
    let mut passed: FxHashSet<(SymbolAt, SymbolAt)> = FxHashSet::default();
    let (mut at, mut omitted) = (0, 0);
    while at < branches.len() {
        let Branch { node, depth, is_repeated, .. } = branches[at];
        at += 1;
        let of = followed.entry(node).or_insert_with(|| Rc::new(certain(&steps, node)));
        let of = Rc::clone(of);
        let is_shown = |edge: &&Edge| !is_repeated || !edge.passed.is_empty();
        if depth >= depth_max {
            branches[at - 1].is_unvisited = !is_repeated && !of.edges.is_empty();
            continue;
        }
        if !is_repeated {
            branches[at - 1].open = of.open.clone();
        }
        let before = way(&branches, at - 1);
        let mut own = FxHashSet::default();
        for edge in of.edges.iter().filter(is_shown) {
            let to = edge.to;
            let is_passed = !edge.passed.is_empty();
            if own.contains(&to)
                || is_repeated && passed.contains(&(node, to))
                || is_passed && callbacks::passing(&steps, &before, &edge.passed).is_none()
            {
                continue;
            }
            own.insert(to);
            if is_passed {
                passed.insert((node, to));
            }
            let is_repeated = seen.contains(&to);
            let next = followed.entry(to).or_insert_with(|| Rc::new(certain(&steps, to)));
            // What is marked is listed by itself.
            let is_plain = edge.kind == Kind::Call && edge.confidence >= weights::LIKELY;
            if next.edges.is_empty() && next.open.is_empty() && is_plain {
                branches[at - 1].leaves.push(to);
            } else if branches.len() >= nodes_max {
                omitted += 1;
                branches[at - 1].is_unvisited = true;
            } else {
                seen.insert(to);
                let branch = Branch::new(to, Some(edge.clone()), Some(at - 1), depth + 1);
                branches.push(Branch { is_repeated, ..branch });
            }
        }
    }
    (branches, omitted)
}

/// Returns the steps from a start to the node at a position, in order.
fn way(branches: &[Branch], mut at: usize) -> Vec<Edge> {
    let mut edges = Vec::new();
    while let (Some(edge), Some(parent)) = (&branches[at].edge, branches[at].parent) {
        edges.push(edge.clone());
        at = parent;
    }
    edges.reverse();
    edges
}

/// Returns the steps from a node that are followed; the calls of the others count as unresolved.
fn certain(steps: &Forward<'_, '_>, node: SymbolAt) -> Steps {
    let Steps { edges, mut open } = steps.steps(node);
    let mut certain = Vec::with_capacity(edges.len());
    for edge in edges {
        let is_called = edge.site.as_ref().is_some_and(|site| site.reference.role == Role::Call);
        match edge.kind {
            Kind::Possible => {
                let site = edge.site.filter(|site| !open.iter().any(|open| open.site == *site));
                let name = String::new();
                open.extend(site.map(|site| Open { from: node, name, site }));
            }
            Kind::Library | Kind::SameName | Kind::Event => {}
            // A value that is not called here.
            Kind::Value if !is_called => {}
            _ => certain.push(edge),
        }
    }
    Steps { edges: certain, open }
}
