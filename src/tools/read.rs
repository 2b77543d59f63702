//! `read`: numbered lines of a file, with a hash that later detects a change.

use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_64;

use super::{Alias, Call, Define, Needs, Reply, Speed, Toolset, outline, paths};
use crate::answer::nearest;
use crate::answer::page::{Block, Cell, Code, Page};
use crate::answer::style::Style;
use crate::base::line_index::LineIndex;
use crate::base::{path, text};
use crate::error::{Error, Kind, Result, UNKNOWN_NAME};
use crate::lang::{Language, Symbol};
use crate::source::guarded::Content;

pub use targets::Several;

mod binary;
mod compact;
mod targets;

/// The maximum number of bytes that are read of a file.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// The notice about files that exceed [`FILE_BYTES_MAX`].
const ONLY_FIRST: &str = "only the first 64 MiB are read";

/// The maximum number of lines of a reply.
const LINES_MAX: usize = 2000;

/// The maximum total size of the lines of a reply.
const REPLY_BYTES_MAX: usize = 256 << 10;

/// The maximum number of bytes of one line of a reply.
const LINE_BYTES_MAX: usize = 500;

/// The maximum number of definitions that the error about an ambiguous name lists.
const CHOICES_MAX: usize = 10;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Read;

/// The arguments.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Args {
    /// The file
    #[serde(default)]
    pub path: String,
    /// Several files or parts at once: `a.rs:10-40`, `b.rs:Type::method`, `c.py`
    #[serde(default)]
    pub targets: Vec<String>,
    /// The first line, from 1
    pub line_start: Option<usize>,
    /// The last line, inclusive
    pub line_end: Option<usize>,
    /// A definition of the file, by name, qualified name or id, instead of lines
    pub symbol: Option<String>,
    /// The `hash` of an earlier reply: if the file is unchanged, the reply is only `unchanged`
    pub if_hash: Option<String>,
    /// Omit blank lines and comment lines
    #[serde(default)]
    pub compact: bool,
    /// Maximum length of the text of several targets in tokens
    #[schemars(extend("x-unlisted" = "", "x-command" = true, "x-shared" = true))]
    pub max_tokens: Option<usize>,
}

impl Args {
    /// Returns true if an argument is about one file.
    fn is_about_one(&self) -> bool {
        let selects_part =
            self.line_start.is_some() || self.line_end.is_some() || self.symbol.is_some();
        selects_part || self.if_hash.is_some()
    }
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Reading {
    /// Of one target.
    One(Box<ReadReply>),
    /// Of several.
    Several(Several),
}

/// The kind of reply.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The reply contains lines.
    Ok,
    /// The file has the hash of the call.
    Unchanged,
    /// The file is not text.
    Binary,
}

/// A line of the file.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Line {
    /// Its number, from 1.
    pub line: usize,
    /// Its text, cut if it is long.
    pub text: String,
    /// The number of bytes that are cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_left_out: Option<usize>,
}

/// What one file or a part of it contains.
#[derive(Clone, Debug, Serialize)]
pub struct ReadReply {
    /// The file's repository path.
    pub path: String,
    /// The kind of reply.
    pub status: Status,
    /// Hash of the whole file; absent for files over 64 MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<&'static str>,
    /// The format of a binary file, if its first bytes identify it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<&'static str>,
    /// The qualified name of the requested definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Line>,
    /// How many lines the file has; absent for files over 64 MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<usize>,
    /// The first requested line that is not included, if the reply was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_line: Option<usize>,
    /// The file is longer than the part that is read.
    #[serde(skip)]
    is_cut: bool,
    /// The requested lines, as far as the file has them.
    #[serde(skip)]
    requested: (usize, usize),
    /// True if the lines are those of several targets.
    #[serde(skip)]
    has_parts: bool,
}

