//! A reply as a graph, for drawings: definitions or files, and the dependencies between them.
//!
//! An edge leads from what depends to what it depends on: from a caller to what it calls, from a file to
//! one that it imports. The command line writes graphs in the languages of other programs.

use std::collections::BTreeMap;

/// Definitions or files, and what leads from one to another. Each of them is in it once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
    /// The place of each vertex in `vertices`.
    places: BTreeMap<(Option<String>, String, Option<usize>), usize>,
    /// The place of each edge in `edges`.
    edge_places: BTreeMap<(usize, usize, How), usize>,
    /// What a drawing cannot show: what is not in the graph, and why.
    pub remarks: Vec<String>,
}

/// A definition or a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertex {
    /// The qualified name of a definition; `None` for a file.
    pub name: Option<String>,
    /// The file's repository path.
    pub path: String,
    /// The first line of a definition, from 1.
    pub line: Option<usize>,
    /// A remark, such as a probability.
    pub remark: Option<String>,
    /// True for what the call asked about.
    pub is_asked: bool,
}

/// A dependency between two vertices, which are places in [`Graph::vertices`].
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// What depends.
    pub from: usize,
    /// What it depends on.
    pub to: usize,
    /// How.
    pub how: How,
    /// How often.
    pub count: usize,
    /// True if each of them is more likely wrong than right.
    pub is_unsure: bool,
}

/// How one vertex depends on another.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum How {
    /// It calls it.
    Calls,
    /// It imports it.
    Imports,
    /// It uses it in another way, in words: `as a type`.
    Uses(&'static str),
    /// It reaches it through others, which are not in the graph.
    Reaches,
}

/// A dependency that is less likely is unsure.
const SURE_MIN: f32 = 0.5;

impl Graph {
    /// Returns the definitions or files in the order in which they were added.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// Returns the dependencies in the order in which they were added.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Adds a vertex unless it is there, and returns its place. O(log vertices).
    pub fn add(&mut self, vertex: Vertex) -> usize {
        let key = (vertex.name.clone(), vertex.path.clone(), vertex.line);
        let place = *self.places.entry(key).or_insert(self.vertices.len());
        match self.vertices.get_mut(place) {
            Some(known) => {
                known.is_asked |= vertex.is_asked;
                known.remark = known.remark.take().or(vertex.remark);
            }
            None => self.vertices.push(vertex),
        }
        place
    }

    /// Adds `count` dependencies of one kind with a confidence from 0 to 1. O(log edges).
    pub fn connect(&mut self, from: usize, to: usize, how: How, count: usize, confidence: f32) {
        let is_unsure = confidence < SURE_MIN;
        let place = *self.edge_places.entry((from, to, how)).or_insert(self.edges.len());
        match self.edges.get_mut(place) {
            Some(edge) => {
                edge.count += count;
                edge.is_unsure &= is_unsure;
            }
            None => self.edges.push(Edge { from, to, how, count, is_unsure }),
        }
    }

    /// Returns the graph with every text that comes from files or people replaced by `map` of it.
    #[must_use]
    pub fn map_texts(mut self, map: &dyn Fn(String) -> String) -> Graph {
        for vertex in &mut self.vertices {
            vertex.name = vertex.name.take().map(map);
            vertex.path = map(std::mem::take(&mut vertex.path));
        }
        self.remarks = self.remarks.into_iter().map(map).collect();
        self
    }
}

impl Vertex {
    /// Returns a definition.
    pub fn definition(name: &str, path: &str, line: usize) -> Vertex {
        Vertex { name: Some(name.to_owned()), line: Some(line), ..Vertex::file(path) }
    }

    /// Returns a file.
    pub fn file(path: &str) -> Vertex {
        let (name, line, remark) = (None, None, None);
        Vertex { name, path: path.to_owned(), line, remark, is_asked: false }
    }

    /// Returns the vertex as one that the call asked about.
    #[must_use]
    pub fn asked(self) -> Vertex {
        Vertex { is_asked: true, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_vertex_and_each_kind_of_edge_is_there_once() {
        let mut graph = Graph::default();
        let one = graph.add(Vertex::definition("one", "a.rs", 1));
        let two = graph.add(Vertex::definition("one", "b.rs", 1));
        assert_eq!(graph.add(Vertex::definition("one", "a.rs", 1).asked()), one);
        assert!(graph.vertices()[one].is_asked && !graph.vertices()[two].is_asked);
        graph.connect(two, one, How::Calls, 1, 0.2);
        graph.connect(two, one, How::Calls, 2, 0.9);
        graph.connect(two, one, How::Uses("as a type"), 1, 0.2);
        graph.connect(one, one, How::Calls, 1, 1.0);
        let edges: Vec<_> =
            graph.edges().iter().map(|of| (of.from, of.to, of.count, of.is_unsure)).collect();
        assert_eq!(edges, [(two, one, 3, false), (two, one, 1, true), (one, one, 1, false)]);
        let redacted = graph.map_texts(&|_| "x".to_owned());
        assert!(redacted.vertices().iter().all(|of| of.path == "x" && of.name.is_some()));
    }
}
