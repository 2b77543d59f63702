//! Ranks the definitions inside files by the words of a task.
//!
//! Chunks of the text index are about as large as definitions, but a short class is one chunk with
//! all its members, and a line between two definitions belongs to neither. So the lines of the best
//! chunks are read again, each line counts for the innermost definition around it (documentation
//! counts for the definition that it documents), and definitions are scored by BM25 over two fields,
//! the name with its scopes and the lines, with the term weights of the text index.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::evidence::{Chunk, TaskEvidence};
use crate::answer::texts::Texts;
use crate::base::ids::FileId;
use crate::base::text;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::link::{FileFacts, SymbolAt};
use crate::index::text::Term;
use crate::lang::prose::{Stems, is_stop_word};
use crate::lang::words::{identifiers, parts, push_folded};
use crate::lang::{Symbol, SymbolKind};
use crate::source::text_cache::Text;

/// Maximum number of chunks whose lines are read, in all files together and per file.
const CHUNKS_MAX: usize = 48;
const CHUNKS_OF_FILE_MAX: usize = 12;

/// Maximum number of chunks of a file from which its [`Focus`] is computed, and of bytes that are read
/// to find them.
const FOCUS_CHUNKS_MAX: usize = 4;
const FOCUS_BYTES_MAX: usize = 4 << 20;

/// Maximum number of bytes of a chunk that are read.
const CHUNK_BYTES_MAX: usize = 8 << 10;

/// Term-frequency saturation (BM25 k1) and length normalization of the lines (b).
const K1: f32 = 1.2;
const B: f32 = 0.3;

/// Length of an average definition, in words of the text index.
const AVERAGE_WORDS: f32 = 120.0;

/// Weight of an occurrence in the name, and in the names of the enclosing scopes.
const NAME: f32 = 3.0;
const SCOPE: f32 = 1.5;

/// A definition and its relevance; the best one has 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedDefinition {
    /// The definition.
    pub at: SymbolAt,
    /// Its relevance.
    pub score: f32,
}

/// A file whose lines are counted, and its chunks, which ascend.
type Read = (FileId, Arc<FileFacts>, Text, Vec<Range<usize>>);

/// Returns the definitions around the lines of the best chunks of `files`, best first; ties are
/// broken by path, then by position. The score of a definition is multiplied by the share that its
/// file has in `files`, which is 1 for the best file. O(lines of the chunks).
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] if an index is damaged.
pub fn rank_definitions(
    catalog: &Catalog,
    texts: &mut Texts<'_>,
    found: &TaskEvidence,
    files: &BTreeMap<FileId, f32>,
) -> Result<Vec<RankedDefinition>> {
    let mut chunks: BTreeMap<FileId, Vec<Range<usize>>> = BTreeMap::new();
    let mut count = 0;
    for Chunk { file, lines, .. } in &found.chunks {
        if count < CHUNKS_MAX && files.contains_key(file) {
            let of_file = chunks.entry(*file).or_default();
            if of_file.len() < CHUNKS_OF_FILE_MAX {
                of_file.push(lines.clone());
                count += 1;
            }
        }
    }
    let mut read = Vec::new();
    for (file, mut chunks) in chunks {
        let Some(facts) = catalog.facts(file)? else { continue };
        let text = texts.of(file);
        if facts.language.is_code() && !text.is_empty() {
            chunks.sort_by_key(|lines| lines.start);
            read.push((file, facts, text, chunks));
        }
    }
    let of_file = |matcher: &mut Matcher<'_>, (file, facts, text, chunks): &Read| {
        let counted = matcher.count(text, &facts.symbols, chunks);
        let score = |(place, counts): (usize, Counts)| {
            let symbol = &facts.symbols[place];
            let score = matcher.score(symbol, &counts) * files[file] * of_kind(symbol.kind);
            RankedDefinition { at: SymbolAt { file: *file, place: place as u32 }, score }
        };
        counted.definitions.into_iter().map(score).collect::<Vec<_>>()
    };
    let ranked: Vec<Vec<RankedDefinition>> =
        read.par_iter().map_init(|| Matcher::new(&found.terms), of_file).collect();
    let mut ranked: Vec<RankedDefinition> =
        ranked.into_iter().flatten().filter(|of| of.score > 0.0).collect();
    let best = ranked.iter().map(|of| of.score).fold(f32::MIN_POSITIVE, f32::max);
    ranked.iter_mut().for_each(|of| of.score /= best);
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.at.cmp(&b.at)));
    Ok(ranked)
}

/// How well the best chunks of a file match the words of a task, within one definition and within
/// few lines. Comparable within one task only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Focus {
    /// The score of the best definition, as in [`rank_definitions`].
    pub definition: f32,
    /// The sum of the weights of the terms that occur in the best pair of neighbouring lines.
    pub proximity: f32,
}

