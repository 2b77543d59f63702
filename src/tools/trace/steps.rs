//! The steps of a chain as a reply describes them: the definition, and the line that leads on.

use serde::{Serialize, Serializer};

use super::sources::is_test;
use super::{Break, Entry};
use crate::answer::texts::Texts;
use crate::base::path;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::link::SymbolAt;
use crate::graph::trace::{self as flow, Branch, Chain, Edge, FILE, Found, Kind};
use crate::lang::SymbolKind;

/// The maximum number of lines around a use that are quoted: the conditions and loops.
const GUARDS_MAX: usize = 2;

/// The maximum number of lines above a use that are looked at for these.
const ABOVE_MAX: usize = 200;

/// The maximum number of steps of a chain that are shown: those at both ends.
pub(super) const STEPS_MAX: usize = 60;

/// The maximum number of definitions without steps of their own that are named at one definition.
const LEAVES_MAX: usize = 20;

/// A line.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Guard {
    /// Its number, from 1.
    pub line: usize,
    /// Its text.
    pub text: String,
}

/// How a definition leads to the next one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum How {
    /// By a step of the trace.
    Step(Kind),
    /// It is called with a closure that leads on.
    Closure,
}

impl How {
    /// Returns it in words.
    pub fn words(self) -> &'static str {
        match self {
            How::Step(kind) => kind.words(),
            How::Closure => "in the closure that it runs",
        }
    }
}

impl Serialize for How {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            How::Step(kind) => kind.name(),
            How::Closure => "closure",
        })
    }
}

/// What leads from a definition to the next one.
#[derive(Clone, Debug, Serialize)]
pub struct Next {
    /// How: `call`, `closure`, `override`, `value`, `passed`, `contains`, `callback`, `event`, `same_name`,
    /// `library`, `possible`.
    pub how: How,
    /// The file, if it is another one than that of the definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line of the use, from 1; 0 if no use of a name states it.
    pub line: usize,
    /// The line's text.
    pub text: String,
    /// The conditions and loops around it in the definition, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inside: Vec<Guard>,
    /// The method of an interface or base that is called, if another one implements it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// The confidence, from 0 to 1.
    pub confidence: f32,
}

/// A definition of a chain.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// Its qualified name; for code in no definition, the name of its file.
    pub qualified_name: String,
    /// Its kind; `None` for code in no definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<SymbolKind>,
    /// The file's repository path.
    pub path: String,
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
    /// What leads to the next one; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Next>,
}

/// Describes steps.
pub(super) struct Made<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) texts: Texts<'a>,
}

/// Returns the nodes of a chain.
pub(super) fn nodes(chain: &Chain) -> Vec<SymbolAt> {
    std::iter::once(chain.start).chain(chain.edges.iter().map(|edge| edge.to)).collect()
}

