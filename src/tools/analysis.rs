//! Replies of analysis tools as replies of tools; see [`crate::answer::analysis`].

use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use super::coverage::NOT_INDEXED;
use super::{Call, Gap, Offered, Reply, counted, cut_notice, paths};
use crate::answer::analysis::{Analysis, NextStep, Size, Status, Update};
use crate::answer::graph::Graph;
use crate::answer::page::{Block, Cell, Grade, Page};
use crate::answer::style::Style;
use crate::base::text::plain;
use crate::base::tokens;
use crate::error::{Error, Kind, Result};
use crate::history::git::Difference;
use crate::history::mailmap::{self, Mailmap};
use crate::history::people::Person;
use crate::history::{Activity, FileChanges, History, Rules, ignored};
use crate::userdata::shards::{self, Shards};

/// The data of an analysis reply.
pub trait Data: Serialize + Send {
    /// The argument that shows more entries of the list.
    const MORE: &'static str = "limit";

    /// Appends the data as lines of text.
    fn render(&self, style: &dyn Style, out: &mut String);

    /// Returns the data as parts of a page for people, if it has one; `size` is that of the list.
    fn page(&self, _size: Option<Size>) -> Option<Vec<Block>> {
        None
    }

    /// True if [`Data::graph`] returns a graph.
    const HAS_GRAPH: bool = false;

    /// Returns the data as a graph, if it has one.
    fn graph(&self) -> Option<Graph> {
        None
    }

    /// Returns remarks on further lists.
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the place for [`Update`] in data that has a `_meta` of its own.
    fn update(&mut self) -> Option<&mut Option<Update>> {
        None
    }

    /// Removes the entries of the list from `shown` on.
    fn truncate(&mut self, _shown: usize) {}
}

/// The number of changed files that a call brings up to date without a remark; beyond it, the status
/// is `stale`. The catalog reads more of them if it can (docs/history.md).
const CHANGED_MAX: usize = 50;

/// The default of the argument `max_tokens`.
const TOKENS_DEFAULT: usize = 4000;

