//! The table: one line per row, with every figure, its goal and whether the goal was met.

use std::fmt::Write as _;
use std::fs;

use super::options::Options;
use super::process::Job;
use super::rows::{Figure, Goal, Row};
use super::stats::{Ratio, geometric_mean, median};
use super::tree::Tree;

/// The measured row.
pub(crate) struct Line {
    tree: String,
    name: &'static str,
    goals: Vec<Goal>,
    values: Vec<(Figure, f64)>,
    /// Lines of output.
    pub(crate) lines: usize,
    /// True if the outputs of codedb and rg differ.
    pub(crate) wrong: bool,
    /// Times of `rg`, one per run.
    pub(crate) rg_ms: Vec<f64>,
    /// Times of a strict query.
    pub(crate) strict_ms: Vec<f64>,
    /// Times of a query with `--fresh trust`.
    pub(crate) trust_ms: Vec<f64>,
    /// Times with a running watcher.
    pub(crate) watched_ms: Vec<f64>,
    /// Times of the bare sweep, of the verification and of process start.
    pub(crate) floor_parts_ms: [Vec<f64>; 3],
    /// Remarks.
    pub(crate) note: String,
}

impl Line {
    /// Creates an empty line for a row.
    pub(crate) fn new(tree: &Tree, row: &Row) -> Self {
        eprintln!("  {}", row.name);
        Self {
            tree: format!(
                "{} ({})",
                tree.root.file_name().unwrap_or_default().display(),
                tree.summary()
            ),
            name: row.name,
            goals: row.goals.clone(),
            values: Vec::new(),
            lines: 0,
            wrong: false,
            rg_ms: Vec::new(),
            strict_ms: Vec::new(),
            trust_ms: Vec::new(),
            watched_ms: Vec::new(),
            floor_parts_ms: Default::default(),
            note: String::new(),
        }
    }

    /// Records a figure.
    pub(crate) fn value(&mut self, figure: Figure, value: f64) {
        self.values.push((figure, value));
    }

    /// Returns the floor of each run.
    pub(crate) fn floor_ms(&self) -> Vec<f64> {
        let [sweep, verify, start] = &self.floor_parts_ms;
        sweep
            .iter()
            .zip(verify)
            .zip(start)
            .map(|((sweep, verify), start)| sweep + verify + start)
            .collect()
    }

    fn verdict(&self) -> String {
        if self.wrong {
            return "**WRONG**".into();
        }
        let mut parts = Vec::new();
        for goal in &self.goals {
            let measured = self.values.iter().find(|(figure, _)| *figure == goal.figure);
            let wanted = format!("bar {}, stretch {}", goal.bar, goal.stretch);
            parts.push(match measured {
                None => format!("{}: not measured", goal.figure.show(goal.bar)),
                Some((figure, value)) => {
                    let met = match (
                        figure.reaches(*value, goal.stretch),
                        figure.reaches(*value, goal.bar),
                    ) {
                        (true, _) => "stretch met",
                        (_, true) => "met",
                        _ => "**not met**",
                    };
                    format!("{}: {met} ({wanted})", figure.show(*value))
                }
            });
        }
        parts.join("; ")
    }

    fn cells(&self) -> [String; 11] {
        let time = |times: &[f64]| {
            if times.is_empty() { "–".into() } else { format!("{:.1}", median(times)) }
        };
        let ratio = |above: &[f64], below: &[f64]| {
            if above.is_empty() || below.is_empty() {
                "–".into()
            } else {
                Ratio::of(above, below).to_string()
            }
        };
        let floor = self.floor_ms();
        let parts =
            self.floor_parts_ms.each_ref().map(|times| format!("{:.1}", median(times))).join(" + ");
        let floor_cell = if floor.is_empty() {
            "–".into()
        } else {
            format!("{:.1} = {parts}", median(&floor))
        };
        let quick = if self.watched_ms.is_empty() { &self.trust_ms } else { &self.watched_ms };
        let mut verdict = self.verdict();
        if !self.note.is_empty() {
            verdict = format!("{verdict} [{}]", self.note.trim());
        }
        [
            format!("`{}`", self.name.replace('|', "\\|")),
            self.lines.to_string(),
            time(&self.rg_ms),
            time(&self.strict_ms),
            ratio(&self.rg_ms, &self.strict_ms),
            floor_cell,
            format!("{} / {}", ratio(&self.strict_ms, &floor), ratio(&self.rg_ms, &floor)),
            time(&self.trust_ms),
            time(&self.watched_ms),
            ratio(&self.rg_ms, quick),
            verdict,
        ]
    }
}

