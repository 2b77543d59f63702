//! The definitions of a bundle: changed ones, those that the task names, and those found by its
//! words.

use std::collections::BTreeMap;

use super::admit::Candidate;
use super::bundle::{Entry, Symbol};
use super::{Detail, Sources};
use crate::answer::definition::Definition;
use crate::answer::precedence::{Group, Precedence};
use crate::answer::texts::Texts;
use crate::base::text;
use crate::catalog::Catalog;
use crate::context::definitions::{RankedDefinition, rank_definitions};
use crate::context::evidence::TaskEvidence;
use crate::context::ranking::RankedFile;
use crate::error::Result;
use crate::graph::link::SymbolAt;
use crate::lang::SymbolKind;

/// Maximum number of definitions.
const SYMBOLS_MAX: usize = 24;

/// Number of definitions of one name up to which all are shown.
const SAME_NAME_MAX: usize = 4;

/// Maximum number of definitions found by words.
const BY_WORDS_MAX: usize = 10;

/// Number of definitions of one name up to which their qualified names are compared.
const COMPARED_MAX: usize = 24;

/// Maximum length of a signature, in bytes.
const SIGNATURE_BYTES_MAX: usize = 160;

/// Value of the first definition.
const VALUE: f32 = 90.0;

/// Value of a definition found by words if none is named, and if one is.
const BY_WORDS_VALUE: f32 = 24.0;
const BY_WORDS_SECONDARY_VALUE: f32 = 16.0;

/// Factor for the value of a field or a member of an enumeration: the work is rarely there.
const MEMBER_SHARE: f32 = 0.3;

/// Minimum relevance of a definition found by words, except with full detail.
const RELEVANCE_MIN: f32 = 0.2;

/// Exponent of the share of a file's score in the relevance of its definitions: the file that leads by little holds
/// far more of the definitions that are looked for.
const FILE_SHARE_EXPONENT: i32 = 3;

/// Number of files in which a name that only quoted code mentions is looked for.
const QUOTED_FILES_MAX: usize = 5;

/// The selected definitions.
#[derive(Debug, Default)]
pub(super) struct SelectedSymbols {
    /// Changed definitions, then those that the task names, best first.
    pub(super) named: Vec<SymbolAt>,
    /// Number of changed ones in `named`.
    pub(super) changed: usize,
    /// Other definitions with the words of the task, with their relevance.
    pub(super) by_words: Vec<(SymbolAt, f32)>,
}

impl SelectedSymbols {
    /// Returns the definitions, best first.
    pub(super) fn first(&self) -> impl Iterator<Item = SymbolAt> {
        self.named.iter().copied().chain(self.by_words.iter().map(|(at, _)| *at))
    }
}

/// Selects the definitions. For a name, definitions in tests or third-party code count only if
/// there are no others.
pub(super) fn select(
    sources: &Sources<'_>,
    texts: &mut Texts<'_>,
    found: &TaskEvidence,
    ranked: &[RankedFile],
    files_max: usize,
    detail: Detail,
) -> Result<SelectedSymbols> {
    let catalog = sources.catalog;
    let place_of = |at: &SymbolAt| ranked.iter().position(|ranked| ranked.file == at.file);
    let mut keyed = Vec::new();
    let mut best: BTreeMap<String, Group> = BTreeMap::new();
    for (mentioned, &at) in found.definitions.iter().enumerate() {
        // Excluded files are not ranked.
        let Some(place) = place_of(&at) else { continue };
        if place >= QUOTED_FILES_MAX && found.in_code.contains(&at) {
            continue;
        }
        let Some(symbol) = catalog.symbol(at)? else { continue };
        let Some(Precedence { group: rank, .. }) = Precedence::at(catalog, at)? else { continue };
        let best = best.entry(symbol.name.clone()).or_insert(rank);
        *best = (*best).min(rank);
        keyed.push(((rank, place, mentioned), symbol.name.clone(), at));
    }
    keyed.retain(|((rank, ..), name, _)| best[name] == *rank);
    keyed.sort_by_key(|(key, ..)| *key);
    // Of a name with many definitions, those in the best files fit the task, or none does.
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, name, _) in &keyed {
        *counts.entry(name.clone()).or_default() += 1;
    }
    keyed.retain(|((_, place, _), name, _)| *place < files_max || counts[name] <= SAME_NAME_MAX);
    let changed = sources.changed.symbols.iter().filter(|at| place_of(at).is_some()).copied();
    let mut named: Vec<SymbolAt> = changed.take(SYMBOLS_MAX / 2).collect();
    let changed = named.len();
    for (.., at) in keyed {
        if named.len() < SYMBOLS_MAX && !named.contains(&at) {
            named.push(at);
        }
    }
    let mut by_words = definitions_by_words(sources, texts, found, ranked, files_max, &named)?;
    if detail != Detail::Full {
        by_words.retain(|(_, relevance)| *relevance >= RELEVANCE_MIN);
        by_words.truncate(BY_WORDS_MAX - named.len().min(BY_WORDS_MAX / 2));
    }
    Ok(SelectedSymbols { named, changed, by_words })
}

