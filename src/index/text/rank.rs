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
    /// [`FileHit::covered`] of the files of the base index.
    base_files: Vec<f32>,
    /// [`FileHit::covered`] of edited files.
    edited_files: Vec<f32>,
}

/// Terms whose scores are added by one thread. Fixed, because the order of additions affects the
/// result.
const TERMS_AT_ONCE: usize = 24;

/// The summed scores of a batch of terms.
#[derive(Debug)]
struct Sums {
    base: Vec<f32>,
    edited: Vec<Vec<f32>>,
    base_files: Vec<f32>,
    edited_files: Vec<f32>,
}

impl Sums {
    /// Adds the scores of `other`, whose terms come after those of `self`.
    fn with(mut self, other: Sums) -> Sums {
        let add = |to: &mut [f32], more: &[f32]| {
            to.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        };
        add(&mut self.base, &other.base);
        add(&mut self.base_files, &other.base_files);
        add(&mut self.edited_files, &other.edited_files);
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
    let batches: Vec<Sums> = if terms.len() > TERMS_AT_ONCE {
        terms
            .par_chunks(TERMS_AT_ONCE)
            .map(|terms| sums(overlay, &documents, terms, bm25))
            .collect::<Result<_>>()?
    } else {
        vec![sums(overlay, &documents, terms, bm25)?]
    };
    let sums = batches.into_iter().reduce(Sums::with).expect("at least one batch");
    let Sums { base, edited, base_files, edited_files } = sums;
    Ok(Ranking { overlay, documents, base, edited, base_files, edited_files })
}

fn sums(overlay: &Overlay, documents: &Documents<'_>, terms: &[Term], bm25: &Bm25) -> Result<Sums> {
    let mut sums = Sums {
        base: vec![0.0; overlay.base().files().documents()],
        edited: overlay.files().iter().map(|file| vec![0.0; file.chunks.len()]).collect(),
        base_files: vec![0.0; overlay.base().files().len()],
        edited_files: vec![0.0; overlay.files().len()],
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
        let (mut file, mut most) = (0, 0.0_f32);
        frequencies.take_each(|document, frequency| {
            let score = scorer.score(frequency);
            sums.base[document] += score;
            let now = documents.file_of(document);
            if now != file {
                sums.base_files[file] += most;
                (file, most) = (now, 0.0);
            }
            most = most.max(score);
        });
        if let Some(sum) = sums.base_files.get_mut(file) {
            *sum += most;
        }
        let (mut file, mut most) = (0, 0.0_f32);
        for ((now, chunk), frequency) in edited {
            let score = scorer.score(frequency);
            sums.edited[now][chunk as usize] += score;
            if now != file {
                sums.edited_files[file] += most;
                (file, most) = (now, 0.0);
            }
            most = most.max(score);
        }
        if let Some(sum) = sums.edited_files.get_mut(file) {
            *sum += most;
        }
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

    fn frequency(&self, field: Field, length: Length, count: u32) -> f32 {
        self.norms[field.index()][usize::from(length.0)] * count as f32
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
            let mut add = |document: u32, count: u32| {
                let document = document as usize;
                if !overlay.is_masked(document) {
                    let length = documents.length(document, field.index());
                    sums.add(document, norms[usize::from(length.0)] * count as f32);
                }
            };
            overlay.base().postings(field, &self.term.stem, |first, postings| {
                while !postings.docs().is_empty() {
                    for (&document, &count) in postings.docs().iter().zip(postings.freqs()) {
                        add(first + document, count);
                    }
                    postings.advance();
                }
            })?;
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
                let postings = file.postings(field, &self.term.stem);
                let of_field: Vec<(u32, f32)> = postings
                    .iter()
                    .map(|&(chunk, count)| {
                        let length = file.chunks[chunk as usize].lengths[field.index()];
                        (chunk, self.frequency(field, length, count))
                    })
                    .collect();
                sum = merge(sum, &of_field);
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
            let covered = match candidate.place {
                Place::Base(file) => self.base_files[file],
                Place::Edited { file, .. } => self.edited_files[file],
            };
            let top = candidate.what.iter().filter(|(score, _)| *score > 0.0);
            let ordinals = top.map(|(_, ordinal)| *ordinal as usize).collect();
            let score = candidate.score;
            hits.push(FileHit { path, score, covered, ordinals });
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
