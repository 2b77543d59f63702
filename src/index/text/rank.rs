//! Scores chunks by BM25 over fields, with the statistics of the live documents.
//!
//! Base index and overlay add the same numbers in the same order for each document, so the result
//! does not depend on which of them contains a document. There is no pruning: O(postings of the
//! terms + documents).

use std::sync::Arc;

use rayon::prelude::*;

use super::files::Documents;
use super::length::{Length, Totals};
use super::overlay::Overlay;
use super::query::{Bm25, Query, TERMS_MAX, Term};
use super::{FIELDS, Field};
use crate::base::bits::Bits;
use crate::error::Result;

mod best;

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

/// Terms whose scores are added by one thread. Fixed, because the order of additions affects the
/// result.
const TERMS_AT_ONCE: usize = 24;

/// The summed scores of a batch of terms.
#[derive(Debug)]
struct Sums {
    base: Vec<f32>,
    edited: Vec<Vec<f32>>,
    base_files: Vec<FileSums>,
    edited_files: Vec<FileSums>,
    /// The weights of the terms.
    weights: Vec<f32>,
}

impl Sums {
    /// Adds the scores of `other`, whose terms come after those of `self`.
    fn with(mut self, other: Sums) -> Sums {
        let add = |to: &mut [f32], more: &[f32]| {
            to.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        };
        add(&mut self.base, &other.base);
        self.weights.extend(other.weights);
        for (to, more) in
            [(&mut self.base_files, other.base_files), (&mut self.edited_files, other.edited_files)]
        {
            to.iter_mut().zip(more).for_each(|(sum, more)| sum.add(more));
        }
        for (to, more) in self.edited.iter_mut().zip(&other.edited) {
            add(to, more);
        }
        self
    }
}

/// Scores every chunk for `query`.
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] if the index is damaged.
pub fn rank<'a>(overlay: &'a Overlay, query: &Query, bm25: &Bm25) -> Result<Ranking<'a>> {
    let documents = overlay.base().files().view()?;
    let terms = &query.terms[..query.terms.len().min(TERMS_MAX)];
    let lengths = FileLengths::new(overlay, &documents);
    let batches: Vec<Sums> = if terms.len() > TERMS_AT_ONCE {
        terms
            .par_chunks(TERMS_AT_ONCE)
            .map(|terms| sums(overlay, &documents, &lengths, terms, bm25))
            .collect::<Result<_>>()?
    } else {
        vec![sums(overlay, &documents, &lengths, terms, bm25)?]
    };
    let sums = batches.into_iter().reduce(Sums::with).expect("at least one batch");
    let Sums { base, edited, base_files, edited_files, weights } = sums;
    Ok(Ranking { overlay, documents, base, edited, base_files, edited_files, weights })
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

