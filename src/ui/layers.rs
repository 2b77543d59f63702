//! Layered layouts of directed graphs (Sugiyama, Tagawa and Toda, 1981): which vertices are in a cycle, in
//! which layer each is, and its place there. Vertices are numbers, edges pairs of them.

use std::collections::VecDeque;

/// How often the order of the vertices in each layer is improved.
const SWEEPS: usize = 12;

/// An edge leads from the first vertex to the second one.
pub(super) type Edge = (usize, usize);

/// Returns the number of the strongly connected component of each vertex (Tarjan's algorithm); a cycle is
/// within one. O(vertices + edges).
pub(super) fn components(count: usize, edges: &[Edge]) -> Vec<usize> {
    let next = successors(count, edges);
    let (mut order, mut low) = (vec![usize::MAX; count], vec![usize::MAX; count]);
    let mut component = vec![usize::MAX; count];
    let (mut numbered, mut found, mut stack) = (0, 0, Vec::new());
    for start in 0..count {
        if order[start] != usize::MAX {
            continue;
        }
        // Without recursion: chains may be long.
        let mut work = vec![(start, 0)];
        while let Some(&(at, edge)) = work.last() {
            if edge == 0 {
                (order[at], low[at]) = (numbered, numbered);
                numbered += 1;
                stack.push(at);
            }
            if let Some(&to) = next[at].get(edge) {
                if let Some(last) = work.last_mut() {
                    last.1 += 1;
                }
                if order[to] == usize::MAX {
                    work.push((to, 0));
                } else if component[to] == usize::MAX {
                    low[at] = low[at].min(order[to]);
                }
                continue;
            }
            work.pop();
            if let Some(&(parent, _)) = work.last() {
                low[parent] = low[parent].min(low[at]);
            }
            if low[at] == order[at] {
                while let Some(member) = stack.pop() {
                    component[member] = found;
                    if member == at {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}

/// Returns the layer of each vertex: the length of the longest path to it, once the edges that close cycles
/// in a depth-first traversal from vertex 0 on are left out. O(vertices + edges).
pub(super) fn longest_paths(count: usize, edges: &[Edge]) -> Vec<usize> {
    let next = successors(count, edges);
    let mut state = vec![State::New; count];
    let mut forward: Vec<Edge> = Vec::with_capacity(edges.len());
    for start in 0..count {
        if state[start] != State::New {
            continue;
        }
        state[start] = State::Open;
        let mut work = vec![(start, 0)];
        while let Some(last) = work.last_mut() {
            let (at, edge) = *last;
            last.1 += 1;
            match next[at].get(edge) {
                None => {
                    state[at] = State::Done;
                    work.pop();
                }
                Some(&to) if state[to] == State::Open => {}
                Some(&to) => {
                    forward.push((at, to));
                    if state[to] == State::New {
                        state[to] = State::Open;
                        work.push((to, 0));
                    }
                }
            }
        }
    }
    let mut waiting = vec![0_usize; count];
    forward.iter().for_each(|&(_, to)| waiting[to] += 1);
    let next = successors(count, &forward);
    let mut layers = vec![0; count];
    let mut ready: VecDeque<usize> = (0..count).filter(|at| waiting[*at] == 0).collect();
    while let Some(at) = ready.pop_front() {
        for &to in &next[at] {
            layers[to] = layers[to].max(layers[at] + 1);
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push_back(to);
            }
        }
    }
    layers
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

/// Returns the place of each vertex in its layer: in alternating sweeps, the vertices of a layer are ordered
/// by the mean relative place of their neighbours on the side from which the sweep comes. The order with the
/// fewest crossings is returned. O(sweeps × (vertices log vertices + edges²)).
pub(super) fn places(layers: &[usize], edges: &[Edge]) -> Vec<usize> {
    let depth = layers.iter().max().map_or(0, |last| last + 1);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); depth];
    layers.iter().enumerate().for_each(|(at, layer)| rows[*layer].push(at));
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); layers.len()];
    for &(from, to) in edges {
        neighbours[from].push(to);
        neighbours[to].push(from);
    }
    let mut best = places_of(&rows, layers.len());
    let mut least = crossings(layers, &best, edges);
    for sweep in 0..SWEEPS {
        let is_down = sweep % 2 == 0;
        let order: Vec<usize> =
            if is_down { (0..depth).collect() } else { (0..depth).rev().collect() };
        for layer in order {
            let now = places_of(&rows, layers.len());
            let height = |of: usize| (rows[layers[of]].len().max(2) - 1) as f64;
            let key = |at: usize| {
                let is_before = |other: &&usize| {
                    (layers[**other] < layer) == is_down && layers[**other] != layer
                };
                let before = neighbours[at].iter().filter(is_before);
                let (sum, count) = before.fold((0.0, 0_usize), |(sum, count), &other| {
                    (sum + now[other] as f64 / height(other), count + 1)
                });
                if count == 0 { now[at] as f64 / height(at) } else { sum / count as f64 }
            };
            let mut keyed: Vec<(f64, usize)> =
                rows[layer].iter().map(|&at| (key(at), at)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            rows[layer] = keyed.into_iter().map(|(_, at)| at).collect();
        }
        let now = places_of(&rows, layers.len());
        let crossed = crossings(layers, &now, edges);
        if crossed < least {
            (best, least) = (now, crossed);
        }
    }
    best
}

fn places_of(rows: &[Vec<usize>], count: usize) -> Vec<usize> {
    let mut places = vec![0; count];
    for row in rows {
        row.iter().enumerate().for_each(|(place, &at)| places[at] = place);
    }
    places
}

/// Returns how many pairs of edges between the same layers cross.
fn crossings(layers: &[usize], places: &[usize], edges: &[Edge]) -> usize {
    let ordered = |&(from, to): &Edge| {
        let (from, to) = if layers[from] <= layers[to] { (from, to) } else { (to, from) };
        (layers[from], layers[to], places[from], places[to])
    };
    let mut ends: Vec<(usize, usize, usize, usize)> = edges.iter().map(ordered).collect();
    ends.sort_unstable();
    let same = ends.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    let crossed = |of: &[(usize, usize, usize, usize)]| {
        let pairs = of.iter().enumerate().map(|(at, one)| {
            of[at + 1..].iter().filter(|other| other.2 > one.2 && other.3 < one.3).count()
        });
        pairs.sum::<usize>()
    };
    same.map(crossed).sum()
}

fn successors(count: usize, edges: &[Edge]) -> Vec<Vec<usize>> {
    let mut next = vec![Vec::new(); count];
    edges.iter().for_each(|&(from, to)| next[from].push(to));
    next
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graph() -> impl Strategy<Value = (usize, Vec<Edge>)> {
        (1_usize..30).prop_flat_map(|count| {
            (Just(count), prop::collection::vec((0..count, 0..count), 0..80))
        })
    }

    fn reaches(count: usize, edges: &[Edge]) -> Vec<Vec<bool>> {
        let mut reached = vec![vec![false; count]; count];
        edges.iter().for_each(|&(from, to)| reached[from][to] = true);
        for by in 0..count {
            for from in 0..count {
                for to in 0..count {
                    reached[from][to] |= reached[from][by] && reached[by][to];
                }
            }
        }
        reached
    }

    proptest! {
        #[test]
        fn components_are_what_reaches_each_other((count, edges) in graph()) {
            let reached = reaches(count, &edges);
            let component = components(count, &edges);
            for one in 0..count {
                for other in 0..count {
                    let is_same = one == other || reached[one][other] && reached[other][one];
                    prop_assert_eq!(component[one] == component[other], is_same);
                }
            }
        }

        #[test]
        fn edges_outside_of_cycles_lead_to_later_layers((count, edges) in graph()) {
            let component = components(count, &edges);
            let layers = longest_paths(count, &edges);
            prop_assert!(layers.iter().all(|layer| *layer < count));
            for &(from, to) in &edges {
                prop_assert!(component[from] == component[to] || layers[from] < layers[to]);
            }
        }

        #[test]
        fn places_of_a_layer_are_distinct_and_dense((count, edges) in graph()) {
            let layers = longest_paths(count, &edges);
            let places = places(&layers, &edges);
            for layer in 0..count {
                let of_layer = (0..count).filter(|at| layers[*at] == layer);
                let mut found: Vec<usize> = of_layer.map(|at| places[at]).collect();
                found.sort_unstable();
                prop_assert!(found.iter().copied().eq(0..found.len()));
            }
        }
    }

    #[test]
    fn crossings_that_can_be_avoided_are() {
        let edges = [(0, 5), (1, 4), (2, 3)];
        let layers = longest_paths(6, &edges);
        assert_eq!(layers, [0, 0, 0, 1, 1, 1]);
        let places = places(&layers, &edges);
        assert_eq!(crossings(&layers, &places, &edges), 0);
    }
}
