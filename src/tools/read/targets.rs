//! Several files, parts of files and definitions that one call reads: `a.rs:10-40`, `b.rs:Type::method`,
//! `c.py`, or the name of a definition alone.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use super::{Args, Line, ReadReply, Status, path_and_lines};
use crate::answer::nearest;
use crate::answer::page::{Block, Page};
use crate::answer::style::Style;
use crate::base::{text, tokens};
use crate::error::{Error, Kind, Result};
use crate::tools::lookup::{self, Filter};
use crate::tools::{Call, Reply, counted, paths};

/// The maximum number of targets of a call.
const TARGETS_MAX: usize = 100;

/// The maximum number of definitions that the error about an ambiguous name lists.
const CHOICES_MAX: usize = 5;

/// The number of files without facts that a look-up of a name indexes.
const MISSING_FEW: usize = 32;

/// The tokens of the reply that its remarks need.
const REMARK_TOKENS: usize = 200;

/// The maximum number of targets that a remark lists.
const LISTED_MAX: usize = 20;

/// What several targets contain.
#[derive(Clone, Debug, Serialize)]
pub struct Several {
    /// The files in the order of the targets. Parts of one file are together; lines that several targets
    /// select are shown once.
    pub files: Vec<ReadReply>,
    /// How many targets are shown.
    pub shown: usize,
    /// How many targets the call has.
    pub total: usize,
    /// The targets that did not fit, to be passed again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The targets that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<Failed>,
}

/// A target that cannot be read.
#[derive(Clone, Debug, Serialize)]
pub struct Failed {
    /// The target.
    pub target: String,
    /// Why.
    pub error: String,
}

/// Reads the targets of a call, `path` being the first of them if it is given.
///
/// # Errors
///
/// [`Kind::Usage`] for arguments that select parts of a single file; the error of the first target if none
/// can be read.
pub(super) fn read(call: &Call<'_>, args: &Args) -> Result<Several> {
    let selects_part =
        args.line_start.is_some() || args.line_end.is_some() || args.symbol.is_some();
    if selects_part || args.if_hash.is_some() {
        return Err(Error::usage("lines, `symbol` and `if_hash` are about one file")
            .with_hint("write them into `targets`: `a.rs:10-40`, `b.rs:Type::method`"));
    }
    let path = Some(&args.path).filter(|path| !path.is_empty());
    let all: Vec<&String> = path.into_iter().chain(&args.targets).collect();
    if all.len() > TARGETS_MAX {
        return Err(Error::usage(format!("{} targets; at most {TARGETS_MAX} fit", all.len())));
    }
    let mut made = Several {
        files: Vec::new(),
        shown: 0,
        total: all.len(),
        left_out: Vec::new(),
        failed: Vec::new(),
    };
    let mut first_error = None;
    // The tokens that are left for further targets.
    let mut left = args.max_tokens.map(|max| max.saturating_sub(REMARK_TOKENS).max(1));
    for target in all {
        let one = split(call, target, args.compact).and_then(|args| super::one(call, args));
        let mut found = match one {
            Ok(found) => found,
            Err(error) => {
                let hints = error.hints().iter().map(|hint| format!("; {hint}"));
                let reason = error.to_string() + &hints.collect::<String>();
                made.failed.push(Failed { target: target.clone(), error: reason });
                first_error.get_or_insert(error);
                continue;
            }
        };
        let fitting = left.is_none_or(|left| fit(&mut found, left, made.shown == 0));
        if !fitting {
            made.left_out.push(target.clone());
            continue;
        }
        if let Some(left) = &mut left {
            *left = left.saturating_sub(cost(&found));
        }
        if let Some(next) = found.next_line {
            let end = found.symbol.as_ref().and(found.symbol_end).or(found.total);
            let end = end.map(|end| end.to_string()).unwrap_or_default();
            made.left_out.push(format!("{}:{next}-{end}", found.path));
        }
        made.shown += 1;
        add(&mut made.files, found);
    }
    match first_error {
        Some(error) if made.shown == 0 && made.left_out.is_empty() => Err(error),
        _ => Ok(made),
    }
}

/// Returns an estimate of the tokens of a reply.
fn cost(found: &ReadReply) -> usize {
    let lines = found.lines.iter().map(|line| tokens::count(&line.text) + 3);
    lines.fold(tokens::count(&found.path) + 20, |sum, cost| sum + cost)
}

/// Cuts lines until they cost at most `left` tokens; returns false if nothing useful remains. A definition
/// is shown whole or not at all, unless it is the first target.
fn fit(found: &mut ReadReply, left: usize, is_first: bool) -> bool {
    let mut sum = tokens::count(&found.path) + 20;
    let kept = found.lines.iter().take_while(|line| {
        sum += tokens::count(&line.text) + 3;
        sum <= left
    });
    let kept = kept.count();
    if kept == found.lines.len() {
        return sum <= left || is_first;
    }
    let is_whole = found.symbol.is_some() && !is_first;
    if is_whole || kept == 0 && !is_first {
        return false;
    }
    let kept = kept.max(1);
    if let Some(next) = found.lines.get(kept) {
        found.next_line = Some(next.line);
    }
    found.lines.truncate(kept);
    true
}

