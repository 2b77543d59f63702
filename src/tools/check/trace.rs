//! The queries of an investigation with what they found, in words.

use super::{FileEntry, Finish};
use crate::base::text;
use crate::check::investigate::{CallRecord, ToolCall, ToolResult};
use crate::tools::counted;

/// The maximum number of entries of a list of a result.
const ENTRIES_MAX: usize = 3;

/// The number of digits of the id of a commit.
const ID_DIGITS: usize = 8;

/// The maximum length of a title, in bytes.
const TITLE_BYTES_MAX: usize = 80;

/// A line of a trace: which step, what was asked, and what was found.
pub(super) struct Line {
    /// The step; `None` if steps are not listed.
    pub(super) step: Option<usize>,
    pub(super) what: String,
    pub(super) found: String,
}

/// Returns the lines of a file's investigation: with its end, they are a trace of its steps, otherwise the
/// list of its queries.
pub(super) fn lines(file: &FileEntry) -> Vec<Line> {
    let is_trace = file.finish.is_some();
    let query = |record: &CallRecord| Line {
        step: is_trace.then_some(record.step),
        what: asked(&record.call),
        found: if is_trace {
            format!("{} ({:.0} ms)", found(&record.result), record.elapsed_ms)
        } else {
            found(&record.result)
        },
    };
    let mut lines: Vec<Line> = file.steps.iter().map(query).collect();
    if let Some(Finish { step, level, confidence }) = file.finish {
        let found = format!("{}, {:.0} % certain", level.name(), 100.0 * confidence);
        lines.push(Line { step: Some(step), what: "finish_investigation".to_owned(), found });
    }
    lines
}

/// Returns how long an investigation took and its number of steps.
pub(super) fn title(file: &FileEntry) -> String {
    match &file.finish {
        None => "queries".to_owned(),
        Some(finish) => {
            let elapsed: f64 = file.steps.iter().map(|record| record.elapsed_ms).sum();
            format!("investigation: {} in {elapsed:.0} ms", counted(finish.step, "step"))
        }
    }
}

fn asked(call: &ToolCall) -> String {
    let name = call.name();
    match call {
        ToolCall::QueryCochangePartners { threshold } => {
            format!("{name} from {:.0} %", 100.0 * threshold)
        }
        ToolCall::QueryIncidentHistory { days } => format!("{name} of {days} days"),
        ToolCall::GetCommitPatch { commit } => format!("{name} of {}", short(commit)),
        ToolCall::QueryRecentCommits { limit } => format!("{name}, at most {limit}"),
        ToolCall::QueryOwnership
        | ToolCall::QueryBlastRadius
        | ToolCall::FinishInvestigation { .. } => name.to_owned(),
    }
}

fn found(result: &ToolResult) -> String {
    match result {
        ToolResult::Owners(all) => listed(all, |it| {
            let commits = counted(it.commits as usize, "commit");
            format!("{} {commits}, last {}", text::plain(&it.author), it.last)
        }),
        ToolResult::Partners(all) => listed(all, |it| {
            let in_change = if it.in_change { ", changed too" } else { "" };
            format!("{} {:.0} %{in_change}", text::plain(&it.path), 100.0 * it.share)
        }),
        ToolResult::Incidents(all) => listed(all, |it| {
            let title = text::plain(text::start(&it.title, TITLE_BYTES_MAX));
            format!("{} {}: {title}", short(&it.id), it.date)
        }),
        ToolResult::BlastRadius { direct, all, tests, .. } => format!(
            "{} directly, {all} in all, of which {}",
            counted(*direct, "file"),
            counted(*tests, "test")
        ),
        ToolResult::Patch { patch, undone_lines, .. } => {
            let is_changed = |line: &&str| line.starts_with(['+', '-']) && !is_head(line);
            let changed = patch.lines().filter(is_changed).count();
            let lines = counted(changed, "changed line");
            format!("{lines}; this change removes {undone_lines} that it added")
        }
        ToolResult::Commits(all) => listed(all, |it| {
            let subject = text::plain(text::start(&it.subject, TITLE_BYTES_MAX));
            format!("{} {}: {subject}", short(&it.commit), it.date)
        }),
        ToolResult::Unavailable(why) => format!("not known: {}", text::plain(why)),
    }
}

fn is_head(line: &str) -> bool {
    line.starts_with("+++") || line.starts_with("---")
}

/// Returns the first entries of a list, and how many there are if some are left out.
fn listed<T>(all: &[T], text: impl Fn(&T) -> String) -> String {
    let shown: Vec<String> = all.iter().take(ENTRIES_MAX).map(text).collect();
    match all.len() {
        0 => "none".to_owned(),
        count if count > ENTRIES_MAX => {
            format!("{}; and {} more", shown.join("; "), count - ENTRIES_MAX)
        }
        _ => shown.join("; "),
    }
}

fn short(id: &str) -> String {
    let is_id = id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    text::plain(if is_id { &id[..ID_DIGITS] } else { text::start(id, TITLE_BYTES_MAX) })
}
