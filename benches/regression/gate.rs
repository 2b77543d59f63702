//! The gate: both revisions built, measured beside each other, judged, and told of.
//!
//! `options` reads the command line, `build` and `tree` make the two executables, `driver` and `protocol`
//! speak with them, `measure` takes wall times, `callgrind` counts instructions, `compare` does all of that
//! for every case, `judge` turns the numbers into statuses and is arithmetic alone, `report` and `history`
//! write. `trial` is the gate tried on `synthetic` tools.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints its table")]

pub(crate) mod arguments;
pub(crate) mod build;
pub(crate) mod callgrind;
pub(crate) mod compare;
#[expect(dead_code, reason = "this bench checks the corpus and fetches nothing")]
#[path = "../corpus/mod.rs"]
mod corpus;
pub(crate) mod driver;
pub(crate) mod history;
pub(crate) mod judge;
pub(crate) mod measure;
pub(crate) mod options;
pub(crate) mod page;
pub(crate) mod protocol;
pub(crate) mod report;
pub(crate) mod revisions;
pub(crate) mod stats;
pub(crate) mod synthetic;
pub(crate) mod thresholds;
pub(crate) mod tree;
pub(crate) mod trial;
pub(crate) mod waivers;

use std::ffi::OsString;
use std::process::ExitCode;

use options::Command;

/// The program: 0 where nothing fails, 1 where the gate fails, 2 where it could not be asked.
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
