//! The same searches over work trees.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::Outcome;

/// The program of this build.
const PROGRAM: &str = env!("CARGO_BIN_EXE_codedb");

/// Returns the number of matching lines of every file below a directory, by its path there.
pub(crate) fn counts(
    trees: &Path,
    pattern: &str,
    is_regex: bool,
) -> Outcome<BTreeMap<String, usize>> {
    let mut command = Command::new(PROGRAM);
    command.args(["search", "--no-config", "--no-index", "--hidden", "--no-ignore", "-c"]);
    command.args(["--crlf", "-g", "!.git", "--null"]);
    command.args((!is_regex).then_some("-F")).args(["-e", pattern]).current_dir(trees);
    let output = command.output().map_err(|error| format!("{PROGRAM}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let parts = text.lines().filter_map(|line| line.split_once('\0'));
    Ok(parts.map(|(path, count)| (path.to_owned(), count.parse().unwrap_or(0))).collect())
}

/// Returns true if a path of a fleet is one of a repository, which may be named with its host or without.
pub(crate) fn is_of(path: &str, repository: &str) -> bool {
    let short = repository.rsplit('/').next().unwrap_or(repository);
    path.starts_with(&format!("{repository}/")) || path.starts_with(&format!("{short}/"))
}

/// Returns true if a path of a fleet is that of a file of a repository, named as for [`is_of`].
pub(crate) fn is_file(path: &str, repository: &str, file: &str) -> bool {
    let short = repository.rsplit('/').next().unwrap_or(repository);
    [repository, short].iter().any(|name| path == format!("{name}/{file}"))
}

/// Returns the name of the repository of a path: `host/owner/name`, or one part without a host.
pub(crate) fn repository(path: &str) -> &str {
    let parts = if path.split('/').next().is_some_and(|first| first.contains('.')) { 3 } else { 1 };
    let end = path.match_indices('/').nth(parts - 1).map_or(path.len(), |(at, _)| at);
    &path[..end]
}