/// Adds what a target contains; lines of a file that is there already join its lines.
fn add(files: &mut Vec<ReadReply>, found: ReadReply) {
    let Some(known) = files.iter_mut().find(|known| known.path == found.path) else {
        files.push(found);
        return;
    };
    known.symbol = match (known.symbol.take(), found.symbol) {
        (Some(known), Some(new)) if known != new => Some(format!("{known}, {new}")),
        (known, new) => known.or(new),
    };
    let mut lines: BTreeMap<usize, Line> =
        std::mem::take(&mut known.lines).into_iter().map(|line| (line.line, line)).collect();
    lines.extend(found.lines.into_iter().map(|line| (line.line, line)));
    known.lines = lines.into_values().collect();
    known.has_parts = true;
    // What a target left out is named among the targets.
    known.next_line = None;
}

/// Returns the arguments that read one target.
fn split(call: &Call<'_>, target: &str, compact: bool) -> Result<Args> {
    let whole = Args { path: target.to_owned(), compact, ..Args::default() };
    let files = call.code.files()?;
    let is_file = |path: &str| {
        paths::resolve(call, path).is_ok_and(|path| paths::listed(files, &path).is_some())
    };
    if is_file(target) || path_and_lines(target).is_some_and(|(path, _)| is_file(path)) {
        return Ok(whole);
    }
    for (at, _) in target.match_indices([':', '#']) {
        let (path, rest) = (&target[..at], &target[at + 1..]);
        let name = rest.trim_start_matches(':');
        if !name.is_empty() && is_file(path) {
            // An id is a definition of its file.
            let is_id = target.as_bytes()[at] == b'#' && rest.contains('#');
            let symbol = if is_id { target } else { name };
            let (path, symbol) = (path.to_owned(), Some(symbol.to_owned()));
            return Ok(Args { path, symbol, ..whole });
        }
    }
    Ok(by_name(call, target)?.map_or(whole, |(path, symbol)| Args {
        path,
        symbol: Some(symbol),
        compact,
        ..Args::default()
    }))
}

/// Returns the file and the id of the definition that a target without a file names; `None` if the target
/// names none, or may be the path of a file that is not listed.
///
/// # Errors
///
/// [`Kind::Usage`] if several definitions have the name.
fn by_name(call: &Call<'_>, target: &str) -> Result<Option<(String, String)>> {
    // On the command line, a name below the root looks like a path.
    let name = target.rsplit('/').next().unwrap_or(target);
    let is_name = !name.is_empty() && paths::read(call, target, 1).is_err();
    let catalog = match call.code.indexed()?.missing().len() {
        // A few files that changed are indexed at once.
        1..=MISSING_FEW => call.code.catalog(&[name])?,
        _ => call.code.indexed()?,
    };
    if !is_name || crate::lang::detect(Path::new(name), b"").is_some() {
        return Ok(None);
    }
    let filter = Filter { is_code: true, ..Filter::default() };
    let found = match lookup::named(catalog, name, &filter, CHOICES_MAX + 1) {
        Ok(found) => found,
        Err(error) if error.kind() == Kind::NotFound => {
            let unread = catalog.missing().len();
            if unread == 0 {
                return Ok(None);
            }
            // A file that is not indexed yet may define it.
            let files = counted(unread, "file");
            let message =
                format!("`{}` is no file, and {files} not indexed yet", text::plain(name));
            return Err(Error::new(Kind::NotFound, message)
                .with_hint("repeat the call, or name the file: `src/a.rs:Type::method`"));
        }
        Err(error) => return Err(error),
    };
    if found.total > 1 {
        let mut places = Vec::new();
        for &at in found.symbols.iter().take(CHOICES_MAX) {
            if let Some(symbol) = catalog.symbol(at)? {
                let path = paths::shown(catalog.path(at.file));
                places.push(format!("{path}:{}-{}", symbol.line, symbol.end_line));
            }
        }
        let message = format!("{} definitions are called `{}`", found.total, text::plain(name));
        let hint = nearest::hint(&places).unwrap_or_default();
        return Err(Error::usage(message).with_hint(hint));
    }
    let Some(&at) = found.symbols.first() else { return Ok(None) };
    let Some(symbol) = catalog.symbol(at)? else { return Ok(None) };
    Ok(Some((paths::shown(catalog.path(at.file)), symbol.id.clone())))
}

impl Reply for Several {
    /// Renders the files one after the other; `…` stands between lines that do not follow each other.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        for file in &self.files {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&file.render(style));
        }
        out
    }

    fn page(&self) -> Option<Page> {
        let mut blocks: Vec<Block> = Vec::new();
        for page in self.files.iter().filter_map(Reply::page) {
            blocks.extend(page.blocks);
        }
        Some(Page { blocks })
    }

    fn is_found(&self) -> bool {
        self.shown > 0
    }

    fn notices(&self) -> Vec<String> {
        let mut notices: Vec<String> = Vec::new();
        notices.extend(self.failed.iter().map(|failed| failed.error.clone()));
        if !self.left_out.is_empty() {
            let mut notice = format!("{} did not fit:", counted(self.left_out.len(), "target"));
            for target in self.left_out.iter().take(LISTED_MAX) {
                let _ = write!(notice, " `{}`", text::plain(target));
            }
            let more = self.left_out.len().saturating_sub(LISTED_MAX);
            if more > 0 {
                let _ = write!(notice, " and {more} more");
            }
            notice.push_str("; pass them as `targets`, or raise `max_tokens`");
            notices.push(notice);
        }
        let is_cut = |file: &&ReadReply| file.is_cut && file.status == Status::Ok;
        for file in self.files.iter().filter(is_cut) {
            let path = text::plain(&file.path);
            notices.push(format!("{path}: {} of {} bytes", super::ONLY_FIRST, file.bytes));
        }
        notices
    }
}