/// Returns the [`Focus`] of each of `files`, in the same order. Reads up to `FOCUS_CHUNKS_MAX`
/// chunks of each. O(lines of the chunks).
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] if an index is damaged.
pub fn focus(catalog: &Catalog, found: &TaskEvidence, files: &[FileId]) -> Result<Vec<Focus>> {
    let mut chunks: FxHashMap<FileId, Vec<Range<usize>>> = FxHashMap::default();
    for Chunk { file, lines, .. } in &found.chunks {
        let of_file = chunks.entry(*file).or_default();
        if of_file.len() < FOCUS_CHUNKS_MAX {
            of_file.push(lines.clone());
        }
    }
    let of_file = |matcher: &mut Matcher<'_>, file: &FileId| -> Result<Focus> {
        let Some(mut chunks) = chunks.get(file).cloned() else { return Ok(Focus::default()) };
        let Some(facts) = catalog.facts(*file)? else { return Ok(Focus::default()) };
        if !facts.language.is_code() {
            return Ok(Focus::default());
        }
        let Some(text) = catalog.read(*file, FOCUS_BYTES_MAX) else { return Ok(Focus::default()) };
        chunks.sort_by_key(|lines| lines.start);
        let Counted { definitions, proximity } = matcher.count(&text, &facts.symbols, &chunks);
        let score = |(place, counts): (usize, Counts)| {
            let symbol = &facts.symbols[place];
            matcher.score(symbol, &counts) * of_kind(symbol.kind)
        };
        let definition = definitions.into_iter().map(score).fold(0.0, f32::max);
        Ok(Focus { definition, proximity })
    };
    // The cache of stems of a matcher is large.
    files.par_iter().map_init(|| Matcher::new(&found.terms), of_file).collect()
}

/// Returns the factor for a kind of definition: an answer is mostly a function.
fn of_kind(kind: SymbolKind) -> f32 {
    match kind {
        SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor => 1.0,
        SymbolKind::Constant | SymbolKind::Macro => 0.8,
        SymbolKind::Class
        | SymbolKind::Struct
        | SymbolKind::Union
        | SymbolKind::Enum
        | SymbolKind::Interface
        | SymbolKind::Trait
        | SymbolKind::Type => 0.7,
        // The text of these blocks is that of their members; fields and members of enumerations match by their names
        // alone.
        SymbolKind::Impl | SymbolKind::Field | SymbolKind::EnumMember => 0.0,
        _ => 0.2,
    }
}

/// The occurrences in the lines of one definition.
#[derive(Clone, Debug, Default)]
struct Counts {
    /// By term.
    of: Vec<f32>,
    words: usize,
}

/// The occurrences in some chunks of a file.
#[derive(Clone, Debug, Default)]
struct Counted {
    /// The definitions around their lines, by index.
    definitions: BTreeMap<usize, Counts>,
    /// See [`Focus::proximity`].
    proximity: f32,
}

/// Counts the terms of a query.
struct Matcher<'a> {
    terms: &'a [(Term, f32)],
    /// Indices into `lists`, by stem.
    by_stem: FxHashMap<&'a str, usize>,
    /// Terms with the factor of an occurrence.
    lists: Vec<Vec<(usize, f32)>>,
    stems: Stems,
    /// The words that were looked up: a text repeats most of its words.
    words: FxHashMap<Box<str>, Word>,
    folded: String,
}

/// A part of an identifier, or another word, in lowercase.
#[derive(Clone, Copy)]
enum Word {
    /// A stop word, which does not count.
    Stop,
    /// Another word, with the list of its terms, if any.
    Counted(Option<usize>),
}

