//! What is asked of a text index, and how words weigh.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{FIELDS, Field};
use crate::lang::prose::{Stems, is_stop_word};
use crate::lang::words::{identifiers, parts, push_folded};

/// Terms of one query; more are not looked at.
pub const TERMS_MAX: usize = 96;

/// How soon it counts no more that a term is said again: BM25's k3 (Robertson, Walker and others: Okapi
/// at TREC-3, 1994).
pub const K3: f32 = 8.0;

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
    /// The word in lowercase.
    pub word: String,
    /// What is looked for: its stem, or all of it where it is the parts of a name joined.
    pub stem: String,
    /// What an occurrence in each field is worth, by the field's place; not looked for where it is 0.
    pub weights: [f32; FIELDS],
    /// What the term is worth among others.
    pub boost: f32,
}

impl Term {
    /// What an occurrence in a field is worth unless a caller says otherwise.
    pub const WEIGHTS: [f32; FIELDS] = [1.5, 4.0, 1.5, 1.0, 1.0];

    /// Returns the term of a name whose parts are joined to `word`: code and prose hold its parts.
    pub fn whole(word: &str) -> Term {
        let mut weights = Term::WEIGHTS;
        weights[Field::Code.index()] = 0.0;
        weights[Field::Prose.index()] = 0.0;
        Term { word: word.to_owned(), stem: word.to_owned(), weights, boost: 1.0 }
    }

    /// Returns the term of `word`, which is a part of an identifier or a word of prose.
    pub fn new(word: &str, stems: &mut Stems) -> Term {
        let mut folded = String::new();
        push_folded(&mut folded, word);
        let stem = stems.stem(&folded).to_owned();
        Term { word: folded, stem, weights: Term::WEIGHTS, boost: 1.0 }
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
        Query::parse_weighted(&[(text, 1.0)], K3)
    }

    /// Returns the terms of several texts as [`Query::parse`] does, those of each worth its number.
    /// A term that several texts have is worth most there; what is said again counts more, as `k3`
    /// says (see [`K3`]; 0: it does not).
    /// Those that are worth most are kept, earlier ones before later ones. O(texts).
    pub fn parse_weighted(texts: &[(&str, f32)], k3: f32) -> Query {
        let mut stems = Stems::default();
        let mut found: Vec<(Term, u32)> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        for &(text, boost) in texts {
            for span in identifiers(text.as_bytes()) {
                let mut add = |term: Term| match known.get(&term.stem) {
                    Some(&at) => {
                        let (have, count) = &mut found[at];
                        have.boost = have.boost.max(boost);
                        // A name whole may be a plain word, too, and then counts as both.
                        for (have, new) in have.weights.iter_mut().zip(term.weights) {
                            *have = have.max(new);
                        }
                        *count += 1;
                    }
                    None => {
                        known.insert(term.stem.clone(), found.len());
                        found.push((Term { boost, ..term }, 1));
                    }
                };
                let mut whole = String::new();
                let mut count = 0;
                for part in parts(&text[span]) {
                    let at = whole.len();
                    push_folded(&mut whole, part);
                    count += 1;
                    let part = &whole[at..];
                    if super::prepare::is_word(part) && !is_stop_word(part) {
                        add(Term::new(part, &mut stems));
                    }
                }
                if count > 1 {
                    add(Term::whole(&whole));
                }
            }
        }
        for (term, count) in &mut found {
            let count = *count as f32;
            term.boost *= (k3 + 1.0) * count / (k3 + count);
        }
        // What was found earlier stays before what is worth the same.
        found.sort_by(|a, b| b.0.boost.total_cmp(&a.0.boost));
        found.truncate(TERMS_MAX);
        Query { terms: found.into_iter().map(|(term, _)| term).collect() }
    }
}
