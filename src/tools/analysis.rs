//! Replies of analysis tools as replies of tools; see [`crate::answer::analysis`].

use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;

use super::{Call, Offered, Reply, cut_notice};
use crate::answer::analysis::{Analysis, NextStep, Status};
use crate::answer::style::Style;
use crate::base::text::plain;
use crate::error::Result;
use crate::history::History;

/// The data of an analysis reply.
pub trait Data: Serialize {
    /// The argument that shows more entries of the list.
    const MORE: &'static str = "limit";

    /// Appends the data as lines of text.
    fn render(&self, style: &dyn Style, out: &mut String);
}

impl<D: Data> Reply for Analysis<D> {
    /// Renders the status unless it is `ok`, the data, and the next steps.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        match (self.status, &self.message) {
            (Status::Ok, None) => {}
            (Status::Ok, Some(message)) => {
                let _ = writeln!(out, "{}", plain(message));
            }
            (status, Some(message)) => {
                let _ = writeln!(out, "{}: {}", status.name(), plain(message));
            }
            (status, None) => {
                let _ = writeln!(out, "{}", status.name());
            }
        }
        if let Some(hint) = &self.hint {
            let _ = writeln!(out, "hint: {}", plain(hint));
        }
        self.data.render(style, &mut out);
        for step in &self.next_steps {
            let (what, reason) = match step {
                NextStep::Call { tool, args, reason } => (style.call(tool, args), reason),
                NextStep::Action { action, reason } => (plain(action), reason),
            };
            let _ = writeln!(out, "next: {what}  ({})", plain(reason));
        }
        out
    }

    fn is_found(&self) -> bool {
        let has_answer = matches!(self.status, Status::Ok | Status::Partial | Status::Stale);
        has_answer && self.size.is_none_or(|size| size.total > 0)
    }

    fn notices(&self) -> Vec<String> {
        self.size.map(|size| cut_notice(size.shown, size.total, D::MORE)).unwrap_or_default()
    }

    fn adapt(&mut self, offered: Offered<'_>) {
        self.message = self.message.take().and_then(|message| offered.render(&message));
        self.hint = self.hint.take().and_then(|hint| offered.render(&hint));
        self.next_steps.retain(|step| match step {
            NextStep::Call { tool, .. } => offered.has(tool),
            NextStep::Action { .. } => true,
        });
    }
}

/// Why there is no commit log to answer from: the status, message and hint of the reply.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Missing {
    /// The status.
    pub status: Status,
    /// The message.
    pub message: String,
    /// The hint.
    pub hint: String,
}

impl Missing {
    fn new(status: Status, message: &str, hint: &str) -> Missing {
        Missing { status, message: message.to_owned(), hint: hint.to_owned() }
    }

    /// Returns the reply that reports it, with empty data.
    pub fn reply<D>(self, data: D) -> Analysis<D> {
        Analysis::of(data).with_status(self.status, self.message).with_hint(self.hint)
    }
}

/// Returns the commit log of the tree, which has at least one commit, or why there is none.
///
/// # Errors
///
/// If the call fails.
pub fn history(call: &Call<'_>) -> Result<std::result::Result<Arc<History>, Missing>> {
    let index = "`codedb index` reads the commits and reports what git prints";
    let missing = match call.code.history()? {
        Some(history) if !history.log().is_empty() => return Ok(Ok(history)),
        Some(_) => Missing::new(
            Status::NoData,
            "the repository has no commits",
            "commit something; the tools on the tree itself work without commits",
        ),
        None => match (call.code.git(), call.code.history_problem()) {
            (None, _) => Missing::new(
                Status::NoData,
                "the tree is not in a git work tree",
                "`git init` makes it one; a bare repository has no files to analyse: clone it",
            ),
            (Some(_), Some("git cannot read it")) => Missing::new(
                Status::GitError,
                "git cannot read the commits of the repository",
                index,
            ),
            (Some(_), Some("it is damaged")) => Missing::new(
                Status::AutoQueued,
                "the commit log in the index is damaged and is being read again",
                "repeat the call in a minute; `codedb index` waits for the result",
            ),
            (Some(_), _) => Missing::new(
                Status::Stale,
                "the commits of the repository are not indexed yet",
                "`codedb index` reads them, then repeat the call",
            ),
        },
    };
    Ok(Err(missing))
}