impl Define for Read {
    const NAME: &'static str = "codedb_read";
    const SUMMARY: &'static str =
        "Read a file, some of its lines, or one definition, with line numbers";
    const DETAILS: &'static str = "Returns at most 2000 lines from the first 64 MiB; long lines are cut. `path:52` and \
         `path:52-54` select lines. Files named like secrets and links that leave the tree are \
         refused.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("outline", "first for an overview of a long file")];
    const TOOLSET: Toolset = Toolset::Core;
    const NEEDS: Needs = Needs::Files;
    const SPEED: Speed = Speed::Lookup;
    const EXAMPLES: &'static [&'static str] = &[
        r#"{"path": "src/coupon.rs", "symbol": "Coupon::discounted"}"#,
        r#"{"path": "README.md", "line_start": 3}"#,
    ];
    const POSITIONAL: &'static [&'static str] = &["path", "targets"];
    const ALIASES: &'static [Alias] = &[
        Alias::new("file_path", "path"),
        Alias::new("file", "path"),
        Alias::new("files", "targets"),
        Alias::new("paths", "targets"),
        Alias::new("name", "symbol"),
        Alias::converted("lines", "path", with_lines),
        Alias::new("offset", "line_start"),
        Alias::converted("limit", "line_end", last_line).with_note(", the last line"),
    ];
    type Args = Args;
    type Reply = Reading;

    fn run(call: &Call<'_>, args: Args) -> Result<Reading> {
        if args.targets.is_empty() && args.path.is_empty() {
            return Err(Error::usage("no file is named")
                .with_hint("pass `path`, or several files, lines and definitions as `targets`"));
        }
        if args.targets.is_empty() {
            return match one(call, args.clone()) {
                Ok(reply) => Ok(Reading::One(Box::new(reply))),
                // `path:name`, or a name alone, as in a list of targets.
                Err(error)
                    if error.kind() == Kind::NotFound
                        && !args.is_about_one()
                        && may_be_name(call, &args.path) =>
                {
                    let several = targets::read(call, &args).map(Reading::Several);
                    // That a name has several definitions explains more.
                    several.map_err(|other| if other.kind() == Kind::Usage { other } else { error })
                }
                Err(error) => Err(error),
            };
        }
        targets::read(call, &args).map(Reading::Several)
    }
}

/// Returns true for a text whose last component may be the name of a definition: on the command line, a name below the
/// root looks like a path. The directory before it exists then.
fn may_be_name(call: &Call<'_>, text: &str) -> bool {
    let Some((folder, name)) = text.rsplit_once(['/', '\\']) else { return true };
    let is_folder = |path: Vec<u8>| {
        path.is_empty() || call.code.files().is_ok_and(|files| !files.below(&path).is_empty())
    };
    let is_root = folder.is_empty();
    text.contains([':', '#'])
        || !name.is_empty() && (is_root || paths::resolve(call, folder).is_ok_and(is_folder))
}

/// Reads one file or a part of it.
fn one(call: &Call<'_>, mut args: Args) -> Result<ReadReply> {
    if args.symbol.is_some() && (args.line_start.is_some() || args.line_end.is_some()) {
        return Err(Error::usage("`symbol` and lines exclude each other"));
    }
    let (path, content) = read_named(call, &mut args)?;
    let hash = (!content.is_cut()).then(|| format!("{:016x}", content.short_hash()));
    let mut found = ReadReply {
        path: paths::shown(&path),
        status: Status::Ok,
        bytes: content.size_bytes,
        language: None,
        format: None,
        symbol: None,
        lines: Vec::new(),
        total: None,
        next_line: None,
        is_cut: content.is_cut(),
        requested: (0, 0),
        has_parts: false,
        hash,
    };
    if found.hash.is_some() && found.hash == args.if_hash {
        found.status = Status::Unchanged;
        return Ok(found);
    }
    // Of plain UTF-8 only the requested lines are decoded, and where the lines are is known
    // since the content was first read.
    let bytes = content.bytes();
    let is_plain = !found.is_cut && text::is_plain(bytes) && content.is_utf8();
    let decoded = if is_plain { None } else { Some(text::decode(bytes)) };
    if decoded == Some(None) {
        found.status = Status::Binary;
        found.format = binary::format(content.original());
        return Ok(found);
    }
    let (language, _) = call.code.language(&path, content.original());
    found.language = language.map(|language| language.name);
    let decoded = decoded.flatten();
    let counted;
    let (text, lines) = match decoded.as_deref() {
        None => (bytes, content.lines()),
        Some(decoded) => {
            let end = decoded.rfind('\n').filter(|_| found.is_cut);
            // The last line is incomplete, because the rest of the file was not read.
            let text = &decoded[..end.map_or(decoded.len(), |end| end + 1)];
            counted = LineIndex::of(text.as_bytes());
            (text.as_bytes(), &counted)
        }
    };
    let total = lines.total();
    let requested = match &args.symbol {
        Some(name) => {
            let symbol = symbol(call, &path, language, &content, name)?;
            found.symbol = Some(symbol.qualified_name);
            symbol.line..=symbol.end_line
        }
        None => requested_lines(&args, &path, total, found.is_cut)?,
    };
    found.total = (!found.is_cut).then_some(total);
    found.requested = (*requested.start(), *requested.end());
    if args.compact {
        // Whether a line is in a comment follows from the lines before it.
        let text = String::from_utf8_lossy(text);
        let lines: Vec<&str> = text.lines().collect();
        let keep = compact::kept(&lines, language);
        let kept = requested.filter_map(|number| {
            let line = lines.get(number - 1)?;
            keep[number - 1].then_some((number, *line))
        });
        add_lines(&mut found, kept);
    } else {
        let (first, last) = (*requested.start(), *requested.end());
        let (start, end) = (lines.start(text, first), lines.start(text, last + 1));
        let text = String::from_utf8_lossy(&text[start..end.max(start)]);
        add_lines(&mut found, (first..=last).zip(text.lines()));
    }
    Ok(found)
}

