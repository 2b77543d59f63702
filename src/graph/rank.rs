//! PageRank: how central the nodes of a directed, weighted graph are.
//!
//! A node's rank is the chance that a walk stands on it which follows edges by their weight and, with
//! the chance `1 - damping`, jumps to any node (Brin and Page, "The anatomy of a large-scale
//! hypertextual Web search engine", 1998; weighted edges and the treatment of nodes without any as in
//! Langville and Meyer, "Deeper inside PageRank", 2004, sections 3 and 4):
//!
//! ```text
//! r(v) = (1 - d) / n  +  d * sum over u→v of r(u) * w(u,v) / W(u)  +  d * lost / n
//! ```
//!
//! where `W(u)` is the weight of all edges from `u`, and `lost` the rank of nodes that have none: it is
//! spread evenly. Ranks add up to 1. Sums are taken in one order, so the same graph gives the same
//! bits.

use std::ops::Range;

/// A directed graph with weighted edges, held by the nodes that the edges lead to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// Where the edges into each node end in `sources`.
    ends: Vec<usize>,
    sources: Vec<u32>,
    /// Each edge's part of what its source gives, in step with `sources`.
    shares: Vec<f32>,
    /// Nodes that no edge leaves, in order.
    dangling: Vec<u32>,
}

/// When the ranks are good enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The chance that the walk follows an edge, from 0 to below 1.
    pub damping: f64,
    /// Rounds at most.
    pub rounds_max: usize,
    /// The change of all ranks together in one round below which they count as settled.
    pub epsilon: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { damping: 0.85, rounds_max: 100, epsilon: 1e-7 }
    }
}

impl Graph {
    /// Returns the graph of `nodes` nodes with edges from, to and their weights.
    ///
    /// Edges between the same two nodes add up. Left out are edges from a node to itself, edges of
    /// nodes that are not there, and weights that are not finite and above zero. O(e log e).
    pub fn new(nodes: usize, edges: impl IntoIterator<Item = (u32, u32, f32)>) -> Graph {
        let nodes = nodes.min(u32::MAX as usize);
        let is_node = |node: u32| (node as usize) < nodes;
        let mut edges: Vec<(u32, u32, f32)> = edges
            .into_iter()
            .filter(|&(from, to, _)| from != to && is_node(from) && is_node(to))
            .filter(|&(_, _, weight)| weight.is_finite() && weight > 0.0)
            .collect();
        // The weight is in the order, too, so that it is the same however the edges came.
        edges.sort_unstable_by(|a, b| (a.1, a.0).cmp(&(b.1, b.0)).then(a.2.total_cmp(&b.2)));
        let mut given = vec![0.0_f64; nodes];
        for &(from, _, weight) in &edges {
            given[from as usize] += f64::from(weight);
        }
        let mut graph = Graph::default();
        let mut next = edges.into_iter().peekable();
        for node in 0..nodes {
            while let Some((from, to, weight)) = next.next_if(|edge| edge.1 as usize == node) {
                let mut sum = f64::from(weight);
                while let Some(twin) = next.next_if(|edge| (edge.0, edge.1) == (from, to)) {
                    sum += f64::from(twin.2);
                }
                graph.sources.push(from);
                graph.shares.push((sum / given[from as usize]) as f32);
            }
            graph.ends.push(graph.sources.len());
            if given[node] == 0.0 {
                graph.dangling.push(node as u32);
            }
        }
        graph
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.ends.len()
    }

    /// Returns the number of edges, those between the same two nodes as one.
    pub fn edges(&self) -> usize {
        self.sources.len()
    }

    fn edges_into(&self, node: usize) -> Range<usize> {
        node.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[node]
    }
}

/// Returns the rank of each node. O(e · rounds) for e edges.
pub fn pagerank(graph: &Graph, settings: &Settings) -> Vec<f32> {
    let nodes = graph.nodes();
    if nodes == 0 {
        return Vec::new();
    }
    let damping = settings.damping.clamp(0.0, 1.0);
    let even = 1.0 / nodes as f64;
    let mut ranks = vec![even; nodes];
    let mut next = vec![0.0_f64; nodes];
    for _ in 0..settings.rounds_max {
        let lost: f64 = graph.dangling.iter().map(|&node| ranks[node as usize]).sum();
        let base = (1.0 - damping) * even + damping * lost * even;
        for (node, rank) in next.iter_mut().enumerate() {
            let into = graph.edges_into(node);
            let edges = graph.sources[into.clone()].iter().zip(&graph.shares[into]);
            let sum: f64 =
                edges.map(|(&from, &share)| ranks[from as usize] * f64::from(share)).sum();
            *rank = base + damping * sum;
        }
        let change: f64 = ranks.iter().zip(&next).map(|(old, new)| (old - new).abs()).sum();
        std::mem::swap(&mut ranks, &mut next);
        if change < settings.epsilon {
            break;
        }
    }
    ranks.into_iter().map(|rank| rank as f32).collect()
}

#[cfg(test)]
mod tests;
