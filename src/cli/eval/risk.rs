//! `codedb eval risk` and `codedb eval renames`: the quality of `codedb check`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::check::score::{Model, NAMES};
use crate::cli::index::{place_args, print, tree_options};
use crate::cli::tool::now_ms;
use crate::cli::{place, report};
use crate::engine::Engine;
use crate::error::{Error, Kind, Result};
use crate::eval::renames;
use crate::eval::risk::{self, Limits, Measurement, Quality, Sample};
use crate::history::Log;
use crate::history::git::{Git, Head};
use crate::history::mailmap::Mailmap;
use crate::history::people::People;
use crate::history::read::{self, Bounds};
use crate::userdata::measurements::RiskMeasurement;
use crate::userdata::verdicts::VerdictCounts;

pub(super) fn command() -> Command {
    let number = |name: &'static str, default: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("N")
            .value_parser(value_parser!(usize))
            .default_value(default)
            .help(help)
    };
    let files = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .num_args(1..)
            .value_parser(value_parser!(PathBuf))
            .help(help)
    };
    Command::new("risk")
        .about("Measure whether the score of `codedb check` ranks commits that were corrected later")
        .long_about(
            "Scores past commits with what was known before them, and compares the order with those \
             that were corrected (by blame of the removed lines) or reverted later: AUC, recall at \
             20 % of the changed lines, Popt. The baselines are the numbers of added and of changed \
             lines. The commits of the last 180 days are left out: their faults may not be known \
             yet.",
        )
        .arg(number("commits", "2000", "The commits to score, newest first"))
        .arg(number("fixes", "400", "The corrections to trace back, newest first"))
        .arg(
            Arg::new("samples")
                .long("samples")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Also write the scored commits as JSON Lines, for `--fit`"),
        )
        .arg(files("fit", "Fit the weights to the samples in these files, and print them"))
        .arg(files("measure", "With `--fit`: measure the fitted weights on these samples"))
        .args(place_args())
}

