//! The output: Markdown, JSON, GitHub's annotations.
//!
//! Names of cases are plain (see `protocol`). All other text from an executable or a commit is
//! escaped when it is written, since the page is public.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::judge::{Counts, Measured, Row, Rules, Status, percent};
use super::waivers::CORPUS;

/// A GitHub comment has at most 65,536 characters; longer reports drop rows that are `OK`.
const MARKDOWN_BYTES_MAX: usize = 60_000;

/// The maximum length of a note.
const NOTE_CHARS_MAX: usize = 400;

/// One side, as the report describes it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subject {
    /// The displayed name.
    pub(crate) name: String,
    /// The commit, if there is one.
    pub(crate) commit: Option<String>,
    /// The commit date.
    pub(crate) committed: Option<String>,
    /// The hash of its corpus.
    pub(crate) corpus: Option<String>,
}

/// A finished comparison.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    /// The base revision.
    pub(crate) base: Subject,
    /// The head revision.
    pub(crate) head: Subject,
    /// The size of the corpus.
    pub(crate) profile: String,
    /// The program that counted the instructions; `None` if they were not counted.
    pub(crate) valgrind: Option<String>,
    /// The table.
    pub(crate) rows: Vec<Row>,
    /// The reasons why the whole comparison is void.
    pub(crate) faults: Vec<String>,
    /// Remarks.
    pub(crate) remarks: Vec<String>,
}

impl Subject {
    /// Creates a subject with a name.
    pub(crate) fn new(name: String) -> Self {
        Self { name, ..Self::default() }
    }
}

impl Report {
    /// Creates the report of a comparison that could not start.
    pub(crate) fn of_fault(fault: String, profile: &str) -> Self {
        Self {
            base: Subject::new("base".to_owned()),
            head: Subject::new("head".to_owned()),
            profile: profile.to_owned(),
            valgrind: None,
            rows: Vec::new(),
            faults: vec![fault],
            remarks: Vec::new(),
        }
    }

    /// Returns true if the head fails the gate.
    pub(crate) fn fails(&self) -> bool {
        !self.faults.is_empty() || self.rows.iter().any(|row| row.status.fails())
    }

    /// Adds remarks about unused waivers, and about thresholds for tools without cases.
    pub(crate) fn remark_on(&mut self, rules: &Rules<'_>) {
        if !self.faults.is_empty() {
            return;
        }
        for waiver in rules.waivers {
            let case = &waiver.case;
            let row = self.rows.iter().find(|row| row.recorded.name == *case);
            match row {
                Some(row) if row.status == Status::Waived => {}
                Some(row) => self.remarks.push(format!(
                    "The waiver of `{case}` is not needed: the case is {}.",
                    row.status.name()
                )),
                None if case == CORPUS && !rules.same_corpus => {}
                None if case == CORPUS => self.remarks.push(
                    "The waiver of `corpus` is not needed: the corpus is the same.".to_owned(),
                ),
                None => self.remarks.push(format!("The waiver of `{case}` matches no case.")),
            }
        }
        let tools: BTreeSet<&str> =
            self.rows.iter().map(|row| row.recorded.tool.as_str()).collect();
        for tool in rules.thresholds.named().filter(|tool| !tools.contains(tool)) {
            self.remarks
                .push(format!("There are thresholds for `{tool}`, which has no case here."));
        }
    }

