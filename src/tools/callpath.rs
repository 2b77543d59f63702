//! `callpath`: the shortest chain of calls from one definition to another.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::callers::{CERTAIN, rounded};
use super::coverage::{Coverage, Reading};
use super::lookup::{self, NameQuery};
use super::{Call, Define, Reply, Toolset, counted, paths};
use crate::answer::definition::{self, Around, Definition};
use crate::answer::graph::{Graph, How, Vertex};
use crate::answer::nearest;
use crate::answer::page::{Block, Cell, Column, Grade, Page, Table};
use crate::answer::style::Style;
use crate::answer::texts::Texts;
use crate::base::text;
use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::graph::calls::{self, CallStep, MissingLink};
use crate::graph::link::{CONFIDENCE_ANSWER, Reason, SymbolAt};

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Callpath;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The definition that calls: `name`, `Type.method`, `module::function`, or the id of a reply
    pub from: String,
    /// The definition that is called at the end
    pub to: String,
}

/// A call of the chain.
#[derive(Clone, Debug, Serialize)]
pub struct Site {
    /// The line, from 1.
    pub line: usize,
    /// The line's text.
    pub text: String,
    /// The confidence that the next definition is called, from 0 to 1.
    pub confidence: f32,
    /// The rule that resolved it.
    pub reason: &'static str,
}

/// A definition of the chain.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// The definition.
    #[serde(flatten)]
    pub definition: Definition,
    /// Its call of the next definition; absent for the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<Site>,
}

/// An unresolved call that may connect the two ends.
#[derive(Clone, Debug, Serialize)]
pub struct Missing {
    /// The function that contains it, which `from` calls, directly or through others.
    pub from: String,
    /// What it may call, which calls `to`, directly or through others.
    pub to: String,
    /// The file's repository path.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The line's text.
    pub text: String,
    /// The confidence that it calls this, from 0 to 1.
    pub confidence: f32,
    /// Why it is not an answer.
    pub reason: &'static str,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct CallpathReply {
    /// Whether all files are indexed.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// The chain, beginning with the caller; empty if there is none.
    pub chain: Vec<Step>,
    /// The number of calls of the chain.
    pub calls: usize,
    /// Without a chain: the unresolved call that most likely connects the two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// How many definitions match `from`, and `to`.
    pub candidates: [usize; 2],
    /// The names as the call spells them.
    #[serde(skip)]
    names: [String; 2],
    /// The ids of the first definitions, where several match.
    #[serde(skip)]
    ids: [Vec<String>; 2],
    /// The search reached a limit, so a chain may exist that it did not find.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}

impl Define for Callpath {
    const NAME: &'static str = "codedb_callpath";
    const SUMMARY: &'static str =
        "Show the shortest chain of calls from one function to another, with each call";
    const DETAILS: &'static str = "Only calls with a confidence of at least 0.45 count. If several definitions have a name, the chain \
         may begin or end at any of them; a qualified name or an id selects one.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] = &[("callers", "for a single step")];
    const TOOLSET: Toolset = Toolset::Navigate;
    const EXAMPLES: &'static [&'static str] = &[r#"{"from": "Cart.total", "to": "Price::of"}"#];
    const POSITIONAL: &'static [&'static str] = &["from", "to"];
    type Args = Args;
    type Reply = CallpathReply;

    fn run(call: &Call<'_>, args: Args) -> Result<CallpathReply> {
        let (from, to) = (args.from.trim(), args.to.trim());
        for (name, value) in [("from", from), ("to", to)] {
            if value.is_empty() {
                return Err(Error::usage(format!("`{name}` is empty")));
            }
        }
        let required_texts =
            [from, to].into_iter().filter_map(|name| NameQuery::Name(name).required_text());
        let required_texts: Vec<&str> = required_texts.collect();
        let catalog = call.code.catalog(&required_texts)?;
        let names = [from.to_owned(), to.to_owned()];
        let from = lookup::code(catalog, from, None, None)?;
        let to = lookup::code(catalog, to, None, None)?;
        let chain = calls::shortest_path(catalog, &from, &to, CONFIDENCE_ANSWER);
        let mut steps = Vec::new();
        let mut texts = Texts::new(catalog);
        let calls = chain.calls.as_deref();
        for CallStep { symbol, site, confidence, reason, .. } in calls.unwrap_or_default() {
            let (line, text) = texts.line(site.file, site.reference.span.start);
            let (confidence, reason) = (rounded(*confidence), reason.words());
            let calls = Some(Site { line, text, confidence, reason });
            let definition = Definition::of(catalog, &mut texts, *symbol)?;
            let step =
                |definition: Definition| Step { definition: definition.without_doc(), calls };
            steps.extend(definition.map(step));
        }
        let last = calls.and_then(|calls| match calls.last() {
            Some(last) => Some(last.next),
            None => from.iter().copied().find(|at: &SymbolAt| to.contains(at)),
        });
        if let Some(at) = last {
            let definition = Definition::of(catalog, &mut texts, at)?.map(Definition::without_doc);
            steps.extend(definition.map(|definition| Step { definition, calls: None }));
        }
        let missing = match calls {
            Some(_) => None,
            None => calls::missing_link(catalog, &from, &chain.reached, CONFIDENCE_ANSWER),
        };
        let missing = missing.and_then(|missing| missing_entry(catalog, &mut texts, &missing));
        let coverage = match calls {
            Some(_) => Coverage::of(catalog),
            None => Coverage::of(catalog).or_unread(catalog, Reading::Symbols),
        };
        Ok(CallpathReply {
            missing,
            coverage,
            chain: steps,
            calls: calls.map_or(0, <[CallStep]>::len),
            candidates: [from.len(), to.len()],
            ids: [ids(catalog, &from)?, ids(catalog, &to)?],
            names,
            is_cut: chain.is_cut,
        })
    }
}

