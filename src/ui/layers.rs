//! Layered layouts of directed graphs (Sugiyama, Tagawa and Toda, 1981): which vertices are in a cycle, which
//! edges lead back, in which layer each vertex is, and its place there. Vertices are numbers, edges pairs of them.

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

/// Returns the place of each vertex in an order in which few edges lead back, counted by their weights: none
/// that is in no cycle. Within a cycle, vertices that only lead out or in are taken first, then those that lead
/// out most (Eades, Lin and Smyth, 1993). O(vertices² + vertices × edges).
pub(super) fn order(count: usize, edges: &[Edge], weights: &[usize]) -> Vec<usize> {
    let component = components(count, edges);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
    component.iter().enumerate().for_each(|(at, of)| members[*of].push(at));
    let mut places = vec![0; count];
    let mut next = 0;
    // What a component leads to was found before it.
    for (of, members) in members.iter().enumerate().rev() {
        let is_inside = |edge: &Edge| component[edge.0] == of && component[edge.1] == of;
        let inside: Vec<(Edge, usize)> = edges
            .iter()
            .zip(weights)
            .filter(|(edge, _)| edge.0 != edge.1 && is_inside(edge))
            .map(|(edge, weight)| (*edge, *weight))
            .collect();
        for at in ordered(members, &inside) {
            places[at] = next;
            next += 1;
        }
    }
    places
}

/// Returns the vertices of a component in order.
fn ordered(members: &[usize], edges: &[(Edge, usize)]) -> Vec<usize> {
    let mut left: Vec<usize> = members.to_vec();
    let (mut first, mut last) = (Vec::new(), Vec::new());
    while !left.is_empty() {
        let flow = |at: usize| {
            let among =
                edges.iter().filter(|(edge, _)| left.contains(&edge.0) && left.contains(&edge.1));
            among.fold((0, 0), |(out, into), &((from, to), weight)| {
                (
                    out + if from == at { weight } else { 0 },
                    into + if to == at { weight } else { 0 },
                )
            })
        };
        let flows: Vec<(usize, usize)> = left.iter().map(|at| flow(*at)).collect();
        let sink = flows.iter().position(|(out, _)| *out == 0);
        let source = flows.iter().position(|(_, into)| *into == 0);
        let best = (0..left.len()).max_by_key(|at| {
            let (out, into) = flows[*at];
            (out as i64 - into as i64, std::cmp::Reverse(*at))
        });
        match (sink, source, best) {
            (Some(sink), ..) => last.push(left.remove(sink)),
            (None, Some(at), _) | (None, None, Some(at)) => first.push(left.remove(at)),
            (None, None, None) => break,
        }
    }
    first.extend(last.into_iter().rev());
    first
}

/// Returns the layer of each vertex: the length of the longest path to it along edges that do not lead back
/// in an order. O(vertices log vertices + edges).
pub(super) fn longest_paths(places: &[usize], edges: &[Edge]) -> Vec<usize> {
    let next = successors(places.len(), edges);
    let mut by_place: Vec<usize> = (0..places.len()).collect();
    by_place.sort_unstable_by_key(|at| places[*at]);
    let mut layers = vec![0; places.len()];
    for at in by_place {
        for &to in next[at].iter().filter(|to| places[**to] > places[at]) {
            layers[to] = layers[to].max(layers[at] + 1);
        }
    }
    layers
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
            let order = order(count, &edges, &vec![1; edges.len()]);
            let mut found = order.clone();
            found.sort_unstable();
            prop_assert!(found.into_iter().eq(0..count));
            let layers = longest_paths(&order, &edges);
            for &(from, to) in &edges {
                let is_back = order[from] >= order[to];
                prop_assert!(component[from] == component[to] || !is_back);
                prop_assert!(is_back || layers[from] < layers[to]);
            }
        }

        #[test]
        fn places_of_a_layer_are_distinct_and_dense((count, edges) in graph()) {
            let order = order(count, &edges, &vec![1; edges.len()]);
            let layers = longest_paths(&order, &edges);
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
        let layers = longest_paths(&order(6, &edges, &[1; 3]), &edges);
        assert_eq!(layers, [0, 0, 0, 1, 1, 1]);
        let places = places(&layers, &edges);
        assert_eq!(crossings(&layers, &places, &edges), 0);
    }

    #[test]
    fn the_lightest_edge_of_a_cycle_leads_back() {
        let edges = [(0, 1), (1, 2), (2, 0)];
        assert_eq!(order(3, &edges, &[9, 1, 9]), [1, 2, 0]);
        assert_eq!(order(3, &edges, &[9, 9, 1]), [0, 1, 2]);
    }
}
