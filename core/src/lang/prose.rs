//! Text analysis for natural language in comments, docstrings and documents: stemming, so that
//! `parsing` matches `parse`, and stop words.

use rust_stemmers::{Algorithm, Stemmer};

/// Maximum length of a word that is stemmed. No longer string is an English word.
const WORD_BYTES_MAX: usize = 24;

/// Number of slots of the stem cache, a power of two.
const SLOTS: usize = 4096;

/// English stop words, sorted.
static STOP_WORDS: &[&str] = &[
    "a", "about", "above", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "but", "by", "can", "cannot", "could", "did", "do",
    "does", "doesn", "doing", "don", "each", "for", "from", "further", "had", "has", "have",
    "having", "he", "her", "here", "him", "his", "how", "if", "in", "into", "is", "isn", "it",
    "its", "itself", "just", "like", "may", "me", "more", "most", "must", "my", "no", "nor", "not",
    "now", "of", "on", "only", "or", "other", "our", "ours", "out", "over", "own", "same", "shall",
    "she", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "through", "to", "too", "under", "until", "up", "us", "very",
    "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "why", "will",
    "with", "won", "would", "you", "your", "yours",
];

/// Returns true if `word`, in lowercase, is a stop word. O(log n) for n stop words.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// A stemmer (Porter2 for English) with a cache of recent words.
pub struct Stems {
    stemmer: Stemmer,
    /// Word and stem, in the slot of the word's hash.
    cache: Vec<(String, String)>,
}

impl Default for Stems {
    fn default() -> Stems {
        let stemmer = Stemmer::create(Algorithm::English);
        Stems { stemmer, cache: vec![(String::new(), String::new()); SLOTS] }
    }
}

impl std::fmt::Debug for Stems {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stems")
    }
}

impl Stems {
    /// Returns the stem of `word`, which must be in lowercase. A word with characters other than
    /// ASCII letters is returned unchanged.
    pub fn stem<'s>(&'s mut self, word: &'s str) -> &'s str {
        if word.len() > WORD_BYTES_MAX || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return word;
        }
        let hash = xxhash_rust::xxh3::xxh3_64(word.as_bytes());
        let (cached, stem) = &mut self.cache[hash as usize % SLOTS];
        if cached != word {
            cached.clear();
            cached.push_str(word);
            stem.clear();
            stem.push_str(&self.stemmer.stem(word));
        }
        stem
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("the") && !is_stop_word("parser"));
    }

    #[test]
    fn words_are_stemmed() {
        let mut stems = Stems::default();
        for (word, stem) in [
            ("parsing", "pars"),
            ("parse", "pars"),
            ("parsed", "pars"),
            ("connections", "connect"),
            ("größen", "größen"),
            ("utf8", "utf8"),
            ("", ""),
        ] {
            assert_eq!(stems.stem(word), stem);
            assert_eq!(stems.stem(word), stem, "from the cache");
        }
    }
}
