//! Ranks the tests of definitions.

use super::features::{Candidate, FEATURES, candidates};
use super::fixtures::{TestAt, Tests};
use super::score::{Source, Weights, source};
use crate::graph::link::SymbolAt;

/// The position of the feature `imports`.
const IMPORTS: usize = FEATURES - 1;

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
}

/// Returns the tests that may execute a definition, most likely first, and true if a bound was
/// reached. Cost as [`candidates`].
pub fn rank(tests: &Tests<'_>, at: SymbolAt, weights: &Weights) -> (Vec<Ranked>, bool) {
    let (candidates, is_cut) = candidates(tests, at);
    let ranked = |of: Candidate| Ranked {
        test: of.test,
        probability: weights.probability(&of.features),
        source: source(of.reach.as_ref(), of.features[IMPORTS] > 0.0),
        depth: of.reach.map(|reach| reach.depth),
        features: of.features,
    };
    let mut found: Vec<Ranked> = candidates.into_iter().map(ranked).collect();
    found.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.test.cmp(&b.test)));
    (found, is_cut)
}

impl Ranked {
    /// Returns a test whose own body changed: it executes the change directly.
    pub fn changed(test: TestAt) -> Ranked {
        let (source, features) = (Source::Direct, [0.0; FEATURES]);
        Ranked { test, probability: 1.0, source, depth: Some(0), features }
    }
}

#[cfg(test)]
mod tests;
