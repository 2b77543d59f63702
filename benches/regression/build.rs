//! Builds the executable with the cases.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// The bench that holds the cases.
const BENCH: &str = "cases";

/// Returns true if the package in `tree` has the bench; older revisions do not.
///
/// # Errors
///
/// If `cargo metadata` fails.
pub(crate) fn has_cases(tree: &Path) -> Result<bool, String> {
    let mut command = cargo(tree);
    command.args(["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_slice(&output(&mut command)?)
        .map_err(|error| format!("cargo's metadata is not JSON: {error}"))?;
    let targets = metadata["packages"].as_array().into_iter().flatten();
    let mut targets = targets.flat_map(|package| package["targets"].as_array()).flatten();
    Ok(targets.any(is_cases))
}

/// Builds the bench and returns its executable.
///
/// Base and head need different target directories: cargo names its outputs by package, not by
/// directory, and would confuse the two.
///
/// # Errors
///
/// If the build fails.
pub(crate) fn cases(tree: &Path, target: &Path) -> Result<PathBuf, String> {
    let mut command = cargo(tree);
    command
        .args(["bench", "--locked", "--no-run", "--bench", BENCH])
        .args(["--message-format", "json-render-diagnostics", "--target-dir"])
        .arg(target)
        .env_remove("CARGO_TARGET_DIR");
    let messages = String::from_utf8_lossy(&output(&mut command)?).into_owned();
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| is_cases(&message["target"]))
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .ok_or_else(|| format!("cargo named no executable of the bench `{BENCH}`"))
}

fn is_cases(target: &Value) -> bool {
    let kinds = target["kind"].as_array();
    target["name"] == BENCH && kinds.is_some_and(|kinds| kinds.iter().any(|it| it == "bench"))
}

fn cargo(tree: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(tree).stdin(Stdio::null());
    command
}

/// Runs cargo, which prints its progress and errors.
fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    command.stderr(Stdio::inherit());
    let output = command.output().map_err(|error| format!("cargo: {error}"))?;
    if output.status.success() { Ok(output.stdout) } else { Err("cargo failed".to_owned()) }
}
