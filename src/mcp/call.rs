//! One call of a tool: its arguments, the tool's run, and the reply as a model reads it.

use std::time::{Instant, SystemTime};

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value};

use super::interruptible::{Interruptible, IsCancelled};
use super::project::Project;
use crate::context::tokens;
use crate::engine::{Check, Local};
use crate::error::{Error, Kind, Result};
use crate::tools::{Answer, Call, Effect, Tool};

/// Tokens of a reply unless the call names another budget.
const TOKENS_MAX: usize = 10_000;

/// The argument of every tool that says how to answer. It is for programs, which know it from the
/// documentation; models would pay for it in every schema.
const FORMAT: &str = "format";

/// The argument with which a call names its own budget.
const BUDGET: &str = "max_tokens";

/// How a call is to be answered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Format {
    /// Compact text, for a model.
    Text,
    /// The reply's data, for a program.
    Json,
}

/// What is asked.
#[derive(Debug)]
pub(super) struct Question {
    tool: &'static Tool,
    arguments: Map<String, Value>,
    format: Format,
    has_budget: bool,
    asked_at: Instant,
}

impl Question {
    /// Returns the question of a call.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] for a format that is none; the other arguments are the tool's to judge.
    pub(super) fn new(tool: &'static Tool, mut arguments: Map<String, Value>) -> Result<Question> {
        let asked_at = Instant::now();
        let format = match arguments.remove(FORMAT) {
            None | Some(Value::Null) => Format::Text,
            Some(Value::String(format)) if format == "text" => Format::Text,
            Some(Value::String(format)) if format == "json" => Format::Json,
            Some(other) => {
                return Err(Error::usage(format!("`{FORMAT}` is one of text, json, not {other}")));
            }
        };
        let has_budget = arguments.get(BUDGET).is_some_and(|budget| !budget.is_null());
        Ok(Question { tool, arguments, format, has_budget, asked_at })
    }

    /// Asks the tool. Takes as long as it takes; ends soon after `is_cancelled` says so.
    pub(super) fn answer(self, project: &Project, is_cancelled: IsCancelled<'_>) -> CallToolResult {
        let engine = project.engine();
        let local = Local::new(engine, Check::Watcher);
        let local = if self.tool.effect == Effect::Writes { local.writable() } else { local };
        let mut code = Interruptible::new(local, is_cancelled);
        let mut answer = self.run(&code);
        let is_corrupt = answer.as_ref().is_err_and(|error| error.kind() == Kind::Corrupt);
        if code.is_damaged() || is_corrupt {
            log::debug!("the code index is damaged; asking again without it");
            code = code.without_parts();
            answer = self.run(&code);
        }
        let told = answer.and_then(|answer| self.told(&*answer, project));
        let (mut result, is_partial) = match told {
            Ok(told) => told,
            Err(error) => (failed(sentence(&error)), false),
        };
        let mut meta = MetaObject::new();
        meta.0.extend(code.generation().map(|number| ("generation".to_owned(), number.into())));
        meta.0.insert("freshness".to_owned(), "current".into());
        if is_partial {
            meta.0.insert("status".to_owned(), "partial".into());
        }
        let elapsed_us = u64::try_from(self.asked_at.elapsed().as_micros()).unwrap_or(u64::MAX);
        meta.0.insert("elapsed_us".to_owned(), elapsed_us.into());
        result.meta = Some(meta);
        result
    }

    fn run(&self, code: &Interruptible<'_>) -> Result<Box<dyn Answer>> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now_ns = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        self.tool.run(&Call { code, now_ns }, Value::Object(self.arguments.clone()))
    }

    /// Returns the reply, and whether it is known to be a part.
    fn told(&self, answer: &dyn Answer, project: &Project) -> Result<(CallToolResult, bool)> {
        let mut notices = answer.notices();
        let how_far = project.how_far();
        let needs_data = self.format == Format::Json || how_far.is_some();
        let data = match needs_data {
            true => serde_json::from_str(&answer.json()?)
                .map_err(|error| Error::new(Kind::Io, format!("the reply is no JSON: {error}")))?,
            false => Value::Null,
        };
        let is_partial = data["status"] == "partial" || data["without_text"] == true;
        notices.extend(how_far.filter(|_| is_partial));
        let mut text = match self.format {
            // Not twice: clients that read data find it in its own field.
            Format::Json => String::from("the reply is in structuredContent\n"),
            Format::Text => self.bounded(answer.text(), &mut notices),
        };
        if text.is_empty() && !answer.is_found() {
            text.push_str("nothing found\n");
        }
        for notice in notices {
            text.push_str("note: ");
            text.push_str(&notice);
            text.push('\n');
        }
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.structured_content = (self.format == Format::Json).then_some(data);
        Ok((result, is_partial))
    }

    /// Cuts a text that is too long for a model, at the end of a line.
    fn bounded(&self, mut text: String, notices: &mut Vec<String>) -> String {
        if self.has_budget || text.len() <= TOKENS_MAX || tokens::count(&text) <= TOKENS_MAX {
            return text;
        }
        let lines = text.lines().count();
        let (mut left, mut end, mut kept) = (TOKENS_MAX, 0, 0);
        for line in text.split_inclusive('\n') {
            let cost = tokens::count(line);
            if cost > left {
                break;
            }
            (left, end, kept) = (left - cost, end + line.len(), kept + 1);
        }
        text.truncate(end);
        notices.push(format!(
            "{kept} of {lines} lines shown, as many as {TOKENS_MAX} tokens hold; ask for a part"
        ));
        text
    }
}

/// Returns the reply of a call that failed.
pub(super) fn failed(sentence: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(sentence)])
}

/// Returns an error with what to try next, in one line.
pub(super) fn sentence(error: &Error) -> String {
    let hints = error.hints().iter().map(String::as_str).filter(|hint| !hint.is_empty());
    let parts = std::iter::once(error.to_string()).chain(hints.map(str::to_owned));
    crate::base::text::plain(&parts.collect::<Vec<_>>().join("; "))
}
