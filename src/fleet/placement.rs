//! Which nodes of a fleet index a repository: weighted rendezvous hashing of the repository's name.
//!
//! Each node gets a score for the repository, and the nodes with the best scores own it. Scores depend on
//! the two names alone, so a node that joins takes repositories from all others and moves none between
//! them, and those of a node that leaves go to all others. Everything is integer arithmetic: owners are
//! the same on every platform, and in every version of codedb.
//!
//! The score is that of Schindelhauer and Schomaker ("Weighted distributed hash tables", 2005): with `u`
//! uniform in (0, 1] by a hash of both names, the node with the least `-log2(u) / weight` wins, and it wins
//! with a probability proportional to its weight.

use std::cmp::Ordering;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::config::Fleet;

/// The bits after the binary point of [`neg_log2`].
pub const FRACTION_BITS: u32 = 32;

/// A node, as far as placement depends on it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its share, relative to the others; at least 1.
    pub weight: u32,
}

/// The nodes between which repositories are distributed.
#[derive(Clone, Debug)]
pub struct Placement {
    members: Vec<Member>,
    /// The hash of each member's name.
    seeds: Vec<u64>,
    replicas: usize,
    /// True if all weights are equal: then the greatest hash wins.
    is_even: bool,
}

/// The score of a member for one repository; the least one wins.
#[derive(Clone, Copy)]
struct Score {
    hash: u64,
    /// `-log2` of the hash; not computed if weights are equal.
    depth: u64,
    weight: u32,
    at: usize,
}

impl Placement {
    /// Returns the placement on `members`, of which each repository gets `replicas`, but at most all. The
    /// order of the members does not matter; of two with one name, the first counts.
    pub fn new(members: impl IntoIterator<Item = Member>, replicas: usize) -> Placement {
        let mut members: Vec<Member> = members.into_iter().collect();
        members.sort_by(|a, b| a.name.cmp(&b.name));
        members.dedup_by(|next, first| next.name == first.name);
        for member in &mut members {
            member.weight = member.weight.max(1);
        }
        let seeds = members.iter().map(|member| xxh3_64(member.name.as_bytes())).collect();
        let is_even = members.windows(2).all(|pair| pair[0].weight == pair[1].weight);
        let replicas = replicas.clamp(1, members.len().max(1));
        Placement { members, seeds, replicas, is_even }
    }

    /// Returns the placement on the nodes of a configuration.
    pub fn of(fleet: &Fleet) -> Placement {
        let members = fleet.nodes.iter();
        let members = members.map(|node| Member { name: node.name.clone(), weight: node.weight });
        Placement::new(members, fleet.replicas)
    }

    /// Returns the members, by name.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Returns on how many members a repository is.
    pub fn replicas(&self) -> usize {
        self.replicas
    }

    /// Returns the owners of a repository as positions in [`Placement::members`], the best first: as many
    /// as there are replicas, all distinct; none without members. O(m log m) in the number of members.
    pub fn owners(&self, repository: &str) -> Vec<usize> {
        let mut scores: Vec<Score> = (0..self.members.len())
            .map(|at| {
                let hash = xxh3_64_with_seed(repository.as_bytes(), self.seeds[at]);
                let depth = if self.is_even { 0 } else { neg_log2(hash) };
                Score { hash, depth, weight: self.members[at].weight, at }
            })
            .collect();
        // One owner needs no sorted list; neither does the rest of a long one.
        if self.replicas < scores.len() {
            scores.select_nth_unstable_by(self.replicas, Score::compare);
            scores.truncate(self.replicas);
        }
        scores.sort_unstable_by(Score::compare);
        scores.into_iter().map(|score| score.at).collect()
    }
}

impl Placement {
    /// Returns the positions of `nodes`, which are names, in the order in which a repository is taken from
    /// them: its owners, the best first, then the others as they are.
    pub fn order(&self, repository: &str, nodes: &[&str]) -> Vec<usize> {
        let owners = self.owners(repository);
        let rank = |node: &str| owners.iter().position(|at| self.members[*at].name == node);
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_by_key(|at| (rank(nodes[*at]).unwrap_or(usize::MAX), *at));
        order
    }
}

impl Score {
    /// Compares `depth / weight` exactly, then the hashes, then the names: a total order.
    fn compare(a: &Score, b: &Score) -> Ordering {
        let left = u128::from(a.depth) * u128::from(b.weight);
        let right = u128::from(b.depth) * u128::from(a.weight);
        left.cmp(&right).then(b.hash.cmp(&a.hash)).then(a.at.cmp(&b.at))
    }
}

/// Returns `-log2(u)` for `u = (hash + 1) / 2^64`, with [`FRACTION_BITS`] bits after the binary point: from
/// 0 to 64 · 2^32. It never rises with `hash`, and is exact to about 2^-30.
///
/// The bits of the logarithm come from repeated squaring of the mantissa, cut to 63 bits each time.
pub fn neg_log2(hash: u64) -> u64 {
    let value = u128::from(hash) + 1;
    let whole = value.ilog2();
    // The mantissa in [1, 2), with 63 bits after the binary point.
    let mut mantissa = if whole <= 63 { value << (63 - whole) } else { value >> (whole - 63) };
    let mut log = u64::from(whole) << FRACTION_BITS;
    for bit in (0..FRACTION_BITS).rev() {
        mantissa = (mantissa * mantissa) >> 63;
        if mantissa >> 64 != 0 {
            log |= 1 << bit;
            mantissa >>= 1;
        }
    }
    (64 << FRACTION_BITS) - log
}

#[cfg(test)]
mod tests;
