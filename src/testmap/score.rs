//! The probability that a test executes a definition, from features, and the source that states how
//! far to trust it.

use serde::Serialize;

use super::features::FEATURES;
use super::reach::Reach;

/// What an association of a test with a definition is based on; the most trusted first.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// An imported coverage report lists the test.
    Coverage,
    /// The test contains a resolved call of it.
    Direct,
    /// Calls reach it from the test or its fixtures, over several steps or with unsure links.
    Hybrid,
    /// The file of the test imports its file.
    ImportGraph,
    /// Both files change in the same commits.
    CoChange,
    /// The file of the test names its file in a dynamic import.
    StaticRequire,
    /// Only names agree.
    Fallback,
    /// Only the uncommitted changes of the work tree connect them.
    WorkingTree,
}

impl Source {
    /// Returns its name in replies.
    pub fn name(self) -> &'static str {
        match self {
            Source::Coverage => "coverage",
            Source::Direct => "direct",
            Source::Hybrid => "hybrid",
            Source::ImportGraph => "import_graph",
            Source::CoChange => "co_change",
            Source::StaticRequire => "static_require",
            Source::Fallback => "fallback",
            Source::WorkingTree => "working_tree",
        }
    }

    /// Returns the reason as two or three words.
    pub fn words(self) -> &'static str {
        match self {
            Source::Coverage => "covers it",
            Source::Direct => "calls it",
            Source::Hybrid => "reaches it",
            Source::ImportGraph => "imports it",
            Source::CoChange => "changes with it",
            Source::StaticRequire => "loads it",
            Source::Fallback => "by name",
            Source::WorkingTree => "changed with it",
        }
    }
}

/// The lowest probability of a test that executed the present text of a definition, according to
/// imported coverage.
pub const COVERED_SAME: f32 = 0.98;

/// The same for a former text of it.
pub const COVERED_FORMER: f32 = 0.97;

/// What a test of coverage gains if the test graph is certain of it, too.
pub const COVERED_SPAN: f32 = 0.01;

/// The greatest probability without coverage: of the candidates with 0.9 and more, 96 % execute the
/// definition on the repositories of docs/tests.md.
pub const UNCOVERED_MAX: f32 = 0.96;

/// The factor for a test that was recorded and did not execute the definition.
pub const CONTRADICTED: f32 = 0.05;

/// The same for a test whose text contains a resolved call of the definition.
pub const CONTRADICTED_DIRECT: f32 = 0.5;

/// The weights of the logistic model, in the order of the features, and the intercept.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// By feature.
    pub features: [f32; FEATURES],
    /// The value without any feature.
    pub intercept: f32,
}

impl Weights {
    /// Weights that were fitted with `codedb eval tests`; docs/tests.md states on what.
    pub const DEFAULT: Weights = Weights {
        features: [
            1.36, 0.0, 0.78, 0.75, 1.5, -0.85, 0.16, 0.16, 0.36, 0.0, 1.07, 0.34, 0.96, 0.81, 0.36,
            1.15, 0.03,
        ],
        intercept: -4.66,
    };

    /// Returns the probability for features, from 0 to 1.
    pub fn probability(&self, features: &[f32; FEATURES]) -> f32 {
        let sum: f32 =
            self.features.iter().zip(features).map(|(weight, value)| weight * value).sum();
        1.0 / (1.0 + (-(sum + self.intercept)).exp())
    }
}

/// Returns the source of a candidate.
pub fn source(reach: Option<&Reach>, imports: bool) -> Source {
    match reach {
        Some(reach) if reach.is_direct => Source::Direct,
        Some(_) => Source::Hybrid,
        None if imports => Source::ImportGraph,
        None => Source::Fallback,
    }
}
