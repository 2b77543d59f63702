//! Ranks commits by their subjects. A subject often has the words of a later request, and the
//! commit leads to the files where the work was done.
//!
//! Words are those of the text index: stems of the parts of identifiers without stop words, and the
//! whole identifiers if they have several parts. The log holds them as numbers, so that opening a
//! log only groups these by word.

use rustc_hash::FxHashMap;

use super::decay::Decay;
use super::log::Log;
use crate::index::text::prepare::is_word;
use crate::index::text::{Field, Query, Term};
use crate::lang::prose::{Stems, is_stop_word};
use crate::lang::words::{identifiers, parts, push_folded};

/// The number of words of a subject; a longer subject is truncated.
const WORDS_MAX: usize = 64;

/// Parameters of the ranking of files by subjects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Term-frequency saturation: BM25's k1.
    pub k1: f64,
    /// Length normalisation, 0 to 1: BM25's b.
    pub b: f64,
    /// The number of best commits that contribute to the scores of files.
    pub commits_max: usize,
    /// The decay of a commit's weight with its age.
    pub decay: Decay,
}

impl Parameters {
    /// The defaults.
    pub const DEFAULT: Parameters =
        Parameters { k1: 1.2, b: 0.3, commits_max: 200, decay: Decay::DEFAULT };
}

/// A file changed by commits with matching subjects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FileHit<'a> {
    /// Its present path, relative to the root.
    pub path: &'a [u8],
    /// Its score, relative to the best file, which has 1.
    pub score: f64,
    /// The number of matching commits that changed it.
    pub commits: usize,
    /// The index in the log of the commit with the greatest contribution.
    pub best: usize,
}

/// A commit with a matching subject.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CommitHit {
    /// Its index in the log.
    pub(super) commit: usize,
    pub(super) score: f64,
}

/// An inverted index of the words of subjects.
#[derive(Debug)]
pub(super) struct Subjects {
    /// The numbers of words in the order of the words.
    numbers: FxHashMap<Box<[u8]>, u32>,
    /// The end of each word's range in `postings`.
    ends: Vec<u32>,
    /// The posting lists: commits in order, each with the word's frequency in its subject.
    postings: Vec<(u32, u16)>,
    /// The number of commits whose subjects have words.
    commits: usize,
}

/// Calls `each` for every occurrence of a word of a subject.
pub(super) fn words(subject: &str, stems: &mut Stems, each: &mut dyn FnMut(&str)) {
    let mut left = WORDS_MAX;
    let mut whole = String::new();
    for span in identifiers(subject.as_bytes()) {
        whole.clear();
        let mut count = 0;
        for part in parts(&subject[span]) {
            let at = whole.len();
            push_folded(&mut whole, part);
            count += 1;
            let part = &whole[at..];
            if is_word(part) && !is_stop_word(part) && left > 0 {
                left -= 1;
                each(stems.stem(part));
            }
        }
        if count > 1 && left > 0 {
            left -= 1;
            each(&whole);
        }
    }
}

/// Returns the form of a term that subjects are searched for.
fn text(term: &Term) -> &str {
    // Prose in the text index has no whole identifiers; subjects have.
    if term.weights[Field::Prose.index()] == 0.0 { &term.word } else { &term.stem }
}

impl Subjects {
    /// Groups the words of a log's subjects. O(words).
    pub(super) fn new(log: &Log) -> Subjects {
        let vocabulary = &log.vocabulary;
        let mut numbers = FxHashMap::default();
        numbers.reserve(vocabulary.len());
        for number in 0..vocabulary.len() as u32 {
            numbers.insert(vocabulary.get(number).into(), number);
        }
        let mut found: Vec<(u32, u32)> = Vec::with_capacity(log.words.len());
        let mut commits = 0;
        for at in 0..log.len() {
            let words = log.words_of(at);
            commits += usize::from(!words.is_empty());
            found.extend(words.iter().map(|&word| (word, at as u32)));
        }
        found.sort_unstable();
        let mut postings: Vec<(u32, u16)> = Vec::with_capacity(found.len());
        let mut ends = vec![0; vocabulary.len()];
        let mut last = None;
        for (word, commit) in found {
            match postings.last_mut() {
                Some((_, count)) if last == Some((word, commit)) => {
                    *count = count.saturating_add(1);
                }
                _ => postings.push((commit, 1)),
            }
            last = Some((word, commit));
            ends[word as usize] = postings.len() as u32;
        }
        Subjects { numbers, ends, postings, commits }
    }

    fn postings(&self, word: &str) -> &[(u32, u16)] {
        let Some(&number) = self.numbers.get(word.as_bytes()) else { return &[] };
        // Every word of the vocabulary occurs in a commit, so that each list ends after the
        // previous one.
        let start = (number as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        self.postings.get(start as usize..self.ends[number as usize] as usize).unwrap_or_default()
    }

    /// Returns the commits with the best BM25 scores; commits of one score are newest first.
    /// O(postings of the terms + commits of the log).
    pub(super) fn best(&self, log: &Log, query: &Query, parameters: &Parameters) -> Vec<CommitHit> {
        let (k1, b) = (parameters.k1, parameters.b);
        let commits = self.commits as f64;
        let mean_length = (log.words.len() as f64 / commits.max(1.0)).max(1.0);
        let mut scores = vec![0.0_f64; log.len()];
        let mut touched: Vec<u32> = Vec::new();
        for term in &query.terms {
            let postings = self.postings(text(term));
            let (have, boost) = (postings.len() as f64, f64::from(term.boost));
            if postings.is_empty() || boost <= 0.0 {
                continue;
            }
            let rarity = (1.0 + (commits - have + 0.5) / (have + 0.5)).ln();
            for &(commit, count) in postings {
                let length = log.words_of(commit as usize).len() as f64;
                let count = f64::from(count);
                let saturated =
                    count * (k1 + 1.0) / (count + k1 * (1.0 - b + b * length / mean_length));
                let score = &mut scores[commit as usize];
                if *score == 0.0 {
                    touched.push(commit);
                }
                *score += boost * rarity * saturated;
            }
        }
        let hit =
            |&commit: &u32| CommitHit { commit: commit as usize, score: scores[commit as usize] };
        let mut hits: Vec<CommitHit> = touched.iter().map(hit).collect();
        let order = |a: &CommitHit, b: &CommitHit| {
            b.score.total_cmp(&a.score).then_with(|| a.commit.cmp(&b.commit))
        };
        if hits.len() > parameters.commits_max && parameters.commits_max > 0 {
            hits.select_nth_unstable_by(parameters.commits_max - 1, order);
        }
        hits.truncate(parameters.commits_max);
        hits.sort_unstable_by(order);
        hits
    }
}
