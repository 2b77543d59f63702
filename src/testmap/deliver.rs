//! Which tests of a change are delivered: the likely ones, then more of the ranking, chosen by what
//! they add to the expected catch, the probability that at least one of them executes the change.
//!
//! `codedb eval tests` measures this list, so that users get what is measured.

use std::collections::{BTreeMap, BTreeSet};

use super::fixtures::TestAt;
use super::score::{LIKELY_MIN, Source};
use super::select::{Inherited, Ranked, Ranking};
use crate::base::ids::FileId;
use crate::graph::link::SymbolAt;

/// Less likely tests are never selected: names alone are a better guess.
pub const FLOOR: f32 = 0.004;

/// A selection with fewer tests is filled up to this number.
pub const TESTS_MIN: usize = 30;

/// For each function without a likely test, as many of its tests are selected beyond [`TESTS_MIN`], as
/// long as there are not more than that many of them.
const EACH: usize = 2;

/// The share of the test files from which tests may be selected that are not likely.
const FILES_SHARE: f32 = 0.25;

/// Fewer test files than these may be opened in any case.
const FILES_MIN: usize = 8;

/// The maximum number of tests below [`LIKELY_MIN`] of one function that are considered.
const CONSIDERED_MAX: usize = 60;

/// A test with the function that it most likely executes.
#[derive(Clone, Debug)]
pub enum Chosen {
    /// A test of the tree.
    Test(Ranked, SymbolAt),
    /// A test that only coverage names.
    Inherited(Inherited, SymbolAt),
}

impl Chosen {
    /// Returns the probability that it executes the function.
    pub fn probability(&self) -> f32 {
        match self {
            Chosen::Test(of, _) => of.probability,
            Chosen::Inherited(of, _) => of.probability,
        }
    }
}

/// The delivered tests of some functions.
#[derive(Clone, Debug, Default)]
pub struct Delivered {
    /// The tests, most likely first.
    pub chosen: Vec<Chosen>,
    /// The functions without a likely test, in their order.
    pub untested: Vec<SymbolAt>,
    /// How many of the tests are less likely than [`LIKELY_MIN`].
    pub unlikely: usize,
}

/// What a selection costs.
pub struct Costs<'a> {
    /// The number of test files of the tree.
    pub files: usize,
    /// The duration of a test, relative to the others; 1 if it is not known.
    pub of: &'a dyn Fn(TestAt) -> f32,
    /// Files whose tests are selected in another way.
    pub without: &'a [FileId],
    /// Tests with a lower probability are left out.
    pub least: f32,
}

/// A function that is not covered with certainty.
struct Missed {
    /// The probability that no selected test executes it.
    probability: f32,
    is_untested: bool,
    /// The number of tests that were selected although they are not likely.
    filled: usize,
}

/// Returns the delivered tests of functions, each with its ranking. O(candidates × tests that are not
/// likely and selected).
pub fn deliver(rankings: Vec<(SymbolAt, Ranking)>, costs: &Costs<'_>) -> Delivered {
    let mut found = Delivered::default();
    let mut likely: BTreeMap<TestAt, (Ranked, SymbolAt)> = BTreeMap::new();
    let mut inherited: BTreeMap<String, (Inherited, SymbolAt)> = BTreeMap::new();
    let mut pool: BTreeMap<TestAt, Vec<(Ranked, usize)>> = BTreeMap::new();
    let mut missed: Vec<Missed> = Vec::new();
    let mut functions: Vec<SymbolAt> = Vec::new();
    for (at, ranking) in rankings {
        let place = missed.len();
        let count = ranking.tests.partition_point(|of| of.probability >= LIKELY_MIN);
        let (sure, others) = ranking.tests.split_at(count);
        let is_by_names = sure.iter().all(|of| of.source == Source::Names);
        let mut miss: f32 = sure.iter().map(|of| 1.0 - of.probability).product();
        for of in sure {
            let kept = likely.entry(of.test).or_insert((*of, at));
            if of.probability > kept.0.probability {
                *kept = (*of, at);
            }
        }
        let is_untested = is_by_names && ranking.inherited.is_empty();
        for of in ranking.inherited {
            miss *= 1.0 - of.probability;
            inherited.entry(of.id.clone()).or_insert((of, at));
        }
        let others = others.iter().take_while(|of| of.probability >= FLOOR.max(costs.least));
        // Besides likely tests, those that nothing else connects never execute the function.
        let is_connected = |of: &Ranked| !matches!(of.source, Source::CoChange | Source::Fallback);
        let others = others
            .filter(|of| !costs.without.contains(&of.test.file))
            .filter(|of| is_untested || is_connected(of));
        for of in others.take(CONSIDERED_MAX) {
            pool.entry(of.test).or_default().push((*of, place));
        }
        if is_untested {
            found.untested.push(at);
        }
        missed.push(Missed { probability: miss, is_untested, filled: 0 });
        functions.push(at);
    }
    let mut files: BTreeSet<FileId> = likely.keys().map(|test| test.file).collect();
    let files_max = files.len() + FILES_MIN.max((costs.files as f32 * FILES_SHARE) as usize);
    pool.retain(|test, _| !likely.contains_key(test));
    let mut more: Vec<(Ranked, SymbolAt)> = Vec::new();
    while more.len() < TESTS_MIN {
        let is_full = likely.len() + inherited.len() + more.len() >= TESTS_MIN;
        let wants = |of: &Missed| !is_full || of.is_untested && of.filled < EACH;
        let gain = |(test, of): (&TestAt, &Vec<(Ranked, usize)>)| {
            let can_open = files.contains(&test.file) || files.len() < files_max;
            let wanted = of.iter().filter(|(_, place)| can_open && wants(&missed[*place]));
            // Where the function is executed for certain, the most likely test is still the next one.
            let gains = wanted.map(|(of, place)| {
                of.probability * missed[*place].probability.max(f32::MIN_POSITIVE)
            });
            (gains.sum::<f32>() / (costs.of)(*test).max(0.01), *test)
        };
        let best = pool.iter().map(gain).filter(|(gain, _)| *gain > 0.0);
        let best = best.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let Some(of) = best.and_then(|(_, test)| pool.remove(&test)) else { break };
        for (of, place) in &of {
            missed[*place].probability *= 1.0 - of.probability;
            missed[*place].filled += 1;
        }
        let first = of.into_iter().max_by(|(a, _), (b, _)| a.probability.total_cmp(&b.probability));
        let Some((of, place)) = first else { break };
        files.insert(of.test.file);
        more.push((of, functions[place]));
    }
    found.unlikely = more.len();
    let all = likely.into_values().chain(more).map(|(of, at)| Chosen::Test(of, at));
    let inherited = inherited.into_values().map(|(of, at)| Chosen::Inherited(of, at));
    found.chosen = all.chain(inherited).filter(|of| of.probability() >= costs.least).collect();
    sort(&mut found.chosen);
    found
}

