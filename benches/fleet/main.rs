//! `cargo bench --bench fleet -- --config FILE …`: what tools over a fleet answer, against work trees of the
//! same commits.
//!
//! The fleet is that of FILE, a `codedb.toml`. Each question set is a file of JSON lines:
//!
//! - `--patterns FILE --trees DIR`: `{"pattern", "regex"}`. Every pattern is searched in the fleet, without
//!   limits, and in the work trees below DIR, whose paths there are the names of the repositories. Compared
//!   are the numbers of matching lines of every file that the nodes have a text of. Prints differences, and
//!   the time that codedb adds to the slowest node's own when a client searches.
//! - `--commits FILE`: `{"repository", "message", "files"}`. The message is the task of a context; counts
//!   whether the repository is among the first three and one of the files among the first five.
//! - `--exported FILE`: `{"repository", "file", "name", "callers": [{"repository", "file", "line"}]}`. Counts
//!   which callers of a definition are found in other repositories.
//!
//! `--first N` takes only the first N of a set; `--show` prints what is missing.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints its tables")]

mod answers;
mod reference;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use codedb::fleet::client::Client;
use codedb::fleet::cluster::Cluster;
use codedb::fleet::config::Fleet;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::answers::{Asked, callers, context, left_out, of_nodes, search, search_all};

/// A result, or why there is none.
type Outcome<T> = Result<T, String>;

#[derive(Deserialize)]
struct PatternQuestion {
    pattern: String,
    regex: bool,
}

#[derive(Deserialize)]
struct CommitQuestion {
    repository: String,
    message: String,
    files: Vec<String>,
}

#[derive(Deserialize)]
struct ExportedQuestion {
    repository: String,
    file: String,
    name: String,
    callers: Vec<Place>,
}

#[derive(Deserialize)]
struct Place {
    repository: String,
    file: String,
    line: usize,
}

#[derive(Default)]
struct Options {
    config: Option<PathBuf>,
    patterns: Option<PathBuf>,
    trees: Option<PathBuf>,
    commits: Option<PathBuf>,
    exported: Option<PathBuf>,
    first: Option<usize>,
    shows: bool,
}

