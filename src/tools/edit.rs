//! `edit`: changes or creates a file of the tree. The only tool that writes.
//!
//! The new text is a function of the old one (`text`); reading and writing go through
//! [`Editor`](crate::catalog::code::Editor).

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Alias, Call, Define, Effect, Needs, Reply, Toolset, counted, paths, read};
use crate::answer::page::{Block, Cell, Grade, Page};
use crate::answer::style::Style;
use crate::base::diff;
use crate::error::{Error, Result};
use crate::source::{secret, write};

mod text;

use text::Text;

/// The maximum number of lines of the diff after a write.
const DIFF_LINES_MAX: usize = 60;

/// The maximum number of lines of the diff of a dry run. The limit is higher, because the diff is
/// the purpose of a dry run.
const DRY_LINES_MAX: usize = 2_000;

/// The number of lines on either side of a change in which secrets are searched: those of a secret
/// before the first line that the diff shows and after the last one.
const SECRET_LINES: usize = secret::LINES_MAX + 8;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Edit;

/// The operation.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// Replaces a text that occurs once by `content`.
    StrReplace,
    /// Replaces lines by `content`.
    Replace,
    /// Inserts `content` between lines.
    Insert,
    /// Deletes lines.
    Delete,
    /// Creates a file.
    Create,
}

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The file
    pub path: String,
    /// `str_replace` (`old_string` by `content`), `replace` (a range of lines), `insert` (after a
    /// line), `delete` (a range) or `create` (a file)
    pub op: Op,
    /// A text that occurs exactly once in the file
    pub old_string: Option<String>,
    /// The new text
    pub content: Option<String>,
    /// The first line, from 1
    pub line_start: Option<usize>,
    /// The last line, inclusive (default `line_start`)
    pub line_end: Option<usize>,
    /// The line to insert after; 0 is the start of the file
    pub after: Option<usize>,
    /// The `hash` of an earlier reply: the edit is refused if the file changed since
    pub if_hash: Option<String>,
    /// Show the diff without writing
    #[serde(default)]
    pub dry_run: bool,
}

/// The outcome of the edit.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It was changed.
    Written,
    /// It is new.
    Created,
    /// It would be changed or created.
    DryRun,
    /// The edit changes nothing.
    Unchanged,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct EditReply {
    /// The file's repository path.
    pub path: String,
    /// Its outcome.
    pub status: Status,
    /// The hash of the whole file after the edit, also of a dry run.
    pub hash: String,
    /// Its length in bytes.
    pub bytes: usize,
    /// The change as a unified diff for readers: line endings are not shown, long lines are cut.
    pub diff: String,
    /// The number of lines of the diff that are left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub lines_left_out: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Define for Edit {
    const NAME: &'static str = "codedb_edit";
    const SUMMARY: &'static str = "Edit or create a file of the tree";
    const DETAILS: &'static str = "Writes the whole file in one step and keeps its mode, line endings and final newline; \
         returns a diff and the new `hash`. Secrets, `.git`, files that are not UTF-8 text and \
         paths outside of the tree are refused.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] = &[("read", "to see the lines first")];
    const EFFECT: Effect = Effect::Writes;
    const TOOLSET: Toolset = Toolset::Navigate;
    const NEEDS: Needs = Needs::Files;
    const EXAMPLES: &'static [&'static str] = &[
        r#"{"path": "src/coupon.rs", "op": "str_replace", "old_string": "sum * self.percent / 100", "content": "sum * self.percent.min(100) / 100", "dry_run": true}"#,
        r#"{"path": "README.md", "op": "insert", "after": 2, "content": "Open on Sundays."}"#,
    ];
    const POSITIONAL: &'static [&'static str] = &["path"];
    const ALIASES: &'static [Alias] = &[
        Alias::new("file_path", "path"),
        Alias::new("command", "op"),
        Alias::new("old_str", "old_string"),
        Alias::new("new_string", "content"),
        Alias::new("new_str", "content"),
        Alias::new("file_text", "content"),
        Alias::new("insert_line", "after"),
        Alias::new("range_start", "line_start"),
        Alias::new("range_end", "line_end"),
    ];
    type Args = Args;
    type Reply = EditReply;

    fn run(call: &Call<'_>, args: Args) -> Result<EditReply> {
        check_arguments(&args)?;
        let Some(editor) = call.code.editor() else {
            return Err(Error::usage("this tree is read-only").with_hint(
                "edits go into trees that the user or the client named, not into those that \
                 `codedb_index` added",
            ));
        };
        let path = paths::resolve(call, &args.path)?;
        let named = crate::base::path::to_path(&path);
        if args.op == Op::Create {
            let content = args.content.as_deref().unwrap_or_default();
            editor.check_vacant(&path)?;
            write::check_size(&path, content.len())?;
            check_redactions("", content).map_err(|error| error.with_path(&named))?;
            let reply = reply_of(&path, None, content, call.shows_secrets);
            if args.dry_run {
                return Ok(reply.cut(DRY_LINES_MAX));
            }
            editor.create(&path, content.as_bytes())?;
            return Ok(reply.after_write(Status::Created));
        }
        let before = editor.read(&path).map_err(|error| paths::with_nearest(call, &path, error))?;
        check_hash(&args, before.original()).map_err(|error| error.with_path(&named))?;
        let text = Text::of(before.original()).map_err(|error| error.with_path(&named))?;
        let old = args.old_string.as_deref().unwrap_or_default();
        check_redactions(text.whole(), old).map_err(|error| error.with_path(&named))?;
        let after = edited(&text, &args).map_err(|error| error.with_path(&named))?;
        write::check_size(&path, after.len())?;
        check_redactions(text.whole(), &after).map_err(|error| error.with_path(&named))?;
        let reply = reply_of(&path, Some(text.whole()), &after, call.shows_secrets);
        if after == text.whole() {
            return Ok(EditReply { status: Status::Unchanged, ..reply });
        }
        if args.dry_run {
            return Ok(reply.cut(DRY_LINES_MAX));
        }
        editor.replace(&path, &before, after.as_bytes())?;
        Ok(reply.after_write(Status::Written))
    }
}

