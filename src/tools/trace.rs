//! `trace`: which code runs from a start to an end, or from a start on.
//!
//! `ends` finds the definitions that a start or an end names, `sources` the places of a text; `steps`
//! describes the steps of a chain with the lines that matter, `channels` what no chain crosses; `text`
//! renders them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::coverage::{Coverage, Reading};
use super::{Alias, Call, Define, Reply, Toolset, counted};
use crate::answer::graph::{self, Graph, Vertex};
use crate::answer::page::Page;
use crate::answer::style::Style;
use crate::answer::texts::Texts;
use crate::base::text::plain;
use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::graph::trace as flow;
use channels::Sent;
use ends::{Ends, Origin};
use steps::{How, Made, Next, Step};

mod channels;
mod ends;
mod sources;
mod steps;
mod text;

/// The maximum number of chains of a reply.
const CHAINS_MAX: usize = 5;

/// The number of uses of names that a call resolves, which bounds its time.
const RESOLVED_MAX: usize = 8_000;

/// The default number of levels without an end, and the maximum.
const DEPTH: usize = 3;
const DEPTH_MAX: usize = 10;

/// The default number of definitions of a reply without an end.
const NODES: usize = 40;

/// The number of definitions of one name that are followed without an end, and of those that are listed.
const STARTS_MAX: usize = 3;
const STARTS_SHOWN: usize = 8;

/// The number of unresolved calls, and of definitions, that a reply without a chain names.
const BREAKS_MAX: usize = 6;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Trace;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Where it begins: a definition, `path:name`, or a text: route, flag, key, message
    pub from: String,
    /// Where it ends: the same. Without it: what `from` runs
    pub to: Option<String>,
    /// Levels without `to` (default 3)
    pub depth: Option<usize>,
    /// Maximum number of definitions without `to` (default 40)
    pub max_results: Option<usize>,
}

/// A part of another chain that differs from those before it.
#[derive(Clone, Debug, Serialize)]
pub struct Other {
    /// Its steps; the first and the last one are in a chain before it, where there are such.
    pub steps: Vec<Step>,
    /// What leads to its first step is in a chain before it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub leaves_above: bool,
    /// What its last step leads to is in a chain before it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub joins_above: bool,
}

/// A definition that a start runs.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// The number of steps from the start.
    pub depth: usize,
    /// The definition.
    #[serde(flatten)]
    pub step: Step,
    /// It is listed before, with what it runs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
    /// It is not followed: the depth or the number of definitions is reached.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unfollowed: bool,
    /// What it calls that runs nothing of the program itself, as names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leaves: Vec<String>,
    /// How many more of these there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub leaves_left_out: usize,
    /// The number of its calls that nothing resolves.
    #[serde(skip_serializing_if = "is_zero")]
    pub unresolved: usize,
}

/// Where the search for a chain ended.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Break {
    /// How many definitions the start leads to.
    pub reached: usize,
    /// How many definitions lead to the end.
    pub leading: usize,
    /// Unresolved calls nearest to the start, as steps without a definition that follows.
    pub unresolved: Vec<Step>,
    /// How many there are.
    pub unresolved_total: usize,
    /// Values that the reached code sends over channels, with who receives them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sent: Vec<Sent>,
    /// Where the chain would begin.
    pub start: Option<Step>,
    /// Its last part: from a definition without a known caller to the end.
    pub end: Vec<Step>,
    /// Other such definitions that lead to the end: sources before tests, nearest first.
    pub entries: Vec<Step>,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct TraceReply {
    /// Whether all files are indexed.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// The texts by which the start was found, if it names no definition.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from_texts: Vec<Origin>,
    /// The same of the end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub to_texts: Vec<Origin>,
    /// The chain from the start to the end, the start first; empty if there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<Step>,
    /// How many steps in the middle of a long chain are left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub steps_left_out: usize,
    /// Other chains that cost little more, without what they share with those before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Other>,
    /// Without an end: the first definitions that the start may name, if it names several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<Step>,
    /// How many definitions of the start's name are not followed.
    #[serde(skip_serializing_if = "is_zero")]
    pub starts_left_out: usize,
    /// Without an end: what the start runs; each after what runs it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<Entry>,
    /// How many definitions were left out of `runs`.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// Without a chain: where the search ended.
    #[serde(rename = "break", skip_serializing_if = "Option::is_none")]
    pub broken: Option<Break>,
    /// How many definitions match the start and the end.
    pub candidates: [usize; 2],
    /// The search reached a limit, so other chains may exist.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// The start and the end as the call spells them.
    #[serde(skip)]
    names: [String; 2],
    /// The ids of the first definitions that match them.
    #[serde(skip)]
    ids: [Vec<String>; 2],
    /// The texts and names by which these were found, if others.
    #[serde(skip)]
    found_by: [Vec<String>; 2],
}

