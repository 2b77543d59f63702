//! Queries of the text index and the weights of their terms.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::related::related;
use super::{FIELDS, Field};
use crate::lang::prose::{Stems, is_stop_word};
use crate::lang::words::{identifiers, parts, push_folded};

/// Maximum number of terms of a query; the rest is ignored.
pub const TERMS_MAX: usize = 96;

/// Query term-frequency saturation: k3 of BM25 (Robertson, Walker and others: Okapi at TREC-3,
/// 1994).
pub const K3: f32 = 8.0;

/// A number for each field, by [`Field::index`].
pub type ByField = [f32; FIELDS];

/// Parameters of BM25 over fields (Robertson, Zaragoza: The Probabilistic Relevance Framework,
/// 2009, section 3.6): frequencies of a word are weighted and normalised by field, summed, then
/// saturated.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Bm25 {
    /// Term-frequency saturation.
    pub k1: f32,
    /// Length normalization of each field, 0 to 1.
    pub b: ByField,
}

impl Bm25 {
    /// The default parameters.
    pub const DEFAULT: Bm25 = Bm25 { k1: 1.2, b: [0.3, 0.3, 0.5, 0.75, 0.75] };
}

/// A word of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The word in lowercase.
    pub word: String,
    /// The indexed form: the stem, or the whole word if it is the joined parts of a name.
    pub stem: String,
    /// The weight of an occurrence in each field. Fields with weight 0 are not searched.
    pub weights: [f32; FIELDS],
    /// The weight of the term relative to others.
    pub boost: f32,
    /// Stems whose occurrences count as occurrences of this term, each with a factor. The documents
    /// that contain any of them count for the inverse document frequency (Pirkola, *The effects of
    /// query structure in dictionary-based cross-language information retrieval*, 1998).
    pub related: Vec<(String, f32)>,
}

impl Term {
    /// The default weights of fields.
    pub const WEIGHTS: [f32; FIELDS] = [1.5, 4.0, 1.5, 1.0, 1.0];

    /// Returns the term of a name whose joined parts are `word`. Code and prose are not searched,
    /// because they contain only parts.
    pub fn whole(word: &str) -> Term {
        let mut weights = Term::WEIGHTS;
        weights[Field::Code.index()] = 0.0;
        weights[Field::Prose.index()] = 0.0;
        Term {
            word: word.to_owned(),
            stem: word.to_owned(),
            weights,
            boost: 1.0,
            related: Vec::new(),
        }
    }

    /// Returns the term of a part of an identifier or a word of prose.
    pub fn new(word: &str, stems: &mut Stems) -> Term {
        let mut folded = String::new();
        push_folded(&mut folded, word);
        let stem = stems.stem(&folded).to_owned();
        Term { word: folded, stem, weights: Term::WEIGHTS, boost: 1.0, related: Vec::new() }
    }
}

/// A query. The score of a chunk is the sum of the scores of its terms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// The terms, in the order in which their scores are added.
    pub terms: Vec<Term>,
}

impl Query {
    /// Returns the query with the related stems of [`super::related`] for each plain word, except
    /// those that are terms themselves. `None` if no term has any. O(terms²).
    pub fn with_related(&self) -> Option<Query> {
        let is_term = |stem: &str| self.terms.iter().any(|term| term.stem == stem);
        let mut terms = self.terms.clone();
        for term in terms.iter_mut().filter(|term| term.weights.iter().all(|of| *of > 0.0)) {
            let related = related(&term.stem).filter(|(stem, _)| !is_term(stem));
            term.related = related.map(|(stem, factor)| (stem.to_owned(), factor)).collect();
        }
        terms.iter().any(|term| !term.related.is_empty()).then_some(Query { terms })
    }

    /// Parses a question in natural language or code: words without stop words, and identifiers
    /// both in parts and whole, each once. O(text).
    pub fn parse(text: &str) -> Query {
        Query::parse_weighted(&[(text, 1.0)], K3)
    }

    /// Parses several texts as [`Query::parse`] does, each with a weight for its terms. A term in
    /// several texts gets the highest of their weights. Repeated terms count more, with saturation
    /// `k3` (see [`K3`]; with 0 they do not). The [`TERMS_MAX`] terms with the highest weights are
    /// kept, earlier ones first among equals. O(texts).
    pub fn parse_weighted(texts: &[(&str, f32)], k3: f32) -> Query {
        let mut stems = Stems::default();
        let mut found: Vec<(Term, u32)> = Vec::new();
        let mut by_stem: HashMap<String, usize> = HashMap::new();
        for &(text, boost) in texts {
            for span in identifiers(text.as_bytes()) {
                let mut add = |term: Term| match by_stem.get(&term.stem) {
                    Some(&at) => {
                        let (have, count) = &mut found[at];
                        have.boost = have.boost.max(boost);
                        // A whole name may also be a plain word. It then counts as both.
                        for (have, new) in have.weights.iter_mut().zip(term.weights) {
                            *have = have.max(new);
                        }
                        *count += 1;
                    }
                    None => {
                        by_stem.insert(term.stem.clone(), found.len());
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
        // The sort is stable: among equal weights, earlier terms stay first.
        found.sort_by(|a, b| b.0.boost.total_cmp(&a.0.boost));
        found.truncate(TERMS_MAX);
        Query { terms: found.into_iter().map(|(term, _)| term).collect() }
    }
}
