//! `context`: the files, definitions and lines that are relevant to a task, in one call.
//!
//! The budget limits every form of the reply: the text with its notices, the JSON, and errors. The
//! results are collected once ([`Choice`]); which of them fit is decided when the reply is
//! rendered, because their cost depends on the form.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::coverage::{Coverage, Status};
use super::session::PROJECT;
use super::{Alias, Call, Define, Needs, Offered, Reply, Toolset, decisions, paths};
use crate::answer::page::{Block, Page};
use crate::answer::style::{Plain, Style};
use crate::base::ids::FileId;
use crate::base::text;
use crate::base::tokens;
use crate::catalog::Catalog;
use crate::catalog::code::Focus;
use crate::catalog::damage::Part;
use crate::catalog::file_list::FileList;
use crate::context::changed::{Before, Changed};
use crate::context::compose::{self, Bundle, Choice, Detail, FILES, Form, Options, Paths, Sources};
use crate::context::diff;
use crate::context::task::{self, Task};
use crate::error::{Error, Result};
use crate::history::git::Difference;
use crate::rank::TaskKind;

/// Tokens of a reply: the default, the minimum and the maximum.
const TOKENS: usize = 1_500;
const TOKENS_MIN: usize = 120;
const TOKENS_MAX: usize = 50_000;

/// Tokens reserved for the notice that the index was not checked against the tree. The command line
/// may add it.
const EDGE_TOKENS: usize = 12;

/// Tokens around a notice.
const NOTICE_TOKENS: usize = 4;

/// The maximum of `max_files`.
const FILES_MAX: usize = 50;

/// The minimum length of a task.
const TASK_BYTES_MIN: usize = 3;

/// The maximum length of a diff.
const DIFF_BYTES_MAX: usize = 1 << 20;

/// The maximum number of files whose earlier text is read from a commit.
const COMPARED_MAX: usize = 24;

/// The smallest budget in which the next calls are proposed, and the number of definitions to read.
const NEXT_BUDGET_MIN: usize = 600;
const NEXT_TARGETS: usize = 3;

/// The maximum number of decisions of a reply.
const DECISIONS: usize = 2;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Context;

/// The level of detail.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Files and the first lines of definitions.
    Lean,
    /// Content that is worth its tokens.
    #[default]
    Normal,
    /// More and longer texts.
    Full,
}

/// The arguments.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Args {
    /// The task: a question, a bug report, a stack trace
    pub task: String,
    /// Maximum number of tokens of the reply (default 1,500; at least 120)
    pub max_tokens: Option<usize>,
    /// Maximum number of files (default 8)
    pub max_files: Option<usize>,
    /// Only these files and directories
    #[serde(default)]
    pub paths: Vec<String>,
    /// Files and directories to leave out, such as those already read
    #[serde(default)]
    pub exclude: Vec<String>,
    /// A unified diff that the task refers to, applied or not
    pub diff: Option<String>,
    /// A commit: the changes since it are the subject of the task
    pub since: Option<String>,
    /// Level of detail (default normal)
    pub detail: Option<Level>,
}

/// The reply.
#[derive(Clone, Debug)]
pub struct ContextReply {
    coverage: Coverage,
    /// Why the files were ranked without the text index, if so.
    without_text: Option<&'static str>,
    /// The number of changed files that are not ranked by their text.
    unranked_files: usize,
    /// Why the files were ranked without the commit log, if so.
    without_history: Option<&'static str>,
    /// The notice about `paths` without files.
    path_notice: Option<String>,
    /// The notice about the diff or the commit.
    change_notice: Option<String>,
    /// The best decisions for the files.
    decisions: Vec<decisions::Entry>,
    /// Why there are none, if they cannot be read.
    decisions_notice: Option<String>,
    choice: Choice,
    /// The tools that are likely needed next, by the names that the caller knows.
    next_tools: NextTools,
}

/// The tools that are likely needed next; those that the caller does not have are absent.
#[derive(Clone, Debug, Default)]
struct NextTools {
    read: Option<String>,
    trace: Option<String>,
    callers: Option<String>,
    /// The project that the calls name.
    project: Option<String>,
    /// The task is a question.
    is_question: bool,
}

