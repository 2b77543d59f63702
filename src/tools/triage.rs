//! `triage`: the riskiest files with the reasons, and what to do about each.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::analysis::{self, Data};
use super::named_change::NamedChange;
use super::risk_map::{self, FileRisk, RiskMeta, Selection};
use super::test_selection::{Limits, select};
use super::{Alias, Call, Define, Speed, Toolset, results_max};
use crate::answer::analysis::{Analysis, NextStep, Size, Status, Update};
use crate::answer::page::{Block, Cell, Column, Table};
use crate::answer::style::Style;
use crate::base::ids::FileId;
use crate::base::text::plain;
use crate::catalog::Catalog;
use crate::error::Result;

/// A component from which on it is a reason.
const HIGH: f64 = 0.9;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Triage;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Only files below this directory
    pub directory: Option<String>,
    /// Maximum number of files (default 10)
    pub top_n: Option<usize>,
    /// Leave out tests (default true)
    pub exclude_tests: Option<bool>,
    /// Do not raise the score of files without commits and tests
    #[serde(default)]
    pub exclude_new_file_boost: bool,
    /// Maximum number of tokens (default 4000)
    pub max_tokens: Option<usize>,
    /// Also files that no commit has (default true)
    #[schemars(extend("x-unlisted" = ""))]
    pub working_tree: Option<bool>,
    /// Update the index first
    #[schemars(extend("x-unlisted" = super::unlisted::ALWAYS_UPDATED))]
    pub auto_update: Option<bool>,
}

/// A file with its risk and the reasons.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Triaged {
    /// Its risk, as in the risk map.
    #[serde(flatten)]
    pub file: FileRisk,
    /// The components that make it risky, in words.
    pub reasons: Vec<&'static str>,
    /// The tests to run after an edit, most likely first, for the first files; at most three.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_tests: Option<Vec<String>>,
    /// True if all tests should run after an edit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub run_all: bool,
    /// How many tests probably execute it; only for files that no test imports, and the first three.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reaching_tests: Option<usize>,
}

/// The number of files whose tests are searched if no test imports them.
const EXAMINED_MAX: usize = 10;

/// The number of files for which tests to run are listed.
const SELECTED_MAX: usize = 3;

/// The number of tests of each.
const TESTS_MAX: usize = 3;

/// The data of the reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TriageData {
    /// The riskiest files first.
    pub files: Vec<Triaged>,
    /// How many of the files that are listed have no tests.
    pub without_tests: usize,
    /// How the scores were made.
    #[serde(rename = "_meta")]
    pub meta: RiskMeta,
}

impl Define for Triage {
    const NAME: &'static str = "codedb_triage";
    const SUMMARY: &'static str = "List the riskiest files with the reasons, and the next steps";
    const DETAILS: &'static str = "Scores and order are those of the risk map.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] = &[("risk_map", "for all files")];
    const TOOLSET: Toolset = Toolset::History;
    const SPEED: Speed = Speed::Scan;
    const EXAMPLES: &'static [&'static str] = &[r#"{"top_n": 2}"#];
    const POSITIONAL: &'static [&'static str] = &["directory"];
    const ALIASES: &'static [Alias] =
        &[Alias::new("path", "directory"), Alias::new("limit", "top_n")];
    type Args = Args;
    type Reply = Analysis<TriageData>;

    fn run(call: &Call<'_>, args: Args) -> Result<Analysis<TriageData>> {
        let selection = Selection {
            directory: args.directory,
            exclude_tests: args.exclude_tests.unwrap_or(true),
            exclude_new_file_boost: args.exclude_new_file_boost,
            only_committed: args.working_tree == Some(false),
        };
        let ranked = risk_map::rank(call, &selection)?;
        let total = ranked.files.len();
        let top = ranked.files.into_iter().take(results_max(args.top_n, 10));
        let mut files: Vec<Triaged> = top.map(Triaged::new).collect();
        let catalog = call.code.catalog(&[])?;
        files.iter_mut().try_for_each(|of| risk_map::count_values(catalog, &mut of.file))?;
        for (at, of) in files.iter_mut().enumerate().take(EXAMINED_MAX) {
            let is_first = at < SELECTED_MAX;
            if is_first || of.file.tests == 0 {
                of.select_tests(call, catalog, is_first)?;
            }
        }
        let without_tests = files.iter().filter(|it| it.lacks_tests()).count();
        let weights_problem = ranked.meta.weights_problem.clone();
        let user_data_problem = ranked.meta.user_data_problem.clone();
        let untested = files.iter().find(|it| it.lacks_tests()).map(|it| it.file.path.clone());
        let first = files.first().map(|it| it.file.path.clone());
        let shown = files.len();
        let data = TriageData { files, without_tests, meta: ranked.meta };
        let mut reply = Analysis::list(data, shown, total);
        if let Some(missing) = ranked.missing {
            let message = format!("{}; churn and co-change are absent or too low", missing.message);
            reply = reply.with_status(Status::Partial, message).with_hint(missing.hint);
        }
        reply = risk_map::with_user_data_problem(reply, user_data_problem);
        reply = risk_map::with_weights_problem(reply, weights_problem);
        if let Some(path) = untested {
            reply = reply.with_step(NextStep::call(
                "codedb_test_gaps",
                json!({"file_path": path}),
                "the definitions without tests in the riskiest file that has none",
            ));
        }
        if let Some(path) = first {
            let args = json!({"file_path": path});
            reply = reply
                .with_step(NextStep::call(
                    "codedb_churn",
                    args.clone(),
                    "which definitions of the riskiest file change",
                ))
                .with_step(NextStep::call(
                    "codedb_who_reviews",
                    args,
                    "who can review changes of it",
                ));
        }
        Ok(analysis::fit(reply, args.max_tokens))
    }
}

