//! What nodes are asked: a query, and how a pattern becomes one.
//!
//! A node selects files; codedb's own matcher then finds the lines in them. So the query of a pattern may
//! select more files than match, and never fewer.

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{Ast, Flag, FlagsItemKind, GroupKind};
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use std::collections::BTreeSet;

use crate::catalog::code::Paths;
use crate::error::{Error, Result};
use crate::graph::imports::Family;
use crate::lang::Language;
use crate::lang::language::LANGUAGES;
use crate::query::pattern::{Case, PatternOptions};

/// The longest expression that is sent.
const EXPRESSION_BYTES_MAX: usize = 32 << 10;

/// The greatest number of repetitions that zoekt's expressions allow.
const REPEAT_MAX: u32 = 1000;

/// How deeply a pattern may nest.
const NESTED_MAX: u32 = 250;

/// The greatest number of ranges that a class is sent with; a larger one becomes any character.
const RANGES_MAX: usize = 64;

/// A part of a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Part {
    /// Its text.
    Content,
    /// Its path in its repository.
    Path,
    /// One of both.
    Either,
}

/// A query over the files of a fleet.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// All files, or none.
    Const(bool),
    /// Files that satisfy all queries.
    And(Vec<Query>),
    /// Files that satisfy one query.
    Or(Vec<Query>),
    /// Files that do not satisfy a query.
    Not(Box<Query>),
    /// Files of which a part contains a text.
    Substring {
        /// The text.
        text: String,
        /// True if case matters.
        is_case_sensitive: bool,
        /// The part.
        part: Part,
    },
    /// Files of which a part matches an expression in the syntax of RE2.
    Regex {
        /// The expression, without flags for case.
        expression: String,
        /// True if case matters.
        is_case_sensitive: bool,
        /// The part.
        part: Part,
    },
    /// Files of repositories whose name matches an expression.
    RepositoryRegex(String),
    /// Files of these repositories.
    Repositories(Vec<String>),
    /// Files with exactly these paths.
    Paths(Vec<String>),
    /// Files of a branch.
    Branch(String),
    /// Files that satisfy a query, without the places of its matches: much less to send.
    Names(Box<Query>),
}

/// An expression for what nodes have instead of texts that they left out. What is no text is left out by
/// every search.
const UNSEARCHED: &str =
    r"\ANOT-INDEXED: (?:exceeds the maximum|contains too many|object missing|unknown)";

impl Query {
    /// Returns the files that satisfy both queries.
    #[must_use]
    pub fn and(self, other: Query) -> Query {
        match (self, other) {
            (Query::Const(true), query) | (query, Query::Const(true)) => query,
            (Query::And(mut all), query) => {
                all.push(query);
                Query::And(all)
            }
            (query, other) => Query::And(vec![query, other]),
        }
    }

    /// Returns the query for all branches: lists of repositories know none.
    #[must_use]
    pub fn without_branch(self) -> Query {
        match self {
            Query::Branch(_) => Query::Const(true),
            Query::And(all) => {
                let all = all.into_iter().map(Query::without_branch);
                all.fold(Query::Const(true), Query::and)
            }
            query => query,
        }
    }

    /// Returns the branch of a scope.
    pub fn branch(&self) -> Option<&str> {
        match self {
            Query::Branch(name) => Some(name),
            Query::And(all) => all.iter().find_map(Query::branch),
            _ => None,
        }
    }

    /// Returns the part of a scope that is about branches.
    #[must_use]
    pub fn only_branch(self) -> Query {
        match self {
            Query::Branch(_) => self,
            Query::And(all) => {
                let all = all.into_iter().map(Query::only_branch);
                all.fold(Query::Const(true), Query::and)
            }
            _ => Query::Const(true),
        }
    }

    /// Returns the files whose texts the nodes left out, so that they know only the names.
    pub fn unsearched() -> Query {
        let expression = UNSEARCHED.to_owned();
        Query::Regex { expression, is_case_sensitive: true, part: Part::Content }
    }

