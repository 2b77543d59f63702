//! Parses patterns as ripgrep does.
//!
//! The result only selects candidates, see [`super::plan`]. The matcher that verifies them is built
//! elsewhere from the same options, and reports errors.

use regex_syntax::ast::{self, Ast};
use regex_syntax::hir::Hir;
use regex_syntax::hir::translate::TranslatorBuilder;

/// The nesting limit of the matcher, which rejects deeper patterns. It bounds the recursion of
/// every walk over the expression.
const NEST_MAX: u32 = 250;

/// How letter case is matched.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Case {
    /// Letters match themselves.
    #[default]
    Sensitive,
    /// Letters match every character that folds to the same letter (`-i`).
    Insensitive,
    /// Insensitive if the patterns contain a literal and no uppercase literal (`-S`).
    Smart,
}

/// How patterns are parsed; mirrors ripgrep's flags.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PatternOptions {
    /// Patterns are literal strings (`-F`).
    pub fixed_strings: bool,
    /// How letter case is matched.
    pub case: Case,
    /// Classes, boundaries and case folding use Unicode (off for `--no-unicode`).
    pub unicode: bool,
    /// A match may span lines (`-U`).
    pub multi_line: bool,
    /// `.` matches a line feed (`--multiline-dotall`). Only effective with `multi_line`.
    pub dot_matches_new_line: bool,
    /// A line may end in `\r\n` (`--crlf`).
    pub crlf: bool,
    /// Lines end in NUL (`--null-data`).
    pub null_data: bool,
    /// Lines without a match are selected (`-v`).
    pub invert: bool,
    /// Patterns are Perl-compatible (`-P`).
    pub pcre2: bool,
    /// A match is surrounded by non-word characters (`-w`).
    pub word: bool,
    /// A match is a whole line (`-x`).
    pub whole_line: bool,
}

impl Default for PatternOptions {
    /// Returns ripgrep's defaults: case-sensitive, Unicode, line by line.
    fn default() -> PatternOptions {
        PatternOptions {
            fixed_strings: false,
            case: Case::Sensitive,
            unicode: true,
            multi_line: false,
            dot_matches_new_line: false,
            crlf: false,
            null_data: false,
            invert: false,
            pcre2: false,
            word: false,
            whole_line: false,
        }
    }
}

/// Parsed patterns.
#[derive(Debug)]
pub(super) enum Reading<'p> {
    /// A literal alternation.
    Literals {
        /// The words.
        words: &'p [String],
        /// True if ASCII letters match in either case.
        either_case: bool,
        /// True if the characters outside ASCII that fold to s and k match these letters too.
        folds: bool,
    },
    /// One expression for all patterns.
    Expression(Hir),
    /// The patterns are invalid, or in a syntax that is not parsed here.
    Unknown,
}

/// Parses the patterns as the matcher does. Ignores `word` and `whole_line`, which only add
/// zero-width assertions.
///
/// Cost: parsing, or almost nothing for plain words.
pub(super) fn read<'p>(patterns: &'p [String], options: &PatternOptions) -> Reading<'p> {
    if options.pcre2 { read_pcre2(patterns, options) } else { read_regex(patterns, options) }
}

/// Returns true if matches may depend on the start or end of the searched text: the patterns
/// contain `\A` or `\z`, or `^` or `$` under `(?-m)`, or are not parsed here.
pub fn may_anchor_to_text(patterns: &[String], options: &PatternOptions) -> bool {
    match read(patterns, options) {
        Reading::Literals { .. } => false,
        Reading::Expression(hir) => hir.properties().look_set().contains_anchor_haystack(),
        Reading::Unknown => true,
    }
}

/// Returns true if matches may depend on whether characters are word characters in Unicode: the
/// patterns contain such a boundary, or are surrounded by one (`-w`), or are not parsed here. In
/// text that is not UTF-8, the regex engine then examines up to three bytes before a line.
pub fn may_examine_characters(patterns: &[String], options: &PatternOptions) -> bool {
    if options.word && options.unicode {
        return true;
    }
    match read(patterns, options) {
        Reading::Literals { .. } => false,
        Reading::Expression(hir) => hir.properties().look_set().contains_word_unicode(),
        Reading::Unknown => true,
    }
}

/// Parses patterns of the default syntax. As in grep-regex 0.1.14, the patterns are one
/// alternation, so smart case depends on all of them.
fn read_regex<'p>(patterns: &'p [String], options: &PatternOptions) -> Reading<'p> {
    let plain = |pattern: &String| !pattern.chars().any(regex_syntax::is_meta_character);
    if options.fixed_strings || patterns.iter().all(plain) {
        let mut letters = Literals::default();
        patterns.iter().flat_map(|pattern| pattern.chars()).for_each(|c| letters.add(c));
        if let Some(literals) = read_words(patterns, letters.fold(options.case), options.unicode) {
            return literals;
        }
    }
    let joined = if options.fixed_strings {
        alternatives(patterns, regex_syntax::escape_into)
    } else {
        alternatives(patterns, |pattern, joined| joined.push_str(pattern))
    };
    parse(&joined, options)
}

