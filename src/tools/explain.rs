//! `explain`: the documentation, uses, callers, callees and tests of a definition.
//!
//! Callers and callees come from the linker ([`crate::graph::calls`]), tests from the selection that
//! `suggest_tests` uses.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::callers::CUT;
use super::coverage::{Coverage, Status};
use super::lookup::{self, Filter, NameQuery, Within};
use super::syntax_gaps::SyntaxGaps;
use super::test_selection::{Besides, Limits, select};
use super::{Call, Define, RESULTS_MAX, Reply, Toolset, counted, first, paths, results_max};
use crate::answer::analysis::Analysis;
use crate::answer::definition::{Around, Definition};
use crate::answer::graph::{Graph, How, Vertex};
use crate::answer::page::{Block, Cell, Column, Grade, Page, Table};
use crate::answer::precedence::Precedence;
use crate::answer::style::Style;
use crate::answer::texts::Texts;
use crate::base::text;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::calls::{self, Caller, NamedSite, Uses};
use crate::graph::link::{CONFIDENCE_ANSWER, Reason, SymbolAt};
use crate::lang::facts::Role;
use crate::lang::marks;
use crate::testmap::files;
use crate::testmap::fixtures::Tests;
use crate::testmap::score::Source;

/// The default number of entries in each list.
const RESULTS: usize = 10;

/// The number of tests of a file that count for its probability, most likely first.
const TESTS_COUNTED: usize = 5;

/// The maximum number of definitions that are offered for a choice.
const CHOICES_MAX: usize = 50;

/// The maximum number of lines of documentation in the rendered text.
const DOC_LINES_MAX: usize = 20;

/// The notice about definitions that are not listed.
const LEFT_OUT: &str = "with that name not listed; {tool:symbol} lists all";

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Explain;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The name, alone or qualified (`Type::method`, `module.function`), or the id of an earlier reply
    pub name: String,
    /// The file or directory of the definition, or a glob, if several have the name
    pub path: Option<String>,
    /// Maximum number of entries in each list (default 10)
    pub max_results: Option<usize>,
    /// Leave out tests, whose selection takes longest
    #[serde(default)]
    #[schemars(extend("x-unlisted" = ""))]
    pub without_tests: bool,
}

/// The first entries of a list.
#[derive(Clone, Debug, Serialize)]
pub struct List<T> {
    /// The first entries.
    pub list: Vec<T>,
    /// How many are listed.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
}

impl<T> List<T> {
    fn new(all: Vec<T>, max: usize) -> List<T> {
        let (list, total) = first(all, max);
        List { shown: list.len(), list, total }
    }
}

/// A call of the definition.
#[derive(Clone, Debug, Serialize)]
pub struct CallSite {
    /// The file's repository path.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// Its text.
    pub text: String,
    /// The enclosing function.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub around: Option<Around>,
    /// The confidence that this definition is called, from 0 to 1.
    pub confidence: f32,
    /// The rule that resolved it.
    pub reason: Reason,
}

/// A callee of the definition.
#[derive(Clone, Debug, Serialize)]
pub struct Callee {
    /// The name of the callee.
    #[serde(flatten)]
    pub to: Around,
    /// Its file's repository path.
    pub path: String,
    /// How often it is called.
    pub calls: usize,
    /// The highest confidence of these calls, from 0 to 1.
    pub confidence: f32,
    /// The rule that resolved it.
    pub reason: Reason,
}

/// A file with tests of the definition.
#[derive(Clone, Debug, Serialize)]
pub struct Test {
    /// Its repository path.
    pub path: String,
    /// The probability that one of its tests executes the definition, from 0 to 1; absent if only
    /// the file of the definition is known to be tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    /// What it is based on; see docs/tests.md.
    pub source: Source,
    /// The id of the most likely test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_id: Option<String>,
    /// How many tests of the file are likely, or without a score, how many it has.
    pub tests: usize,
}

