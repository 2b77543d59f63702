//! `test_gaps`: functions that probably no test executes.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Instant;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analysis::Data;
use super::test_selection::patience::Patience;
use super::test_selection::{coverage, functions_in};
use super::{Alias, Call, Define, Speed, Toolset, changed_code, counted, paths, results_max};
use crate::answer::analysis::{Analysis, Size, Status};
use crate::answer::page::{Block, Cell, Column, Grade, Table};
use crate::answer::style::Style;
use crate::base::ids::FileId;
use crate::base::text::plain;
use crate::error::Result;
use crate::graph::link::{Code as _, SymbolAt};
use crate::testmap::fixtures::Tests;
use crate::testmap::recorded::Recorded;
use crate::testmap::score::LIKELY_MIN;
use crate::testmap::score::Weights;
use crate::testmap::select::rank;
use crate::testmap::stored;
use crate::testmap::tree::Tree as _;
use crate::userdata::coverage::CoveredText;

/// The maximum number of functions that are examined.
const EXAMINED_MAX: usize = 300;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct TestGaps;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// A file (default: all files)
    pub file_path: Option<String>,
    /// Only files below this directory
    pub directory: Option<String>,
    /// Maximum number of functions (default 30)
    pub limit: Option<usize>,
    /// Leave out tests
    #[schemars(extend("x-unlisted" = "functions of tests are never listed"))]
    pub exclude_tests: Option<bool>,
    /// Also files that no commit has (default true)
    #[schemars(extend("x-unlisted" = ""))]
    pub working_tree: Option<bool>,
    /// Of a file: maximum processor time on each core in milliseconds (default 300); 0 is no limit
    #[schemars(extend("x-unlisted" = "", "x-command" = true))]
    pub max_ms: Option<u64>,
    /// Update the index first
    #[schemars(extend("x-unlisted" = super::unlisted::ALWAYS_UPDATED))]
    pub auto_update: Option<bool>,
}

/// A function that probably no test executes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gap {
    /// Its qualified name.
    pub function: String,
    /// The file's repository path.
    pub path: String,
    /// Its first line, from 1.
    pub line: usize,
    /// Its number of lines.
    pub lines: usize,
    /// The probability that the most likely test executes it, from 0 to 1.
    pub best_test: f32,
    /// True if imported coverage of its present text has no executed line.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_executed: bool,
}

/// The data of the reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TestGapsData {
    /// The functions, longest first.
    pub gaps: Vec<Gap>,
    /// How many functions were examined.
    pub examined: usize,
    /// How many functions there are.
    pub functions: usize,
}

impl Data for TestGapsData {
    fn page(&self, size: Option<Size>) -> Option<Vec<Block>> {
        let mut table = Table::new([
            Column::cut("FUNCTION"),
            Column::cut("PLACE"),
            Column::right("LINES"),
            Column::left(""),
            Column::left("TESTED"),
        ]);
        let max = self.gaps.iter().map(|gap| gap.lines).max().unwrap_or_default();
        for gap in &self.gaps {
            let tested = if gap.not_executed {
                Cell::Level(Grade::Bad, "never")
            } else {
                Cell::Level(Grade::Fair, "unlikely")
            };
            table.row([
                Cell::name(&gap.function),
                Cell::Place(gap.path.clone(), gap.line),
                Cell::Number(gap.lines as u64),
                Cell::bar(gap.lines as f64, max as f64),
                tested,
            ]);
        }
        let tested = self.examined.saturating_sub(size.map_or(0, |size| size.total));
        let share = tested as f64 / self.examined.max(1) as f64;
        let functions = counted(self.examined, "function");
        let tested = format!("{tested} of {functions} probably tested");
        let line = vec![Cell::text(tested), Cell::Share(share)];
        let line = (self.examined > 0).then_some(Block::Line(line));
        Some(line.into_iter().chain([Block::Table(table)]).collect())
    }

    fn render(&self, style: &dyn Style, out: &mut String) {
        for gap in &self.gaps {
            let place = style.place(&gap.path, gap.line);
            let certain = if gap.not_executed { ", not executed" } else { "" };
            let _ =
                writeln!(out, "{place}  {}  {} lines{certain}", plain(&gap.function), gap.lines);
        }
    }
}

