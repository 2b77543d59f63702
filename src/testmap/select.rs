//! Ranks the tests of definitions.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;

use super::features::{Candidate, FEATURES, candidates};
use super::fixtures::{TestAt, Tests};
use super::recorded::{Covering, Recorded};
use super::score::{
    CONTRADICTED, CONTRADICTED_DIRECT, COVERED_FORMER, COVERED_SAME, COVERED_SPAN, LIKELY_MIN,
    Source, WORKING_TREE, Weights, by_names, calibrated, source,
};
use super::tree::Tree;
use crate::error::Result;
use crate::graph::link::SymbolAt;
use crate::history::History;
use crate::userdata::coverage::CoveredText;

/// A test with the probability that it executes a definition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// The test.
    pub test: TestAt,
    /// The probability, from 0 to 1.
    pub probability: f32,
    /// What it is based on.
    pub source: Source,
    /// The number of calls from the test to the definition, if there is a path.
    pub depth: Option<u8>,
    /// The values of the features.
    pub features: [f32; FEATURES],
    /// How the text that the test executed relates to the present one, if imported coverage names
    /// the test.
    pub covered: Option<CoveredText>,
}

/// A test that coverage names by an id, and that is not in the text of its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Inherited {
    /// Its id without parameters: the path of its file, its class and its name.
    pub id: String,
    /// The probability that it executes the definition, from 0 to 1.
    pub probability: f32,
    /// How the text that it executed relates to the present one.
    pub covered: CoveredText,
}

/// The tests of a definition.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    /// The tests, most likely first.
    pub tests: Vec<Ranked>,
    /// Tests that only coverage knows, most likely first, then by id.
    pub inherited: Vec<Inherited>,
    /// The number of tests that coverage names and that the tree does not contain any more.
    pub gone: usize,
    /// A bound was reached, so tests may be missing.
    pub is_cut: bool,
}

/// Returns the tests that may execute a definition, most likely first, and true if a bound was
/// reached. Cost as [`candidates`].
pub fn rank(tests: &Tests<'_>, at: SymbolAt, weights: &Weights) -> (Vec<Ranked>, bool) {
    let (candidates, is_cut) = candidates(tests, at);
    let ranked = |of: Candidate| {
        let source = source(of.reach.as_ref(), &of.features);
        Ranked {
            test: of.test,
            probability: calibrated(weights.probability(&of.features), source),
            source,
            depth: of.reach.map(|reach| reach.depth),
            features: of.features,
            covered: None,
        }
    };
    let mut found: Vec<Ranked> = candidates.into_iter().map(ranked).collect();
    if found.iter().all(|of| of.probability < LIKELY_MIN) {
        found.iter_mut().for_each(rank_by_names);
    }
    sort(&mut found);
    (found, is_cut)
}

/// Ranks a test by its names if these are better evidence than what there is otherwise.
fn rank_by_names(of: &mut Ranked) {
    if let Some(probability) = by_names(&of.features).filter(|by| *by > of.probability) {
        of.probability = probability;
        of.source = Source::Names;
    }
}

/// Returns the same for several definitions, in their order. They are divided among the threads;
/// each reads the tests that it needs. Cost as [`candidates`] for each.
pub fn rank_all<T: Tree + Sync>(
    tree: &T,
    of: &[SymbolAt],
    weights: &Weights,
    history: Option<&Arc<History>>,
) -> Vec<(Vec<Ranked>, bool)> {
    rank_until(tree, of, weights, history, None).into_iter().flatten().collect()
}

/// Returns the same; `None` for all but the first definition where `until` has passed before its search.
pub fn rank_until<T: Tree + Sync>(
    tree: &T,
    of: &[SymbolAt],
    weights: &Weights,
    history: Option<&Arc<History>>,
    until: Option<Instant>,
) -> Vec<Option<(Vec<Ranked>, bool)>> {
    let tests = || Tests::new(tree).with_history(history.cloned()).with_until(until);
    if let [at] = of {
        // Its uses are divided instead.
        return vec![Some(rank(&tests(), *at, weights))];
    }
    // Some cost much more than others, and each chunk begins without the linker's look-ups.
    let at_once = of.len().div_ceil(4 * rayon::current_num_threads()).max(1);
    let chunk = |of_chunk: &[SymbolAt]| {
        let tests = tests();
        let rank = |&at: &SymbolAt| {
            let is_left_out = tests.is_due() && Some(&at) != of.first();
            (!is_left_out).then(|| rank(&tests, at, weights))
        };
        of_chunk.iter().map(rank).collect::<Vec<_>>()
    };
    of.par_chunks(at_once).flat_map_iter(chunk).collect()
}