/// Returns the reply with as many entries of its list as fit into `max_tokens` as JSON, at least one.
pub fn fit<D: Data>(mut reply: Analysis<D>, max_tokens: Option<usize>) -> Analysis<D> {
    let max = max_tokens.unwrap_or(TOKENS_DEFAULT);
    while let Some(size) = reply.size.filter(|size| size.shown > 1) {
        let cost = tokens::count(&serde_json::to_string(&reply).unwrap_or_default());
        if cost <= max {
            break;
        }
        let shown = (size.shown * max / cost).clamp(1, size.shown - 1);
        reply.data.truncate(shown);
        reply.size = Some(Size { is_over_budget: true, ..Size::new(shown, size.total) });
    }
    reply
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

    /// Shows the status unless it is `ok`, the data, and the next steps.
    fn page(&self) -> Option<Page> {
        let data = self.data.page(self.size)?;
        let mut blocks = Vec::new();
        let message = self.message.as_deref().map(Cell::text);
        let status = (self.status != Status::Ok).then(|| {
            let grade = match self.status {
                Status::GitError | Status::Error => Grade::Bad,
                _ => Grade::Fair,
            };
            Cell::Level(grade, self.status.words())
        });
        let line: Vec<Cell> = status.into_iter().chain(message).collect();
        blocks.extend((!line.is_empty()).then_some(Block::Line(line)));
        blocks.extend(self.hint.as_ref().map(|hint| Block::Line(vec![Cell::faint(hint)])));
        blocks.extend(data);
        blocks.extend((!self.next_steps.is_empty()).then(|| Block::Next(self.next_steps.clone())));
        Some(Page { blocks })
    }

    const HAS_GRAPH: bool = D::HAS_GRAPH;

    fn graph(&self) -> Option<Graph> {
        let mut graph = self.data.graph()?;
        let status = (self.status != Status::Ok).then(|| self.status.words());
        let words: Vec<&str> = status.into_iter().chain(self.message.as_deref()).collect();
        let remark = (!words.is_empty()).then(|| words.join(" "));
        let remark: Vec<String> = remark.into_iter().chain(self.hint.clone()).collect();
        graph.remarks.extend((!remark.is_empty()).then(|| remark.join("; ")));
        Some(graph)
    }

    fn is_unknown(&self) -> bool {
        let is_empty = || self.size.is_none_or(|size| size.total == 0);
        match self.status {
            Status::GitError | Status::AutoQueued | Status::Error => true,
            Status::Stale => is_empty(),
            Status::Ok
            | Status::Partial
            | Status::NoData
            | Status::NoChanges
            | Status::NoEdges
            | Status::Busy => false,
        }
    }

    fn note_update(&mut self, update: Update) -> bool {
        match self.data.update() {
            Some(place) => *place = Some(update),
            None => self.update = Some(update),
        }
        true
    }

    fn is_found(&self) -> bool {
        let has_answer = matches!(self.status, Status::Ok | Status::Partial | Status::Stale);
        has_answer && self.size.is_none_or(|size| size.total > 0)
    }

    fn notices(&self) -> Vec<String> {
        let more = |size: Size| if size.is_over_budget { "max_tokens" } else { D::MORE };
        let cut = self.size.map(|size| cut_notice(size.shown, size.total, more(size)));
        cut.unwrap_or_default().into_iter().chain(self.data.notices()).collect()
    }

    fn note_gap(&mut self, gap: Gap) -> bool {
        let (status, what) = match gap {
            Gap { unknown: 1.., .. } => {
                let files = counted(gap.unknown, "file");
                let what = format!("{files} {NOT_INDEXED}, so the reply may lack some");
                (Status::Partial, gap.with_build(what))
            }
            Gap { changed, .. } if changed > CHANGED_MAX => {
                let what = format!(
                    "{changed} files changed since the index was built; a call brings at least \
                     {CHANGED_MAX} up to date, so the reply may lack some"
                );
                (Status::Stale, what)
            }
            Gap { .. } => return true,
        };
        // An answer that needs no index, such as that nothing differs, is complete.
        let is_affected = match status {
            Status::Partial => [Status::Ok, Status::Partial, Status::NoEdges, Status::NoData]
                .contains(&self.status),
            _ => self.status == Status::Ok,
        };
        if !is_affected {
            return true;
        }
        let remark = self.message.take().map(|message| format!("; {message}")).unwrap_or_default();
        self.status = status;
        self.message = Some(format!("{what}{remark}"));
        self.hint = Some("`codedb index` updates the index, then repeat the call".to_owned());
        let (args, reason) = (json!({"kind": "index"}), "updates the index");
        self.next_steps.insert(0, NextStep::call("codedb_start_job", args, reason));
        true
    }

    fn adapt(&mut self, offered: Offered<'_>) {
        self.message = self.message.take().and_then(|message| offered.render(&message));
        self.hint = self.hint.take().and_then(|hint| offered.render(&hint));
        self.next_steps.retain(|step| match step {
            NextStep::Call { tool, args, .. } => offered.has(tool) && offered.has_paths(args),
            NextStep::Action { .. } => true,
        });
    }
}

/// The identifier of replies for a tree that is in no repository.
pub const NOT_A_REPOSITORY: &str = "not_a_git_repo";

/// Why there is no commit log to answer from: the status, message and hint of the reply.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Missing {
    /// The status.
    pub status: Status,
    /// The identifier, for programs.
    pub error: Option<&'static str>,
    /// The message.
    pub message: String,
    /// The hint.
    pub hint: String,
}

impl Missing {
    fn new(status: Status, error: &'static str, message: &str, hint: &str) -> Missing {
        let (message, hint) = (message.to_owned(), hint.to_owned());
        Missing { status, error: Some(error), message, hint }
    }

    /// Returns the same for a failure of git.
    fn of_git(error: &Error) -> Missing {
        Missing {
            status: Status::GitError,
            error: Some(error.code()),
            message: error.to_string(),
            hint: error.hints().join("; "),
        }
    }

    /// Returns the reply that reports it, with empty data.
    pub fn reply<D>(self, data: D) -> Analysis<D> {
        let reply = Analysis::of(data).with_status(self.status, self.message);
        reply.with_error(self.error).with_hint(self.hint)
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
        Some(_) if let Some(error) = unborn_problem(call) => Missing::of_git(&error),
        Some(_) => Missing::new(
            Status::NoData,
            "no_commits",
            "the repository has no commits",
            "commit something; the tools on the tree itself work without commits",
        ),
        None => match (call.code.git(), call.code.history_problem()) {
            (None, _) => Missing::new(
                Status::NoData,
                NOT_A_REPOSITORY,
                "the tree is not in a git work tree",
                "`git init` makes it one; a bare repository has no files to analyse: clone it",
            ),
            (Some(_), Some("git cannot read it")) => Missing::new(
                Status::GitError,
                "git_command_failed",
                "git cannot read the commits of the repository",
                index,
            ),
            (Some(_), Some("it is damaged")) => Missing::new(
                Status::AutoQueued,
                "damaged_index",
                "the commit log in the index is damaged and is being read again",
                "repeat the call in a minute; `codedb index` waits for the result",
            ),
            (Some(git), _) if let Err(error) = git.commit("HEAD") => Missing::of_git(&error),
            (Some(_), _) => Missing::new(
                Status::Stale,
                "not_indexed",
                "the commits of the repository are not indexed yet",
                "`codedb index` reads them, then repeat the call",
            ),
        },
    };
    Ok(Err(missing))
}