/// Returns how a drawing names a step.
fn drawn(next: Option<&Next>) -> graph::How {
    match next.map(|next| next.how) {
        None | Some(How::Step(flow::Kind::Call)) => graph::How::Calls,
        Some(how) => graph::How::Uses(how.words()),
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Define for Trace {
    const NAME: &'static str = "codedb_trace";
    const SUMMARY: &'static str =
        "Show which code runs from one place to another, in order, with the lines that matter";
    const DETAILS: &'static str = "Follows calls, implementations of interfaces, functions that are passed, stored or kept in tables, \
         and unresolved calls, and marks which is which. Without `to`: what `from` runs, as a tree.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("callers", "for what calls a definition")];
    const TOOLSET: Toolset = Toolset::Core;
    const EXAMPLES: &'static [&'static str] =
        &[r#"{"from": "Cart.total", "to": "Price::of"}"#, r#"{"from": "Cart.total", "depth": 2}"#];
    const POSITIONAL: &'static [&'static str] = &["from", "to"];
    const ALIASES: &'static [Alias] = &[
        Alias::new("start", "from"),
        Alias::new("end", "to"),
        Alias::new("name", "from"),
        Alias::new("symbol", "from"),
    ];
    type Args = Args;
    type Reply = TraceReply;

    fn run(call: &Call<'_>, args: Args) -> Result<TraceReply> {
        let (from, to) = (args.from.trim(), args.to.as_deref().map(str::trim));
        for (name, value) in [("from", Some(from)), ("to", to)] {
            if value.is_some_and(str::is_empty) {
                return Err(Error::usage(format!("`{name}` is empty")));
            }
        }
        if let Some(depth) = args.depth.filter(|depth| !(1..=DEPTH_MAX).contains(depth)) {
            return Err(Error::usage(format!("`depth` is {depth}; it is 1 to {DEPTH_MAX}")));
        }
        if args.max_results == Some(0) {
            return Err(Error::usage("`max_results` is 0; it is at least 1"));
        }
        let starts = Ends::of(call, from, true)?;
        let ends = to.map(|to| Ends::of(call, to, false)).transpose()?;
        let catalog = call.code.indexed()?;
        let mut reply = TraceReply {
            coverage: Coverage::of(catalog),
            from_texts: Vec::new(),
            to_texts: Vec::new(),
            chain: Vec::new(),
            steps_left_out: 0,
            others: Vec::new(),
            starts: Vec::new(),
            starts_left_out: 0,
            runs: Vec::new(),
            left_out: 0,
            broken: None,
            candidates: [starts.total, ends.as_ref().map_or(0, |ends| ends.total)],
            is_cut: false,
            names: [from.to_owned(), to.unwrap_or_default().to_owned()],
            ids: [
                starts.ids(catalog)?,
                ends.as_ref().map_or_else(|| Ok(Vec::new()), |ends| ends.ids(catalog))?,
            ],
            found_by: [
                starts.found_by.clone(),
                ends.as_ref().map_or_else(Vec::new, |ends| ends.found_by.clone()),
            ],
        };
        let mut made = Made { catalog, texts: Texts::new(catalog) };
        match &ends {
            Some(ends) => reply.find(catalog, &mut made, &starts, ends)?,
            None => {
                let depth = args.depth.unwrap_or(DEPTH);
                let max = super::results_max(args.max_results, NODES);
                reply.follow(catalog, &mut made, &starts, depth, max)?;
            }
        }
        reply.from_texts = starts.origins;
        reply.to_texts = ends.map_or_else(Vec::new, |ends| ends.origins);
        if !reply.is_found() || !reply.from_texts.is_empty() || !reply.to_texts.is_empty() {
            reply.coverage = reply.coverage.or_unread(catalog, Reading::Symbols);
        }
        Ok(reply)
    }
}

