//! The reply of an analysis tool (history, tests, risk, user data): a status, the data, the size of
//! the list, and the next calls.
//!
//! As JSON: `{status, error?, message?, hint?, data…, shown?, total?, truncated?, next_steps}`. The edges
//! add `freshness` where the index was not checked. An empty list with [`Status::Ok`] means that
//! nothing matched. Whatever else prevents an answer has its own status, with a message and a hint;
//! an unknown path is an error, with the nearest paths.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::{Error, NOT_INDEXED};

/// How far a reply answers the call.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The answer is complete.
    #[default]
    Ok,
    /// The answer lacks something that the message describes.
    Partial,
    /// There is nothing to compute the answer from: no repository, no commits, no recorded tests.
    NoData,
    /// Nothing changed.
    NoChanges,
    /// Nothing in the graph is connected to what was asked for.
    NoEdges,
    /// Git failed, or is not installed.
    GitError,
    /// The data is older than the tree; the hint contains the call that updates it.
    Stale,
    /// A background build that computes the missing data was started.
    AutoQueued,
    /// Another process holds what the call needs; a later call may succeed.
    Busy,
    /// The call failed.
    Error,
}

impl Status {
    /// Returns its name in replies.
    pub fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Partial => "partial",
            Status::NoData => "no_data",
            Status::NoChanges => "no_changes",
            Status::NoEdges => "no_edges",
            Status::GitError => "git_error",
            Status::Stale => "stale",
            Status::AutoQueued => "auto_queued",
            Status::Busy => "busy",
            Status::Error => "error",
        }
    }

    /// Returns its name for people, before a message.
    pub fn words(self) -> &'static str {
        match self {
            Status::Ok => "ok:",
            Status::Partial => "partial:",
            Status::NoData => "no data:",
            Status::NoChanges => "no changes:",
            Status::NoEdges => "no edges:",
            Status::GitError => "git failed:",
            Status::Stale => "outdated:",
            Status::AutoQueued => "being built:",
            Status::Busy => "busy:",
            Status::Error => "error:",
        }
    }
}

/// A recommended next call or action.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum NextStep {
    /// A call of a tool.
    Call {
        /// The name of the tool with its prefix: `codedb_churn`.
        tool: &'static str,
        /// Its arguments.
        args: Map<String, Value>,
        /// What the call adds.
        reason: String,
    },
    /// Something that is not a call, for example a command to run.
    Action {
        /// What to do.
        action: String,
        /// Its purpose.
        reason: String,
    },
}

impl NextStep {
    /// Returns a call of `tool`; `args` is a JSON object.
    pub fn call(tool: &'static str, args: Value, reason: impl Into<String>) -> NextStep {
        let args = match args {
            Value::Object(args) => args,
            _ => Map::new(),
        };
        NextStep::Call { tool, args, reason: reason.into() }
    }

    /// Returns the step with every text in it replaced by `map` of it.
    #[must_use]
    pub fn map_texts(self, map: &dyn Fn(String) -> String) -> NextStep {
        match self {
            NextStep::Call { tool, args, reason } => {
                let args = args.into_iter().map(|(name, value)| (name, mapped(value, map)));
                NextStep::Call { tool, args: args.collect(), reason: map(reason) }
            }
            NextStep::Action { action, reason } => {
                NextStep::Action { action: map(action), reason: map(reason) }
            }
        }
    }

    /// Returns an action.
    pub fn action(action: impl Into<String>, reason: impl Into<String>) -> NextStep {
        NextStep::Action { action: action.into(), reason: reason.into() }
    }
}

fn mapped(value: Value, map: &dyn Fn(String) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(map(text)),
        Value::Array(values) => {
            Value::Array(values.into_iter().map(|value| mapped(value, map)).collect())
        }
        other => other,
    }
}

/// The reply of an analysis tool with the data `D`, a struct whose fields become fields of the
/// reply.
///
/// `message` and `hint` may mention tools as `{tool:churn}`, see [`crate::tools`]; a next step with a
/// tool that the caller is not offered is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Analysis<D> {
    /// How far the reply answers the call.
    pub status: Status,
    /// The identifier of what prevents an answer, for programs; see [`Error::code`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'static str>,
    /// Why the status is not [`Status::Ok`], or a remark on a complete answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The data.
    #[serde(flatten)]
    pub data: D,
    /// The size of the list in `data`; absent if it has none.
    #[serde(flatten)]
    pub size: Option<Size>,
    /// The next calls or actions, the most useful first.
    pub next_steps: Vec<NextStep>,
    /// Whether the call updated the index, if the caller asked and `data` does not contain it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub update: Option<Update>,
}

