//! `impact`: the functions that call a file or functions, directly or not, and the tests.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analysis::Data;
use super::changed_code::{self, Scope};
use super::named_change::NamedChange;
use super::syntax_gaps::SyntaxGaps;
use super::test_selection::names::{FUNCTION_ALIASES, take_names};
use super::test_selection::patience::Patience;
use super::test_selection::{Limits, Selection, files_of, functions_of, select};
use super::{Alias, Call, Define, RESULTS_MAX, Speed, Toolset, results_max};
use crate::answer::analysis::{Analysis, Size};
use crate::answer::graph::{Graph, How, Vertex};
use crate::answer::page::{Block, Cell, Node};
use crate::answer::style::Style;
use crate::base::path;
use crate::base::text::plain;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::link::{Code as _, SymbolAt};
use crate::testmap::fixtures::Tests;
use crate::testmap::reach::{Through, reach};
use crate::testmap::tree::Tree as _;

/// The maximum number of functions whose callers are searched.
const FUNCTIONS_MAX: usize = 20;

/// The default number of affected functions of a reply.
const AFFECTED: usize = 30;

/// The maximum number of steps of a path.
const STEPS_MAX: usize = 32;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Impact;

/// The arguments.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Args {
    /// Files or folders (default: the uncommitted changes)
    #[serde(default)]
    pub files: Vec<String>,
    /// Only these functions, of the files if given
    #[serde(default)]
    pub functions: Vec<String>,
    /// Maximum number of tests (default 20) and of affected functions (default 30)
    pub limit: Option<usize>,
    /// Maximum number of tokens for tests (default 4000)
    pub max_tokens: Option<usize>,
    /// Maximum processor time on each core in milliseconds (default 300); 0 is no limit
    #[schemars(extend("x-unlisted" = "", "x-command" = true))]
    pub max_ms: Option<u64>,
    /// All changes since the branch left this commit
    #[schemars(extend("x-unlisted" = "", "x-command" = true))]
    pub base: Option<String>,
    /// What is staged
    #[serde(default)]
    #[schemars(extend("x-unlisted" = "", "x-command" = true))]
    pub staged: bool,
}

/// A function that a change may affect.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Affected {
    /// Its qualified name.
    pub function: String,
    /// The file's repository path.
    pub path: String,
    /// Its first line, from 1.
    pub line: usize,
    /// The probability that it runs one of the functions, from 0 to 1.
    pub score: f32,
}

/// The data of the reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ImpactData {
    /// Functions that call the given ones, directly or not.
    #[serde(flatten)]
    pub affected: AffectedFunctions,
    /// The files that may have more callers of the functions.
    #[serde(flatten)]
    pub syntax_gaps: SyntaxGaps,
    /// The tests and the commands.
    #[serde(flatten)]
    pub selection: Selection,
}

/// The functions that a change may affect.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AffectedFunctions {
    /// Functions that call the changed ones, directly or not, most likely first.
    pub affected: Vec<Affected>,
    /// How many were found.
    pub affected_total: usize,
    /// True if there may be more than were found, because the search reached a bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub affected_total_is_cut: bool,
    /// The changed functions from which others are listed, for people.
    #[serde(skip)]
    pub roots: Vec<(String, String, usize)>,
    /// What each of the affected functions calls, for people.
    #[serde(skip)]
    pub callees: Vec<Callee>,
    /// Whether each of the affected functions reaches it without others, for drawings.
    #[serde(skip)]
    pub is_direct: Vec<bool>,
    /// The changed functions, for drawings.
    #[serde(skip)]
    pub changed: Vec<(String, String, usize)>,
}

/// What an affected function calls, as an index.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Callee {
    /// A changed function.
    Root(usize),
    /// Another affected function.
    Affected(usize),
}

