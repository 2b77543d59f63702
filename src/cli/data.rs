//! `codedb data`: shows, exports and imports what people and test runs recorded; `coverage` imports
//! coverage reports.

mod coverage;

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde::Serialize;

use super::index::{place_args, print, tree_options};
use super::tool::now_ms;
use super::{place, report};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::source::input_file;
use crate::userdata::exchange;

/// A stream instead of a file.
const STREAM: &str = "-";

pub(super) fn command() -> Command {
    let file = |help: &'static str| {
        Arg::new("file")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .default_value(STREAM)
            .help(help)
    };
    Command::new("data")
        .about("Show, export or import recorded test results and other data of the user")
        .long_about(
            "Without a subcommand, shows where the database of this repository is and what it \
             contains. The database is in the user's data directory, never in the tree; all work \
             trees of a repository share it.",
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print the reply as JSON"),
        )
        .args(place_args())
        .subcommand(coverage::command())
        .subcommand(
            Command::new("export")
                .about("Write everything that is recorded as JSON Lines")
                .arg(file("The file to write (default: standard output)")),
        )
        .subcommand(
            Command::new("import")
                .about("Add what an export contains and is not recorded yet")
                .long_about(
                    "Adds what an export contains and is not recorded yet. Runs are identified by \
                     their `uid`, so that an import can be repeated. Locks and jobs are not \
                     imported: they belong to processes of another machine or another time.",
                )
                .arg(file("The file to read (default: standard input)")),
        )
}

/// Runs the command.
///
/// # Errors
///
/// If the database or a file cannot be read or written.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    match matches.subcommand() {
        Some(("export", matches)) => export(&place::engine(&tree_options(matches))?, file(matches)),
        Some(("import", matches)) => import(&place::engine(&tree_options(matches))?, file(matches)),
        Some(("coverage", matches)) => coverage::run(matches),
        _ => show(&place::engine(&tree_options(matches))?, matches.get_flag("json")),
    }
}

fn file(matches: &ArgMatches) -> &Path {
    matches.get_one::<PathBuf>("file").map_or(Path::new(STREAM), PathBuf::as_path)
}

/// What `codedb data` shows.
#[derive(Debug, Serialize)]
struct Shown {
    /// The path of the database.
    path: String,
    /// False if nothing was recorded yet.
    exists: bool,
    /// The size of the file in bytes.
    bytes: u64,
    /// Recorded runs.
    runs: u64,
    /// Distinct tests.
    tests: u64,
    /// Results.
    results: u64,
    /// Functions with coverage.
    covered_functions: u64,
    /// Decisions of any status.
    decisions: u32,
    /// Locks that are held.
    locks: usize,
}

fn show(engine: &Engine, as_json: bool) -> Result<ExitCode> {
    let database = engine.user_data()?;
    let Some(path) = engine.user_data_path() else {
        return Err(engine.create_user_data().expect_err("there is no directory"));
    };
    let counts =
        database.as_ref().map(|database| database.counts()).transpose()?.unwrap_or_default();
    let locks = database.as_ref().map_or(Ok(0), |it| it.locks(now_ms()).map(|all| all.len()))?;
    let shown = Shown {
        bytes: path.metadata().map_or(0, |metadata| metadata.len()),
        path: path.display().to_string(),
        exists: database.is_some(),
        runs: counts.runs,
        tests: counts.tests,
        results: counts.results,
        covered_functions: database.as_ref().map_or(Ok(0), |it| it.covered_count())?,
        decisions: match &database {
            Some(database) => database.decision_counts()?.values().sum(),
            None => 0,
        },
        locks,
    };
    if as_json {
        let json =
            serde_json::to_string(&shown).map_err(|error| Error::usage(error.to_string()))?;
        print(&format!("{json}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let Shown { path, exists, bytes, runs, tests, results, covered_functions, decisions, locks } =
        shown;
    let path = report::plain(&path);
    print(&if exists {
        format!(
            "path      {path}\nbytes     {bytes}\nruns      {runs}\ntests     {tests}\n\
             results   {results}\ncovered   {covered_functions}\ndecisions {decisions}\nlocks     {locks}\n"
        )
    } else {
        format!(
            "path      {path}\nnothing is recorded; `codedb run -- COMMAND` records test runs\n"
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

fn export(engine: &Engine, file: &Path) -> Result<ExitCode> {
    let Some(database) = engine.user_data()? else {
        report::print_message("nothing is recorded for this repository");
        return Ok(ExitCode::from(1));
    };
    if file == Path::new(STREAM) {
        let mut out = BufWriter::new(std::io::stdout().lock());
        exchange::export(&database, &mut out, now_ms())?;
        out.flush().map_err(|error| Error::io(Path::new("standard output"), error))?;
        return Ok(ExitCode::SUCCESS);
    }
    let failed = |error| Error::io(file, error);
    let mut out = BufWriter::new(File::create(file).map_err(failed)?);
    exchange::export(&database, &mut out, now_ms())?;
    out.into_inner().map_err(|error| failed(error.into_error()))?.sync_all().map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

fn import(engine: &Engine, file: &Path) -> Result<ExitCode> {
    let imported = if file == Path::new(STREAM) {
        let database = engine.create_user_data()?;
        exchange::import(&database, &mut BufReader::new(std::io::stdin().lock()), now_ms())?
    } else {
        let input = input_file::open(file, u64::MAX)?;
        exchange::import(&engine.create_user_data()?, &mut BufReader::new(input), now_ms())
            .map_err(|error| error.with_path(file))?
    };
    print(&format!(
        "imported {} new and {} known runs, coverage of {} functions, {} incidents and {} \
         new decisions, ignored {} other lines\n",
        imported.runs,
        imported.known,
        imported.functions,
        imported.incidents,
        imported.decisions,
        imported.ignored
    ))?;
    Ok(ExitCode::SUCCESS)
}
