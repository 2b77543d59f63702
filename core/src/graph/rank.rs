//! PageRank: the centrality of nodes in a directed, weighted graph.
//!
//! A node's rank is the probability that a random walk is at this node. The walk follows edges in
//! proportion to their weights and, with probability `1 - damping`, jumps to a random node (Brin
//! and Page, "The anatomy of a large-scale hypertextual Web search engine", 1998; weighted edges
//! and the treatment of nodes without edges as in Langville and Meyer, "Deeper inside PageRank",
//! 2004, sections 3 and 4):
//!
//! ```text
//! r(v) = (1 - d) / n  +  d * sum over u→v of r(u) * w(u,v) / W(u)  +  d * lost / n
//! ```
//!
//! where `W(u)` is the weight of all edges from `u`, and `lost` the rank of the nodes without
//! outgoing edges, which is spread evenly. Ranks add up to 1. Sums are computed in a fixed order,
//! so the same graph gives the same bits.

use std::ops::Range;

/// A directed graph with weighted edges, stored by target node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// The end of each node's incoming edges in `sources`.
    ends: Vec<usize>,
    sources: Vec<u32>,
    /// The share of its source's rank that each edge carries, parallel to `sources`.
    shares: Vec<f32>,
    /// Nodes without outgoing edges, in order.
    dangling: Vec<u32>,
}

/// When the computation stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The probability that the walk follows an edge, from 0 to below 1.
    pub damping: f64,
    /// The most iterations.
    pub rounds_max: usize,
    /// The total change of all ranks in one iteration below which the result is final.
    pub epsilon: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { damping: 0.85, rounds_max: 100, epsilon: 1e-7 }
    }
}

impl Graph {
    /// Returns the graph of `nodes` nodes and of edges as source, target and weight.
    ///
    /// Weights of parallel edges are added. Ignored are edges from a node to itself, edges of nodes
    /// that do not exist, and weights that are not finite and positive. O(e log e).
    pub fn new(nodes: usize, edges: impl IntoIterator<Item = (u32, u32, f32)>) -> Graph {
        let nodes = nodes.min(u32::MAX as usize);
        let is_node = |node: u32| (node as usize) < nodes;
        let mut edges: Vec<(u32, u32, f32)> = edges
            .into_iter()
            .filter(|&(from, to, _)| from != to && is_node(from) && is_node(to))
            .filter(|&(_, _, weight)| weight.is_finite() && weight > 0.0)
            .collect();
        // The weight is part of the order, so that sums do not depend on the order of the input.
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

    /// Returns the number of edges; parallel edges count as one.
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