/// Returns the best definitions of the best files by the words of the task; see
/// [`rank_definitions`].
fn definitions_by_words(
    sources: &Sources<'_>,
    texts: &mut Texts<'_>,
    found: &TaskEvidence,
    ranked: &[RankedFile],
    files_max: usize,
    named: &[SymbolAt],
) -> Result<Vec<(SymbolAt, f32)>> {
    let top = ranked.first().map_or(1.0, |first| first.score.max(f32::MIN_POSITIVE));
    let share = |of: &RankedFile| (of.score / top).powi(FILE_SHARE_EXPONENT);
    let files = ranked.iter().take(files_max).map(|of| (of.file, share(of))).collect();
    let definitions = rank_definitions(sources.catalog, texts, found, &files)?;
    let is_new = |of: &RankedDefinition| !named.contains(&of.at);
    let best = definitions.into_iter().filter(is_new).take(BY_WORDS_MAX);
    Ok(best.map(|of| (of.at, of.score)).collect())
}

/// Returns the definitions as candidates.
pub(super) fn candidates(
    sources: &Sources<'_>,
    texts: &mut Texts<'_>,
    selected: &SelectedSymbols,
    detail: Detail,
) -> Result<Vec<Candidate>> {
    let mut candidates = Vec::new();
    let mut values: Vec<(SymbolAt, f32)> = Vec::new();
    for (place, &at) in selected.named.iter().enumerate() {
        // Changed definitions are all relevant, so their value decreases later.
        let late = place.saturating_sub(selected.changed / 2);
        values.push((at, VALUE / (1.0 + late as f32)));
    }
    let by_words =
        if selected.named.is_empty() { BY_WORDS_VALUE } else { BY_WORDS_SECONDARY_VALUE };
    values.extend(selected.by_words.iter().map(|&(at, relevance)| (at, by_words * relevance)));
    for (place, (at, value)) in values.into_iter().enumerate() {
        let Some(mut definition) = Definition::of(sources.catalog, texts, at)? else { continue };
        let text = texts.of(at.file);
        if text.is_empty() {
            // The file changed since it was indexed.
            continue;
        }
        let is_member = matches!(definition.kind, SymbolKind::Field | SymbolKind::EnumMember);
        let value = if is_member { MEMBER_SHARE * value } else { value };
        let lines = definition.end_line + 1 - definition.line.min(definition.end_line);
        if place < detail.bodies() && lines <= detail.body_lines() {
            definition.add_body(&text, 8 << 10);
        }
        let is_changed = place < selected.changed;
        let is_unique = is_unique(sources.catalog, at)?;
        candidates.push(Candidate { forms: forms(definition, value, is_changed, is_unique) });
    }
    Ok(candidates)
}

/// Returns true if the qualified name of a definition leads to it alone, and is no path.
fn is_unique(catalog: &Catalog, at: SymbolAt) -> Result<bool> {
    let Some(symbol) = catalog.symbol(at)? else { return Ok(false) };
    let same = catalog.defined(symbol.name.as_bytes())?;
    if same.len() > COMPARED_MAX {
        return Ok(false);
    }
    let wanted = symbol.qualified_name.as_str();
    // A reader takes the name of a file or of a directory at the root as such.
    let is_path = catalog.find(wanted.as_bytes()).is_some()
        || !catalog.files().below(wanted.as_bytes()).is_empty()
        || crate::lang::detect(std::path::Path::new(wanted), b"").is_some();
    if is_path {
        return Ok(false);
    }
    for &other in same.iter().filter(|&&other| other != at) {
        let other = catalog.symbol(other)?;
        let ends = |name: &str| {
            let rest = name.strip_suffix(wanted);
            rest.is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        if other.is_none_or(|other| ends(&other.qualified_name)) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn forms(of: Definition, value: f32, is_changed: bool, is_unique: bool) -> Vec<(f32, Entry)> {
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
        is_unique,
    };
    let signature = match text::start(&of.signature, SIGNATURE_BYTES_MAX) {
        start if start.len() < of.signature.len() => format!("{start}…"),
        start => start.to_owned(),
    };
    let lean = Symbol { signature, ..marker.clone() };
    let mut forms = vec![(0.75 * value, marker), (value, lean.clone())];
    match (body, doc) {
        (Some(body), _) => {
            forms.push((2.5 * value, Symbol { body: Some(body), ..lean }));
        }
        (None, Some(doc)) => forms.push((1.05 * value, Symbol { doc: Some(doc), ..lean })),
        (None, None) => {}
    }
    forms.into_iter().map(|(value, symbol)| (value, Entry::Symbol(symbol))).collect()
}