/// The explanation of one definition.
#[derive(Clone, Debug, Serialize)]
pub struct Explained {
    /// The definition.
    pub symbol: Definition,
    /// The number of its uses of each kind.
    pub uses: BTreeMap<Role, usize>,
    /// Calls of it, in path order.
    pub callers: List<CallSite>,
    /// Its name has more uses than are examined, so callers may be missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// The number of unresolved calls that may call it.
    pub callers_unresolved: usize,
    /// Its callees in the order of its text, each once.
    pub callees: List<Callee>,
    /// The number of calls in it that may call something of the tree but are unresolved.
    pub callees_unresolved: usize,
    /// Files with tests of it, that with the most likely test first; no test was run.
    pub tests: List<Test>,
    /// What these tests lack, in the words of the selection of tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests_message: Option<String>,
    /// True if all tests should run after a change of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub run_all: bool,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainReply {
    /// Whether all files are indexed, and the name matches one definition.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// The files that may have more callers.
    #[serde(flatten)]
    pub syntax_gaps: SyntaxGaps,
    /// The explanation, if the name matches one definition.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub explained: Option<Explained>,
    /// Otherwise, the definitions to choose from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices: Option<List<Definition>>,
    /// How many declarations and lower-ranked definitions also have the name.
    pub others: usize,
}

impl Define for Explain {
    const NAME: &'static str = "codedb_explain";
    const SUMMARY: &'static str =
        "Explain a definition: documentation, callers, callees, uses and tests";
    const DETAILS: &'static str = "Everything about a name in one reply; for several definitions, a list to choose from. \
         Calls are resolved by scopes, imports and types, each with its confidence; tests by calls \
         and names.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("callers", "for all callers"), ("symbol", "for the definition alone")];
    const TOOLSET: Toolset = Toolset::Navigate;
    const EXAMPLES: &'static [&'static str] = &[r#"{"name": "discounted"}"#];
    const POSITIONAL: &'static [&'static str] = &["name"];
    type Args = Args;
    type Reply = ExplainReply;

    fn run(call: &Call<'_>, args: Args) -> Result<ExplainReply> {
        let given = args.path.as_deref();
        let within = given.map(|path| Within::named(call, path)).transpose()?;
        let catalog = call.code.catalog(NameQuery::Name(&args.name).required_text().as_slice())?;
        let mut texts = Texts::new(catalog);
        let max = results_max(args.max_results, RESULTS);
        let filter = Filter { within, ..Filter::default() };
        let (definitions, others) = best_definitions(catalog, &args.name, &filter)?;
        if definitions.is_empty() {
            let all = lookup::named(catalog, &args.name, &Filter::default(), usize::MAX)?;
            let given = given.unwrap_or_default();
            return Err(lookup::elsewhere(catalog, &args.name, given, &all.symbols));
        }
        let mut coverage = Coverage::of(catalog).or_unread_of(catalog, &definitions)?;
        let syntax_gaps = SyntaxGaps::of(catalog, &definitions)?;
        if let [at] = definitions[..] {
            let explained = explain(call, catalog, &mut texts, at, max, !args.without_tests)?;
            return Ok(ExplainReply { coverage, syntax_gaps, explained, choices: None, others });
        }
        let (first, total) = first(definitions, max.min(CHOICES_MAX));
        let mut list = Vec::with_capacity(first.len());
        for at in first {
            list.extend(Definition::of(catalog, &mut texts, at)?);
        }
        coverage.status = Status::Ambiguous;
        let choices = List { shown: list.len(), list, total };
        Ok(ExplainReply { coverage, syntax_gaps, explained: None, choices: Some(choices), others })
    }
}

/// Returns the best-ranked definitions of a name, and how many others have the name. O(definitions
/// of the name).
fn best_definitions(
    catalog: &Catalog,
    name: &str,
    filter: &Filter,
) -> Result<(Vec<SymbolAt>, usize)> {
    let selected = lookup::named(catalog, name, filter, usize::MAX)?;
    let mut sorts = Vec::with_capacity(selected.symbols.len());
    for at in &selected.symbols {
        sorts.push(Precedence::at(catalog, *at)?.map(|precedence| precedence.group));
    }
    let best = sorts.iter().flatten().min().copied();
    let of_best = selected.symbols.iter().zip(&sorts).filter(|(_, sort)| **sort == best);
    let definitions: Vec<SymbolAt> = of_best.map(|(at, _)| *at).collect();
    let others = selected.total.saturating_sub(definitions.len());
    Ok((definitions, others))
}