/// Rejects missing arguments, and arguments that the operation does not use: in that case either
/// the operation or the argument is a mistake.
fn check_arguments(args: &Args) -> Result<()> {
    let given = [
        ("old_string", args.old_string.is_some()),
        ("content", args.content.is_some()),
        ("line_start", args.line_start.is_some()),
        ("line_end", args.line_end.is_some()),
        ("after", args.after.is_some()),
        ("if_hash", args.if_hash.is_some()),
    ];
    let (name, needs, may): (_, &[&str], &[&str]) = match args.op {
        Op::StrReplace => ("str_replace", &["old_string", "content"], &["if_hash"]),
        Op::Replace => ("replace", &["line_start", "content"], &["line_end", "if_hash"]),
        Op::Insert => ("insert", &["after", "content"], &["if_hash"]),
        Op::Delete => ("delete", &["line_start"], &["line_end", "if_hash"]),
        Op::Create => ("create", &["content"], &[]),
    };
    let takes = || {
        let quoted: Vec<String> = needs.iter().map(|name| format!("`{name}`")).collect();
        format!("`{name}` takes {}", quoted.join(" and "))
    };
    for (argument, is_given) in given {
        if !is_given && needs.contains(&argument) {
            return Err(Error::usage(format!("missing argument `{argument}`")).with_hint(takes()));
        }
        if is_given && !needs.contains(&argument) && !may.contains(&argument) {
            let error = Error::usage(format!("`{name}` does not use `{argument}`"));
            return Err(error.with_hint(takes()));
        }
    }
    if args.content.as_deref().is_some_and(|content| content.contains('\0')) {
        Err(Error::usage("`content` contains a NUL character, so the file would not be text"))
    } else {
        Ok(())
    }
}

/// Rejects the edit if the file changed since the caller read it.
fn check_hash(args: &Args, bytes: &[u8]) -> Result<()> {
    let Some(expected) = &args.if_hash else { return Ok(()) };
    let now = read::hash(bytes);
    if *expected == now {
        return Ok(());
    }
    let expected: String = crate::base::text::plain(expected).chars().take(40).collect();
    Err(Error::usage(format!("the file changed: its hash is {now}, not {expected}"))
        .with_hint("read it again"))
}

