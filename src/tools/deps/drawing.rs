//! The imports between the files of a reply, as a graph.

use std::collections::BTreeSet;

use super::{Direction, Reached};
use crate::answer::graph::{Graph, How, Vertex};
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::tools::paths;

/// Returns all imports between `start` and the files that are reached, and among the latter. Of several
/// files at the start, those are drawn that are connected. O(imports of these files).
pub(super) fn of(
    catalog: &Catalog,
    start: &[FileId],
    reached: &[Reached],
    direction: Direction,
) -> Graph {
    let mut graph = Graph::default();
    let path = |file: FileId| paths::shown(catalog.path(file));
    let beginning: BTreeSet<FileId> = start.iter().copied().collect();
    let found: BTreeSet<FileId> = reached.iter().map(|of| of.file).collect();
    if let [file] = start {
        graph.add(Vertex::file(&path(*file)).asked());
    }
    for file in start.iter().copied().chain(reached.iter().map(|of| of.file)) {
        let edges = match direction {
            Direction::ImportedBy => catalog.import_graph().imported(file).to_vec(),
            Direction::DependsOn => catalog.file_imports(file).edges.clone(),
        };
        for edge in edges {
            let is_of = |file: &FileId| found.contains(file) || beginning.contains(file);
            let is_inside = beginning.contains(&edge.from) && beginning.contains(&edge.to);
            if edge.from == edge.to || is_inside || !is_of(&edge.from) || !is_of(&edge.to) {
                continue;
            }
            let [from, to] = [edge.from, edge.to].map(|file| {
                let vertex = Vertex::file(&path(file));
                graph.add(if beginning.contains(&file) { vertex.asked() } else { vertex })
            });
            graph.connect(from, to, How::Imports, 1, edge.confidence);
        }
    }
    graph
}
