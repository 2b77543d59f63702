//! The lines that a bundle may quote: those of a named definition that say the rest of the task, those
//! of other files that say most of it, and those that it names by number.

use super::admit::Candidate;
use super::bundle::{Entry, Snippet};
use super::free_words::{Coverage, FreeWord};
use super::symbols::Meant;
use super::{Detail, Sources};
use crate::answer::texts::Texts;
use crate::base::ids::FileId;
use crate::base::{path, text};
use crate::catalog::Catalog;
use crate::context::evidence::{Chunk, Found};
use crate::context::ranking::RankedFile;
use crate::context::task::{Kind, Task};
use crate::error::Result;
use crate::lang::prose::Stems;

/// Lines before and behind a site.
const AROUND_LINES: usize = 2;

/// Bytes of a line that is shown.
const LINE_BYTES_MAX: usize = 200;

/// Definitions in which lines are looked for.
const SYMBOLS_MAX: usize = 4;

/// Lines of a definition that are looked at.
const LINES_MAX: usize = 5000;

/// Places that a task names by line.
const PLACES_MAX: usize = 4;

/// What lines that say all of a task are worth.
const VALUE: f32 = 36.0;

/// How much less a line may say than the best one of its definition.
const SHARE_MIN: f32 = 0.8;

/// A place to quote.
struct Site {
    file: FileId,
    /// The line, from 0.
    line: usize,
    value: f32,
}

/// Returns the best lines in their forms, best first.
pub(super) fn candidates(
    sources: &Sources<'_>,
    texts: &mut Texts<'_>,
    asked: Asked<'_>,
) -> Result<Vec<Candidate>> {
    if asked.detail == Detail::Lean {
        return Ok(Vec::new());
    }
    let mut sites = places(sources.catalog, &asked);
    sites.extend(in_definitions(sources.catalog, texts, &asked)?);
    sites.extend(in_chunks(texts, &asked));
    sites.sort_by(|a, b| {
        b.value.total_cmp(&a.value).then(a.file.cmp(&b.file)).then(a.line.cmp(&b.line))
    });
    let mut shown: Vec<(FileId, usize)> = Vec::new();
    let mut candidates = Vec::new();
    for site in sites {
        let is_near = |&(file, line): &(FileId, usize)| {
            file == site.file && line.abs_diff(site.line) <= 2 * AROUND_LINES
        };
        if shown.iter().any(is_near) || shown.len() >= asked.detail.snippets() {
            continue;
        }
        shown.push((site.file, site.line));
        candidates.extend(quoted(sources.catalog, texts, &site)?);
    }
    Ok(candidates)
}

/// What lines are looked for by.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) task: &'a Task,
    pub(super) found: &'a Found,
    pub(super) ranked: &'a [RankedFile],
    pub(super) meant: &'a Meant,
    pub(super) words: &'a [FreeWord],
    pub(super) files_max: usize,
    pub(super) detail: Detail,
}

impl Asked<'_> {
    /// Returns the quoted texts of the task.
    fn literals(&self) -> impl Iterator<Item = &str> {
        self.task.of_kind(Kind::Literal).map(|mention| mention.text.as_str())
    }
}

/// Returns the places that the task names by file and line.
fn places(catalog: &Catalog, asked: &Asked<'_>) -> Vec<Site> {
    let mut sites = Vec::new();
    for mention in asked.task.of_kind(Kind::Frame) {
        let Some(line) = mention.line.and_then(|line| line.checked_sub(1)) else { continue };
        let named = mention.text.as_bytes();
        let is_named = |ranked: &&RankedFile| {
            let path = catalog.path(ranked.file);
            let ends = |long: &[u8], end: &[u8]| {
                long.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with(b"/"))
            };
            ends(path, named) || ends(named, path)
        };
        if let Some(ranked) = asked.ranked.iter().find(is_named) {
            let value = VALUE / (1.0 + 0.5 * sites.len() as f32);
            sites.push(Site { file: ranked.file, line: line as usize, value });
        }
        if sites.len() == PLACES_MAX {
            break;
        }
    }
    sites
}

/// Returns the lines of the named definitions that say most of what else the task says.
fn in_definitions(
    catalog: &Catalog,
    texts: &mut Texts<'_>,
    asked: &Asked<'_>,
) -> Result<Vec<Site>> {
    let mut sites = Vec::new();
    let mut coverage = Coverage::new(asked.words);
    for (place, at) in asked.meant.named.iter().take(SYMBOLS_MAX).enumerate() {
        let Some(symbol) = catalog.symbol(*at)? else { continue };
        let lines = symbol.end_line + 1 - symbol.line.min(symbol.end_line);
        // A small one is shown whole.
        if lines <= asked.detail.body_lines() && place < asked.detail.bodies() {
            continue;
        }
        let bytes = texts.of(at.file);
        let Some(text) = text::decode(&bytes) else { continue };
        let start = symbol.line.saturating_sub(1);
        let within = text.lines().enumerate().skip(start).take(lines.min(LINES_MAX));
        let mut scored: Vec<(f32, usize)> =
            within.map(|(at, line)| (said(&mut coverage, line, asked), at)).collect();
        scored.retain(|(said, _)| *said > 0.0);
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let best = scored.first().map_or(0.0, |(said, _)| *said);
        let good = scored.iter().filter(|(said, _)| *said >= SHARE_MIN * best);
        for (number, &(said, line)) in good.take(asked.detail.snippets()).enumerate() {
            let value = VALUE * said / (1.0 + 0.3 * number as f32) / (1.0 + 0.2 * place as f32);
            sites.push(Site { file: at.file, line, value });
        }
    }
    Ok(sites)
}

