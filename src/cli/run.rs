//! `codedb run -- COMMAND`: runs a test command unchanged and records the results of its tests.
//!
//! `hook` prepares the environment in which test runners report beside their own output, `child`
//! runs the command, `collect` reads the reports. The parsers are in [`crate::reports`].

pub(super) mod changed;
mod child;
mod collect;
mod hook;
mod output;
#[cfg(unix)]
mod tee;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use xxhash_rust::xxh3::xxh3_128;

use super::index::{place_args, tree_options};
use super::tool::now_ms;
use super::{place, report};
use crate::engine::Engine;
use crate::error::{Error, Kind, Result};
use crate::history::git::Git;
use crate::reports::Report;
use crate::source::private_dir;
use crate::userdata::runs::{Outcome, Run, RunStatus, TestResult};
use child::Exit;

/// The age at which directories of reports that a killed process left are removed.
const LEFTOVER_AGE: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) fn command() -> Command {
    Command::new("run")
        .about("Run a test command unchanged and record the results of its tests")
        .long_about(
            "Runs a test command with the same output, exit code and signals, and records the result \
             of each test in the user's data directory. Knows pytest, unittest, Jest, Vitest, mocha, \
             node:test, go test, cargo test, nextest, RSpec, PHPUnit, Maven and Gradle, also behind \
             npm, make and the like, and with `--junit` whatever writes JUnit XML. A run that \
             crashes, times out or runs no test is recorded as that.",
        )
        .arg(
            Arg::new("junit")
                .long("junit")
                .value_name("GLOB")
                .action(ArgAction::Append)
                .help("Read JUnit XML from the files that the command writes, by paths relative to the current directory"),
        )
        .arg(
            Arg::new("timeout")
                .long("timeout")
                .value_name("SECONDS")
                .value_parser(value_parser!(u64).range(1..))
                .help("End the command after this time"),
        )
        .args(place_args())
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .required(true)
                .num_args(1..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .value_parser(value_parser!(OsString))
                .help("The command with its arguments, after `--`"),
        )
}

/// What is recorded of the tree: its commit, and whether it has no changes.
#[derive(Clone, Debug, Eq, PartialEq)]
struct State {
    commit: Option<String>,
    is_clean: bool,
}

/// When a run began, in milliseconds since 1970, and what it began with.
#[derive(Debug)]
struct Start {
    state: State,
    started_ms: i64,
}

/// Runs the command and returns its exit code; 128 and the number of the signal if one ended it.
///
/// # Errors
///
/// If the command cannot be started. A failure to record is only printed.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let words: Vec<OsString> = matches.get_many("command").into_iter().flatten().cloned().collect();
    let globs: Vec<String> = matches.get_many("junit").into_iter().flatten().cloned().collect();
    let timeout = matches.get_one("timeout").copied().map(Duration::from_secs);
    let options = tree_options(matches);
    let engine = place::engine(&options)?;
    let directory = std::env::current_dir()
        .map_err(|error| Error::new(Kind::Io, format!("the current directory: {error}")))?;
    execute(&engine, &place::cache(&options)?.0, &words, &directory, globs, timeout)
}

/// Runs the command `words` in `directory` and records the results; see [`run`].
fn execute(
    engine: &Engine,
    cache: &Path,
    words: &[OsString],
    directory: &Path,
    globs: Vec<String>,
    timeout: Option<Duration>,
) -> Result<ExitCode> {
    let reports = Reports::create(cache)?;
    let before = state(engine.root());
    let started_ms = now_ms();
    let started = SystemTime::now();
    let plan = hook::plan(words, directory, &reports.0, globs)?;
    let exit = child::run(&plan, words, directory, timeout)?;
    let outcome = collect::reports(&plan, &exit, directory, &reports.0, started);
    let recorded = outcome.and_then(|found| {
        let after = state(engine.root());
        let state = State { is_clean: before.is_clean && before == after, ..before };
        record(engine, words, directory, &exit, Start { state, started_ms }, &found)
    });
    match recorded {
        Ok(text) => report::print_message(text),
        Err(error) => {
            report::print_message("the results of this run were not recorded");
            report::print_error(&error);
        }
    }
    Ok(exit.code())
}

