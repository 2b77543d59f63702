//! `query`: a pipeline over files, each step working on what the one before it left.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::deps::Direction;
use super::known::Known;
use super::{Call, Define, Reply, Toolset, counted, first, paths, schema};
use crate::answer::style::Style;
use crate::base::text;
use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::lang::{Marks, SymbolKind};

mod search;
mod select;
mod show;

/// Steps of a pipeline.
const STEPS_MAX: usize = 20;

/// Files of a reply.
const FILES_MAX: usize = 200;

/// Lines and definitions of a reply, over all its files.
const ENTRIES_MAX: usize = 5000;

/// See [`Define`].
#[derive(Debug)]
pub struct Query;

/// What is asked.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The steps: `find` and `search` (`query`), `filter` (`path_glob`, `language`, `test`), `deps`,
    /// `outline`, `read`, `sort` (`by`), `limit` (`max_results`)
    #[schemars(with = "Vec<Step>")]
    pub pipeline: Vec<Value>,
}

/// What a step does.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// Keeps the files whose paths fit.
    Find,
    /// Keeps the files that hold something, with the lines.
    Search,
    /// Keeps the files of some sort.
    Filter,
    /// Takes the files that import these, or that these import, in their stead.
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

/// What files are ordered by.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Their paths.
    Path,
    /// How central they are by who imports them, the most central first.
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

/// A step, with the arguments of all sorts of steps.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Step {
    /// What the step does
    pub op: Op,
    /// With `find`: parts of the path; with `search`: what lines hold
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
    /// With `filter`: tests only, or none
    pub test: Option<bool>,
    /// With `deps`: the direction
    pub direction: Option<Direction>,
    /// With `deps`: follow imports of imports, too
    #[serde(default)]
    pub transitive: bool,
    /// With `deps`: imports to follow one after the other at most
    pub max_depth: Option<usize>,
    /// With `read`: the first line
    pub line_start: Option<usize>,
    /// With `read`: the last line
    pub line_end: Option<usize>,
    /// With `sort`: what by
    pub by: Option<By>,
    /// With `sort`: the other way round
    #[serde(default)]
    pub reverse: bool,
    /// With `find` and `limit`: files to keep at most; with `search`: lines of each file
    pub max_results: Option<usize>,
}

/// A line of a file.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// Its number, from 1.
    pub line: usize,
    /// Its text, or the start of it.
    pub text: String,
}

/// A definition of a file.
#[derive(Clone, Debug, Serialize)]
pub struct Symbol {
    /// Its name with those of the scopes around it.
    pub name: String,
    /// What sort of definition it is.
    pub kind: SymbolKind,
    /// Its first line.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
}

/// A file that the pipeline left, with what steps added.
#[derive(Clone, Debug, Serialize)]
pub struct File {
    /// Its repository path.
    pub path: String,
    /// What it is told to be.
    #[serde(flatten)]
    pub marks: Marks,
    /// The lines that match, the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<Line>,
    /// How many lines match.
    #[serde(skip_serializing_if = "is_zero")]
    pub matches_total: usize,
    /// Its definitions, the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<Symbol>,
    /// How many definitions it has.
    #[serde(skip_serializing_if = "is_zero")]
    pub symbols_total: usize,
    /// The lines that were asked for, the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Line>,
    /// How many lines were asked for.
    #[serde(skip_serializing_if = "is_zero")]
    pub lines_total: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// What a step left.
#[derive(Clone, Debug, Serialize)]
pub struct Left {
    /// What the step did.
    pub op: Op,
    /// How many files it left.
    pub files: usize,
}

/// What is answered.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// Whether all files are known.
    #[serde(flatten)]
    pub coverage: Known,
    /// The steps, and how many files each left.
    pub steps: Vec<Left>,
    /// The files that the last step left.
    pub files: Vec<File>,
    /// How many are listed.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
    /// What steps left out.
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
    type Reply = Found;

    fn run(call: &Call<'_>, args: Args) -> Result<Found> {
        if args.pipeline.is_empty() || args.pipeline.len() > STEPS_MAX {
            let steps = args.pipeline.len();
            return Err(Error::usage(format!(
                "a pipeline has 1 to {STEPS_MAX} steps, not {steps}"
            ))
            .with_hint("`[{\"op\": \"find\", \"query\": \"main\"}]` is one of one step"));
        }
        // All steps are read before the first one works.
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
        let about: Vec<&str> = steps.iter().filter_map(|step| step.query.as_deref()).collect();
        let catalog = call.code.catalog(&about)?;
        let all = (0..catalog.files().len()).map(|at| Item { at, ..Item::default() });
        let mut flow = Flow { call, catalog, items: all.collect(), limits: Vec::new() };
        let mut left = Vec::with_capacity(steps.len());
        for (place, step) in steps.iter().enumerate() {
            flow.step(step).map_err(|error| at_step(place, Some(step.op), error))?;
            left.push(Left { op: step.op, files: flow.items.len() });
        }
        flow.answer(left)
    }
}

/// Returns the error about a step without `op`. Agents write `{"find": {…}}` instead.
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

/// Returns an error with the number of the step that it is of.
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

    /// Returns the `query` of a step that needs one.
    fn wanted<'s>(&self, step: &'s Step) -> Result<&'s str> {
        let query = step.query.as_deref().filter(|query| !query.trim().is_empty());
        query.ok_or_else(|| Error::usage("missing argument `query`"))
    }

    fn answer(self, steps: Vec<Left>) -> Result<Found> {
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
        let coverage = Known::of(self.catalog);
        Ok(Found { coverage, steps, shown: files.len(), files, total, limits })
    }
}

/// Returns as much of a list as there is room `left` for, and takes that away.
fn within<T>(list: Vec<T>, left: &mut usize, is_cut: &mut bool) -> Vec<T> {
    let (list, total) = first(list, *left);
    *left -= list.len();
    *is_cut |= list.len() < total;
    list
}

impl Reply for Found {
    /// A line for each file, and below it what steps added.
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
            for (total, shown, what) in [
                (file.symbols_total, file.symbols.len(), "more definition"),
                (file.matches_total, file.matches.len(), "more matching line"),
                (file.lines_total, file.lines.len(), "more line"),
            ] {
                if shown < total {
                    let _ = writeln!(out, "  … {}", counted(total - shown, what));
                }
            }
        }
        out
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
        notices.extend(self.limits.iter().cloned());
        notices.extend(self.coverage.notice());
        notices
    }
}