/// A call that is likely needed next.
#[derive(Clone, Debug, Serialize)]
struct NextCall {
    tool: String,
    arguments: serde_json::Value,
}

/// The reply as JSON.
#[derive(Debug, Serialize)]
struct JsonReply<'a> {
    #[serde(flatten)]
    coverage: Coverage,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    without_text: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    without_history: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    nothing_decides: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    decisions: &'a [decisions::Entry],
    #[serde(flatten)]
    bundle: &'a Bundle,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    next: Vec<NextCall>,
}

impl Define for Context {
    const NAME: &'static str = "codedb_context";
    const SUMMARY: &'static str =
        "Get the files, definitions and lines that a task is about, in one call";
    const DETAILS: &'static str = "Call it first, with the whole task: it looks up the names, paths, stack traces and words \
         of the task, ranks files with reasons, and shows the best lines, callers and tests within \
         `max_tokens`.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] = &[
        ("symbol", "for a definition"),
        ("read", "for lines"),
        ("callers", "for calls"),
        ("search", "for an exact text"),
    ];
    const TOOLSET: Toolset = Toolset::Core;
    const NEEDS: Needs = Needs::Text;
    const EXAMPLES: &'static [&'static str] =
        &[r#"{"task": "a coupon of more than 100 percent underflows", "max_tokens": 600}"#];
    const POSITIONAL: &'static [&'static str] = &["task"];
    const ALIASES: &'static [Alias] = &[Alias::new("query", "task")];
    type Args = Args;
    type Reply = ContextReply;

    fn run(call: &Call<'_>, args: Args) -> Result<ContextReply> {
        let max_tokens = args.max_tokens.unwrap_or(TOKENS).min(TOKENS_MAX);
        if max_tokens < TOKENS_MIN {
            let message = format!("`max_tokens` is {max_tokens}; the minimum is {TOKENS_MIN}");
            return Err(Error::usage(message));
        }
        answer(call, &args, max_tokens).map_err(|error| {
            let hints = error.hints().iter().map(|hint| tokens::count(hint) + NOTICE_TOKENS);
            let all = tokens::count(&error.to_string()) + hints.sum::<usize>();
            if all + EDGE_TOKENS > max_tokens {
                Error::new(error.kind(), "an argument is invalid, and too long to repeat")
            } else {
                error
            }
        })
    }
}

fn answer(call: &Call<'_>, args: &Args, max_tokens: usize) -> Result<ContextReply> {
    let text = args.task.trim();
    if text.len() < TASK_BYTES_MIN {
        return Err(Error::usage("the task is empty or too short")
            .with_hint("describe the task in a sentence"));
    }
    if args.task.len() > task::BYTES_MAX {
        let message = format!("the task has {} bytes; the limit is 65536", args.task.len());
        return Err(Error::usage(message).with_hint("shorten long logs"));
    }
    let resolve = |given: &Vec<String>| -> Result<Vec<Vec<u8>>> {
        given.iter().map(|path| paths::resolve(call, path)).collect()
    };
    let options = Options {
        max_tokens,
        max_files: args.max_files.unwrap_or(FILES).clamp(1, FILES_MAX),
        within: resolve(&args.paths)?,
        exclude: resolve(&args.exclude)?,
        detail: match args.detail.unwrap_or_default() {
            Level::Lean => Detail::Lean,
            Level::Normal => Detail::Normal,
            Level::Full => Detail::Full,
        },
    };
    let task = Task::new(text);
    let names: Vec<&str> = task
        .mentions
        .iter()
        .filter_map(|mention| mention.text.rsplit(['.', ':', '#', '/']).next())
        .filter(|name| name.len() > 2)
        .take(16)
        .collect();
    call.code.focus(Focus::Task(text))?;
    let catalog = call.code.catalog(&names)?;
    let path_notice = missing_paths(call, catalog.files(), &options.within)?;
    let (changed, change_notice) = changes(call, catalog, args, &options)?;
    let overlay = call.code.ranking()?;
    let path_names = || {
        let (index, files) = (call.code.names().ok()?, catalog.files());
        // Both come from the same state of the tree.
        let is_same = call.code.files().is_ok_and(|listed| listed.has_paths_of(files));
        is_same.then_some(index)
    };
    let path = |at: usize| catalog.files().path(at);
    let named = || path_names().map(|index| Paths { index, path: &path });
    let text = overlay.as_deref();
    let unranked_files = text.map_or(0, |overlay| overlay.left_out);
    let history = call.code.history()?;
    let history = history.as_deref();
    let sources = Sources { catalog, text, history, path_names: &named, changed: &changed };
    let choice = compose::choose(&sources, &task, &options)?;
    let without_text = match overlay {
        _ if call.code.found_damage(Part::Text) => Some("damaged"),
        Some(_) => None,
        None => Some("not built yet"),
    };
    let without_history = call.code.history_problem();
    let (decisions, decisions_notice) = match decided(call, &choice, &args.task, options.max_tokens)
    {
        Ok(decisions) => (decisions, None),
        Err(error) => (Vec::new(), Some(format!("decisions cannot be read: {error}"))),
    };
    let mut coverage = Coverage::of(catalog);
    coverage.status = match coverage.status {
        Status::Ok if without_text.or(without_history).is_some() || unranked_files > 0 => {
            Status::Partial
        }
        Status::Ok if !choice.is_found() => Status::NoData,
        status => status,
    };
    Ok(ContextReply {
        coverage,
        without_text,
        unranked_files,
        without_history,
        path_notice,
        change_notice,
        decisions,
        decisions_notice,
        choice,
        next_tools: NextTools {
            is_question: task.kind() == TaskKind::Question,
            ..NextTools::default()
        },
    })
}