impl Data for ImpactData {
    fn render(&self, style: &dyn Style, out: &mut String) {
        if let Some(notice) = self.syntax_gaps.notice() {
            let _ = writeln!(out, "{notice}");
        }
        self.affected.write(style, out);
        self.selection.write(style, out);
    }

    fn page(&self, _size: Option<Size>) -> Option<Vec<Block>> {
        let mut blocks = self.affected.blocks();
        blocks.extend(self.syntax_gaps.notice().map(Block::Note));
        if !self.selection.tests.is_empty() {
            blocks.push(Block::Title("Tests".to_owned()));
        }
        blocks.extend(self.selection.blocks());
        Some(blocks)
    }

    const HAS_GRAPH: bool = true;

    fn graph(&self) -> Option<Graph> {
        Some(self.affected.graph())
    }

    fn notices(&self) -> Vec<String> {
        self.affected.notice().into_iter().chain(self.selection.notices()).collect()
    }
}

impl AffectedFunctions {
    /// Writes a line for each affected function.
    pub(super) fn write(&self, style: &dyn Style, out: &mut String) {
        let _ = writeln!(out, "affected functions: {} of {}", self.affected.len(), self.count());
        for of in &self.affected {
            let place = style.place(&of.path, of.line);
            let _ = writeln!(out, "{:.2}  {place}  {}", of.score, plain(&of.function));
        }
        out.push_str("tests:\n");
    }

    /// Returns the functions as parts of a page for people.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let mut nodes: Vec<Node> = Vec::new();
        for of in &self.affected {
            let place = Cell::Place(of.path.clone(), of.line);
            let likely = Cell::faint(format!("{:.0}%", of.score * 100.0));
            nodes.push(Node::leaf(vec![Cell::name(&of.function), place, likely]));
        }
        let root = |(name, path, line): &(String, String, usize)| {
            Node::leaf(vec![Cell::name(name), Cell::Place(path.clone(), *line)])
        };
        let mut roots: Vec<Node> = self.roots.iter().map(root).collect();
        // What a function calls comes before it, so the last ones are complete first.
        while let (Some(mut node), at) = (nodes.pop(), nodes.len()) {
            node.children.reverse();
            match self.callees[at] {
                Callee::Affected(place) => nodes[place].children.push(node),
                Callee::Root(place) => roots[place].children.push(node),
            }
        }
        roots.iter_mut().for_each(|root| root.children.reverse());
        let functions = if self.affected_total == 1 { "function" } else { "functions" };
        let title = format!("{} {functions} may be affected", self.count());
        vec![Block::Title(title), Block::Tree(roots)]
    }

    /// Returns the functions as a graph: an edge leads to the one through which a function reaches what
    /// changed.
    pub(super) fn graph(&self) -> Graph {
        let mut graph = Graph::default();
        let root = |(name, path, line): &(String, String, usize)| {
            Vertex::definition(name, path, *line).asked()
        };
        let roots: Vec<usize> = self.roots.iter().map(|of| graph.add(root(of))).collect();
        for of in &self.changed {
            graph.add(root(of));
        }
        let mut places = Vec::new();
        for of in &self.affected {
            let remark = Some(format!("{:.0}%", of.score * 100.0));
            let vertex = Vertex::definition(&of.function, &of.path, of.line);
            places.push(graph.add(Vertex { remark, ..vertex }));
        }
        for ((&from, callee), is_direct) in places.iter().zip(&self.callees).zip(&self.is_direct) {
            let to = match *callee {
                Callee::Root(place) => roots.get(place),
                Callee::Affected(place) => places.get(place),
            };
            let how = if *is_direct { How::Calls } else { How::Reaches };
            if let Some(&to) = to {
                graph.connect(from, to, how, 1, 1.0);
            }
        }
        graph
    }

    /// Returns how many there are, or the least number if the search reached a bound.
    fn count(&self) -> String {
        let least = if self.affected_total_is_cut { "at least " } else { "" };
        format!("{least}{}", self.affected_total)
    }

    /// Returns the notice that not all are shown.
    pub(super) fn notice(&self) -> Option<String> {
        let shown = self.affected.len();
        let more = if shown < self.affected_total && shown < RESULTS_MAX {
            "; `limit` shows more"
        } else if self.affected_total_is_cut {
            "; {tool:callers} lists all direct calls"
        } else {
            ""
        };
        (shown < self.affected_total || self.affected_total_is_cut)
            .then(|| format!("{shown} of {} affected functions shown{more}", self.count()))
    }
}