fn sums(
    overlay: &Overlay,
    documents: &Documents<'_>,
    lengths: &FileLengths,
    terms: &[Term],
    bm25: &Bm25,
) -> Result<Sums> {
    let mut sums = Sums {
        base: vec![0.0; overlay.base().files().documents()],
        edited: overlay.files().iter().map(|file| vec![0.0; file.chunks.len()]).collect(),
        base_files: vec![FileSums::default(); overlay.base().files().len()],
        edited_files: vec![FileSums::default(); overlay.files().len()],
        weights: Vec::with_capacity(terms.len()),
    };
    let live = overlay.live();
    let mut frequencies = Frequencies::new(sums.base.len());
    let mut kept_norms: Vec<([f32; FIELDS], Arc<Norms>)> = Vec::new();
    for term in terms {
        let norms = match kept_norms.iter().find(|(weights, _)| *weights == term.weights) {
            Some((_, norms)) => Arc::clone(norms),
            None => {
                let norms = Arc::new(norms(term, bm25, &live));
                kept_norms.push((term.weights, Arc::clone(&norms)));
                norms
            }
        };
        let mut scorer = Scorer { term, k1: bm25.k1, norms, weight: 0.0 };
        scorer.frequencies(overlay, documents, &mut frequencies)?;
        let edited = scorer.edited_frequencies(overlay);
        scorer.weigh(frequencies.len() + edited.len(), &live);
        sums.weights.push(scorer.weight);
        let of_base = |file| lengths.norm(documents.of(file).len());
        let mut of_file = OfFile::default();
        frequencies.take_each(|document, frequency| {
            let score = scorer.score(frequency);
            sums.base[document] += score;
            let now = documents.file_of(document);
            if now != of_file.file {
                of_file.flush(now, &mut sums.base_files, &scorer, of_base);
            }
            of_file.add(score, frequency);
        });
        of_file.flush(0, &mut sums.base_files, &scorer, of_base);
        let of_edited = |file: usize| lengths.norm(overlay.files()[file].chunks.len());
        let mut of_file = OfFile::default();
        for ((now, chunk), frequency) in edited {
            let score = scorer.score(frequency);
            sums.edited[now][chunk as usize] += score;
            if now != of_file.file {
                of_file.flush(now, &mut sums.edited_files, &scorer, of_edited);
            }
            of_file.add(score, frequency);
        }
        of_file.flush(0, &mut sums.edited_files, &scorer, of_edited);
    }
    Ok(sums)
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

/// The weighted frequency of one term in each document, as an array, so that the lists of several
/// fields need not be merged.
#[derive(Debug)]
struct Frequencies {
    of: Vec<f32>,
    found: Bits,
    count: usize,
}

impl Frequencies {
    fn new(documents: usize) -> Frequencies {
        Frequencies { of: vec![0.0; documents], found: Bits::new(documents), count: 0 }
    }

    /// Returns the number of documents that contain the term.
    fn len(&self) -> usize {
        self.count
    }

    fn add(&mut self, document: usize, frequency: f32) {
        let Some(sum) = self.of.get_mut(document) else { return };
        if *sum == 0.0 {
            self.found.insert(document);
            self.count += 1;
        }
        *sum += frequency;
    }

    /// Calls `visit` with each document that contains the term, ascending, and resets its
    /// frequency.
    fn take_each(&mut self, mut visit: impl FnMut(usize, f32)) {
        let of = &mut self.of;
        self.found.take_each(|document| visit(document, std::mem::take(&mut of[document])));
        self.count = 0;
    }
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
    /// Sets the weight of the term, which occurs in this many live documents.
    fn weigh(&mut self, documents: usize, live: &Totals) {
        let (found, all) = (documents as f64, live.documents as f64);
        let rarity = (1.0 + ((all - found).max(0.0) + 0.5) / (found + 0.5)).ln();
        self.weight = self.term.boost * rarity as f32;
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

    /// Adds the weighted frequency of the term in each live document of the index to `sums`.
    fn frequencies(
        &self,
        overlay: &Overlay,
        documents: &Documents<'_>,
        sums: &mut Frequencies,
    ) -> Result<()> {
        for field in self.fields() {
            let norms = &self.norms[field.index()];
            let mut add = |document: u32, count: f32| {
                let document = document as usize;
                if !overlay.is_masked(document) {
                    let length = documents.length(document, field.index());
                    sums.add(document, norms[usize::from(length.0)] * count);
                }
            };
            for (stem, factor) in self.stems() {
                overlay.base().postings(field, stem, |first, postings| {
                    while !postings.docs().is_empty() {
                        for (&document, &count) in postings.docs().iter().zip(postings.freqs()) {
                            add(first + document, factor * count as f32);
                        }
                        postings.advance();
                    }
                })?;
            }
        }
        Ok(())
    }

    /// Returns the weighted frequency of the term in each chunk of the edited files, by file index
    /// and chunk.
    fn edited_frequencies(&self, overlay: &Overlay) -> Vec<((usize, u32), f32)> {
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
        self.each_file(|place, scores| {
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
        self.each_file(|place, scores| {
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

    /// Calls `each` with every live file and the scores of its chunks, in unspecified order.
    fn each_file(&self, mut each: impl FnMut(Place, &[f32])) {
        for file in 0..self.overlay.base().files().len() {
            // Masked documents have no score.
            let documents = self.documents.of(file);
            if let Some(scores) = self.base.get(documents) {
                each(Place::Base(file), scores);
            }
        }
        for (file, scores) in self.edited.iter().enumerate() {
            each(Place::Edited { slot: self.overlay.files()[file].slot, file }, scores);
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
