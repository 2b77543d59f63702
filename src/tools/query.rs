//! `query`: a pipeline over files; each step processes the result of the previous one.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::coverage::Coverage;
use super::deps::Direction;
use super::{Call, Define, Reply, Toolset, counted, first, paths, schema};
use crate::answer::page::{Block, Cell, Code, Column, Page, Table};
use crate::answer::style::Style;
use crate::base::text;
use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::lang::{Marks, SymbolKind};

mod search;
mod select;
mod show;

/// The maximum number of steps of a pipeline.
const STEPS_MAX: usize = 20;

/// The maximum number of files of a reply.
const FILES_MAX: usize = 200;

/// The maximum number of lines and definitions of a reply, over all its files.
const ENTRIES_MAX: usize = 5000;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Query;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The steps: `find` and `search` (`query`), `filter` (`path_glob`, `language`, `test`), `deps`,
    /// `outline`, `read`, `sort` (`by`), `limit` (`max_results`)
    #[schemars(with = "Vec<Step>")]
    pub pipeline: Vec<Value>,
}

/// The operation of a step.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// Keeps the files whose paths match.
    Find,
    /// Keeps the files that contain a match, with the lines.
    Search,
    /// Keeps the files with given properties.
    Filter,
    /// Replaces the files by those that import them, or that they import.
    Deps,
    /// Adds the definitions of each file.
    Outline,
    /// Adds lines of each file.
    Read,
    /// Orders the files.
    Sort,
    /// Keeps the first files.
    Limit,
}

impl Op {
    const ALL: [Op; 8] =
        [Op::Find, Op::Search, Op::Filter, Op::Deps, Op::Outline, Op::Read, Op::Sort, Op::Limit];

    fn name(self) -> &'static str {
        match self {
            Op::Find => "find",
            Op::Search => "search",
            Op::Filter => "filter",
            Op::Deps => "deps",
            Op::Outline => "outline",
            Op::Read => "read",
            Op::Sort => "sort",
            Op::Limit => "limit",
        }
    }
}

/// The order of files.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Their paths.
    Path,
    /// Their centrality in the import graph, the most central first.
    Rank,
    /// Their lines, the most first.
    Lines,
    /// Their symbols, the most first.
    Symbols,
    /// The time of their last change, the newest first.
    Modified,
    /// The matches of `search`, the most first.
    Matches,
}

/// A step, with the arguments of all operations.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Step {
    /// The operation
    pub op: Op,
    /// With `find`: parts of the path; with `search`: the text to find
    pub query: Option<String>,
    /// With `search`: `query` is a regular expression (default literal)
    #[serde(default)]
    pub regex: bool,
    /// With `search`: whether case matters (default true)
    pub case_sensitive: Option<bool>,
    /// With `search`: whole words only
    #[serde(default)]
    pub word: bool,
    /// With `filter`: a glob that paths match
    pub path_glob: Option<String>,
    /// With `filter`: the language
    pub language: Option<String>,
    /// With `filter`: only tests, or no tests
    pub test: Option<bool>,
    /// With `deps`: the direction
    pub direction: Option<Direction>,
    /// With `deps`: also follow indirect imports
    #[serde(default)]
    pub transitive: bool,
    /// With `deps`: maximum length of a chain of imports
    pub max_depth: Option<usize>,
    /// With `read`: the first line
    pub line_start: Option<usize>,
    /// With `read`: the last line
    pub line_end: Option<usize>,
    /// With `sort`: the key
    pub by: Option<By>,
    /// With `sort`: reverse the order
    #[serde(default)]
    pub reverse: bool,
    /// With `find` and `limit`: maximum number of files; with `search`: lines per file
    pub max_results: Option<usize>,
}

/// A line of a file.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// Its number, from 1.
    pub line: usize,
    /// Its text, cut if it is long.
    pub text: String,
}

/// A definition of a file.
#[derive(Clone, Debug, Serialize)]
pub struct Symbol {
    /// Its qualified name.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Its first line.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
}