fn explain(
    call: &Call<'_>,
    catalog: &Catalog,
    texts: &mut Texts<'_>,
    at: SymbolAt,
    max: usize,
    selects_tests: bool,
) -> Result<Option<Explained>> {
    let Some(symbol) = Definition::of(catalog, texts, at)? else { return Ok(None) };
    let Uses { uses: found, unresolved, is_cut, .. } =
        calls::uses_of(catalog, &[at], CONFIDENCE_ANSWER);
    let may_call = |named: &&NamedSite| calls::can_refer_to(catalog, named, at);
    let callers_unresolved = unresolved.iter().filter(may_call).count();
    let called = calls::callees(catalog, at, CONFIDENCE_ANSWER);
    let found: Vec<Caller> = found.into_iter().map(|(_, used)| used).collect();
    let mut uses: BTreeMap<Role, usize> = BTreeMap::new();
    for used in &found {
        *uses.entry(used.site.reference.role).or_default() += 1;
    }
    let tested = if selects_tests { tests(call, catalog, at)? } else { Tested::default() };
    let Tested { files: tests, run_all, message: tests_message } = tested;
    let mut callers = found;
    callers.retain(|caller| caller.site.reference.role == Role::Call);
    // Tests often call more than all others together.
    callers.sort_by_cached_key(|caller| {
        let marks = catalog.marks_if_indexed(caller.site.file).ok().flatten();
        marks.unwrap_or_else(|| marks::of_path(catalog.path(caller.site.file))).rank()
    });
    let (callers, total) = first(callers, max);
    let list: Vec<CallSite> =
        callers.iter().map(|caller| call_site(catalog, texts, caller)).collect();
    let callers = List { shown: list.len(), list, total };
    Ok(Some(Explained {
        symbol,
        uses,
        callers,
        is_cut,
        callers_unresolved,
        callees_unresolved: called.unresolved.len(),
        callees: List::new(callees(catalog, called.calls), max),
        tests: List::new(tests, max),
        tests_message,
        run_all,
    }))
}

/// The tests of a definition.
#[derive(Default)]
struct Tested {
    files: Vec<Test>,
    run_all: bool,
    /// The remark of the selection.
    message: Option<String>,
}

/// Returns the files with tests that probably execute a definition, the one with the most likely test
/// first, and whether all tests should run; if there are none, as for types that tests only name, those
/// of its file.
fn tests(call: &Call<'_>, catalog: &Catalog, at: SymbolAt) -> Result<Tested> {
    let limits = Limits { tokens: usize::MAX, ..Limits::new(Some(RESULTS_MAX), None) };
    let selected = select(call, catalog, &[at], Besides::default(), limits)?;
    let Analysis { data: selection, message, .. } = selected.reply(|selection| selection);
    let run_all = selection.run_all;
    let mut found: Vec<Test> = Vec::new();
    for of in selection.tests {
        let missed = 1.0 - of.score;
        let Some(file) = found.iter_mut().find(|file| file.path == of.path) else {
            let (path, source, test_id) = (of.path, of.source, Some(of.test_id));
            found.push(Test { path, score: Some(of.score), source, test_id, tests: 1 });
            continue;
        };
        if file.tests < TESTS_COUNTED {
            file.score = file.score.map(|score| 1.0 - (1.0 - score) * missed);
        }
        file.source = file.source.min(of.source);
        file.tests += 1;
    }
    for file in &mut found {
        file.score = file.score.map(|score| (score * 100.0).round() / 100.0);
    }
    if !found.is_empty() {
        return Ok(Tested { files: found, run_all, message });
    }
    let tests = Tests::new(catalog);
    let of_file = files::of_file(catalog, at.file).into_iter();
    let test = |(file, source)| Test {
        path: paths::shown(catalog.path(file)),
        score: None,
        source,
        test_id: None,
        tests: tests.of(file).tests.len(),
    };
    Ok(Tested { files: of_file.map(test).collect(), run_all, message })
}

fn call_site(catalog: &Catalog, texts: &mut Texts<'_>, caller: &Caller) -> CallSite {
    let Caller { site, confidence, reason } = caller;
    let (line, text) = texts.line(site.file, site.reference.span.start);
    CallSite {
        path: paths::shown(catalog.path(site.file)),
        line,
        text,
        around: Around::of_site(catalog, site),
        confidence: *confidence,
        reason: *reason,
    }
}

/// Returns the callees of a definition, each once, in the order of their first calls.
fn callees(catalog: &Catalog, called: Vec<calls::Callee>) -> Vec<Callee> {
    let mut places: BTreeMap<SymbolAt, usize> = BTreeMap::new();
    let mut found: Vec<Callee> = Vec::new();
    for callee in called {
        let link = callee.link;
        if let Some(&place) = places.get(&link.to) {
            found[place].calls += 1;
            if link.confidence > found[place].confidence {
                (found[place].confidence, found[place].reason) = (link.confidence, link.reason);
            }
            continue;
        }
        let Some(to) = Around::of(catalog, link.to) else { continue };
        places.insert(link.to, found.len());
        let path = paths::shown(catalog.path(link.to.file));
        let (confidence, reason) = (link.confidence, link.reason);
        found.push(Callee { to, path, calls: 1, confidence, reason });
    }
    found
}

