//! Scores of the documents and files of the base index.
//!
//! The documents are processed in parts, by several threads, and each part in blocks whose scores fit
//! into the cache of a processor: going through all documents for one term after the other takes about
//! twice as long on a large tree, nearly all of it waiting for memory. Each block goes through all
//! terms in their order, so the result does not depend on the parts and blocks.

use std::ops::Range;

use rayon::prelude::*;
use tantivy::postings::BlockSegmentPostings;

use super::super::files::Documents;
use super::super::overlay::Overlay;
use super::{FileLengths, FileSums, Scorer, TERMS_AT_ONCE};
use crate::base::bits::Bits;
use crate::error::Result;

/// How the documents are divided. Does not affect the result.
#[derive(Clone, Copy, Debug)]
pub(in crate::index::text) struct Split {
    /// Minimum number of documents in a part.
    pub(in crate::index::text) part: usize,
    /// Minimum number of documents in a block: frequencies, scores, lengths and owners take about 20
    /// bytes of each. Blocks end where a file ends.
    pub(in crate::index::text) block: usize,
}

impl Default for Split {
    fn default() -> Split {
        Split { part: 64 << 10, block: 16 << 10 }
    }
}

/// Scores by document and by file.
#[derive(Debug)]
pub(super) struct Scores {
    pub(super) documents: Vec<f32>,
    pub(super) files: Vec<FileSums>,
    /// The best score of a document of each file.
    pub(super) best: Vec<f32>,
}

/// The rest of a posting list of one stem in one field.
#[derive(Clone)]
struct Cursor {
    postings: BlockSegmentPostings,
    /// The position in the current block of the list.
    at: usize,
    /// The number of the first document of its segment.
    first: usize,
    field: usize,
    /// The factor of its stem.
    factor: f32,
}

impl Cursor {
    /// Calls `visit` with the documents below `end` that are left, ascending, and their frequencies.
    fn until(&mut self, end: usize, mut visit: impl FnMut(usize, u32)) {
        let (first, end) = (self.first, end.saturating_sub(self.first));
        loop {
            let docs = self.postings.docs();
            if docs.is_empty() {
                return;
            }
            let rest = docs.get(self.at..).unwrap_or_default();
            let below = rest.partition_point(|&document| (document as usize) < end);
            let freqs = self.postings.freqs().get(self.at..).unwrap_or_default();
            for (&document, &count) in rest[..below].iter().zip(freqs) {
                visit(first + document as usize, count);
            }
            self.at += below;
            if self.at < docs.len() {
                return;
            }
            self.postings.advance();
            self.at = 0;
        }
    }

    /// Skips the documents below `start`.
    fn skip_to(&mut self, start: usize) {
        if let Some(start) = start.checked_sub(self.first).and_then(|at| u32::try_from(at).ok())
            && start > 0
        {
            self.at = self.postings.seek(start);
        }
    }
}

/// The posting lists of each term, by field, stem and segment.
pub(super) struct Lists(Vec<Vec<Cursor>>);

impl Lists {
    /// Opens the posting lists of all terms.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if the index is damaged.
    pub(super) fn new(overlay: &Overlay, scorers: &[Scorer<'_>]) -> Result<Lists> {
        let of_term = |scorer: &Scorer<'_>| {
            let mut cursors = Vec::new();
            for field in scorer.fields() {
                for (stem, factor) in scorer.stems() {
                    overlay.base().postings(field, stem, |first, postings| {
                        let (first, field) = (first as usize, field.index());
                        cursors.push(Cursor { postings, at: 0, first, field, factor });
                    })?;
                }
            }
            Ok(cursors)
        };
        scorers.par_iter().map(of_term).collect::<Result<_>>().map(Lists)
    }

    /// Returns the number of live documents that contain each term. O(postings).
    pub(super) fn document_counts(&self, overlay: &Overlay) -> Vec<usize> {
        let all = overlay.base().files().documents();
        let count = |found: &mut Bits, cursors: &Vec<Cursor>| {
            let mut count = 0;
            for mut cursor in cursors.iter().cloned() {
                cursor.until(all, |document, _| {
                    if !overlay.is_masked(document) {
                        count += usize::from(found.insert_new(document));
                    }
                });
            }
            found.clear();
            count
        };
        self.0.par_iter().map_init(|| Bits::new(all), count).collect()
    }
}

