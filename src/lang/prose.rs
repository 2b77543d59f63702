//! Prose: what comments, docstrings and documents are written in. Words lose their endings, so that
//! `parsing` finds `parse`; words that say nothing are left out.

use rust_stemmers::{Algorithm, Stemmer};

/// Longer words keep their endings; there is no such English word.
const WORD_BYTES_MAX: usize = 24;

/// Slots of the cache, a power of two.
const SLOTS: usize = 4096;

/// English words that say nothing about a text, sorted.
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

/// Returns true if `word`, in lowercase, says nothing about a text. O(log of their number).
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Reduces words to their stems (Porter's English, the second) and remembers the recent ones.
pub struct Stems {
    stemmer: Stemmer,
    /// Word and stem, at the place of the word's hash.
    recent: Vec<(String, String)>,
}

impl Default for Stems {
    fn default() -> Stems {
        let stemmer = Stemmer::create(Algorithm::English);
        Stems { stemmer, recent: vec![(String::new(), String::new()); SLOTS] }
    }
}

impl std::fmt::Debug for Stems {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stems")
    }
}

impl Stems {
    /// Returns the stem of `word`, which is in lowercase. Words with other letters than ASCII's stay
    /// as they are, since they are not English.
    pub fn stem<'s>(&'s mut self, word: &'s str) -> &'s str {
        if word.len() > WORD_BYTES_MAX || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return word;
        }
        let hash = xxhash_rust::xxh3::xxh3_64(word.as_bytes());
        let (known, stem) = &mut self.recent[hash as usize % SLOTS];
        if known != word {
            known.clear();
            known.push_str(word);
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
    fn words_lose_their_endings() {
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