impl<'a> Matcher<'a> {
    fn new(terms: &'a [(Term, f32)]) -> Matcher<'a> {
        let mut matcher = Matcher {
            terms,
            by_stem: FxHashMap::default(),
            lists: Vec::new(),
            stems: Stems::default(),
            words: FxHashMap::default(),
            folded: String::new(),
        };
        for (place, (term, _)) in terms.iter().enumerate() {
            matcher.insert(&term.stem, (place, 1.0));
            for (stem, factor) in &term.related {
                matcher.insert(stem, (place, *factor));
            }
        }
        matcher
    }

    fn insert(&mut self, stem: &'a str, term: (usize, f32)) {
        let next = self.lists.len();
        let list = *self.by_stem.entry(stem).or_insert(next);
        if list == next {
            self.lists.push(Vec::new());
        }
        self.lists[list].push(term);
    }

    /// Looks up the part of `folded` from `at` on.
    fn word(&mut self, at: usize) -> Word {
        let word = &self.folded[at..];
        if let Some(&known) = self.words.get(word) {
            return known;
        }
        let new = if is_stop_word(word) {
            Word::Stop
        } else {
            Word::Counted(self.by_stem.get(self.stems.stem(word)).copied())
        };
        self.words.insert(word.into(), new);
        new
    }

    /// Adds the occurrences in `text` to `counts`; returns the number of its words. Whole
    /// identifiers of several parts are looked up too.
    fn add(&mut self, text: &str, counts: &mut [f32]) -> usize {
        let mut words = 0;
        for span in identifiers(text.as_bytes()) {
            self.folded.clear();
            let mut count = 0;
            for part in parts(&text[span]) {
                let at = self.folded.len();
                push_folded(&mut self.folded, part);
                count += 1;
                if let Word::Counted(list) = self.word(at) {
                    words += 1;
                    self.count_terms(list, counts);
                }
            }
            if count > 1 {
                self.count_terms(self.by_stem.get(self.folded.as_str()).copied(), counts);
            }
        }
        words
    }

    fn count_terms(&self, list: Option<usize>, counts: &mut [f32]) {
        let terms = list.and_then(|list| self.lists.get(list));
        terms.into_iter().flatten().for_each(|&(term, by)| counts[term] += by);
    }

    /// Returns the definitions around the lines of `chunks`, which ascend, by index in `symbols`,
    /// with the occurrences in their lines. Lines of an inner definition do not count for the outer
    /// one.
    fn count(&mut self, bytes: &[u8], symbols: &[Symbol], chunks: &[Range<usize>]) -> Counted {
        let mut found = Counted::default();
        let Some(text) = text::decode(bytes) else { return found };
        let starts = starts(bytes, symbols);
        let mut lines = (1..).zip(text.lines());
        for chunk in chunks {
            // The innermost definition around each line of the chunk.
            let mut owners: Vec<Option<usize>> = vec![None; chunk.len()];
            let around = |at: usize, symbol: &Symbol| {
                let start = starts[at].max(chunk.start);
                start..(symbol.end_line + 1).min(chunk.end)
            };
            // A definition follows those that enclose it.
            for (at, symbol) in symbols.iter().enumerate() {
                for line in around(at, symbol) {
                    owners[line - chunk.start] = Some(at);
                }
            }
            let mut left = CHUNK_BYTES_MAX;
            let skipped = chunk.start;
            // The occurrences in the line before and in this line.
            let mut pair = [vec![0.0; self.terms.len()], vec![0.0; self.terms.len()]];
            for (number, line) in lines.by_ref().skip_while(|(number, _)| *number < skipped) {
                let line = text::start(line, left);
                left -= line.len();
                pair.swap(0, 1);
                pair[1].fill(0.0);
                let words = self.add(line, &mut pair[1]);
                found.proximity = found.proximity.max(self.weight_of(&pair));
                if let Some(owner) = owners.get(number - chunk.start).copied().flatten() {
                    let counts = found.definitions.entry(owner).or_default();
                    counts.of.resize(self.terms.len(), 0.0);
                    counts.of.iter_mut().zip(&pair[1]).for_each(|(sum, of)| *sum += of);
                    counts.words += words;
                }
                if number + 1 >= chunk.end {
                    break;
                }
            }
        }
        found
    }

    /// Returns the sum of the weights of the terms that occur in either of two lines.
    fn weight_of(&self, [a, b]: &[Vec<f32>; 2]) -> f32 {
        let most = a.iter().zip(b).map(|(a, b)| a.max(*b).min(1.0));
        self.terms.iter().zip(most).map(|((_, weight), most)| weight * most).sum()
    }

    fn score(&mut self, symbol: &Symbol, counts: &Counts) -> f32 {
        let mut name = vec![0.0; self.terms.len()];
        self.add(&symbol.name, &mut name);
        let mut scope = vec![0.0; self.terms.len()];
        let prefix = symbol.qualified_name.strip_suffix(symbol.name.as_str());
        self.add(prefix.unwrap_or_default(), &mut scope);
        let norm = 1.0 - B + B * counts.words as f32 / AVERAGE_WORDS;
        let of_term = |(at, (_, weight)): (usize, &(Term, f32))| {
            let frequency =
                NAME * name[at].min(1.0) + SCOPE * scope[at].min(1.0) + counts.of[at] / norm;
            weight * frequency * (K1 + 1.0) / (frequency + K1)
        };
        self.terms.iter().enumerate().map(of_term).sum()
    }
}

/// Returns the first line of each symbol with the comments that document it, from 1.
fn starts(bytes: &[u8], symbols: &[Symbol]) -> Vec<usize> {
    let start = |symbol: &Symbol| {
        let doc = symbol.source.doc.first().filter(|_| !symbol.source.is_docstring);
        let between = doc.and_then(|doc| bytes.get(doc.start..symbol.span.start));
        let lines = between.map_or(0, |between| memchr::memchr_iter(b'\n', between).count());
        symbol.line.saturating_sub(lines).max(1)
    };
    symbols.iter().map(start).collect()
}
