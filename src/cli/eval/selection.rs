//! `codedb eval tests`: measures test selection against a coverage report.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::catalog::code::Code as _;
use crate::cli::index::{place_args, print, tree_options};
use crate::cli::place;
use crate::engine::{Check, Local};
use crate::error::{Error, Kind, Result};
use crate::eval::selection::{Function, Input, Measures, Results, measure};
use crate::reports::coverage;

pub(super) fn command() -> Command {
    Command::new("tests")
        .about("Measure which tests are selected for a function, against a coverage report")
        .long_about(
            "For each function that 1 to 60 tests execute, compares the tests that are ranked and \
             delivered without coverage with those that the report lists. A ranking by names only serves as \
             baseline. The report must have been made on this state of the tree: a data file of \
             coverage.py (`pytest --cov --cov-context=test`), or any format with the tests of each \
             line, such as lcov with one record per test.",
        )
        .arg(
            Arg::new("coverage")
                .long("coverage")
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The coverage report"),
        )
        .arg(Arg::new("imported").long("imported").action(ArgAction::SetTrue).help(
            "Measure also with the coverage imported before the function is edited, in memory",
        ))
        .arg(
            Arg::new("functions")
                .long("functions")
                .value_name("N")
                .value_parser(value_parser!(usize))
                .default_value("100000")
                .help("The maximum number of functions, evenly chosen"),
        )
        .arg(
            Arg::new("features")
                .long("features")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help(
                    "Write the features of each candidate to FILE, for development of the ranking",
                ),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print one line of JSON for each function"),
        )
        .args(place_args())
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let engine = place::engine(&tree_options(matches))?;
    let code = Local::new(&engine, Check::Strict);
    let catalog = code.catalog(&[])?;
    let path = matches.get_one::<PathBuf>("coverage").expect("clap requires it");
    let report = coverage::read(path)?;
    let limit = *matches.get_one::<usize>("functions").expect("it has a default");
    let path = matches.get_one::<PathBuf>("features");
    let file = path.map(|path| File::create(path).map_err(|error| Error::io(path, error)));
    let mut file = file.transpose()?.map(BufWriter::new);
    let input = Input {
        report: &report,
        root: engine.root(),
        functions_max: limit,
        imported: matches.get_flag("imported"),
    };
    let results = measure(catalog, &input, code.history()?, &mut |at, ranked, covers| {
        if let Some(file) = &mut file {
            let features = ranked.features.map(|value| value.to_string()).join(",");
            let source = ranked.source.name();
            let (number, place) = (at.file.0, at.place);
            let (of, test) = (ranked.test.file.0, ranked.test.place);
            let covers = u8::from(covers);
            // A failed write shows when the file is flushed.
            _ = writeln!(file, "{number}:{place},{of}:{test},{covers},{source},{features}");
        }
    })?;
    if let (Some(mut file), Some(path)) = (file, path) {
        file.flush().map_err(|error| Error::io(path, error))?;
    }
    if results.functions.is_empty() {
        let message = "no function is executed by 1 to 60 tests of the report";
        return Err(Error::new(Kind::NotFound, message)
            .with_path(engine.root())
            .with_hint("run `codedb index --wait full` first, and make the report in this tree"));
    }
    if matches.get_flag("json") {
        for function in &results.functions {
            print(&format!("{}\n", serde_json::to_string(function).unwrap_or_default()))?;
        }
    } else {
        print(&table(&results))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the results as Markdown.
fn table(results: &Results) -> String {
    let Results { functions, reported, found, missing } = results;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{} functions; {found} of {reported} reported tests found in the sources\n",
        functions.len()
    );
    if !missing.is_empty() {
        let _ = writeln!(out, "not found, for example: {}\n", missing.join(", "));
    }
    out.push_str("| ranking | R-precision | hit@10 | recall@30 |\n| --- | --- | --- | --- |\n");
    let mut row = |name: &str, of: &dyn Fn(&Function) -> Measures| {
        let mean = |value: &dyn Fn(&Measures) -> f64| {
            let sum: f64 = functions.iter().map(|function| value(&of(function))).sum();
            sum / functions.len() as f64
        };
        let (precision, hit) = (mean(&|of| of.r_precision), mean(&|of| of.hit_10));
        let recall = mean(&|of| of.recall_30);
        let _ = writeln!(out, "| {name} | {precision:.3} | {hit:.3} | {recall:.3} |");
    };
    row("codedb", &|function| function.codedb);
    row("codedb, delivered", &|function| function.delivered);
    row("names only", &|function| function.names);
    let delivered: usize = functions.iter().map(|function| function.delivered_tests).sum();
    if functions.iter().any(|function| function.imported.is_some()) {
        row("codedb, coverage imported before the edit", &|function| {
            function.imported.unwrap_or_default()
        });
    }
    let mean = delivered as f64 / functions.len() as f64;
    let _ = writeln!(out, "\ndelivered: {mean:.1} tests for each function");
    out
}