/// A file of the result, with the data that steps added.
#[derive(Clone, Debug, Serialize)]
pub struct File {
    /// Its repository path.
    pub path: String,
    /// Its marks, such as `generated` or `test`.
    #[serde(flatten)]
    pub marks: Marks,
    /// The first of its matching lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<Line>,
    /// How many lines match.
    #[serde(skip_serializing_if = "is_zero")]
    pub matches_total: usize,
    /// The first of its definitions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<Symbol>,
    /// How many definitions it has.
    #[serde(skip_serializing_if = "is_zero")]
    pub symbols_total: usize,
    /// The first of the requested lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Line>,
    /// How many lines were requested.
    #[serde(skip_serializing_if = "is_zero")]
    pub lines_total: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The result of a step.
#[derive(Clone, Debug, Serialize)]
pub struct StepResult {
    /// The operation of the step.
    pub op: Op,
    /// The number of files after it.
    pub files: usize,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct QueryReply {
    /// Whether all files are indexed.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// The steps, with the number of files after each.
    pub steps: Vec<StepResult>,
    /// The files after the last step.
    pub files: Vec<File>,
    /// How many are listed.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
    /// Limits that steps reached.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
}

/// The files between two steps.
struct Flow<'a> {
    call: &'a Call<'a>,
    catalog: &'a Catalog,
    items: Vec<Item>,
    limits: Vec<String>,
}

/// A file between two steps.
#[derive(Clone, Debug, Default)]
struct Item {
    at: usize,
    matches: Vec<Line>,
    matches_total: usize,
    symbols: Vec<Symbol>,
    symbols_total: usize,
    lines: Vec<Line>,
    lines_total: usize,
}

impl Define for Query {
    const NAME: &'static str = "codedb_query";
    const SUMMARY: &'static str =
        "Run a pipeline over files: find, search, filter, deps, outline, read, sort, limit";
    const DETAILS: &'static str = "Each step processes the files of the previous one; the first step gets all files: \
         `[{\"op\": \"search\", \"query\": \"open\", \"word\": true}, {\"op\": \"deps\"}]`. On the \
         command line, `-` reads this from standard input. At most 20 steps, 200 files and 5,000 \
         lines and definitions. For a single step, use the tool of that name.";
    const TOOLSET: Toolset = Toolset::Navigate;
    const EXAMPLES: &'static [&'static str] = &[
        r#"{"pipeline": [{"op": "search", "query": "coupon"}, {"op": "filter", "path_glob": "src/**"}, {"op": "limit", "max_results": 2}]}"#,
    ];
    const POSITIONAL: &'static [&'static str] = &["pipeline"];
    type Args = Args;
    type Reply = QueryReply;

    fn run(call: &Call<'_>, args: Args) -> Result<QueryReply> {
        if args.pipeline.is_empty() || args.pipeline.len() > STEPS_MAX {
            let steps = args.pipeline.len();
            return Err(Error::usage(format!(
                "a pipeline has 1 to {STEPS_MAX} steps, not {steps}"
            ))
            .with_hint("`[{\"op\": \"find\", \"query\": \"main\"}]` has one step"));
        }
        // All steps are parsed before the first one runs.
        let mut steps = Vec::with_capacity(args.pipeline.len());
        let schema = schema::of::<Step>();
        for (place, step) in args.pipeline.into_iter().enumerate() {
            if let Some(error) = missing_op(&step) {
                return Err(at_step(place, None, error));
            }
            steps.push(
                schema::parse::<Step>(&schema, step)
                    .map_err(|error| at_step(place, None, error))?,
            );
        }
        let queries: Vec<&str> = steps.iter().filter_map(|step| step.query.as_deref()).collect();
        let catalog = call.code.catalog(&queries)?;
        let all = (0..catalog.files().len()).map(|at| Item { at, ..Item::default() });
        let mut flow = Flow { call, catalog, items: all.collect(), limits: Vec::new() };
        let mut results = Vec::with_capacity(steps.len());
        for (place, step) in steps.iter().enumerate() {
            flow.step(step).map_err(|error| at_step(place, Some(step.op), error))?;
            results.push(StepResult { op: step.op, files: flow.items.len() });
        }
        flow.answer(results)
    }
}

