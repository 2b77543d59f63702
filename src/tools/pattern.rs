//! What a search looks for: a text as it stands or a regular expression, and how letters count.

use regex_automata::meta::Regex;
use regex_automata::util::syntax;

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
        Regex::builder().syntax(config).configure(limits).build(&pattern).map_err(|error| {
            let why = error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string);
            let why = why.lines().last().unwrap_or_default().to_owned();
            Error::usage(format!("the pattern cannot be read: {why}"))
                .with_hint("without `regex` it is taken as it stands")
        })
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
