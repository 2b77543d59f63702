//! A trial of the gate: slower tools must fail, unchanged tools must pass.
//!
//! Every run is a complete comparison of this binary with itself (see `synthetic`), including
//! second measurements. docs/benchmarks.md has the numbers.

use std::fmt::Write as _;
use std::time::Instant;

use super::callgrind;
use super::compare::{self, Settings};
use super::judge::{Row, Rules, Status, Verdict, instructions, judge, wall};
use super::options::Trial;
use super::report::{Report, Subject};
use super::synthetic;
use super::thresholds::Thresholds;

/// The repository's thresholds.
const THRESHOLDS: &str = include_str!("../thresholds.toml");

/// The number of runs of a slower tool of which one may pass.
const MISSED_ONE_OF: usize = 20;

/// The results of one tool in all runs of one kind.
#[derive(Default)]
struct Tally {
    failed: usize,
    noise: usize,
    /// The runs in which instructions alone would have failed, in both measurements.
    by_instructions: usize,
    /// The runs in which wall time alone would have failed.
    by_wall: usize,
    gated: bool,
}

/// Runs the trial and returns true if it passes.
///
/// # Errors
///
/// If nothing could be measured.
pub(crate) fn run(trial: &Trial) -> Result<bool, String> {
    let started = Instant::now();
    let thresholds = Thresholds::parse(THRESHOLDS)?;
    let folder = &trial.out;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let valgrind = callgrind::version().filter(|_| trial.instructions);
    let settings = Settings {
        profile: "synthetic".to_owned(),
        filter: None,
        counted: valgrind.is_some(),
        plan: trial.plan,
        time_limits: trial.time_limits,
        scratch: folder.clone(),
    };
    let rate = synthetic::rate();
    let mut tallies = [0, trial.slow_percent].map(|slow_percent| {
        (slow_percent, synthetic::TOOLS.map(|(tool, _)| (tool, Tally::default())))
    });
    for at in 0..trial.runs {
        for (slow_percent, tallies) in &mut tallies {
            let base = synthetic::program(rate, 0, folder)?;
            let head = synthetic::program(rate, *slow_percent, folder)?;
            let progress = |_: &str| {};
            let compared = compare::compare(Some(&base), &head, &settings, &thresholds, &progress);
            let rules = Rules { thresholds: &thresholds, waivers: &[], same_corpus: true };
            let report = Report {
                base: Subject { corpus: compared.base_corpus, ..Subject::new("synthetic".into()) },
                head: Subject {
                    corpus: compared.head_corpus,
                    ..Subject::new(format!("synthetic, {slow_percent} % slower"))
                },
                profile: settings.profile.clone(),
                valgrind: valgrind.clone(),
                rows: judge(compared.recorded, &rules),
                faults: compared.faults,
                remarks: Vec::new(),
            };
            if let Some(fault) = report.faults.first() {
                return Err(fault.clone());
            }
            report.write(&folder.join(format!("{slow_percent}-percent-{at}")))?;
            eprintln!("run {}: {}", at + 1, in_words(&report.rows, *slow_percent));
            for (tool, tally) in tallies {
                for row in report.rows.iter().filter(|row| row.recorded.tool == *tool) {
                    tally.add(row, &thresholds);
                }
            }
        }
    }
    let table = table(trial, &tallies);
    std::fs::write(folder.join("trial.md"), &table)
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    println!("{table}");
    println!("{} s for {} runs", started.elapsed().as_secs(), trial.runs * 2);
    let [(_, unchanged), (_, slower)] = &tallies;
    let missed_max = trial.runs / MISSED_ONE_OF;
    let never = unchanged.iter().all(|(_, tally)| tally.failed == 0);
    // Without valgrind, only wall time is on trial.
    let always =
        slower.iter().all(|(_, tally)| !tally.gated || tally.failed + missed_max >= trial.runs);
    Ok(never && always)
}

impl Tally {
    fn add(&mut self, row: &Row, thresholds: &Thresholds) {
        let limits = thresholds.of(&row.recorded.tool);
        self.failed += usize::from(row.status == Status::Fail);
        self.noise += usize::from(row.status == Status::Noise);
        self.gated |= row.gated.is_some_and(|gated| gated.wall || gated.instructions);
        let runs = &row.recorded.runs;
        let over = |verdict: Option<Verdict>| matches!(verdict, Some(Verdict::Over(_)));
        let counts = runs
            .iter()
            .all(|run| over(run.instructions_ratio().map(|ratio| instructions(ratio, &limits))));
        let walls = runs.iter().all(|run| over(run.wall.as_ref().ok().map(|it| wall(it, &limits))));
        self.by_instructions += usize::from(!runs.is_empty() && counts);
        self.by_wall += usize::from(!runs.is_empty() && walls);
    }
}

fn in_words(rows: &[Row], slow_percent: u32) -> String {
    let rows: Vec<String> = rows
        .iter()
        .map(|row| {
            let of = |it: &super::judge::Measured| {
                let wall = it.wall.as_ref().map_or(f64::NAN, |wall| wall.ratio);
                let counts = it.instructions_ratio().unwrap_or(f64::NAN);
                format!("{wall:.3}/{counts:.3}")
            };
            let runs: Vec<String> = row.recorded.runs.iter().map(of).collect();
            format!("{} {} ({})", row.recorded.tool, row.status.name(), runs.join(", "))
        })
        .collect();
    format!("{slow_percent} % slower: {}", rows.join("; "))
}

fn table(trial: &Trial, tallies: &[(u32, [(&str, Tally); 3]); 2]) -> String {
    let mut text = String::from(
        "| Tool | Slower by | Runs | FAIL | NOISE | over on instructions | over on wall time |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for (slow_percent, tallies) in tallies {
        for (tool, tally) in tallies {
            let _ = writeln!(
                text,
                "| {tool} | {slow_percent} % | {} | {} | {} | {} | {} |",
                trial.runs, tally.failed, tally.noise, tally.by_instructions, tally.by_wall
            );
        }
    }
    text
}