/// Whether a call updated what the index has, for callers that pass `auto_update`. Every call does so.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Update {
    /// True if changed files were read for the reply.
    pub auto_update_performed: bool,
    /// Why there was no update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_update_skip_reason: Option<&'static str>,
}

/// A failed call as data for programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// [`Status::GitError`] for a failure of git, [`Status::Partial`] while files are not indexed, else
    /// [`Status::Error`].
    pub status: Status,
    /// See [`Error::code`].
    pub error: &'static str,
    /// What failed.
    pub message: String,
    /// What to try.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hint: String,
    /// The paths that the hint suggests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<String>,
    /// Always empty.
    pub next_steps: Vec<NextStep>,
}

impl Failure {
    /// Returns an error as data, with its rendered hints.
    pub fn new(error: &Error, hints: &[String]) -> Failure {
        Failure {
            status: match error.code() {
                NOT_INDEXED => Status::Partial,
                _ if error.is_of_git() => Status::GitError,
                _ => Status::Error,
            },
            error: error.code(),
            message: error.to_string(),
            hint: hints.join("; "),
            nearest: error.nearest_paths().to_vec(),
            next_steps: Vec::new(),
        }
    }
}

/// The size of a list.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Size {
    /// How many entries the reply has.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
    /// True if the reply has fewer than there are.
    pub truncated: bool,
    /// True if the token budget of the reply ended the list.
    #[serde(skip)]
    pub is_over_budget: bool,
}

impl Size {
    /// Returns the size of a list of `total` entries of which the reply has `shown`.
    pub fn new(shown: usize, total: usize) -> Size {
        Size { shown, total, truncated: shown < total, is_over_budget: false }
    }
}

impl<D> Analysis<D> {
    /// Returns a complete answer without a list.
    pub fn of(data: D) -> Analysis<D> {
        let (status, error, message, hint) = (Status::Ok, None, None, None);
        let (size, next_steps, update) = (None, Vec::new(), None);
        Analysis { status, error, message, hint, data, size, next_steps, update }
    }

    /// Returns a complete answer whose data has `shown` entries of `total`.
    pub fn list(data: D, shown: usize, total: usize) -> Analysis<D> {
        Analysis { size: Some(Size::new(shown, total)), ..Analysis::of(data) }
    }

    /// Returns the reply with a status and the reason for it.
    #[must_use]
    pub fn with_status(self, status: Status, message: impl Into<String>) -> Analysis<D> {
        Analysis { status, message: Some(message.into()), ..self }
    }

    /// Returns the reply with the identifier of what prevents an answer.
    #[must_use]
    pub fn with_error(self, error: Option<&'static str>) -> Analysis<D> {
        Analysis { error, ..self }
    }

    /// Returns the reply with a hint.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Analysis<D> {
        Analysis { hint: Some(hint.into()), ..self }
    }

    /// Returns the reply with another next step.
    #[must_use]
    pub fn with_step(mut self, step: NextStep) -> Analysis<D> {
        self.next_steps.push(step);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Serialize)]
    struct Data {
        files: Vec<&'static str>,
    }

    #[test]
    fn a_reply_is_flat() {
        let reply = Analysis::list(Data { files: vec!["a.rs"] }, 1, 2)
            .with_step(NextStep::call("codedb_churn", json!({"file_path": "a.rs"}), "why"))
            .with_step(NextStep::action("pytest a.py", "runs it"));
        let expected = r#"{"status":"ok","files":["a.rs"],"shown":1,"total":2,"truncated":true,"next_steps":[{"tool":"codedb_churn","args":{"file_path":"a.rs"},"reason":"why"},{"action":"pytest a.py","reason":"runs it"}]}"#;
        assert_eq!(serde_json::to_string(&reply).expect("it is JSON"), expected);
        let reply = Analysis::of(Data { files: vec![] })
            .with_status(Status::NoData, "no commits")
            .with_error(Some("no_commits"))
            .with_hint("commit something");
        let expected = r#"{"status":"no_data","error":"no_commits","message":"no commits","hint":"commit something","files":[],"next_steps":[]}"#;
        assert_eq!(serde_json::to_string(&reply).expect("it is JSON"), expected);
    }

    #[test]
    fn names_agree_with_json() {
        let all = [
            Status::Ok,
            Status::Partial,
            Status::NoData,
            Status::NoChanges,
            Status::NoEdges,
            Status::GitError,
            Status::Stale,
            Status::AutoQueued,
            Status::Busy,
            Status::Error,
        ];
        for status in all {
            assert_eq!(json!(status), json!(status.name()));
        }
    }
}