impl Reply for ExplainReply {
    /// Renders the definition, its documentation and a paragraph for each list, or the choices.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        if let Some(choices) = &self.choices {
            for choice in &choices.list {
                choice.write(&mut out, 0, style);
                let _ = writeln!(out, "  id {}", text::plain(&choice.id));
            }
        }
        let Some(explained) = &self.explained else { return out };
        explained.symbol.write(&mut out, DOC_LINES_MAX, style);
        let uses: Vec<String> =
            explained.uses.iter().map(|(role, count)| format!("{} {count}", noun(*role))).collect();
        if !uses.is_empty() {
            let _ = writeln!(out, "uses: {}", uses.join(", "));
        }
        head(&mut out, "callers", &explained.callers);
        for site in &explained.callers.list {
            let CallSite { path, line, text, around, .. } = site;
            let around = around.as_ref().map(|of| format!("  in {}", text::plain(&of.name)));
            let (place, around) = (style.place(path, *line), around.unwrap_or_default());
            let text = style.highlight(text, &explained.symbol.name);
            let _ = writeln!(out, "  {place}{around}  {text}");
        }
        head(&mut out, "callees", &explained.callees);
        for Callee { to, path, calls, .. } in &explained.callees.list {
            let (name, kind) = (style.name(&to.name), to.kind.name());
            let place = style.range(path, to.line, to.end_line);
            let times = if *calls > 1 { format!("  {calls} calls") } else { String::new() };
            let _ = writeln!(out, "  {kind} {name}  {place}{times}");
        }
        head(&mut out, "tests", &explained.tests);
        if let Some(message) = &explained.tests_message {
            let _ = writeln!(out, "  {}", text::plain(message));
        } else if explained.run_all {
            out.push_str("  run all tests: none is known to execute it, or nearly all do\n");
        }
        for test in &explained.tests.list {
            let Test { path, score, source, tests, .. } = test;
            let (path, tests) = (style.path(path), counted(*tests, "test"));
            let score = score.map_or_else(String::new, |score| format!("  {score:.2}"));
            let _ = writeln!(out, "  {path}  {}{score}  {tests}", source.words());
        }
        out
    }

    fn page(&self) -> Option<Page> {
        let mut blocks = Vec::new();
        if let Some(choices) = &self.choices {
            let columns = [Column::left(""), Column::cut(""), Column::cut(""), Column::left("")];
            let mut table = Table::new(columns);
            for choice in &choices.list {
                let id = vec![Cell::faint("id"), Cell::text(&choice.id)];
                table.row_with(choice.cells(), vec![id]);
            }
            blocks.push(Block::Table(table.without_empty()));
        }
        if let Some(explained) = &self.explained {
            blocks.extend(explained.blocks());
        }
        Some(Page { blocks })
    }

    const HAS_GRAPH: bool = true;

    /// Draws the definition between its callers and its callees.
    fn graph(&self) -> Option<Graph> {
        let mut graph = Graph::default();
        let asked =
            |of: &Definition| Vertex::definition(&of.qualified_name, &of.path, of.line).asked();
        for choice in self.choices.iter().flat_map(|choices| &choices.list) {
            graph.add(asked(choice));
        }
        let Some(explained) = &self.explained else { return Some(graph) };
        let own = graph.add(asked(&explained.symbol));
        let vertex =
            |around: &Around, path: &str| Vertex::definition(&around.name, path, around.line);
        for caller in &explained.callers.list {
            let around = caller.around.as_ref();
            let from =
                around.map_or_else(|| Vertex::file(&caller.path), |of| vertex(of, &caller.path));
            let from = graph.add(from);
            graph.connect(from, own, How::Calls, 1, caller.confidence);
        }
        for callee in &explained.callees.list {
            let to = graph.add(vertex(&callee.to, &callee.path));
            graph.connect(own, to, How::Calls, callee.calls, callee.confidence);
        }
        Some(graph)
    }

    fn is_found(&self) -> bool {
        self.explained.is_some() || self.choices.is_some()
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        if let Some(choices) = &self.choices {
            let all = counted(choices.total, "definition");
            notices
                .push(format!("{all} of that name; a qualified name, `path` or an id selects one; {{tool:suggest_tests}} takes all"));
        }
        match self.others {
            0 => {}
            1 => notices.push(format!("1 other definition or declaration {LEFT_OUT}")),
            others => {
                notices.push(format!("{others} other definitions or declarations {LEFT_OUT}"));
            }
        }
        if let Some(explained) = &self.explained {
            let Explained { callers_unresolved, callees_unresolved, .. } = explained;
            if callers_unresolved + callees_unresolved > 0 {
                notices.push(format!(
                    "unresolved: {} that may call it ({{tool:callers}} lists them with `unsure`), {} in it",
                    counted(*callers_unresolved, "call"),
                    counted(*callees_unresolved, "call")
                ));
            }
            if explained.uses.contains_key(&Role::Base) {
                notices.push("{tool:callers} with `role` lists implementations".to_owned());
            }
            let Explained { callers, callees, tests, .. } = explained;
            let sizes = [
                (callers.shown, callers.total),
                (callees.shown, callees.total),
                (tests.shown, tests.total),
            ];
            if sizes.iter().any(|(shown, total)| shown < total) {
                notices.push("not all entries are shown; `max_results` shows more".to_owned());
            }
            if explained.is_cut {
                notices.push(CUT.to_owned());
            }
        }
        notices.extend(self.coverage.notice());
        notices.extend(self.syntax_gaps.notice());
        notices
    }
}

