//! The numbers of many runs: one line of JSON each.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::judge::Measured;
use super::report::Report;

/// The results of the head in one run.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Line {
    /// The commit; empty for an executable without one.
    pub(crate) commit: String,
    /// The commit date.
    pub(crate) committed: String,
    /// The corpus; lines of different corpora are not plotted together.
    pub(crate) corpus: String,
    /// Its size.
    pub(crate) profile: String,
    /// The cases by name.
    pub(crate) cases: BTreeMap<String, Point>,
}

/// One case of one run.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Point {
    /// Its tool.
    pub(crate) tool: String,
    /// Median nanoseconds of a call.
    pub(crate) nanoseconds: Option<f64>,
    /// Instructions of a call.
    pub(crate) instructions: Option<u64>,
}

/// Appends the head's numbers to a file and creates it if needed.
///
/// # Errors
///
/// If the file cannot be written.
pub(crate) fn append(report: &Report, file: &Path) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("{}: {error}", file.display());
    let mut text = serde_json::to_string(&line(report)).map_err(|error| error.to_string())?;
    text.push('\n');
    let mut file = OpenOptions::new().append(true).create(true).open(file).map_err(fail)?;
    file.write_all(text.as_bytes()).map_err(fail)
}

/// Reads the lines of a history; returns them and the number of invalid ones.
pub(crate) fn parse(text: &str) -> (Vec<Line>, usize) {
    let lines: Vec<Option<Line>> =
        text.lines().map(|line| serde_json::from_str(line).ok()).collect();
    let broken = lines.iter().filter(|line| line.is_none()).count();
    (lines.into_iter().flatten().collect(), broken)
}

/// Returns the line of one report.
pub(crate) fn line(report: &Report) -> Line {
    let head = &report.head;
    let point = |run: Option<&Measured>| {
        let head_ns = run.and_then(|run| run.wall.as_ref().ok()).map(|wall| wall.head_ns);
        let counts = run.and_then(|run| run.counts.as_ref());
        let instructions = counts.and_then(|counts| counts.head.as_ref()?.as_ref().ok()).copied();
        (head_ns.filter(|nanoseconds| nanoseconds.is_finite()), instructions)
    };
    let with_head = report.rows.iter().filter(|row| row.recorded.head_reply.is_some());
    let cases = with_head.map(|row| {
        let (nanoseconds, instructions) = point(row.shown());
        let tool = row.recorded.tool.clone();
        (row.recorded.name.clone(), Point { tool, nanoseconds, instructions })
    });
    Line {
        commit: head.commit.clone().unwrap_or_default(),
        committed: head.committed.clone().unwrap_or_default(),
        corpus: head.corpus.clone().unwrap_or_default(),
        profile: report.profile.clone(),
        cases: cases.collect(),
    }
}