/// Returns the notice about those of the `paths` of a call that contain no file.
///
/// # Errors
///
/// If none of them does, with the nearest paths.
fn missing_paths(call: &Call<'_>, files: &FileList, within: &[Vec<u8>]) -> Result<Option<String>> {
    let is_missing = |path: &&Vec<u8>| {
        !path.is_empty() && files.find(path).is_none() && files.below(path).is_empty()
    };
    let missing: Vec<&Vec<u8>> = within.iter().filter(is_missing).collect();
    let Some(first) = missing.first() else { return Ok(None) };
    if missing.len() == within.len() {
        return Err(paths::unknown(call, first));
    }
    let shown = text::plain(text::start(&paths::shown(first), 80)).clone();
    let count = super::counted(missing.len(), "path");
    Ok(Some(format!("{count} of `paths` without files, such as `{shown}`")))
}

/// Returns the two best canonical decisions for the files of a reply, if they take at most a quarter
/// of its tokens.
fn decided(
    call: &Call<'_>,
    choice: &Choice,
    task: &str,
    max_tokens: usize,
) -> Result<Vec<decisions::Entry>> {
    let files: Vec<String> = choice.files().map(str::to_owned).collect();
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let (ranked, _) = decisions::ranked(call, &decisions::of_paths(&files), task)?;
    let best = ranked.iter().take(DECISIONS);
    let mut best: Vec<decisions::Entry> =
        best.map(|it| decisions::Entry::of(&it.decision)).collect();
    let cost =
        |of: &[decisions::Entry]| tokens::count(&serde_json::to_string(of).unwrap_or_default());
    while !best.is_empty() && cost(&best) > max_tokens / 4 {
        best.pop();
    }
    Ok(best)
}

/// Returns the calls that are likely needed next as text, in the words of the reader.
fn next_text(next: &[NextCall], style: &dyn Style) -> String {
    let line = |NextCall { tool, arguments }: &NextCall| {
        let call = arguments.as_object().map(|arguments| style.call(tool, arguments));
        format!("next: {}\n", call.unwrap_or_else(|| tool.clone()))
    };
    next.iter().map(line).collect()
}

/// Returns the decisions as text.
fn decisions_text(decisions: &[decisions::Entry]) -> String {
    let mut out = String::new();
    if !decisions.is_empty() {
        out.push_str("## decisions\n");
        decisions.iter().for_each(|it| it.render(&mut out));
    }
    out
}

