//! `search`: lines that match a text or a regular expression, in ranked files.
//!
//! For agents. The command `codedb search` is compatible with ripgrep, unranked and unbounded.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::ops::Range;

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};
use regex_automata::Input;
use regex_automata::meta::{Cache, Regex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::glob::{self, PathGlob};
use super::pattern::Pattern;
use super::{
    Alias, Call, CommandLine, Define, Needs, Reply, Toolset, counted, offset_notice, paths,
    results_max,
};
use crate::answer::style::Style;
use crate::answer::texts;
use crate::base::ids::FileId;
use crate::base::text;
use crate::catalog::Catalog;
use crate::catalog::code::Focus;
use crate::catalog::damage::Part;
use crate::catalog::extract::Extract;
use crate::catalog::searches::{MatchingFile, SearchResult};
use crate::error::Result;
use crate::lang::marks::Marks;
use crate::lang::{Symbol, SymbolKind};
use crate::source::text_cache::Text;

pub use candidates::FileKind;
pub use literal::Literal;
pub use structure::{Inside, Region};

use below::glob_below;
use candidates::{Bounds, Within, marks, searched};
use quoting::{LineLimits, Searched, lines};
use structure::{Structure, Where, fitting};

mod below;
mod bodies;
mod candidates;
mod literal;
mod quoting;
mod structure;

/// The default number of files in a reply.
const FILES: usize = 20;

/// The default and the maximum number of lines per file.
const LINES: usize = 5;
const LINES_MAX: usize = 200;

/// The maximum number of context lines on each side.
const CONTEXT_MAX: usize = 20;

/// The number of files without facts that a search indexes.
const MISSING_FEW: usize = 32;

/// The matches of a line that are examined for being in a part: more are those of generated lines.
const LINE_HITS_MAX: usize = 1_000;

/// The maximum number of bytes that are read of a file.
const FILE_BYTES_MAX: usize = Extract::BYTES_MAX as usize;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Search;

/// The arguments.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Args {
    /// The text to find (literal)
    pub query: String,
    /// `query` is a regular expression
    #[serde(default)]
    pub regex: bool,
    /// Case-sensitive (default true)
    pub case_sensitive: Option<bool>,
    /// Match whole words only
    #[serde(default)]
    pub word: bool,
    /// Only files that match this glob (`src/**`, `*.rs`)
    pub path_glob: Option<String>,
    /// Maximum number of files (default 20)
    pub max_results: Option<usize>,
    /// Files to skip, to continue an earlier reply
    pub offset: Option<usize>,
    /// Maximum number of lines per file (default 5)
    pub max_per_file: Option<usize>,
    /// Show the whole functions around the matches: no further read needed (default: around few)
    pub body: Option<bool>,
    /// Context lines on each side (default 0)
    pub context_lines: Option<usize>,
    /// Only matches in a `function`, `test`, `comment`, `string`, `import` or `signature`
    #[serde(rename = "in")]
    pub part: Option<Region>,
    /// Only matches in the definition with this name
    pub def: Option<String>,
    /// Return files without lines
    #[serde(default)]
    pub paths_only: bool,
    /// Every matching line, without any limit
    #[serde(skip)]
    pub everything: bool,
    /// Reads no further once the files of the reply are known
    #[serde(skip)]
    pub is_first: bool,
    /// Only files of a kind
    #[serde(skip)]
    pub kind: Option<FileKind>,
}

/// A line of a file.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Line {
    /// Its number, from 1.
    pub line: usize,
    /// Its text; of a long line, the part around the match.
    pub text: String,
    /// True for a context line.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub context: bool,
    /// The innermost definition around it.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub inside: Option<Inside>,
    /// The byte of the match, or its first byte.
    #[serde(skip)]
    pub(super) at: usize,
}

/// A file that matches.
#[derive(Clone, Debug, Serialize)]
pub struct File {
    /// Its repository path.
    pub path: String,
    /// True if it defines the query.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub defines: bool,
    /// Its marks, such as `generated` or `test`.
    #[serde(flatten)]
    pub marks: Marks,
    /// How many of its lines match.
    pub count: usize,
    /// Those of them that define the match, then the first others; in the order of the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Line>,
}

impl File {
    /// Returns what it is to the search.
    pub fn kind(&self) -> FileKind {
        FileKind::of(self.marks, self.defines)
    }

