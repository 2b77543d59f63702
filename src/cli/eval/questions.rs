//! `codedb eval questions`: the ranking of files for natural-language questions.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::{print_redacted, read, warn_if_shallow};
use crate::cli::index::{place_args, print, tree_options};
use crate::cli::place;
use crate::engine::{self, Progress};
use crate::error::{Error, Result};
use crate::eval::questions::{self, Bench, Measured};
use crate::history::git::Git;

pub(super) fn command() -> Command {
    let path = || value_parser!(PathBuf);
    Command::new("questions")
        .about("Measure how well the files of questions with a key are ranked")
        .long_about(
            "Runs `codedb context` with each question and computes NDCG@10 of the ranked files, for \
             all questions and by kind, and the rank of the definition with the answer. BM25 over \
             whole source files, with and without tests, serves as baseline.",
        )
        .arg(Arg::new("questions").required(true).value_name("FILE").value_parser(path()).help(
            "One JSON object per line, with `kind`, `task`, `files` (grades by path) and \
             `definition` (`path:name`)",
        ))
        .arg(
            Arg::new("evidence")
                .long("evidence")
                .value_name("FILE")
                .value_parser(path())
                .help("Write the relevance signals of each file to FILE, for `codedb eval fit`"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print one line of JSON for each question"),
        )
        .args(place_args())
}

/// Runs `codedb eval questions`.
///
/// # Errors
///
/// If a file cannot be read or written, or the index cannot be built or read.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let path = matches.get_one::<PathBuf>("questions").expect("clap requires it");
    let asked = questions::of_file(&read(path)?).map_err(|error| error.with_path(path))?;
    let engine = place::engine(&tree_options(matches))?;
    if let Some(git) = Git::open(engine.root()) {
        warn_if_shallow(&git);
    }
    engine::refresh(&engine, &Progress::default())?;
    engine::build_code(&engine, false, &Progress::default())?;
    let evidence = matches.get_one::<PathBuf>("evidence");
    let file = evidence.map(|path| File::create(path).map_err(|error| Error::io(path, error)));
    let mut file = file.transpose()?.map(BufWriter::new);
    let mut bench = Bench::new(&engine);
    let mut measured = Vec::new();
    for question in &asked {
        let kept = file.as_mut().map(|file| file as &mut dyn Write);
        measured.push(bench.measure(question, kept)?);
    }
    if let (Some(mut file), Some(path)) = (file, evidence) {
        file.flush().map_err(|error| Error::io(path, error))?;
    }
    if matches.get_flag("json") {
        for one in &measured {
            print_redacted(format!("{}\n", serde_json::to_string(one).unwrap_or_default()))?;
        }
    } else {
        print(&table(&measured))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the results as Markdown.
fn table(measured: &[Measured]) -> String {
    let mut kinds: BTreeMap<&str, Vec<&Measured>> = BTreeMap::new();
    for one in measured {
        kinds.entry(&one.kind).or_default().push(one);
    }
    let mut out = String::from(
        "| questions | number | NDCG@10 | BM25 per file | without tests | definition first | in 3 | \
         shown | tokens |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let all: Vec<&Measured> = measured.iter().collect();
    for (kind, of) in kinds.iter().map(|(kind, of)| (*kind, of)).chain([("all", &all)]) {
        let mean = |value: &dyn Fn(&Measured) -> f64| {
            of.iter().map(|one| value(one)).sum::<f64>() / of.len().max(1) as f64
        };
        let within = |k: usize| {
            mean(&|one| f64::from(u8::from(one.definition.is_some_and(|place| place < k))))
        };
        let _ = writeln!(
            out,
            "| {kind} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.0} |",
            of.len(),
            mean(&|one| one.codedb),
            mean(&|one| one.bm25),
            mean(&|one| one.bm25_sources),
            within(1),
            within(3),
            within(usize::MAX),
            mean(&|one| one.tokens as f64),
        );
    }
    out
}
