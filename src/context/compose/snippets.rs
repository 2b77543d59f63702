//! The snippets of a bundle: lines of named definitions that contain the other words of the task,
//! the best lines of other files, and locations that the task names by line.

use super::admit::Candidate;
use super::bundle::{Entry, Snippet};
use super::free_words::{Coverage, FreeWord};
use super::symbols::SelectedSymbols;
use super::{Detail, Sources};
use crate::answer::texts::Texts;
use crate::base::ids::FileId;
use crate::base::{path, text};
use crate::catalog::Catalog;
use crate::context::evidence::{Chunk, TaskEvidence};
use crate::context::ranking::RankedFile;
use crate::context::task::{MentionKind, Task};
use crate::error::Result;
use crate::lang::prose::Stems;

/// Lines of context on each side.
const AROUND_LINES: usize = 2;

/// Maximum length of a line shown, in bytes.
const LINE_BYTES_MAX: usize = 200;

/// Number of definitions whose lines are examined.
const SYMBOLS_MAX: usize = 4;

/// Maximum number of lines of a definition that are examined.
const LINES_MAX: usize = 5000;

/// Maximum number of locations named by line.
const PLACES_MAX: usize = 4;

/// Value of a line that contains all words of the task.
const VALUE: f32 = 36.0;

/// Minimum coverage of a line relative to the best line of its definition.
const SHARE_MIN: f32 = 0.8;

/// What begins a line of a comment in most languages, and the factor for its coverage.
const COMMENT_STARTS: [&str; 7] = ["//", "/*", "* ", "# ", "-- ", "<!--", "\"\"\""];
const COMMENT_SHARE: f32 = 0.6;

/// A line to quote.
struct Site {
    file: FileId,
    /// The line, from 0.
    line: usize,
    value: f32,
}

/// Returns the best lines as candidates, best first.
pub(super) fn candidates(
    sources: &Sources<'_>,
    texts: &mut Texts<'_>,
    query: SnippetQuery<'_>,
) -> Result<Vec<Candidate>> {
    if query.detail == Detail::Lean {
        return Ok(Vec::new());
    }
    let mut sites = places(sources.catalog, &query);
    sites.extend(in_definitions(sources.catalog, texts, &query)?);
    sites.extend(in_chunks(texts, &query));
    sites.sort_by(|a, b| {
        b.value.total_cmp(&a.value).then(a.file.cmp(&b.file)).then(a.line.cmp(&b.line))
    });
    let mut shown: Vec<(FileId, usize)> = Vec::new();
    let mut candidates = Vec::new();
    for site in sites {
        let is_near = |&(file, line): &(FileId, usize)| {
            file == site.file && line.abs_diff(site.line) <= 2 * AROUND_LINES
        };
        if shown.iter().any(is_near) || shown.len() >= query.detail.snippets() {
            continue;
        }
        shown.push((site.file, site.line));
        candidates.extend(quoted(sources.catalog, texts, &site)?);
    }
    Ok(candidates)
}

/// The inputs of the search for lines.
#[derive(Clone, Copy)]
pub(super) struct SnippetQuery<'a> {
    pub(super) task: &'a Task,
    pub(super) found: &'a TaskEvidence,
    pub(super) ranked: &'a [RankedFile],
    pub(super) selected: &'a SelectedSymbols,
    pub(super) words: &'a [FreeWord],
    pub(super) files_max: usize,
    pub(super) detail: Detail,
}

impl SnippetQuery<'_> {
    /// Returns the quoted texts of the task.
    fn literals(&self) -> impl Iterator<Item = &str> {
        self.task.of_kind(MentionKind::Literal).map(|mention| mention.text.as_str())
    }
}

/// Returns the locations that the task names by file and line.
fn places(catalog: &Catalog, query: &SnippetQuery<'_>) -> Vec<Site> {
    let mut sites = Vec::new();
    for mention in query.task.of_kind(MentionKind::Frame) {
        let Some(line) = mention.line.and_then(|line| line.checked_sub(1)) else { continue };
        let named = mention.text.as_bytes();
        let is_named = |ranked: &&RankedFile| {
            let path = catalog.path(ranked.file);
            let ends = |long: &[u8], end: &[u8]| {
                long.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with(b"/"))
            };
            ends(path, named) || ends(named, path)
        };
        if let Some(ranked) = query.ranked.iter().find(is_named) {
            let value = VALUE / (1.0 + 0.5 * sites.len() as f32);
            sites.push(Site { file: ranked.file, line: line as usize, value });
        }
        if sites.len() == PLACES_MAX {
            break;
        }
    }
    sites
}