impl TraceReply {
    /// Finds the chains.
    fn find(
        &mut self,
        catalog: &Catalog,
        made: &mut Made<'_>,
        starts: &Ends,
        ends: &Ends,
    ) -> Result<()> {
        let found = flow::chains(catalog, &starts.nodes, &ends.nodes, CHAINS_MAX, RESOLVED_MAX);
        self.is_cut = found.is_cut;
        let mut chains = found.chains.iter();
        let Some(first) = chains.next() else {
            self.broken = Some(made.broken(&found, BREAKS_MAX)?);
            return Ok(());
        };
        self.chain = made.chain(first)?.0;
        self.steps_left_out = first.edges.len().saturating_sub(steps::STEPS_MAX);
        let mut known: Vec<_> = steps::nodes(first);
        for chain in chains {
            let nodes = steps::nodes(chain);
            let is_new = |at: &usize| !known.contains(&nodes[*at]);
            let Some(begin) = (0..nodes.len()).find(is_new) else { continue };
            let end = (0..nodes.len()).rev().find(is_new).unwrap_or(begin);
            // With the steps around, which are known.
            let (begin, end) = (begin.saturating_sub(1), (end + 1).min(nodes.len() - 1));
            let (all, places) = made.chain(chain)?;
            let mut steps = all[places[begin]..=places[end]].to_vec();
            let joins_above = end + 1 < nodes.len();
            if joins_above && let Some(last) = steps.last_mut() {
                last.next = None;
            }
            self.others.push(Other { steps, leaves_above: begin > 0, joins_above });
            known.extend(nodes);
        }
        Ok(())
    }

    /// Follows what the starts run.
    fn follow(
        &mut self,
        catalog: &Catalog,
        made: &mut Made<'_>,
        starts: &Ends,
        depth: usize,
        nodes_max: usize,
    ) -> Result<()> {
        let mut nodes: Vec<_> = starts.nodes.iter().map(|(node, _)| *node).collect();
        if starts.origins.is_empty() && starts.total > 1 {
            // A name of several definitions.
            let first = nodes.iter().take(STARTS_SHOWN).map(|node| made.step(*node));
            self.starts = first.collect::<Result<_>>()?;
            nodes.truncate(STARTS_MAX);
            self.starts_left_out = starts.total - nodes.len();
        }
        let (branches, left_out) = flow::spread(catalog, &nodes, depth, nodes_max);
        self.left_out = left_out;
        self.runs = made.entries(&branches)?;
        Ok(())
    }
}

impl Reply for TraceReply {
    fn render(&self, style: &dyn Style) -> String {
        text::render(self, style)
    }

    fn page(&self) -> Option<Page> {
        Some(text::page(self))
    }

    fn is_found(&self) -> bool {
        !self.chain.is_empty() || !self.runs.is_empty()
    }

    const HAS_GRAPH: bool = true;