    /// Returns how many of its matching lines are shown.
    fn shown(&self) -> usize {
        self.lines.iter().filter(|line| !line.context).count()
    }
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct SearchReply {
    /// `partial` if some candidate files were not read.
    pub status: &'static str,
    /// The files: those that define the query, sources, tests, generated and vendored files; each
    /// group in path order.
    pub files: Vec<File>,
    /// How many files are listed.
    pub files_shown: usize,
    /// How many files match.
    pub files_total: usize,
    /// How many lines match in all files.
    pub total: usize,
    /// How many candidate files were not read.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_unread: usize,
    /// How many candidate files could not be read.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_failed: usize,
    /// How many files that may match were not read because the reply is full: the totals do not count them.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_left: usize,
    /// How many files are not indexed yet, so that `defines` and marks may be missing.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_unknown: usize,
    /// True if `defines` and marks may be missing because the index is damaged.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub without_definitions: bool,
    /// The `offset` of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// With `body`: how many functions around matches did not fit.
    #[serde(skip_serializing_if = "is_zero")]
    pub bodies_left_out: usize,
    /// What a query that matches nothing matches as a regular expression, if it looks like one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub literal: Option<Literal>,
    /// True if only matches in a part or in a definition count.
    #[serde(skip)]
    is_limited: bool,
    /// Its files are on other machines, so that only a few are parsed.
    #[serde(skip)]
    is_remote: bool,
    /// Why no file is searched.
    #[serde(skip)]
    glob_problem: Option<String>,
    /// The `offset`, if it is behind the last file.
    #[serde(skip)]
    offset_beyond: Option<usize>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Define for Search {
    const NAME: &'static str = "codedb_search";
    const SUMMARY: &'static str = "Search all files for a text or a regular expression";
    const DETAILS: &'static str =
        "Files that define the text come first, then sources, tests, generated and vendored files.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] = &[
        ("symbol", "to find where a name is defined"),
        ("callers", "for the calls of a function"),
        ("context", "for a task in words"),
    ];
    const TOOLSET: Toolset = Toolset::Core;
    const NEEDS: Needs = Needs::Files;
    const COMMAND_LINE: CommandLine = CommandLine::Separate;
    const EXAMPLES: &'static [&'static str] =
        &[r#"{"query": "coupon", "max_results": 3, "max_per_file": 2}"#];
    const POSITIONAL: &'static [&'static str] = &["query"];
    const ALIASES: &'static [Alias] = &[
        Alias::new("pattern", "query").with_note("; it is literal unless `regex` is true"),
        Alias::new("glob", "path_glob"),
        Alias::converted("path", "path_glob", glob_below).with_note(", a glob"),
    ];
    type Args = Args;
    type Reply = SearchReply;

    fn run(call: &Call<'_>, args: Args) -> Result<SearchReply> {
        let pattern = Pattern {
            query: &args.query,
            is_regex: args.regex,
            is_word: args.word,
            is_case_sensitive: args.case_sensitive != Some(false),
        };
        let regex = pattern.regex()?;
        let matcher = Matcher { regex: &regex, finder: pattern.finder() };
        let glob = args.path_glob.as_deref().map(|glob| PathGlob::new(call.code.root(), glob));
        let glob = glob.transpose()?;
        let (patterns, options) = (std::slice::from_ref(&args.query), &pattern.options());
        let paths = glob.as_ref().map(PathGlob::literal_parts).unwrap_or_default();
        call.code.focus(Focus::Pattern { patterns, options, paths })?;
        let files = call.code.files()?;
        let catalog = call.code.indexed()?;
        // A few files that changed are indexed at once, so that their lines have definitions, too.
        let is_remote = call.code.project().is_some();
        let needs_facts = is_remote && (args.part.is_some() || args.def.is_some());
        let catalog = match catalog.missing().len() {
            1..=MISSING_FEW => call.code.catalog(&[])?,
            _ if needs_facts => call.code.catalog(&[])?,
            _ => catalog,
        };
        let within =
            Within { given: args.path_glob.as_deref(), glob: glob.as_ref(), kind: args.kind };
        let offset = args.offset.unwrap_or(0);
        let (max, lines_max) = if args.everything {
            (usize::MAX, usize::MAX)
        } else {
            let lines_max = args.max_per_file.unwrap_or(LINES).min(LINES_MAX);
            (results_max(args.max_results, FILES), lines_max)
        };
        let condition = Where::new(catalog, args.part, args.def.as_deref())?;
        let bounds = match args.everything {
            true => Bounds::NONE,
            // Whether a part or a definition has the matches is known after all files are read.
            false if args.is_first && condition.is_everywhere() => {
                Bounds { matching_max: offset.saturating_add(max), ..Bounds::ALL }
            }
            false => Bounds::ALL,
        };
        let searched = searched(call, catalog, &pattern, &matcher, within, bounds)?;
        let SearchResult { matching, files_unread, files_failed, files_left } = &*searched;
        let (files_unread, files_failed) = (*files_unread, *files_failed);
        let is_empty = matching.is_empty();
        // Other kinds of files may have it as a text.
        if is_empty && args.kind.is_none() && glob_problem(call, files, within, true).is_none() {
            // A pattern that was meant as one is answered with what it finds.
            let literal = literal::tried(call, catalog, &pattern, within)?;
            if literal.is_some_and(|literal| literal.regex_lines > Some(0)) {
                let reply = Search::run(call, Args { regex: true, ..args })?;
                return Ok(SearchReply { literal, ..reply });
            }
        }
        let limited;
        let matching = if condition.is_everywhere() {
            matching
        } else {
            limited = fitting(call, catalog, &matcher, &condition, matching)?;
            &limited
        };
        let limits = LineLimits {
            lines: lines_max,
            context: args.context_lines.unwrap_or(0).min(CONTEXT_MAX),
        };
        let has_few =
            args.max_per_file.or(args.context_lines).is_none() && bodies::are_few(matching);
        let (mut body_lines, mut bodies_left_out) = match args.body {
            Some(true) => (bodies::LINES_MAX, 0),
            None if has_few && !args.everything => (bodies::FEW_LINES_MAX, 0),
            Some(false) | None => (0, 0),
        };
        let page = matching.iter().skip(offset).take(max);
        let shown: Vec<File> = page
            .map(|MatchingFile { is_definer, file, count }| {
                let (at, defines) = (&file.index(), *is_definer);
                let lines = if args.paths_only {
                    Vec::new()
                } else {
                    let text = read(catalog, *at);
                    let (original, shown) = (text.original_utf8(), text.utf8());
                    let text = Searched {
                        bytes: &original.unwrap_or_default(),
                        shown: &shown.unwrap_or_default(),
                    };
                    let file = FileId::new(*at);
                    let structure = Structure::of(call, catalog, file, text.bytes, &condition)?;
                    let names = if limits.lines < *count {
                        names_of(catalog, FileId::new(*at))?
                    } else {
                        Vec::new()
                    };
                    let further = RefCell::new(matcher.cache());
                    let wanted = |span: Span| {
                        let fits = |hit: &Range<usize>| structure.fits(&condition, hit);
                        span.first(text.bytes, &matcher, &mut further.borrow_mut(), fits)
                    };
                    let cache = &mut matcher.cache();
                    let mut lines = lines(text, &matcher, cache, limits, &names, &wanted);
                    for line in &mut lines {
                        line.inside = structure.inside(line.at);
                    }
                    if body_lines > 0 || args.body == Some(true) {
                        bodies_left_out += bodies::add(&mut lines, text.bytes, &mut body_lines);
                    }
                    lines
                };
                let path = paths::shown(files.path(*at));
                Ok(File { path, defines, marks: marks(catalog, *at)?, count: *count, lines })
            })
            .collect::<Result<_>>()?;
        let end = offset.saturating_add(shown.len());
        let glob_problem = glob_problem(call, files, within, is_empty);
        let literal = if is_empty && glob_problem.is_none() {
            literal::tried(call, catalog, &pattern, within)?
        } else {
            None
        };
        Ok(SearchReply {
            status: if files_unread + files_failed > 0 { "partial" } else { "ok" },
            files_shown: shown.len(),
            files: shown,
            files_total: matching.len(),
            total: matching.iter().map(|of| of.count).sum(),
            files_unread,
            files_failed,
            files_unknown: catalog.missing().len(),
            without_definitions: [Part::Search, Part::Code]
                .iter()
                .any(|&part| call.code.found_damage(part)),
            files_left: *files_left,
            next_offset: (end < matching.len() || *files_left > 0).then_some(end),
            bodies_left_out: if args.body == Some(true) { bodies_left_out } else { 0 },
            literal,
            is_limited: !condition.is_everywhere(),
            is_remote,
            glob_problem,
            offset_beyond: (offset > 0 && offset >= matching.len()).then_some(offset),
        })
    }
}