/// Returns the changes of the given diff or since the given commit, and a notice about them.
fn changes(
    call: &Call<'_>,
    catalog: &Catalog,
    args: &Args,
    options: &Options,
) -> Result<(Changed, Option<String>)> {
    let mut changed = Changed::default();
    let mut notice = None;
    if let Some(text) = &args.diff {
        if text.len() > DIFF_BYTES_MAX {
            return Err(Error::usage("the diff has more than 1 MiB"));
        }
        let files = diff::read(text);
        if files.is_empty() {
            return Err(Error::usage("`diff` is not a unified diff: it contains no file name")
                .with_hint("`git diff` prints one; `since` compares with a commit instead"));
        }
        changed = Changed::in_diff(catalog, &files)?;
        if changed.files.is_empty() {
            notice = Some("no file of the diff is in this tree".to_owned());
        }
    }
    if let Some(since) = &args.since {
        let other = since_commit(call, catalog, since, options)?;
        if other.files.is_empty() {
            notice =
                Some(format!("nothing differs from `{}`", text::plain(text::start(since, 80))));
        }
        changed = changed.with(other);
    }
    let scope = options.scope();
    Ok((changed.within(catalog, |path| scope.contains(path)), notice))
}

fn since_commit(
    call: &Call<'_>,
    catalog: &Catalog,
    since: &str,
    options: &Options,
) -> Result<Changed> {
    let shown = text::plain(text::start(since, 80));
    let Some(git) = call.code.git() else {
        return Err(Error::usage(format!(
            "cannot compare with `{shown}`: the tree is not in a git repository"
        ))
        .with_hint("pass a unified diff as `diff` instead"));
    };
    let Some(commit) = git.commit(since)? else {
        return Err(git.no_commit(since));
    };
    let list = catalog.files();
    let scope = options.scope();
    let mut files: Vec<FileId> = Vec::new();
    let mut before: Vec<(FileId, Option<Vec<u8>>)> = Vec::new();
    for (path, how) in git.changes_since(&commit)? {
        if path.ends_with(b"/") {
            // Git lists a directory with its own repository as one entry.
            files.extend(list.below(&path[..path.len() - 1]).map(FileId::new));
            continue;
        }
        let Some(at) = list.find(&path).filter(|_| scope.contains(&path)) else { continue };
        let file = FileId::new(at);
        files.push(file);
        let earlier = match how {
            Difference::Added | Difference::Deleted => None,
            Difference::Modified => Some(path),
            Difference::Renamed(from) => Some(from),
        };
        if before.len() < COMPARED_MAX {
            before.push((file, earlier));
        }
    }
    let before = Before::read(catalog, git, &commit, before)?;
    Changed::since(catalog, &files, &before)
}

/// Runs a call, and returns the reply as a client with every tool gets it, as text with its notices, and
/// the results that this text shows.
///
/// # Errors
///
/// As [`Define::run`].
pub fn text_and_bundle(call: &Call<'_>, args: Args) -> Result<(String, Bundle)> {
    let mut reply = Context::run(call, args)?;
    super::adapt_to_all(call, &mut reply);
    let mut text = Reply::render(&reply, &Plain);
    for notice in Reply::notices(&reply) {
        text.push_str(&format!("note: {notice}\n"));
    }
    Ok((text, reply.bundle(Form::Text)))
}

impl ContextReply {
    /// Returns the results that fit into the budget in a form.
    pub fn bundle(&self, form: Form) -> Bundle {
        self.choice.bundle(form, |bundle| match form {
            Form::Text => {
                let notices = Reply::notices(self);
                let notices = notices.iter().map(|notice| tokens::count(notice) + NOTICE_TOKENS);
                let decisions = tokens::count(&decisions_text(&self.decisions));
                let bundle_tokens = tokens::count(&bundle.render(&Plain));
                let next = tokens::count(&next_text(&self.next(bundle), &Plain));
                bundle_tokens + next + decisions + notices.sum::<usize>() + EDGE_TOKENS
            }
            Form::Json => {
                let json = serde_json::to_string(&self.shown(bundle)).unwrap_or_default();
                tokens::count(&json) + EDGE_TOKENS
            }
        })
    }

    fn shown<'a>(&'a self, bundle: &'a Bundle) -> JsonReply<'a> {
        let without_text = self.without_text.is_some();
        let without_history = self.without_history.is_some();
        let decisions = &self.decisions;
        JsonReply {
            coverage: self.coverage,
            without_text,
            without_history,
            nothing_decides: self.choice.vague_note.is_some(),
            decisions,
            bundle,
            next: self.next(bundle),
        }
    }

