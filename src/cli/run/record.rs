//! Records a run: its results, how it ended, and the state of the tree.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_128;

use super::Found;
use super::child::Exit;
use super::collect;
use super::journal::{Journal, State};
use crate::base::text::counted;
use crate::cli::report;
use crate::engine::Engine;
use crate::error::Result;
use crate::userdata::runs::{Outcome, Run, RunStatus, TestResult};

/// How a run ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ended {
    /// Its command ended.
    Exit(Exit),
    /// codedb was killed before.
    Lost,
}

/// What was recorded.
#[derive(Debug)]
pub(super) struct Recorded {
    /// One line about it.
    pub(super) summary: String,
    pub(super) results: Vec<TestResult>,
    /// A runner reported its tests.
    pub(super) is_reported: bool,
    /// Why results may be missing.
    pub(super) problems: Vec<String>,
}

/// Records a run.
///
/// # Errors
///
/// If the database cannot be written.
pub(super) fn record(
    engine: &Engine,
    journal: &Journal,
    state: &State,
    ended: Ended,
    found: &Found,
) -> Result<Recorded> {
    let sources = &journal.sources;
    let is_reported = !found.reports.is_empty();
    let runners: Vec<&str> =
        found.reports.iter().flat_map(|report| &report.runners).map(String::as_str).collect();
    let runner = match (runners.first(), found.expected.as_deref()) {
        (_, Some(expected)) => expected,
        (Some(runner), None) => runner,
        (None, None) => {
            let summary = "no results were recorded: no known test runner reported; `--junit GLOB` \
                           reads reports in JUnit XML";
            return Ok(Recorded {
                summary: summary.to_owned(),
                results: Vec::new(),
                is_reported,
                problems: Vec::new(),
            });
        }
    };
    let mut problems: Vec<String> =
        found.reports.iter().flat_map(|report| report.problems.clone()).collect();
    if !is_reported {
        problems
            .push(found.obstacle.clone().unwrap_or_else(|| "the runner wrote no report".into()));
    }
    let results = collect::results(engine, &sources.directory, &found.reports);
    let status = status(ended, &results, &problems, !is_reported);
    // The directory of a run has a name of its own: a run that is recorded twice has one identity.
    let name = sources.own.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let identity = format!("{} {name} {:?}", sources.started_ms, journal.command);
    let run = Run {
        uid: format!("{:032x}", xxh3_128(identity.as_bytes())),
        started_ms: i64::try_from(sources.started_ms).unwrap_or_default(),
        commit: state.commit.clone(),
        is_clean: state.is_clean,
        runner: runner.to_owned(),
        command: journal.command.clone(),
        exit_code: match ended {
            Ended::Exit(exit) => exit.exit_code(),
            Ended::Lost => None,
        },
        status,
        results,
    };
    engine.create_user_data()?.record(&run)?;
    let summary = summary(&run, &problems);
    Ok(Recorded { summary, results: run.results, is_reported, problems })
}

fn status(ended: Ended, results: &[TestResult], problems: &[String], is_silent: bool) -> RunStatus {
    match ended {
        Ended::Exit(exit) if exit.timed_out => RunStatus::TimedOut,
        Ended::Exit(exit) if exit.exit_code().is_none() => RunStatus::Crashed,
        Ended::Lost => RunStatus::Crashed,
        Ended::Exit(_) if is_silent || !problems.is_empty() => RunStatus::Partial,
        Ended::Exit(_) if results.is_empty() => RunStatus::NoTests,
        Ended::Exit(_) => RunStatus::Complete,
    }
}

/// Describes a recorded run in one line.
fn summary(run: &Run, problems: &[String]) -> String {
    let count = |outcome| run.results.iter().filter(|result| result.outcome == outcome).count();
    let tests: HashSet<&str> = run.results.iter().map(|result| result.test.as_str()).collect();
    let mut text = format!("recorded {} of {}", counted(tests.len(), "test"), run.runner);
    let counts: Vec<String> = [
        ("passed", Outcome::Passed),
        ("failed", Outcome::Failed),
        ("with errors", Outcome::Error),
        ("skipped", Outcome::Skipped),
    ]
    .into_iter()
    .filter(|(_, outcome)| count(*outcome) > 0)
    .map(|(name, outcome)| format!("{} {name}", count(outcome)))
    .collect();
    if !counts.is_empty() {
        text.push_str(&format!(": {}", counts.join(", ")));
    }
    match run.status {
        RunStatus::Crashed => text.push_str("; the runner was killed by a signal"),
        RunStatus::TimedOut => text.push_str("; the run was stopped at its time limit"),
        RunStatus::NoTests => text.push_str("; no test was run"),
        RunStatus::Partial => text.push_str("; results may be missing"),
        RunStatus::Complete | RunStatus::Recorded => {}
    }
    if let Some(problem) = problems.first() {
        text.push_str(&format!(" ({})", report::plain(problem)));
    }
    text
}
