//! Sums of runs, and the comparison of the two arms on what both got right.

use std::collections::BTreeMap;

use serde::Serialize;

use super::run::{Cost, Outcome};

/// A set of tools.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Arm {
    /// The core tools of codedb, as its server offers them.
    Codedb,
    /// Search, read and a list of files.
    Baseline,
}

impl Arm {
    /// Both.
    pub const ALL: [Arm; 2] = [Arm::Codedb, Arm::Baseline];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Arm::Codedb => "codedb",
            Arm::Baseline => "baseline",
        }
    }
}

/// The result of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// The id of the task.
    pub task: String,
    /// The tools.
    pub arm: Arm,
    /// The number of the repetition, from 1.
    pub repetition: usize,
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// What it took.
    #[serde(flatten)]
    pub cost: Cost,
}

/// The sums of some runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// The number of runs.
    pub runs: usize,
    /// Those with a right answer.
    pub right: usize,
    /// Those with a wrong answer.
    pub wrong: usize,
    /// Those that ended at a limit, without an answer.
    pub stopped: usize,
    /// Those in which the model failed.
    pub failed: usize,
    /// What all of them took, without those in which the model failed.
    #[serde(flatten)]
    pub cost: Cost,
}

impl Totals {
    /// Adds a run.
    fn add(&mut self, measured: &Measured) {
        self.runs += 1;
        match measured.outcome {
            Outcome::Right => self.right += 1,
            Outcome::Wrong { .. } => self.wrong += 1,
            Outcome::Stopped { .. } => self.stopped += 1,
            Outcome::Failed { .. } => {
                self.failed += 1;
                return;
            }
        }
        let (sum, cost) = (&mut self.cost, &measured.cost);
        sum.calls += cost.calls;
        sum.failed_calls += cost.failed_calls;
        sum.reply_bytes += cost.reply_bytes;
        sum.input_tokens += cost.input_tokens;
        sum.output_tokens += cost.output_tokens;
        sum.is_estimated |= cost.is_estimated;
        sum.elapsed_ms += cost.elapsed_ms;
    }
}

/// The two arms on the runs that both got right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Comparison {
    /// The number of such pairs of runs: the same task and repetition.
    pub both_right: usize,
    /// The sums of codedb over them.
    pub codedb: Cost,
    /// The sums of the baseline over them.
    pub baseline: Cost,
    /// The quotients of these sums, codedb by baseline.
    pub ratios: Ratios,
}

/// Quotients; `None` where the baseline has 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Ratios {
    /// Of the calls.
    pub calls: Option<f64>,
    /// Of the bytes of replies.
    pub reply_bytes: Option<f64>,
    /// Of the tokens of requests.
    pub input_tokens: Option<f64>,
    /// Of the tokens of the model's replies.
    pub output_tokens: Option<f64>,
    /// Of the times.
    pub elapsed: Option<f64>,
}

/// Returns the sums of the runs of an arm. O(runs).
pub fn totals(measured: &[Measured], arm: Arm) -> Totals {
    let mut totals = Totals::default();
    measured.iter().filter(|run| run.arm == arm).for_each(|run| totals.add(run));
    totals
}

/// Returns the comparison of the arms; a run counts only if the other arm's run of the same task and
/// repetition is right as well. O(runs · log runs).
pub fn comparison(measured: &[Measured]) -> Comparison {
    let mut right: BTreeMap<(&str, usize), [Option<&Measured>; 2]> = BTreeMap::new();
    for run in measured.iter().filter(|run| run.outcome == Outcome::Right) {
        right.entry((&run.task, run.repetition)).or_default()[run.arm as usize] = Some(run);
    }
    let (mut codedb, mut baseline) = (Totals::default(), Totals::default());
    for pair in right.values() {
        if let [Some(own), Some(other)] = pair {
            codedb.add(own);
            baseline.add(other);
        }
    }
    let ratio = |of: fn(&Cost) -> f64| {
        let (own, other) = (of(&codedb.cost), of(&baseline.cost));
        (other > 0.0).then(|| own / other)
    };
    let ratios = Ratios {
        calls: ratio(|cost| cost.calls as f64),
        reply_bytes: ratio(|cost| cost.reply_bytes as f64),
        input_tokens: ratio(|cost| cost.input_tokens as f64),
        output_tokens: ratio(|cost| cost.output_tokens as f64),
        elapsed: ratio(|cost| cost.elapsed_ms as f64),
    };
    Comparison { both_right: codedb.runs, codedb: codedb.cost, baseline: baseline.cost, ratios }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(task: &str, arm: Arm, outcome: Outcome, calls: usize) -> Measured {
        let cost = Cost { calls, reply_bytes: 10 * calls, ..Cost::default() };
        Measured { task: task.to_owned(), arm, repetition: 1, outcome, cost }
    }

    #[test]
    fn only_what_both_got_right_is_compared() {
        let wrong = || Outcome::Wrong { faults: Vec::new() };
        let failed = || Outcome::Failed { why: String::new() };
        let runs = [
            measured("a", Arm::Codedb, Outcome::Right, 2),
            measured("a", Arm::Baseline, Outcome::Right, 8),
            measured("b", Arm::Codedb, Outcome::Right, 30),
            measured("b", Arm::Baseline, wrong(), 1),
            measured("c", Arm::Codedb, failed(), 30),
            measured("c", Arm::Baseline, Outcome::Right, 1),
            measured("d", Arm::Baseline, Outcome::Right, 1),
        ];
        let compared = comparison(&runs);
        assert_eq!((compared.both_right, compared.ratios.calls), (1, Some(0.25)));
        assert_eq!(compared.ratios.elapsed, None);
        let codedb = totals(&runs, Arm::Codedb);
        assert_eq!((codedb.runs, codedb.right, codedb.failed), (3, 2, 1));
        assert_eq!(codedb.cost.calls, 32, "failed runs are not in the sums");
    }

    #[test]
    fn repetitions_are_paired_with_each_other() {
        let mut runs = [
            measured("a", Arm::Codedb, Outcome::Right, 2),
            measured("a", Arm::Baseline, Outcome::Right, 4),
        ];
        runs[1].repetition = 2;
        assert_eq!(comparison(&runs).both_right, 0);
    }
}