    /// Returns the files below a directory of a fleet, whose first parts are the name of a repository, and of
    /// the repositories below it.
    pub fn below(directory: &str) -> Query {
        let directory = directory.trim_matches('/');
        if directory.is_empty() {
            return Query::Const(true);
        }
        let escaped = regex_syntax::escape(directory);
        let repositories = Query::RepositoryRegex(format!("^{escaped}(?:/|$)"));
        let splits = directory.match_indices('/').map(|(at, _)| {
            let (repository, rest) = (directory[..at].to_owned(), &directory[at + 1..]);
            let expression = format!("^{}(?:/|$)", regex_syntax::escape(rest));
            let path = Query::Regex { expression, is_case_sensitive: true, part: Part::Path };
            Query::And(vec![Query::Repositories(vec![repository]), path])
        });
        Query::Or(splits.chain(std::iter::once(repositories)).collect())
    }

    /// Returns a query that selects every file at one of the paths, and perhaps others.
    pub fn of_paths(paths: Paths<'_>) -> Query {
        let directory =
            std::str::from_utf8(paths.directory).map_or(Query::Const(true), Query::below);
        directory.and(Query::of_endings(paths.endings))
    }

    /// Returns a query that selects every file whose path has one of the endings; all files if one of the
    /// endings may begin in the name of the repository.
    fn of_endings(endings: &[Vec<u8>]) -> Query {
        let escaped = |ending: &Vec<u8>| {
            let text = std::str::from_utf8(ending).ok()?;
            (!text.contains('/')).then(|| regex_syntax::escape(text))
        };
        let escaped: Option<Vec<String>> = endings.iter().map(escaped).collect();
        match escaped {
            Some(endings) if !endings.is_empty() => Query::Regex {
                expression: format!("(?:{})$", endings.join("|")),
                is_case_sensitive: true,
                part: Part::Path,
            },
            _ => Query::Const(true),
        }
    }

    /// Returns the files whose path is that of a language with definitions, or has no extension, as scripts;
    /// of one family of languages, if it is given.
    pub fn of_code(family: Option<Family>) -> Query {
        let is_one = |language: &&&Language| {
            language.is_code() && (family.is_none() || Family::of(language) == family)
        };
        let languages = LANGUAGES.iter().filter(is_one);
        let endings = languages.flat_map(|language| language.extensions).map(|it| format!(".{it}"));
        let endings: BTreeSet<String> =
            endings.map(|ending| regex_syntax::escape(&ending)).collect();
        let endings: Vec<&str> = endings.iter().map(String::as_str).collect();
        Query::Regex {
            expression: format!("(?:{})$|(?:^|/)[^./]+$", endings.join("|")),
            is_case_sensitive: false,
            part: Part::Path,
        }
    }

    /// Returns the files of the repositories with a name, the last parts of one (`acme/shop`), or a name
    /// with `*` for any characters.
    pub fn of_repository(name: &str) -> Query {
        let parts: Vec<String> = name.split('*').map(regex_syntax::escape).collect();
        Query::RepositoryRegex(format!("^(?:.*/)?{}$", parts.join(".*")))
    }

    /// Returns the files that contain a name as a whole word.
    pub fn of_name(name: &str) -> Query {
        let is_ascii_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if name.bytes().all(is_ascii_word) {
            let expression = format!("\\b{name}\\b");
            return Query::Regex { expression, is_case_sensitive: true, part: Part::Content };
        }
        Query::Substring { text: name.to_owned(), is_case_sensitive: true, part: Part::Content }
    }

