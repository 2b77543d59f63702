//! Counts of instructions: one call of a case under valgrind's callgrind.
//!
//! The counts do not depend on the load of the machine, so a threshold of a few per cent works for
//! calls of microseconds. Callgrind collects only while the function `measured_call` is on the
//! stack; the preparation of the executable takes time but is not counted.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::driver::{Program, finish};

/// The name of the function around the measured call.
const TOGGLE: &str = "--toggle-collect=*measured_call*";

/// A program under callgrind runs up to a hundred times slower.
const PATIENCE: Duration = Duration::from_secs(600);

/// Returns valgrind's version; `None` if it is not installed.
pub(crate) fn version() -> Option<String> {
    let output = finish(Command::new("valgrind").arg("--version"), PATIENCE).ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs one case once and returns the instructions of its call; callgrind writes to `out`.
///
/// # Errors
///
/// One sentence: the run fails, or nothing was counted.
pub(crate) fn count(
    program: &Program,
    case: &str,
    profile: &str,
    out: &Path,
) -> Result<u64, String> {
    let mut file = OsString::from("--callgrind-out-file=");
    file.push(out);
    let arguments = ["--tool=callgrind".into(), TOGGLE.into(), file];
    let mut command =
        program.wrapped(OsStr::new("valgrind"), arguments, &["--once", case, "--profile", profile]);
    // An old file must not be mistaken for the new count.
    let _ = std::fs::remove_file(out);
    finish(&mut command, PATIENCE).map_err(|what| format!("under callgrind {what}"))?;
    let text = std::fs::read_to_string(out)
        .map_err(|error| format!("callgrind wrote no {}: {error}", out.display()))?;
    let _ = std::fs::remove_file(out);
    total(&text)
}

/// Parses the instructions from callgrind's file: the `summary:` of each part, or the `totals:` if
/// no part has one.
///
/// # Errors
///
/// If there is no such line, or its first figure is not a number of instructions or is zero.
pub(crate) fn total(text: &str) -> Result<u64, String> {
    let values = |key: &str| {
        text.lines()
            .filter_map(|line| line.strip_prefix(key))
            .map(|rest| rest.split_whitespace().next().unwrap_or_default().parse::<u64>())
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| format!("callgrind's `{key}` is not a number: {error}"))
    };
    let events = text.lines().find_map(|line| line.strip_prefix("events:")).unwrap_or_default();
    if events.split_whitespace().next() != Some("Ir") {
        return Err(format!("callgrind counted `{}`, not instructions", events.trim()));
    }
    let summaries = values("summary:")?;
    let counts = if summaries.is_empty() { values("totals:")? } else { summaries };
    match counts.iter().sum() {
        0 => Err("callgrind counted nothing: no function `measured_call` was called".to_owned()),
        instructions => Ok(instructions),
    }
}
