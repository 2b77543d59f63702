//! What a search looks for: a text as it stands or a regular expression, and how letters count.

use memchr::memmem::Finder;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind,
};

use crate::error::{Error, Result};
use crate::query::pattern::{Case, PatternOptions};
use crate::query::plan::Plan;

/// Bytes of a pattern.
const BYTES_MAX: usize = 4096;

/// A pattern as it was asked for.
#[derive(Clone, Copy, Debug)]
pub struct Pattern<'a> {
    /// Its text.
    pub query: &'a str,
    /// The text is a regular expression.
    pub is_regex: bool,
    /// Only whole words match.
    pub is_word: bool,
    /// Letters match themselves alone.
    pub is_case_sensitive: bool,
}

impl Pattern<'_> {
    /// Returns what tells it from every other pattern.
    pub fn key(&self) -> (String, [bool; 3]) {
        (self.query.to_owned(), [self.is_regex, self.is_word, self.is_case_sensitive])
    }

    /// Returns the expression that finds it in a text, `^` and `$` at each line.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Usage`] for one that cannot be read, is empty, or too long.
    pub fn regex(&self) -> Result<Regex> {
        if self.query.is_empty() {
            return Err(Error::usage("`query` is empty").with_hint("say what lines are to hold"));
        }
        if self.query.len() > BYTES_MAX {
            return Err(Error::usage(format!("`query` is longer than {BYTES_MAX} bytes")));
        }
        let mut pattern = match self.is_regex {
            true => self.query.to_owned(),
            false => regex_syntax::escape(self.query),
        };
        if self.is_word {
            pattern = format!("\\b{{start-half}}(?:{pattern})\\b{{end-half}}");
        }
        let config = syntax::Config::new()
            .case_insensitive(!self.is_case_sensitive)
            .multi_line(true)
            .utf8(false);
        let limits = Regex::config().utf8_empty(false).nfa_size_limit(Some(16 << 20));
        let unreadable = |why: String| {
            let why = why.lines().last().unwrap_or_default().to_owned();
            Error::usage(format!("the pattern cannot be read: {why}"))
                .with_hint("without `regex` it is taken as it stands")
        };
        let parsed = syntax::parse_with(&pattern, &config);
        let parsed = parsed.map_err(|error| unreadable(error.to_string()))?;
        let parsed = if names_line_feed(&parsed) { parsed } else { within_lines(parsed) };
        let built = Regex::builder().configure(limits).build_from_hir(&parsed);
        built.map_err(|error| unreadable(error.to_string()))
    }

    /// Returns what finds it sooner than [`Pattern::regex`], where it is a text that is looked for as it
    /// stands.
    pub fn finder(&self) -> Option<Finder<'_>> {
        let is_plain = !self.is_regex && !self.is_word && self.is_case_sensitive;
        is_plain.then(|| Finder::new(self.query))
    }

    /// Returns what every text holds in which [`Pattern::regex`] finds something.
    pub fn plan(&self) -> Plan {
        let case = if self.is_case_sensitive { Case::Sensitive } else { Case::Insensitive };
        let options = PatternOptions {
            fixed_strings: !self.is_regex,
            case,
            // A match may span lines wherever the expression says so.
            multi_line: true,
            word: self.is_word,
            ..PatternOptions::default()
        };
        Plan::new(&[self.query.to_owned()], &options)
    }
}

/// Returns true if a line feed stands in a pattern as such.
fn names_line_feed(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Repetition(of) => names_line_feed(&of.sub),
        HirKind::Capture(of) => names_line_feed(&of.sub),
        HirKind::Concat(of) | HirKind::Alternation(of) => of.iter().any(names_line_feed),
        HirKind::Empty | HirKind::Class(_) | HirKind::Look(_) => false,
    }
}

/// Returns the pattern with no line feed in any class, so that what it matches lies in a line: `\s` and
/// `[^x]` mean those of the line.
fn within_lines(hir: Hir) -> Hir {
    match hir.into_kind() {
        HirKind::Class(Class::Unicode(mut class)) => {
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(mut class)) => {
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Repetition(mut of) => {
            of.sub = Box::new(within_lines(*of.sub));
            Hir::repetition(of)
        }
        HirKind::Capture(mut of) => {
            of.sub = Box::new(within_lines(*of.sub));
            Hir::capture(of)
        }
        HirKind::Concat(of) => Hir::concat(of.into_iter().map(within_lines).collect()),
        HirKind::Alternation(of) => Hir::alternation(of.into_iter().map(within_lines).collect()),
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Look(look) => Hir::look(look),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_stay_in_their_line() {
        let text = "use a;\n\n\nfn one() {}\n\n  fn two() {}\n";
        let starts = |query: &str| -> Vec<usize> {
            let pattern =
                Pattern { query, is_regex: true, is_case_sensitive: true, is_word: false };
            let regex = pattern.regex().expect("a pattern");
            regex.find_iter(text).map(|found| found.start()).collect()
        };
        let (one, two) = (text.find("fn one"), text.find("  fn two"));
        assert_eq!(starts(r"^\s*fn"), [one.expect("it is there"), two.expect("it is there")]);
        assert_eq!(starts("(?s)use .*"), [0]);
        assert!(starts(r"a;[^x]*fn").is_empty() && starts(r"\W+$").len() > 1);
        // Who names a line end means it.
        assert_eq!(starts(r"a;\n\n\nfn"), [4]);
    }
}