/// Returns the scores for all terms, whose weights are set. O(postings + documents).
pub(super) fn scores(
    overlay: &Overlay,
    documents: &Documents<'_>,
    lengths: &FileLengths,
    (scorers, lists): (&[Scorer<'_>], &Lists),
    split: Split,
) -> Scores {
    let (all, files) = (overlay.base().files().documents(), overlay.base().files().len());
    let mut scores = Scores {
        documents: vec![0.0; all],
        files: vec![FileSums::default(); files],
        best: vec![0.0; files],
    };
    let parts = rayon::current_num_threads().min(all / split.part.max(1)).max(1);
    let start_of = |file: usize| if file < files { documents.of(file).start } else { all };
    let (mut of_documents, mut of_files) = (&mut *scores.documents, &mut *scores.files);
    let mut best = &mut *scores.best;
    let mut jobs = Vec::with_capacity(parts);
    let mut file = 0;
    for part in 1..=parts {
        // The last part has the files without documents, too.
        let end = if part == parts { files } else { documents.file_of(all * part / parts) };
        let end = end.clamp(file, files);
        let len = start_of(end).saturating_sub(start_of(file)).min(of_documents.len());
        let (mine, rest) = of_documents.split_at_mut(len);
        let (my_files, rest_files) = of_files.split_at_mut(end - file);
        let (my_best, rest_best) = best.split_at_mut(end - file);
        (of_documents, of_files, best) = (rest, rest_files, rest_best);
        jobs.push((file..end, PartScores { documents: mine, files: my_files, best: my_best }));
        file = end;
    }
    let part = Part { overlay, documents, lengths, scorers };
    let job = |(files, scores): (Range<usize>, PartScores<'_>)| {
        let mut lists = lists.0.clone();
        let start = start_of(files.start);
        lists.iter_mut().flatten().for_each(|cursor| cursor.skip_to(start));
        part.add(&mut lists, files, split.block, scores);
    };
    jobs.into_par_iter().for_each(job);
    scores
}

/// Where the scores of a part are written.
struct PartScores<'a> {
    documents: &'a mut [f32],
    files: &'a mut [FileSums],
    best: &'a mut [f32],
}

/// What the scores of a part are computed from.
struct Part<'a> {
    overlay: &'a Overlay,
    documents: &'a Documents<'a>,
    lengths: &'a FileLengths,
    scorers: &'a [Scorer<'a>],
}

/// Scores of a block, for one batch of terms.
#[derive(Default)]
struct Block {
    documents: Vec<f32>,
    files: Vec<FileSums>,
}