/// Returns why a glob or what limits the call selects no file, if nothing matches.
fn glob_problem(
    call: &Call<'_>,
    files: &crate::catalog::file_list::FileList,
    within: Within<'_>,
    is_empty: bool,
) -> Option<String> {
    match (within.given, within.glob) {
        (Some(given), Some(glob)) if is_empty => glob::unmatched(files, "path_glob", given, glob),
        _ if is_empty && call.is_limited() => {
            let is_none = !(0..files.len()).any(|at| call.wants(files.path(at)));
            is_none.then(|| "no file of the tree is in the paths, globs and types".to_owned())
        }
        _ => None,
    }
}

/// Returns the part of a file that is searched.
fn read(catalog: &Catalog, at: usize) -> Text {
    catalog.quotable(FileId::new(at), FILE_BYTES_MAX).unwrap_or_default()
}

/// A line that matches.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    end: usize,
    /// The bytes of its first match.
    hit: usize,
    hit_end: usize,
}

impl Span {
    /// Returns the line with its first match that fits; `None` if none does. O(line), and up to the next match.
    fn first(
        self,
        bytes: &[u8],
        matcher: &Matcher<'_>,
        cache: &mut Cache,
        fits: impl Fn(&Range<usize>) -> bool,
    ) -> Option<Span> {
        let mut hit = self.hit..self.hit_end;
        for _ in 0..LINE_HITS_MAX {
            if fits(&hit) {
                return Some(Span { hit: hit.start, hit_end: hit.end, ..self });
            }
            let from = hit.end.max(hit.start + 1);
            hit = matcher.find(cache, bytes, from.min(bytes.len()))?;
            if hit.start < from || hit.start >= self.end {
                return None;
            }
        }
        None
    }

