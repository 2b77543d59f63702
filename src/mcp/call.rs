//! One call of a tool: parses its arguments, runs the tool, and formats the reply for a model.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value};

use super::cancellable_code::{CancellableCode, IsCancelled};
use super::listing::server_meta;
use super::no_tree::NoTree;
use super::project::Project;
use super::roots::Roots;
use super::sentence::sentence;
use super::visit::{self, Activity, Visit};
use crate::answer::analysis::Failure;
use crate::base::interrupt::Interrupt;
use crate::base::tokens;
use crate::catalog::code::Code;
use crate::catalog::damage::Part;
use crate::engine::{Check, Local};
use crate::error::{Error, Kind, Result};
use crate::index::snapshot::Snapshot;
use crate::tools::session::{PROJECT, ProjectSelector};
use crate::tools::status::TreeStatus;
use crate::tools::{Answer, Call, Effect, Needs, Tool, unlisted};

/// The token budget of a reply unless the call sets one.
const TOKENS_MAX: usize = 10_000;

/// The argument of every tool that selects the format of the reply. It is documented, but not part
/// of the schemas, where it would cost tokens: only programs use it.
const FORMAT: &str = "format";

/// The argument of every tool that sets the token budget of the reply as text. Only the schemas of
/// tools that choose what fits into it list it.
const BUDGET: &str = "max_tokens";

/// The maximum of [`BUDGET`] for tools that do not choose what fits.
const BUDGET_MAX: usize = 100_000;

/// The format of a reply.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Format {
    /// Compact text, for a model.
    Text,
    /// The reply's data, for a program.
    Json,
}

impl Format {
    /// Returns the format that a call asks for; text if that is not valid.
    pub(super) fn of(arguments: &Map<String, Value>) -> Format {
        if arguments.get(FORMAT).is_some_and(|format| format == "json") {
            Format::Json
        } else {
            Format::Text
        }
    }
}

/// How long a call that needs the code index may read the tree itself while the index is being
/// built.
const READING_MAX: Duration = Duration::from_millis(1500);

