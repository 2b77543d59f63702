//! Several files, parts of files and definitions that one call reads: `a.rs:10-40`, `b.rs:Type::method`,
//! `c.py`, or the name of a definition alone.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use super::{Args, Line, ReadReply, Status, path_and_lines};
use crate::answer::nearest;
use crate::answer::page::{Block, Page};
use crate::answer::style::{Plain, Style};
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

/// How often what fits is computed: each time, the remarks on what is left out are as long as before or longer.
const PASSES_MAX: usize = 5;

/// The maximum number of targets that a remark lists.
const LISTED_MAX: usize = 20;

/// What several targets contain.
#[derive(Clone, Debug, Default, Serialize)]
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
    if args.is_about_one() {
        return Err(Error::usage("lines, `symbol` and `if_hash` are about one file")
            .with_hint("write them into `targets`: `a.rs:10-40`, `b.rs:Type::method`"));
    }
    let path = Some(&args.path).filter(|path| !path.is_empty());
    let all: Vec<&String> = path.into_iter().chain(&args.targets).collect();
    if all.len() > TARGETS_MAX {
        return Err(Error::usage(format!("{} targets; at most {TARGETS_MAX} fit", all.len())));
    }
    let (total, mut parts) = (all.len(), Vec::new());
    let (mut failed, mut first_error) = (Vec::new(), None);
    for target in all {
        match split(call, target, args.compact).and_then(|args| super::one(call, args)) {
            Ok(part) => parts.push(part),
            Err(error) => {
                let hints = error.hints().iter().map(|hint| format!("; {hint}"));
                let reason = error.to_string() + &hints.collect::<String>();
                failed.push(Failed { target: target.clone(), error: reason });
                first_error.get_or_insert(error);
            }
        }
    }
    if let Some(error) = first_error.filter(|_| parts.is_empty()) {
        return Err(error);
    }
    let Some(max) = args.max_tokens else {
        return Ok(Several { total, failed, ..fitted(&parts, usize::MAX) });
    };
    let mut reserved = 0;
    for pass in 1.. {
        let made = fitted(&parts, max.saturating_sub(reserved));
        let made = Several { total, failed: failed.clone(), ..made };
        let cost = made.cost();
        if cost <= max || pass == PASSES_MAX {
            return Ok(made);
        }
        // The remarks name what is left out, which is known only now.
        reserved += cost - max;
    }
    unreachable!("the last pass returns")
}

/// Returns the parts that fit into some tokens, and names the others. O(tokens · parts).
fn fitted(parts: &[ReadReply], max: usize) -> Several {
    let mut made = Several::default();
    for part in parts {
        let is_first = made.shown == 0;
        let with = |lines: usize| {
            let mut files = made.files.clone();
            add(&mut files, cut(part, lines));
            files
        };
        let fits = |lines: usize| max == usize::MAX || cost(&with(lines)) <= max;
        let whole = part.lines.len();
        let kept = match () {
            () if fits(whole) => whole,
            // A definition is shown whole or not at all, unless it is the first target.
            () if part.symbol.is_some() && !is_first => 0,
            () => {
                let (mut least, mut most) = (0, whole);
                while most - least > 1 {
                    let middle = usize::midpoint(least, most);
                    if fits(middle) { least = middle } else { most = middle }
                }
                least.max(usize::from(is_first)).min(whole)
            }
        };
        if kept == 0 && whole > 0 {
            made.left_out.push(label(part));
            continue;
        }
        if let Some(next) = part.lines.get(kept).map(|line| line.line).or(part.next_line) {
            made.left_out.push(format!("{}:{next}-{}", part.path, part.requested.1));
        }
        made.files = with(kept);
        made.shown += 1;
    }
    made
}

/// Returns the first lines of what a target contains.
fn cut(part: &ReadReply, lines: usize) -> ReadReply {
    let next_line = part.lines.get(lines).map(|line| line.line).or(part.next_line);
    let lines = part.lines[..lines].to_vec();
    ReadReply { lines, next_line, ..part.clone() }
}

/// Returns a target that selects a part again.
fn label(part: &ReadReply) -> String {
    let path = &part.path;
    match (&part.symbol, part.requested) {
        (Some(symbol), _) => format!("{path}:{symbol}"),
        (None, (1, last)) if Some(last) == part.total => path.clone(),
        (None, (first, last)) if first == last => format!("{path}:{first}"),
        (None, (first, last)) => format!("{path}:{first}-{last}"),
    }
}

/// Returns an estimate of the tokens of some files.
fn cost(files: &[ReadReply]) -> usize {
    tokens::count(&rendered(files, &Plain))
}

/// Renders files one after the other.
fn rendered(files: &[ReadReply], style: &dyn Style) -> String {
    let texts: Vec<String> = files.iter().map(|file| file.render(style)).collect();
    texts.join("\n")
}

impl Several {
    /// Returns an estimate of the tokens of the reply with its remarks.
    fn cost(&self) -> usize {
        let remarks = self.notices().into_iter().map(|notice| format!("note: {notice}\n"));
        tokens::count(&(rendered(&self.files, &Plain) + &remarks.collect::<String>()))
    }
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
        rendered(&self.files, style)
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