impl Part<'_> {
    /// Adds the scores of the documents of `files`, in blocks.
    fn add(
        &self,
        lists: &mut [Vec<Cursor>],
        files: Range<usize>,
        block_min: usize,
        scores: PartScores<'_>,
    ) {
        let first = self.documents.of(files.start).start;
        let mut frequencies = Frequencies::default();
        let (mut batch, mut norms) = (Block::default(), Vec::new());
        let mut file = files.start;
        while file < files.end {
            let block = self.block(file..files.end, block_min);
            let range = self.documents.of(block.start).start..self.documents.of(block.end - 1).end;
            frequencies.reset(range.clone());
            norms.clear();
            norms.extend(block.clone().map(|of| self.lengths.norm(self.documents.of(of).len())));
            let of_documents = scores
                .documents
                .get_mut(range.start.wrapping_sub(first)..range.end.wrapping_sub(first))
                .unwrap_or_default();
            let in_part = block.start - files.start..block.end - files.start;
            let of_files = &mut scores.files[in_part.clone()];
            let batches = self.scorers.chunks(TERMS_AT_ONCE).zip(lists.chunks_mut(TERMS_AT_ONCE));
            for (scorers, lists) in batches {
                batch.documents.clear();
                batch.documents.resize(of_documents.len(), 0.0);
                batch.files.clear();
                batch.files.resize(of_files.len(), FileSums::default());
                for (scorer, cursors) in scorers.iter().zip(lists) {
                    self.fill(&mut frequencies, scorer, cursors, range.clone());
                    let owners = self.documents.owners(range.clone());
                    frequencies.score(scorer, owners, block.start, &norms, &mut batch);
                }
                of_documents.iter_mut().zip(&batch.documents).for_each(|(sum, more)| *sum += more);
                of_files.iter_mut().zip(&batch.files).for_each(|(sum, more)| sum.add(*more));
            }
            for (best, file) in scores.best[in_part].iter_mut().zip(block.clone()) {
                let of = self.documents.of(file);
                let of = of.start.wrapping_sub(range.start)..of.end.wrapping_sub(range.start);
                let scores = of_documents.get(of).unwrap_or_default();
                *best = scores.iter().copied().fold(0.0, f32::max);
            }
            file = block.end;
        }
    }

    /// Returns the first of `files` that have enough documents for a block.
    fn block(&self, files: Range<usize>, block_min: usize) -> Range<usize> {
        let first = self.documents.of(files.start).start;
        let is_enough = |file: &usize| self.documents.of(*file).end >= first + block_min;
        let last = files.clone().find(is_enough).unwrap_or(files.end - 1);
        files.start..last + 1
    }

    /// Adds the weighted frequency of a term in each live document of `range`. Not inlined, since it
    /// and [`Frequencies::score`] need all registers.
    #[inline(never)]
    fn fill(
        &self,
        frequencies: &mut Frequencies,
        scorer: &Scorer<'_>,
        cursors: &mut [Cursor],
        range: Range<usize>,
    ) {
        let (documents, has_masked) = (self.documents, self.overlay.has_masked());
        for cursor in cursors {
            let (field, factor) = (cursor.field, cursor.factor);
            let norms = &scorer.norms[field];
            cursor.until(range.end, |document, count| {
                if !(has_masked && self.overlay.is_masked(document)) {
                    let length = documents.length(document, field);
                    let norm = norms[usize::from(length.0)];
                    frequencies.add(document, norm * (factor * count as f32));
                }
            });
        }
    }
}

/// The weighted frequency of one term in each document of a block, as an array, so that the lists of
/// several fields need not be merged.
#[derive(Debug, Default)]
struct Frequencies {
    /// The first document of the block.
    first: usize,
    of: Vec<f32>,
    /// The documents whose frequency is not 0, as bits.
    found: Vec<u64>,
}

impl Frequencies {
    /// Begins a block with these documents.
    fn reset(&mut self, range: Range<usize>) {
        self.first = range.start;
        self.of.clear();
        self.of.resize(range.len(), 0.0);
        self.found.clear();
        self.found.resize(range.len().div_ceil(64), 0);
    }

    fn add(&mut self, document: usize, frequency: f32) {
        let at = document.wrapping_sub(self.first);
        let Some(sum) = self.of.get_mut(at) else { return };
        *sum += frequency;
        self.found[at / 64] |= 1 << (at % 64);
    }

    /// Adds the scores of the term to those of the block, and removes its frequencies. `owners` are
    /// the files of the documents, `norms` the divisors of the files from `file_first` on.
    #[inline(never)]
    fn score(
        &mut self,
        scorer: &Scorer<'_>,
        owners: &[u32],
        file_first: usize,
        norms: &[f32],
        sums: &mut Block,
    ) {
        // Of the current file: its number in the block, its best score, its frequency.
        let (mut file, mut most, mut whole) = (0, 0.0_f32, 0.0_f32);
        let mut flush = |file: usize, most: f32, whole: f32| {
            if whole > 0.0
                && let (Some(sum), Some(norm)) = (sums.files.get_mut(file), norms.get(file))
            {
                sum.add(FileSums { covered: most, whole: scorer.score(whole / norm) });
            }
        };
        for (word, bits) in self.found.iter_mut().enumerate() {
            let mut bits = std::mem::take(bits);
            while bits != 0 {
                let at = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let (Some(frequency), Some(sum), Some(&owner)) =
                    (self.of.get_mut(at), sums.documents.get_mut(at), owners.get(at))
                else {
                    continue;
                };
                let frequency = std::mem::take(frequency);
                let score = scorer.score(frequency);
                *sum += score;
                let owner = (owner as usize).wrapping_sub(file_first);
                if owner != file {
                    flush(file, most, whole);
                    (file, most, whole) = (owner, 0.0, 0.0);
                }
                most = most.max(score);
                whole += frequency;
            }
        }
        flush(file, most, whole);
    }
}
