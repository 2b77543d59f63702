//! Traversal of the import graph, breadth first.

use std::collections::BTreeMap;

use super::Direction;
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::catalog::imports::ImportEdge;

/// The maximum number of edges that are kept for a file.
const EDGES_MAX: usize = 1000;

/// A file that was reached.
#[derive(Clone, Debug)]
pub(in crate::tools) struct Reached {
    /// The file.
    pub(in crate::tools) file: FileId,
    /// The length of the shortest chain of imports to it.
    pub(in crate::tools) depth: usize,
    /// The imports between it and files that are one step closer.
    pub(in crate::tools) edges: Vec<ImportEdge>,
}

/// Returns the files that are reachable from `start` through at most `depth_max` imports, without
/// `start` itself, ordered by depth and path. O(edges).
pub(in crate::tools) fn reach(
    catalog: &Catalog,
    start: &[FileId],
    direction: Direction,
    depth_max: usize,
) -> Vec<Reached> {
    let mut seen = vec![false; catalog.files().len()];
    for file in start {
        seen[file.index()] = true;
    }
    let mut frontier = start.to_vec();
    let mut reached = Vec::new();
    let mut depth = 0;
    while depth < depth_max && !frontier.is_empty() {
        depth += 1;
        let mut next: BTreeMap<FileId, Vec<ImportEdge>> = BTreeMap::new();
        let mut see = |other: FileId, edge: ImportEdge| {
            if seen.get(other.index()) == Some(&false) {
                let edges = next.entry(other).or_default();
                if edges.len() < EDGES_MAX {
                    edges.push(edge);
                }
            }
        };
        for &file in &frontier {
            match direction {
                Direction::ImportedBy => {
                    let edges = catalog.import_graph().importers(file);
                    edges.for_each(|edge| see(edge.from, *edge));
                }
                Direction::DependsOn => {
                    let imports = catalog.file_imports(file);
                    imports.edges.iter().for_each(|edge| see(edge.to, *edge));
                }
            }
        }
        frontier = next.keys().copied().collect();
        for (file, edges) in next {
            seen[file.index()] = true;
            reached.push(Reached { file, depth, edges });
        }
    }
    reached
}
