//! A fleet of many repositories, computed: where they are, and what the loss and the addition of nodes
//! costs.
//!
//! Names, sizes and load of repositories are drawn from a seed; the placement is that of [`placement`]; the
//! figures of one shard are those of [`measured`]. The result depends on the arguments alone, not on the
//! platform: floating-point numbers are only added, multiplied, divided and rooted.
//!
//! [`placement`]: super::placement

use serde::Serialize;

use super::measured::{self, Need};
use super::placement::{FRACTION_BITS, Member, Placement, neg_log2};

/// The share of repositories that are hot.
const HOT_REPOSITORIES: f64 = 0.001;

/// The greatest numbers of repositories and nodes.
pub const REPOSITORIES_MAX: usize = 1_000_000;
/// See [`REPOSITORIES_MAX`].
pub const NODES_MAX: usize = 1000;

/// What is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Setting {
    /// The number of repositories.
    pub repositories: usize,
    /// The number of nodes, all of one weight.
    pub nodes: usize,
    /// On how many nodes each repository is.
    pub replicas: usize,
    /// The number of nodes that fail at once.
    pub lose: usize,
    /// The number of nodes that join afterwards.
    pub add: usize,
    /// The share of calls that name one of the hot repositories, from 0 to 1.
    pub hot: f64,
    /// What names, sizes, hot repositories and failing nodes are drawn from.
    pub seed: u64,
}

/// A simulated fleet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Simulation {
    /// What was simulated.
    pub setting: Setting,
    /// The text of all repositories in bytes, each counted once.
    pub text_bytes: u64,
    /// The text of the largest repository in bytes.
    pub largest_bytes: u64,
    /// The number of hot repositories.
    pub hot_repositories: usize,
    /// The stages, in the order of time: before, after the loss, rebuilt, after the addition.
    pub stages: Vec<Stage>,
}

/// The fleet at one time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stage {
    /// `start`, `lost`, `rebuilt` or `added`.
    pub name: &'static str,
    /// The nodes that answer.
    pub nodes: usize,
    /// Repositories that no node has.
    pub unavailable: usize,
    /// The share of calls that name one of them.
    pub unavailable_calls: f64,
    /// Copies that nodes got since the stage before, as a share of all copies.
    pub moved: f64,
    /// The text of these copies in bytes.
    pub moved_bytes: u64,
    /// The time until the node that got the most has indexed it, in seconds, without cloning.
    pub indexing_s: f64,
    /// What the node with the most text needs.
    pub fullest: Need,
    /// Its text relative to the mean of the nodes.
    pub fullest_text: f64,
    /// The load of the node with the most calls, relative to the mean of the nodes.
    pub busiest_load: f64,
    /// The same relative to the mean at the start.
    pub busiest_load_from_start: f64,
}

/// A repository.
struct Drawn {
    name: String,
    text_bytes: u64,
    /// The share of calls that name it.
    load: f64,
}

/// Simulates a fleet. O(r · n) in the numbers of repositories and nodes.
///
/// # Errors
///
/// A sentence if the numbers do not fit each other.
pub fn simulate(setting: Setting) -> Result<Simulation, String> {
    check(&setting)?;
    let mut random = Random(setting.seed);
    let drawn = repositories(&setting, &mut random);
    let all = setting.nodes + setting.add;
    let lost = lost(&setting, &mut random);
    let members = |is_there: &dyn Fn(usize) -> bool| {
        let nodes = (0..all).filter(|&node| is_there(node));
        let named = nodes.map(|node| Member { name: node_name(node), weight: 1 });
        Placement::new(named, setting.replicas)
    };
    let survives = |node: usize| node >= setting.nodes || !lost[node];
    let mut stages = Stages { drawn: &drawn, all, mean_load_at_start: 0.0 };
    let placed = |placement: Placement| -> Vec<Vec<usize>> {
        // Names have leading zeros, so members by name are nodes by number.
        let numbers: Vec<usize> =
            placement.members().iter().map(|member| number(&member.name)).collect();
        let owners = |it: &Drawn| placement.owners(&it.name).into_iter().map(|at| numbers[at]);
        drawn.iter().map(|it| owners(it).collect()).collect()
    };
    let start = placed(members(&|node| node < setting.nodes));
    let mut found = vec![stages.stage("start", &start, None, setting.nodes)];
    let mut current = start;
    if setting.lose > 0 {
        let left = setting.nodes - setting.lose;
        let remaining: Vec<Vec<usize>> = current
            .iter()
            .map(|owners| owners.iter().copied().filter(|&node| survives(node)).collect())
            .collect();
        found.push(stages.stage("lost", &remaining, None, left));
        let rebuilt = placed(members(&|node| node < setting.nodes && survives(node)));
        found.push(stages.stage("rebuilt", &rebuilt, Some(&remaining), left));
        current = rebuilt;
    }
    if setting.add > 0 {
        let added = placed(members(&survives));
        let nodes = setting.nodes - setting.lose + setting.add;
        found.push(stages.stage("added", &added, Some(&current), nodes));
    }
    Ok(Simulation {
        text_bytes: drawn.iter().map(|it| it.text_bytes).sum(),
        largest_bytes: drawn.iter().map(|it| it.text_bytes).max().unwrap_or_default(),
        hot_repositories: hot_count(&setting),
        stages: found,
        setting,
    })
}