    /// Draws the chains, or the tree; the ends are what the call asked about.
    fn graph(&self) -> Option<Graph> {
        let mut graph = Graph::default();
        let mut add = |step: &Step, is_end: bool| {
            let own = Vertex::definition(&step.qualified_name, &step.path, step.line);
            graph.add(if is_end { own.asked() } else { own })
        };
        let mut edges = Vec::new();
        let others = self.others.iter().map(|other| &other.steps);
        for (number, steps) in std::iter::once(&self.chain).chain(others).enumerate() {
            let mut before = None;
            for (at, step) in steps.iter().enumerate() {
                let is_end = number == 0 && (at == 0 || at + 1 == steps.len());
                let own = add(step, is_end);
                if let Some((from, next)) = before {
                    edges.push((from, own, next));
                }
                before = Some((own, step.next.as_ref()));
            }
        }
        let mut around: Vec<(usize, _)> = Vec::new();
        for entry in &self.runs {
            let own = add(&entry.step, entry.depth == 0);
            around.retain(|(depth, _)| *depth < entry.depth);
            if let Some((_, parent)) = around.last() {
                edges.push((*parent, own, entry.step.next.as_ref()));
            }
            around.push((entry.depth, own));
        }
        for (from, to, next) in edges {
            graph.connect(from, to, drawn(next), 1, next.map_or(1.0, |next| next.confidence));
        }
        Some(graph)
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        let [from, to] = self.names.each_ref().map(|name| plain(name));
        if let Some(broken) = &self.broken {
            let (reached, leading) =
                (counted(broken.reached, "definition"), counted(broken.leading, "definition"));
            notices.push(format!(
                "no chain found: `{from}` leads to {reached}; what leads to `{to}` is {leading}; they do not meet"
            ));
            if broken.unresolved_total > 0 {
                let calls = counted(broken.unresolved_total, "call");
                notices.push(format!(
                    "{calls} on the way from `{from}` are unresolved, so a chain may exist; the nearest are listed"
                ));
            }
        }
        if self.broken.as_ref().is_some_and(|broken| !broken.sent.is_empty()) {
            notices.push(
                "the chain breaks where values are sent over channels, which are not followed; \
                 listed is what receives from a channel of that name"
                    .to_owned(),
            );
        }
        if self.runs.iter().any(|entry| entry.unfollowed) {
            notices.push(
                "`…`: what it runs is not followed; raise `depth`, or start there".to_owned(),
            );
        }
        if self.starts_left_out > 0 {
            let left = counted(self.starts_left_out, "definition");
            notices.push(format!("{left} of `{from}` not followed; an id selects one"));
        }
        if self.is_cut {
            notices.push(
                "the search reached its limit, so there may be other chains; name a nearer start or end"
                    .to_owned(),
            );
        }
        if self.steps_left_out > 0 {
            notices.push(format!(
                "{} in the middle of the chain left out; name a nearer start or end",
                counted(self.steps_left_out, "step")
            ));
        }
        if self.left_out > 0 {
            notices.push(format!(
                "{} left out; raise `max_results`, or name `to`",
                counted(self.left_out, "further definition")
            ));
        }
        let [from_ids, to_ids] = &self.ids;
        let [from_by, to_by] = &self.found_by;
        for (name, count, texts, ids, by) in [
            (&from, self.candidates[0], &self.from_texts, from_ids, from_by),
            (&to, self.candidates[1], &self.to_texts, to_ids, to_by),
        ] {
            if texts.is_empty() && count > 1 {
                let ids: Vec<String> = ids.iter().map(|id| format!("`{}`", plain(id))).collect();
                let ids = ids.join(", ");
                notices
                    .push(format!("{count} definitions match `{name}`; an id selects one: {ids}"));
            } else if !texts.is_empty() {
                let by: Vec<String> = by.iter().map(|text| format!("`{}`", plain(text))).collect();
                let by = if by.is_empty() { String::new() } else { format!(": {}", by.join(", ")) };
                notices.push(format!("`{name}` is no definition; it was searched as text{by}"));
            }
        }
        notices.extend(self.coverage.notice());
        notices
    }
}
