//! Scores chunks by BM25 over fields, with the statistics of the live documents.
//!
//! Base index (`base`) and overlay add the same numbers in the same order for each document, so the
//! result does not depend on which of them contains a document. There is no pruning: O(postings of
//! the terms + documents).

use std::sync::Arc;

use super::files::Documents;
use super::length::{Length, Totals};
use super::overlay::Overlay;
use super::query::{Bm25, Query, TERMS_MAX, Term};
use super::{FIELDS, Field};
use crate::error::Result;

mod base;
mod best;

pub(super) use base::Split;
use best::{Best, Place};

/// The score of a file is the sum of this many best chunks.
const CHUNKS_OF_FILE: usize = 3;

/// Length normalization of whole files, 0 to 1 (BM25 b).
const FILE_B: f32 = 0.9;

/// A chunk and its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The file's repository path.
    pub path: Vec<u8>,
    /// The number of the chunk in its file, from 0.
    pub ordinal: usize,
    /// Its lines, from 1.
    pub lines: std::ops::Range<usize>,
    /// The BM25 score.
    pub score: f32,
}

/// A file and its score.
#[derive(Clone, Debug, PartialEq)]
pub struct FileHit {
    /// The repository path.
    pub path: Vec<u8>,
    /// The sum of its best three chunks.
    pub score: f32,
    /// The sum over the terms of the best chunk's score for each term. It is high if the file
    /// covers all terms, even in different chunks.
    pub covered: f32,
    /// The score of the whole file as one document: the frequencies of a term in its chunks, each
    /// normalised by the chunk's length, are summed and normalised by the number of chunks.
    pub whole: f32,
    /// The score of its best chunk.
    pub best: f32,
    /// The numbers of its best chunks, best first.
    pub ordinals: Vec<usize>,
}

/// The scores of all chunks for one query.
#[derive(Debug)]
pub struct Ranking<'a> {
    overlay: &'a Overlay,
    documents: Documents<'a>,
    /// Scores of the documents of the base index.
    base: Vec<f32>,
    /// The best of these of each file of the base index.
    base_best: Vec<f32>,
    /// Scores of the chunks of edited files, by file.
    edited: Vec<Vec<f32>>,
    /// Scores of the files of the base index.
    base_files: Vec<FileSums>,
    /// Scores of edited files.
    edited_files: Vec<FileSums>,
    /// The boost of each term times its inverse document frequency.
    weights: Vec<f32>,
}

/// Scores of one file that are not sums over its chunks.
#[derive(Clone, Copy, Debug, Default)]
struct FileSums {
    /// See [`FileHit::covered`].
    covered: f32,
    /// See [`FileHit::whole`].
    whole: f32,
}

impl FileSums {
    fn add(&mut self, other: FileSums) {
        self.covered += other.covered;
        self.whole += other.whole;
    }
}

/// Terms whose scores are added before they are added to those of other terms. Fixed, because the order
/// of additions affects the result.
const TERMS_AT_ONCE: usize = 24;

/// Scores every chunk for `query`.
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] if the index is damaged.
pub fn rank<'a>(overlay: &'a Overlay, query: &Query, bm25: &Bm25) -> Result<Ranking<'a>> {
    rank_by(overlay, query, bm25, Split::default())
}