impl Reply for Reading {
    fn render(&self, style: &dyn Style) -> String {
        match self {
            Reading::One(one) => one.render(style),
            Reading::Several(several) => several.render(style),
        }
    }

    fn page(&self) -> Option<Page> {
        match self {
            Reading::One(one) => one.page(),
            Reading::Several(several) => several.page(),
        }
    }

    fn is_found(&self) -> bool {
        match self {
            Reading::One(one) => one.is_found(),
            Reading::Several(several) => several.is_found(),
        }
    }

    fn notices(&self) -> Vec<String> {
        match self {
            Reading::One(one) => one.notices(),
            Reading::Several(several) => several.notices(),
        }
    }
}

/// Reads the file at `args.path`. If it does not exist and the path ends with line numbers, such as
/// `src/a.rs:52` or `src/a.rs:52-54`, reads the file before the colon and sets `line_start` and
/// `line_end`.
fn read_named(call: &Call<'_>, args: &mut Args) -> Result<(Vec<u8>, Arc<Content>)> {
    let error = match paths::read(call, &args.path, FILE_BYTES_MAX) {
        Err(error) if error.kind() == Kind::NotFound => error,
        result => return result,
    };
    let has_selection =
        args.line_start.is_some() || args.line_end.is_some() || args.symbol.is_some();
    let Some((path, lines)) = path_and_lines(&args.path).filter(|_| !has_selection) else {
        return Err(error);
    };
    let found = paths::read(call, path, FILE_BYTES_MAX)?;
    (args.line_start, args.line_end) = (Some(*lines.start()), Some(*lines.end()));
    Ok(found)
}

/// Splits `path:LINE`, `path:LINE-LINE` and `path:LINE:COLUMN`; a column is ignored.
pub fn path_and_lines(text: &str) -> Option<(&str, RangeInclusive<usize>)> {
    let (mut path, mut lines) = text.rsplit_once(':')?;
    if let Some((before, line)) = path.rsplit_once(':')
        && line.parse::<usize>().is_ok()
        && lines.parse::<usize>().is_ok()
    {
        (path, lines) = (before, line);
    }
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let range = first.parse().ok()?..=last.parse().ok()?;
    (!path.is_empty()).then_some((path, range))
}

/// Converts a number of lines to the last line, counted from `line_start`.
fn last_line(count: &Value, args: &Map<String, Value>, _: &Path) -> Value {
    let start = args.get("line_start").and_then(Value::as_u64).unwrap_or(1);
    match count.as_u64() {
        Some(count) => start.saturating_add(count).saturating_sub(1).into(),
        None => count.clone(),
    }
}