    /// Writes `report.md`, `report.json` and `annotations.txt` into a directory.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub(crate) fn write(&self, directory: &Path) -> Result<(), String> {
        let fail = |error: std::io::Error| format!("{}: {error}", directory.display());
        std::fs::create_dir_all(directory).map_err(fail)?;
        let json = serde_json::to_string_pretty(&self.json()).map_err(|error| error.to_string())?;
        std::fs::write(directory.join("report.json"), json + "\n").map_err(fail)?;
        std::fs::write(directory.join("annotations.txt"), self.annotations()).map_err(fail)?;
        std::fs::write(directory.join("report.md"), self.markdown()).map_err(fail)
    }

    /// Returns the table with its notes and remarks.
    pub(crate) fn markdown(&self) -> String {
        let whole = self.markdown_of(|_| true);
        if whole.len() <= MARKDOWN_BYTES_MAX {
            return whole;
        }
        let left_out = self.rows.iter().filter(|row| row.status == Status::Ok).count();
        let mut text = self.markdown_of(|row| row.status != Status::Ok);
        let _ = writeln!(text, "\n{left_out} cases that are OK are left out; report.json has all.");
        while text.len() > MARKDOWN_BYTES_MAX {
            let line = text.trim_end().rfind('\n').unwrap_or(0);
            text.truncate(line + 1);
        }
        text
    }

    fn markdown_of(&self, wanted: impl Fn(&Row) -> bool) -> String {
        let mut text = format!("## Benchmarks: {}\n\n", self.headline());
        let corpus = self.head.corpus.as_deref().unwrap_or("none");
        let _ = writeln!(
            text,
            "Base {}, head {}; corpus {} ({}); {}.\n",
            harmless(&self.base.name),
            harmless(&self.head.name),
            harmless(corpus),
            harmless(&self.profile),
            self.machine(),
        );
        for fault in &self.faults {
            let _ = writeln!(text, "**{}**\n", harmless(fault));
        }
        for remark in &self.remarks {
            let _ = writeln!(text, "{}\n", harmless(remark));
        }
        if !self.rows.is_empty() {
            text += "| Tool | Base (ns) | Head (ns) | Delta | Abs Delta (ns) | Instructions | Status |\n";
            text += "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n";
        }
        for row in self.rows.iter().filter(|row| wanted(row)) {
            let [base, head, delta, difference] = wall_cells(row);
            let _ = writeln!(
                text,
                "| {} | {base} | {head} | {delta} | {difference} | {} | {} |",
                row.recorded.name,
                instructions_cell(row),
                status_cell(row)
            );
        }
        let noted: Vec<&Row> =
            self.rows.iter().filter(|row| !row.notes.is_empty() && wanted(row)).collect();
        if !noted.is_empty() {
            text.push('\n');
        }
        for row in noted {
            let notes: Vec<String> = row.notes.iter().map(|note| harmless(note)).collect();
            let name = &row.recorded.name;
            let _ = writeln!(text, "- `{name}`, {}: {}.", row.status.name(), notes.join("; "));
        }
        text
    }

    /// Returns all measurements.
    pub(crate) fn json(&self) -> Value {
        let subject = |subject: &Subject| {
            json!({
                "name": subject.name,
                "commit": subject.commit,
                "committed": subject.committed,
                "corpus": subject.corpus,
            })
        };
        json!({
            "version": 1,
            "fails": self.fails(),
            "base": subject(&self.base),
            "head": subject(&self.head),
            "profile": self.profile,
            "valgrind": self.valgrind,
            "machine": self.machine(),
            "faults": self.faults,
            "remarks": self.remarks,
            "cases": self.rows.iter().map(case_json).collect::<Vec<_>>(),
        })
    }

    /// Returns GitHub's workflow commands that annotate the run.
    pub(crate) fn annotations(&self) -> String {
        let mut text = String::new();
        for fault in &self.faults {
            let _ = writeln!(text, "::error title=benchmarks::{}", escaped(fault));
        }
        for row in &self.rows {
            let kind = match row.status {
                Status::Fail | Status::Removed | Status::Incomparable => "error",
                Status::Waived => "notice",
                Status::Ok | Status::Noise | Status::New => continue,
            };
            let message = format!("{}: {}", row.status.name(), row.notes.join("; "));
            let title = escaped(&row.recorded.name).replace(':', "%3A").replace(',', "%2C");
            let _ = writeln!(text, "::{kind} title={title}::{}", escaped(&message));
        }
        for remark in &self.remarks {
            let _ = writeln!(text, "::warning title=benchmarks::{}", escaped(remark));
        }
        text
    }

    fn headline(&self) -> String {
        let failed = self.rows.iter().filter(|row| row.status.fails()).count();
        match (self.faults.is_empty(), failed) {
            (false, _) => "nothing was compared".to_owned(),
            (true, 0) if self.rows.len() == 1 => "the one case passes".to_owned(),
            (true, 0) => format!("all {} cases pass", self.rows.len()),
            (true, 1) => format!("1 of {} cases fails", self.rows.len()),
            (true, _) => format!("{failed} of {} cases fail", self.rows.len()),
        }
    }

    fn machine(&self) -> String {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let counted = self.valgrind.as_deref().unwrap_or("instructions not counted");
        let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
        format!("{system} {processor}, {processors} processors, {counted}")
    }
}

