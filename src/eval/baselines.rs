//! Rankings to compare with: BM25 over whole files, and counts of the task's words as a search for
//! each would give them.

use std::collections::HashMap;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::lang::prose::is_stop_word;
use crate::lang::words::{identifiers, parts, push_folded};

/// BM25's usual parameters (Robertson, Zaragoza 2009).
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Bytes of a file that are read.
const FILE_BYTES_MAX: usize = 1 << 20;

/// The shortest word that is counted.
const COUNTED_LETTERS_MIN: usize = 3;

/// What is known of the texts of a tree, file by file; texts that were seen before are not read again.
#[derive(Debug, Default)]
pub struct Texts {
    known: HashMap<u128, Words>,
}

/// How often a text has its words.
#[derive(Clone, Debug, Default)]
struct Words {
    /// Parts of identifiers, in lowercase.
    parts: FxHashMap<Box<str>, u32>,
    /// Identifiers and words, as they stand.
    wholes: FxHashMap<Box<str>, u32>,
    /// All parts.
    length: u32,
}

/// A tree's files and their words.
#[derive(Debug)]
pub struct Tree<'a> {
    files: Vec<(FileId, &'a Words, Words)>,
}

impl Texts {
    /// Returns the sources of a tree, tests left out if asked. O(texts not seen before).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] where an index is damaged.
    pub fn tree(&mut self, catalog: &Catalog, with_tests: bool) -> Result<Tree<'_>> {
        let mut files = Vec::new();
        for file in (0..catalog.files().len()).map(FileId::new) {
            let summary = catalog.summary(file)?.unwrap_or_default();
            let is_code = summary.language.is_some_and(|language| language.is_code());
            if is_code && (with_tests || !summary.marks.test) {
                files.push(file);
            }
        }
        let known = &self.known;
        let read: Vec<(FileId, u128, Option<Words>)> = files
            .par_iter()
            .map(|&file| {
                let text = catalog.read(file, FILE_BYTES_MAX).unwrap_or_default();
                let hash = xxhash_rust::xxh3::xxh3_128(&text);
                (file, hash, (!known.contains_key(&hash)).then(|| Words::of(&text)))
            })
            .collect();
        let mut hashes = Vec::new();
        for (file, hash, new) in read {
            if let Some(new) = new {
                self.known.insert(hash, new);
            }
            hashes.push((file, hash));
        }
        let words = |&(file, hash): &(FileId, u128)| {
            (file, &self.known[&hash], Words::of(catalog.path(file)))
        };
        Ok(Tree { files: hashes.iter().map(words).collect() })
    }
}

impl Words {
    fn of(text: &[u8]) -> Words {
        let mut words = Words::default();
        let text = String::from_utf8_lossy(text);
        let mut folded = String::new();
        for span in identifiers(text.as_bytes()) {
            let whole = &text[span];
            *words.wholes.entry(whole.into()).or_default() += 1;
            for part in parts(whole) {
                folded.clear();
                push_folded(&mut folded, part);
                *words.parts.entry(folded.as_str().into()).or_default() += 1;
                words.length += 1;
            }
        }
        words
    }
}

impl Tree<'_> {
    /// Returns the files by BM25 of the task's words against those of each file and of its path,
    /// identifiers cut into parts on both sides; best first, ties by path.
    pub fn bm25(&self, task: &str) -> Vec<FileId> {
        let count = self.files.len().max(1) as f64;
        let length = |&(_, words, ref path): &(FileId, &Words, Words)| words.length + path.length;
        let average = self.files.iter().map(|file| f64::from(length(file))).sum::<f64>() / count;
        let mut scores = vec![0.0; self.files.len()];
        let asked = Words::of(task.as_bytes());
        let mut terms: Vec<&str> = asked.parts.keys().map(|part| &**part).collect();
        terms.sort_unstable();
        for term in terms.into_iter().filter(|term| !is_stop_word(term)) {
            let of = |words: &Words| f64::from(words.parts.get(term).copied().unwrap_or_default());
            let found: Vec<f64> =
                self.files.iter().map(|(_, words, path)| of(words) + of(path)).collect();
            let files = found.iter().filter(|&&frequency| frequency > 0.0).count() as f64;
            let rarity = (1.0 + (count - files + 0.5) / (files + 0.5)).ln();
            for ((score, frequency), file) in scores.iter_mut().zip(&found).zip(&self.files) {
                let norm = 1.0 - B + B * f64::from(length(file)) / average.max(1.0);
                *score += rarity * frequency * (K1 + 1.0) / (frequency + K1 * norm);
            }
        }
        self.best(&scores)
    }

    /// Returns the files by how often they have the words of the task as they stand, of three letters
    /// and more; best first, ties by path.
    pub fn counts(&self, task: &str) -> Vec<FileId> {
        let asked = Words::of(task.as_bytes());
        let is_counted =
            |word: &&str| word.len() >= COUNTED_LETTERS_MIN && !is_stop_word(&word.to_lowercase());
        let words: Vec<&str> = asked.wholes.keys().map(|word| &**word).filter(is_counted).collect();
        let count = |of: &Words| {
            words.iter().map(|word| of.wholes.get(*word).copied().unwrap_or_default()).sum::<u32>()
        };
        let scores: Vec<f64> = self
            .files
            .iter()
            .map(|(_, words, path)| f64::from(count(words) + count(path)))
            .collect();
        self.best(&scores)
    }

    fn best(&self, scores: &[f64]) -> Vec<FileId> {
        let mut found: Vec<(f64, FileId)> = scores
            .iter()
            .zip(&self.files)
            .filter(|(score, _)| **score > 0.0)
            .map(|(score, (file, ..))| (*score, *file))
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.into_iter().map(|(_, file)| file).collect()
    }
}