fn check(setting: &Setting) -> Result<(), String> {
    let Setting { repositories, nodes, replicas, lose, add, hot, .. } = *setting;
    if !(1..=REPOSITORIES_MAX).contains(&repositories) {
        return Err(format!("the number of repositories is from 1 to {REPOSITORIES_MAX}"));
    }
    if nodes == 0 || nodes.saturating_add(add) > NODES_MAX {
        return Err(format!("the number of nodes is from 1 to {NODES_MAX}"));
    }
    if !(1..=nodes).contains(&replicas) {
        return Err(format!("the number of replicas is from 1 to that of the nodes, {nodes}"));
    }
    if lose >= nodes {
        return Err(format!("of {nodes} nodes, at most {} can be lost", nodes - 1));
    }
    if !(0.0..=1.0).contains(&hot) {
        return Err("the share of calls to hot repositories is from 0 to 1".to_owned());
    }
    Ok(())
}

fn node_name(node: usize) -> String {
    format!("node-{node:04}")
}

fn number(name: &str) -> usize {
    name.strip_prefix("node-").and_then(|number| number.parse().ok()).unwrap_or_default()
}

fn hot_count(setting: &Setting) -> usize {
    ((setting.repositories as f64 * HOT_REPOSITORIES) as usize).max(1)
}

/// Draws the repositories. The hot ones get their share by Zipf's law, the others the rest evenly.
fn repositories(setting: &Setting, random: &mut Random) -> Vec<Drawn> {
    let hot = hot_count(setting);
    let harmonic: f64 = (1..=hot).map(|rank| 1.0 / rank as f64).sum();
    let others = setting.repositories - hot;
    let hot_share = if others == 0 { 1.0 } else { setting.hot };
    (0..setting.repositories)
        .map(|at| {
            let load = if at < hot {
                hot_share / (harmonic * (at + 1) as f64)
            } else {
                (1.0 - hot_share) / others as f64
            };
            let name = format!("example.org/{:016x}/{at}", random.next());
            Drawn { name, text_bytes: measured::text_bytes(random.normal()), load }
        })
        .collect()
}

/// Draws the nodes that fail.
fn lost(setting: &Setting, random: &mut Random) -> Vec<bool> {
    let mut lost = vec![false; setting.nodes];
    let mut left = setting.lose;
    while left > 0 {
        let node = (random.next() % setting.nodes as u64) as usize;
        left -= usize::from(!lost[node]);
        lost[node] = true;
    }
    lost
}

/// Computes stages.
struct Stages<'a> {
    drawn: &'a [Drawn],
    all: usize,
    mean_load_at_start: f64,
}

impl Stages<'_> {
    /// Returns the stage at which each repository is on the nodes `owners`; `before` has those of the
    /// stage before, if copies have moved since.
    fn stage(
        &mut self,
        name: &'static str,
        owners: &[Vec<usize>],
        before: Option<&[Vec<usize>]>,
        nodes: usize,
    ) -> Stage {
        let mut held = vec![(0_u64, 0_u64); self.all];
        let mut gained = held.clone();
        let mut load = vec![0.0; self.all];
        let (mut unavailable, mut unavailable_calls) = (0, 0.0);
        let mut copies = 0_u64;
        for (at, (it, owners)) in self.drawn.iter().zip(owners).enumerate() {
            if owners.is_empty() {
                unavailable += 1;
                unavailable_calls += it.load;
            }
            copies += owners.len() as u64;
            for &node in owners {
                held[node].0 += 1;
                held[node].1 += it.text_bytes;
                // Each live copy answers the same number of calls.
                load[node] += it.load / owners.len() as f64;
                if before.is_some_and(|before| !before[at].contains(&node)) {
                    gained[node].0 += 1;
                    gained[node].1 += it.text_bytes;
                }
            }
        }
        let fullest = held.iter().copied().max_by_key(|&(_, bytes)| bytes).unwrap_or_default();
        let text: u64 = held.iter().map(|&(_, bytes)| bytes).sum();
        let mean_load = load.iter().sum::<f64>() / nodes as f64;
        if name == "start" {
            self.mean_load_at_start = mean_load;
        }
        let busiest = load.iter().copied().fold(0.0, f64::max);
        let moved: u64 = gained.iter().map(|&(count, _)| count).sum();
        let slowest = gained.iter().map(|&(count, bytes)| measured::indexing_s(count, bytes));
        Stage {
            name,
            nodes,
            unavailable,
            unavailable_calls: rounded(unavailable_calls),
            moved: ratio(moved as f64, copies as f64),
            moved_bytes: gained.iter().map(|&(_, bytes)| bytes).sum(),
            indexing_s: rounded(slowest.fold(0.0, f64::max)),
            fullest: Need::of(fullest.0, fullest.1),
            fullest_text: ratio(fullest.1 as f64 * nodes as f64, text as f64),
            busiest_load: ratio(busiest, mean_load),
            busiest_load_from_start: ratio(busiest, self.mean_load_at_start),
        }
    }
}