fn wall_cells(row: &Row) -> [String; 4] {
    let nothing = || "–".to_owned();
    let Some(Ok(wall)) = row.shown().map(|run| run.wall.as_ref()) else {
        return [nothing(), nothing(), nothing(), nothing()];
    };
    let number = |value: f64| if value.is_finite() { grouped(value) } else { nothing() };
    let (delta, difference) = if wall.pairs == 0 {
        (nothing(), nothing())
    } else {
        let delta =
            format!("{} ({} … {})", percent(wall.ratio), percent(wall.low), percent(wall.high));
        (delta.replace(" %", "%"), number(wall.base_ns * (wall.ratio - 1.0)))
    };
    [number(wall.base_ns), number(wall.head_ns), delta, difference]
}

fn instructions_cell(row: &Row) -> String {
    let Some(run) = row.shown() else { return "–".to_owned() };
    if let Some(ratio) = run.instructions_ratio() {
        return percent(ratio).replace(" %", "%");
    }
    match &run.counts {
        Some(
            Counts { head: Some(Ok(only)), base: None }
            | Counts { base: Some(Ok(only)), head: None },
        ) => grouped(*only as f64),
        _ => "–".to_owned(),
    }
}

/// The status, with a suffix if instructions were not gated.
fn status_cell(row: &Row) -> String {
    let gates = match row.gated {
        Some(gated) if !gated.instructions && gated.wall => " (wall time only)",
        Some(gated) if !gated.instructions => " (not gated)",
        _ => "",
    };
    if row.status.fails() {
        format!("**{}**{gates}", row.status.name())
    } else {
        format!("{}{gates}", row.status.name())
    }
}

fn case_json(row: &Row) -> Value {
    json!({
        "name": row.recorded.name,
        "tool": row.recorded.tool,
        "status": row.status.name(),
        "unwaived": row.unwaived.name(),
        "gated": row.gated.map(|gated| {
            json!({ "instructions": gated.instructions, "wall": gated.wall })
        }),
        "notes": row.notes,
        "runs": row.recorded.runs.iter().map(run_json).collect::<Vec<_>>(),
    })
}

fn run_json(run: &Measured) -> Value {
    let wall = match &run.wall {
        Ok(wall) => json!({
            "base_ns": wall.base_ns,
            "head_ns": wall.head_ns,
            "ratio": wall.ratio,
            "low": wall.low,
            "high": wall.high,
            "pairs": wall.pairs,
            "iterations": wall.iterations,
        }),
        Err(fault) => json!({ "fault": fault.what, "side": fault.side.name() }),
    };
    let count = |count: &Option<Result<u64, String>>| match count {
        Some(Ok(instructions)) => json!(instructions),
        Some(Err(fault)) => json!({ "fault": fault }),
        None => Value::Null,
    };
    let counts = run
        .counts
        .as_ref()
        .map(|counts| json!({ "base": count(&counts.base), "head": count(&counts.head) }));
    json!({ "wall": wall, "instructions": counts })
}

/// Formats nanoseconds with grouped digits.
pub(crate) fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0.0 && digits != "0" { format!("-{text}") } else { text }
}

/// Escapes a text for Markdown, without mentions of users; `code` is kept.
fn harmless(text: &str) -> String {
    let mut safe = String::new();
    for character in text.chars().filter(|it| !it.is_control()).take(NOTE_CHARS_MAX) {
        match character {
            '<' => safe += "&lt;",
            '@' => safe += "&#64;",
            '|' | '[' | ']' | '*' | '!' | '\\' => {
                safe.push('\\');
                safe.push(character);
            }
            other => safe.push(other),
        }
    }
    // An unpaired backtick would quote the following text.
    if safe.matches('`').count() % 2 == 1 { safe.replace('`', "'") } else { safe }
}

/// Escapes the characters that end a workflow command.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}