/// As [`rank`]; `split` does not affect the result.
pub(super) fn rank_by<'a>(
    overlay: &'a Overlay,
    query: &Query,
    bm25: &Bm25,
    split: Split,
) -> Result<Ranking<'a>> {
    let documents = overlay.base().files().view()?;
    let terms = &query.terms[..query.terms.len().min(TERMS_MAX)];
    let lengths = FileLengths::new(overlay, &documents);
    let live = overlay.live();
    let mut kept_norms: Vec<([f32; FIELDS], Arc<Norms>)> = Vec::new();
    let mut scorers: Vec<Scorer<'_>> = Vec::with_capacity(terms.len());
    for term in terms {
        let norms = match kept_norms.iter().find(|(weights, _)| *weights == term.weights) {
            Some((_, norms)) => Arc::clone(norms),
            None => {
                let norms = Arc::new(norms(term, bm25, &live));
                kept_norms.push((term.weights, Arc::clone(&norms)));
                norms
            }
        };
        scorers.push(Scorer { term, k1: bm25.k1, norms, weight: 0.0 });
    }
    let edited: Vec<EditedFrequencies> =
        scorers.iter().map(|scorer| scorer.edited_frequencies(overlay)).collect();
    let lists = base::Lists::new(overlay, &scorers)?;
    let found = lists.document_counts(overlay);
    for ((scorer, edited), found) in scorers.iter_mut().zip(&edited).zip(found) {
        scorer.weigh(found + edited.len(), &live, overlay.rarity(&scorer.term.stem));
    }
    let base::Scores { documents: base, files: base_files, best: base_best } =
        base::scores(overlay, &documents, &lengths, (&scorers, &lists), split);
    let (edited, edited_files) = edited_scores(overlay, &lengths, &scorers, &edited);
    let weights = scorers.iter().map(|scorer| scorer.weight).collect();
    Ok(Ranking { overlay, documents, base, base_best, edited, base_files, edited_files, weights })
}

/// The weighted frequency of a term in the chunks of edited files, by file index and chunk.
type EditedFrequencies = Vec<((usize, u32), f32)>;

