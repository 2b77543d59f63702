//! The files of a fleet that a task may be about: which words of it the nodes are asked for, and which of the
//! files that they return are fetched as a whole.
//!
//! Nodes know how frequent a word is in a shard, not in the fleet, and take long for frequent words. So the
//! frequencies are sampled first ([`Words::new`]), and only the rarest words are searched
//! ([`Words::query`]). The lines that contain them are ranked by BM25 with the frequencies in the fleet
//! ([`Shortlist::new`]): files, and repositories by their best file. The texts of the best files are ranked in
//! the same way ([`Shortlist::refine`]).

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;

use crate::base::path::to_path;
use crate::fleet::nodes::{Fetched, Frequencies};
use crate::fleet::query::{Part, Query};
use crate::lang::prose::{Stems, is_stop_word};
use crate::lang::words::{identifiers, parts, push_folded};
use crate::lang::{language, marks};

/// The number of words of a task that are looked at.
const WORDS_MAX: usize = 24;

/// The words that are searched are together in at most this share of the files, 1 / this, or in as many as a
/// small fleet has.
const SEARCHED_SHARE: u64 = 20;
const SEARCHED_FILES: u64 = 2_000;

/// The number of words that are searched whatever their frequency.
const SEARCHED_MIN: usize = 2;

/// Saturation of frequencies and normalization by length, as in BM25. Lengths are those up to the last
/// matching line.
const K1: f64 = 1.0;
const B: f64 = 0.3;

/// The average length of a file, in bytes; see docs/fleet.md.
const LENGTH: f64 = 7_000.0;

/// A word in the path of a file counts as so many in its text.
const PATH_WEIGHT: f64 = 5.0;

/// The weight of two neighbouring words of the task that are neighbours in the file, too, as in a name of
/// both, relative to that of one word as rare.
const PAIR_WEIGHT: f64 = 0.5;

/// Factor for tests, for copies of others' code, and for documents; a file may be several.
const LESSER: f64 = 0.6;

/// The part of a file's score that does not depend on what is known before its text is ranked.
const PRIOR_MIN: f64 = 0.5;

/// The number of files that are fetched as a whole.
pub(super) const FETCHED_MAX: usize = 60;

/// The words of a task, with their frequencies in the fleet.
#[derive(Debug)]
pub(super) struct Words {
    words: Vec<Word>,
    /// The number of all files.
    all: u64,
}

#[derive(Debug)]
struct Word {
    /// What is searched: without the ending of a plural.
    text: String,
    /// The stems of its parts.
    stems: Vec<String>,
    /// The number of files with the text.
    files: u64,
    /// The parts of a name of several, in lowercase, each with the number of its files.
    parts: Vec<(String, u64)>,
    /// Its place in the task.
    place: usize,
}

/// Returns the distinct words of a task that are no stop words, each with its place.
fn words(task: &str) -> Vec<Word> {
    let mut stemmer = Stems::default();
    let mut words: Vec<Word> = Vec::new();
    let all = task.split(|char: char| !char.is_alphanumeric() && char != '_').enumerate();
    for (place, word) in all {
        let text = singular(&word.to_lowercase()).to_owned();
        let is_known = || words.iter().any(|known| known.text == text);
        if word.chars().count() > 2 && !is_stop_word(&word.to_lowercase()) && !is_known() {
            let folded = folded_parts(word);
            let stems = folded.iter().map(|part| stemmer.stem(part).to_owned()).collect();
            let is_name = folded.len() > 1;
            let parts = folded.into_iter().filter(|part| is_name && part.len() > 1);
            let parts = parts.map(|part| (part, 0)).collect();
            words.push(Word { text, stems, files: 0, parts, place });
        }
        if words.len() == WORDS_MAX {
            break;
        }
    }
    words
}

/// Returns a word in lowercase without the ending of an English plural.
fn singular(word: &str) -> &str {
    let is_other = |word: &str| word.ends_with("ss") || word.ends_with("us");
    match word.strip_suffix('s').filter(|start| start.len() > 2 && !is_other(word)) {
        Some(start) => start.strip_suffix('e').filter(|it| it.ends_with('i')).unwrap_or(start),
        None => word,
    }
}

/// Returns the parts of a word in lowercase.
fn folded_parts(word: &str) -> Vec<String> {
    let folded = |part: &str| {
        let mut folded = String::new();
        push_folded(&mut folded, part);
        folded
    };
    parts(word).map(folded).collect()
}

impl Words {
    /// Returns the words of a task. `frequencies` samples how many files satisfy the queries for them.
    pub(super) fn new<E>(
        task: &str,
        frequencies: impl FnOnce(&[Query]) -> Result<Frequencies, E>,
    ) -> Result<Words, E> {
        let mut words = words(task);
        let parts = words.iter().flat_map(|word| &word.parts).map(|(part, _)| of_text(part));
        let queries: Vec<Query> = words.iter().map(Word::query).chain(parts).collect();
        let Frequencies { all, files } = frequencies(&queries)?;
        let mut files = files.into_iter();
        for (word, files) in words.iter_mut().zip(&mut files) {
            word.files = files;
        }
        let parts = words.iter_mut().flat_map(|word| &mut word.parts);
        for ((_, of_part), files) in parts.zip(files) {
            *of_part = files;
        }
        Ok(Words { words, all })
    }