/// Parses Perl-compatible patterns that consist of literal characters only.
///
/// In case-insensitive patterns, characters outside ASCII become wildcards, because their case
/// folding depends on the version of the Unicode tables in PCRE2. Smart case is treated as
/// insensitive, which only adds candidates.
fn read_pcre2<'p>(patterns: &'p [String], options: &PatternOptions) -> Reading<'p> {
    let plain = |pattern: &String| pattern.chars().all(is_literal_in_pcre2);
    if !options.fixed_strings && !patterns.iter().all(plain) {
        return Reading::Unknown;
    }
    let insensitive = options.case != Case::Sensitive;
    if let Some(literals) = read_words(patterns, insensitive, options.unicode) {
        return literals;
    }
    let joined = alternatives(patterns, |pattern, joined| {
        for c in pattern.chars() {
            if c.is_ascii() {
                regex_syntax::escape_into(c.encode_utf8(&mut [0; 4]), joined);
            } else {
                joined.push('.');
            }
        }
    });
    let options = PatternOptions { case: Case::Insensitive, unicode: true, ..options.clone() };
    parse(&joined, &options)
}

/// Returns words as literals without parsing, or `None` if letters outside ASCII need case folding.
fn read_words(words: &[String], insensitive: bool, unicode: bool) -> Option<Reading<'_>> {
    if insensitive && !words.iter().all(|word| word.is_ascii()) {
        return None;
    }
    let holds_s_or_k = |word: &String| word.contains(['s', 'k', 'S', 'K']);
    let folds = insensitive && unicode && words.iter().any(holds_s_or_k);
    Some(Reading::Literals { words, either_case: insensitive, folds })
}

/// Returns true for a character that is literal in PCRE2 outside of groups and classes.
fn is_literal_in_pcre2(c: char) -> bool {
    c.is_alphanumeric() || "_ -/:;,<>=!@%&~\"'`#".contains(c)
}

/// Returns the alternation of the patterns, each written by `write` in its own group.
fn alternatives(patterns: &[String], write: impl Fn(&str, &mut String)) -> String {
    let mut joined = String::new();
    for (i, pattern) in patterns.iter().enumerate() {
        joined.push_str(if i == 0 { "(?:" } else { "|(?:" });
        write(pattern, &mut joined);
        joined.push(')');
    }
    joined
}

fn parse(pattern: &str, options: &PatternOptions) -> Reading<'static> {
    let mut parser = ast::parse::ParserBuilder::new().nest_limit(NEST_MAX).octal(false).build();
    let Ok(ast) = parser.parse(pattern) else {
        return Reading::Unknown;
    };
    let literals = match ast::visit(&ast, Literals::default()) {
        Ok(literals) => literals,
        Err(never) => match never {},
    };
    let translated = TranslatorBuilder::new()
        .utf8(false)
        .multi_line(true)
        .unicode(options.unicode)
        .case_insensitive(literals.fold(options.case))
        .dot_matches_new_line(options.multi_line && options.dot_matches_new_line)
        .crlf(options.crlf)
        .build()
        .translate(pattern, &ast);
    match translated {
        Ok(hir) => Reading::Expression(hir),
        Err(_) => Reading::Unknown,
    }
}

/// The literals of a pattern for smart case, inside and outside of classes. Escapes such as `\S`
/// and `\pL` are not literals.
#[derive(Default)]
struct Literals {
    any: bool,
    any_uppercase: bool,
}

impl Literals {
    fn add(&mut self, literal: char) {
        self.any = true;
        self.any_uppercase |= literal.is_uppercase();
    }

    /// Returns true if matching is case-insensitive.
    fn fold(&self, case: Case) -> bool {
        match case {
            Case::Sensitive => false,
            Case::Insensitive => true,
            Case::Smart => self.any && !self.any_uppercase,
        }
    }
}

impl ast::Visitor for Literals {
    type Output = Literals;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<Literals, Self::Err> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        if let Ast::Literal(literal) = ast {
            self.add(literal.c);
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ast::ClassSetItem) -> Result<(), Self::Err> {
        match item {
            ast::ClassSetItem::Literal(literal) => self.add(literal.c),
            ast::ClassSetItem::Range(range) => {
                self.add(range.start.c);
                self.add(range.end.c);
            }
            _ => {}
        }
        Ok(())
    }
}