/// Returns what is damaged if a repository without commits has some that git cannot read.
fn unborn_problem(call: &Call<'_>) -> Option<Error> {
    call.code.git()?.check_unborn().err()
}

/// Returns the files of the tree that decide how commits are counted. Those that are missing, or may
/// not be read, have no effect.
pub fn rules(call: &Call<'_>) -> Rules {
    let text = |name: &str, bytes_max| {
        let content = call.code.read(name.as_bytes(), bytes_max).ok();
        content.map(|content| String::from_utf8_lossy(content.bytes()).into_owned())
    };
    let mailmap = text(".mailmap", mailmap::BYTES_MAX).map(|text| Mailmap::parse(&text));
    let ignored = text(ignored::NAME, ignored::BYTES_MAX).map(|text| ignored::parse(&text));
    Rules {
        mailmap: Arc::new(mailmap.unwrap_or_default()),
        ignored: Arc::new(ignored.unwrap_or_default()),
    }
}

/// Returns the shards that `shards.toml` names; none without that file.
///
/// # Errors
///
/// If the file cannot be read or is not valid, with its path and what is wrong.
pub fn shards(call: &Call<'_>) -> Result<Shards> {
    let content = match call.code.read(shards::NAME.as_bytes(), shards::BYTES_MAX) {
        Ok(content) => content,
        Err(error) if error.kind() == Kind::NotFound => return Ok(Shards::default()),
        Err(error) => return Err(error),
    };
    Shards::parse(&String::from_utf8_lossy(content.bytes())).map_err(|problem| {
        Error::usage(format!("`{}`: {problem}", shards::NAME))
            .with_hint("correct the file at the root of the tree, then repeat the call")
    })
}

/// Returns the repository path of the file `given`.
///
/// # Errors
///
/// If it is not a listed file, with the nearest paths.
pub fn file(call: &Call<'_>, given: &str) -> Result<Vec<u8>> {
    let path = paths::resolve(call, given)?;
    let files = call.code.files()?;
    match paths::listed(files, &path) {
        Some(at) => Ok(files.path(at).to_vec()),
        // Deleted files have a history, too.
        None if is_in_history(call, &path) => Ok(path),
        None if !path.is_empty() && files.below(&path).is_empty() => {
            Err(paths::unknown(call, &path))
        }
        None => Err(Error::usage("it is a directory")
            .with_code("is_a_directory")
            .with_path(&crate::base::path::to_path(&path))
            .with_hint("pass a file")),
    }
}

/// Returns true if commits changed a file at this path.
pub fn is_in_history(call: &Call<'_>, path: &[u8]) -> bool {
    let history = call.code.history().ok().flatten();
    history.is_some_and(|history| history.changes_to(path).next().is_some())
}

/// Returns the path under which commits have a file: the one before an uncommitted rename that git
/// detects, else its own.
pub fn committed_path(call: &Call<'_>, history: &History, path: &[u8]) -> Vec<u8> {
    let own = || path.to_vec();
    if history.changes_to(path).next().is_some() {
        return own();
    }
    let Some(changes) = call.code.git().and_then(|git| git.changes_since("HEAD").ok()) else {
        return own();
    };
    let renamed = changes.into_iter().find_map(|(at, how)| match how {
        Difference::Renamed(from) if at == path => Some(from),
        _ => None,
    });
    renamed.unwrap_or_else(own)
}

/// How a shallow clone gets its older commits.
const UNSHALLOW: &str = "`git fetch --unshallow` adds the older commits";

/// The notice of tools that count commits in a shallow clone.
pub const SHALLOW: &str =
    "the clone is shallow, so older commits are not counted; `git fetch --unshallow` adds them";

