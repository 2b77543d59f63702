//! The definitions that a bundle may tell of: those that changed, those that a task names, and those
//! that its words lead to.

use std::collections::BTreeMap;

use super::admit::Candidate;
use super::bundle::{Entry, Symbol};
use super::{Detail, Sources};
use crate::answer::definition::Definition;
use crate::answer::texts::Texts;
use crate::base::text;
use crate::context::evidence::Found;
use crate::context::ranking::RankedFile;
use crate::error::Result;
use crate::graph::link::SymbolAt;
use crate::lang::SymbolKind;

/// Definitions that a bundle may tell of.
const SYMBOLS_MAX: usize = 24;

/// Definitions that the words of a task lead to.
const WORDED_MAX: usize = 10;

/// Bytes of a signature.
const SIGNATURE_BYTES_MAX: usize = 160;

/// What the first definition is worth.
const VALUE: f32 = 90.0;

/// What one that words lead to is worth where no name does, and where one does.
const WORDED_VALUE: f32 = 24.0;
const WORDED_BESIDE_VALUE: f32 = 6.0;

/// The definitions, and how they were found.
#[derive(Debug, Default)]
pub(super) struct Meant {
    /// Those that changed, then those that the task names, best first.
    pub(super) named: Vec<SymbolAt>,
    /// How many of these changed.
    pub(super) changed: usize,
    /// Those around the lines that fit the words best, and how well they do.
    pub(super) worded: Vec<(SymbolAt, f32)>,
}

/// Returns the definitions that are worth telling: of a name those in tests, or in others' code, only
/// where there are no better ones.
pub(super) fn meant(
    sources: &Sources<'_>,
    found: &Found,
    ranked: &[RankedFile],
    files_max: usize,
    detail: Detail,
) -> Result<Meant> {
    let catalog = sources.catalog;
    let place_of = |at: &SymbolAt| ranked.iter().position(|ranked| ranked.file == at.file);
    let mut keyed = Vec::new();
    let mut best: BTreeMap<String, u8> = BTreeMap::new();
    for (mentioned, &at) in found.definitions.iter().enumerate() {
        // A file that is not to be answered is not ranked.
        let Some(place) = place_of(&at) else { continue };
        let marks = catalog.marks(at.file)?;
        let Some(symbol) = catalog.symbol(at)? else { continue };
        let is_declared = symbol.kind == SymbolKind::Prototype || marks.declaration;
        let rank = 2 * marks.rank() + u8::from(is_declared);
        let best = best.entry(symbol.name.clone()).or_insert(rank);
        *best = (*best).min(rank);
        keyed.push(((rank, place, mentioned), symbol.name.clone(), at));
    }
    keyed.retain(|((rank, ..), name, _)| best[name] == *rank);
    keyed.sort_by_key(|(key, ..)| *key);
    let changed = sources.changed.symbols.iter().filter(|at| place_of(at).is_some()).copied();
    let mut named: Vec<SymbolAt> = changed.take(SYMBOLS_MAX / 2).collect();
    let changed = named.len();
    for (.., at) in keyed {
        if named.len() < SYMBOLS_MAX && !named.contains(&at) {
            named.push(at);
        }
    }
    // Where definitions are named, others are only worth telling to who wants all.
    let worded = match named.is_empty() || detail == Detail::Full {
        true => worded(sources, found, ranked, files_max, &named)?,
        false => Vec::new(),
    };
    Ok(Meant { named, changed, worded })
}

