//! Baseline rankings: BM25 over whole files, and the number of occurrences of the task's words.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::ids::FileId;
use crate::base::text;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::lang::prose::{Stems, is_stop_word};
use crate::lang::words::{identifiers, parts, push_folded};

/// Standard parameters of BM25 (Robertson and Zaragoza, 2009).
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Maximum number of bytes of a file that are read.
const FILE_BYTES_MAX: usize = 1 << 20;

/// Minimum length of a counted word.
const COUNTED_LETTERS_MIN: usize = 3;

/// Word counts of texts by content hash, so that unchanged files are tokenised once for all cases.
#[derive(Debug, Default)]
pub struct WordCache {
    by_hash: HashMap<u128, Words>,
}

/// Word counts of one text.
#[derive(Clone, Debug, Default)]
struct Words {
    /// Parts of identifiers, in lowercase.
    parts: FxHashMap<Box<str>, u32>,
    /// Whole identifiers and words.
    wholes: FxHashMap<Box<str>, u32>,
    /// Total number of parts.
    length: u32,
}

/// The files of a tree with their word counts.
#[derive(Debug)]
pub struct WordTable<'a> {
    files: Vec<(FileId, &'a Words, Words)>,
}

impl WordCache {
    /// Returns the source files of a tree, with or without tests. O(new texts).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if an index is damaged.
    pub fn tree(&mut self, catalog: &Catalog, with_tests: bool) -> Result<WordTable<'_>> {
        let mut files = Vec::new();
        for file in (0..catalog.files().len()).map(FileId::new) {
            let summary = catalog.summary(file)?.unwrap_or_default();
            let is_code = summary.language.is_some_and(|language| language.is_code());
            if is_code && (with_tests || !summary.marks.test) {
                files.push(file);
            }
        }
        let by_hash = &self.by_hash;
        let read: Vec<(FileId, u128, Option<Words>)> = files
            .par_iter()
            .map(|&file| {
                let text = catalog.read(file, FILE_BYTES_MAX).unwrap_or_default();
                let hash = xxhash_rust::xxh3::xxh3_128(&text);
                (file, hash, (!by_hash.contains_key(&hash)).then(|| Words::of(&text)))
            })
            .collect();
        let mut hashes = Vec::new();
        for (file, hash, new) in read {
            if let Some(new) = new {
                self.by_hash.insert(hash, new);
            }
            hashes.push((file, hash));
        }
        let words = |&(file, hash): &(FileId, u128)| {
            (file, &self.by_hash[&hash], Words::of(catalog.path(file)))
        };
        Ok(WordTable { files: hashes.iter().map(words).collect() })
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

impl WordTable<'_> {
    /// Returns the number of files.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Returns the number of files with a word of each stem, in the order of the stems. O(distinct words
    /// of the files).
    pub fn holding(&self, stems: &BTreeSet<String>) -> Vec<usize> {
        let mut counts: BTreeMap<&str, usize> = stems.iter().map(|stem| (&**stem, 0)).collect();
        // The stem of a word begins as the word does.
        let starts: FxHashSet<&str> = stems.iter().map(|stem| start(stem)).collect();
        let mut stemmer = Stems::default();
        for (_, words, path) in &self.files {
            let own = words.parts.keys().chain(path.parts.keys());
            let mut found: BTreeSet<&str> = BTreeSet::new();
            for word in own.filter(|word| starts.contains(start(word))) {
                let stem = stemmer.stem(word);
                found.extend(stems.get(stem).map(String::as_str));
            }
            found.iter().for_each(|stem| *counts.entry(stem).or_default() += 1);
        }
        counts.into_values().collect()
    }

    /// Ranks the files by BM25 of the task's words in the text and the path of each file, with
    /// identifiers split into parts on both sides; best first, ties by path.
    pub fn bm25(&self, task: &str) -> Vec<FileId> {
        let count = self.files.len().max(1) as f64;
        let length = |&(_, words, ref path): &(FileId, &Words, Words)| words.length + path.length;
        let average = self.files.iter().map(|file| f64::from(length(file))).sum::<f64>() / count;
        let mut scores = vec![0.0; self.files.len()];
        let query = Words::of(task.as_bytes());
        let mut terms: Vec<&str> = query.parts.keys().map(|part| &**part).collect();
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

    /// Ranks the files by the number of occurrences of the task's words of three or more bytes;
    /// best first, ties by path.
    pub fn counts(&self, task: &str) -> Vec<FileId> {
        let query = Words::of(task.as_bytes());
        let is_counted =
            |word: &&str| word.len() >= COUNTED_LETTERS_MIN && !is_stop_word(&word.to_lowercase());
        let words: Vec<&str> = query.wholes.keys().map(|word| &**word).filter(is_counted).collect();
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

/// Returns the first two letters of a word.
fn start(word: &str) -> &str {
    text::start(word, 2)
}