/// Returns the path with the lines that it selects, of `"10-20"`, `10` or `[10, 20]`.
fn with_lines(lines: &Value, args: &Map<String, Value>, _: &Path) -> Value {
    let Some(path) = args.get("path").and_then(Value::as_str) else { return Value::Null };
    let lines = match lines {
        Value::String(lines) => lines.replace([':', ','], "-").replace([' ', 'L'], ""),
        Value::Array(ends) => ends.iter().map(Value::to_string).collect::<Vec<_>>().join("-"),
        other => other.to_string(),
    };
    format!("{path}:{lines}").into()
}

/// Returns the hash of a file's bytes.
pub(super) fn hash(bytes: &[u8]) -> String {
    format!("{:016x}", xxh3_64(bytes))
}

/// Returns the requested range of lines, of `total` that were read.
fn requested_lines(
    args: &Args,
    path: &[u8],
    total: usize,
    is_cut: bool,
) -> Result<RangeInclusive<usize>> {
    let (start, end) = (args.line_start.unwrap_or(1), args.line_end.unwrap_or(usize::MAX));
    let wrong = |message: String| Err(Error::usage(message).with_path(&path::to_path(path)));
    if start == 0 || end == 0 {
        return wrong("line numbers begin at 1".to_owned());
    }
    if end < start {
        return wrong(format!("line {end} comes before line {start}"));
    }
    if start > total.max(1) && is_cut {
        return wrong(format!("{ONLY_FIRST}, which have {total} lines"));
    }
    if start > total.max(1) {
        return wrong(format!("there is no line {start}: the file has {total}"));
    }
    Ok(start..=end.min(total))
}

/// Adds numbered lines as far as they fit.
fn add_lines<'t>(found: &mut ReadReply, lines: impl Iterator<Item = (usize, &'t str)>) {
    let mut bytes = 0;
    for (number, whole) in lines {
        let line = text::start(whole, LINE_BYTES_MAX);
        bytes += line.len();
        if found.lines.len() == LINES_MAX || bytes > REPLY_BYTES_MAX {
            found.next_line = Some(number);
            return;
        }
        let left_out = whole.len() - line.len();
        let bytes_left_out = (left_out > 0).then_some(left_out);
        found.lines.push(Line { line: number, text: line.to_owned(), bytes_left_out });
    }
}

/// Returns the definition with a given name in a file.
///
/// # Errors
///
/// If there is none, with the nearest names, or if there are several, with their ids.
fn symbol(
    call: &Call<'_>,
    path: &[u8],
    language: Option<&'static Language>,
    content: &Content,
    name: &str,
) -> Result<Symbol> {
    let shown = paths::shown(path);
    let (path, place) = (shown.as_str(), path);
    let named = Path::new(path);
    let Some(language) = language else {
        return Err(Error::usage(
            "the language of this file is not supported, so its definitions are not available",
        )
        .with_path(named)
        .with_hint("pass lines instead"));
    };
    let mut symbols = outline::of(call, place, language, content)?.0.symbols;
    let is_named = |symbol: &Symbol| symbol.qualified_name == name || symbol.id == name;
    // A match of the whole qualified name takes precedence over one of the name.
    let mut found: Vec<usize> = (0..symbols.len()).filter(|&at| is_named(&symbols[at])).collect();
    if found.is_empty() {
        found = (0..symbols.len()).filter(|&at| symbols[at].name == name).collect();
    }
    if let [at] = found[..] {
        return Ok(symbols.swap_remove(at));
    }
    let listed = |at: &usize| {
        let Symbol { id, line, end_line, .. } = &symbols[*at];
        format!("`{}` lines {line}-{end_line}", text::plain(id.strip_prefix(path).unwrap_or(id)))
    };
    let name = text::plain(name);
    if !found.is_empty() {
        let choices: Vec<String> = found.iter().take(CHOICES_MAX).map(listed).collect();
        let error = Error::usage(format!("{} definitions are called `{name}`", found.len()));
        return Err(error
            .with_path(named)
            .with_hint(format!("pass the id or the lines of one: {}", choices.join(", "))));
    }
    let names: Vec<&[u8]> = symbols.iter().map(|symbol| symbol.name.as_bytes()).collect();
    let mut offered: Vec<String> = Vec::new();
    for at in nearest::among(names.into_iter(), name.as_bytes()) {
        let qualified = text::plain(&symbols[at].qualified_name);
        if !offered.contains(&qualified) {
            offered.push(qualified);
        }
    }
    if content.is_cut() || content.original().len() > language.bytes_max() {
        let message = format!("`{name}` is not found: the definitions of long files are not read");
        return Err(Error::new(Kind::NotFound, message)
            .with_path(named)
            .with_hint("{tool:search} finds the line; pass lines instead"));
    }
    let error = Error::new(Kind::NotFound, format!("`{name}` is not defined here"));
    let error = error.with_code(UNKNOWN_NAME);
    let hint = nearest::hint(&offered).unwrap_or("{tool:outline} lists the definitions".to_owned());
    Err(error.with_path(named).with_hint(hint))
}