/// Returns the error for a step without `op`. Some agents write `{"find": {…}}` instead.
fn missing_op(step: &Value) -> Option<Error> {
    let step = step.as_object()?;
    if step.get("op").is_some_and(|op| !op.is_null()) {
        return None;
    }
    let names = Op::ALL.map(Op::name);
    let error = Error::usage(format!("missing argument `op`: one of {}", names.join(", ")));
    let named = names.into_iter().find(|name| step.contains_key(*name)).unwrap_or("find");
    Some(error.with_hint(format!("a step is `{{\"op\": \"{named}\", …}}`")))
}

/// Returns an error whose message starts with the number of the step that failed.
fn at_step(place: usize, op: Option<Op>, error: Error) -> Error {
    let op = op.map(|op| format!(" (`{}`)", op.name())).unwrap_or_default();
    let message = format!("step {}{op}: {error}", place + 1);
    error
        .hints()
        .iter()
        .fold(Error::new(error.kind(), message), |error, hint| error.with_hint(hint))
}

impl Flow<'_> {
    fn step(&mut self, step: &Step) -> Result<()> {
        match step.op {
            Op::Find => self.find(step),
            Op::Search => self.search(step),
            Op::Filter => self.filter(step),
            Op::Deps => self.deps(step),
            Op::Outline => self.outline(),
            Op::Read => self.read(step),
            Op::Sort => self.sort(step),
            Op::Limit => self.limit(step),
        }
    }

    /// Returns the `query` of a step that requires it.
    fn required_query<'s>(&self, step: &'s Step) -> Result<&'s str> {
        let query = step.query.as_deref().filter(|query| !query.trim().is_empty());
        query.ok_or_else(|| Error::usage("missing argument `query`"))
    }

    fn answer(self, steps: Vec<StepResult>) -> Result<QueryReply> {
        let (items, total) = first(self.items, FILES_MAX);
        let mut files = Vec::with_capacity(items.len());
        let (mut limits, mut left, mut is_cut) = (self.limits, ENTRIES_MAX, false);
        for item in items {
            let file = crate::base::ids::FileId::new(item.at);
            files.push(File {
                path: paths::shown(self.catalog.path(file)),
                marks: self.catalog.marks(file)?,
                matches: within(item.matches, &mut left, &mut is_cut),
                matches_total: item.matches_total,
                symbols: within(item.symbols, &mut left, &mut is_cut),
                symbols_total: item.symbols_total,
                lines: within(item.lines, &mut left, &mut is_cut),
                lines_total: item.lines_total,
            });
        }
        if is_cut {
            limits.push(format!("a reply has at most {ENTRIES_MAX} lines and definitions"));
        }
        let coverage = Coverage::of(self.catalog);
        Ok(QueryReply { coverage, steps, shown: files.len(), files, total, limits })
    }
}

impl QueryReply {
    /// Returns the first step after which there was no file, if there are several.
    fn emptied_by(&self) -> Option<usize> {
        let step = self.steps.iter().position(|step| step.files == 0)?;
        (self.steps.len() > 1).then_some(step)
    }
}

impl File {
    /// Returns how many definitions and lines are not listed, in words.
    fn left_out(&self) -> impl Iterator<Item = String> {
        let counts = [
            (self.symbols_total, self.symbols.len(), "more definition"),
            (self.matches_total, self.matches.len(), "more matching line"),
            (self.lines_total, self.lines.len(), "more line"),
        ];
        let more = |(total, shown, what): (usize, usize, &str)| {
            (shown < total).then(|| counted(total - shown, what))
        };
        counts.into_iter().filter_map(more)
    }