/// Runs `codedb eval risk`.
///
/// # Errors
///
/// If there are no commits, git fails, or a file cannot be read or written.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    if matches.contains_id("fit") {
        return fit(matches);
    }
    let (engine, git, log) = open(matches)?;
    let name = name_of(&engine);
    let number = |name: &str| *matches.get_one::<usize>(name).expect("it has a default");
    let limits =
        Limits { commits_max: number("commits"), fixes_max: number("fixes"), recent_days: 180 };
    let people = People::new(&log, &Mailmap::default());
    let samples = risk::samples(&git, &log, &people, &limits, &mut |step| {
        report::print_message(step);
    })?;
    if let Some(path) = matches.get_one::<PathBuf>("samples") {
        let lines: String =
            samples.iter().map(|it| serde_json::to_string(it).unwrap_or_default() + "\n").collect();
        std::fs::write(path, lines).map_err(|error| Error::io(path, error))?;
    }
    let mut out = format!("{name}: {} commits scored\n", samples.len());
    let measured = risk::measure(&samples, &Model::DEFAULT);
    out.push_str(&described(measured.as_ref()));
    out.push_str(&judged_by_clients(&engine)?);
    print(&out)?;
    let count = |commits: usize| u32::try_from(commits).unwrap_or(u32::MAX);
    let faulty = samples.iter().filter(|it| it.is_faulty).count();
    engine.create_user_data()?.set_risk_measurement(&RiskMeasurement {
        measured_ms: now_ms(),
        commits: count(samples.len()),
        faulty: count(faulty),
        auc: measured.map(|it| (it.model.auc, it.added.auc)),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Returns what people said about the verdicts that clients gave, if there are some.
fn judged_by_clients(engine: &Engine) -> Result<String> {
    let Some(database) = engine.user_data()? else { return Ok(String::new()) };
    let VerdictCounts { given, right, wrong } = database.verdict_counts()?;
    Ok(match given {
        0 => String::new(),
        _ => {
            format!("verdicts of clients: {given} kept, {right} said to be right, {wrong} wrong\n")
        }
    })
}

fn described(measured: Option<&Measurement>) -> String {
    let Some(Measurement { commits, faulty, model, source_added, added, size }) = measured else {
        return format!(
            "too little history for a figure: it takes {} commits that were corrected later, and as \
             many others\n",
            risk::SAMPLES_MIN
        );
    };
    let mut out = format!("{faulty} of {commits} were corrected or reverted later\n");
    for (name, of) in [
        ("score", model),
        ("source lines added", source_added),
        ("lines added", added),
        ("lines changed", size),
    ] {
        let Quality { auc, recall_at_20, popt } = of;
        let _ = writeln!(
            out,
            "{name:<18} AUC {auc:.3}, recall at 20 % effort {recall_at_20:.3}, Popt {popt:.3}"
        );
    }
    out
}

fn fit(matches: &ArgMatches) -> Result<ExitCode> {
    let read = |name: &str| -> Result<Vec<(PathBuf, Vec<Sample>)>> {
        let paths = matches.get_many::<PathBuf>(name).into_iter().flatten();
        paths.map(|path| Ok((path.clone(), samples(path)?))).collect()
    };
    let sets: Vec<Vec<Sample>> = read("fit")?.into_iter().map(|(_, set)| set).collect();
    let model = risk::fit(&sets);
    let mut out = serde_json::to_string_pretty(&model).unwrap_or_default();
    let _ = writeln!(out, "\n{}", NAMES.join(", "));
    for (path, set) in read("measure")? {
        let _ = writeln!(out, "{}:", path.display());
        out.push_str(&described(risk::measure(&set, &model).as_ref()));
    }
    print(&out)?;
    Ok(ExitCode::SUCCESS)
}

fn samples(path: &PathBuf) -> Result<Vec<Sample>> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
    let lines = text.lines().filter(|line| !line.is_empty());
    lines
        .map(serde_json::from_str)
        .collect::<std::result::Result<_, _>>()
        .map_err(|error| Error::usage(format!("invalid sample: {error}")).with_path(path))
}

/// Returns the tree, its repository and its log.
fn open(matches: &ArgMatches) -> Result<(Engine, Git, Log)> {
    let engine = place::engine(&tree_options(matches))?;
    let root = engine.root().to_path_buf();
    let none = || Error::new(Kind::NotFound, "no commits").with_path(&root);
    let head = Head::of(&root)?.ok_or_else(none)?;
    let git = Git::open(&root).ok_or_else(none)?;
    let log = read::log(&root, &head, None, &Bounds::WHOLE)?.filter(|log| !log.is_empty());
    Ok((engine, git, log.ok_or_else(none)?))
}

fn name_of(engine: &Engine) -> String {
    let name = engine.root().file_name();
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

pub(super) fn renames_command() -> Command {
    Command::new("renames")
        .about("Compare the former paths of renamed files with those of `git log --follow`")
        .arg(
            Arg::new("files")
                .long("files")
                .value_name("N")
                .value_parser(value_parser!(usize))
                .default_value("50")
                .help("The number of renamed files to compare"),
        )
        .args(place_args())
}

/// Runs `codedb eval renames`.
///
/// # Errors
///
/// If there are no commits, or git fails.
pub(super) fn run_renames(matches: &ArgMatches) -> Result<ExitCode> {
    let (engine, git, log) = open(matches)?;
    let name = name_of(&engine);
    let head = log.origin().head.expect("the log has commits");
    let all: Vec<Vec<u8>> = git.files_of(head)?.into_iter().map(|(path, _)| path).collect();
    let files_max = *matches.get_one::<usize>("files").expect("it has a default");
    let started = std::time::Instant::now();
    let found = renames::compare(&git, &log, &all, files_max)?;
    let mut out = format!(
        "{name}: {} renamed files, every former path found for {}; {} of {} former paths found ({} s, of \
         which {:.1} ms without git)\n",
        found.files,
        found.complete,
        found.found,
        found.paths,
        started.elapsed().as_secs(),
        found.resolving.as_secs_f64() * 1000.0
    );
    let shown = |path: &[u8]| report::plain(&crate::base::path::shown(path));
    for missed in &found.missed {
        let _ = writeln!(out, "  {} was {}", shown(&missed.path), shown(&missed.former));
    }
    print(&out)?;
    Ok(ExitCode::SUCCESS)
}
