//! The risk of files: one score from several components, each of which is reported.
//!
//! A component is a number from 0 to 1, and the score is their weighted mean plus
//! `hidden_risk_factor` and `new_file_boost`. Churn, coupling and size are percentiles within the
//! repository. A component without data is absent, and its weight is divided among the others.
//!
//! **Weights.** Churn, coupling and size have the same weight, because that predicts the files that are
//! fixed in the following year better than decayed commit counts do (docs/risk.md, `codedb eval
//! history`). Author concentration has the weight 0: in the same measurement, files with one dominant
//! author were fixed less often than others. Coverage and test instability cannot be measured from
//! history; their weights are those of the program whose vocabulary this module uses (Chisel).
//! [`configured`] reads other weights from a file of the repository.

pub mod configured;

use std::collections::BTreeMap;

use serde::Serialize;

/// The number of dynamic edges at which `hidden_risk_factor` is greatest.
const DYNAMIC_EDGES_FULL: f64 = 20.0;

/// The greatest `hidden_risk_factor`.
const HIDDEN_RISK_MAX: f64 = 0.15;

/// The boost of a file without churn and without coverage.
const NEW_FILE_BOOST: f64 = 0.5;

/// The number of tests at which `coverage_depth` is 0.
const TESTS_FULL: f64 = 5.0;

/// The weights of the components; they need not add up to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Weights {
    /// Of churn.
    pub churn: f64,
    /// Of coupling.
    pub coupling: f64,
    /// Of size.
    pub size: f64,
    /// Of the coverage gap.
    pub coverage_gap: f64,
    /// Of the coverage depth.
    pub coverage_depth: f64,
    /// Of the author concentration.
    pub author_concentration: f64,
    /// Of the test instability.
    pub test_instability: f64,
}

impl Weights {
    /// The weights that the evaluation supports.
    pub const DEFAULT: Weights = Weights {
        churn: 0.25,
        coupling: 0.25,
        size: 0.25,
        coverage_gap: 0.15,
        coverage_depth: 0.05,
        author_concentration: 0.0,
        test_instability: 0.05,
    };

    fn named(&self) -> [(&'static str, f64); 7] {
        [
            ("churn", self.churn),
            ("coupling", self.coupling),
            ("size", self.size),
            ("coverage_gap", self.coverage_gap),
            ("coverage_depth", self.coverage_depth),
            ("author_concentration", self.author_concentration),
            ("test_instability", self.test_instability),
        ]
    }
}

/// What is known about a file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Input {
    /// Decayed commits; `None` without a commit log.
    pub churn: Option<f64>,
    /// Decayed co-change; `None` without a commit log.
    pub co_change: Option<f64>,
    /// The number of files that imports connect with it; `None` if they are not known.
    pub imports: Option<f64>,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// The share of the most active author, from 0 to 1; `None` if nobody is known.
    pub author_share: Option<f64>,
    /// The share of it that tests cover, from 0 to 1; `None` if it is not known.
    pub covered: Option<f64>,
    /// The number of tests that cover it; `None` if it is not known.
    pub tests: Option<usize>,
    /// The failure rate of these tests, from 0 to 1; `None` if no result is recorded.
    pub instability: Option<f64>,
    /// Dynamic imports from it or to it.
    pub dynamic_edges: usize,
    /// Edges from it or to it that are not calls: imports, and functions that are passed on as values.
    pub shadow_edges: usize,
}

/// The components of a score, from 0 to 1; absent ones have no data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Breakdown {
    /// The percentile of the decayed commits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub churn: Option<f64>,
    /// The percentile of the co-change; if no file has any, that of the imports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coupling: Option<f64>,
    /// The percentile of the number of files that imports connect with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub import_coupling: Option<f64>,
    /// The percentile of the co-change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cochange_coupling: Option<f64>,
    /// The percentile of the size in bytes.
    pub size: f64,
    /// The share that no test covers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage_gap: Option<f64>,
    /// 1 without tests, down to 0 with five: more tests, less risk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage_depth: Option<f64>,
    /// The share of the most active author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author_concentration: Option<f64>,
    /// The failure rate of the tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_instability: Option<f64>,
    /// The `hidden_risk_factor`, which the score has besides the weighted components.
    pub hidden_risk: f64,
    /// The `new_file_boost`, likewise.
    pub new_file_boost: f64,
}

/// The risk of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Risk {
    /// The score; greater is riskier.
    pub score: f64,
    /// Its components.
    pub breakdown: Breakdown,
    /// min(dynamic edges / 20, 1) × 0.15.
    pub hidden_risk_factor: f64,
    /// 0.5 for a file without churn and without coverage.
    pub new_file_boost: f64,
}

/// How the scores were made.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Meta {
    /// The weights of the components that exist, which add up to 1.
    pub effective_weights: BTreeMap<&'static str, f64>,
    /// Components without data.
    pub absent_components: Vec<&'static str>,
    /// Components that are the same for all files, and do not affect the order.
    pub uniform_components: Vec<&'static str>,
}

/// The components in the order of [`Weights::named`].
fn components(it: &Breakdown) -> [Option<f64>; 7] {
    [
        it.churn,
        it.coupling,
        Some(it.size),
        it.coverage_gap,
        it.coverage_depth,
        it.author_concentration,
        it.test_instability,
    ]
}