impl Made<'_> {
    /// Returns the steps of a chain, and for each of its nodes the position of its step.
    pub(super) fn chain(&mut self, chain: &Chain) -> Result<(Vec<Step>, Vec<usize>)> {
        let (mut steps, mut places) = (Vec::new(), Vec::new());
        let all = chain.edges.len();
        for (at, edge) in chain.edges.iter().enumerate() {
            places.push(steps.len());
            // A long chain is shortened in the middle.
            if all > STEPS_MAX && (STEPS_MAX / 2..all - STEPS_MAX / 2).contains(&at) {
                continue;
            }
            let mut step = self.step(edge.from)?;
            let next = self.next(edge)?;
            match self.elsewhere(edge, &chain.edges[..at])? {
                // What is passed or stored may be written in another function.
                Some(mut other) => {
                    step.next =
                        Some(Next { line: 0, path: None, text: String::new(), ..next.clone() });
                    other.next = Some(Next { how: How::Step(Kind::Call), ..next });
                    steps.extend([step, other]);
                }
                None => match self.running(edge)? {
                    // What is called with a closure runs it.
                    Some((call, mut runs)) => {
                        step.next = Some(call);
                        runs.next = Some(Next { how: How::Closure, inside: Vec::new(), ..next });
                        steps.extend([step, runs]);
                    }
                    None => {
                        step.next = Some(next);
                        steps.push(step);
                    }
                },
            }
        }
        let last = chain.edges.last().map_or(chain.start, |edge| edge.to);
        places.push(steps.len());
        steps.push(self.step(last)?);
        Ok((steps, places))
    }

    /// Returns the definitions of a tree, each before what it runs.
    pub(super) fn entries(&mut self, branches: &[Branch]) -> Result<Vec<Entry>> {
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); branches.len()];
        for (at, branch) in branches.iter().enumerate() {
            if let Some(parent) = branch.parent {
                below[parent].push(at);
            }
        }
        let mut entries = Vec::with_capacity(branches.len());
        let roots = (0..branches.len()).filter(|at| branches[*at].parent.is_none());
        let mut left: Vec<usize> = roots.collect();
        left.reverse();
        while let Some(at) = left.pop() {
            let branch = &branches[at];
            let mut step = self.step(branch.node)?;
            // The line that leads to it: the tree has no other place for it.
            step.next = branch.edge.as_ref().map(|edge| self.next(edge)).transpose()?;
            let shown = branch.leaves.iter().take(LEAVES_MAX);
            let leaves = shown.map(|node| Ok(self.step(*node)?.qualified_name));
            entries.push(Entry {
                leaves: leaves.collect::<Result<_>>()?,
                leaves_left_out: branch.leaves.len().saturating_sub(LEAVES_MAX),
                depth: branch.depth,
                step,
                repeated: branch.is_repeated,
                unfollowed: branch.is_unvisited,
                unresolved: branch.open.len(),
            });
            left.extend(below[at].iter().rev());
        }
        Ok(entries)
    }

    /// Returns where a search without a chain ended.
    pub(super) fn broken(&mut self, found: &Found, max: usize) -> Result<Break> {
        let mut unresolved = Vec::new();
        for open in found.open.iter().take(max) {
            let mut step = self.step(open.from)?;
            let (line, text) = self.texts.line(open.site.file, open.site.reference.span.start);
            step.next = Some(Next {
                how: How::Step(Kind::Possible),
                path: None,
                line,
                text,
                inside: Vec::new(),
                through: None,
                confidence: 0.0,
            });
            unresolved.push(step);
        }
        let mut leading = Vec::with_capacity(found.entries.len());
        for chain in &found.entries {
            leading.push((is_test(self.catalog, chain.start)?, chain));
        }
        // Sources before tests.
        leading.sort_by_key(|(is_test, _)| *is_test);
        let mut leading = leading.into_iter().map(|(_, chain)| chain).take(max);
        let end = match leading.next() {
            Some(first) => self.chain(first)?.0,
            None => Vec::new(),
        };
        let entries = leading.map(|chain| self.step(chain.start)).collect::<Result<_>>()?;
        let start = found.reached.first().map(|node| self.step(*node)).transpose()?;
        Ok(Break {
            reached: found.reached.len(),
            leading: found.leading.len(),
            unresolved,
            unresolved_total: found.open.len(),
            sent: self.sent(&found.reached)?,
            start,
            end,
            entries,
        })
    }

    pub(super) fn step(&self, node: SymbolAt) -> Result<Step> {
        let path = path::shown(self.catalog.path(node.file));
        let symbol = if node.place == FILE { None } else { self.catalog.symbol(node)? };
        Ok(match symbol {
            Some(symbol) => Step {
                qualified_name: symbol.qualified_name.clone(),
                kind: Some(symbol.kind),
                path,
                line: symbol.line,
                end_line: symbol.end_line,
                next: None,
            },
            None => {
                let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
                Step { qualified_name: name, kind: None, path, line: 1, end_line: 1, next: None }
            }
        })
    }

    /// Returns the code that contains the use of a step, if it is in another definition than its own and
    /// those of the steps before.
    fn elsewhere(&self, edge: &Edge, before: &[Edge]) -> Result<Option<Step>> {
        let Some(site) = &edge.site else { return Ok(None) };
        let Some(holder) = flow::holder_of(self.catalog, site) else { return Ok(None) };
        let is_inside = holder == edge.from
            || holder == edge.to
            || holder.place == FILE
            || before.iter().any(|edge| edge.from == holder);
        let is_field_of = holder.file == edge.from.file
            && self.catalog.symbol(holder)?.is_some_and(|around| {
                let from = self.catalog.symbol(edge.from).ok().flatten();
                from.is_some_and(|from| {
                    from.span.start <= around.span.start && around.span.end <= from.span.end
                })
            });
        if is_inside || is_field_of { Ok(None) } else { Ok(Some(self.step(holder)?)) }
    }

    /// Returns the call with the closure that contains a step, and what is called.
    fn running(&mut self, edge: &Edge) -> Result<Option<(Next, Step)>> {
        let Some(site) = edge.site.as_ref().filter(|site| site.file == edge.from.file) else {
            return Ok(None);
        };
        let Some((called, call)) = flow::running(self.catalog, site) else { return Ok(None) };
        if called == edge.from || called == edge.to {
            return Ok(None);
        }
        let call = Edge { to: called, kind: Kind::Call, site: Some(call), ..edge.clone() };
        let mut next = self.next(&call)?;
        next.confidence = 1.0;
        Ok(Some((next, self.step(called)?)))
    }

    fn next(&mut self, edge: &Edge) -> Result<Next> {
        let mut next = Next {
            how: How::Step(edge.kind),
            path: None,
            line: 0,
            text: String::new(),
            inside: Vec::new(),
            through: None,
            confidence: super::super::callers::rounded(edge.confidence),
        };
        if let Some(site) = &edge.site {
            let start = site.reference.span.start;
            (next.line, next.text) = self.texts.line(site.file, start);
            if site.file != edge.from.file {
                next.path = Some(path::shown(self.catalog.path(site.file)));
            } else if let Some(symbol) = self.catalog.symbol(edge.from)?
                && symbol.span.contains(&start)
            {
                let text = self.texts.of(site.file);
                next.inside = guards(&text, symbol.span.start, start, next.line);
            }
        }
        if let Some(through) = edge.through {
            let symbol = self.catalog.symbol(through)?;
            next.through = symbol.map(|symbol| symbol.qualified_name.clone());
        }
        Ok(next)
    }
}

