//! The tasks of files, with their keys and the trees that they are about.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::trees::Tree;
use crate::base::text::plain;
use crate::error::{Error, Result};

/// A task with its key.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its unique name.
    pub id: String,
    /// The name of its tree.
    pub tree: String,
    /// The commit that did the work, for a reader of the key. It has no effect.
    #[serde(default)]
    pub commit: String,
    /// The text as a user gives it.
    pub task: String,
    /// Paths of the files that are changed or read for the work.
    pub files: Vec<String>,
    /// Definitions that are changed or read: `path: name`, where the name may be qualified.
    #[serde(default)]
    pub definitions: Vec<String>,
    /// Lines where the work is done: `path:first-last` or `path:line`.
    #[serde(default)]
    pub lines: Vec<String>,
    /// Tests of the work: `path: name`, or the path of a file of tests.
    #[serde(default)]
    pub tests: Vec<String>,
}

/// The tasks of all files in their order, and the trees by name.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// The trees.
    pub trees: BTreeMap<String, Tree>,
    /// The tasks.
    pub tasks: Vec<Task>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskFile {
    #[serde(default)]
    tree: Vec<toml::Spanned<Tree>>,
    #[serde(default)]
    task: Vec<toml::Spanned<Task>>,
}

/// Returns the tasks and trees of TOML files, each given with its path. Tasks and trees may be in
/// different files.
///
/// # Errors
///
/// [`crate::Kind::Usage`], with the file and the line, for a text that is not TOML, a missing or unknown
/// field, an empty task or key, an `id` that occurs twice, a tree that is defined twice in different
/// ways, and a task about an undefined tree.
pub fn of_files(files: &[(PathBuf, String)]) -> Result<Corpus> {
    let mut corpus = Corpus::default();
    let mut ids = BTreeSet::new();
    let mut places: Vec<(&Path, usize)> = Vec::new();
    for (path, text) in files {
        let fail = |span: Option<Range<usize>>, message: String| {
            let line = span.map_or_else(String::new, |span| {
                let before = &text.as_bytes()[..span.start.min(text.len())];
                format!("line {}: ", 1 + before.iter().filter(|&&byte| byte == b'\n').count())
            });
            Error::usage(format!("{line}{message}")).with_path(path)
        };
        let parsed: TaskFile = toml::from_str(text).map_err(|error| {
            let message = error.message().replace('\n', "; ");
            fail(error.span(), format!("invalid tasks: {message}"))
                .with_hint("each `[[task]]` needs `id`, `tree`, `task` and `files`")
        })?;
        for tree in parsed.tree {
            let span = tree.span();
            let tree = tree.into_inner();
            let name = plain(&tree.tree);
            let earlier = corpus.trees.get(&tree.tree);
            if earlier.is_some_and(|earlier| *earlier != tree) {
                let message = format!("tree `{name}` is defined twice in different ways");
                return Err(fail(Some(span), message));
            }
            corpus.trees.insert(tree.tree.clone(), tree);
        }
        for task in parsed.task {
            let span = task.span();
            let task = task.into_inner();
            let fault = fault(&task).or_else(|| {
                (!ids.insert(task.id.clone())).then(|| "its `id` occurs twice".to_owned())
            });
            if let Some(fault) = fault {
                return Err(fail(Some(span), format!("task `{}`: {fault}", plain(&task.id))));
            }
            places.push((path, text[..span.start.min(text.len())].lines().count() + 1));
            corpus.tasks.push(task);
        }
    }
    for (task, (path, line)) in corpus.tasks.iter().zip(places) {
        if !corpus.trees.contains_key(&task.tree) {
            let (id, tree) = (plain(&task.id), plain(&task.tree));
            let message = format!(
                "line {line}: task `{id}` is about the tree `{tree}`, which no file defines"
            );
            return Err(Error::usage(message)
                .with_path(path)
                .with_hint("give the file with its `[[tree]]`, too"));
        }
    }
    Ok(corpus)
}

/// Returns what makes a task useless.
fn fault(task: &Task) -> Option<String> {
    if task.id.trim().is_empty() || task.task.trim().is_empty() {
        return Some("`id` and `task` must not be empty".to_owned());
    }
    if task.files.is_empty() {
        return Some("`files` is empty, so there is nothing to measure".to_owned());
    }
    let all = [&task.files, &task.definitions, &task.lines, &task.tests];
    if all.into_iter().flatten().any(|text| text.trim().is_empty()) {
        return Some("an entry of its key is empty".to_owned());
    }
    if let Some(bad) = task.definitions.iter().find(|text| named(text).is_none()) {
        return Some(format!("`{}` is not `path: name`", plain(bad)));
    }
    let bad = task.lines.iter().find(|text| lines(text).is_none())?;
    Some(format!("`{}` is not `path:first-last`", plain(bad)))
}

/// Returns the path and the name of `path: name`.
pub fn named(text: &str) -> Option<(&str, &str)> {
    let (path, name) = text.split_once(": ").or_else(|| text.split_once(':'))?;
    let (path, name) = (path.trim(), name.trim());
    (!path.is_empty() && !name.is_empty()).then_some((path, name))
}

/// Returns the path, the first and the last line of `path:first-last` or `path:line`.
pub fn lines(text: &str) -> Option<(&str, usize, usize)> {
    let (path, range) = text.rsplit_once(':')?;
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (!path.is_empty() && (1..=last).contains(&first)).then_some((path.trim(), first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "[[tree]]\ntree = 't'\nlanguage = 'go'\nregistry = 'go'\nname = 'n'\nversion = '1'\n\
                        sha256 = 'ab'\n";

    fn read(texts: &[&str]) -> Result<Corpus> {
        let file =
            |(at, text): (usize, &&str)| (PathBuf::from(format!("{at}.toml")), (*text).to_owned());
        of_files(&texts.iter().enumerate().map(file).collect::<Vec<_>>())
    }

    #[test]
    fn trees_and_tasks_may_be_in_different_files() {
        let tasks = "[[task]]\nid = 'a'\ntree = 't'\ntask = 'fix it'\nfiles = ['a.go']\n";
        let corpus = read(&[tasks, TREE]).expect("a corpus");
        assert_eq!((corpus.tasks.len(), corpus.trees["t"].language.as_str()), (1, "go"));
        assert_eq!(named("a.go: T.m"), Some(("a.go", "T.m")));
        assert_eq!(lines("a.go:3-5"), Some(("a.go", 3, 5)));
        assert_eq!((lines("a.go:5-3"), lines("a.go")), (None, None));
    }

    #[test]
    fn keys_that_measure_nothing_are_refused_with_file_and_line() {
        let task = |rest: &str| format!("\n[[task]]\nid = 'a'\ntree = 't'\ntask = 'x'\n{rest}\n");
        for (text, expected) in [
            (task("files = []"), "line 2: task `a`: `files` is empty"),
            (task("files = ['a']\ndefinitions = ['b.go']"), "`b.go` is not `path: name`"),
            (task("files = ['a']\nlines = ['b.go:x']"), "`b.go:x` is not `path:first-last`"),
            (task("files = ['a']\ntests = ['']"), "is empty"),
            (task("files = ['a']\nfile = ['']"), "unknown field `file`"),
            (task("files = ['a']").repeat(2), "occurs twice"),
            (task("files = ['a']").replace("'t'", "'u'"), "line 2: task `a` is about the tree `u`"),
            (TREE.replace("'1'", "'2'"), "defined twice in different ways"),
        ] {
            let error = read(&[TREE, &text]).expect_err(&text).to_string();
            assert!(error.contains(expected) && error.contains("1.toml"), "{expected}: {error}");
        }
    }
}