/// Returns the scores of the chunks of edited files, and of these files.
fn edited_scores(
    overlay: &Overlay,
    lengths: &FileLengths,
    scorers: &[Scorer<'_>],
    frequencies: &[EditedFrequencies],
) -> (Vec<Vec<f32>>, Vec<FileSums>) {
    let none = || -> (Vec<Vec<f32>>, Vec<FileSums>) {
        let chunks = overlay.files().iter().map(|file| vec![0.0; file.chunks.len()]);
        (chunks.collect(), vec![FileSums::default(); overlay.files().len()])
    };
    let norm = |file: usize| lengths.norm(overlay.files()[file].chunks.len());
    let batches = scorers.chunks(TERMS_AT_ONCE).zip(frequencies.chunks(TERMS_AT_ONCE));
    let batch = |(scorers, frequencies): (&[Scorer<'_>], &[EditedFrequencies])| {
        let (mut chunks, mut files) = none();
        for (scorer, frequencies) in scorers.iter().zip(frequencies) {
            let mut of_file = OfFile::default();
            for &((now, chunk), frequency) in frequencies {
                let score = scorer.score(frequency);
                chunks[now][chunk as usize] += score;
                if now != of_file.file {
                    of_file.flush(now, &mut files, scorer, norm);
                }
                of_file.add(score, frequency);
            }
            of_file.flush(0, &mut files, scorer, norm);
        }
        (chunks, files)
    };
    let add = |(mut chunks, mut files): (Vec<Vec<f32>>, Vec<FileSums>), more: (Vec<_>, Vec<_>)| {
        for (to, more) in chunks.iter_mut().zip(&more.0) {
            let more: &Vec<f32> = more;
            to.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        files.iter_mut().zip(more.1).for_each(|(sum, more)| sum.add(more));
        (chunks, files)
    };
    batches.map(batch).reduce(add).unwrap_or_else(none)
}

/// The lengths of files, in chunks, relative to the average of the live files that have any.
#[derive(Debug)]
struct FileLengths {
    average: f32,
}

impl FileLengths {
    /// O(files).
    fn new(overlay: &Overlay, documents: &Documents<'_>) -> FileLengths {
        let base = (0..overlay.base().files().len()).filter(|&file| {
            let of = documents.of(file);
            !of.is_empty() && !overlay.is_masked(of.start)
        });
        let edited = overlay.files().iter().filter(|file| !file.chunks.is_empty());
        let files = base.count() + edited.count();
        FileLengths { average: overlay.live().documents as f32 / files.max(1) as f32 }
    }

    /// Returns the divisor of the term frequencies of a file with this many chunks.
    fn norm(&self, chunks: usize) -> f32 {
        1.0 - FILE_B + FILE_B * chunks as f32 / self.average.max(1.0)
    }
}

/// Collects the scores of a term by file; documents come in ascending order.
#[derive(Default)]
struct OfFile {
    file: usize,
    most: f32,
    frequency: f32,
}

impl OfFile {
    fn add(&mut self, score: f32, frequency: f32) {
        self.most = self.most.max(score);
        self.frequency += frequency;
    }

    /// Adds the collected scores to `sums` and begins with `file`.
    fn flush(
        &mut self,
        file: usize,
        sums: &mut [FileSums],
        scorer: &Scorer<'_>,
        norm: impl Fn(usize) -> f32,
    ) {
        if let Some(sum) = sums.get_mut(self.file).filter(|_| self.frequency > 0.0) {
            sum.add(FileSums {
                covered: self.most,
                whole: scorer.score(self.frequency / norm(self.file)),
            });
        }
        *self = OfFile { file, ..OfFile::default() };
    }
}

/// The weight of one occurrence, by field and length code.
type Norms = [[f32; 256]; FIELDS];

fn norms(term: &Term, bm25: &Bm25, live: &Totals) -> Norms {
    std::array::from_fn(|field| {
        let (b, average) = (bm25.b[field], live.average(field));
        let norm = |code: usize| {
            let length = Length(code as u8).words() as f32;
            term.weights[field] / (1.0 - b + b * length / average).max(f32::EPSILON)
        };
        std::array::from_fn(norm)
    })
}

/// Computes the score of one term in each document.
#[derive(Debug)]
struct Scorer<'a> {
    term: &'a Term,
    k1: f32,
    norms: Arc<Norms>,
    /// The boost of the term times its inverse document frequency.
    weight: f32,
}

impl Scorer<'_> {
    /// Sets the weight of the term, which occurs in this many live documents; `known` is its inverse
    /// document frequency if that is known.
    fn weigh(&mut self, documents: usize, live: &Totals, known: Option<f32>) {
        let (found, all) = (documents as f64, live.documents as f64);
        let rarity = || (1.0 + ((all - found).max(0.0) + 0.5) / (found + 0.5)).ln() as f32;
        self.weight = self.term.boost * known.unwrap_or_else(rarity);
    }

    fn frequency(&self, field: Field, length: Length, count: f32) -> f32 {
        self.norms[field.index()][usize::from(length.0)] * count
    }

    /// Returns the stem of the term and the related ones, with their factors.
    fn stems(&self) -> impl Iterator<Item = (&str, f32)> {
        let related = self.term.related.iter().map(|(stem, factor)| (stem.as_str(), *factor));
        std::iter::once((self.term.stem.as_str(), 1.0)).chain(related)
    }

    fn score(&self, frequency: f32) -> f32 {
        self.weight * (frequency * (self.k1 + 1.0) / (frequency + self.k1))
    }

    fn fields(&self) -> impl Iterator<Item = Field> + use<> {
        let weights = self.term.weights;
        Field::ALL.into_iter().filter(move |field| weights[field.index()] > 0.0)
    }

    /// Returns the weighted frequency of the term in each chunk of the edited files, by file index
    /// and chunk.
    fn edited_frequencies(&self, overlay: &Overlay) -> EditedFrequencies {
        let mut found = Vec::new();
        for (place, file) in overlay.files().iter().enumerate() {
            let mut sum: Vec<(u32, f32)> = Vec::new();
            for field in self.fields() {
                for (stem, factor) in self.stems() {
                    let of_stem = |&(chunk, count): &(u32, u32)| {
                        let length = file.chunks[chunk as usize].lengths[field.index()];
                        (chunk, self.frequency(field, length, factor * count as f32))
                    };
                    let postings = file.postings(field, stem).iter();
                    sum = merge(sum, &postings.map(of_stem).collect::<Vec<_>>());
                }
            }
            found.extend(sum.into_iter().map(|(chunk, frequency)| ((place, chunk), frequency)));
        }
        found
    }
}

/// Adds `new` to `sum`; both ascend.
fn merge(sum: Vec<(u32, f32)>, new: &[(u32, f32)]) -> Vec<(u32, f32)> {
    if sum.is_empty() {
        return new.to_vec();
    }
    if new.is_empty() {
        return sum;
    }
    let mut merged = Vec::with_capacity(sum.len() + new.len());
    let mut new = new.iter().copied().peekable();
    for (at, value) in sum {
        while let Some(before) = new.next_if(|(other, _)| *other < at) {
            merged.push(before);
        }
        let more = new.next_if(|(other, _)| *other == at);
        merged.push((at, more.map_or(value, |(_, more)| value + more)));
    }
    merged.extend(new);
    merged
}

impl Ranking<'_> {
    /// Returns the weight of each term that was searched, in the order of the query: its boost times
    /// its inverse document frequency.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Returns the best `k` chunks, ordered by score, then path, then position in the file.
    /// O(documents).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if the index is damaged.
    pub fn chunks(&self, k: usize) -> Result<Vec<Hit>> {
        let mut best = Best::new(k);
        self.each_file(|place, most, scores| {
            if best.is_below(most) {
                return;
            }
            for (ordinal, &score) in scores.iter().enumerate().filter(|(_, score)| **score > 0.0) {
                best.push(score, place, ordinal, ());
            }
        });
        let mut hits = Vec::new();
        for candidate in best.finish() {
            hits.push(Hit {
                path: self.path(candidate.place)?.to_vec(),
                ordinal: candidate.ordinal,
                lines: self.lines(candidate.place, candidate.ordinal),
                score: candidate.score,
            });
        }
        Ok(hits)
    }

    /// Returns the best `k` files, ordered by score, then path. O(documents).
    pub fn files(&self, k: usize) -> Result<Vec<FileHit>> {
        let mut best = Best::new(k);
        self.each_file(|place, most, scores| {
            // Rounding is monotone, so the sum of the best three is at most this.
            if best.is_below(most + most + most) {
                return;
            }
            let mut top = [(0.0_f32, 0_u32); CHUNKS_OF_FILE];
            for (ordinal, &score) in (0..).zip(scores) {
                // Among equal scores, the first chunk stays first.
                let at = top.iter().position(|(other, _)| *other < score);
                if let Some(at) = at {
                    top[at..].rotate_right(1);
                    top[at] = (score, ordinal);
                }
            }
            if top[0].0 > 0.0 {
                best.push(top.iter().map(|(score, _)| score).sum(), place, 0, top);
            }
        });
        let mut hits = Vec::new();
        for candidate in best.finish() {
            let path = self.path(candidate.place)?.to_vec();
            let of_file = match candidate.place {
                Place::Base(file) => self.base_files[file],
                Place::Edited { file, .. } => self.edited_files[file],
            };
            let top = candidate.what.iter().filter(|(score, _)| *score > 0.0);
            let ordinals = top.map(|(_, ordinal)| *ordinal as usize).collect();
            let score = candidate.score;
            let best = candidate.what[0].0;
            let FileSums { covered, whole } = of_file;
            hits.push(FileHit { path, score, covered, whole, best, ordinals });
        }
        Ok(hits)
    }

    /// Calls `each` with every live file that has a score, the best score of its chunks, and the scores
    /// of all of them, in unspecified order.
    fn each_file(&self, mut each: impl FnMut(Place, f32, &[f32])) {
        for (file, &most) in self.base_best.iter().enumerate().filter(|(_, most)| **most > 0.0) {
            // Masked documents have no score.
            if let Some(scores) = self.base.get(self.documents.of(file)) {
                each(Place::Base(file), most, scores);
            }
        }
        for (file, scores) in self.edited.iter().enumerate() {
            let most = scores.iter().copied().fold(0.0, f32::max);
            if most > 0.0 {
                each(Place::Edited { slot: self.overlay.files()[file].slot, file }, most, scores);
            }
        }
    }

    fn path(&self, place: Place) -> Result<&[u8]> {
        match place {
            Place::Base(file) => self.overlay.base().files().path(file),
            Place::Edited { file, .. } => Ok(&self.overlay.files()[file].path),
        }
    }

    fn lines(&self, place: Place, ordinal: usize) -> std::ops::Range<usize> {
        match place {
            Place::Base(file) => self.documents.lines(self.documents.of(file), ordinal),
            Place::Edited { file, .. } => {
                let chunks = &self.overlay.files()[file].chunks;
                let lines = |chunks: &[super::overlay::EditedChunk]| {
                    chunks.iter().map(|chunk| usize::from(chunk.lines)).sum::<usize>()
                };
                1 + lines(&chunks[..ordinal])..1 + lines(&chunks[..=ordinal])
            }
        }
    }
}