/// A parsed call.
#[derive(Clone, Debug)]
pub(super) struct ToolCall {
    tool: &'static Tool,
    /// The tools of the server, which hints may mention.
    offered: Arc<[&'static Tool]>,
    arguments: Map<String, Value>,
    wanted: Option<ProjectSelector>,
    format: Format,
    /// The token budget of the text; `None` if the tool itself keeps to one.
    budget: Option<usize>,
    received_at: Instant,
}

impl ToolCall {
    /// Parses a call.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] for an invalid format, budget or project name; the tool itself checks the
    /// other arguments.
    pub(super) fn new(
        tool: &'static Tool,
        offered: Arc<[&'static Tool]>,
        mut arguments: Map<String, Value>,
    ) -> Result<ToolCall> {
        let received_at = Instant::now();
        let format = match arguments.remove(FORMAT) {
            None | Some(Value::Null) => Format::Text,
            Some(Value::String(format)) if format == "text" => Format::Text,
            Some(Value::String(format)) if format == "json" => Format::Json,
            Some(other) => {
                return Err(Error::usage(format!(
                    "invalid `{FORMAT}` {other}; valid: `text`, `json`"
                )));
            }
        };
        let wanted = tool.wanted(&arguments)?;
        let budget = budget(tool, &mut arguments)?;
        Ok(ToolCall { tool, offered, arguments, wanted, format, budget, received_at })
    }

    /// Returns the project that the call names, if any.
    pub(super) fn wanted(&self) -> Option<&ProjectSelector> {
        self.wanted.as_ref()
    }

    /// Runs the tool on `home`. Ends soon after `is_cancelled` returns true. While the code index
    /// is being built, a tool that needs it reads the tree for at most [`READING_MAX`] and replies
    /// with the results so far.
    pub(super) fn answer(
        self,
        roots: &Roots,
        home: Option<&Project>,
        activity: &Activity,
        is_cancelled: IsCancelled<'_>,
    ) -> CallToolResult {
        let until = Instant::now() + READING_MAX;
        let is_bounded = self.tool.needs.is_indexed() && home.is_some_and(|home| !home.is_full());
        let is_due = || is_cancelled() || is_bounded && Instant::now() >= until;
        let (root, other_projects) =
            (home.map(|home| home.engine().root()), visit::other_projects());
        let mut visit = Visit::new(roots, root, &other_projects, activity, is_cancelled);
        let mut code = home.map(|home| {
            let local =
                Local::new(home.engine(), Check::Watcher).interrupted_by(Interrupt::new(&is_due));
            let may_write =
                self.tool.effect == Effect::Writes && roots.may_be_edited(home.engine().root());
            let local = if may_write { local.writable() } else { local };
            CancellableCode::new(local, is_cancelled)
        });
        // Read before the tool runs: the index may become complete during the call, after the tool
        // has read it.
        let progress =
            home.filter(|_| self.tool.needs != Needs::Session).and_then(Project::progress_message);
        let mut answer = self.run(code.as_ref(), &visit);
        let is_corrupt = answer.as_ref().is_err_and(|error| error.kind() == Kind::Corrupt);
        let is_damaged = code.as_ref().is_some_and(CancellableCode::is_damaged);
        if is_damaged || visit.is_damaged() || is_corrupt {
            log::debug!("the code index is damaged; repeating the call without it");
            code.iter().for_each(|code| code.note_damage(Part::Code));
            code = code.map(CancellableCode::without_code_index);
            visit = visit.without_code_index();
            answer = self.run(code.as_ref(), &visit);
        }
        let progress =
            progress.map(|before| home.and_then(Project::progress_message).unwrap_or(before));
        if let (Some(home), Some(code)) = (home, &code) {
            home.repair(code.take_damage());
        }
        visit.repair();
        let project = root.and_then(|root| roots.name_unless_default(root));
        let reply = match answer {
            // The list of files was not complete in time.
            Err(error) if error.kind() == Kind::Cancelled && !is_cancelled() => {
                Ok((self.without_files(progress), true))
            }
            answer => answer.and_then(|answer| self.reply(&*answer, progress, project.as_deref())),
        };
        let (result, is_partial) = match reply {
            Ok(reply) => reply,
            Err(error) => (failed(&error, self.format), false),
        };
        let mut meta = result.meta.clone().unwrap_or_default();
        meta.0.extend(
            code.as_ref()
                .and_then(CancellableCode::generation)
                .map(|number| ("generation".to_owned(), number.into())),
        );
        if visit.is_tree_read() || code.as_ref().is_some_and(CancellableCode::is_tree_read) {
            meta.0.insert("freshness".to_owned(), "current".into());
        }
        meta.0.extend(project.map(|name| (PROJECT.to_owned(), name.into())));
        if is_partial {
            meta.0.insert("status".to_owned(), "partial".into());
        }
        self.with_meta(result, meta)
    }

    /// Returns the fallback reply of a tool of [`Speed::Immediate`](crate::tools::Speed) that could
    /// not read the tree in time: the status of the index without a check of the files. Does not read
    /// the tree.
    pub(super) fn unchecked_status(self, roots: &Roots, home: &Project) -> CallToolResult {
        let root = home.engine().root();
        let snapshot = home.engine().snapshot().ok().flatten();
        let of_snapshot = |of: &Snapshot| (of.generation, Some(of.table.files() as usize));
        let of_index = snapshot.as_ref().map_or((0, None), of_snapshot);
        let status = TreeStatus::unchecked(root, home.indexed(), of_index, roots.names());
        let reason = "the files were not compared with the index yet; call again for more";
        let progress = home.progress_message().unwrap_or_else(|| reason.to_owned());
        let project = roots.name_unless_default(root);
        let result = self.reply(&status, Some(progress), project.as_deref());
        let result = match result {
            Ok((result, _)) => result,
            Err(error) => failed(&error, self.format),
        };
        let mut meta = MetaObject::new();
        meta.0.extend(project.map(|name| (PROJECT.to_owned(), name.into())));
        meta.0.insert("status".to_owned(), "partial".into());
        self.with_meta(result, meta)
    }

    fn with_meta(&self, mut result: CallToolResult, mut meta: MetaObject) -> CallToolResult {
        meta.0.extend(server_meta().0);
        let elapsed_us = u64::try_from(self.received_at.elapsed().as_micros()).unwrap_or(u64::MAX);
        meta.0.insert("elapsed_us".to_owned(), elapsed_us.into());
        result.meta = Some(meta);
        result
    }

    /// Returns the reply of a call for which the files of the tree could not be listed in time.
    fn without_files(&self, progress: Option<String>) -> CallToolResult {
        let progress = progress.unwrap_or_else(|| "the files are still being listed".to_owned());
        let text = match self.format {
            Format::Json => "the reply is in structuredContent\n",
            Format::Text => "nothing found yet\n",
        };
        let text = format!("{text}note: {progress}; call again for a complete reply\n");
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        let is_json = self.format == Format::Json;
        result.structured_content = is_json.then(|| serde_json::json!({"status": "partial"}));
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
        let call =
            Call { session: Some(visit), offered: Some(&self.offered), ..Call::new(code, now_ns) };
        self.tool.run(&call, Value::Object(self.arguments.clone()))
    }

    /// Returns the reply, and whether it is incomplete. `progress` is the progress of the index if
    /// it is being built; `project` is the name of the project unless it is the default one.
    fn reply(
        &self,
        answer: &dyn Answer,
        progress: Option<String>,
        project: Option<&str>,
    ) -> Result<(CallToolResult, bool)> {
        let mut notices = answer.notices();
        let is_of_session = self.tool.needs == Needs::Session;
        if let (Some(ProjectSelector::Containing(_)), Some(name), false) =
            (&self.wanted, project, is_of_session)
        {
            notices.push(format!("from project `{}`", crate::base::text::plain(name)));
        }
        let needs_data = self.format == Format::Json || progress.is_some() || is_of_session;
        let data = if needs_data {
            serde_json::from_str(&answer.json()?).map_err(|error| {
                Error::new(Kind::Io, format!("the reply is not valid JSON: {error}"))
            })?
        } else {
            Value::Null
        };
        let is_partial =
            answer.is_incomplete() || data["status"] == "partial" || data["without_text"] == true;
        notices.extend(progress.filter(|_| is_partial));
        let mut text = match self.format {
            // The data is in `structuredContent`; the text does not repeat it.
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

    /// Truncates a text that is too long for a model, at the end of a line.
    fn bounded(&self, mut text: String, notices: &mut Vec<String>) -> String {
        let Some(max) = self.budget else { return text };
        if text.len() <= max || tokens::count(&text) <= max {
            return text;
        }
        let lines = text.lines().count();
        let (mut left, mut end, mut kept) = (max, 0, 0);
        for line in text.split_inclusive('\n') {
            let cost = tokens::count(line);
            if cost > left {
                break;
            }
            (left, end, kept) = (left - cost, end + line.len(), kept + 1);
        }
        text.truncate(end);
        notices.push(format!(
            "{kept} of {lines} lines shown (limit of {max} tokens); narrow the request or raise `{BUDGET}`"
        ));
        text
    }
}

/// Removes the token budget from the arguments of a tool that does not keep to it itself, and
/// returns it; `None` if the tool does and the call sets one.
fn budget(tool: &Tool, arguments: &mut Map<String, Value>) -> Result<Option<usize>> {
    let is_set = arguments.get(BUDGET).is_some_and(|budget| !budget.is_null());
    let schema = tool.arguments();
    let property = schema["properties"].get(BUDGET);
    let is_shared = property.is_some_and(|property| property.get(unlisted::SHARED).is_some());
    if property.is_some() && !is_shared {
        return Ok((!is_set).then_some(TOKENS_MAX));
    }
    let Some(given) = arguments.remove(BUDGET).filter(|_| is_set) else {
        if is_shared {
            arguments.insert(BUDGET.to_owned(), TOKENS_MAX.into());
        }
        return Ok(Some(TOKENS_MAX));
    };
    let number = match &given {
        Value::String(text) => text.trim().parse().ok(),
        number => number.as_u64(),
    };
    let number = number.filter(|number| *number > 0).ok_or_else(|| {
        Error::usage(format!("`{BUDGET}` must be a positive integer, not `{given}`"))
    })?;
    let max = usize::try_from(number).unwrap_or(BUDGET_MAX).min(BUDGET_MAX);
    if is_shared {
        arguments.insert(BUDGET.to_owned(), max.into());
    }
    Ok(Some(max))
}

/// The key under which the metadata of failed calls has the identifier of the failure.
const ERROR: &str = "error";

/// Returns the reply of a call that failed.
pub(super) fn failed(error: &Error, format: Format) -> CallToolResult {
    let mut result = failed_with(sentence(error));
    let meta = result.meta.get_or_insert_default();
    meta.0.insert(ERROR.to_owned(), error.code().into());
    if format == Format::Json {
        let hints = error.hints().iter().filter(|hint| !hint.is_empty());
        let hints: Vec<String> = hints.cloned().collect();
        result.structured_content = serde_json::to_value(Failure::new(error, &hints)).ok();
    }
    result
}

/// Returns the reply of a call that failed for a reason that is no error of the tool.
pub(super) fn failed_with(sentence: String) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(sentence)]);
    result.meta = Some(server_meta());
    result
}