impl Explained {
    /// Returns the definition and its lists as parts of a page for people.
    fn blocks(&self) -> Vec<Block> {
        let symbol = &self.symbol;
        let mut blocks = vec![Block::Line(symbol.cells().to_vec())];
        let (path, name) = (symbol.path.clone(), symbol.name.clone());
        blocks.push(Block::Line(vec![Cell::Code { path, text: symbol.signature.clone(), name }]));
        let doc = symbol.doc.iter().flat_map(|doc| doc.lines()).take(DOC_LINES_MAX);
        blocks.extend(doc.map(|line| Block::Line(vec![Cell::faint(line)])));
        let uses: Vec<String> =
            self.uses.iter().map(|(role, count)| format!("{} {count}", noun(*role))).collect();
        if !uses.is_empty() {
            blocks.push(Block::Line(vec![Cell::faint("uses:"), Cell::text(uses.join(", "))]));
        }
        let columns = [Column::cut(""), Column::cut(""), Column::cut("")];
        let mut callers = Table::new(columns.clone());
        for CallSite { path, line, text, around, .. } in &self.callers.list {
            let around = around.as_ref().map(|of| Cell::text(&of.name));
            let (text, name) = (text.clone(), symbol.name.clone());
            let code = Cell::Code { path: path.clone(), text, name };
            callers.row([Cell::Place(path.clone(), *line), around.unwrap_or_default(), code]);
        }
        let mut callees = Table::new(columns.clone());
        for Callee { to, path, calls, .. } in &self.callees.list {
            let times = if *calls > 1 { Cell::faint(counted(*calls, "call")) } else { Cell::Empty };
            callees.row([Cell::Place(path.clone(), to.line), Cell::name(&to.name), times]);
        }
        let mut tests =
            Table::new([Column::cut(""), Column::left(""), Column::left(""), Column::left("")]);
        for Test { path, score, source, tests: count, .. } in &self.tests.list {
            tests.row([
                Cell::Path(path.clone()),
                score.map_or(Cell::Empty, |score| Cell::Share(score.into())),
                Cell::faint(source.words()),
                Cell::faint(counted(*count, "test")),
            ]);
        }
        for (title, total, table) in [
            ("caller", self.callers.total, callers),
            ("callee", self.callees.total, callees),
            ("test file", self.tests.total, tests),
        ] {
            if total > 0 {
                let title = Block::Title(counted(total, title));
                blocks.extend([title, Block::Table(table.without_empty())]);
            }
        }
        if self.run_all {
            let all = Cell::Level(Grade::Fair, "run all tests:");
            let why = Cell::text("none is known to execute it, or nearly all do");
            blocks.push(Block::Line(vec![all, why]));
        }
        blocks
    }
}

fn head<T>(out: &mut String, name: &str, list: &List<T>) {
    let _ = match (list.shown, list.total) {
        (_, 0) => Ok(()),
        (shown, total) if shown < total => writeln!(out, "{name}: {shown} of {total}"),
        (_, total) => writeln!(out, "{name}: {total}"),
    };
}

fn noun(role: Role) -> &'static str {
    match role {
        Role::Call => "calls",
        Role::Type => "types",
        Role::Base => "bases",
        Role::Read => "reads",
        Role::Write => "writes",
        Role::Import => "imports",
    }
}
