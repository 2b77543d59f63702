//! The graphs of replies as one picture: what was asked in the middle, what leads to it at the left, what it
//! leads to at the right.

use std::collections::{BTreeMap, VecDeque};

use maud::Markup;

use crate::answer::graph::{Graph, How, Vertex};
use crate::base::text::counted;
use crate::ui::diagram::{Arrow, Diagram, Node};
use crate::ui::links;

/// The greatest number of boxes.
const NODES_MAX: usize = 100;

/// A graph around what was asked.
pub(super) struct Around {
    graph: Graph,
    remarks: Vec<String>,
    /// The levels that pages of other definitions show.
    depth: usize,
}

impl Around {
    /// Returns the union of graphs. Boxes lead to pages with `depth` levels.
    pub(super) fn of(graphs: Vec<Graph>, depth: usize) -> Around {
        let mut all = Graph::default();
        for graph in graphs {
            let places: Vec<usize> =
                graph.vertices().iter().map(|vertex| all.add(vertex.clone())).collect();
            for edge in graph.edges() {
                let (from, to) = (places[edge.from], places[edge.to]);
                let known =
                    all.edges().iter().any(|of| (of.from, of.to, of.how) == (from, to, edge.how));
                if !known {
                    let confidence = if edge.is_unsure { 0.0 } else { 1.0 };
                    all.connect(from, to, edge.how, edge.count, confidence);
                }
            }
            all.remarks.extend(graph.remarks);
        }
        let steps = steps(&all);
        let beyond = all.vertices().len().saturating_sub(NODES_MAX);
        let apart = steps.iter().filter(|step| step.is_none()).count();
        let mut remarks = std::mem::take(&mut all.remarks);
        if beyond > 0 {
            remarks.push(format!(
                "{} not drawn; fewer levels are clearer",
                counted(beyond, "definition")
            ));
        } else if apart > 0 {
            remarks.push(format!("{} not drawn: not connected", counted(apart, "definition")));
        }
        Around { graph: all, remarks, depth }
    }

    /// Returns sentences on what is not drawn.
    pub(super) fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Returns the picture, in layers by the number of calls from what was asked.
    pub(super) fn drawn(&self, label: &str) -> Markup {
        let steps = steps(&self.graph);
        let mut kept: Vec<(usize, i64)> =
            steps.iter().enumerate().filter_map(|(at, step)| Some((at, (*step)?))).collect();
        // The nearest ones stay.
        kept.sort_by_key(|(at, step)| (step.abs(), *at));
        kept.truncate(NODES_MAX);
        let first = kept.iter().map(|(_, step)| *step).min().unwrap_or_default();
        let layers = kept.iter().map(|(_, step)| usize::try_from(step - first).unwrap_or_default());
        let layers = layers.collect();
        let kept: Vec<usize> = kept.into_iter().map(|(at, _)| at).collect();
        Diagram { layers: Some(layers), ..self.diagram(&kept) }.drawn(label)
    }

    /// Returns the picture, in layers by the longest paths: for chains.
    pub(super) fn drawn_by_paths(&self, label: &str) -> Markup {
        let kept: Vec<usize> = (0..self.graph.vertices().len().min(NODES_MAX)).collect();
        self.diagram(&kept).drawn(label)
    }

    fn diagram(&self, kept: &[usize]) -> Diagram {
        let places: BTreeMap<usize, usize> =
            kept.iter().enumerate().map(|(place, at)| (*at, place)).collect();
        let nodes = kept.iter().map(|at| self.node(&self.graph.vertices()[*at])).collect();
        let arrow = |edge: &crate::answer::graph::Edge| {
            let unsure = if edge.is_unsure { ", unsure" } else { "" };
            let title = match edge.how {
                How::Calls => format!("{}{unsure}", counted(edge.count, "call")),
                How::Imports => format!("{}{unsure}", counted(edge.count, "import")),
                How::Uses(how) => format!("{} {how}{unsure}", counted(edge.count, "use")),
                How::Reaches => format!("through others{unsure}"),
            };
            let class = if edge.is_unsure { "unsure" } else { "" };
            let (from, to) = (*places.get(&edge.from)?, *places.get(&edge.to)?);
            Some(Arrow { from, to, title, weight: edge.count, class })
        };
        let arrows = self.graph.edges().iter().filter_map(arrow).collect();
        Diagram { nodes, arrows, layers: None }
    }

