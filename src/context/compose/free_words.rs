//! The plain words of a task: those that are not part of a mentioned name or path.

use rustc_hash::FxHashMap;

use crate::catalog::Catalog;
use crate::context::form_words;
use crate::context::task::Task;
use crate::error::Result;
use crate::index::text::Query;
use crate::lang::prose::Stems;
use crate::lang::words::{identifiers, parts, push_folded};

/// Maximum number of words.
const WORDS_MAX: usize = 24;

/// Minimum length of a word, in letters.
const LETTERS_MIN: usize = 3;

/// A plain word and its weight.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FreeWord {
    /// The word, in lowercase.
    pub(super) word: String,
    /// Its stem.
    pub(super) stem: String,
    /// Number of files that contain it as a word, in lowercase or capitalised, whichever is higher.
    pub(super) files: usize,
    /// Weight of the word in the coverage of a line.
    pub(super) weight: f32,
}

/// Returns the plain words of a task in the order of `query`, which was made from the task.
/// O(files that contain them).
pub(super) fn free_words(catalog: &Catalog, task: &Task, query: &Query) -> Result<Vec<FreeWord>> {
    let mut named: Vec<String> = Vec::new();
    for mention in &task.mentions {
        if mention.text.contains(char::is_whitespace) {
            continue;
        }
        named.extend(folded_parts(&mention.text));
    }
    let mut words = Vec::new();
    for term in &query.terms {
        let is_plain = term.word.chars().all(char::is_alphabetic);
        let is_free = !named.contains(&term.word)
            && !form_words::is_form_word(&term.word)
            && term.weights.iter().all(|of| *of > 0.0);
        if !is_plain || !is_free || term.word.chars().count() < LETTERS_MIN {
            continue;
        }
        let mut files = catalog.word(&term.word)?.len();
        let mut letters = term.word.chars();
        if let Some(first) = letters.next() {
            let capital: String = first.to_uppercase().chain(letters).collect();
            files = files.max(catalog.word(&capital)?.len());
        }
        let rarity = 1.0 / (2.0 + files as f32).ln();
        let weight = term.boost * rarity;
        let (word, stem) = (term.word.clone(), term.stem.clone());
        words.push(FreeWord { word, stem, files, weight });
        if words.len() == WORDS_MAX {
            break;
        }
    }
    Ok(words)
}

/// Returns the identifiers of a text and their parts, in lowercase.
pub(super) fn folded_parts(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for span in identifiers(text.as_bytes()) {
        let mut whole = String::new();
        for part in parts(&text[span]) {
            let at = whole.len();
            push_folded(&mut whole, part);
            found.push(whole[at..].to_owned());
        }
        found.push(whole);
    }
    found
}

/// Computes the share of some words that a line contains.
#[derive(Debug)]
pub(super) struct Coverage<'a> {
    words: &'a [FreeWord],
    /// Indexes of words, by word and by stem.
    places: FxHashMap<&'a str, Vec<usize>>,
    all: f32,
    stems: Stems,
    folded: String,
}

impl Coverage<'_> {
    /// Prepares the look-up of `words`. O(words).
    pub(super) fn new(words: &[FreeWord]) -> Coverage<'_> {
        let mut places: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (place, word) in words.iter().enumerate() {
            places.entry(&word.word).or_default().push(place);
            if word.stem != word.word {
                places.entry(&word.stem).or_default().push(place);
            }
        }
        let all = words.iter().map(|word| word.weight).sum();
        Coverage { words, places, all, stems: Stems::default(), folded: String::new() }
    }

    /// Returns the weighted share of the words that a line contains, 0 to 1. O(line).
    pub(super) fn of(&mut self, line: &str) -> f32 {
        if self.all <= 0.0 {
            return 0.0;
        }
        let mut held = vec![false; self.words.len()];
        for span in identifiers(line.as_bytes()) {
            self.folded.clear();
            for part in parts(&line[span]) {
                let at = self.folded.len();
                push_folded(&mut self.folded, part);
                let part = &self.folded[at..];
                let places = self.places.get(part).or_else(|| {
                    let stem = self.stems.stem(part);
                    self.places.get(stem)
                });
                places.into_iter().flatten().for_each(|&place| held[place] = true);
            }
            let whole = self.places.get(self.folded.as_str());
            whole.into_iter().flatten().for_each(|&place| held[place] = true);
        }
        let contained = self.words.iter().zip(&held).filter(|(_, held)| **held);
        contained.map(|(word, _)| word.weight).sum::<f32>() / self.all
    }
}