    /// Returns true if the match covers the name of a definition. O(log names).
    fn is_definition(&self, names: &[Range<usize>]) -> bool {
        let first = names.partition_point(|name| name.start < self.hit);
        names.get(first).is_some_and(|name| name.end <= self.hit_end)
    }
}

/// The matcher of a pattern.
struct Matcher<'a> {
    regex: &'a Regex,
    /// A faster finder, for a literal pattern.
    finder: Option<Finder<'a>>,
}

impl Matcher<'_> {
    /// Returns a cache for searches; each thread needs its own.
    fn cache(&self) -> Cache {
        self.regex.create_cache()
    }

    /// Returns the first match that begins at `from` or later.
    fn find(&self, cache: &mut Cache, bytes: &[u8], from: usize) -> Option<Range<usize>> {
        match &self.finder {
            Some(finder) => {
                let start = from + finder.find(&bytes[from..])?;
                Some(start..start + finder.needle().len())
            }
            None => {
                let input = Input::new(bytes).range(from..);
                Some(self.regex.search_with(cache, &input)?.range())
            }
        }
    }
}

/// Returns the lines of a text in which matches begin. Matches stay within a line, unless the
/// pattern contains a line feed. O(text).
fn spans<'a>(
    bytes: &'a [u8],
    matcher: &'a Matcher<'_>,
    cache: &'a mut Cache,
) -> impl Iterator<Item = Span> + 'a {
    let mut from = 0;
    std::iter::from_fn(move || {
        let found = matcher.find(cache, bytes, from.min(bytes.len()))?;
        let (hit, hit_end) = (found.start, found.end);
        let start = memrchr(b'\n', &bytes[..hit]).map_or(0, |end| end + 1);
        // The empty text after the last line end is not a line.
        if from > bytes.len() || start == bytes.len() {
            return None;
        }
        let end = memchr(b'\n', &bytes[hit..]).map_or(bytes.len(), |len| hit + len);
        from = end + 1;
        Some(Span { start, end, hit, hit_end })
    })
}

/// Returns the spans of the names of a file's definitions, ascending; empty without an index.
fn names_of(catalog: &Catalog, file: FileId) -> Result<Vec<Range<usize>>> {
    let Some(facts) = catalog.facts(file)? else { return Ok(Vec::new()) };
    let is_code = |symbol: &&Symbol| {
        !matches!(symbol.kind, SymbolKind::Section | SymbolKind::Key | SymbolKind::Selector)
    };
    let names = facts.symbols.iter().filter(is_code).map(|symbol| symbol.name_span.clone());
    let mut names: Vec<Range<usize>> = names.collect();
    names.sort_unstable_by_key(|name| (name.start, name.end));
    Ok(names)
}

