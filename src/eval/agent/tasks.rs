//! The tasks of a file: questions with keys.

use std::collections::BTreeSet;
use std::ops::Range;

use serde::Deserialize;

use crate::error::{Error, Result};

/// Which half of the tasks a task belongs to.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// It may be looked at while tools are tuned.
    #[default]
    Open,
    /// It is only measured.
    Held,
}

/// A question with its key.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its unique name.
    pub id: String,
    /// The name of the tree that it is about; `None` for the tree of the call.
    #[serde(default)]
    pub tree: Option<String>,
    /// The kind of question. It has no effect.
    #[serde(default)]
    pub kind: String,
    /// The half that it belongs to.
    #[serde(default)]
    pub split: Split,
    /// The text of the question.
    pub question: String,
    /// The facts of a right answer, each with its alternatives. There is at least one fact, and
    /// each has at least one alternative; none is empty.
    pub must: Vec<Vec<String>>,
    /// What no right answer contains. None is empty.
    #[serde(default)]
    pub must_not: Vec<String>,
    /// Where the facts are found, for a reader of the key. It has no effect.
    #[serde(default)]
    pub evidence: Vec<String>,
}

/// A file of tasks. Other parts, such as the origins of trees, have no effect.
#[derive(Debug, Deserialize)]
struct TaskFile {
    task: Vec<toml::Spanned<Task>>,
}

/// Returns the tasks of a TOML file, in its order. `bench-corpus/agent/tasks.toml` describes the
/// format.
///
/// # Errors
///
/// [`crate::Kind::Usage`], with the line, for a text that is not TOML, a task with a missing or
/// unknown field, a key without facts, and an id that occurs twice.
pub fn of_file(text: &str) -> Result<Vec<Task>> {
    let line = |span: Range<usize>| {
        1 + text.as_bytes()[..span.start.min(text.len())]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count()
    };
    let file: TaskFile = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or_else(String::new, |span| format!("line {}: ", line(span)));
        Error::usage(format!("{at}invalid tasks: {}", error.message().replace('\n', "; ")))
            .with_hint(
                "each `[[task]]` needs `id`, `question` and `must`, a list of lists of texts",
            )
    })?;
    let mut ids = BTreeSet::new();
    for task in &file.task {
        let fault = fault(task.get_ref());
        let fault =
            fault.or_else(|| (!ids.insert(&task.get_ref().id)).then_some("its `id` occurs twice"));
        if let Some(fault) = fault {
            let id = crate::base::text::plain(&task.get_ref().id);
            return Err(Error::usage(format!("line {}: task `{id}`: {fault}", line(task.span()))));
        }
    }
    Ok(file.task.into_iter().map(toml::Spanned::into_inner).collect())
}

/// Returns what makes a task useless.
fn fault(task: &Task) -> Option<&'static str> {
    let is_empty = |text: &String| text.trim().is_empty();
    if is_empty(&task.id) || is_empty(&task.question) {
        return Some("`id` and `question` must not be empty");
    }
    if task.must.is_empty() {
        return Some("`must` has no fact, so every answer would be right");
    }
    if task.must.iter().any(|fact| fact.is_empty() || fact.iter().any(is_empty)) {
        return Some("a fact of `must` has no alternative, or an empty one");
    }
    task.must_not.iter().any(is_empty).then_some("an entry of `must_not` is empty")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_read_with_their_defaults() {
        let text = "[[tree]]\ntree = 't'\nanything = 1\n\n[[task]]\nid = 'a'\ntree = 't'\nsplit = 'held'\n\
                    question = 'Which?'\nmust = [['x', 'y'], ['z']]\nmust_not = ['w']\n\n[[task]]\nid = 'b'\n\
                    question = 'What?'\nmust = [['x']]\n";
        let tasks = of_file(text).expect("two tasks");
        assert_eq!((tasks[0].tree.as_deref(), tasks[0].split), (Some("t"), Split::Held));
        assert_eq!(tasks[0].must, [vec!["x", "y"], vec!["z"]]);
        assert_eq!((tasks[1].tree.as_deref(), tasks[1].split), (None, Split::Open));
        assert!(tasks[1].must_not.is_empty());
    }

    #[test]
    fn keys_that_measure_nothing_are_refused_with_their_line() {
        let task = |rest: &str| format!("\n[[task]]\nid = 'a'\nquestion = 'Which?'\n{rest}\n");
        for (text, expected) in [
            (task("must = []"), "line 2: task `a`: `must` has no fact"),
            (task("must = [[]]"), "no alternative"),
            (task("must = [['x', ' ']]"), "an empty one"),
            (task("must = [['x']]\nmust_not = ['']"), "`must_not` is empty"),
            (task("must = [['x']]\nmust_nt = ['y']"), "unknown field `must_nt`"),
            (task("must = [['x']]\nsplit = 'hidden'"), "line 6: invalid tasks"),
            (task("must = [['x']]").repeat(2), "occurs twice"),
            ("[[tasks]]\nid = 'a'\n".to_owned(), "missing field `task`"),
            ("[[task".to_owned(), "line 1: invalid tasks"),
        ] {
            let error = of_file(&text).expect_err(&text).to_string();
            assert!(error.contains(expected), "{expected}: {error}");
        }
    }
}
