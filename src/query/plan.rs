//! Plans: from patterns to the trigrams that a text must hold for one of them to match in it.
//!
//! A plan says which texts are worth a look, not where the matches are. It may say yes too often,
//! never no too often. The method is Russ Cox's, "Regular Expression Matching with a Trigram
//! Index" (2012), on regex-syntax's tree and on folded strings. Read `language` for what is kept
//! of an expression, `walk` for how it is put together, `class` for character classes.

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

/// The most grams that a plan's query holds: over a hundred thousand, so that a file of ten
/// thousand words still becomes all the grams of each. Larger queries lose some of them.
const GRAMS_MAX: usize = 1 << 17;

/// What a text must hold for a match, and how to evaluate that.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Plan {
    query: GramQuery,
    with_fold_docs: bool,
    spans_lines: bool,
}

impl Plan {
    /// Plans a search for any of the patterns.
    ///
    /// Patterns that do not parse, inverted searches and most Perl-compatible patterns are met
    /// with [`GramQuery::All`]: reporting an error is the matcher's business. No patterns at all
    /// match nothing.
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
                let set = |word: &String| match either_case {
                    true => StringSet::of_either_case([word]),
                    false => StringSet::of([word]),
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

    /// Returns the plan of which nothing is known: every text, each as a whole.
    pub fn all() -> Plan {
        Plan { query: GramQuery::All, with_fold_docs: false, spans_lines: true }
    }

    /// Returns the query that the grams of every text with a match satisfy, texts with the
    /// characters of [`Plan::with_fold_docs`] aside.
    pub fn query(&self) -> &GramQuery {
        &self.query
    }

    /// Returns true if texts that hold `ſ` (U+017F) or the Kelvin sign (U+212A) are candidates
    /// whatever the query says. They fold to the ASCII letters s and k, and the query only knows
    /// those.
    pub fn with_fold_docs(&self) -> bool {
        self.with_fold_docs
    }

    /// Returns true if a match may hold `\n`, so that its grams may lie in several blocks of a
    /// file: the query must then be evaluated on whole files.
    pub fn spans_lines(&self) -> bool {
        self.spans_lines
    }
}