/// Sorts tests, most likely first; equal ones stay in the order of paths.
fn sort(chosen: &mut [Chosen]) {
    let key = |of: &Chosen| match of {
        Chosen::Test(of, _) => (0, of.test, String::new()),
        Chosen::Inherited(of, _) => (1, TestAt { file: FileId::new(0), place: 0 }, of.id.clone()),
    };
    chosen.sort_by(|a, b| {
        b.probability().total_cmp(&a.probability()).then_with(|| key(a).cmp(&key(b)))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testmap::features::FEATURES;

    fn function(place: u32) -> SymbolAt {
        SymbolAt { file: FileId::new(0), place }
    }

    fn test(file: usize, place: u32) -> TestAt {
        TestAt { file: FileId::new(file), place }
    }

    fn ranking(tests: &[(TestAt, f32)]) -> Ranking {
        let ranked = |&(test, probability): &(TestAt, f32)| Ranked {
            test,
            probability,
            source: Source::Hybrid,
            depth: None,
            features: [0.0; FEATURES],
            covered: None,
        };
        Ranking { tests: tests.iter().map(ranked).collect(), ..Ranking::default() }
    }

    /// Checks the delivered tests as `file.place`, and how many are not likely.
    fn check(
        rankings: &[&[(TestAt, f32)]],
        cost: fn(TestAt) -> f32,
        expected: &[&str],
        unlikely: usize,
    ) {
        let rankings = rankings.iter().zip(0..);
        let rankings = rankings.map(|(tests, at)| (function(at), ranking(tests))).collect();
        let found = deliver(rankings, &Costs { files: 40, of: &cost, without: &[], least: 0.0 });
        let shown = found.chosen.iter().map(|of| match of {
            Chosen::Test(of, _) => format!("{}.{}", of.test.file.0, of.test.place),
            Chosen::Inherited(of, _) => of.id.clone(),
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected);
        assert_eq!(found.unlikely, unlikely);
    }

    #[test]
    fn likely_tests_are_followed_by_the_next_ones_down_to_the_floor() {
        let tests =
            [(test(1, 0), 0.96), (test(1, 1), 0.09), (test(2, 0), 0.01), (test(2, 1), 0.003)];
        check(&[&tests], |_| 1.0, &["1.0", "1.1", "2.0"], 2);
    }

    #[test]
    fn a_full_selection_still_has_tests_of_each_function() {
        let sure: Vec<(TestAt, f32)> = (0..40).map(|at| (test(1, at), 0.9)).collect();
        let sure: Vec<(TestAt, f32)> = sure.into_iter().chain([(test(2, 0), 0.05)]).collect();
        let unsure = [(test(3, 0), 0.05), (test(3, 1), 0.04), (test(3, 2), 0.03)];
        let names: Vec<String> = (0..40).map(|at| format!("1.{at}")).collect();
        let mut expected: Vec<&str> = names.iter().map(String::as_str).collect();
        expected.extend(["3.0", "3.1"]);
        check(&[&sure, &unsure], |_| 1.0, &expected, 2);
    }

    #[test]
    fn fast_tests_are_chosen_before_slow_ones_of_the_same_probability() {
        let tests: Vec<(TestAt, f32)> = (0..60).map(|at| (test(1, at), 0.05)).collect();
        let names: Vec<String> = (30..60).map(|at| format!("1.{at}")).collect();
        let expected: Vec<&str> = names.iter().map(String::as_str).collect();
        check(&[&tests], |test| if test.place < 30 { 9.0 } else { 1.0 }, &expected, 30);
    }

    #[test]
    fn few_more_files_are_opened() {
        let tests: Vec<(TestAt, f32)> = (1..30).map(|file| (test(file, 0), 0.05)).collect();
        let names: Vec<String> = (1..11).map(|file| format!("{file}.0")).collect();
        let expected: Vec<&str> = names.iter().map(String::as_str).collect();
        check(&[&tests], |_| 1.0, &expected, 10);
    }
}