fn options() -> Outcome<Options> {
    let mut options = Options::default();
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    while let Some(word) = words.next() {
        if word == "--show" {
            options.shows = true;
            continue;
        }
        let value = words.next().ok_or_else(|| format!("`{word}` needs a value"))?;
        match word.as_str() {
            "--config" => options.config = Some(value.into()),
            "--patterns" => options.patterns = Some(value.into()),
            "--trees" => options.trees = Some(value.into()),
            "--commits" => options.commits = Some(value.into()),
            "--exported" => options.exported = Some(value.into()),
            "--first" => {
                options.first = Some(value.parse().map_err(|_| format!("`{value}` is no number"))?);
            }
            _ => return Err(format!("unknown option `{word}`")),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("fleet: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Outcome<()> {
    let Some(config) = &options.config else {
        println!("no fleet: pass `--config FILE`");
        return Ok(());
    };
    let text = read(config)?;
    let fleet = Fleet::of_text(&text).map_err(|why| format!("{}: {why}", config.display()))?;
    let fleet = fleet.ok_or_else(|| format!("{} has no table `[fleet]`", config.display()))?;
    let client = Client::new(fleet, None).map_err(|error| error.to_string())?;
    let cluster = Cluster::new(client);
    if let (Some(file), Some(trees)) = (&options.patterns, &options.trees) {
        patterns(&cluster, &questions(file, options)?, trees, options)?;
    }
    if let Some(file) = &options.commits {
        commits(&cluster, &questions(file, options)?, options);
    }
    if let Some(file) = &options.exported {
        exported(&cluster, &questions(file, options)?, options);
    }
    Ok(())
}

fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn questions<T: DeserializeOwned>(file: &Path, options: &Options) -> Outcome<Vec<T>> {
    let text = read(file)?;
    let lines = text.lines().filter(|line| !line.is_empty()).enumerate();
    let parsed = lines.map(|(at, line)| {
        serde_json::from_str(line)
            .map_err(|error| format!("{}:{}: {error}", file.display(), at + 1))
    });
    parsed.take(options.first.unwrap_or(usize::MAX)).collect()
}

/// Prints how many patterns have the same lines in the fleet and in the trees, and the times.
fn patterns(
    cluster: &Cluster,
    questions: &[PatternQuestion],
    trees: &Path,
    options: &Options,
) -> Outcome<()> {
    let left_out = left_out(cluster)?;
    let (mut equal, mut refused, mut different) = (0, 0, Vec::new());
    let (mut unsearched, mut times) = (0, Times::default());
    for question in questions {
        let found = search_all(cluster, &question.pattern, question.regex);
        let found = match found {
            Ok(found) => found,
            Err(why) => {
                refused += 1;
                println!("refused: {:?}: {why}", question.pattern);
                continue;
            }
        };
        times.measure(cluster, question)?;
        let mut expected = reference::counts(trees, &question.pattern, question.regex)?;
        let all = expected.len();
        expected.retain(|path, _| !left_out.contains(path));
        unsearched += all - expected.len();
        let differences = differences(&found.counts, &expected);
        if differences.is_empty() {
            equal += 1;
        } else {
            different.push((question, differences, found.doubts));
        }
    }
    println!("patterns: {equal} equal, {} different, {refused} refused", different.len());
    println!(
        "left out of the comparison: {unsearched} matching files that nodes know by name only"
    );
    for (question, differences, doubts) in &different {
        println!(
            "{:?} (regex {}): {} files differ",
            question.pattern,
            question.regex,
            differences.len()
        );
        for (file, found, expected) in differences.iter().take(if options.shows { 20 } else { 3 }) {
            println!("    {file}: {found} lines in the fleet, {expected} in the tree");
        }
        doubts.iter().for_each(|doubt| println!("    doubt: {doubt}"));
    }
    times.print();
    Ok(())
}

/// Times of searches within the default limits.
#[derive(Default)]
struct Times {
    /// The whole call.
    whole: Vec<Duration>,
    /// Until the slowest node has sent the texts that the call asks for.
    fetched: Vec<Duration>,
    /// Of the whole call, what is not waiting for texts.
    added: Vec<Duration>,
    /// Until the slowest node has sent only the matching lines.
    lines: Vec<Duration>,
}

impl Times {
    fn measure(&mut self, cluster: &Cluster, question: &PatternQuestion) -> Outcome<()> {
        let asked = Asked::new(cluster);
        let started = Instant::now();
        search(&asked, &question.pattern, question.regex)?;
        let took = started.elapsed();
        self.whole.push(took);
        self.fetched.push(asked.slowest());
        self.added.push(took.saturating_sub(asked.slowest()));
        self.lines.push(of_nodes(cluster, &question.pattern, question.regex)?);
        Ok(())
    }

    fn print(self) {
        times("search, whole call", self.whole);
        times("search, slowest node", self.fetched);
        times("search, added to the slowest node", self.added);
        times("lines only, slowest node without codedb", self.lines);
    }
}

/// Returns the files whose numbers of matching lines differ.
fn differences(
    found: &BTreeMap<String, usize>,
    expected: &BTreeMap<String, usize>,
) -> Vec<(String, usize, usize)> {
    let mut all: Vec<&String> = found.keys().chain(expected.keys()).collect();
    all.sort();
    all.dedup();
    let count = |of: &BTreeMap<String, usize>, file: &String| of.get(file).copied().unwrap_or(0);
    let both =
        all.into_iter().map(|file| (file.clone(), count(found, file), count(expected, file)));
    both.filter(|(_, found, expected)| found != expected).collect()
}

fn times(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at =
        |share: usize| times.get((times.len() * share / 100).min(times.len().saturating_sub(1)));
    let ms = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1000.0);
    let (p50, p95, p99) = (ms(at(50)), ms(at(95)), ms(at(99)));
    println!("{what}: p50 {p50:.1} ms, p95 {p95:.1} ms, p99 {p99:.1} ms");
}

/// Prints how often a context has the repository and a file of a commit.
fn commits(cluster: &Cluster, questions: &[CommitQuestion], options: &Options) {
    let (mut repositories, mut files, mut took) = (0, 0, Vec::new());
    for question in questions {
        let started = Instant::now();
        let asked = Asked::new(cluster);
        let ranked = match context(&asked, &question.message) {
            Ok(ranked) => ranked,
            Err(why) => {
                println!("failed: {:?}: {why}", question.message);
                continue;
            }
        };
        took.push(started.elapsed());
        let mut seen: Vec<&str> = Vec::new();
        for path in &ranked {
            let repository = reference::repository(path);
            if !seen.contains(&repository) {
                seen.push(repository);
            }
        }
        let has_repository = seen.iter().take(3).any(|name| question.repository.ends_with(name));
        let is_file = |path: &&String| {
            question.files.iter().any(|file| reference::is_file(path, &question.repository, file))
        };
        let has_file = ranked.iter().take(5).any(|path| is_file(&path));
        repositories += usize::from(has_repository);
        files += usize::from(has_file);
        if options.shows && !has_file {
            println!(
                "{} {:?}\n    {:?}\n    {ranked:?}",
                question.repository, question.message, question.files
            );
        }
    }
    let all = questions.len().max(1);
    println!(
        "commits: repository in the first 3: {repositories} of {all} ({} %); file in the first 5: {files} ({} %)",
        repositories * 100 / all,
        files * 100 / all
    );
    times("context", took);
}

/// Prints how many callers in other repositories are found.
fn exported(cluster: &Cluster, questions: &[ExportedQuestion], options: &Options) {
    let (mut right, mut wanted, mut counted, mut took) = (0, 0, 0, Vec::new());
    for question in questions {
        let started = Instant::now();
        let asked = Asked::new(cluster);
        let found = match callers(&asked, &question.repository, &question.file, &question.name) {
            Ok(found) => found,
            Err(why) => {
                println!("failed: {} {}: {why}", question.repository, question.name);
                wanted += question.callers.len();
                continue;
            }
        };
        took.push(started.elapsed());
        for place in &question.callers {
            let is_it = |(path, line): &(String, usize)| {
                reference::is_of(path, &place.repository)
                    && path.ends_with(&place.file)
                    && *line == place.line
            };
            wanted += 1;
            if found.places.iter().any(is_it) {
                right += 1;
            } else if options.shows {
                println!(
                    "missing: {} in {} {}:{}",
                    question.name, place.repository, place.file, place.line
                );
            }
        }
        counted += found.doubts.len();
    }
    println!("callers: {right} of {wanted} found; {counted} doubts stated");
    times("callers", took);
}