    /// Returns the queries for the files with the rarest words: with one of those that are in any file, at
    /// least [`SEARCHED_MIN`] and more as long as they are in few files; and with the rarest alone, because a
    /// node ranks it behind more frequent ones in the repository that has it in many files.
    pub(super) fn queries(&self) -> (Query, Option<Query>) {
        let mut words: Vec<&Word> = self.words.iter().filter(|word| word.files > 0).collect();
        words.sort_by_key(|word| (word.files, word.place));
        let most = SEARCHED_FILES.max(self.all / SEARCHED_SHARE);
        let (mut files, mut queries) = (0_u64, Vec::new());
        for word in words {
            files = files.saturating_add(word.files);
            if queries.len() < SEARCHED_MIN || files <= most {
                queries.push(word.query());
            }
        }
        let rarest = queries.first().filter(|_| queries.len() > 1).cloned();
        (Query::Or(queries), rarest)
    }

    /// Returns the rarity of each stem of a word in the fleet: its inverse document frequency.
    fn rarities(&self) -> HashMap<String, f32> {
        let mut stemmer = Stems::default();
        let mut rarities: HashMap<String, f32> = HashMap::new();
        for word in &self.words {
            let of = |files: u64| rarity(files, self.all) as f32;
            let whole = match &word.stems[..] {
                [stem] => stem.clone(),
                _ => word.parts.iter().map(|(part, _)| &part[..]).collect(),
            };
            rarities.insert(whole, of(word.files));
            for (part, files) in &word.parts {
                rarities.entry(stemmer.stem(part).to_owned()).or_insert(of(*files));
            }
        }
        rarities
    }
}

impl Word {
    fn query(&self) -> Query {
        of_text(&self.text)
    }
}

/// Returns the query for the files that contain a text in their content or path, in any case.
fn of_text(text: &str) -> Query {
    Query::Substring { text: text.to_owned(), is_case_sensitive: false, part: Part::Either }
}

/// Returns the inverse document frequency of what is in `files` of `all` files.
fn rarity(files: u64, all: u64) -> f64 {
    let (files, all) = (files as f64, all as f64);
    (1.0 + ((all - files).max(0.0) + 0.5) / (files + 0.5)).ln()
}

/// The files that are fetched as a whole, and what is known of files before their texts are ranked.
#[derive(Debug, Default)]
pub(super) struct Shortlist {
    /// Repository and path of each, best first.
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// The inverse document frequencies of stems in the fleet.
    pub(super) rarities: HashMap<String, f32>,
    scores: BTreeMap<String, OfRepository>,
    best: f64,
}

#[derive(Debug, Default)]
struct OfRepository {
    best: f64,
    files: HashMap<Vec<u8>, f64>,
}

impl Shortlist {
    /// Ranks files by the lines in which they have words of the task. O(lines).
    pub(super) fn new(words: &Words, found: &[Fetched]) -> Shortlist {
        let scores = Scorer::new(words).scores(found);
        let mut list = Shortlist { rarities: words.rarities(), ..Shortlist::default() };
        list.note(found, &scores);
        let mut order: Vec<usize> = (0..found.len()).collect();
        let value = |at: &usize| scores[*at] + list.scores[&found[*at].repository].best;
        order.sort_by(|a, b| value(b).total_cmp(&value(a)).then(a.cmp(b)));
        let files = order.iter().take(FETCHED_MAX).map(|at| &found[*at]);
        list.files = files.map(|file| (file.repository.clone(), file.path.clone())).collect();
        list
    }

    /// Ranks the files whose texts have been fetched by these. O(texts).
    pub(super) fn refine(&mut self, words: &Words, found: &[Fetched]) {
        (self.scores, self.best) = (BTreeMap::new(), 0.0);
        self.note(found, &Scorer::new(words).scores(found));
    }

    fn note(&mut self, found: &[Fetched], scores: &[f64]) {
        for (file, score) in found.iter().zip(scores) {
            let of = self.scores.entry(file.repository.clone()).or_default();
            of.best = of.best.max(*score);
            of.files.insert(file.path.clone(), *score);
            self.best = self.best.max(*score);
        }
    }

    /// Returns the factor of a file's score: the share of its own score and of that of its repository's best
    /// file.
    pub(super) fn prior(&self, repository: &str, path: &[u8]) -> f32 {
        let of = self.scores.get(repository);
        let own = of.and_then(|of| of.files.get(path)).copied().unwrap_or(0.0);
        let share = (own + of.map_or(0.0, |of| of.best)) / (2.0 * self.best).max(f64::MIN_POSITIVE);
        (PRIOR_MIN + (1.0 - PRIOR_MIN) * share) as f32
    }
}

