//! The same searches over work trees.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;

/// The program of this build.
const PROGRAM: &str = env!("CARGO_BIN_EXE_codedb");

/// Returns the work trees below a directory, by their paths in it: directories with `.git`, and those at the
/// third level.
pub(crate) fn trees(root: &Path) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    let mut open = vec![(root.to_path_buf(), 0)];
    while let Some((dir, level)) = open.pop() {
        if level > 0 && (dir.join(".git").exists() || level == 3) {
            let name = dir.strip_prefix(root).unwrap_or(&dir).to_string_lossy().into_owned();
            found.push((name, dir));
            continue;
        }
        let entries = std::fs::read_dir(&dir).into_iter().flatten().flatten();
        open.extend(entries.map(|entry| (entry.path(), level + 1)).filter(|(dir, _)| dir.is_dir()));
    }
    found.sort();
    found
}

/// Returns the number of matching lines of every file, by the paths of a fleet.
pub(crate) fn counts(
    trees: &[(String, PathBuf)],
    pattern: &str,
    is_regex: bool,
) -> Outcome<BTreeMap<String, usize>> {
    let mut counts = BTreeMap::new();
    for (name, dir) in trees {
        let mut command = Command::new(PROGRAM);
        command.args(["search", "--no-config", "--no-index", "--hidden", "--no-ignore", "-c"]);
        command.args(["--crlf", "-g", "!.git", "--null"]);
        command.args((!is_regex).then_some("-F")).args(["-e", pattern]).current_dir(dir);
        let output = command.output().map_err(|error| format!("{PROGRAM}: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        for line in text.lines() {
            let Some((path, count)) = line.split_once('\0') else { continue };
            let count = count.parse().unwrap_or(0);
            counts.insert(format!("{name}/{path}"), count);
        }
    }
    Ok(counts)
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