impl Reply for ReadReply {
    /// Renders a line about the file, followed by its numbered lines.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = style.path(&self.path);
        for word in self.language.iter().chain(&self.format) {
            let _ = write!(out, "  {word}");
        }
        match self.status {
            Status::Unchanged => out.push_str("  unchanged"),
            Status::Binary => {
                let _ = write!(out, "  binary, {} bytes", self.bytes);
            }
            Status::Ok => {}
        }
        if let Some(symbol) = &self.symbol {
            let _ = write!(out, "  {}", text::plain(symbol));
        }
        if let (Some(first), Some(last)) = (self.lines.first(), self.lines.last()) {
            let _ = write!(out, "  lines {}-{}", first.line, last.line);
            if let Some(total) = self.total {
                let _ = write!(out, " of {total}");
            }
        }
        if let Some(hash) = &self.hash {
            let _ = write!(out, "  hash {hash}");
        }
        out.push('\n');
        let width = self.lines.last().map_or(0, |line| line.line.to_string().len());
        let mut before = self.lines.first().map_or(0, |line| line.line);
        for Line { line, text, bytes_left_out } in &self.lines {
            if *line > before + 1 && self.has_parts {
                out.push_str("…\n");
            }
            before = *line;
            let _ = write!(out, "{}  {text}", style.line(&self.path, *line, width));
            if let Some(bytes) = bytes_left_out {
                let _ = write!(out, " … {bytes} more bytes");
            }
            out.push('\n');
        }
        out
    }

    /// Shows a line about the file, below it the numbered lines.
    fn page(&self) -> Option<Page> {
        let mut head = vec![Cell::Path(self.path.clone())];
        head.extend(self.language.iter().chain(&self.format).map(|word| Cell::faint(*word)));
        head.extend(self.symbol.as_ref().map(Cell::name));
        match self.status {
            Status::Unchanged => head.push(Cell::faint("unchanged")),
            Status::Binary => head.push(Cell::faint(format!("binary, {} bytes", self.bytes))),
            Status::Ok => {}
        }
        if let (Some(first), Some(last)) = (self.lines.first(), self.lines.last()) {
            let of = self.total.map(|total| format!(" of {total}")).unwrap_or_default();
            head.push(Cell::faint(format!("lines {}-{}{of}", first.line, last.line)));
        }
        let mut blocks = vec![Block::Line(head)];
        // Lines that follow each other are one piece of code, whose colours depend on all of it.
        for piece in self.lines.chunk_by(|a, b| a.line + 1 == b.line) {
            let line = |of: &Line| match of.bytes_left_out {
                Some(bytes) => format!("{} … {bytes} more bytes\n", of.text),
                None => format!("{}\n", of.text),
            };
            let text = piece.iter().map(line).collect();
            blocks.push(Block::Code(Code { path: self.path.clone(), line: piece[0].line, text }));
        }
        Some(Page { blocks })
    }

    fn is_found(&self) -> bool {
        true
    }

    fn notices(&self) -> Vec<String> {
        let more = self
            .next_line
            .map(|line| format!("not all lines are shown; continue with `line_start` {line}"));
        let is_cut = self.is_cut && self.status == Status::Ok;
        let cut = is_cut.then(|| format!("{ONLY_FIRST} of {} bytes", self.bytes));
        more.into_iter().chain(cut).collect()
    }
}