/// What is counted in files: words, and pairs of neighbouring words, as sequences of stems.
struct Scorer<'a> {
    terms: Vec<Term>,
    /// The numbers of the stems that are in terms.
    stems: HashMap<&'a str, u32>,
    all: u64,
}

struct Term {
    stems: Vec<u32>,
    /// For a word its rarity, which is known; a pair has that of the files.
    rarity: Option<f64>,
}

/// A stem that is in no term, and the end of a line.
const OTHER: u32 = u32::MAX;

impl<'a> Scorer<'a> {
    fn new(words: &'a Words) -> Scorer<'a> {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        for stem in words.words.iter().flat_map(|word| &word.stems) {
            let next = numbers.len() as u32;
            numbers.entry(stem).or_insert(next);
        }
        let of = |word: &Word| word.stems.iter().map(|stem| numbers[&stem[..]]).collect();
        let single =
            |word: &Word| Term { stems: of(word), rarity: Some(rarity(word.files, words.all)) };
        let mut terms: Vec<Term> = words.words.iter().map(single).collect();
        let pairs = words.words.windows(2).filter(|pair| pair[0].place + 1 == pair[1].place);
        terms.extend(
            pairs.map(|pair| Term { stems: [of(&pair[0]), of(&pair[1])].concat(), rarity: None }),
        );
        terms.retain(|term| !term.stems.is_empty());
        Scorer { terms, stems: numbers, all: words.all }
    }

    fn scores(&self, found: &[Fetched]) -> Vec<f64> {
        let count = |stemmer: &mut Stems, file: &Fetched| self.counts(file, stemmer);
        let counts: Vec<Vec<f64>> = found.par_iter().map_init(Stems::default, count).collect();
        let weights: Vec<f64> = self
            .terms
            .iter()
            .enumerate()
            .map(|(at, term)| {
                let files = || counts.iter().filter(|counts| counts[at] > 0.0).count() as u64;
                term.rarity.unwrap_or_else(|| PAIR_WEIGHT * rarity(files(), self.all))
            })
            .collect();
        let score = |(file, counts): (&Fetched, &Vec<f64>)| {
            let norm = K1 * (1.0 - B + B * file.size as f64 / LENGTH);
            let of = |(count, weight): (&f64, &f64)| weight * (K1 + 1.0) * count / (count + norm);
            let score: f64 = counts.iter().zip(&weights).map(of).sum();
            score * self.coverage(counts).sqrt() * factor(&file.path)
        };
        found.iter().zip(&counts).map(score).collect()
    }

    /// Returns the share of the words, by rarity, that a file has.
    fn coverage(&self, counts: &[f64]) -> f64 {
        let words =
            || self.terms.iter().zip(counts).filter_map(|(term, n)| Some((term.rarity?, n)));
        let found: f64 = words().filter(|(_, n)| **n > 0.0).map(|(rarity, _)| rarity).sum();
        let all: f64 = words().map(|(rarity, _)| rarity).sum();
        found / all.max(f64::MIN_POSITIVE)
    }

    /// Returns how often each term is in a file.
    fn counts(&self, file: &Fetched, stemmer: &mut Stems) -> Vec<f64> {
        let mut counts = vec![0.0; self.terms.len()];
        for (text, weight) in [(&file.path, PATH_WEIGHT), (&file.content, 1.0)] {
            let is_path = weight > 1.0;
            let sequence = self.sequence(text, stemmer);
            for (count, term) in counts.iter_mut().zip(&self.terms) {
                let runs = sequence.windows(term.stems.len());
                let found = runs.filter(|run| *run == &term.stems[..]).count();
                *count += if is_path { found.min(1) as f64 } else { found as f64 } * weight;
            }
        }
        counts
    }

    /// Returns the numbers of the stems of a text, in order.
    fn sequence(&self, text: &[u8], stemmer: &mut Stems) -> Vec<u32> {
        let (mut sequence, mut folded) = (Vec::new(), String::new());
        for line in text.split(|byte| *byte == b'\n') {
            for span in identifiers(line) {
                // Spans of identifiers are UTF-8.
                for part in std::str::from_utf8(&line[span]).into_iter().flat_map(parts) {
                    folded.clear();
                    push_folded(&mut folded, part);
                    let stem = stemmer.stem(&folded);
                    sequence.push(self.stems.get(stem).copied().unwrap_or(OTHER));
                }
            }
            sequence.push(OTHER);
        }
        sequence
    }
}

/// Returns the factor of a file that is a test, of others, or a document.
fn factor(path: &[u8]) -> f64 {
    let marks = marks::of_path(path);
    let is_code = language::of_path(&to_path(path)).is_some_and(|language| language.is_code());
    let lesser = [marks.test, marks.ranks_last(), !is_code];
    lesser.iter().filter(|is| **is).fold(1.0, |factor, _| factor * LESSER)
}

#[cfg(test)]
mod tests;