/// Returns the lines around the byte `at` that are indented less, up to the definition that begins at
/// `start`: the conditions, loops and closures in which it runs, outermost first, at most two, the
/// innermost ones.
fn guards(text: &[u8], start: usize, at: usize, line: usize) -> Vec<Guard> {
    let line_start =
        |at: usize| text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let (own, first) = (line_start(at.min(text.len())), line_start(start.min(text.len())));
    let indent = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        let width = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        (width, rest.get(width).copied().unwrap_or(b'\n'))
    };
    let (mut least, _) = indent(own);
    let (mut at, mut number) = (own, line);
    let mut found = Vec::new();
    for _ in 0..ABOVE_MAX {
        if at <= first || found.len() >= GUARDS_MAX || least == 0 {
            break;
        }
        at = line_start(at - 1);
        number -= 1;
        if at <= first {
            break;
        }
        let (width, begins) = indent(at);
        if width >= least
            || matches!(begins, b'\n' | b'\r' | b'}' | b')' | b']' | b'#' | b'/' | b'*')
        {
            continue;
        }
        least = width;
        // The rest of the definition's own head is no guard.
        let (first_width, _) = indent(first);
        if width <= first_width {
            break;
        }
        let guard = crate::answer::texts::line(text, at + width);
        // `else {`, `do {`, `try:` say nothing.
        if guard.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).count() > 1 {
            found.push(Guard { line: number, text: guard });
        }
    }
    found.reverse();
    found
}