impl Triaged {
    fn new(file: FileRisk) -> Triaged {
        let (run_tests, run_all, reaching_tests) = (None, false, None);
        let reasons = reasons(&file, reaching_tests);
        Triaged { reasons, file, run_tests, run_all, reaching_tests }
    }

    /// Returns true if no test imports the file, is named after it or is known to reach it.
    fn lacks_tests(&self) -> bool {
        self.file.tests == 0 && self.reaching_tests.unwrap_or(0) == 0
    }

    /// Selects the tests of the file, as `suggest_tests` does, and adds those to run if they are
    /// `wanted`.
    fn select_tests(&mut self, call: &Call<'_>, catalog: &Catalog, wanted: bool) -> Result<()> {
        let Some(file) = catalog.files().find(self.file.path.as_bytes()) else { return Ok(()) };
        let named = NamedChange::of(catalog, &[FileId::new(file)]);
        let limits = Limits { tokens: usize::MAX, ..Limits::new(Some(TESTS_MAX), None) };
        let selected = select(call, catalog, &named.symbols, named.besides(), limits)?;
        // All tests may run because nearly all reach it, or because none is known to.
        let likely = selected.total.saturating_sub(selected.selection.unlikely);
        self.reaching_tests = Some(if selected.is_guess { 0 } else { likely });
        self.reasons = reasons(&self.file, self.reaching_tests);
        if wanted {
            self.run_all = selected.selection.run_all;
            let tests = selected.selection.tests.into_iter();
            self.run_tests = Some(tests.map(|test| test.test_id).collect());
        }
        Ok(())
    }
}

/// Returns why a file is risky. `reaching` is the number of tests that probably execute it, where that was
/// determined.
fn reasons(file: &FileRisk, reaching: Option<usize>) -> Vec<&'static str> {
    let it = &file.breakdown;
    let is_high = |value: Option<f64>| value.is_some_and(|value| value >= HIGH);
    let gap = match reaching {
        _ if file.tests > 0 => "its tests execute little of it",
        None => "no test imports it or is named after it",
        Some(0) => "no test is known to reach it",
        Some(_) => "tests reach it, but none imports it or is named after it",
    };
    let all = [
        (file.new_file_boost > 0.0, "no commit and no test yet"),
        (is_high(it.churn), "changes more often than nine in ten files"),
        (is_high(it.coupling), "changes together with many others"),
        (is_high(Some(it.size)), "larger than nine in ten files"),
        (is_high(it.coverage_gap), gap),
        (it.test_instability.is_some_and(|rate| rate > 0.0), "its tests fail at times"),
        (file.hidden_risk_factor > 0.0, "imports that are computed at run time"),
    ];
    all.iter().filter(|(applies, _)| *applies).map(|(_, reason)| *reason).collect()
}

impl Data for TriageData {
    const MORE: &'static str = "top_n";

    fn render(&self, style: &dyn Style, out: &mut String) {
        for it in &self.files {
            let _ = writeln!(out, "{:>7.3}  {}", it.file.risk_score, style.path(&it.file.path));
            let reasons = it.reasons.join("; ");
            if !reasons.is_empty() {
                let _ = writeln!(out, "         {reasons}");
            }
            let _ = writeln!(out, "         {}", risk_map::components(&it.file));
            match it.run_tests.as_deref() {
                _ if it.run_all => out.push_str("         tests: run all\n"),
                Some([first, ..]) => _ = writeln!(out, "         tests: {}", plain(first)),
                Some([]) | None => {}
            }
        }
    }

    fn page(&self, _size: Option<Size>) -> Option<Vec<Block>> {
        let mut table = Table::new([Column::cut("FILE"), Column::left("RISK"), Column::left("")]);
        for it in &self.files {
            let reasons = match it.reasons[..] {
                [] => Vec::new(),
                _ => vec![Cell::text(it.reasons.join("; "))],
            };
            let tests = match it.run_tests.as_deref() {
                _ if it.run_all => vec![Cell::faint("after an edit, run all tests")],
                Some([first, rest @ ..]) => {
                    let more = if rest.is_empty() { "" } else { " and others" };
                    vec![Cell::faint("after an edit, run"), Cell::text(format!("{first}{more}"))]
                }
                Some([]) | None => Vec::new(),
            };
            let (path, score) = (it.file.path.clone(), it.file.risk_score);
            let row = [Cell::Path(path), Cell::Bar(score), risk_map::graded(score)];
            table.row_with(row, vec![reasons, tests]);
        }
        Some(vec![Block::Table(table)])
    }

    fn update(&mut self) -> Option<&mut Option<Update>> {
        Some(&mut self.meta.update)
    }

    fn truncate(&mut self, shown: usize) {
        self.files.truncate(shown);
        self.without_tests = self.files.iter().filter(|it| it.lacks_tests()).count();
    }
}
