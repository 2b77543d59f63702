//! `codedb eval`: measures retrieval quality on the history of a repository.

mod agent;
mod causes;
mod context;
mod history;
mod levels;
mod questions;
mod risk;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use self::causes::Failed;
use super::index::{place_args, print, tree_options};
use super::place::{self, TreeOptions};
use super::report;
use crate::answer::nearest;
use crate::base::text::plain;
use crate::engine::{Check, Local};
use crate::error::{Error, Kind, Result};
use crate::eval::answers;
use crate::eval::cases::{self, Case};
use crate::eval::fit;
use crate::eval::localize::{Bench, CaseEvidence, Measured, Options};
use crate::eval::measures::{
    Mean, Ranks, all_within, any_within, bootstrap, percentile, recall, reciprocal_rank,
};
use crate::history::git::Git;
use crate::rank::Weights;
use crate::source::secret;
use crate::tools::Call;

mod selection;

/// The default token budgets of replies whose recall is measured.
const BUDGETS: &str = "250,500,1000,2000,4000,8000";

pub(super) fn command() -> Command {
    let path = || value_parser!(PathBuf);
    let localize = Command::new("localize")
        .about("Measure how well the files and functions of a commit are found from its message")
        .long_about(
            "Runs `codedb context` with the message of each commit, or with tasks from a file, in the \
             tree before the commit, and measures the ranks of the files that the commit changes. \
             BM25 over whole files and a count of the words of the task serve as baselines. Trees are \
             checked out into a separate directory; the repository is only read. Expected files that are not \
             among the first five are counted by cause.",
        )
        .arg(
            Arg::new("commits")
                .long("commits")
                .value_name("N")
                .value_parser(value_parser!(usize))
                .default_value("40")
                .help("The number of commits, chosen at random from the newest 3,000"),
        )
        .arg(
            Arg::new("seed")
                .long("seed")
                .value_name("N")
                .value_parser(value_parser!(u64))
                .default_value("1")
                .help("The seed of the random choice"),
        )
        .arg(Arg::new("tasks").long("tasks").value_name("FILE").value_parser(path()).help(
            "Tasks instead of commits: one JSON object per line, with `id`, `base`, `task` and `patch`",
        ))
        .arg(
            Arg::new("budgets")
                .long("budgets")
                .value_name("N,…")
                .default_value(BUDGETS)
                .help("The token budgets of replies whose recall is measured"),
        )
        .arg(
            Arg::new("weights")
                .long("weights")
                .value_name("FILE")
                .value_parser(path())
                .help("Weights for the ranking, as JSON; missing weights have their default"),
        )
        .arg(
            Arg::new("evidence")
                .long("evidence")
                .value_name("FILE")
                .value_parser(path())
                .help("Write the relevance signals of each file to FILE, for `codedb eval fit`"),
        )
        .arg(
            Arg::new("work")
                .long("work")
                .value_name("DIR")
                .value_parser(path())
                .help("Keep trees and indexes in DIR for the next run (default: a temporary directory)"),
        )
        .arg(
            Arg::new("no-baselines")
                .long("no-baselines")
                .action(ArgAction::SetTrue)
                .help("Skip the baselines, which take most of the time"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print one line of JSON for each case, then one with the number of failures by cause"),
        )
        .arg(
            Arg::new("verbose")
                .long("verbose")
                .action(ArgAction::SetTrue)
                .help("List the failures with their cause and the file that ranks first"),
        )
        .args(place_args());
    let fit = Command::new("fit")
        .about("Search for better weights, for development of the ranking")
        .arg(
            Arg::new("evidence")
                .required(true)
                .num_args(1..)
                .value_name("FILE")
                .value_parser(path())
                .help(
                    "Files written by `codedb eval localize --evidence`; each has the same weight",
                ),
        )
        .arg(
            Arg::new("check")
                .long("check")
                .num_args(1..)
                .value_name("FILE")
                .value_parser(path())
                .help("Files that are only measured, not used for fitting"),
        )
        .arg(
            Arg::new("weights")
                .long("weights")
                .value_name("FILE")
                .value_parser(path())
                .help("The initial weights, as JSON"),
        );
    let answers = Command::new("answers")
        .about("Grade replies by a key with the expected contents")
        .arg(Arg::new("key").required(true).value_name("FILE").value_parser(path()).help(
            "One JSON object per line, with `task` and the expected contents of its reply: \
             `keywords`, `definitions` (each `path:name`), `first_file` (paths; one must be first)",
        ))
        .args(place_args());
    Command::new("eval")
        .about("Measure the analyses on the history of a repository, or on tasks of your own")
        .subcommand_required(true)
        .subcommand(agent::command())
        .subcommand(context::command())
        .subcommand(localize)
        .subcommand(history::command())
        .subcommand(risk::command())
        .subcommand(risk::renames_command())
        .subcommand(levels::command())
        .subcommand(answers)
        .subcommand(questions::command())
        .subcommand(fit)
        .subcommand(selection::command())
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    match matches.subcommand() {
        Some(("agent", matches)) => agent::run(matches),
        Some(("context", matches)) => context::run(matches),
        Some(("localize", matches)) => localize(matches),
        Some(("history", matches)) => history::run(matches),
        Some(("answers", matches)) => grade(matches),
        Some(("questions", matches)) => questions::run(matches),
        Some(("fit", matches)) => fit_weights(matches),
        Some(("tests", matches)) => selection::run(matches),
        Some(("risk", matches)) => risk::run(matches),
        Some(("renames", matches)) => risk::run_renames(matches),
        Some(("levels", matches)) => levels::run(matches),
        _ => Err(Error::usage("missing command of `eval`")
            .with_hint("`codedb eval --help` lists the commands")),
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| Error::io(path, error))
}

fn weights(matches: &ArgMatches) -> Result<Weights> {
    let Some(path) = matches.get_one::<PathBuf>("weights") else { return Ok(Weights::DEFAULT) };
    serde_json::from_str(&read(path)?)
        .map_err(|error| Error::usage(format!("invalid weights: {error}")).with_path(path))
}

/// Returns an error if one of the ids of `--task` is not among `all`.
fn check_ids(matches: &ArgMatches, all: &[&str]) -> Result<()> {
    let mut ids = matches.get_many::<String>("task").into_iter().flatten();
    let Some(unknown) = ids.find(|id| !all.contains(&id.as_str())) else { return Ok(()) };
    let near = nearest::among(all.iter().map(|id| id.as_bytes()), unknown.as_bytes());
    let error = Error::usage(format!("there is no task `{unknown}`"));
    Err(match near.first() {
        Some(&at) => error.with_hint(format!("the nearest is `{}`", plain(all[at]))),
        None => error,
    })
}

/// Prints a warning if the clone is shallow: the signals of commits then know only some of them.
fn warn_if_shallow(git: &Git) {
    if git.is_shallow() {
        report::print_message(
            "the clone is shallow, so the commits contribute less to the ranking than in a complete \
             one: `git fetch --unshallow` completes it",
        );
    }
}

fn localize(matches: &ArgMatches) -> Result<ExitCode> {
    let options = tree_options(matches);
    let root = place::engine(&options)?.root().to_path_buf();
    let git = Git::open(&root).ok_or_else(|| {
        Error::new(Kind::NotFound, "not a git repository, so there is no history to measure on")
            .with_path(&root)
    })?;
    warn_if_shallow(&git);
    let cases = match matches.get_one::<PathBuf>("tasks") {
        Some(path) => cases::of_file(&read(path)?).map_err(|error| error.with_path(path))?,
        None => {
            let count = *matches.get_one::<usize>("commits").expect("it has a default");
            let seed = *matches.get_one::<u64>("seed").expect("it has a default");
            cases::of_commits(&git, count, seed)?
        }
    };
    if cases.is_empty() {
        let message = "no commit changes one to five source files and has a descriptive message";
        return Err(Error::new(Kind::NotFound, message).with_path(&root));
    }
    let budgets = matches.get_one::<String>("budgets").expect("it has a default");
    let budgets = budgets.split(',').map(|word| word.trim().parse::<usize>());
    let budgets = budgets.collect::<std::result::Result<Vec<usize>, _>>().map_err(|_| {
        Error::usage("`--budgets` must be numbers of tokens")
            .with_hint("example: `--budgets 500,2000`")
    })?;
    if let Some(budget) = budgets.iter().find(|budget| !(120..=50_000).contains(*budget)) {
        return Err(Error::usage(format!(
            "invalid budget {budget}: it must be 120 to 50,000 tokens"
        )));
    }
    let with_weights = matches.contains_id("weights");
    let options = Options {
        weights: weights(matches)?,
        // Replies use the default weights.
        budgets: if with_weights { Vec::new() } else { budgets },
        with_baselines: !matches.get_flag("no-baselines"),
    };
    let work = WorkDirectory::new(matches, &root)?;
    let measured = measure(matches, &git, &cases, &options, &work)?;
    if measured.is_empty() {
        let message =
            "no case could be measured: none changes a file that existed before, or all failed";
        return Err(Error::new(Kind::NotFound, message).with_path(&root));
    }
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let failed: Vec<Failed<'_>> = measured.iter().map(failed_of).collect();
    if matches.get_flag("json") {
        for case in &measured {
            print_redacted(format!("{}\n", serde_json::to_string(case).unwrap_or_default()))?;
        }
        let counts = causes::counts(&failed);
        if !counts.is_empty() {
            print(&format!("{}\n", serde_json::json!({ "causes": counts })))?;
        }
    } else {
        print(&table(&name, &measured, &options))?;
        print(&causes::table(&failed, "expected files that are not among the first five"))?;
        if matches.get_flag("verbose") {
            print_redacted(format!("\n{}", causes::lines(&failed)))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn failed_of(case: &Measured) -> Failed<'_> {
    Failed {
        id: &case.id,
        title: &case.title,
        first: case.first.first().map(String::as_str),
        why: &case.why,
        failures: &case.failures,
    }
}

/// The directory in which trees are checked out and indexed.
struct WorkDirectory {
    dir: PathBuf,
    is_kept: bool,
}

impl WorkDirectory {
    fn new(matches: &ArgMatches, root: &Path) -> Result<WorkDirectory> {
        let kept = matches.get_one::<PathBuf>("work");
        let own = || std::env::temp_dir().join(format!("codedb-eval-{}", std::process::id()));
        let hash = xxhash_rust::xxh3::xxh3_64(root.as_os_str().as_encoded_bytes());
        let dir = kept.cloned().unwrap_or_else(own).join(format!("{hash:016x}"));
        let tree = dir.join("tree");
        std::fs::create_dir_all(&tree).map_err(|error| Error::io(&tree, error))?;
        Ok(WorkDirectory { dir, is_kept: kept.is_some() })
    }

    fn engine(&self, matches: &ArgMatches) -> Result<crate::engine::Engine> {
        let root = Some(self.dir.join("tree"));
        let index_dir = Some(self.dir.join("index"));
        place::engine(&TreeOptions { root, index_dir, ..tree_options(matches) })
    }
}

impl Drop for WorkDirectory {
    fn drop(&mut self) {
        if !self.is_kept {
            // Errors are ignored: the directory is in the temporary directory.
            drop(std::fs::remove_dir_all(&self.dir));
            drop(self.dir.parent().map(std::fs::remove_dir));
        }
    }
}

fn measure(
    matches: &ArgMatches,
    git: &Git,
    cases: &[Case],
    options: &Options,
    work: &WorkDirectory,
) -> Result<Vec<Measured>> {
    let path = matches.get_one::<PathBuf>("evidence");
    let file = path.map(|path| File::create(path).map_err(|error| Error::io(path, error)));
    let mut file = file.transpose()?.map(BufWriter::new);
    let mut bench = Bench::new(git, work.engine(matches)?)?;
    let mut measured = Vec::new();
    let mut failed = 0;
    for (at, case) in cases.iter().enumerate() {
        if at % 10 == 0 {
            report::print_message(format_args!("{at} of {} cases", cases.len()));
        }
        let kept = file.as_mut().map(|file| file as &mut dyn Write);
        match bench.measure(case, options, kept) {
            Ok(found) => measured.extend(found),
            // One commit may be missing in a shallow clone; the others are still measured.
            Err(error) => {
                failed += 1;
                report::print_message(format_args!("{}: {error}", case.id));
            }
        }
    }
    if failed > 0 {
        report::print_message(format_args!(
            "{failed} of {} cases failed and are not counted",
            cases.len()
        ));
    }
    if let (Some(mut file), Some(path)) = (file, path) {
        file.flush().map_err(|error| Error::io(path, error))?;
    }
    Ok(measured)
}

/// Returns the results as Markdown.
fn table(name: &str, measured: &[Measured], options: &Options) -> String {
    use std::fmt::Write as _;

    let mut out = String::new();
    let functions: Vec<&Ranks> =
        measured.iter().map(|case| &case.functions).filter(|places| !places.is_empty()).collect();
    let _ = writeln!(out, "{name}: {} cases, {} with functions\n", measured.len(), functions.len());
    out.push_str(
        "| ranking | MRR | any in 1 | 3 | 5 | 10 | all in 1 | 3 | 5 | 10 |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let mean = |values: &mut dyn Iterator<Item = f64>| {
        let (mut sum, mut count) = (0.0, 0);
        for value in values {
            sum += value;
            count += 1;
        }
        sum / f64::from(count.max(1))
    };
    let mut row = |name: &str, all: &[&Ranks]| {
        let mut cells = vec![mean(&mut all.iter().map(|places| reciprocal_rank(places)))];
        for within in [any_within, all_within] {
            for k in [1, 3, 5, 10] {
                cells.push(mean(&mut all.iter().map(|places| within(places, k))));
            }
        }
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:.3}")).collect();
        let _ = writeln!(out, "| {name} | {} |", cells.join(" | "));
    };
    type Of = fn(&Measured) -> &Ranks;
    let mut rows: Vec<(&str, Of)> = vec![("codedb", |case| &case.codedb)];
    if options.with_baselines {
        rows.push(("BM25 per file", |case| &case.bm25));
        rows.push(("BM25 per file, without tests", |case| &case.bm25_sources));
        rows.push(("identifiers and counts", |case| &case.counts));
    }
    for (name, of) in &rows {
        row(name, &measured.iter().map(of).collect::<Vec<_>>());
    }
    row("functions", &functions);
    out.push('\n');
    for (name, of) in rows.iter().skip(1) {
        for (what, value) in [
            ("MRR", reciprocal_rank as fn(&Ranks) -> f64),
            ("any in 5", |places| any_within(places, 5)),
        ] {
            let differences: Vec<f64> =
                measured.iter().map(|case| value(&case.codedb) - value(of(case))).collect();
            let Mean { mean, low, high } = bootstrap(&differences);
            let _ = writeln!(out, "{what} over {name}: {mean:+.3} ({low:+.3} to {high:+.3})");
        }
    }
    let within = mean(&mut measured.iter().map(|case| recall(&case.codedb, 50)));
    let _ = writeln!(out, "\nrecall within 50 files: {within:.3}");
    for (at, budget) in options.budgets.iter().enumerate() {
        let recall = mean(&mut measured.iter().map(|case| case.recall[at]));
        let _ = writeln!(out, "recall within {budget} tokens: {recall:.3}");
    }
    let mut elapsed: Vec<f64> = measured.iter().map(|case| case.elapsed_ms).collect();
    let (p50, p95) = (percentile(&mut elapsed, 0.5), percentile(&mut elapsed, 0.95));
    let _ = writeln!(out, "time of a warm reply: median {p50:.1} ms, 95th percentile {p95:.1} ms");
    out
}

fn grade(matches: &ArgMatches) -> Result<ExitCode> {
    let path = matches.get_one::<PathBuf>("key").expect("clap requires it");
    let keys = answers::keys(&read(path)?).map_err(|error| error.with_path(path))?;
    let engine = place::engine(&tree_options(matches))?;
    let (mut wrong, mut tokens) = (0, 0);
    for key in &keys {
        let code = Local::new(&engine, Check::Strict);
        let graded = answers::grade(&Call::new(&code, 0), key)?;
        let result = if graded.missing.is_empty() {
            "correct".to_owned()
        } else {
            format!("missing {}", graded.missing.join("; "))
        };
        print_redacted(format!("{} tokens, {result}: {}\n", graded.tokens, key.task))?;
        wrong += usize::from(!graded.missing.is_empty());
        tokens += graded.tokens;
    }
    let mean = tokens as f64 / keys.len().max(1) as f64;
    print(&format!(
        "{} of {} correct, {mean:.0} tokens on average\n",
        keys.len() - wrong,
        keys.len()
    ))?;
    Ok(ExitCode::from(if wrong == 0 { 0 } else { 1 }))
}

/// Prints a text that contains commit messages, names or quoted lines.
fn print_redacted(text: String) -> Result<()> {
    print(&secret::redacted(text))
}

fn fit_weights(matches: &ArgMatches) -> Result<ExitCode> {
    let sets = |name: &str| -> Result<Vec<Vec<CaseEvidence>>> {
        let paths = matches.get_many::<PathBuf>(name).into_iter().flatten();
        paths.map(|path| kept(path)).collect()
    };
    let (sets, checked) = (sets("evidence")?, sets("check")?);
    let from = weights(matches)?;
    let found = fit::fit(&sets, &from, |step| report::print_message(step));
    if !checked.is_empty() {
        let (before, after) = (fit::objective(&checked, &from), fit::objective(&checked, &found));
        report::print_message(format_args!(
            "on the files of `--check`: {before:.4} before, {after:.4} after"
        ));
    }
    print(&format!("{}\n", serde_json::to_string_pretty(&found).unwrap_or_default()))?;
    Ok(ExitCode::SUCCESS)
}

fn kept(path: &Path) -> Result<Vec<CaseEvidence>> {
    let text = read(path)?;
    let lines = text.lines().filter(|line| !line.is_empty());
    let parsed = lines.map(serde_json::from_str).collect::<std::result::Result<_, _>>();
    parsed.map_err(|error| Error::usage(format!("invalid evidence: {error}")).with_path(path))
}
