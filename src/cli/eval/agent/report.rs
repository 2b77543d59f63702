//! The results, as tables in Markdown and as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use super::plan::Skipped;
use crate::base::text::{counted, plain};
use crate::eval::agent::run::Cost;
use crate::eval::agent::summary::{Arm, Comparison, Measured, Totals, comparison, totals};

/// The results.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// The name of the model.
    pub(super) model: String,
    /// Where it runs.
    pub(super) host: String,
    /// The finished runs, in the order of the file, then of repetitions and arms.
    pub(super) runs: Vec<Measured>,
    /// The tasks whose trees were not given.
    pub(super) skipped: Vec<Skipped>,
    /// The number of runs that did not begin or finish.
    pub(super) not_run: usize,
    /// Why they did not; empty if all finished.
    pub(super) not_run_because: String,
}

/// A column: its name, its value, and whether that is shown as seconds.
type Column = (&'static str, fn(&Cost) -> String);

const COLUMNS: [Column; 5] = [
    ("calls", |cost| cost.calls.to_string()),
    ("reply bytes", |cost| cost.reply_bytes.to_string()),
    ("tokens in", |cost| cost.input_tokens.to_string()),
    ("tokens out", |cost| cost.output_tokens.to_string()),
    ("seconds", |cost| format!("{:.1}", cost.elapsed_ms as f64 / 1000.0)),
];

impl Report {
    /// Returns the JSON object.
    pub(super) fn json(&self) -> String {
        #[derive(Serialize)]
        struct Whole<'a> {
            #[serde(flatten)]
            report: &'a Report,
            totals: Vec<ArmTotals>,
            comparison: Option<Comparison>,
        }
        #[derive(Serialize)]
        struct ArmTotals {
            arm: Arm,
            #[serde(flatten)]
            totals: Totals,
        }
        let arms = self.arms();
        let whole = Whole {
            report: self,
            comparison: (arms.len() > 1).then(|| comparison(&self.runs)),
            totals: arms
                .into_iter()
                .map(|arm| ArmTotals { arm, totals: totals(&self.runs, arm) })
                .collect(),
        };
        serde_json::to_string(&whole).unwrap_or_default()
    }

    /// Returns the tables.
    pub(super) fn markdown(&self) -> String {
        let mut out = format!("model `{}` at {}\n", cell(&self.model), cell(&self.host));
        let arms = self.arms();
        self.write_tasks(&mut out, &arms);
        self.write_totals(&mut out, &arms);
        if arms.len() > 1 {
            self.write_comparison(&mut out);
        }
        self.write_reasons(&mut out);
        for Skipped { tree, tasks, argument } in &self.skipped {
            let count = counted(tasks.len(), "task");
            let (tree, argument) = (plain(tree), plain(argument));
            let _ = writeln!(
                out,
                "\nskipped: {count} about `{tree}` ({}); `{argument}` adds them",
                plain(&tasks.join(", "))
            );
        }
        if self.not_run > 0 {
            let count = counted(self.not_run, "run");
            let _ = writeln!(out, "\nnot run or not finished: {count}, {}", self.not_run_because);
        }
        out
    }

    /// Returns the arms with runs.
    fn arms(&self) -> Vec<Arm> {
        let has_runs = |arm: &Arm| self.runs.iter().any(|run| run.arm == *arm);
        Arm::ALL.into_iter().filter(has_runs).collect()
    }

    /// Writes a row for each task and repetition; a cell has the values of the arms.
    fn write_tasks(&self, out: &mut String, arms: &[Arm]) {
        if self.runs.is_empty() {
            return;
        }
        let names: Vec<&str> = arms.iter().map(|arm| arm.name()).collect();
        let columns = COLUMNS.map(|(name, _)| name).join(" | ");
        let _ = writeln!(out, "\n| task ({}) | result | {columns} |", names.join(" / "));
        let _ = writeln!(out, "| --- | --- |{}", " ---: |".repeat(COLUMNS.len()));
        let is_repeated = self.runs.iter().any(|run| run.repetition > 1);
        let is_same =
            |a: &Measured, b: &Measured| (&a.task, a.repetition) == (&b.task, b.repetition);
        for group in self.runs.chunk_by(is_same) {
            let of = |arm: &Arm| group.iter().find(|run| run.arm == *arm);
            let joined = |value: &dyn Fn(&Measured) -> String| {
                let values = arms.iter().map(|arm| of(arm).map_or_else(|| "–".to_owned(), value));
                values.collect::<Vec<_>>().join(" / ")
            };
            let mut row = cell(&group[0].task);
            if is_repeated {
                let _ = write!(row, " #{}", group[0].repetition);
            }
            let _ = write!(row, " | {}", joined(&|run| run.outcome.name().to_owned()));
            for (_, value) in COLUMNS {
                let _ = write!(row, " | {}", joined(&|run| value(&run.cost)));
            }
            let _ = writeln!(out, "| {row} |");
        }
    }

    fn write_totals(&self, out: &mut String, arms: &[Arm]) {
        let columns = COLUMNS.map(|(name, _)| name).join(" | ");
        let _ = writeln!(
            out,
            "\n| tools | runs | right | wrong | stopped | failed | {columns} |\n| --- |{}",
            " ---: |".repeat(5 + COLUMNS.len())
        );
        for arm in arms {
            let Totals { runs, right, wrong, stopped, failed, cost } = totals(&self.runs, *arm);
            let values = COLUMNS.map(|(_, value)| value(&cost)).join(" | ");
            let name = arm.name();
            let _ = writeln!(
                out,
                "| {name} | {runs} | {right} | {wrong} | {stopped} | {failed} | {values} |"
            );
        }
        if self.runs.iter().any(|run| run.cost.is_estimated) {
            out.push_str("\nThe service counts no tokens: they are estimated.\n");
        }
    }

    fn write_comparison(&self, out: &mut String) {
        let Comparison { both_right, codedb, baseline, ratios } = comparison(&self.runs);
        if both_right == 0 {
            out.push_str("\nNo task was answered right with both, so there are no ratios.\n");
            return;
        }
        let of = counted(both_right, "pair");
        let _ = writeln!(
            out,
            "\n| {of} of runs, right with both | codedb | baseline | ratio |\n| --- | ---: | ---: | ---: |"
        );
        let ratios = [
            ratios.calls,
            ratios.reply_bytes,
            ratios.input_tokens,
            ratios.output_tokens,
            ratios.elapsed,
        ];
        for ((name, value), ratio) in COLUMNS.iter().zip(ratios) {
            let ratio = ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"));
            let _ =
                writeln!(out, "| {name} | {} | {} | {ratio} |", value(&codedb), value(&baseline));
        }
    }

    /// Writes why runs are not right.
    fn write_reasons(&self, out: &mut String) {
        let mut title = "\nNot right:\n\n";
        for run in &self.runs {
            let Some(reason) = run.outcome.reason() else { continue };
            out.push_str(title);
            title = "";
            let (task, arm) = (plain(&run.task), run.arm.name());
            let _ = writeln!(out, "- {task}, {arm}, {}: {}", run.outcome.name(), plain(&reason));
        }
    }
}

/// Returns a text as a part of a cell.
fn cell(text: &str) -> String {
    plain(text).replace('|', "\\|")
}