/// Returns the risk of each file, in their order, and how it was computed. O(n log n).
pub fn scores(files: &[Input], weights: &Weights) -> (Vec<Risk>, Meta) {
    let churn = percentiles(files.iter().map(|file| file.churn));
    let co_change = percentiles(files.iter().map(|file| file.co_change));
    let imports = percentiles(files.iter().map(|file| file.imports));
    let sizes = percentiles(files.iter().map(|file| Some(file.size_bytes as f64)));
    let has_co_change = files.iter().any(|file| file.co_change.is_some_and(|it| it > 0.0));
    let mut risks: Vec<Risk> = Vec::with_capacity(files.len());
    for (at, file) in files.iter().enumerate() {
        let depth = |tests: usize| 1.0 - (tests as f64 / TESTS_FULL).min(1.0);
        let hidden = (file.dynamic_edges as f64 / DYNAMIC_EDGES_FULL).min(1.0) * HIDDEN_RISK_MAX;
        // Without coverage data, nothing is known about the coverage of a new file.
        let is_new = file.churn == Some(0.0) && file.covered == Some(0.0);
        let new_file_boost = if is_new { NEW_FILE_BOOST } else { 0.0 };
        let breakdown = Breakdown {
            churn: churn[at],
            coupling: if has_co_change { co_change[at] } else { imports[at] },
            import_coupling: imports[at],
            cochange_coupling: co_change[at],
            size: sizes[at].unwrap_or_default(),
            coverage_gap: file.covered.map(|covered| 1.0 - covered),
            coverage_depth: file.tests.map(depth),
            author_concentration: file.author_share,
            test_instability: file.instability,
            hidden_risk: hidden,
            new_file_boost,
        };
        risks.push(Risk { score: 0.0, breakdown, hidden_risk_factor: hidden, new_file_boost });
    }
    let all: Vec<[Option<f64>; 7]> = risks.iter().map(|risk| components(&risk.breakdown)).collect();
    let named = weights.named();
    let exists: Vec<bool> =
        (0..named.len()).map(|at| all.iter().any(|values| values[at].is_some())).collect();
    let sum: f64 =
        named.iter().zip(&exists).filter(|(_, exists)| **exists).map(|((_, it), _)| it).sum();
    let mut meta = Meta::default();
    for (at, &(name, weight)) in named.iter().enumerate() {
        if !exists[at] {
            meta.absent_components.push(name);
            continue;
        }
        meta.effective_weights.insert(name, if sum > 0.0 { weight / sum } else { 0.0 });
        if all.iter().all(|values| values[at] == all[0][at]) {
            meta.uniform_components.push(name);
        }
    }
    for (risk, values) in risks.iter_mut().zip(&all) {
        let weighted = named.iter().zip(values).map(|(&(name, _), value)| {
            let weight = meta.effective_weights.get(name).copied().unwrap_or_default();
            weight * value.unwrap_or_default()
        });
        risk.score = weighted.sum::<f64>() + risk.hidden_risk_factor + risk.new_file_boost;
    }
    (risks, meta)
}

/// Returns the share of values that are at most as large, for each; 0 for a value of 0.
fn percentiles(values: impl Iterator<Item = Option<f64>>) -> Vec<Option<f64>> {
    let values: Vec<Option<f64>> = values.collect();
    let mut sorted: Vec<f64> = values.iter().flatten().copied().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let share = |value: f64| {
        if value <= 0.0 {
            return 0.0;
        }
        sorted.partition_point(|&other| other <= value) as f64 / sorted.len() as f64
    };
    values.iter().map(|value| value.map(share)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(churn: f64, size_bytes: u64) -> Input {
        Input { churn: Some(churn), co_change: Some(churn), size_bytes, ..Input::default() }
    }

    #[test]
    fn absent_components_give_their_weight_to_the_others() {
        let (risks, meta) = scores(&[input(2.0, 10), input(1.0, 20)], &Weights::DEFAULT);
        let third = 1.0 / 3.0;
        assert!((meta.effective_weights["churn"] - third).abs() < 1e-9, "{meta:?}");
        let absent = ["coverage_gap", "coverage_depth", "author_concentration", "test_instability"];
        assert_eq!(meta.absent_components, absent);
        assert!((risks[0].score - (1.0 + 1.0 + 0.5) / 3.0).abs() < 1e-9, "{risks:?}");
        assert!(risks[0].score > risks[1].score);
    }

    #[test]
    fn more_tests_are_less_risk() {
        let tested = |tests: usize| Input {
            tests: Some(tests),
            covered: Some(f64::from(tests > 0)),
            ..input(1.0, 10)
        };
        let (risks, _) = scores(&[tested(0), tested(1), tested(5)], &Weights::DEFAULT);
        assert!(risks[0].score > risks[1].score && risks[1].score > risks[2].score);
        assert_eq!(risks[2].breakdown.coverage_depth, Some(0.0));
    }

    #[test]
    fn dynamic_edges_and_new_files_add_to_the_score() {
        let new = Input { covered: Some(0.0), tests: Some(0), ..input(0.0, 10) };
        let dynamic = Input { dynamic_edges: 40, ..input(0.0, 10) };
        let (risks, meta) = scores(&[new, dynamic, input(0.0, 10)], &Weights::DEFAULT);
        assert_eq!((risks[0].new_file_boost, risks[1].new_file_boost), (0.5, 0.0));
        assert!((risks[1].hidden_risk_factor - 0.15).abs() < 1e-9);
        assert!((risks[1].score - risks[2].score - 0.15).abs() < 1e-9);
        assert!(meta.uniform_components.contains(&"churn"));
    }

    #[test]
    fn without_co_change_imports_are_the_coupling() {
        let imported = |imports: f64| Input { imports: Some(imports), ..input(0.0, 10) };
        let (risks, _) = scores(&[imported(0.0), imported(3.0)], &Weights::DEFAULT);
        assert_eq!(risks[1].breakdown.coupling, Some(1.0));
        assert!(risks[1].score > risks[0].score);
    }
}
