//! The score of a change: a logistic model of its size and of the history of its files.
//!
//! The features are those of just-in-time defect prediction (Kamei et al., "A Large-Scale Empirical
//! Study of Just-in-Time Quality Assurance", IEEE TSE 2013) that are known without the author. They
//! count source files only, because documentation, tests, lock files and change logs have many lines and
//! commits, and cause few faults. The weights were fitted on five repositories (`codedb eval risk --fit`)
//! and rounded; features that did not help have the weight 0. docs/check.md has the measurements on others;
//! the same command measures the score on any repository.

use serde::{Deserialize, Serialize};

use super::verdict::Level;

/// The number of features.
pub const COUNT: usize = 9;

/// The names of the features, in the order of [`Features::values`].
pub const NAMES: [&str; COUNT] = [
    "lines_added",
    "lines_removed",
    "files",
    "directories",
    "entropy",
    "churn",
    "fixes",
    "authors",
    "new_files",
];

/// What is known about a change before it is made. Source files are those of code that are no tests, and
/// not generated, vendored or minified; a change without any has only zeros.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Features {
    /// Added lines of source files.
    pub added: f64,
    /// Removed lines of source files.
    pub removed: f64,
    /// Changed source files.
    pub files: f64,
    /// Their directories.
    pub directories: f64,
    /// The entropy of the changed lines over the files, from 0 (one file) to 1 (even).
    pub entropy: f64,
    /// The commits of the file that changes most often, decayed with a half-life of one year.
    pub churn: f64,
    /// The corrections of the file with most of them, decayed alike.
    pub fixes: f64,
    /// The most authors that a file has.
    pub authors: f64,
    /// The share of source files that are new, from 0 to 1.
    pub new_files: f64,
}

impl Features {
    /// Returns the features as the model uses them: counts as logarithms.
    pub fn values(&self) -> [f64; COUNT] {
        [
            self.added.ln_1p(),
            self.removed.ln_1p(),
            self.files.ln_1p(),
            self.directories.ln_1p(),
            self.entropy,
            self.churn.ln_1p(),
            self.fixes.ln_1p(),
            self.authors.ln_1p(),
            self.new_files,
        ]
    }
}

/// Returns the normalized entropy of counts: 0 for fewer than two, 1 if all are equal.
pub fn entropy(counts: &[usize]) -> f64 {
    let total: usize = counts.iter().sum();
    let used = counts.iter().filter(|count| **count > 0);
    if counts.len() < 2 || total == 0 {
        return 0.0;
    }
    let sum: f64 = used
        .map(|&count| {
            let share = count as f64 / total as f64;
            -share * share.log2()
        })
        .sum();
    sum / (counts.len() as f64).log2()
}

/// A logistic model.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Model {
    /// The intercept.
    pub bias: f64,
    /// A weight for each of [`NAMES`].
    pub weights: [f64; COUNT],
    /// The scores from which on a change is medium, high and critical.
    pub levels: [f64; 3],
}

impl Model {
    /// The model that checks use. The score is the probability that the change has to be corrected.
    pub const DEFAULT: Model = Model {
        bias: -4.3,
        weights: [0.7, 0.11, 0.0, 0.04, 0.0, 0.2, 0.0, 0.0, 0.0],
        levels: [0.25, 0.7, 0.9],
    };

    /// Returns the score, from 0 to 1.
    pub fn score(&self, features: &Features) -> f64 {
        let values = features.values();
        let sum: f64 = values.iter().zip(&self.weights).map(|(value, weight)| value * weight).sum();
        1.0 / (1.0 + (-(self.bias + sum)).exp())
    }

    /// Returns the level of a score.
    pub fn level(&self, score: f64) -> Level {
        let over = self.levels.iter().filter(|bound| score >= **bound).count();
        Level::ALL[over]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_lines_and_fixes_are_more_risk() {
        let small = Features { added: 3.0, files: 1.0, directories: 1.0, ..Features::default() };
        let large = Features { added: 900.0, fixes: 6.0, churn: 20.0, ..small };
        let model = Model::DEFAULT;
        assert!(model.score(&large) > model.score(&small));
        assert!(model.level(0.0) == Level::Low && model.level(1.0) == Level::Critical);
    }

    #[test]
    fn entropy_is_normalized() {
        assert_eq!((entropy(&[5]), entropy(&[2, 2])), (0.0, 1.0));
        assert!(entropy(&[9, 1]) < 0.5 && entropy(&[0, 0]) == 0.0);
    }
}