/// Returns `reply` with the status that the log calls for: it is behind HEAD, or lacks old commits.
/// A status that is already set stays, with a remark if the clone is shallow.
pub fn with_log_status<D>(call: &Call<'_>, history: &History, reply: Analysis<D>) -> Analysis<D> {
    let log = history.log();
    let is_shallow = log.origin().shallow != 0;
    let shallow = format!("the clone is shallow: it has only {}", counted(log.len(), "commit"));
    if reply.status != Status::Ok {
        let may_lack_commits = [Status::NoData, Status::NoEdges, Status::Partial];
        if !is_shallow || !may_lack_commits.contains(&reply.status) {
            return reply;
        }
        let message = reply.message.as_deref().map(|of| format!("{of}; {shallow}"));
        let hint = reply.hint.as_deref().map(|of| format!("{UNSHALLOW}; {of}"));
        return Analysis { message: Some(message.unwrap_or(shallow)), ..reply }
            .with_hint(hint.as_deref().unwrap_or(UNSHALLOW));
    }
    let remark = reply.message.as_deref().map(|message| format!("; {message}")).unwrap_or_default();
    if call.code.history_problem().is_some() {
        let message = format!("the newest commits are not in the commit log yet{remark}");
        return reply
            .with_status(Status::Stale, message)
            .with_hint("`codedb index` reads them, then repeat the call");
    }
    if is_shallow {
        let message = format!("{shallow}{remark}");
        return reply.with_status(Status::Partial, message).with_hint(UNSHALLOW);
    }
    if log.origin().is_cut {
        let message = format!("only the newest {} commits are counted{remark}", log.len());
        return Analysis { message: Some(message), ..reply };
    }
    reply
}

/// Returns the reply for a file that no counted commit changed.
pub fn no_commits<D>(data: D) -> Analysis<D> {
    Analysis::of(data)
        .with_status(Status::NoData, "no commit that counts changed this file")
        .with_hint(
            "it is new or ignored, or was only changed by merges, commits of more than 300 files, \
             or those of `.git-blame-ignore-revs`",
        )
}

/// Returns the reply for a failure of git.
pub fn git_failed<D>(data: D, error: &Error) -> Analysis<D> {
    let hint = error.hints().first().cloned();
    let hint = hint.unwrap_or_else(|| "run `git status` in that directory for details".to_owned());
    let reply = Analysis::of(data).with_status(Status::GitError, error.to_string());
    reply.with_error(Some(error.code())).with_hint(hint)
}

/// Returns the reply with a remark if not all commits of the file were examined for definitions.
pub fn with_units_message<D>(reply: Analysis<D>, changes: &FileChanges) -> Analysis<D> {
    let examined = changes.changes.len();
    if examined >= changes.total || reply.status != Status::Ok {
        return reply;
    }
    let message = format!(
        "definitions from the newest {examined} of {} of the file",
        counted(changes.total, "commit")
    );
    Analysis { message: Some(message), ..reply }
}

/// The average length of a month.
const MONTH_S: i64 = 2_629_800;

/// Returns how many commits that count changed a file in each of the twelve months before HEAD's commit,
/// the oldest first. O(its commits).
pub fn months(history: &History, activity: &Activity, path: &[u8]) -> Vec<u32> {
    let head_s = history.log().head_s();
    let mut months = vec![0; 12];
    for commit in history.changes_to(path).filter(|commit| activity.is_counted(*commit)) {
        let ago = head_s.saturating_sub(commit.committed_s()).max(0) / MONTH_S;
        if let Some(month) =
            usize::try_from(ago).ok().and_then(|ago| months.iter_mut().nth_back(ago))
        {
            *month += 1;
        }
    }
    months
}

/// Returns a number of corrections: `1 fix`, `2 fixes`.
pub fn fixes(count: usize) -> String {
    format!("{count} {}", if count == 1 { "fix" } else { "fixes" })
}

/// Returns a number of people: `1 person`, `2 people`.
pub fn people(count: usize) -> String {
    format!("{count} {}", if count == 1 { "person" } else { "people" })
}

/// Returns name and address of a person on one line: `Ann Lee <ann@example.org>`.
pub fn displayed(person: &Person) -> String {
    let bot = if person.is_bot { " [automated]" } else { "" };
    format!("{} <{}>{bot}", plain(&person.name), plain(&person.email))
}

/// Returns a time as `2026-01-31`.
pub fn date(seconds: i64) -> String {
    let mut time = crate::base::time::format(seconds.saturating_mul(1_000_000_000));
    time.truncate(10);
    time
}

/// Returns a score with three decimals.
pub fn rounded(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}
