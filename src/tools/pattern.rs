//! The pattern of a search: a literal text or a regular expression, and its case sensitivity.

use memchr::memmem::Finder;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind,
};

use crate::error::{Error, Result};
use crate::query::pattern::{Case, PatternOptions};
use crate::query::plan::Plan;

/// The maximum length of a pattern in bytes.
const BYTES_MAX: usize = 4096;

/// A pattern as the call specifies it.
#[derive(Clone, Copy, Debug)]
pub struct Pattern<'a> {
    /// Its text.
    pub query: &'a str,
    /// True for a regular expression.
    pub is_regex: bool,
    /// True if only whole words match.
    pub is_word: bool,
    /// True if case matters.
    pub is_case_sensitive: bool,
}

impl Pattern<'_> {
    /// Returns a cache key: different patterns have different keys.
    pub fn key(&self) -> (String, [bool; 3]) {
        (self.query.to_owned(), [self.is_regex, self.is_word, self.is_case_sensitive])
    }

    /// Returns the compiled expression, in which `^` and `$` match at each line, and a line may end
    /// in CR LF.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Usage`] if it is invalid, empty, or too long.
    pub fn regex(&self) -> Result<Regex> {
        if self.query.is_empty() {
            return Err(Error::usage("`query` is empty").with_hint("pass the text to find"));
        }
        if self.query.len() > BYTES_MAX {
            return Err(Error::usage(format!("`query` is longer than {BYTES_MAX} bytes")));
        }
        let mut pattern =
            if self.is_regex { self.query.to_owned() } else { regex_syntax::escape(self.query) };
        if self.is_word {
            pattern = format!("\\b{{start-half}}(?:{pattern})\\b{{end-half}}");
        }
        let config = syntax::Config::new()
            .case_insensitive(!self.is_case_sensitive)
            .multi_line(true)
            .crlf(true)
            .utf8(false);
        let limits = Regex::config().utf8_empty(false).nfa_size_limit(Some(16 << 20));
        let unreadable = |why: String| {
            let why = why.lines().last().unwrap_or_default().to_owned();
            Error::usage(format!("invalid pattern: {why}"))
                .with_hint("without `regex` the query is literal")
        };
        let parsed = syntax::parse_with(&pattern, &config);
        let parsed = parsed.map_err(|error| unreadable(error.to_string()))?;
        let parsed = if contains_line_feed(&parsed) { parsed } else { within_lines(parsed) };
        let built = Regex::builder().configure(limits).build_from_hir(&parsed);
        built.map_err(|error| unreadable(error.to_string()))
    }

    /// Returns true if the query is probably meant as a regular expression: it contains an operator
    /// that texts of code rarely contain.
    pub fn is_like_regex(&self) -> bool {
        is_like_regex(self.query)
    }

    /// Returns a substring finder for a literal case-sensitive pattern, which is faster than
    /// [`Pattern::regex`].
    pub fn finder(&self) -> Option<Finder<'_>> {
        let is_plain = !self.is_regex && !self.is_word && self.is_case_sensitive;
        is_plain.then(|| Finder::new(self.query))
    }

    /// Returns the index query that selects candidate files: every text with a match of
    /// [`Pattern::regex`] satisfies it.
    pub fn plan(&self) -> Plan {
        // Texts are searched with U+FFFD instead of bytes that are not UTF-8.
        if self.query.contains(char::REPLACEMENT_CHARACTER) {
            return Plan::all();
        }
        Plan::new(&[self.query.to_owned()], &self.options())
    }

    /// Returns the options with which the pattern is parsed as [`Pattern::regex`] does.
    pub fn options(&self) -> PatternOptions {
        let case = if self.is_case_sensitive { Case::Sensitive } else { Case::Insensitive };
        PatternOptions {
            fixed_strings: !self.is_regex,
            case,
            // A match may span lines if the expression contains a line feed.
            multi_line: true,
            crlf: true,
            word: self.is_word,
            ..PatternOptions::default()
        }
    }
}

/// Operators of regular expressions that texts of code rarely contain. `||` is one of code.
const OPERATORS: [&str; 21] = [
    ".*", ".+", ".?", "(?", "\\b", "\\B", "\\w", "\\W", "\\s", "\\S", "\\d", "\\D", "\\.", "\\(",
    "\\)", "\\[", "\\|", "\\*", "]+", "]*", "+$",
];

/// Returns true if a text is probably meant as a regular expression.
pub fn is_like_regex(text: &str) -> bool {
    let alternatives: Vec<&str> = text.split('|').collect();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_)\\$*+".contains(&byte);
    let has_alternatives = alternatives.len() > 1
        && alternatives.iter().all(|one| !one.is_empty() && one.trim() == *one);
    let anchored = |rest: &str| rest.bytes().all(is_word);
    has_alternatives
        || OPERATORS.iter().any(|operator| text.contains(operator))
        || text.strip_prefix('^').is_some_and(|rest| !rest.is_empty())
        || text.strip_suffix('$').is_some_and(|rest| !rest.is_empty() && anchored(rest))
}

/// Returns true if a pattern contains a literal line feed.
fn contains_line_feed(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Repetition(of) => contains_line_feed(&of.sub),
        HirKind::Capture(of) => contains_line_feed(&of.sub),
        HirKind::Concat(of) | HirKind::Alternation(of) => of.iter().any(contains_line_feed),
        HirKind::Empty | HirKind::Class(_) | HirKind::Look(_) => false,
    }
}

/// Removes the line feed from all classes of a pattern, such as `\s` and `[^x]`, so that matches
/// stay within a line.
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
    fn regular_expressions_are_recognised() {
        for text in ["a|b|c", "foo.*bar", r"\bfoo", "^use", "needle$", r"f\(", "[a-z]+x", "(?i)a"] {
            assert!(is_like_regex(text), "{text}");
        }
        for text in ["a || b", "f(x)", "a.b", "x[1]", "a | b", "$", "^", "a*b", "{}", "&str", "||"]
        {
            assert!(!is_like_regex(text), "{text}");
        }
    }

    #[test]
    fn a_line_may_end_in_cr_lf() {
        let starts = |query: &str, text: &str| -> Vec<usize> {
            let pattern =
                Pattern { query, is_regex: true, is_case_sensitive: true, is_word: false };
            let regex = pattern.regex().expect("a pattern");
            regex.find_iter(text).map(|found| found.start()).collect()
        };
        assert_eq!(starts("needle$", "needle\r\nneedle\nneedle"), [0, 8, 15]);
        assert_eq!(starts("^needle.*$", "x\r\nneedle 1\r\n"), [3]);
        assert_eq!(starts("^$", "a\r\n\r\nb"), [3]);
    }

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
        assert_eq!(starts(r"^\s*fn"), [one.expect("it exists"), two.expect("it exists")]);
        assert_eq!(starts("(?s)use .*"), [0]);
        assert!(starts(r"a;[^x]*fn").is_empty() && starts(r"\W+$").len() > 1);
        // A pattern with a literal line feed may match across lines.
        assert_eq!(starts(r"a;\n\n\nfn"), [4]);
    }

    #[test]
    fn every_file_may_contain_the_replacement_character() {
        let plan = |query: &str| {
            let pattern =
                Pattern { query, is_regex: false, is_case_sensitive: true, is_word: false };
            pattern.plan()
        };
        assert_eq!(plan("caf\u{fffd}"), Plan::all());
        assert_ne!(plan("café"), Plan::all());
    }
}
