//! `codedb run -- COMMAND`: runs a test command unchanged and records the results of its tests.
//!
//! `hook` prepares the environment in which test runners report beside their own output, `child`
//! runs the command, `collect` reads the reports. The parsers are in [`crate::reports`].

pub(super) mod changed;
mod child;
mod collect;
mod coverage;
mod failures;
mod hook;
mod journal;
mod labelled;
mod output;
#[cfg(unix)]
pub(super) mod processes;
mod record;
pub(super) mod recover;
#[cfg(unix)]
mod tee;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::index::{place_args, tree_options};
use super::tool::now_ms;
use super::{place, report};
use crate::engine::Engine;
use crate::error::{Error, Kind, Result};
use crate::reports::Report;
use child::Exit;
use collect::Sources;
use journal::{Journal, Reports, State};
use record::{Ended, Recorded};

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
        .arg(
            Arg::new("coverage")
                .long("coverage")
                .action(ArgAction::SetTrue)
                .help("Collect coverage where the runner can, and import it"),
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
    let cache = place::cache(&options)?.0;
    recover::recover(&engine, &cache);
    let mut options =
        Options { globs, timeout, coverage: matches.get_flag("coverage"), ..Options::default() };
    if options.coverage && !options.globs.is_empty() {
        options.coverage = false;
        report::print_message("coverage is not collected with `--junit`");
    }
    let executed = execute(&engine, &cache, &words, &directory, &options)?;
    Ok(executed.exit.code())
}

/// How a command is run.
#[derive(Clone, Debug, Default)]
struct Options {
    globs: Vec<String>,
    timeout: Option<Duration>,
    /// Collects and imports coverage.
    coverage: bool,
    /// Prints the names of failed tests as they come.
    failures: bool,
    /// Begins each line of output: other commands run at the same time.
    label: Option<String>,
}

/// A command that was run.
struct Executed {
    exit: Exit,
    /// `None` if nothing could be recorded.
    recorded: Option<Recorded>,
}

/// Runs the command `words` in `directory` and records the results; see [`run`].
fn execute(
    engine: &Engine,
    cache: &Path,
    words: &[OsString],
    directory: &Path,
    options: &Options,
) -> Result<Executed> {
    let mut reports = Reports::create(cache)?;
    // git compares the tree while the command starts. If tests change it meanwhile, the run does not count
    // as one of a clean tree.
    let before = journal::note_state(engine.root(), &reports.path);
    let started_ms = u64::try_from(now_ms()).unwrap_or_default();
    let mut plan = hook::plan(words, directory, &reports.path, options)?;
    if options.coverage {
        coverage::plan(&mut plan, engine.root(), &reports.path, words.len());
    }
    let sources = Sources {
        own: reports.path.clone(),
        directory: directory.to_path_buf(),
        globs: plan.globs.clone(),
        junit: plan.junit.clone(),
        expected: plan.expected.map(str::to_owned),
        obstacle: plan.obstacle.clone(),
        started_ms,
    };
    let command = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let root = engine.root().to_path_buf();
    let journal = Journal { root, command, sources };
    reports.begin(&journal)?;
    let failures = options.failures.then(|| failures::Printer::start(&reports.path));
    let exit = child::run(&plan, words, directory, &reports.path, options)?;
    drop(failures);
    let outcome = collect::reports(&journal.sources);
    let recorded = outcome.and_then(|found| {
        let before = before.join().unwrap_or_default();
        let after = journal::state(engine.root());
        let state = State { is_clean: before.is_clean && before == after, ..before };
        let recorded = record::record(engine, &journal, &state, Ended::Exit(exit), &found)?;
        if options.coverage {
            let text = coverage::import(engine, &journal.sources, &recorded.results)?;
            report::print_message(text);
        }
        Ok(recorded)
    });
    match recorded {
        Ok(recorded) => {
            report::print_message(&recorded.summary);
            Ok(Executed { exit, recorded: Some(recorded) })
        }
        Err(error) => {
            report::print_message("the results of this run were not recorded");
            report::print_error(&error);
            Ok(Executed { exit, recorded: None })
        }
    }
}

/// The reports of a run, each that of one process, and the runner that the command is known to be.
#[derive(Debug, Default)]
struct Found {
    reports: Vec<Report>,
    expected: Option<String>,
    /// Why a known runner cannot report.
    obstacle: Option<String>,
}
