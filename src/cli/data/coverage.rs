//! `codedb data coverage FILE…`: imports coverage reports.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::cli::covered::attributed;
use crate::cli::index::{print, tree_options};
use crate::cli::tool::now_ms;
use crate::cli::{place, report};
use crate::error::{Error, Result};
use crate::reports::coverage;

pub(super) fn command() -> Command {
    Command::new("coverage")
        .about("Import coverage reports: which tests execute which functions")
        .long_about(
            "Imports coverage reports of the present state of the tree: `.coverage` or `coverage json \
             --show-contexts` of coverage.py, lcov, Istanbul's JSON, Go's cover profiles, the JSON of \
             `cargo llvm-cov`, and JaCoCo's XML. Lines are mapped to functions; the coverage of a \
             function stays valid until its own text changes. Of files that were written after the report, \
             the text of the newest commit before it counts. Tests are known from dynamic contexts (`pytest --cov \
             --cov-context=test`), from `TN:` lines of lcov, and with `--test`.",
        )
        .arg(
            Arg::new("test")
                .long("test")
                .value_name("ID")
                .help("The test that the reports are of, if it ran alone"),
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf))
                .help("The reports"),
        )
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let engine = place::engine(&tree_options(matches))?;
    let database = engine.create_user_data()?;
    let test = matches.get_one::<String>("test").map(String::as_str);
    for file in matches.get_many::<PathBuf>("file").into_iter().flatten() {
        let mut report = coverage::read(file)?;
        if let Some(test) = test {
            report.attribute_to(test);
        }
        let written = fs::metadata(file).and_then(|it| it.modified());
        let written = written.map_err(|error| Error::io(file, error))?;
        let (symbols, imported) = attributed(&engine, report, written)?;
        database.add_coverage(&symbols, now_ms())?;
        let file = report::plain(&file.display().to_string());
        print(&format!("{file}: {}\n", imported.summary()))?;
    }
    Ok(ExitCode::SUCCESS)
}