const HEADINGS: [&str; 11] = [
    "row",
    "lines",
    "rg ms",
    "strict ms",
    "rg ÷ strict (min–max)",
    "floor ms = sweep + verify + start",
    "÷ floor: ours / rg",
    "trust ms",
    "watched ms",
    "rg ÷ watched",
    "bar and stretch",
];

/// All lines so far.
pub(crate) struct Report {
    lines: Vec<Line>,
    head: String,
    /// True if a row is wrong or could not be measured.
    pub(crate) broken: bool,
}

impl Report {
    /// Creates an empty report with the names of the programs and the machine.
    pub(crate) fn new(options: &Options) -> Self {
        let version = |program: &std::path::Path| {
            let run = Job::new(program, std::path::Path::new("."), ["--version"]).run();
            let first = run.ok().map(|run| {
                String::from_utf8_lossy(&run.stdout).lines().next().unwrap_or("").to_owned()
            });
            first.filter(|line| !line.is_empty()).unwrap_or_else(|| "no version".into())
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let codedb = options.codedb.as_deref().map_or_else(|| "no codedb".into(), version);
        let head = format!(
            "{} and {codedb}, {cores} cores, {} {}, medians of {} interleaved runs, output through a pipe, warm cache.\n\
             Ratios are medians of the pairs (smallest–largest). Floor: bare sweep of the stamps, plus ripgrep's libraries\n\
             on exactly the files that match (`rg -l`), plus `--version`.\n",
            version(&options.rg),
            std::env::consts::OS,
            std::env::consts::ARCH,
            options.runs
        );
        Self { lines: Vec::new(), head, broken: false }
    }

    /// Adds a row; if it could not be measured, reports the reason and continues.
    pub(crate) fn add_or_fail(&mut self, row: &Row, outcome: Result<Line, String>) {
        match outcome {
            Ok(line) => {
                self.broken |= line.wrong;
                self.lines.push(line);
            }
            Err(message) => {
                eprintln!("compare: {}: {message}", row.name);
                self.broken = true;
            }
        }
    }

    /// Returns the geometric means of rg's time over that of codedb, of all queries of a tree that
    /// were measured both strictly and without checks.
    fn means(&self, tree: &str) -> String {
        let lines = self.lines.iter().filter(|line| line.tree == tree && !line.trust_ms.is_empty());
        let of = |times: fn(&Line) -> &[f64]| -> Vec<f64> {
            lines.clone().map(|line| Ratio::of(&line.rg_ms, times(line)).median).collect()
        };
        let (strict, trust) = (of(|line| &line.strict_ms), of(|line| &line.trust_ms));
        if strict.is_empty() {
            return String::new();
        }
        format!(
            "\nGeometric mean of rg ÷ codedb, {} queries: strict {:.2}, trust {:.2}.\n",
            strict.len(),
            geometric_mean(&strict),
            geometric_mean(&trust)
        )
    }

    /// Prints the tables and writes them to the output file.
    pub(crate) fn finish(&self, options: &Options) -> Result<(), String> {
        let mut text = self.head.clone();
        let mut tree = "";
        for (at, line) in self.lines.iter().enumerate() {
            if line.tree != tree {
                tree = &line.tree;
                write!(
                    text,
                    "\n### {tree}\n\n| {} |\n|{}\n",
                    HEADINGS.join(" | "),
                    " --- |".repeat(HEADINGS.len())
                )
                .expect("writing to a string");
            }
            writeln!(text, "| {} |", line.cells().join(" | ")).expect("writing to a string");
            let is_last = self.lines.get(at + 1).is_none_or(|next| next.tree != line.tree);
            if is_last {
                text.push_str(&self.means(tree));
            }
        }
        print!("{text}");
        match &options.markdown {
            Some(path) => {
                fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
            }
            None => Ok(()),
        }
    }
}