impl Define for TestGaps {
    const NAME: &'static str = "codedb_test_gaps";
    const SUMMARY: &'static str = "List functions that probably no test executes, longest first";
    const DETAILS: &'static str = "Imported coverage decides where there is some. Otherwise derived from calls, fixtures, \
         imports and names, without running tests: a function that is executed only through a \
         framework may be listed although it is tested.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("suggest_tests", "for the tests of one function")];
    const TOOLSET: Toolset = Toolset::History;
    const SPEED: Speed = Speed::Scan;
    const EXAMPLES: &'static [&'static str] = &[r#"{"limit": 3}"#];
    const POSITIONAL: &'static [&'static str] = &["file_path"];
    const ALIASES: &'static [Alias] = &[Alias::new("path", "file_path")];
    type Args = Args;
    type Reply = Analysis<TestGapsData>;

    fn run(call: &Call<'_>, args: Args) -> Result<Analysis<TestGapsData>> {
        let catalog = call.code.catalog(&[])?;
        let files: Vec<FileId> = match &args.file_path {
            Some(given) => {
                let path = paths::resolve(call, given)?;
                match paths::listed(catalog.files(), &path) {
                    Some(at) => vec![FileId::new(at)],
                    None => return Err(paths::unknown(call, &path)),
                }
            }
            None => {
                let (_, below) = paths::folder(call, args.directory.as_deref())?;
                below.map(FileId::new).collect()
            }
        };
        let uncommitted = if args.working_tree == Some(false) {
            changed_code::uncommitted_files(call)?
        } else {
            BTreeSet::new()
        };
        // The evidence is that of the tools that select tests.
        let history = call.code.history().unwrap_or_default();
        let tests = Tests::new(catalog).with_history(history.clone());
        let mut functions: Vec<(usize, SymbolAt)> = Vec::new();
        for file in files {
            let marks = catalog.marks(file)?;
            if uncommitted.contains(catalog.path(file)) {
                continue;
            }
            if catalog.is_test(file) || marks.ranks_last() || marks.declaration {
                continue;
            }
            let Some(facts) = catalog.file(file).filter(|facts| facts.language.is_code()) else {
                continue;
            };
            let own = functions_in(catalog, file).into_iter().filter(|&at| !tests.is_of_tests(at));
            functions.extend(own.map(|at| (facts.symbols[at.place as usize].span.len(), at)));
        }
        if catalog.test_names().files() == 0 && tests.all().is_empty() {
            return Ok(Analysis::list(TestGapsData::default(), 0, 0)
                .with_status(Status::NoData, "no tests were found in the tree")
                .with_hint("docs/tests.md lists the frameworks that are recognized"));
        }
        functions.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut data = TestGapsData { functions: functions.len(), ..TestGapsData::default() };
        let limit = results_max(args.limit, 30);
        let (database, problem) = coverage(call);
        let recorded = database.as_ref().map(|database| Recorded::new(&tests, database));
        functions.truncate(EXAMINED_MAX);
        let examined: Vec<SymbolAt> = functions.iter().map(|(_, at)| *at).collect();
        let is_limited = args.file_path.is_some() || args.max_ms.is_some();
        let patience = if is_limited { Patience::new(args.max_ms) } else { Patience::default() };
        let until = patience.until();
        let mut unexamined = 0;
        // With coverage, most functions need no search.
        let ahead = match recorded {
            None => stored::best(call.code, catalog, &examined, history.as_ref(), until),
            Some(_) => FxHashMap::default(),
        };
        for at in &examined {
            data.examined += 1;
            let covering = recorded.as_ref().map(|of| of.covering(*at)).transpose()?.flatten();
            if covering.as_ref().is_some_and(|of| of.is_executed) {
                continue;
            }
            let not_executed =
                covering.is_some_and(|of| of.is_whole && of.text == CoveredText::Same);
            let mut best = 0.0;
            let is_due = || until.is_some_and(|until| Instant::now() >= until);
            if !not_executed && !ahead.contains_key(at) && is_due() {
                unexamined += 1;
                data.examined -= 1;
                continue;
            }
            if !not_executed {
                best = ahead.get(at).copied().unwrap_or_else(|| {
                    let (ranked, _) = rank(&tests, *at, &Weights::DEFAULT);
                    ranked.first().map_or(0.0, |of| of.probability)
                });
            }
            if best >= LIKELY_MIN {
                continue;
            }
            let Some(facts) = catalog.file(at.file) else { continue };
            let symbol = &facts.symbols[at.place as usize];
            data.gaps.push(Gap {
                function: symbol.qualified_name.clone(),
                path: facts.path.clone(),
                line: symbol.line,
                lines: symbol.end_line.saturating_sub(symbol.line) + 1,
                best_test: (best * 100.0).round() / 100.0,
                not_executed,
            });
        }
        data.gaps.sort_by(|a, b| {
            let by_length = b.lines.cmp(&a.lines);
            by_length.then_with(|| a.path.cmp(&b.path)).then(a.line.cmp(&b.line))
        });
        let total = data.gaps.len();
        data.gaps.truncate(limit);
        let (shown, examined, functions) = (data.gaps.len(), data.examined, data.functions);
        let mut reply = Analysis::list(data, shown, total);
        if unexamined > 0 {
            reply = reply.with_status(Status::Partial, patience.message(unexamined, functions));
        } else if examined < functions {
            let message = format!("the {examined} longest of {functions} functions were examined");
            reply = reply
                .with_status(Status::Partial, message)
                .with_hint("name a file or a directory for the others");
        }
        if let Some(problem) = problem {
            reply = reply.with_status(Status::Partial, problem);
        }
        Ok(reply)
    }
}
