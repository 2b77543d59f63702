//! The words of a task that are no part of a name or path in it: what it says of those.

use rustc_hash::FxHashMap;

use crate::catalog::Catalog;
use crate::context::evidence;
use crate::context::task::Task;
use crate::error::Result;
use crate::index::text::Query;
use crate::lang::prose::Stems;
use crate::lang::words::{identifiers, parts, push_folded};

/// Words that are looked at.
const WORDS_MAX: usize = 24;

/// Letters of the shortest word.
const LETTERS_MIN: usize = 3;

/// A word and how much it says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FreeWord {
    /// The word, in lowercase.
    pub(super) word: String,
    /// Its stem.
    pub(super) stem: String,
    /// How many files hold it as a word, in lowercase or as the task would write a name.
    pub(super) files: usize,
    /// What a line that holds it is worth.
    pub(super) weight: f32,
}

/// Returns the words of a task, of which `query` was made, that the tree knows or that stand for
/// themselves, in the order of the query.
/// O(files that hold them).
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
            && !evidence::is_form_word(&term.word)
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

/// Returns the parts of all names in a text, in lowercase, and those names whole.
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

/// Which of some words a line holds.
#[derive(Debug)]
pub(super) struct Coverage<'a> {
    words: &'a [FreeWord],
    /// Places of words, by word and by stem.
    places: FxHashMap<&'a str, Vec<usize>>,
    all: f32,
    stems: Stems,
    folded: String,
}

impl Coverage<'_> {
    /// Returns what looks for `words`. O(words).
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

    /// Returns how much of the words a line says, 0 to 1. O(line).
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
        let said = self.words.iter().zip(&held).filter(|(_, held)| **held);
        said.map(|(word, _)| word.weight).sum::<f32>() / self.all
    }
}