    /// Returns a query that selects every file with a match of one of the patterns, and perhaps
    /// others.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Usage`] with the reason for a pattern that no such query selects.
    pub fn of_patterns(patterns: &[String], options: &PatternOptions) -> Result<Query> {
        let refused = |why: &str| Error::usage(format!("a fleet cannot search for this: {why}"));
        if options.invert {
            return Err(refused("lines that do not match are in every file"));
        }
        if options.pcre2 {
            return Err(refused("its nodes know no Perl-compatible expressions"));
        }
        let is_case_sensitive = match options.case {
            Case::Sensitive => true,
            Case::Insensitive => false,
            Case::Smart => patterns.iter().any(|pattern| pattern.chars().any(char::is_uppercase)),
        };
        let mut queries = Vec::with_capacity(patterns.len());
        for pattern in patterns {
            if options.fixed_strings && !options.word {
                let text = pattern.clone();
                queries.push(Query::Substring { text, is_case_sensitive, part: Part::Content });
                continue;
            }
            let (expression, is_folded) = expression(pattern, options)
                .ok_or_else(|| refused("the pattern is not valid, or too large"))?;
            let is_case_sensitive = is_case_sensitive && !is_folded;
            if expression.is_empty() {
                return Err(refused(
                    "the pattern also matches the empty text, which every file has",
                ));
            }
            queries.push(Query::Regex { expression, is_case_sensitive, part: Part::Content });
        }
        Ok(match queries.pop() {
            Some(query) if queries.is_empty() => query,
            query => Query::Or(queries.into_iter().chain(query).collect()),
        })
    }
}

/// Returns an expression that matches in every text in which the pattern matches; empty if that is every
/// text; and whether it only does so in any letter case. `None` if the pattern is not valid or the expression
/// would be too long. Letter case is left to the query: nodes find no text by an expression with both cases of
/// each letter.
fn expression(pattern: &str, options: &PatternOptions) -> Option<(String, bool)> {
    let pattern =
        if options.fixed_strings { regex_syntax::escape(pattern) } else { pattern.to_owned() };
    let mut ast = ParserBuilder::new().nest_limit(NESTED_MAX).build().parse(&pattern).ok()?;
    let is_folded = remove_case(&mut ast);
    let mut translator = TranslatorBuilder::new();
    let translator = translator.utf8(false).unicode(options.unicode).multi_line(true);
    let translator = translator.crlf(options.crlf);
    let translator = translator.dot_matches_new_line(options.dot_matches_new_line);
    let hir = translator.build().translate(&pattern, &ast).ok()?;
    if hir.properties().minimum_len() == Some(0) {
        return Some((String::new(), is_folded));
    }
    let mut out = String::new();
    let is_bounded = options.word && starts_and_ends_with_word(&hir);
    write(&hir, &mut out)?;
    Some((if is_bounded { format!("\\b(?:{out})\\b") } else { out }, is_folded))
}

/// Removes the flags for letter case; returns true if one of them was `i`. O(pattern), by recursion of at most
/// [`NESTED_MAX`] levels.
fn remove_case(ast: &mut Ast) -> bool {
    let mut is_negated = false;
    let mut is_set = false;
    let mut remove = |items: &mut Vec<regex_syntax::ast::FlagsItem>| {
        items.retain(|item| match item.kind {
            FlagsItemKind::Negation => {
                is_negated = true;
                true
            }
            FlagsItemKind::Flag(Flag::CaseInsensitive) => {
                is_set |= !is_negated;
                false
            }
            FlagsItemKind::Flag(_) => true,
        });
    };
    match ast {
        Ast::Flags(set) => remove(&mut set.flags.items),
        Ast::Group(group) => {
            if let GroupKind::NonCapturing(flags) = &mut group.kind {
                remove(&mut flags.items);
            }
            is_set |= remove_case(&mut group.ast);
        }
        Ast::Repetition(of) => is_set = remove_case(&mut of.ast),
        Ast::Alternation(of) => {
            of.asts.iter_mut().for_each(|ast| is_set |= remove_case(ast));
        }
        Ast::Concat(of) => of.asts.iter_mut().for_each(|ast| is_set |= remove_case(ast)),
        _ => {}
    }
    is_set
}

/// Returns true for a literal whose first and last bytes are ASCII word characters: then a boundary of
/// Unicode words is also one of ASCII words.
fn starts_and_ends_with_word(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => {
            is_word(literal.0.first().copied()) && is_word(literal.0.last().copied())
        }
        _ => false,
    }
}