impl Ranked {
    /// Returns a test whose own body changed: it executes the change directly.
    pub fn changed(test: TestAt) -> Ranked {
        let (source, features) = (Source::Direct, [0.0; FEATURES]);
        Ranked { test, probability: 1.0, source, depth: Some(0), features, covered: None }
    }

    /// Returns a test that loads a changed file, over `depth` imports.
    pub fn loading(test: TestAt, probability: f32, depth: u8) -> Ranked {
        let (source, features) = (Source::ImportGraph, [0.0; FEATURES]);
        Ranked { test, probability, source, depth: Some(depth), features, covered: None }
    }

    /// Returns a test that only the uncommitted changes of its file connect with other changes.
    pub fn in_changed_file(test: TestAt) -> Ranked {
        let (source, features) = (Source::WorkingTree, [0.0; FEATURES]);
        Ranked { test, probability: WORKING_TREE, source, depth: None, features, covered: None }
    }
}

/// Returns the tests of a definition as [`rank`], with what coverage says about it: tests that
/// executed it come first; tests that were recorded and did not execute it are less likely; tests
/// that were not recorded, such as new ones, keep their probability.
///
/// # Errors
///
/// If the database of coverage cannot be read.
pub fn rank_with(
    tests: &Tests<'_>,
    at: SymbolAt,
    weights: &Weights,
    recorded: Option<&Recorded<'_>>,
) -> Result<Ranking> {
    with_recorded(rank(tests, at, weights), at, recorded)
}

/// Returns `ranked`, the result of [`rank`] for `at`, with what coverage says about it; see
/// [`rank_with`].
///
/// # Errors
///
/// If the database of coverage cannot be read.
pub fn with_recorded(
    (ranked, is_cut): (Vec<Ranked>, bool),
    at: SymbolAt,
    recorded: Option<&Recorded<'_>>,
) -> Result<Ranking> {
    let covering = recorded.map(|recorded| recorded.covering(at)).transpose()?.flatten();
    let mut ranking = Ranking { tests: ranked, is_cut, ..Ranking::default() };
    if let (Some(recorded), Some(covering)) = (recorded, covering) {
        ranking.apply(&covering, &|test| recorded.has_run(test))?;
    }
    Ok(ranking)
}

impl Ranking {
    /// Applies what coverage says about the definition. `has_run` returns true for a test of which
    /// coverage was imported.
    ///
    /// # Errors
    ///
    /// Those of `has_run`.
    pub fn apply(
        &mut self,
        covering: &Covering,
        has_run: &dyn Fn(TestAt) -> Result<bool>,
    ) -> Result<()> {
        let base = if covering.text == CoveredText::Former { COVERED_FORMER } else { COVERED_SAME };
        let covered = |test, probability: f32, features, depth| Ranked {
            test,
            probability: base + COVERED_SPAN * probability,
            source: Source::Coverage,
            depth,
            features,
            covered: Some(covering.text),
        };
        let mut left: BTreeMap<TestAt, u32> = covering.tests.clone();
        for of in &mut self.tests {
            if left.remove(&of.test).is_some() {
                *of = covered(of.test, of.probability, of.features, of.depth);
            } else if !covering.tests.is_empty() && has_run(of.test)? {
                // The test may have been edited since: a call in its own text counts more.
                let is_direct = of.source == Source::Direct;
                of.probability *= if is_direct { CONTRADICTED_DIRECT } else { CONTRADICTED };
            }
        }
        self.tests.extend(left.keys().map(|&test| covered(test, 0.0, [0.0; FEATURES], None)));
        sort(&mut self.tests);
        self.inherited = covering
            .inherited
            .keys()
            .map(|id| Inherited { id: id.clone(), probability: base, covered: covering.text })
            .collect();
        self.gone = covering.gone;
        Ok(())
    }
}

fn sort(ranked: &mut [Ranked]) {
    ranked.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.test.cmp(&b.test)));
}

#[cfg(test)]
mod tests;