/// Returns the functions outside of tests from which calls reach `symbols`, most likely first, at
/// most `limit` or 30; those that were found before the time `until`.
pub(super) fn affected(
    catalog: &Catalog,
    symbols: &[SymbolAt],
    limit: Option<usize>,
    until: Option<Instant>,
) -> AffectedFunctions {
    let tests = Tests::new(catalog).with_until(until);
    let mut best: BTreeMap<SymbolAt, Through> = BTreeMap::new();
    let mut affected_total_is_cut = symbols.len() > FUNCTIONS_MAX;
    for &at in symbols.iter().take(FUNCTIONS_MAX) {
        let reached = reach(&tests, at, &[]);
        affected_total_is_cut |= reached.is_cut;
        for (at, through) in reached.through {
            let kept = best.entry(at).or_insert(through);
            if through.probability > kept.probability {
                *kept = through;
            }
        }
    }
    let is_listed = |at: &SymbolAt| !symbols.contains(at) && !catalog.is_test(at.file);
    let mut all: Vec<(SymbolAt, f32)> = best
        .iter()
        .map(|(&at, through)| (at, through.probability))
        .filter(|(at, _)| is_listed(at))
        .collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let affected_total = all.len();
    all.truncate(results_max(limit, AFFECTED));
    all.retain(|(at, _)| {
        let facts = catalog.file(at.file);
        facts.is_some_and(|facts| (at.place as usize) < facts.symbols.len())
    });
    let mut roots: Vec<SymbolAt> = Vec::new();
    let callees = all.iter().map(|&(at, _)| callee(at, &best, &all, &mut roots));
    let (callees, is_direct) = callees.unzip();
    let named = |at: SymbolAt| {
        let facts = catalog.file(at.file)?;
        let symbol = facts.symbols.get(at.place as usize)?;
        Some((symbol.qualified_name.clone(), path::shown(catalog.path(at.file)), symbol.line))
    };
    let roots = roots.into_iter().filter_map(named).collect();
    let changed = symbols.iter().copied().take(FUNCTIONS_MAX).filter_map(named).collect();
    let affected = all.into_iter().filter_map(|(at, probability)| {
        let facts = catalog.file(at.file)?;
        let symbol = facts.symbols.get(at.place as usize)?;
        Some(Affected {
            function: symbol.qualified_name.clone(),
            path: path::shown(catalog.path(at.file)),
            line: symbol.line,
            score: (probability * 100.0).round() / 100.0,
        })
    });
    let affected = affected.collect();
    let totals = AffectedFunctions { affected_total, affected_total_is_cut, ..Default::default() };
    AffectedFunctions { affected, roots, callees, is_direct, changed, ..totals }
}

/// Returns the nearest function on the path from `at` that is among `all`, or a changed one, which is
/// added to `roots`; and whether it is the next one on the path.
fn callee(
    at: SymbolAt,
    through: &BTreeMap<SymbolAt, Through>,
    all: &[(SymbolAt, f32)],
    roots: &mut Vec<SymbolAt>,
) -> (Callee, bool) {
    let own = all.iter().position(|(other, _)| *other == at).unwrap_or_default();
    let first = through[&at].from;
    let mut next = first;
    // The nearer functions are more likely, so they come first; a path has few steps.
    for _ in 0..STEPS_MAX {
        if let Some(place) = all.iter().position(|(other, _)| *other == next).filter(|it| *it < own)
        {
            return (Callee::Affected(place), next == first);
        }
        match through.get(&next) {
            Some(of) if of.from != next => next = of.from,
            _ => break,
        }
    }
    let place = roots.iter().position(|root| *root == next).unwrap_or_else(|| {
        roots.push(next);
        roots.len() - 1
    });
    (Callee::Root(place), next == first)
}