fn ratio(value: f64, of: f64) -> f64 {
    if of > 0.0 { rounded(value / of) } else { 0.0 }
}

/// Rounds to four decimals.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// SplitMix64: the same numbers from a seed on every platform.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from -1 to 1.
    fn signed(&mut self) -> f64 {
        // 53 bits, which a double holds exactly.
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Returns a number of the standard normal distribution, by Marsaglia's polar method.
    fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (self.signed(), self.signed());
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                // -2 ln(s), from the exact logarithm to base 2.
                let bits = (square * (1_u64 << 63) as f64) as u64;
                let log2 = neg_log2(bits << 1) as f64 / (1_u64 << FRACTION_BITS) as f64;
                return x * (2.0 * std::f64::consts::LN_2 * log2 / square).sqrt();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SMALL: Setting =
        Setting { repositories: 2000, nodes: 5, replicas: 2, lose: 1, add: 1, hot: 0.3, seed: 7 };

    #[test]
    fn drawn_sizes_are_those_that_were_measured() {
        let mut random = Random(3);
        let mut drawn: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        drawn.sort_by(f64::total_cmp);
        let mean = drawn.iter().sum::<f64>() / 20_000.0;
        let deviation = (drawn.iter().map(|it| it * it).sum::<f64>() / 20_000.0).sqrt();
        assert!(mean.abs() < 0.03 && (deviation - 1.0).abs() < 0.03, "{mean} {deviation}");
        assert!((drawn[16_827] - 1.0).abs() < 0.05, "the quantile 0.841: {}", drawn[16_827]);
    }

    #[test]
    fn a_lost_node_takes_only_repositories_without_a_replica() {
        let stages = simulate(SMALL).expect("valid").stages;
        let names: Vec<&str> = stages.iter().map(|stage| stage.name).collect();
        assert_eq!(names, ["start", "lost", "rebuilt", "added"]);
        assert!(stages.iter().all(|stage| stage.unavailable == 0), "each has a second copy");
        let single = simulate(Setting { replicas: 1, ..SMALL }).expect("valid").stages;
        let share = single[1].unavailable as f64 / 2000.0;
        assert!((0.15..0.25).contains(&share), "one of five nodes: {share}");
        assert_eq!(single[2].unavailable, 0);
    }

    #[test]
    fn a_node_that_joins_gets_its_share_and_no_more() {
        let setting = Setting { nodes: 3, lose: 0, ..SMALL };
        let stages = simulate(setting).expect("valid").stages;
        assert!(stages[1].moved <= 1.2 / 4.0, "{}", stages[1].moved);
        assert!(stages[1].fullest.text_bytes < stages[0].fullest.text_bytes);
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        for wrong in [
            Setting { repositories: 0, ..SMALL },
            Setting { nodes: 0, ..SMALL },
            Setting { replicas: 6, ..SMALL },
            Setting { replicas: 0, ..SMALL },
            Setting { lose: 5, ..SMALL },
            Setting { add: usize::MAX, ..SMALL },
            Setting { hot: f64::NAN, ..SMALL },
        ] {
            assert!(simulate(wrong).is_err(), "{wrong:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        #[test]
        fn shares_are_consistent(
            repositories in 1..300_usize,
            nodes in 1..8_usize,
            replicas in 1..4_usize,
            lose in 0..7_usize,
            add in 0..4_usize,
            seed: u64,
        ) {
            let (replicas, lose) = (replicas.min(nodes), lose.min(nodes - 1));
            let setting = Setting { repositories, nodes, replicas, lose, add, hot: 0.5, seed };
            let first = simulate(setting).expect("valid");
            prop_assert_eq!(&first, &simulate(setting).expect("valid"));
            for stage in &first.stages {
                prop_assert!((0.0..=1.0).contains(&stage.moved));
                prop_assert!(stage.unavailable == 0 || stage.name == "lost" && lose >= replicas);
                prop_assert!(stage.fullest_text >= 0.999 && stage.busiest_load >= 0.999);
            }
        }
    }
}
