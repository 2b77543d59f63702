//! Whether a question is about the tree: words related to those that it has no word for find something in every
//! tree.

use crate::catalog::Catalog;
use crate::index::text::related::related;
use crate::index::text::{Query, Term};

/// Returns true if at least half of the plain words of a question are in the tree or have related words: those
/// of a single one would find something for a question about nothing.
pub(super) fn are_most(catalog: &Catalog, query: &Query) -> bool {
    let is_plain = |term: &&Term| term.weights.iter().all(|of| *of > 0.0);
    let has = |word: &str| catalog.word(word).is_ok_and(|files| !files.is_empty());
    let (mut all, mut known) = (0, 0);
    for term in query.terms.iter().filter(is_plain) {
        all += 1;
        let is_known = related(&term.stem).next().is_some() || has(&term.word) || has(&term.stem);
        known += usize::from(is_known);
    }
    known * 2 >= all
}
