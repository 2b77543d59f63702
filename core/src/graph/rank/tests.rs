//! Tests of PageRank against the formula on a dense matrix, and of its other guarantees.

use proptest::prelude::*;

use super::*;

type Edge = (u32, u32, f32);

/// The module's formula, on a matrix of all pairs.
fn dense(nodes: usize, edges: &[Edge], damping: f64, rounds: usize) -> Vec<f64> {
    let mut matrix = vec![vec![0.0_f64; nodes]; nodes];
    for &(from, to, weight) in edges {
        if from != to && weight > 0.0 {
            matrix[from as usize][to as usize] += f64::from(weight);
        }
    }
    let even = 1.0 / nodes as f64;
    for row in &mut matrix {
        let sum: f64 = row.iter().sum();
        for weight in row {
            *weight = if sum > 0.0 { *weight / sum } else { even };
        }
    }
    let mut ranks = vec![even; nodes];
    for _ in 0..rounds {
        let into =
            |to: usize| -> f64 { (0..nodes).map(|from| ranks[from] * matrix[from][to]).sum() };
        ranks = (0..nodes).map(|to| (1.0 - damping) * even + damping * into(to)).collect();
    }
    ranks
}

fn check(nodes: usize, edges: &[Edge], expected: &[f32]) {
    let ranks = pagerank(&Graph::new(nodes, edges.iter().copied()), &Settings::default());
    let rounded: Vec<f32> = ranks.iter().map(|rank| (rank * 1000.0).round() / 1000.0).collect();
    assert_eq!(rounded, expected);
}

#[test]
fn small_graphs_have_known_ranks() {
    check(0, &[], &[]);
    check(2, &[], &[0.5, 0.5]);
    check(2, &[(0, 1, 1.0)], &[0.351, 0.649]);
    // A star: all edges lead to the first node.
    check(4, &[(1, 0, 1.0), (2, 0, 1.0), (3, 0, 2.0)], &[0.542, 0.153, 0.153, 0.153]);
    // In a cycle all nodes have the same rank.
    check(3, &[(0, 1, 5.0), (1, 2, 1.0), (2, 0, 0.1)], &[0.333, 0.333, 0.333]);
    // Weights count: 1 gets three quarters of the rank of 0, and 2 one quarter.
    check(3, &[(0, 1, 3.0), (0, 2, 1.0), (1, 0, 1.0), (2, 0, 1.0)], &[0.486, 0.36, 0.153]);
}

#[test]
fn invalid_edges_are_ignored() {
    let odd = [(0, 0, 1.0), (0, 9, 1.0), (9, 0, 1.0), (0, 1, f32::NAN), (0, 1, -1.0), (1, 0, 0.0)];
    let graph = Graph::new(2, odd);
    assert_eq!((graph.nodes(), graph.edges()), (2, 0));
    assert_eq!(Graph::new(2, [(0, 1, 1.0), (0, 1, 2.0)]).edges(), 1);
}

fn graphs() -> impl Strategy<Value = (usize, Vec<Edge>)> {
    (1_usize..12).prop_flat_map(|nodes| {
        let node = 0..nodes as u32;
        (Just(nodes), prop::collection::vec((node.clone(), node, 0.1_f32..4.0), 0..40))
    })
}

proptest! {
    #[test]
    fn ranks_are_those_of_the_formula((nodes, edges) in graphs()) {
        let settings = Settings { epsilon: 1e-12, rounds_max: 300, ..Settings::default() };
        let graph = Graph::new(nodes, edges.iter().copied());
        let ranks = pagerank(&graph, &settings);
        let expected = dense(nodes, &edges, settings.damping, 300);
        for (rank, expected) in ranks.iter().zip(&expected) {
            prop_assert!((f64::from(*rank) - expected).abs() < 1e-6, "{rank} {expected}");
        }
        let sum: f32 = ranks.iter().sum();
        prop_assert!((sum - 1.0).abs() < 1e-4);
        let mut reversed = edges.clone();
        reversed.reverse();
        prop_assert_eq!(Graph::new(nodes, reversed), graph);
    }
}
