//! The gate: builds both revisions, measures them side by side, judges the results and reports
//! them.
//!
//! `options` parses the command line, `run_lock` allows one run at a time, `corpus_ready` checks the
//! corpus and offers to fetch it, `build` and `tree` create the two executables, `driver` and
//! `protocol` communicate with them, `measure` takes wall times, `callgrind` counts instructions,
//! `compare` does both for every case, `judge` turns the numbers into statuses and is pure
//! arithmetic, `report` and `history` write. `trial` tests the gate with `synthetic` tools.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints its table")]

pub(crate) mod arguments;
pub(crate) mod build;
pub(crate) mod callgrind;
pub(crate) mod compare;
#[expect(dead_code, reason = "this bench checks and fetches the corpus, but drafts no manifest")]
#[path = "../corpus/mod.rs"]
pub(crate) mod corpus;
pub(crate) mod corpus_ready;
pub(crate) mod driver;
pub(crate) mod history;
pub(crate) mod judge;
pub(crate) mod measure;
pub(crate) mod options;
pub(crate) mod page;
pub(crate) mod protocol;
pub(crate) mod report;
pub(crate) mod revisions;
pub(crate) mod run_lock;
pub(crate) mod stats;
pub(crate) mod synthetic;
pub(crate) mod thresholds;
pub(crate) mod tree;
pub(crate) mod trial;
pub(crate) mod waivers;

use std::ffi::OsString;
use std::process::ExitCode;

use options::Command;

/// Runs the bench. Exit codes: 0 if nothing fails, 1 if the gate fails, 2 if nothing could be
/// measured.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let passed = match options::parse(arguments) {
        Ok(Command::Help) => {
            println!("{}", options::HELP);
            Ok(true)
        }
        Ok(Command::Synthetic(driver)) => synthetic::serve(&driver).map(|()| true),
        Ok(Command::Trial(options)) => trial::run(&options),
        Ok(Command::Page { history, page }) => page::write(&history, &page).map(|()| true),
        Ok(Command::Compare(options)) => revisions::run(&options),
        Err(message) => Err(message),
    };
    match passed {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("regression: {message}");
            ExitCode::from(2)
        }
    }
}