/// Returns the innermost definitions around the best chunks of the best files.
fn worded(
    sources: &Sources<'_>,
    found: &Found,
    ranked: &[RankedFile],
    files_max: usize,
    named: &[SymbolAt],
) -> Result<Vec<(SymbolAt, f32)>> {
    let top = ranked.first().map_or(1.0, |first| first.score.max(f32::MIN_POSITIVE));
    let mut meant: Vec<(SymbolAt, f32)> = Vec::new();
    for chunk in &found.chunks {
        let of = ranked.iter().take(files_max).find(|ranked| ranked.file == chunk.file);
        let Some(of) = of else { continue };
        let Some(facts) = sources.catalog.facts(chunk.file)? else { continue };
        if !facts.language.is_code() {
            continue;
        }
        let holds = |symbol: &crate::lang::Symbol| {
            symbol.line < chunk.lines.end
                && chunk.lines.start <= symbol.end_line
                && !matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Field)
        };
        // The largest one that starts in the chunk, or else the innermost one around it.
        let starts = |symbol: &crate::lang::Symbol| chunk.lines.contains(&symbol.line);
        let all = facts.symbols.iter().enumerate().filter(|(_, symbol)| holds(symbol));
        let place = all.min_by_key(|(place, symbol)| {
            let lines = symbol.end_line - symbol.line;
            let size = if starts(symbol) { usize::MAX - lines } else { lines };
            (!starts(symbol), size, *place)
        });
        let Some((place, _)) = place else { continue };
        let at = SymbolAt { file: chunk.file, place: place as u32 };
        let is_new = !named.contains(&at) && meant.iter().all(|(other, _)| *other != at);
        if is_new {
            meant.push((at, chunk.score * of.score / top));
        }
    }
    meant.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    meant.truncate(WORDED_MAX);
    Ok(meant)
}

/// Returns the definitions in their forms.
pub(super) fn candidates(
    sources: &Sources<'_>,
    texts: &mut Texts<'_>,
    meant: &Meant,
    detail: Detail,
) -> Result<Vec<Candidate>> {
    let mut candidates = Vec::new();
    let mut values: Vec<(SymbolAt, f32)> = Vec::new();
    for (place, &at) in meant.named.iter().enumerate() {
        // What changed is all meant.
        let late = place.saturating_sub(meant.changed / 2);
        values.push((at, VALUE / (1.0 + late as f32)));
    }
    let worded = if meant.named.is_empty() { WORDED_VALUE } else { WORDED_BESIDE_VALUE };
    values.extend(meant.worded.iter().map(|&(at, fits)| (at, worded * fits)));
    for (place, (at, value)) in values.into_iter().enumerate() {
        let Some(mut definition) = Definition::of(sources.catalog, texts, at)? else { continue };
        let text = texts.of(at.file);
        if text.is_empty() {
            // It changed a moment ago.
            continue;
        }
        let lines = definition.end_line + 1 - definition.line.min(definition.end_line);
        if place < detail.bodies() && lines <= detail.body_lines() {
            definition.add_body(&text, 8 << 10);
        }
        let is_changed = place < meant.changed;
        candidates.push(Candidate { forms: forms(definition, value, is_changed) });
    }
    Ok(candidates)
}

fn forms(of: Definition, value: f32, is_changed: bool) -> Vec<(f32, Entry)> {
    let body = of.body.filter(|_| of.body_bytes_left_out.is_none());
    let first = of.doc.as_deref().and_then(|doc| doc.lines().next());
    let doc = first.map(|line| text::start(line, SIGNATURE_BYTES_MAX).to_owned());
    let marker = Symbol {
        qualified_name: (of.qualified_name != of.name).then_some(of.qualified_name),
        name: of.name,
        kind: of.kind,
        path: of.path,
        line: of.line,
        end_line: of.end_line,
        signature: String::new(),
        doc: None,
        is_changed,
        marks: of.marks,
        body: None,
    };
    let signature = match text::start(&of.signature, SIGNATURE_BYTES_MAX) {
        start if start.len() < of.signature.len() => format!("{start}…"),
        start => start.to_owned(),
    };
    let lean = Symbol { signature, ..marker.clone() };
    let mut forms = vec![(0.75 * value, marker), (value, lean.clone())];
    match (body, doc) {
        (Some(body), _) => {
            forms.push((1.5 * value, Symbol { body: Some(body), ..lean }));
        }
        (None, Some(doc)) => forms.push((1.1 * value, Symbol { doc: Some(doc), ..lean })),
        (None, None) => {}
    }
    forms.into_iter().map(|(value, symbol)| (value, Entry::Symbol(symbol))).collect()
}
