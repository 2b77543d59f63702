//! `--shard K/N`: the tests as N disjoint parts of about the same duration.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The duration of a test without a recorded one, if none has one, in milliseconds.
const DURATION_MS: f64 = 100.0;

/// The maximum number of shards.
const SHARDS_MAX: usize = 1_000;

/// One of several parts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Shard {
    /// From 0.
    at: usize,
    of: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(at, of)| {
            Some((at.trim().parse::<usize>().ok()?, of.trim().parse::<usize>().ok()?))
        });
        match parts {
            Some((at, of)) if (1..=of).contains(&at) && of <= SHARDS_MAX => {
                Ok(Shard { at: at - 1, of })
            }
            _ => Err("expected `K/N`, such as `2/5`".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}/{}", self.at + 1, self.of)
    }
}

/// Returns the shard of each unit; units of more recorded time are assigned first, each to the shard that
/// has the least. Depends on nothing but the units and their durations. O(units × shards).
fn assigned(units: &BTreeMap<String, f64>, shards: usize) -> BTreeMap<&str, usize> {
    let mut order: Vec<(&str, f64)> = units.iter().map(|(unit, ms)| (unit.as_str(), *ms)).collect();
    order.sort_by(|(a, one), (b, other)| other.total_cmp(one).then(a.cmp(b)));
    let mut loads = vec![0.0; shards];
    let mut found = BTreeMap::new();
    for (unit, ms) in order {
        let least = (0..shards).min_by(|&a, &b| f64::total_cmp(&loads[a], &loads[b]));
        let least = least.unwrap_or_default();
        loads[least] += ms.max(0.0);
        found.insert(unit, least);
    }
    found
}

impl Shard {
    /// Returns the items of this shard, in their order. Items of one unit stay together; each has the
    /// recorded duration of its test in milliseconds, if there is one.
    pub(super) fn part<T>(self, items: Vec<(String, Option<f64>, T)>) -> Vec<T> {
        let mut known: Vec<f64> = items.iter().filter_map(|(_, ms, _)| *ms).collect();
        known.sort_by(f64::total_cmp);
        let usual = known.get(known.len() / 2).copied().unwrap_or(DURATION_MS);
        let mut units: BTreeMap<String, f64> = BTreeMap::new();
        for (unit, ms, _) in &items {
            *units.entry(unit.clone()).or_default() += ms.unwrap_or(usual);
        }
        let assigned = assigned(&units, self.of);
        let is_own = |unit: &str| assigned.get(unit) == Some(&self.at);
        items.into_iter().filter(|(unit, ..)| is_own(unit)).map(|(.., item)| item).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_parsed() {
        assert_eq!("2/5".parse(), Ok(Shard { at: 1, of: 5 }));
        for text in ["0/5", "6/5", "2", "a/b", "1/0", "-1/5", "1/100000"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    /// A linear congruential generator: each case is the same on every machine.
    fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
        let mut state = seed;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        }
    }

    #[test]
    fn the_union_of_all_shards_is_everything_and_they_are_disjoint() {
        for seed in 0..200 {
            let mut next = numbers(seed);
            let count = next(60);
            let items: Vec<(String, Option<f64>, u64)> = (0..count)
                .map(|item| {
                    let ms = (next(3) > 0).then(|| next(10_000) as f64 / 10.0);
                    (format!("unit{}", next(25)), ms, item)
                })
                .collect();
            let of = next(8) as usize + 1;
            let parts: Vec<Vec<u64>> =
                (0..of).map(|at| Shard { at, of }.part(items.clone())).collect();
            let mut all: Vec<u64> = parts.concat();
            all.sort_unstable();
            assert_eq!(all, (0..count).collect::<Vec<u64>>(), "seed {seed}");
            for (unit, _, item) in &items {
                let of_unit = |(other, _, _): &&(String, Option<f64>, u64)| other == unit;
                let part = parts.iter().find(|part| part.contains(item)).expect("it is in one");
                assert!(items.iter().filter(of_unit).all(|(.., item)| part.contains(item)));
            }
            assert_eq!(Shard { at: 0, of }.part(items.clone()), parts[0], "deterministic");
        }
    }

    #[test]
    fn shards_take_about_the_same_time() {
        let items: Vec<(String, Option<f64>, u64)> =
            (0..40).map(|item| (format!("u{item}"), Some(item as f64 * 10.0), item)).collect();
        let total = |at| {
            let part = Shard { at, of: 4 }.part(items.clone());
            part.iter().map(|item| *item as f64 * 10.0).sum::<f64>()
        };
        let totals: Vec<f64> = (0..4).map(total).collect();
        assert!(totals.iter().all(|total| (total - 1950.0).abs() <= 60.0), "{totals:?}");
    }
}
