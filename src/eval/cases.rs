//! Evaluation cases: commits of a repository, or bug reports with their fixing patches.

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::history::git::{Git, Message};
use crate::lang::{Language, language, marks};

/// Number of newest commits from which cases are chosen.
const COMMITS_MAX: usize = 3_000;

/// Maximum number of source files of a commit; the message of a larger one describes none of them
/// well.
const SOURCES_MAX: usize = 5;

/// Maximum number of files of a commit.
const FILES_MAX: usize = 12;

/// Minimum number of words of a subject.
const SUBJECT_WORDS_MIN: usize = 3;

/// Words that mark maintenance commits, which are not tasks.
const MAINTENANCE_WORDS: &[&str] = &[
    "bump",
    "bumps",
    "release",
    "releases",
    "format",
    "formatting",
    "fmt",
    "rustfmt",
    "gofmt",
    "black",
    "prettier",
    "lint",
    "lints",
    "linter",
    "eslint",
    "clippy",
    "mypy",
    "flake8",
    "ruff",
    "pylint",
    "typo",
    "typos",
    "spelling",
    "whitespace",
    "revert",
    "reverts",
    "version",
    "versions",
    "changelog",
    "merge",
    "merges",
    "deps",
    "dependency",
    "dependencies",
    "copyright",
    "license",
    "submodule",
];

/// Prefixes of trailer lines, which are removed from messages.
const TRAILERS: &[&str] = &[
    "signed-off-by:",
    "co-authored-by:",
    "reviewed-by:",
    "acked-by:",
    "tested-by:",
    "reported-by:",
    "cc:",
    "change-id:",
    "differential revision:",
    "pr-url:",
    "git-svn-id:",
    "reviewed-on:",
];

/// A task with its answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Case {
    /// The commit hash, or the id of the report.
    pub id: String,
    /// The commit whose tree is searched.
    pub base: String,
    /// The text of the task.
    pub task: String,
    /// The answer, as a unified diff against the tree.
    pub patch: Vec<u8>,
    /// True for a commit: only non-test sources count as its answer.
    pub is_commit: bool,
}

/// A line of a task file.
#[derive(Deserialize)]
struct Line {
    id: String,
    base: String,
    task: String,
    patch: String,
}

/// Returns the cases of a file with a JSON object on each line: `id`, `base`, `task`, `patch`.
///
/// # Errors
///
/// [`crate::Kind::Usage`] with the number of an invalid line.
pub fn of_file(text: &str) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let Line { id, base, task, patch } = serde_json::from_str(line)
            .map_err(|error| Error::usage(format!("line {}: invalid task: {error}", number + 1)))?;
        cases.push(Case { id, base, task, patch: patch.into_bytes(), is_commit: false });
    }
    Ok(cases)
}

/// Returns up to `count` cases from the newest 3,000 commits, oldest first: commits with one parent
/// that modify one to five existing non-test source files and whose subject contains no maintenance
/// word. The choice depends only on the commit hashes and `seed`.
///
/// # Errors
///
/// If git fails.
pub fn of_commits(git: &Git, count: usize, seed: u64) -> Result<Vec<Case>> {
    let messages = git.messages(COMMITS_MAX)?;
    let mut eligible: Vec<(u64, usize)> = messages
        .iter()
        .enumerate()
        .filter(|(_, commit)| is_case(commit))
        .map(|(at, commit)| (xxhash_rust::xxh3::xxh3_64_with_seed(commit.id.as_bytes(), seed), at))
        .collect();
    eligible.sort_unstable();
    eligible.truncate(count);
    // Adjacent commits share most of their trees, so checkouts in order are fast.
    eligible.sort_unstable_by_key(|&(_, at)| std::cmp::Reverse(at));
    let case = |&(_, at): &(u64, usize)| {
        let Message { id, parent, text, changes } = &messages[at];
        let sources =
            changes.iter().map(|(_, path)| path.as_slice()).filter(|path| is_source(path));
        let sources: Vec<&[u8]> = sources.collect();
        let (id, base, task) = (id.clone(), parent.clone(), without_trailers(text));
        let patch = git.patch(parent, &id, &sources)?;
        Ok(Case { id, base, task, patch, is_commit: true })
    };
    eligible.iter().map(case).collect()
}

/// Returns true for a source file that is not a test.
pub fn is_source(path: &[u8]) -> bool {
    let language = language::of_path(&crate::base::path::to_path(path));
    language.is_some_and(Language::is_code) && !marks::of_path(path).test
}

fn is_case(commit: &Message) -> bool {
    let subject = commit.text.lines().next().unwrap_or_default().to_lowercase();
    let words = || subject.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let sources =
        commit.changes.iter().filter(|(status, path)| *status != b'A' && is_source(path)).count();
    (1..=SOURCES_MAX).contains(&sources)
        && commit.changes.len() <= FILES_MAX
        && words().count() >= SUBJECT_WORDS_MIN
        && !words().any(|word| MAINTENANCE_WORDS.contains(&word))
}

fn without_trailers(message: &str) -> String {
    let is_trailer = |line: &str| {
        let line = line.trim_start().to_ascii_lowercase();
        TRAILERS.iter().any(|trailer| line.starts_with(trailer))
    };
    let lines: Vec<&str> = message.lines().filter(|line| !is_trailer(line)).collect();
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptive_commits_are_cases() {
        let commit = |message: &str, changes: &[(u8, &str)]| Message {
            id: "a".into(),
            parent: "b".into(),
            text: message.into(),
            changes: changes.iter().map(|(s, path)| (*s, path.as_bytes().to_vec())).collect(),
        };
        let good = "Fix the loss of items\n\nbody\nSigned-off-by: x";
        assert!(is_case(&commit(good, &[(b'M', "src/a.py"), (b'M', "README.md")])));
        assert!(!is_case(&commit(good, &[(b'M', "tests/test_a.py")])));
        assert!(!is_case(&commit(good, &[(b'A', "src/a.py")])));
        assert!(!is_case(&commit("Bump all of it", &[(b'M', "src/a.py")])));
        assert!(!is_case(&commit("fix it", &[(b'M', "src/a.py")])));
        assert_eq!(without_trailers(good), "Fix the loss of items\n\nbody");
    }

    #[test]
    fn task_files_are_read_by_line() {
        let text = "{\"id\":\"x\",\"base\":\"b\",\"task\":\"t\",\"patch\":\"p\",\"more\":1}\n\n";
        let cases = of_file(text).expect("tasks");
        assert_eq!((cases.len(), cases[0].task.as_str(), cases[0].is_commit), (1, "t", false));
        assert!(of_file("\n{}").is_err_and(|error| error.to_string().contains("line 2")));
    }
}
