//! Properties of the placement, and owners that no version may change.

use proptest::prelude::*;

use super::*;

fn members(weights: &[u32]) -> Vec<Member> {
    let named = |(at, &weight): (usize, &u32)| Member { name: format!("node-{at}"), weight };
    weights.iter().enumerate().map(named).collect()
}

fn repositories(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("example.org/team-{}/repository-{at}", at % 7)).collect()
}

fn owners(placement: &Placement, repository: &str) -> Vec<String> {
    let owners = placement.owners(repository).into_iter();
    owners.map(|at| placement.members()[at].name.clone()).collect()
}

#[test]
fn owners_never_change() {
    let even = Placement::new(members(&[1; 7]), 2);
    let weighted = Placement::new(members(&[1, 2, 5, 9]), 1);
    let names = ["github.com/a/b", "github.com/a/c", "git.example.org/team/x", "x", ""];
    let found: Vec<String> = names
        .iter()
        .map(|name| format!("{} / {}", owners(&even, name).join(" "), owners(&weighted, name)[0]))
        .collect();
    let expected = [
        "node-6 node-5 / node-2",
        "node-2 node-1 / node-2",
        "node-5 node-6 / node-3",
        "node-6 node-1 / node-3",
        "node-1 node-0 / node-3",
    ];
    assert_eq!(found, expected);
}

#[test]
fn logarithms_are_exact_at_powers_of_two_and_close_elsewhere() {
    assert_eq!(neg_log2(u64::MAX), 0);
    assert_eq!(neg_log2((1 << 63) - 1), 1 << FRACTION_BITS);
    assert_eq!(neg_log2(0), 64 << FRACTION_BITS);
    for hash in [1_u64, 5, 1 << 40, u64::MAX / 3, u64::MAX - 1] {
        let exact = 64.0 - (hash as f64 + 1.0).log2();
        let found = neg_log2(hash) as f64 / f64::from(FRACTION_BITS).exp2();
        assert!((exact - found).abs() < 1e-9, "{hash}: {exact} {found}");
    }
}

#[test]
fn a_fourth_node_moves_a_quarter() {
    let all = repositories(4000);
    for replicas in [1, 2] {
        let three = Placement::new(members(&[1; 3]), replicas);
        let four = Placement::new(members(&[1; 4]), replicas);
        let moved = |name: &String| {
            let before = owners(&three, name);
            owners(&four, name).iter().filter(|owner| !before.contains(owner)).count()
        };
        let moved: usize = all.iter().map(moved).sum();
        let share = moved as f64 / (all.len() * replicas) as f64;
        assert!(share <= 1.2 / 4.0, "{replicas} replicas: {share}");
        assert!(share >= 0.8 / 4.0, "{replicas} replicas: the new node gets {share}");
    }
}

#[test]
fn nodes_get_repositories_by_their_weight() {
    let weights = [1, 1, 2, 4, 8];
    let placement = Placement::new(members(&weights), 1);
    let mut counts = [0_usize; 5];
    let all = repositories(16_000);
    for name in &all {
        counts[placement.owners(name)[0]] += 1;
    }
    for (&weight, &count) in weights.iter().zip(&counts) {
        let expected = 1000.0 * f64::from(weight);
        // Six standard deviations of a binomial distribution.
        let allowed = 6.0 * expected.sqrt();
        assert!((count as f64 - expected).abs() < allowed, "weight {weight}: {count}");
    }
}

proptest! {
    #[test]
    fn logarithms_never_rise(a: u64, b: u64) {
        prop_assert!(neg_log2(a.min(b)) >= neg_log2(a.max(b)));
    }

    #[test]
    fn equal_weights_need_no_logarithm(name in ".{0,30}", weight in 1..1000_u32, nodes in 1..9_usize) {
        let even = Placement::new(members(&vec![weight; nodes]), 3);
        let exact = Placement { is_even: false, ..even.clone() };
        prop_assert_eq!(even.owners(&name), exact.owners(&name));
    }

    #[test]
    fn owners_are_distinct_and_independent_of_the_order(
        name in ".{0,30}",
        weights in prop::collection::vec(1..1000_u32, 1..12),
        replicas in 1..6_usize,
        by in 0..12_usize,
    ) {
        let all = members(&weights);
        let placement = Placement::new(all.clone(), replicas);
        let found = owners(&placement, &name);
        let mut distinct = found.clone();
        distinct.sort();
        distinct.dedup();
        prop_assert_eq!(distinct.len(), replicas.min(weights.len()));
        let mut turned = all;
        turned.rotate_left(by % weights.len());
        prop_assert_eq!(found, owners(&Placement::new(turned, replicas), &name));
    }

    #[test]
    fn a_node_that_joins_or_leaves_moves_only_its_own(
        name in ".{0,30}",
        weights in prop::collection::vec(1..50_u32, 2..12),
        replicas in 1..5_usize,
        which in 0..12_usize,
    ) {
        let all = members(&weights);
        let mut fewer = all.clone();
        let node = fewer.remove(which % weights.len()).name;
        let with = owners(&Placement::new(all, replicas), &name);
        let without = owners(&Placement::new(fewer, replicas), &name);
        if with.contains(&node) {
            // The others stay in their order; at most one takes the place.
            let others: Vec<&String> = with.iter().filter(|owner| **owner != node).collect();
            prop_assert_eq!(others, without.iter().take(with.len() - 1).collect::<Vec<_>>());
            prop_assert!(without.len() <= with.len());
        } else {
            prop_assert_eq!(with, without);
        }
    }

    #[test]
    fn more_weight_takes_and_never_gives(
        name in ".{0,30}",
        weights in prop::collection::vec(1..50_u32, 2..8),
        more in 1..50_u32,
    ) {
        let all = members(&weights);
        let mut heavier = all.clone();
        heavier[0].weight += more;
        let before = owners(&Placement::new(all, 1), &name);
        let after = owners(&Placement::new(heavier, 1), &name);
        prop_assert!(before == after || after[0] == "node-0");
    }
}