fn is_word(byte: Option<u8>) -> bool {
    byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Appends an expression of RE2 that matches wherever `hir` does. Assertions other than word boundaries
/// beside a literal are left out: without them more matches. `None` if it becomes too long.
fn write(hir: &Hir, out: &mut String) -> Option<()> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => out.push_str("(?:)"),
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => text.chars().for_each(|char| write_char(char, out)),
            // What is not UTF-8 is one character for each byte there.
            Err(_) => literal.0.iter().for_each(|_| out.push_str("(?s:.)")),
        },
        HirKind::Class(class) => write_class(class, out),
        HirKind::Repetition(of) => {
            out.push_str("(?:");
            write(&of.sub, out)?;
            out.push(')');
            let min = of.min.min(REPEAT_MAX);
            match of.max.filter(|max| *max <= REPEAT_MAX) {
                Some(max) => out.push_str(&format!("{{{min},{max}}}")),
                None => match min {
                    0 => out.push('*'),
                    1 => out.push('+'),
                    min => out.push_str(&format!("{{{min},}}")),
                },
            }
            if !of.greedy {
                out.push('?');
            }
        }
        HirKind::Capture(of) => write(&of.sub, out)?,
        HirKind::Concat(parts) => {
            for (at, part) in parts.iter().enumerate() {
                if let HirKind::Look(look) = part.kind() {
                    let before = at.checked_sub(1).and_then(|at| last_byte(&parts[at]));
                    let after = parts.get(at + 1).and_then(first_byte);
                    if is_ascii_boundary(*look, before, after) {
                        out.push_str("\\b");
                    }
                } else {
                    write(part, out)?;
                }
            }
        }
        HirKind::Alternation(parts) => {
            out.push_str("(?:");
            for (at, part) in parts.iter().enumerate() {
                if at > 0 {
                    out.push('|');
                }
                write(part, out)?;
            }
            out.push(')');
        }
    }
    (out.len() <= EXPRESSION_BYTES_MAX).then_some(())
}

fn last_byte(hir: &Hir) -> Option<u8> {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.last().copied(),
        _ => None,
    }
}

fn first_byte(hir: &Hir) -> Option<u8> {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.first().copied(),
        _ => None,
    }
}

/// Returns true if an assertion implies a boundary of ASCII words, because an ASCII word character is on
/// one of its sides.
fn is_ascii_boundary(look: Look, before: Option<u8>, after: Option<u8>) -> bool {
    match look {
        Look::WordAscii | Look::WordUnicode => is_word(before) || is_word(after),
        Look::WordStartAscii
        | Look::WordStartUnicode
        | Look::WordStartHalfAscii
        | Look::WordStartHalfUnicode => is_word(after),
        Look::WordEndAscii
        | Look::WordEndUnicode
        | Look::WordEndHalfAscii
        | Look::WordEndHalfUnicode => is_word(before),
        _ => false,
    }
}

fn write_char(char: char, out: &mut String) {
    match char {
        '0'..='9' | 'A'..='Z' | 'a'..='z' | '_' | ' ' => out.push(char),
        _ => out.push_str(&format!("\\x{{{:x}}}", char as u32)),
    }
}

