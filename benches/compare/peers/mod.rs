//! `--peers`: codedb compared with other installed search programs, with the same work in one run.
//!
//! `programs` finds the peers, `stage` copies the tree for all of them, `index` measures their
//! indexes, `search`, `symbols` and `codegraph` run the queries, `race` measures the time and
//! writes the table. `lines` and `answers` parse the output, so that results are compared before
//! they are timed; both are pure functions, and the integration tests include them.

mod answers;
mod codegraph;
mod index;
mod lines;
mod programs;
mod queries;
mod race;
mod search;
mod stage;
mod symbols;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;

use super::options::Options;
use super::process::Job;
use super::watch::Watcher;
use programs::{Program, Programs};
use race::{Lane, Race, STRICT, WATCHED};
use stage::Stage;

/// The shared settings of a comparison.
struct Setting<'a> {
    options: &'a Options,
    programs: &'a Programs,
    stage: &'a Stage,
    /// The program under test.
    codedb: &'a Path,
}

/// Compares on all trees and prints the tables. The exit code is 1 if codedb is wrong or a tree
/// could not be compared.
pub(crate) fn compare(options: &Options) -> ExitCode {
    let Some(codedb) = &options.codedb else {
        eprintln!("compare: `--peers` needs codedb, so not `--rg-only`");
        return ExitCode::from(2);
    };
    let programs = Programs::find(options);
    let (mut text, mut is_broken) = (head(options, codedb, &programs), false);
    for (number, root) in options.trees.iter().enumerate() {
        let tables = Stage::set(options, &programs, root, number).and_then(|stage| {
            compare_tree(&Setting { options, programs: &programs, stage: &stage, codedb })
        });
        match tables {
            Ok((tables, is_right)) => {
                text.push_str(&tables);
                is_broken |= !is_right;
            }
            Err(message) => {
                eprintln!("compare: {}: {message}", root.display());
                is_broken = true;
            }
        }
    }
    if let Some(absent) = programs.absent() {
        write!(text, "\n{absent}\n").expect("writing to a string");
    }
    print!("{text}");
    if let Some(path) = &options.markdown
        && let Err(error) = fs::write(path, text)
    {
        eprintln!("compare: {}: {error}", path.display());
        is_broken = true;
    }
    ExitCode::from(u8::from(is_broken))
}

/// Returns the tables of one tree, and whether codedb's results equal ripgrep's without a failure.
fn compare_tree(setting: &Setting) -> Result<(String, bool), String> {
    let (options, stage) = (setting.options, setting.stage);
    eprintln!("{}: {}", stage.name, stage.tree.summary());
    let mut builds = index::all(setting)?;

    let watcher = Watcher::start(options, &stage.tree);
    let searches = search::races(setting, &builds, watcher.is_alive())?;
    let symbols = symbols::races(setting, &builds, watcher.is_alive());
    drop(watcher);

    // Files that it writes into the copy must not wake a watcher during a measurement.
    builds.extend(codegraph::build(setting)?);
    let mut calls = Vec::new();
    if index::trouble(&builds, Program::Codegraph).is_none() {
        let watcher = Watcher::start(options, &stage.tree);
        calls = codegraph::races(setting, watcher.is_alive());
    }

    let mut text = format!("\n### {} ({})\n", stage.name, stage.tree.summary());
    let tables = [
        (race::table(&searches, "search", "lines"), !searches.is_empty()),
        (index::table(&builds, stage.tree.text_bytes), !builds.is_empty()),
        (race::table(&symbols, "definitions of", "places"), !symbols.is_empty()),
        (race::table(&calls, "codegraph's questions", "callers"), !calls.is_empty()),
    ];
    for (table, _) in tables.into_iter().filter(|(_, is_selected)| *is_selected) {
        write!(text, "\n{table}").expect("writing to a string");
    }
    let is_right = [searches, symbols, calls].iter().flatten().all(|race| race.is_right);
    Ok((text, is_right))
}

fn head(options: &Options, codedb: &Path, programs: &Programs) -> String {
    let version = Job::new(codedb, Path::new("."), ["--version"]).run().map(|run| run.stdout);
    let version = String::from_utf8_lossy(&version.unwrap_or_default()).into_owned();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{} beside {}; {cores} cores, {} {}. Milliseconds are medians of {} interleaved runs of whole processes,\n\
         output through a pipe, warm cache. In parentheses: how many times codedb's time that is, strict / watched\n\
         (medians of the pairs). Every tree is a copy of the files that ripgrep searches, all of them tracked by git.\n\
         Results are compared with ripgrep's as (path, line number, line).\n",
        version.lines().next().unwrap_or("codedb"),
        programs.versions(),
        std::env::consts::OS,
        std::env::consts::ARCH,
        options.runs
    )
}

impl Setting<'_> {
    /// Returns the lanes of a tool of codedb: a strict call and, if a watcher runs, a watched call.
    fn lanes(&self, args: &[&str], is_watched: bool) -> Vec<Lane> {
        let lane = |name, fresh| Lane::new(name, self.tool(args, fresh));
        let mut lanes = vec![lane(STRICT, "strict")];
        lanes.extend(is_watched.then(|| lane(WATCHED, "watch")));
        lanes
    }

    fn tool(&self, args: &[&str], fresh: &str) -> Job {
        let mut job = Job::new(self.codedb, &self.stage.tree.root, args);
        job.args.extend(["--json", "--no-background", "--fresh", fresh, "--root"].map(Into::into));
        job.args.push(self.stage.tree.root.clone().into());
        job.args.extend(["--index-dir".into(), self.stage.tree.index_dir.clone().into()]);
        job
    }

    /// Runs a race to completion.
    fn finish(&self, mut race: Race) -> Race {
        eprintln!("  {}", race.question);
        race.run(self.options.runs);
        race
    }
}

/// Runs a job and parses its reply; a reply that is not JSON (codegraph's message for "nothing
/// found") is null.
fn reply(job: &Job) -> Result<Value, String> {
    Ok(serde_json::from_slice(&job.run()?.answered(job)?.stdout).unwrap_or_default())
}

/// Queries codedb for `name`; `None` if it has no definition, which is not a failure.
fn our_reply(job: &Job, name: &str) -> Result<Option<Value>, String> {
    let run = job.run()?;
    if answers::is_unknown(run.code, &run.stderr, name) {
        return Ok(None);
    }
    let stdout = run.answered(job)?.stdout;
    let reply = serde_json::from_slice(&stdout);
    reply.map(Some).map_err(|error| format!("codedb's reply about `{name}` is not JSON: {error}"))
}