impl Reply for SearchReply {
    /// Renders a line for each file with its number of matching lines, followed by these, below the
    /// definitions around them.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        for file in &self.files {
            let _ = write!(out, "{}  {}", style.path(&file.path), count_of(file));
            for mark in file.defines.then_some("defines").into_iter().chain(file.marks.names()) {
                let _ = write!(out, "  {mark}");
            }
            out.push('\n');
            let width = file.lines.last().map_or(0, |line| line.line.to_string().len());
            let mut around: Option<&Inside> = None;
            for Line { line, text, context, inside, .. } in &file.lines {
                // A definition of one line is its own head.
                let inside = inside.as_ref().filter(|inside| inside.line < inside.end_line);
                if let Some(Inside { name, line, end_line, .. }) = inside
                    && around != inside
                {
                    let _ = writeln!(out, "  {} {line}-{end_line}", text::plain(name));
                }
                around = inside;
                let indent = if inside.is_some() { "    " } else { "  " };
                let mark = if *context { '-' } else { ':' };
                let number = style.line(&file.path, *line, width);
                let _ = writeln!(out, "{indent}{number}{mark} {}", text::plain(text));
            }
        }
        out
    }

    fn is_found(&self) -> bool {
        self.files_total > 0
    }

    fn notices(&self) -> Vec<String> {
        let left_out = |file: &File| file.count.saturating_sub(file.shown());
        let cut = self.files.iter().filter(|file| !file.lines.is_empty() && left_out(file) > 0);
        let (mut lines_left_out, mut files_cut) = (0, 0);
        for file in cut {
            (lines_left_out, files_cut) = (lines_left_out + left_out(file), files_cut + 1);
        }
        let cut = (lines_left_out > 0).then(|| {
            let lines = counted(lines_left_out, "matching line");
            let files = counted(files_cut, "file");
            let is_max = self.files.iter().any(|file| file.shown() == LINES_MAX);
            let more =
                if is_max { "{tool:read} shows a file" } else { "`max_per_file` shows more" };
            format!("{lines} in {files} not shown; {more}")
        });
        let lines = counted(self.total, "line");
        let (shown, files) = (self.files_shown, self.files_total);
        let more = self.next_offset.map(|offset| {
            let least = if self.files_left > 0 { "at least " } else { "" };
            format!(
                "{shown} of {least}{files} files with {least}{lines} shown; continue with `offset` {offset}"
            )
        });
        let unread = (self.files_unread > 0).then(|| {
            let files = counted(self.files_unread, "file");
            format!("{files} not read because of a limit; `path_glob` narrows the search")
        });
        let failed = (self.files_failed > 0).then(|| {
            let files = counted(self.files_failed, "file");
            format!("{files} could not be read")
        });
        let unknown = (self.files_unknown > 0).then(|| {
            let files = counted(self.files_unknown, "file");
            let what = if self.is_limited {
                "matches in them may be missing"
            } else {
                "files that define the text may not come first"
            };
            let why = if self.is_remote { "not parsed" } else { "not indexed yet" };
            format!("{files} {why}; {what}")
        });
        let unmarked = self.without_definitions.then(|| {
            "the index is damaged; files that define the text may not come first".to_owned()
        });
        let bodies = (self.bodies_left_out > 0).then(|| {
            let functions = counted(self.bodies_left_out, "function");
            format!("{functions} around matches not shown; {{tool:read}} `targets` shows them")
        });
        let beyond = self.offset_beyond.filter(|_| files > 0);
        let beyond = beyond.map(|offset| offset_notice(offset, files, "file"));
        cut.into_iter()
            .chain(more)
            .chain(bodies)
            .chain(beyond)
            .chain(self.glob_problem.clone())
            .chain(self.literal.map(Literal::notice))
            .chain(unread)
            .chain(failed)
            .chain(unknown)
            .chain(unmarked)
            .collect()
    }
}

/// Returns how many lines of a file match, and how many of them are shown if not all are.
fn count_of(file: &File) -> String {
    let lines = counted(file.count, "line");
    match file.shown() {
        0 => lines,
        shown if shown < file.count => format!("{shown} of {lines}"),
        _ => lines,
    }
}

#[cfg(test)]
mod tests;
