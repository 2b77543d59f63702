//! One call of a tool: its arguments, the tool's run, and the reply as a model reads it.

use std::time::{Instant, SystemTime};

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value};

use super::cancellable_code::{CancellableCode, IsCancelled};
use super::no_tree::NoTree;
use super::project::Project;
use super::roots::Roots;
use super::visit::{self, Doing, Visit};
use crate::catalog::code::Code;
use crate::context::tokens;
use crate::engine::{Check, Local};
use crate::error::{Error, Kind, Result};
use crate::tools::session::{PROJECT, Wanted};
use crate::tools::{Answer, Call, Effect, Needs, Tool};

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
    wanted: Option<Wanted>,
    format: Format,
    has_budget: bool,
    asked_at: Instant,
}

impl Question {
    /// Returns the question of a call.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] for a format or a project's name that is none; the other arguments are the tool's to judge.
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
        let wanted = tool.wanted(&arguments)?;
        let has_budget = arguments.get(BUDGET).is_some_and(|budget| !budget.is_null());
        Ok(Question { tool, arguments, wanted, format, has_budget, asked_at })
    }

    /// Returns which project it is about, if it says so.
    pub(super) fn wanted(&self) -> Option<&Wanted> {
        self.wanted.as_ref()
    }

    /// Asks the tool about `home`. Takes as long as it takes; ends soon after `is_cancelled` says so.
    pub(super) fn answer(
        self,
        roots: &Roots,
        home: Option<&Project>,
        doing: &Doing,
        is_cancelled: IsCancelled<'_>,
    ) -> CallToolResult {
        let (root, places) = (home.map(|home| home.engine().root()), visit::places());
        let mut visit = Visit::new(roots, root, &places, doing, is_cancelled);
        let mut code = home.map(|home| {
            let local = Local::new(home.engine(), Check::Watcher);
            let may_write =
                self.tool.effect == Effect::Writes && roots.may_be_edited(home.engine().root());
            let local = if may_write { local.writable() } else { local };
            CancellableCode::new(local, is_cancelled)
        });
        // What is complete by the end was not so, perhaps, when the call looked.
        let how_far = home.filter(|_| self.tool.needs != Needs::Session).and_then(Project::how_far);
        let mut answer = self.run(code.as_ref(), &visit);
        let is_corrupt = answer.as_ref().is_err_and(|error| error.kind() == Kind::Corrupt);
        let is_damaged = code.as_ref().is_some_and(CancellableCode::is_damaged);
        if is_damaged || visit.is_damaged() || is_corrupt {
            log::debug!("the code index is damaged; asking again without it");
            code = code.map(CancellableCode::without_code_index);
            visit = visit.without_code_index();
            answer = self.run(code.as_ref(), &visit);
        }
        let how_far = how_far.map(|before| home.and_then(Project::how_far).unwrap_or(before));
        let beside = root.and_then(|root| roots.name_beside_default(root));
        let told = answer.and_then(|answer| self.told(&*answer, how_far, beside.as_deref()));
        let (mut result, is_partial) = match told {
            Ok(told) => told,
            Err(error) => (failed(sentence(&error)), false),
        };
        let mut meta = MetaObject::new();
        meta.0.extend(
            code.and_then(|code| code.generation())
                .map(|number| ("generation".to_owned(), number.into())),
        );
        meta.0.insert("freshness".to_owned(), "current".into());
        meta.0.extend(beside.map(|name| (PROJECT.to_owned(), name.into())));
        if is_partial {
            meta.0.insert("status".to_owned(), "partial".into());
        }
        let elapsed_us = u64::try_from(self.asked_at.elapsed().as_micros()).unwrap_or(u64::MAX);
        meta.0.insert("elapsed_us".to_owned(), elapsed_us.into());
        result.meta = Some(meta);
        result
    }

    fn run(
        &self,
        code: Option<&CancellableCode<'_>>,
        visit: &Visit<'_>,
    ) -> Result<Box<dyn Answer>> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now_ns = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        let code = code.map_or(&NoTree as &dyn Code, |code| code);
        let call = Call { code, now_ns, session: Some(visit) };
        self.tool.run(&call, Value::Object(self.arguments.clone()))
    }

    /// Returns the reply, and whether it is known to be a part; `how_far` the index was, where it is being
    /// built; `beside` is the name of the project that answered, unless that is the default one.
    fn told(
        &self,
        answer: &dyn Answer,
        how_far: Option<String>,
        beside: Option<&str>,
    ) -> Result<(CallToolResult, bool)> {
        let mut notices = answer.notices();
        let is_of_session = self.tool.needs == Needs::Session;
        if let (Some(Wanted::Holding(_)), Some(name), false) = (&self.wanted, beside, is_of_session)
        {
            notices.push(format!("this is of the project `{}`", crate::base::text::plain(name)));
        }
        let needs_data = self.format == Format::Json || how_far.is_some() || is_of_session;
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
