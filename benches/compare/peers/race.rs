//! Several programs with the same query: alternating runs, and a line of a table.

use std::fmt::Write as _;

use super::super::process::Job;
use super::super::stats::{Ratio, median, ms};

/// One program and its runs for one query.
pub(crate) struct Lane {
    /// The column of the table.
    pub(crate) name: &'static str,
    /// The command.
    pub(crate) job: Job,
    /// The times of the runs.
    times_ms: Vec<f64>,
}

/// A query, its programs, and whether their results agree.
pub(crate) struct Race {
    /// The query.
    pub(crate) question: String,
    /// The number of results.
    pub(crate) found: String,
    /// The programs; codedb's come first.
    pub(crate) lanes: Vec<Lane>,
    /// The differences.
    pub(crate) results: Vec<String>,
    /// False once codedb was wrong or failed.
    pub(crate) is_right: bool,
}

/// The column of a strict query.
pub(crate) const STRICT: &str = "codedb strict";
/// The column of a query while a watcher runs.
pub(crate) const WATCHED: &str = "codedb watched";

impl Lane {
    /// Creates a lane without runs.
    pub(crate) fn new(name: &'static str, job: Job) -> Self {
        Self { name, job, times_ms: Vec::new() }
    }

    /// Returns true if this is a lane of codedb.
    pub(crate) fn is_ours(&self) -> bool {
        [STRICT, WATCHED].contains(&self.name)
    }
}

impl Race {
    /// Creates a race without lanes.
    pub(crate) fn new(question: String) -> Self {
        let found = "–".to_owned();
        Self { question, found, lanes: Vec::new(), results: Vec::new(), is_right: true }
    }

    /// Runs all lanes `runs` times in alternating order. A program that fails is reported and
    /// removed; if it is one of codedb's lanes, the race is wrong.
    pub(crate) fn run(&mut self, runs: usize) {
        let mut failures = Vec::new();
        for round in 0..runs {
            let count = self.lanes.len();
            for at in 0..count {
                let lane = &mut self.lanes[if round % 2 == 0 { at } else { count - 1 - at }];
                if failures.iter().any(|(name, _)| *name == lane.name) {
                    continue;
                }
                match lane.job.drain().and_then(|run| run.answered(&lane.job)) {
                    Ok(run) => lane.times_ms.push(ms(run.wall)),
                    Err(message) => failures.push((lane.name, message)),
                }
            }
        }
        for (name, message) in failures {
            self.fail(name, &message);
        }
    }

    /// Removes a program that failed.
    pub(crate) fn fail(&mut self, name: &str, message: &str) {
        eprintln!("compare: {}: {message}", self.question);
        self.results.push(format!("{name} failed"));
        self.is_right &= ![STRICT, WATCHED].contains(&name);
        self.lanes.retain(|lane| lane.name != name);
    }

    fn times(&self, name: &str) -> &[f64] {
        self.lanes.iter().find(|lane| lane.name == name).map_or(&[], |lane| &lane.times_ms)
    }

    /// Formats milliseconds and, for a peer, the ratios to codedb: strict and watched.
    fn cell(&self, name: &str) -> String {
        let times = self.times(name);
        if times.is_empty() {
            return "–".into();
        }
        let mut text = format!("{:.1}", median(times));
        if name == STRICT || name == WATCHED {
            return text;
        }
        let over = |ours: &[f64]| {
            if ours.is_empty() { "–".into() } else { times_over(Ratio::of(times, ours).median) }
        };
        write!(text, " ({} / {})", over(self.times(STRICT)), over(self.times(WATCHED)))
            .expect("writing to a string");
        text
    }
}

/// Formats a ratio with three significant digits.
fn times_over(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.2}×") } else { format!("{ratio:.1}×") }
}

/// Writes the races as a table with one column per program, without columns that never ran.
pub(crate) fn table(races: &[Race], query_heading: &str, result_heading: &str) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for lane in races.iter().flat_map(|race| &race.lanes) {
        if !columns.contains(&lane.name) {
            columns.push(lane.name);
        }
    }
    let mut text = format!(
        "| {query_heading} | {result_heading} | {} | results |\n| --- | ---: |{} --- |\n",
        columns.join(" | "),
        " ---: |".repeat(columns.len())
    );
    for race in races {
        let cells: Vec<String> = columns.iter().map(|column| race.cell(column)).collect();
        let results =
            if race.results.is_empty() { "the same".into() } else { race.results.join("; ") };
        writeln!(
            text,
            "| {} | {} | {} | {results} |",
            race.question.replace('|', "\\|"),
            race.found,
            cells.join(" | ")
        )
        .expect("writing to a string");
    }
    text
}