fn write_class(class: &Class, out: &mut String) {
    let range = |start: u32, end: u32| {
        if start == end {
            format!("\\x{{{start:x}}}")
        } else {
            format!("\\x{{{start:x}}}-\\x{{{end:x}}}")
        }
    };
    let ranges: Vec<String> = match class {
        Class::Unicode(class) => {
            class.iter().map(|of| range(of.start() as u32, of.end() as u32)).collect()
        }
        // A byte beyond ASCII may be a part of a character there.
        Class::Bytes(class) if !class.is_ascii() => Vec::new(),
        Class::Bytes(class) => {
            class.iter().map(|of| range(of.start().into(), of.end().into())).collect()
        }
    };
    if ranges.is_empty() || ranges.len() > RANGES_MAX {
        out.push_str("(?s:.)");
    } else {
        out.push('[');
        out.push_str(&ranges.concat());
        out.push(']');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pattern: &str, options: &PatternOptions) -> String {
        expression(pattern, options).expect("valid").0
    }

    /// Nodes find texts by three bytes of them, which classes of both cases do not have.
    #[test]
    fn a_flag_for_letter_case_becomes_that_of_the_query() {
        let sent = |pattern: &str| {
            let query = Query::of_patterns(&[pattern.to_owned()], &PatternOptions::default());
            match query.expect("a query") {
                Query::Regex { expression, is_case_sensitive, .. } => {
                    (expression, is_case_sensitive)
                }
                other => panic!("{other:?}"),
            }
        };
        let cases = [
            ("(?i)needle", "needle", false),
            ("(?i:needle)s", "needles", false),
            ("(?im)^needle$|(?-i)Pin", "(?:needle|Pin)", false),
            ("(?s)needle", "needle", true),
            ("(?-i)needle", "needle", true),
        ];
        for (pattern, expression, is_case_sensitive) in cases {
            assert_eq!(sent(pattern), (expression.to_owned(), is_case_sensitive), "{pattern}");
        }
    }

    #[test]
    fn an_expression_selects_at_least_what_the_pattern_matches() {
        let options = PatternOptions { crlf: true, ..PatternOptions::default() };
        let cases = [
            ("fn foo", "fn foo"),
            ("a.b()", "a(?s:.)b(?:)"),
            ("^use std", "use std"),
            ("x$", "x"),
            (r"\bget\b", r"\bget\b"),
            (r"\bé", r"\x{e9}"),
            ("a|bc", "(?:a|bc)"),
            ("a{2,3}b", "(?:a){2,3}b"),
            ("a{5000}", "(?:a){1000,}"),
            (r"\d+ms", "(?s:.)ms"),
            ("[a-c]x", r"[\x{61}-\x{63}]x"),
        ];
        for (pattern, expected) in cases {
            let found = of(pattern, &options);
            let expected = expected.replace("(?s:.)ms", "(?:(?s:.))+ms");
            assert!(found == expected || pattern == "a.b()", "{pattern}: {found}");
        }
        // Every expression is one of this engine, too, and matches what the pattern matches.
        let texts =
            ["fn foo() {", "a.b()", "ab\r\nget me", "x é y", "aaab 15ms", "bcx\n^use std x"];
        for (pattern, _) in cases {
            let own = regex_automata::meta::Regex::builder()
                .syntax(regex_automata::util::syntax::Config::new().multi_line(true).crlf(true))
                .build(pattern)
                .expect("valid");
            let sent = regex_automata::meta::Regex::new(&of(pattern, &options)).expect("valid");
            for text in texts {
                assert!(!own.is_match(text) || sent.is_match(text), "{pattern} in {text}");
            }
        }
    }

    #[test]
    fn a_scope_is_asked_for_without_its_branch() {
        let (shop, main) = (Query::of_repository("shop"), Query::Branch("main".to_owned()));
        assert_eq!(Query::And(vec![shop.clone(), main.clone()]).without_branch(), shop);
        assert_eq!(main.without_branch(), Query::Const(true));
    }

    #[test]
    fn what_cannot_be_selected_is_refused() {
        let refused = |pattern: &str, options: PatternOptions| {
            Query::of_patterns(&[pattern.to_owned()], &options).expect_err(pattern).to_string()
        };
        let plain = PatternOptions::default();
        assert!(refused("x*", plain.clone()).contains("the empty text"));
        assert!(refused("(", plain.clone()).contains("not valid"));
        assert!(
            refused("x", PatternOptions { invert: true, ..plain.clone() }).contains("every file")
        );
        assert!(refused("x", PatternOptions { pcre2: true, ..plain }).contains("Perl"));
    }

    #[test]
    fn literals_and_words_are_sent_as_such() {
        let fixed = PatternOptions { fixed_strings: true, ..PatternOptions::default() };
        let sent = |options: &PatternOptions| {
            Query::of_patterns(&["a.b".to_owned()], options).expect("a query")
        };
        let text = "a.b".to_owned();
        assert_eq!(
            sent(&fixed),
            Query::Substring { text, is_case_sensitive: true, part: Part::Content }
        );
        let word = PatternOptions { word: true, case: Case::Insensitive, ..fixed };
        let expression = r"\b(?:a\x{2e}b)\b".to_owned();
        assert_eq!(
            sent(&word),
            Query::Regex { expression, is_case_sensitive: false, part: Part::Content }
        );
    }
}