impl Define for Impact {
    const NAME: &'static str = "codedb_impact";
    const SUMMARY: &'static str = "List what a change of files or functions may affect: the functions that reach them by calls, and the tests";
    const DETAILS: &'static str = "`score` is a probability: unsure links count less, and so does each further call. Calls \
         through reflection are not found.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("callers", "for each direct call"), ("diff_impact", "for the changes of a branch")];
    const TOOLSET: Toolset = Toolset::History;
    const SPEED: Speed = Speed::Scan;
    const EXAMPLES: &'static [&'static str] = &[r#"{"functions": ["Price::of"]}"#];
    const POSITIONAL: &'static [&'static str] = &["files"];
    const ALIASES: &'static [Alias] = &FUNCTION_ALIASES;
    type Args = Args;
    type Reply = Analysis<ImpactData>;

    fn run(call: &Call<'_>, mut args: Args) -> Result<Analysis<ImpactData>> {
        take_names(call, &mut args.files, &mut args.functions)?;
        let base = args.base.as_deref();
        let is_named = !args.files.is_empty() || !args.functions.is_empty();
        let of_change = Scope::of_change(base, args.staged, is_named)?;
        let of_change = of_change.or((!is_named).then_some(Scope::Uncommitted));
        let patience = if is_named { Patience::new(args.max_ms) } else { Patience::default() };
        let limits = Limits { patience, ..Limits::new(args.limit, args.max_tokens) };
        let names: Vec<&str> =
            args.functions.iter().filter_map(|name| name.rsplit(['.', ':', '#']).next()).collect();
        let catalog = call.code.catalog(&names)?;
        if let Some(scope) = of_change {
            let changed = match changed_code::difference(call, catalog, base, scope)? {
                Ok(changed) => changed,
                Err(none) => return Ok(none.reply(ImpactData::default())),
            };
            let symbols = &changed.symbols;
            let affected = affected(catalog, symbols, args.limit, None);
            let selected = select(call, catalog, symbols, changed.besides(), limits)?;
            let syntax_gaps = SyntaxGaps::of(catalog, symbols)?;
            return Ok(selected.reply(|selection| ImpactData { affected, syntax_gaps, selection }));
        }
        let mut symbols = Vec::new();
        if args.files.is_empty() {
            symbols = functions_of(call, catalog, None, &args.functions)?;
        }
        let named = if args.functions.is_empty() {
            let mut files = Vec::new();
            for path in &args.files {
                files.extend(files_of(call, catalog, path)?);
            }
            let mut named = NamedChange::of(catalog, &files);
            named.add_uncommitted(call, catalog, args.files.iter().map(String::as_str))?;
            named
        } else {
            for file in &args.files {
                symbols.extend(functions_of(call, catalog, Some(file), &args.functions)?);
            }
            NamedChange::of_functions(symbols)
        };
        let symbols = &named.symbols;
        // Several threads search for the callers, which are kept.
        let until = patience.until();
        let selected = select(call, catalog, symbols, named.besides(), limits)?;
        let is_examined = |at: &SymbolAt| !selected.unexamined.contains(at);
        let examined: Vec<SymbolAt> = symbols.iter().copied().filter(is_examined).collect();
        let mut affected = affected(catalog, &examined, args.limit, until);
        affected.affected_total_is_cut |= examined.len() < symbols.len();
        let syntax_gaps = SyntaxGaps::of(catalog, symbols)?;
        Ok(selected.reply(|selection| ImpactData { affected, syntax_gaps, selection }))
    }
}