/// Returns how much a line says of what the task says beside names.
fn said(coverage: &mut Coverage<'_>, line: &str, asked: &Asked<'_>) -> f32 {
    match asked.literals().any(|literal| line.contains(literal)) {
        true => 1.0,
        false => coverage.of(line),
    }
}

/// Returns the best line of the best chunk of each of the best files that define nothing named.
fn in_chunks(texts: &mut Texts<'_>, asked: &Asked<'_>) -> Vec<Site> {
    // Places of the names alone are told as callers.
    let has_literals = asked.literals().next().is_some();
    if asked.words.is_empty() && !has_literals && !asked.meant.named.is_empty() {
        return Vec::new();
    }
    let words: Vec<FreeWord> = all_words(asked);
    let top = asked.ranked.first().map_or(1.0, |first| first.score.max(f32::MIN_POSITIVE));
    let mut coverage = Coverage::new(&words);
    let mut sites = Vec::new();
    for RankedFile { file, score, .. } in asked.ranked.iter().take(asked.files_max.min(8)) {
        // What is defined there is shown already.
        if asked.meant.named.iter().take(8).any(|at| at.file == *file) {
            continue;
        }
        let of_file = |chunk: &&Chunk| chunk.file == *file;
        let Some(Chunk { lines, .. }) = asked.found.chunks.iter().find(of_file) else { continue };
        let bytes = texts.of(*file);
        let Some(text) = text::decode(&bytes) else { continue };
        let (start, end) = (lines.start.saturating_sub(1), lines.end.saturating_sub(1));
        let (mut best, mut held) = ((0.0, start), 0.0_f32);
        for (at, line) in text.lines().enumerate().take(end).skip(start) {
            let said = match asked.literals().any(|literal| line.contains(literal)) {
                true => 1.0,
                false => coverage.of(line),
            };
            held = held.max(said);
            if said > best.0 {
                best = (said, at);
            }
        }
        if held > 0.0 {
            let share = score / top;
            sites.push(Site { file: *file, line: best.1, value: VALUE * share * share * held });
        }
    }
    sites
}

/// Returns the free words of the task and the names in it, as words to be found in a line.
fn all_words(asked: &Asked<'_>) -> Vec<FreeWord> {
    let mut words = asked.words.to_vec();
    let heaviest = words.iter().map(|word| word.weight).fold(0.3, f32::max);
    let mut stems = Stems::default();
    for term in &asked.found.query.terms {
        // A name whole, as it stands in code.
        let is_whole = term.weights.contains(&0.0);
        if is_whole && words.iter().all(|word| word.word != term.word) {
            let stem = stems.stem(&term.word).to_owned();
            words.push(FreeWord { word: term.word.clone(), stem, files: 1, weight: heaviest });
        }
    }
    words
}

/// Returns the lines around a site, and the line alone.
fn quoted(catalog: &Catalog, texts: &mut Texts<'_>, site: &Site) -> Result<Option<Candidate>> {
    let bytes = texts.of(site.file);
    let Some(text) = text::decode(&bytes) else { return Ok(None) };
    let facts = catalog.facts(site.file)?;
    let around = facts.as_ref().and_then(|facts| {
        let at = site.line + 1;
        let holds = |symbol: &&crate::lang::Symbol| symbol.line <= at && at <= symbol.end_line;
        let around = facts.symbols.iter().filter(holds);
        around.min_by_key(|symbol| symbol.end_line - symbol.line)
    });
    let first = site.line.saturating_sub(AROUND_LINES);
    // Lines of another definition say nothing of this one.
    let (low, high) = around.map_or((0, usize::MAX), |of| (of.line - 1, of.end_line));
    let start = first.max(low.min(site.line));
    let lines = text.lines().enumerate().skip(start);
    let lines: Vec<(usize, &str)> =
        lines.take_while(|(at, _)| *at <= site.line + AROUND_LINES && *at < high).collect();
    let blank = |line: &(usize, &str)| line.1.trim().is_empty();
    let start = lines.iter().position(|line| !blank(line));
    let end = lines.iter().rposition(|line| !blank(line));
    let (Some(start), Some(end)) = (start, end) else { return Ok(None) };
    if !lines.iter().any(|(at, _)| *at == site.line) {
        return Ok(None);
    }
    let cut = |&(_, line): &(usize, &str)| match text::start(line, LINE_BYTES_MAX) {
        start if start.len() < line.len() => format!("{start}…"),
        start => start.to_owned(),
    };
    let snippet = |lines: &[(usize, &str)]| Snippet {
        path: path::shown(catalog.path(site.file)),
        start_line: lines[0].0 + 1,
        end_line: lines[lines.len() - 1].0 + 1,
        text: lines.iter().map(cut).collect::<Vec<_>>().join("\n"),
        around: around.map(|symbol| symbol.qualified_name.clone()),
    };
    let rich = snippet(&lines[start..=end]);
    let mut forms = Vec::new();
    let alone = lines.iter().position(|line| line.0 == site.line && !blank(line));
    if let Some(at) = alone.filter(|_| end > start) {
        forms.push((0.7 * site.value, Entry::Snippet(snippet(&lines[at..=at]))));
    }
    forms.push((site.value, Entry::Snippet(rich)));
    Ok(Some(Candidate { forms }))
}