    fn node(&self, vertex: &Vertex) -> Node {
        let place = match vertex.line {
            Some(line) => format!("{}:{line}", vertex.path),
            None => vertex.path.clone(),
        };
        let (label, link) = match &vertex.name {
            Some(name) => (name.clone(), super::deeper(name, &vertex.path, self.depth)),
            None => (vertex.path.clone(), links::file(&vertex.path, vertex.line)),
        };
        let remark = vertex.remark.as_ref().map(|remark| format!(", {remark}"));
        let title = match &vertex.name {
            Some(name) => format!("{name}, {place}{}", remark.unwrap_or_default()),
            None => format!("{place}{}", remark.unwrap_or_default()),
        };
        let class = if vertex.is_asked { "asked" } else { "" };
        Node { label, title, link: Some(link), class }
    }
}

/// Returns how many edges each vertex is from what was asked: negative for what leads to it; `None` for what
/// is not connected. Of both directions, the shorter one counts.
fn steps(graph: &Graph) -> Vec<Option<i64>> {
    let count = graph.vertices().len();
    let (mut after, mut before) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for edge in graph.edges() {
        after[edge.from].push(edge.to);
        before[edge.to].push(edge.from);
    }
    let distances = |next: &[Vec<usize>]| {
        let mut found: Vec<Option<i64>> =
            graph.vertices().iter().map(|vertex| vertex.is_asked.then_some(0)).collect();
        let mut open: VecDeque<usize> = (0..count).filter(|at| found[*at].is_some()).collect();
        while let Some(at) = open.pop_front() {
            let further = found[at].map(|steps| steps + 1);
            for &to in &next[at] {
                if found[to].is_none() {
                    found[to] = further;
                    open.push_back(to);
                }
            }
        }
        found
    };
    let (callees, callers) = (distances(&after), distances(&before));
    let nearer = |(callee, caller): (&Option<i64>, &Option<i64>)| match (callee, caller) {
        (Some(callee), Some(caller)) if callee < caller => Some(*callee),
        (_, Some(caller)) => Some(-caller),
        (callee, None) => *callee,
    };
    callees.iter().zip(&callers).map(nearer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &str)], asked: &str) -> Graph {
        let mut graph = Graph::default();
        let vertex = |name: &str| {
            let vertex = Vertex::definition(name, "a.rs", 1);
            if name == asked { vertex.asked() } else { vertex }
        };
        for (from, to) in edges {
            let (from, to) = (graph.add(vertex(from)), graph.add(vertex(to)));
            graph.connect(from, to, How::Calls, 1, 0.9);
        }
        graph
    }

    #[test]
    fn callers_are_before_and_callees_after_what_was_asked() {
        let graph =
            graph(&[("b", "c"), ("a", "b"), ("c", "d"), ("d", "c"), ("x", "y"), ("c", "c")], "c");
        let names: Vec<(&str, Option<i64>)> = graph
            .vertices()
            .iter()
            .zip(steps(&graph))
            .map(|(vertex, step)| (vertex.name.as_deref().unwrap_or_default(), step))
            .collect();
        let expected = [
            ("b", Some(-1)),
            ("c", Some(0)),
            ("a", Some(-2)),
            ("d", Some(-1)),
            ("x", None),
            ("y", None),
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn graphs_are_united() {
        let graphs = vec![graph(&[("a", "b")], "b"), graph(&[("a", "b"), ("b", "c")], "b")];
        let around = Around::of(graphs, 2);
        assert_eq!(around.graph.edges().len(), 2);
        assert_eq!(around.graph.edges()[0].count, 1, "an edge of both is the same calls");
        let text = around.drawn("x").into_string();
        assert!(
            text.contains("href=\"/calls?name=a&amp;path=a.rs&amp;depth=2\"")
                && text.contains("class=\"node asked\""),
            "{text}"
        );
    }
}