/// Rejects a text with more redacted secrets than the file has in its own text: an edit that gives
/// back lines of a reply would replace a secret by `[redacted: …]`.
fn check_redactions(file: &str, text: &str) -> Result<()> {
    let redactions = secret::redactions(text);
    if redactions == 0 || redactions <= secret::redactions(file) {
        return Ok(());
    }
    Err(Error::usage("`[redacted: …]` stands for a secret of the file, which the edit would lose")
        .with_hint("leave these lines out of the edit"))
}

fn edited(text: &Text<'_>, args: &Args) -> Result<String> {
    let content = args.content.as_deref().unwrap_or_default();
    let old = args.old_string.as_deref().unwrap_or_default();
    let start = args.line_start.unwrap_or(1);
    let range = start..=args.line_end.unwrap_or(start);
    match args.op {
        Op::StrReplace => text.with_replaced(old, content),
        Op::Replace => text.with_lines(range, content),
        Op::Insert => text.with_inserted(args.after.unwrap_or(0), content),
        Op::Delete => text.without_lines(range),
        Op::Create => Ok(content.to_owned()),
    }
}

/// Returns the reply before anything is written; `before` is `None` for a new file.
fn reply_of(path: &[u8], before: Option<&str>, after: &str, shows_secrets: bool) -> EditReply {
    let masked = |text: &str| {
        if shows_secrets { text.to_owned() } else { secret::masked_text(text) }
    };
    // The lines around a change may be those of a key, which is recognised only with all of its
    // lines; what is farther away cannot be a part of the same key.
    let (is_new, before) = (before.is_none(), before.unwrap_or_default());
    let mut part = diff::changed_part(before, after, SECRET_LINES);
    if !secret::may_have_key(part.before.as_bytes()) && !secret::may_have_key(part.after.as_bytes())
    {
        part = diff::changed_part(before, after, diff::AROUND);
    }
    let shown = paths::shown(path);
    let (old, new) = (format!("a/{shown}"), format!("b/{shown}"));
    let names = (if is_new { "/dev/null" } else { old.as_str() }, new.as_str());
    EditReply {
        path: shown.clone(),
        status: Status::DryRun,
        hash: read::hash(after.as_bytes()),
        bytes: after.len(),
        diff: diff::unified_at(names, part.lines_before, &masked(part.before), &masked(part.after)),
        lines_left_out: 0,
    }
}

impl EditReply {
    /// Returns the reply after the write. Its diff is shorter, because the caller supplied the
    /// change.
    fn after_write(mut self, status: Status) -> EditReply {
        self.status = status;
        self.cut(DIFF_LINES_MAX)
    }

    /// Cuts the diff to `lines_max` lines.
    fn cut(mut self, lines_max: usize) -> EditReply {
        let lines = self.diff.split_inclusive('\n');
        let end: usize = lines.clone().take(lines_max).map(str::len).sum();
        self.lines_left_out = lines.count().saturating_sub(lines_max);
        self.diff.truncate(end);
        self
    }
}

impl Status {
    fn words(self) -> &'static str {
        match self {
            Status::Written => "written",
            Status::Created => "created",
            Status::DryRun => "not written (dry run)",
            Status::Unchanged => "unchanged",
        }
    }
}

impl Reply for EditReply {
    /// Renders a line about the file, followed by the diff.
    fn render(&self, style: &dyn Style) -> String {
        let path = style.path(&self.path);
        let status = self.status.words();
        let mut out = format!("{path}  {status}  hash {}\n{}", self.hash, self.diff);
        if self.lines_left_out > 0 {
            let _ = writeln!(out, "… {} more lines", self.lines_left_out);
        }
        out
    }

    /// Shows what became of the file, followed by the diff.
    fn page(&self) -> Option<Page> {
        let grade = match self.status {
            Status::Written | Status::Created => Grade::Good,
            Status::DryRun | Status::Unchanged => Grade::Fair,
        };
        let status = Cell::Level(grade, self.status.words());
        let hash = Cell::faint(format!("hash {}", self.hash));
        let head = Block::Line(vec![Cell::Path(self.path.clone()), status, hash]);
        let left = self.lines_left_out;
        let more = (left > 0).then(|| Block::Note(counted(left, "more line")));
        Some(Page {
            blocks: [head, Block::Diff(self.diff.clone())].into_iter().chain(more).collect(),
        })
    }

    fn is_found(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
