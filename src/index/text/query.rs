//! What is asked of a text index, and how words weigh.

use serde::{Deserialize, Serialize};

use super::{FIELDS, Field};
use crate::lang::prose::{Stems, is_stop_word};
use crate::lang::words::{identifiers, parts, push_folded};

/// Terms of one query; more are not looked at.
pub const TERMS_MAX: usize = 64;

/// A number for each field, by its place.
pub type ByField = [f32; FIELDS];

/// Parameters of BM25 over fields (Robertson, Zaragoza: The Probabilistic Relevance Framework, 2009,
/// section 3.6): frequencies of a word are weighted and normalised by field, summed, then saturated.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Bm25 {
    /// How soon another occurrence says nothing more.
    pub k1: f32,
    /// How much a field's length counts, 0 to 1, by the field's place.
    pub b: ByField,
}

impl Bm25 {
    /// What holds unless a caller says otherwise.
    pub const DEFAULT: Bm25 = Bm25 { k1: 1.2, b: [0.3, 0.3, 0.5, 0.75, 0.75] };
}

/// A word that is looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The word in lowercase, for all fields but prose.
    pub word: String,
    /// Its stem, for prose.
    pub stem: String,
    /// What an occurrence in each field is worth, by the field's place; not looked for where it is 0.
    pub weights: [f32; FIELDS],
    /// What the term is worth among others.
    pub boost: f32,
}

impl Term {
    /// What an occurrence in a field is worth unless a caller says otherwise.
    pub const WEIGHTS: [f32; FIELDS] = [1.5, 4.0, 1.5, 1.0, 1.0];

    /// Returns the term of `word`, which is a part of an identifier or a word of prose.
    pub fn new(word: &str, stems: &mut Stems) -> Term {
        let mut folded = String::new();
        push_folded(&mut folded, word);
        let stem = stems.stem(&folded).to_owned();
        Term { word: folded, stem, weights: Term::WEIGHTS, boost: 1.0 }
    }

    /// Returns the word that is looked for in `field`.
    pub(super) fn text(&self, field: Field) -> &str {
        match field {
            Field::Prose => &self.stem,
            _ => &self.word,
        }
    }
}

/// Terms, the score of a chunk being the sum of theirs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// In the order in which their scores are added up.
    pub terms: Vec<Term>,
}

impl Query {
    /// Returns the terms of a question in natural language or code: words without stop words, and
    /// identifiers both in parts and whole, each once. O(text).
    pub fn parse(text: &str) -> Query {
        Query::parse_weighted(&[(text, 1.0)])
    }

    /// Returns the terms of several texts as [`Query::parse`] does, those of each worth its number.
    /// Terms of earlier texts stay with what they are worth there. O(texts).
    pub fn parse_weighted(texts: &[(&str, f32)]) -> Query {
        let mut stems = Stems::default();
        let mut query = Query::default();
        for &(text, boost) in texts {
            query.add_text(text, boost, &mut stems);
        }
        query
    }

    fn add_text(&mut self, text: &str, boost: f32, stems: &mut Stems) {
        for span in identifiers(text.as_bytes()) {
            let name = &text[span];
            let mut whole = String::new();
            let mut count = 0;
            for part in parts(name) {
                let at = whole.len();
                push_folded(&mut whole, part);
                count += 1;
                let part = &whole[at..];
                if super::prepare::is_word(part) && !is_stop_word(part) {
                    self.add(Term { boost, ..Term::new(part, stems) });
                }
            }
            if count > 1 {
                let mut term = Term { boost, ..Term::new(&whole, stems) };
                // Code and prose hold its parts.
                term.weights[Field::Code.index()] = 0.0;
                term.weights[Field::Prose.index()] = 0.0;
                self.add(term);
            }
        }
    }

    fn add(&mut self, term: Term) {
        if self.terms.len() < TERMS_MAX && !self.terms.iter().any(|have| have.word == term.word) {
            self.terms.push(term);
        }
    }
}
