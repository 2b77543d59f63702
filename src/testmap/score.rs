//! The probability that a test executes a definition, from features, and the source that states how
//! far to trust it.

use serde::Serialize;

use super::features::{CO_CHANGE, DYNAMIC_IMPORT, FEATURES, IMPORT_CHAIN, IMPORTS, NAMES};
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
    /// No call leads to a likely test, and the names of the test, or of its file, agree with those of
    /// the definition or of its file.
    Names,
    /// The file of the test imports its file, directly or over other files.
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
            Source::Names => "names",
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
            Source::Names => "named like it",
            Source::ImportGraph => "imports it",
            Source::CoChange => "changes with it",
            Source::StaticRequire => "loads it",
            Source::Fallback => "by name",
            Source::WorkingTree => "changed with it",
        }
    }
}

/// A test is likely from this probability on.
pub const LIKELY_MIN: f32 = 0.1;

/// The lowest probability of a test that executed the present text of a definition, according to
/// imported coverage.
pub const COVERED_SAME: f32 = 0.98;

/// The same for a former text of it.
pub const COVERED_FORMER: f32 = 0.97;

/// What a test of coverage gains if the test graph is certain of it, too.
pub const COVERED_SPAN: f32 = 0.01;

/// The greatest probability without coverage: of the candidates with source `direct`, 97 % execute the
/// definition on the repositories of docs/tests.md, whatever the value of the model.
pub const UNCOVERED_MAX: f32 = 0.96;

/// The probability of a test that is only in a file with uncommitted changes: set, not fitted.
pub const WORKING_TREE: f32 = 0.004;

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
            1.5, 0.09, 0.7, 0.51, 1.49, -0.51, 0.05, 0.09, 0.24, -0.03, 0.97, 0.57, 0.64, 0.74,
            0.41, 1.21, 0.22, 0.0, 0.48, 0.4, -0.12, -0.2, 0.14, 0.0,
        ],
        intercept: -4.7,
    };

    /// Returns the probability for features, from 0 to 1.
    pub fn probability(&self, features: &[f32; FEATURES]) -> f32 {
        let sum: f32 =
            self.features.iter().zip(features).map(|(weight, value)| weight * value).sum();
        1.0 / (1.0 + (-(sum + self.intercept)).exp())
    }
}

/// The value of the model and the probability of a candidate, by source: between these points, the
/// probability is interpolated. They follow the shares of candidates that execute the definition, on
/// the repositories of docs/tests.md, and increase everywhere, so that the order within a source
/// stays. Of `co_change` and `fallback`, none of 6,884 candidates did; no repository had one of
/// `static_require`: their points are those of `import_graph`, scaled down in the order of trust.
const CALIBRATION: [(Source, &[(f32, f32)]); 6] = [
    (Source::Direct, &[(0.0, 0.94), (1.0, UNCOVERED_MAX)]),
    (
        Source::Hybrid,
        &[
            (0.0, 0.0),
            (0.05, 0.04),
            (0.1, 0.06),
            (0.2, 0.12),
            (0.3, 0.27),
            (0.5, 0.5),
            (0.7, 0.68),
            (0.9, 0.85),
            (1.0, 0.93),
        ],
    ),
    (Source::ImportGraph, &[(0.0, 0.0), (0.02, 0.0155), (0.05, 0.035), (1.0, 0.08)]),
    (Source::CoChange, &[(0.0, 0.0), (0.02, 0.009), (0.05, 0.017), (1.0, 0.04)]),
    (Source::StaticRequire, &[(0.0, 0.0), (0.02, 0.008), (0.05, 0.015), (1.0, 0.035)]),
    (Source::Fallback, &[(0.0, 0.0), (0.02, 0.005), (0.05, 0.01), (1.0, 0.025)]),
];

/// Returns the probability of a candidate for the value of the model, both from 0 to 1. It is greater
/// for a greater value of the same source, and not greater for a less trusted source of the same
/// value.
pub fn calibrated(value: f32, source: Source) -> f32 {
    let Some((_, points)) = CALIBRATION.iter().find(|(of, _)| *of == source) else { return value };
    let value = value.clamp(0.0, 1.0);
    let above = points.iter().position(|(from, _)| *from >= value).unwrap_or(points.len() - 1);
    let (to_value, to) = points[above];
    let (from_value, from) = points[above.saturating_sub(1)];
    let span = to_value - from_value;
    let share = if span > 0.0 { (value - from_value) / span } else { 0.0 };
    from + (to - from) * share
}

/// The greatest probability of a test by its names alone.
pub const NAMES_MAX: f32 = 0.6;

/// Tests whose names agree less are not listed for their names.
const NAMES_MIN: f32 = 0.05;

/// Paths that mirror each other less than this are no evidence: 1 % of such tests or fewer execute the
/// definition.
const PATH_MIN: f32 = 0.45;

/// Returns the probability of a test of a definition to which calls lead from no likely test, by their
/// names: `None` if they do not agree. The weights were fitted on such definitions of the repositories
/// of docs/tests.md: of the tests in a file named like theirs, 13 % execute them, of those with the name
/// in the title 51 %, of those with the name in the text 50 %.
pub fn by_names(features: &[f32; FEATURES]) -> Option<f32> {
    let of =
        |name: &str| NAMES.iter().position(|own| *own == name).map_or(0.0, |place| features[place]);
    let sum = 2.5 * of("name_in_test")
        + 1.5 * of("words_in_test")
        + 2.0 * of("owner_in_test")
        + 4.0 * (of("path_names") - PATH_MIN).max(0.0)
        + 1.5 * of("mention")
        + 0.6 * of("words_in_body")
        - 4.4;
    let probability = 1.0 / (1.0 + (-sum).exp());
    (probability >= NAMES_MIN).then_some(probability.min(NAMES_MAX))
}

/// Returns the source of a candidate: the most trusted evidence that there is.
pub fn source(reach: Option<&Reach>, features: &[f32; FEATURES]) -> Source {
    let has = |feature: usize| features[feature] > 0.0;
    match reach {
        Some(reach) if reach.is_direct => Source::Direct,
        Some(_) => Source::Hybrid,
        None if has(IMPORTS) || has(IMPORT_CHAIN) => Source::ImportGraph,
        None if has(CO_CHANGE) => Source::CoChange,
        None if has(DYNAMIC_IMPORT) => Source::StaticRequire,
        None => Source::Fallback,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calibration_keeps_the_order_of_values_and_of_trust() {
        for (source, points) in CALIBRATION {
            let values: Vec<f32> =
                (0..=100).map(|at| calibrated(at as f32 / 100.0, source)).collect();
            assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "{source:?}: {values:?}");
            assert_eq!(calibrated(points[1].0, source), points[1].1);
            assert!(values.iter().all(|value| (0.0..=UNCOVERED_MAX).contains(value)));
        }
        for at in 1..=100 {
            let by_trust = CALIBRATION.map(|(source, _)| calibrated(at as f32 / 100.0, source));
            assert!(by_trust.windows(2).all(|pair| pair[0] > pair[1]), "{by_trust:?}");
        }
        const { assert!(NAMES_MAX < UNCOVERED_MAX) };
        const { assert!(COVERED_SAME > COVERED_FORMER && COVERED_FORMER > UNCOVERED_MAX) };
        assert!(calibrated(0.0, Source::Direct) > calibrated(1.0, Source::Hybrid));
    }
}
