//! Plans: compute from patterns the trigrams that a text must contain for one of them to match.
//!
//! A plan selects candidate texts, not matches. It may have false positives but no false negatives.
//! The method is from Russ Cox, "Regular Expression Matching with a Trigram Index" (2012), applied
//! to the syntax tree of regex-syntax and to folded strings. `language` is the abstraction of an
//! expression, `walk` computes it, `class` handles character classes.

mod class;
mod language;
mod string_set;
#[cfg(test)]
mod tests;
mod walk;

use crate::query::gram_query::GramQuery;
use crate::query::pattern::{self, PatternOptions, Reading};

use self::language::Language;
use self::string_set::StringSet;

/// Maximum number of grams in the query of a plan. Over a hundred thousand, so that a pattern file
/// of ten thousand words still keeps all grams of each word. Larger queries are weakened.
const GRAMS_MAX: usize = 1 << 17;

/// A necessary condition for a match, and how to evaluate it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Plan {
    query: GramQuery,
    with_fold_docs: bool,
    spans_lines: bool,
}

impl Plan {
    /// Plans a search for any of the patterns.
    ///
    /// Invalid patterns, inverted searches and most Perl-compatible patterns give
    /// [`GramQuery::All`]; the matcher reports errors. An empty list of patterns matches nothing.
    ///
    /// Cost: parsing, then O(n log n) for n nodes and literal bytes of the expression, with a
    /// constant of up to a few dozen strings for each.
    pub fn new(patterns: &[String], options: &PatternOptions) -> Plan {
        let may_span = options.multi_line || options.null_data;
        let unknown = Plan { query: GramQuery::All, with_fold_docs: false, spans_lines: may_span };
        if options.invert {
            return unknown;
        }
        if patterns.is_empty() {
            return Plan { query: GramQuery::None, with_fold_docs: false, spans_lines: false };
        }
        let (language, folds, holds_line_feed) = match pattern::read(patterns, options) {
            Reading::Unknown => return unknown,
            Reading::Literals { words, either_case, folds } => {
                let set = |word: &String| {
                    if either_case {
                        StringSet::of_either_case([word])
                    } else {
                        StringSet::of([word])
                    }
                };
                let listed = words.iter().map(|word| Language::Finite(set(word)));
                let holds_line_feed = words.iter().any(|word| word.contains('\n'));
                (Language::alternate(listed), folds, holds_line_feed)
            }
            Reading::Expression(hir) => {
                let walked = walk::walk(&hir);
                (walked.language, walked.folds, walk::may_match_line_feed(&hir))
            }
        };
        let query = language.into_query().thinned(GRAMS_MAX);
        let with_fold_docs = folds && query != GramQuery::All;
        Plan { query, with_fold_docs, spans_lines: may_span && holds_line_feed }
    }

    /// Returns the plan without constraints: every text, each as a whole.
    pub fn all() -> Plan {
        Plan { query: GramQuery::All, with_fold_docs: false, spans_lines: true }
    }

    /// Returns the query that every text with a match satisfies, except for texts with the
    /// characters of [`Plan::with_fold_docs`].
    pub fn query(&self) -> &GramQuery {
        &self.query
    }

    /// Returns true if texts with `ſ` (U+017F) or the Kelvin sign (U+212A) are candidates
    /// regardless of the query. These characters fold to the ASCII letters s and k, and the query
    /// only contains grams of the letters.
    pub fn with_fold_docs(&self) -> bool {
        self.with_fold_docs
    }

    /// Returns true if a match may contain `\n`. Its grams may then be in several blocks of a file,
    /// so the query must be evaluated on whole files.
    pub fn spans_lines(&self) -> bool {
        self.spans_lines
    }
}