/// Returns the lines of the named definitions that contain most of the other words of the task.
fn in_definitions(
    catalog: &Catalog,
    texts: &mut Texts<'_>,
    query: &SnippetQuery<'_>,
) -> Result<Vec<Site>> {
    let mut sites = Vec::new();
    let mut coverage = Coverage::new(query.words);
    for (place, at) in query.selected.first().take(SYMBOLS_MAX).enumerate() {
        let Some(symbol) = catalog.symbol(at)? else { continue };
        let lines = symbol.end_line + 1 - symbol.line.min(symbol.end_line);
        // A short definition is shown completely.
        if lines <= query.detail.body_lines() && place < query.detail.bodies() {
            continue;
        }
        let bytes = texts.of(at.file);
        let Some(text) = text::decode(&bytes) else { continue };
        let start = symbol.line.saturating_sub(1);
        let within = text.lines().enumerate().skip(start).take(lines.min(LINES_MAX));
        let mut scored: Vec<(f32, usize)> =
            within.map(|(at, line)| (coverage_of(&mut coverage, line, query), at)).collect();
        scored.retain(|(covered, _)| *covered > 0.0);
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let best = scored.first().map_or(0.0, |(covered, _)| *covered);
        let good = scored.iter().filter(|(covered, _)| *covered >= SHARE_MIN * best);
        for (number, &(covered, line)) in good.take(query.detail.snippets_of_one()).enumerate() {
            let value = VALUE * covered / (1.0 + 0.3 * number as f32) / (1.0 + 0.2 * place as f32);
            sites.push(Site { file: at.file, line, value });
        }
    }
    Ok(sites)
}

/// Returns the coverage of a line, 0 to 1; 1 if it contains a quoted text of the task. A comment counts less than
/// the code that it is about.
fn coverage_of(coverage: &mut Coverage<'_>, line: &str, query: &SnippetQuery<'_>) -> f32 {
    if query.literals().any(|literal| line.contains(literal)) {
        return 1.0;
    }
    let start = line.trim_start();
    let is_comment = COMMENT_STARTS.iter().any(|of| start.starts_with(of));
    coverage.of(line) * if is_comment { COMMENT_SHARE } else { 1.0 }
}

/// Returns the best line of the best chunk of each top file without a named definition.
fn in_chunks(texts: &mut Texts<'_>, query: &SnippetQuery<'_>) -> Vec<Site> {
    // Without other words, uses of the names are shown as callers.
    let has_literals = query.literals().next().is_some();
    if query.words.is_empty() && !has_literals && !query.selected.named.is_empty() {
        return Vec::new();
    }
    let words: Vec<FreeWord> = all_words(query);
    let top = query.ranked.first().map_or(1.0, |first| first.score.max(f32::MIN_POSITIVE));
    let mut coverage = Coverage::new(&words);
    let mut sites = Vec::new();
    for RankedFile { file, score, .. } in query.ranked.iter().take(query.files_max.min(8)) {
        // The first definitions are shown with their lines.
        if query.selected.first().take(SYMBOLS_MAX).any(|at| at.file == *file) {
            continue;
        }
        let of_file = |chunk: &&Chunk| chunk.file == *file;
        let Some(Chunk { lines, .. }) = query.found.chunks.iter().find(of_file) else { continue };
        let bytes = texts.of(*file);
        let Some(text) = text::decode(&bytes) else { continue };
        let (start, end) = (lines.start.saturating_sub(1), lines.end.saturating_sub(1));
        let (mut best, mut held) = ((0.0, start), 0.0_f32);
        for (at, line) in text.lines().enumerate().take(end).skip(start) {
            let covered = coverage_of(&mut coverage, line, query);
            held = held.max(covered);
            if covered > best.0 {
                best = (covered, at);
            }
        }
        if held > 0.0 {
            let share = score / top;
            sites.push(Site { file: *file, line: best.1, value: VALUE * share * share * held });
        }
    }
    sites
}

/// Returns the plain words and the names of the task, as words to find in a line.
fn all_words(query: &SnippetQuery<'_>) -> Vec<FreeWord> {
    let mut words = query.words.to_vec();
    let heaviest = words.iter().map(|word| word.weight).fold(0.3, f32::max);
    let mut stems = Stems::default();
    for term in &query.found.query.terms {
        // A whole identifier.
        let is_whole = term.weights.contains(&0.0);
        if is_whole && words.iter().all(|word| word.word != term.word) {
            let stem = stems.stem(&term.word).to_owned();
            words.push(FreeWord { word: term.word.clone(), stem, files: 1, weight: heaviest });
        }
    }
    words
}

/// Returns a candidate with two forms: the line with context, and the line alone.
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
    // Do not extend into another definition.
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
