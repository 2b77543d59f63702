//! The chain of calls between two definitions that a question names.

use super::admit::Candidate;
use super::bundle::{Entry, NextLine, Step};
use super::symbols::SelectedSymbols;
use super::{Detail, Options, Sources};
use crate::answer::texts::Texts;
use crate::base::{path, text};
use crate::context::task::Task;
use crate::error::Result;
use crate::graph::link::SymbolAt;
use crate::graph::trace;
use crate::rank::TaskKind;
use crate::source::secret::is_secret;

/// The number of uses of names that are resolved, which bounds the time of a call.
const RESOLVED_MAX: usize = 2_000;

/// Calls from this confidence on have no mark.
const CERTAIN: f32 = 0.9;

/// The value of the chain.
const VALUE: f32 = 40.0;

/// The least number of definitions of a chain that is shown: callers and callees are shown anyway.
const STEPS_MIN: usize = 3;

/// Returns the chain between the first and the last definition that a question names, in either
/// direction, as a candidate; none for other tasks. If there is no chain, returns a note that says so.
pub(super) fn candidates(
    sources: &Sources<'_>,
    texts: &mut Texts<'_>,
    task: &Task,
    selected: &SelectedSymbols,
    options: &Options,
) -> Result<(Vec<Candidate>, Option<String>)> {
    let none = || Ok((Vec::new(), None));
    let catalog = sources.catalog;
    if options.detail == Detail::Lean || task.kind() != TaskKind::Question {
        return none();
    }
    let mut named: Vec<(usize, SymbolAt)> = Vec::new();
    for at in &selected.named {
        let Some(symbol) = catalog.symbol(*at)? else { continue };
        let is_it = |text: &str| text.rsplit(['.', ':', '#']).next() == Some(symbol.name.as_str());
        let mentioned = task.mentions.iter().position(|mention| is_it(&mention.text));
        named.extend(mentioned.map(|mentioned| (mentioned, *at)));
    }
    let (first, last) = (named.iter().map(|of| of.0).min(), named.iter().map(|of| of.0).max());
    let (Some(first), Some(last)) = (first, last) else { return none() };
    if first == last {
        return none();
    }
    let ends = |mentioned: usize| -> Vec<(SymbolAt, u32)> {
        let of = named.iter().filter(|of| of.0 == mentioned);
        of.map(|(_, at)| (*at, 0)).collect()
    };
    let (from, to) = (ends(first), ends(last));
    let chain = |from, to| trace::chains(catalog, from, to, 1, RESOLVED_MAX).chains.pop();
    let Some(chain) = chain(&from, &to).or_else(|| chain(&to, &from)) else {
        let name = |mentioned: usize| text::plain(&task.mentions[mentioned].text);
        let (from, to) = (name(first), name(last));
        let note = format!("no chain of calls from `{from}` to `{to}` was found, nor back");
        return Ok((Vec::new(), Some(note)));
    };
    let mut steps = Vec::new();
    let nodes = std::iter::once(chain.start).chain(chain.edges.iter().map(|edge| edge.to));
    for (place, node) in nodes.enumerate() {
        let of_file = catalog.path(node.file);
        let scope = options.scope();
        if is_secret(of_file) || !scope.contains(of_file) {
            return none();
        }
        let Some(symbol) = catalog.symbol(node)? else { return none() };
        let site = chain.edges.get(place).and_then(|edge| edge.site.as_ref());
        // A line in another file would need its path; `trace` shows it.
        let next = site.filter(|site| site.file == node.file).map(|site| {
            let (line, text) = texts.line(site.file, site.reference.span.start);
            let is_certain =
                |edge: &&trace::Edge| edge.kind == trace::Kind::Call && edge.confidence >= CERTAIN;
            let how = chain.edges.get(place).filter(|edge| !is_certain(edge));
            NextLine { line, text, how: how.map(|edge| edge.kind.words()) }
        });
        let next = next.filter(|next| next.line > 0);
        let (name, line) = (symbol.qualified_name.clone(), symbol.line);
        steps.push(Step { name, path: path::shown(of_file), line, next });
    }
    if steps.len() < STEPS_MIN {
        return none();
    }
    let short = steps.iter().map(|step| Step { next: None, ..step.clone() }).collect();
    let forms = vec![(0.7 * VALUE, Entry::Chain(short)), (VALUE, Entry::Chain(steps))];
    Ok((vec![Candidate { forms }], None))
}
