//! What runs from a start on, level by level.

use rustc_hash::FxHashSet;

use super::edges::{Edge, Kind, Open};
use super::forward::Forward;
use crate::graph::link::{Code, Linker, SymbolAt};

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
    /// The node was shown before, with what it leads to.
    pub is_repeated: bool,
    /// It was not visited: the depth or the number of nodes ended the search.
    pub is_unvisited: bool,
    /// Calls of the node that nothing resolves.
    pub open: Vec<Open>,
}

/// Returns true if functions are stored in a variable, as far as assignments state that.
fn holds_function(steps: &Forward<'_, '_>, variable: SymbolAt) -> bool {
    let is_function = |edge: &Edge| matches!(edge.kind, Kind::Passed | Kind::Callback);
    steps.steps(variable).edges.iter().any(is_function)
}

impl Branch {
    fn new(node: SymbolAt, edge: Option<Edge>, parent: Option<usize>, depth: usize) -> Branch {
        let open = Vec::new();
        Branch { edge, parent, node, depth, is_repeated: false, is_unvisited: false, open }
    }
}

/// Returns the nodes that some starts lead to within `depth` steps, at most `nodes_max`, level by level;
/// and the number of those that were left out. Doubtful steps ([`Kind::Possible`], [`Kind::Library`])
/// are not followed: the calls are listed as unresolved.
pub fn spread(
    code: &dyn Code,
    from: &[SymbolAt],
    depth_max: usize,
    nodes_max: usize,
) -> (Vec<Branch>, usize) {
    let linker = Linker::new(code);
    let steps = Forward::new(&linker);
    let mut branches: Vec<Branch> =
        from.iter().map(|node| Branch::new(*node, None, None, 0)).collect();
    let mut seen: FxHashSet<SymbolAt> = from.iter().copied().collect();
    let (mut at, mut omitted) = (0, 0);
    while at < branches.len() {
        let Branch { node, depth, is_repeated, .. } = branches[at];
        if is_repeated {
            at += 1;
            continue;
        }
        if depth >= depth_max {
            branches[at].is_unvisited = true;
            at += 1;
            continue;
        }
        let of = steps.steps(node);
        branches[at].open = of.open;
        let mut own = FxHashSet::default();
        for edge in of.edges {
            if edge.kind == Kind::Possible {
                let (name, site) = (String::new(), edge.site.clone());
                let open = site.map(|site| Open { from: node, name, site });
                branches[at].open.extend(open);
                continue;
            }
            if edge.kind == Kind::Library || !own.insert(edge.to) {
                continue;
            }
            if edge.kind == Kind::Value && !holds_function(&steps, edge.to) {
                // A plain value: nothing runs.
                continue;
            }
            if branches.len() >= nodes_max {
                omitted += 1;
                continue;
            }
            let is_repeated = !seen.insert(edge.to);
            let branch = Branch::new(edge.to, Some(edge), Some(at), depth + 1);
            branches.push(Branch { is_repeated, ..branch });
        }
        at += 1;
    }
    (branches, omitted)
}