fn missing_entry(
    catalog: &Catalog,
    texts: &mut Texts<'_>,
    missing: &MissingLink,
) -> Option<Missing> {
    let MissingLink { from, to, site, confidence, reason } = missing;
    let (line, text) = texts.line(site.file, site.reference.span.start);
    Some(Missing {
        from: Around::of(catalog, *from)?.name,
        to: Around::of(catalog, *to)?.name,
        path: paths::shown(catalog.path(site.file)),
        line,
        text,
        confidence: rounded(*confidence),
        reason: reason.map_or("passed as a value", Reason::words),
    })
}

/// Returns the ids of the first of several definitions.
fn ids(catalog: &Catalog, candidates: &[SymbolAt]) -> Result<Vec<String>> {
    let mut ids = Vec::new();
    if candidates.len() > 1 {
        for &at in candidates.iter().take(nearest::OFFERED_MAX) {
            let path = paths::shown(catalog.path(at.file));
            ids.extend(catalog.symbol(at)?.map(|symbol| definition::id(&path, &symbol)));
        }
    }
    Ok(ids)
}

impl Reply for CallpathReply {
    /// Renders a line for each definition, followed by a line for its call.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        for Step { definition, calls } in &self.chain {
            let _ = writeln!(out, "{}", definition.head(style));
            if let Some(Site { line, text, confidence, reason }) = calls {
                let line = style.line(&definition.path, *line, 0);
                let text = text::plain(text);
                let doubt = format!("  ({reason}, {confidence:.2})");
                let doubt = if *confidence < CERTAIN { doubt.as_str() } else { "" };
                let _ = writeln!(out, "  {line}: {text}{doubt}");
            }
        }
        out
    }

    /// Shows each definition, below it its call of the next one.
    fn page(&self) -> Option<Page> {
        let columns = [Column::left(""), Column::cut(""), Column::cut(""), Column::left("")];
        let mut table = Table::new(columns);
        for Step { definition, calls } in &self.chain {
            let call = calls.as_ref().map(|Site { line, text, confidence, .. }| {
                let path = definition.path.clone();
                let mut call = vec![Cell::Lines(path.clone(), *line, *line)];
                call.push(Cell::Code { path, text: text.clone(), name: String::new() });
                if *confidence < 0.5 {
                    call.push(Cell::Level(Grade::Fair, "unsure"));
                }
                call
            });
            table.row_with(definition.cells(), call.into_iter().collect());
        }
        Some(Page { blocks: vec![Block::Table(table.without_empty())] })
    }

    const HAS_GRAPH: bool = true;

    /// Draws the chain; its ends are what the call asked about.
    fn graph(&self) -> Option<Graph> {
        let (mut graph, mut call) = (Graph::default(), None);
        for (at, Step { definition, calls }) in self.chain.iter().enumerate() {
            let own =
                Vertex::definition(&definition.qualified_name, &definition.path, definition.line);
            let is_end = at == 0 || at + 1 == self.chain.len();
            let own = graph.add(if is_end { own.asked() } else { own });
            if let Some((from, confidence)) = call {
                graph.connect(from, own, How::Calls, 1, confidence);
            }
            call = calls.as_ref().map(|site| (own, site.confidence));
        }
        Some(graph)
    }

    fn is_found(&self) -> bool {
        !self.chain.is_empty()
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        if self.chain.is_empty() {
            let [from, to] = self.names.each_ref().map(|name| text::plain(name));
            notices.push(format!("no chain of resolved calls leads from `{from}` to `{to}`"));
            notices.push(match &self.missing {
                Some(Missing { from, to, path, line, reason, confidence, .. }) => format!(
                    "most likely missing link: `{}` may call `{}` at {}:{line} ({reason}, {confidence:.2})",
                    text::plain(from),
                    text::plain(to),
                    text::plain(path)
                ),
                None => "only resolved calls were followed; {tool:trace} also follows interfaces, closures and callbacks".to_owned(),
            });
        }
        if self.is_cut {
            notices.push("the search reached its limit before all callers were visited".to_owned());
        }
        for ((name, count), ids) in self.names.iter().zip(self.candidates).zip(&self.ids) {
            if count > 1 {
                let (count, name) = (counted(count, "definition"), text::plain(name));
                let ids: Vec<String> =
                    ids.iter().map(|id| format!("`{}`", text::plain(id))).collect();
                notices
                    .push(format!("{count} match `{name}`; an id selects one: {}", ids.join(", ")));
            }
        }
        notices.extend(self.coverage.notice());
        notices
    }
}