    /// Returns the calls that are most likely needed after this reply: to read the definitions that it
    /// names only, and to follow the first one. None in small budgets.
    fn next(&self, bundle: &Bundle) -> Vec<NextCall> {
        let mut next = Vec::new();
        if bundle.budget < NEXT_BUDGET_MIN {
            return next;
        }
        let call = |tool: &Option<String>, mut arguments: serde_json::Value| {
            if let (Some(project), Some(arguments)) =
                (&self.next_tools.project, arguments.as_object_mut())
            {
                arguments.insert(PROJECT.to_owned(), project.clone().into());
            }
            tool.clone().map(|tool| NextCall { tool, arguments })
        };
        let name = |of: &compose::bundle::Symbol| {
            of.qualified_name.clone().unwrap_or_else(|| of.name.clone())
        };
        let heads = bundle.symbols.iter().filter(|symbol| symbol.body.is_none());
        let target = |of: &compose::bundle::Symbol| match name(of) {
            name if of.is_unique => name,
            name => format!("{}:{name}", of.path),
        };
        let targets: Vec<String> = heads.take(NEXT_TARGETS).map(target).collect();
        if !targets.is_empty() {
            next.extend(call(&self.next_tools.read, json!({ "targets": targets })));
        }
        if let Some(first) = bundle.symbols.iter().find(|symbol| symbol.kind.is_callable()) {
            let from = target(first);
            let NextTools { trace, callers, is_question, .. } = &self.next_tools;
            next.extend(if *is_question && bundle.chain.is_empty() {
                call(trace, json!({ "from": from }))
            } else {
                let mut arguments = json!({ "name": name(first) });
                if !first.is_unique {
                    arguments["path"] = first.path.clone().into();
                }
                call(callers, arguments)
            });
        }
        next
    }
}

impl Serialize for ContextReply {
    fn serialize<S: serde::Serializer>(
        &self,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        self.shown(&self.bundle(Form::Json)).serialize(serializer)
    }
}

impl Reply for ContextReply {
    /// Renders the bundle, the decisions and the next calls.
    fn render(&self, style: &dyn Style) -> String {
        let bundle = self.bundle(Form::Text);
        let next = next_text(&self.next(&bundle), style);
        bundle.render(style) + &decisions_text(&self.decisions) + &next
    }

    /// Shows the files with the reasons, what is in them, and the decisions for them.
    fn page(&self) -> Option<Page> {
        let bundle = self.bundle(Form::Text);
        let mut blocks = bundle.blocks();
        if !self.decisions.is_empty() {
            let mut table = decisions::table();
            self.decisions.iter().for_each(|it| it.add_to(&mut table, Vec::new()));
            blocks.extend([Block::Title("Decisions".to_owned()), Block::Table(table)]);
        }
        blocks.extend(bundle.end_blocks());
        Some(Page { blocks })
    }

    fn is_found(&self) -> bool {
        self.choice.is_found()
    }

    fn adapt(&mut self, offered: Offered<'_>) {
        let name = |name: &str| offered.has(name).then(|| name.to_owned());
        self.next_tools.project = offered.project.map(str::to_owned);
        self.next_tools.read = name("codedb_read");
        self.next_tools.trace = name("codedb_trace");
        self.next_tools.callers = name("codedb_callers");
    }

    fn notices(&self) -> Vec<String> {
        let mut notices: Vec<String> = self.coverage.notice().into_iter().collect();
        if let Some(reason) = self.without_text {
            notices.push(format!("the text index is {reason}; results are ranked without it"));
        }
        if self.unranked_files > 0 {
            notices.push(format!(
                "{} files that changed since the text index was built are not ranked by their \
                 text; a background build adds them",
                self.unranked_files
            ));
        }
        if let Some(reason) = self.without_history {
            notices.push(format!("results are ranked without the commit log: {reason}"));
        }
        notices.extend(self.choice.vague_note.clone());
        notices.extend(self.choice.chain_note.clone());
        notices.extend(self.path_notice.clone());
        notices.extend(self.change_notice.clone());
        notices.extend(self.decisions_notice.clone());
        notices
    }
}
