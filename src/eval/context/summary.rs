//! Adds up the results of tasks.

use std::collections::BTreeMap;

use serde::Serialize;

use super::key::Part;
use super::measure::{Measured, Recall, by_part};
use super::tokens::Tokens;

/// The sums over some tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Total {
    /// The number of tasks.
    pub tasks: usize,
    /// Recall of all items together, by part, in the order of [`Part::ALL`].
    #[serde(serialize_with = "by_part")]
    pub recall: [Recall; 4],
    /// The tokens of all replies.
    pub tokens: Tokens,
    /// The sum of the budgets.
    pub budget: usize,
}

impl Total {
    /// Returns the sums over tasks.
    pub fn of<'a>(measured: impl IntoIterator<Item = &'a Measured>) -> Total {
        let mut total = Total::default();
        for one in measured {
            total.tasks += 1;
            for (sum, recall) in total.recall.iter_mut().zip(&one.recall) {
                sum.found += recall.found;
                sum.expected += recall.expected;
            }
            total.tokens.total += one.tokens.total;
            total.tokens.useful += one.tokens.useful;
            total.tokens.repeated += one.tokens.repeated;
            total.tokens.headings += one.tokens.headings;
            total.budget += one.budget;
        }
        total
    }

    /// Returns the recall of a part; `None` if nothing is expected.
    pub fn recall(&self, part: Part) -> Option<f64> {
        let Recall { found, expected } = self.recall[part as usize];
        (expected > 0).then(|| found as f64 / expected as f64)
    }

    /// Returns the share of tokens of no use, 0 to 1.
    pub fn useless(&self) -> f64 {
        share(self.tokens.total - self.tokens.useful.min(self.tokens.total), self.tokens.total)
    }

    /// Returns the share of tokens of repeated paths, 0 to 1.
    pub fn repeated(&self) -> f64 {
        share(self.tokens.repeated, self.tokens.total)
    }

    /// Returns the share of tokens of headings and notes, 0 to 1.
    pub fn headings(&self) -> f64 {
        share(self.tokens.headings, self.tokens.total)
    }

    /// Returns the used share of the budget, 0 to 1.
    pub fn used(&self) -> f64 {
        share(self.tokens.total, self.budget)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Returns the sums by language, in alphabetical order.
pub fn by_language(measured: &[Measured]) -> Vec<(&str, Total)> {
    let mut groups: BTreeMap<&str, Vec<&Measured>> = BTreeMap::new();
    for one in measured {
        groups.entry(&one.language).or_default().push(one);
    }
    groups.into_iter().map(|(language, of)| (language, Total::of(of))).collect()
}
