//! Runs cases for the regression report: lines of JSON on standard input and output.
//!
//! The first line describes the corpus and each case with the hash of its reply. Then each input
//! line (`{"case": "tool/search/rare", "iterations": 100}`) runs a case, and the output line is the
//! time of the run (`{"nanoseconds": 1234}`). A reply that differs from the blessed one is reported
//! and is not an error, because the report compares two builds.

use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

use serde::Deserialize;
use serde_json::json;

use super::case::{Case, Mode};
use super::case_file::CaseFile;
use super::corpus::{Outcome, checksum};
use super::options::Options;
use super::set;
use super::stage::Stage;

/// Incremented when the meaning of a line changes.
const PROTOCOL: u32 = 1;

#[derive(Deserialize)]
struct Request {
    case: String,
    iterations: u64,
}

/// Serves until standard input ends.
///
/// # Errors
///
/// If the preparation fails, or the output is closed.
pub(crate) fn run(stage: &Stage, files: &[CaseFile], options: &Options) -> Outcome<()> {
    let set = set::some_cases(stage, files, options, Mode::Watched)?;
    let cases = &set.cases;
    let root = stage.root();
    let mut listed = Vec::new();
    for case in cases {
        // A failing case has no reply, and is not equal to any other.
        let (reply, error) = match case.run() {
            Ok(made) => (checksum::of_text(&made.plain(&root)), None),
            Err(error) => (String::new(), Some(error)),
        };
        let expected = case.expected.as_ref().and_then(|expected| expected.hash.clone());
        listed.push(json!({
            "name": case.name,
            "tool": case.tool,
            "reply": reply,
            "expected": expected,
            "countable": case.is_countable,
            "error": error,
        }));
    }
    let hello = json!({ "protocol": PROTOCOL, "corpus": stage.corpus.hash, "cases": listed });
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let gone = |error: std::io::Error| format!("the reader closed the output: {error}");
    writeln!(output, "{hello}").and_then(|()| output.flush()).map_err(gone)?;
    let mut line = String::new();
    while input.read_line(&mut line).map_err(|error| error.to_string())? > 0 {
        let answer = match answer(cases, &line) {
            Ok(nanoseconds) => json!({ "nanoseconds": nanoseconds }),
            Err(error) => json!({ "error": error }),
        };
        writeln!(output, "{answer}").and_then(|()| output.flush()).map_err(gone)?;
        line.clear();
    }
    Ok(())
}

fn answer(cases: &[Case<'_>], line: &str) -> Outcome<u64> {
    let request: Request =
        serde_json::from_str(line).map_err(|error| format!("the request: {error}"))?;
    let case = cases.iter().find(|case| case.name == request.case);
    let case = case.ok_or_else(|| format!("there is no case `{}`", request.case))?;
    if request.iterations == 0 {
        case.run()?;
        return Ok(0);
    }
    let started = Instant::now();
    for _ in 0..request.iterations {
        black_box(case.run()?);
    }
    Ok(u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX))
}