/// The reports of a run, each that of one process, and the runner that the command is known to be.
#[derive(Debug, Default)]
struct Found {
    reports: Vec<Report>,
    expected: Option<&'static str>,
    /// Why a known runner cannot report.
    obstacle: Option<String>,
}

/// Records a run and returns what was recorded, as a sentence.
fn record(
    engine: &Engine,
    words: &[OsString],
    directory: &Path,
    exit: &Exit,
    start: Start,
    found: &Found,
) -> Result<String> {
    let Start { state, started_ms } = start;
    let runners: Vec<&str> =
        found.reports.iter().flat_map(|report| &report.runners).map(String::as_str).collect();
    let runner = match (runners.first(), found.expected) {
        (_, Some(expected)) => expected,
        (Some(runner), None) => runner,
        (None, None) => {
            return Ok("no results were recorded: no known test runner reported; `--junit GLOB` \
                       reads reports in JUnit XML"
                .to_owned());
        }
    };
    let mut problems: Vec<String> =
        found.reports.iter().flat_map(|report| report.problems.clone()).collect();
    if found.reports.is_empty() {
        problems
            .push(found.obstacle.clone().unwrap_or_else(|| "the runner wrote no report".into()));
    }
    let results = collect::results(engine, directory, &found.reports);
    let status = status(exit, &results, &problems, found.reports.is_empty());
    let command: Vec<String> =
        words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let identity = format!("{started_ms} {} {} {command:?}", std::process::id(), exit.elapsed_ns());
    let run = Run {
        uid: format!("{:032x}", xxh3_128(identity.as_bytes())),
        started_ms,
        commit: state.commit,
        is_clean: state.is_clean,
        runner: runner.to_owned(),
        command,
        exit_code: exit.exit_code(),
        status,
        results,
    };
    engine.create_user_data()?.record(&run)?;
    Ok(summary(&run, &problems))
}

fn status(exit: &Exit, results: &[TestResult], problems: &[String], is_silent: bool) -> RunStatus {
    if exit.timed_out {
        RunStatus::TimedOut
    } else if exit.exit_code().is_none() {
        RunStatus::Crashed
    } else if is_silent || !problems.is_empty() {
        RunStatus::Partial
    } else if results.is_empty() {
        RunStatus::NoTests
    } else {
        RunStatus::Complete
    }
}

/// Describes a recorded run in one line.
fn summary(run: &Run, problems: &[String]) -> String {
    let count = |outcome| run.results.iter().filter(|result| result.outcome == outcome).count();
    let tests: std::collections::HashSet<&str> =
        run.results.iter().map(|result| result.test.as_str()).collect();
    let mut text = format!("recorded {} tests of {}", tests.len(), run.runner);
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

/// Returns the present commit of the tree, and whether it has no changes. A failure of git counts
/// as a change.
fn state(root: &Path) -> State {
    let read = || -> Result<State> {
        let Some(git) = Git::open(root) else { return Ok(State { commit: None, is_clean: false }) };
        let commit = git.commit("HEAD")?;
        let is_clean = match &commit {
            Some(commit) => git.changes_since(commit)?.is_empty(),
            None => false,
        };
        Ok(State { commit, is_clean })
    };
    read().unwrap_or_else(|error| {
        log::debug!("the state of the tree is unknown: {error}");
        State { commit: None, is_clean: false }
    })
}

/// The directory of the reports of this run, removed at its end.
#[derive(Debug)]
struct Reports(PathBuf);

impl Reports {
    fn create(cache: &Path) -> Result<Reports> {
        let all = cache.join("runs");
        remove_leftovers(&all);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let own = all.join(format!("{}-{}", std::process::id(), now.as_nanos()));
        private_dir::create(&own, private_dir::INDEX)?;
        private_dir::check(&own, private_dir::INDEX)?;
        Ok(Reports(own))
    }
}

impl Drop for Reports {
    fn drop(&mut self) {
        // What remains is removed by a later run.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn remove_leftovers(all: &Path) {
    for entry in std::fs::read_dir(all).into_iter().flatten().flatten() {
        let age = entry.metadata().ok().and_then(|metadata| metadata.modified().ok());
        let age = age.and_then(|modified| modified.elapsed().ok());
        if age.is_some_and(|age| age > LEFTOVER_AGE) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