    /// Returns what steps added, as parts of a page.
    fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let columns = [Column::right(""), Column::left(""), Column::cut("")];
        let mut symbols = Table::new(columns);
        for Symbol { name, kind, line, end_line } in &self.symbols {
            let lines = Cell::Lines(self.path.clone(), *line, *end_line);
            symbols.row([lines, Cell::faint(kind.name()), Cell::name(name)]);
        }
        let mut matches = Table::new([Column::right(""), Column::cut("")]);
        for Line { line, text } in &self.matches {
            let (path, name) = (self.path.clone(), String::new());
            let lines = Cell::Lines(path.clone(), *line, *line);
            matches.row([lines, Cell::Code { path, text: text.clone(), name }]);
        }
        let tables = [symbols, matches].into_iter().filter(|table| !table.rows.is_empty());
        blocks.extend(tables.map(Block::Table));
        if let Some(first) = self.lines.first() {
            let texts: Vec<&str> = self.lines.iter().map(|line| line.text.as_str()).collect();
            let text = texts.join("\n");
            blocks.push(Block::Code(Code { path: self.path.clone(), line: first.line, text }));
        }
        let more: Vec<String> = self.left_out().collect();
        blocks.extend((!more.is_empty()).then(|| Block::Note(more.join(", "))));
        blocks
    }
}

/// Cuts a list to `left` entries and subtracts its length from `left`.
fn within<T>(list: Vec<T>, left: &mut usize, is_cut: &mut bool) -> Vec<T> {
    let (list, total) = first(list, *left);
    *left -= list.len();
    *is_cut |= list.len() < total;
    list
}

impl Reply for QueryReply {
    /// Renders a line for each file, followed by the data that steps added.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        for file in &self.files {
            let marks: String = file.marks.names().map(|name| format!("  {name}")).collect();
            let _ = writeln!(out, "{}{marks}", style.path(&file.path));
            for Symbol { name, kind, line, end_line } in &file.symbols {
                let (name, kind) = (style.name(name), kind.name());
                let lines = style.lines(&file.path, *line, *end_line);
                let _ = writeln!(out, "  {kind} {name}  {lines}");
            }
            for Line { line, text } in file.matches.iter().chain(&file.lines) {
                let line = style.line(&file.path, *line, 0);
                let _ = writeln!(out, "  {line}: {}", text::plain(text));
            }
            for more in file.left_out() {
                let _ = writeln!(out, "  … {more}");
            }
        }
        out
    }

    /// Shows how many files each step left, then the files, each with what steps added.
    fn page(&self) -> Option<Page> {
        let mut blocks = Vec::new();
        if self.steps.len() > 1 {
            let step = |it: &StepResult| format!("{}: {}", it.op.name(), counted(it.files, "file"));
            let steps: Vec<String> = self.steps.iter().map(step).collect();
            blocks.push(Block::Note(steps.join(", ")));
        }
        let contents: Vec<Vec<Block>> = self.files.iter().map(File::blocks).collect();
        if contents.iter().all(Vec::is_empty) {
            let mut table = Table::new([Column::cut("FILE"), Column::left("REMARK")]);
            for file in &self.files {
                table.row([Cell::Path(file.path.clone()), Cell::words(file.marks.names())]);
            }
            blocks.push(Block::Table(table.without_empty()));
            return Some(Page { blocks });
        }
        for (file, content) in self.files.iter().zip(contents) {
            let marks = file.marks.names().map(Cell::faint);
            let head = std::iter::once(Cell::Path(file.path.clone())).chain(marks);
            blocks.push(Block::Line(head.collect()));
            blocks.extend(content);
        }
        Some(Page { blocks })
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        if self.shown < self.total {
            let (shown, total) = (self.shown, self.total);
            notices.push(format!("{shown} of {total} shown; add a step that leaves fewer"));
        }
        if let Some(at) = self.emptied_by() {
            let (step, op) = (at + 1, self.steps[at].op.name());
            notices.push(format!("step {step} (`{op}`) left no file"));
        }
        notices.extend(self.limits.iter().cloned());
        notices.extend(self.coverage.notice());
        notices
    }
}
