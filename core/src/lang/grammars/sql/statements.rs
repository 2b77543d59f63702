//! Rewrites statements that the grammar cannot parse.
//!
//! A statement that the grammar cannot parse would also spoil the statements after it. If it is not
//! a definition, it is blanked out; if it is one, it keeps its words up to the name, and a table
//! also keeps its columns. Statements are separated by semicolons, except for those between `BEGIN`
//! and `END` of a routine. Members of Oracle packages therefore count as separate statements.

use std::ops::Range;

use tree_sitter::{Parser, Tree};

use super::super::blank::blank;
use super::{head, word};
use crate::lang::node::NodeNames;
use crate::lang::parse::{Limits, Work, parse_bounded, parser_of};
use crate::lang::symbols::SymbolKind;

/// A statement that is parsed after another one, to test whether the grammar recovers.
const SENTINEL: &[u8] = b";\nCREATE TABLE z(z INT);";

/// First words of items in a table definition that are not columns.
const TABLE_CONSTRAINTS: &[&str] = &[
    "constraint",
    "primary",
    "unique",
    "foreign",
    "check",
    "exclude",
    "like",
    "index",
    "key",
    "fulltext",
    "spatial",
    "period",
];

/// Rewrites the statements of `text` that the grammar cannot parse.
///
/// A statement that the grammar parses with errors is kept for its correct parts, unless this makes
/// the grammar miss the start or the end of a definition.
pub(super) fn isolate(text: &mut [u8]) {
    let mut trial = Trial::new(text.len());
    let (mut definitions, mut with_errors) = (Vec::new(), Vec::new());
    for span in statements(text) {
        let statement = &mut text[span.clone()];
        let outcome = trial.of(statement);
        let is_definition = statement.get(..6).is_some_and(is_create);
        let is_kept = match outcome {
            _ if !is_definition => outcome.recovers,
            _ if is_routine(statement) => outcome.is_one,
            _ => outcome.is_clean,
        };
        if !is_kept {
            simplify(statement, &mut trial);
        } else if !outcome.is_clean {
            with_errors.push(span.clone());
        }
        if is_definition {
            definitions.push(span);
        }
    }
    if !with_errors.is_empty() && !trial.has_bounds(text, &definitions) {
        with_errors.into_iter().for_each(|span| simplify(&mut text[span], &mut trial));
    }
}

fn simplify(statement: &mut [u8], trial: &mut Trial) {
    let is_definition = statement.get(..6).is_some_and(is_create);
    match is_definition.then(|| plain(statement, trial)).flatten() {
        Some(plain) => statement.copy_from_slice(&plain),
        None => blank(statement),
    }
}

fn is_create(word: &[u8]) -> bool {
    word.eq_ignore_ascii_case(b"create")
}

/// Returns true for a routine, whose body may parse although its head does not.
fn is_routine(statement: &[u8]) -> bool {
    head(statement, 6, statement.len()).is_some_and(|(kind, _)| kind == SymbolKind::Function)
}

/// The result of parsing a statement on its own.
#[derive(Default)]
struct Outcome {
    /// It parses without errors.
    is_clean: bool,
    /// The statement after it parses.
    recovers: bool,
    /// The statement after it parses, and the first node extends to the last line of the statement.
    is_one: bool,
}

/// A parser for trial parses. All trials together may take twice as many steps as parsing the whole
/// text.
struct Trial {
    parser: Parser,
    work: Work,
}

impl Trial {
    fn new(len: usize) -> Trial {
        let parser = parser_of(&super::SQL).expect("texts are masked only if there is a parser");
        Trial { parser, work: Work::of(len, Limits::DEFAULT).times(2) }
    }

    fn of(&mut self, text: &[u8]) -> Outcome {
        let Some(tree) = self.parse(&[text, SENTINEL].concat()) else { return Outcome::default() };
        let root = tree.root_node();
        let last = root.named_child(root.named_child_count().saturating_sub(1) as u32);
        let recovers = last.is_some_and(|last| {
            last.start_byte() == text.len() + 2
                && last.kind_name() == "statement"
                && !last.has_error()
        });
        let last_row = memchr::memchr_iter(b'\n', text.trim_ascii_end()).count();
        let first = root.named_child(0).filter(|first| first.end_position().row >= last_row);
        let is_one = recovers && first.is_some();
        Outcome { is_clean: recovers && !root.has_error(), recovers, is_one }
    }

    /// Returns true if the grammar finds each definition at its start and does not extend it past
    /// its end.
    fn has_bounds(&mut self, text: &[u8], definitions: &[Range<usize>]) -> bool {
        let Some(tree) = self.parse(text) else { return false };
        definitions.iter().all(|span| {
            let word = tree.root_node().descendant_for_byte_range(span.start, span.start + 6);
            let around = word.filter(|word| word.kind_name() == "keyword_create");
            around.and_then(|word| word.parent()).is_some_and(|around| {
                let is_create = around.is_error() || around.kind_name().starts_with("create_");
                is_create && around.start_byte() == span.start && around.end_byte() <= span.end
            })
        })
    }

    fn parse(&mut self, text: &[u8]) -> Option<Tree> {
        parse_bounded(&mut self.parser, text, 0, &mut self.work)
    }
}

/// Returns the span of each statement up to its semicolon, without leading white space and
/// comments.
fn statements(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut at, mut start, mut depth, mut blocks) = (0, None, 0_usize, 0_usize);
    while at < text.len() {
        let (end, is_code) = token(text, at);
        let is_line_start = at == 0 || text[at - 1] == b'\n';
        let begins = is_line_start && text.get(at..at + 6).is_some_and(is_create);
        let is_end = text[at] == b';' && (depth == 0 || begins_line(text, end));
        let ends = is_end && blocks == 0;
        if begins || ends {
            found.extend(start.take().map(|start| start..at));
            (depth, blocks) = (0, 0);
        }
        match text[at] {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b'b' | b'B' | b'c' | b'C' | b'e' | b'E' => {
                let is_body = start.is_some_and(|start| has_body(&text[start..at]));
                blocks = if is_body { blocks_after(text, at..end, blocks) } else { 0 };
            }
            _ => {}
        }
        if is_code && !ends && start.is_none() {
            start = Some(at);
        }
        at = end;
    }
    found.extend(start.map(|start| start..text.len()));
    found
}

/// Returns true if the beginning of a statement makes it a routine. It is called for many words of
/// a statement, so only its first bytes are inspected.
fn has_body(statement: &[u8]) -> bool {
    let statement = &statement[..statement.len().min(HEAD_BYTES_MAX)];
    statement.get(..6).is_some_and(is_create) && is_routine(statement)
}

/// Number of bytes in which the name of a routine must occur.
const HEAD_BYTES_MAX: usize = 1024;

/// Returns the number of open blocks after the word in `span`; `blocks` is the number before it.
fn blocks_after(text: &[u8], span: Range<usize>, blocks: usize) -> usize {
    let is = |word: &[u8]| text[span.clone()].eq_ignore_ascii_case(word);
    if is(b"begin") || is(b"case") && blocks > 0 {
        return blocks + 1;
    }
    let next = word(text, span.end).map_or(&b""[..], |(start, end)| &text[start..end]);
    let is_other = OTHER_ENDS.iter().any(|other| next.eq_ignore_ascii_case(other));
    if is(b"end") && !is_other { blocks.saturating_sub(1) } else { blocks }
}

/// Words after `END` that close a construct other than `BEGIN` and `CASE`.
const OTHER_ENDS: &[&[u8]] = &[b"if", b"loop", b"while", b"repeat", b"for"];

/// Returns true if the next line begins with a word, which indicates a new statement.
fn begins_line(text: &[u8], at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    let blanks = rest.iter().take_while(|byte| b" \t\r".contains(byte)).count();
    rest.get(blanks) == Some(&b'\n') && rest.get(blanks + 1).is_some_and(u8::is_ascii_alphabetic)
}

/// Returns the end of the token at `at` (white space, comment, string, word or punctuation), and
/// whether it is code.
fn token(text: &[u8], at: usize) -> (usize, bool) {
    let rest = &text[at..];
    let past = |mark: &[u8], from: usize| {
        let found = memchr::memmem::find(rest.get(from..).unwrap_or_default(), mark);
        found.map_or(text.len(), |len| at + from + len + mark.len())
    };
    match rest[0] {
        b' ' | b'\t' | b'\r' | b'\n' => (at + 1, false),
        b'-' if rest.starts_with(b"--") => (past(b"\n", 0), false),
        b'/' if rest.starts_with(b"/*") => (past(b"*/", 2), false),
        b'\'' if at > 0 && b"eE".contains(&text[at - 1]) => (at + escaped_len(rest), true),
        quote @ (b'\'' | b'"') => (past(&[quote], 1), true),
        b'$' => match dollar_tag(rest) {
            Some(len) => (past(&rest[..len], len), true),
            None => (at + 1, true),
        },
        byte if is_word(byte) => (at + word_len(rest), true),
        _ => (at + 1, true),
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the length of the word at the start of `text`.
fn word_len(text: &[u8]) -> usize {
    text.iter().take_while(|byte| is_word(**byte)).count()
}

/// Returns the length of a string with backslash escapes, including its quotes.
fn escaped_len(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\'' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// Returns the length of `$$` or `$tag$`.
fn dollar_tag(text: &[u8]) -> Option<usize> {
    let len = text[1..].iter().take_while(|byte| is_word(**byte)).count();
    let is_tag = text.get(1 + len) == Some(&b'$') && !text[1].is_ascii_digit();
    is_tag.then_some(len + 2)
}

/// Rewrites a definition in syntax that the grammar supports, with the same length: a table with
/// its columns, anything else as a trivial view. Returns `None` if the statement defines nothing.
fn plain(statement: &[u8], trial: &mut Trial) -> Option<Vec<u8>> {
    let (kind, name) = head(statement, 6, statement.len())?;
    let columns = Some(kind).filter(|kind| *kind == SymbolKind::Table);
    let columns = columns.and_then(|_| table(statement, &name));
    let columns = columns.filter(|columns| trial.of(columns).is_clean);
    Some(columns.unwrap_or_else(|| view(statement, &name)))
}

/// Returns `CREATE WORD name` padded with spaces. A word of up to five letters fits before any
/// name.
fn create_head(statement: &[u8], name: &Range<usize>, word: &[u8]) -> Vec<u8> {
    let mut plain = statement.to_vec();
    blank(&mut plain[6..name.start]);
    blank(&mut plain[name.end..]);
    if let Some(at) = room(statement, 7..name.start, word.len()) {
        plain[at..at + word.len()].copy_from_slice(word);
    }
    plain
}

/// Returns the first offset in `span` of `len` bytes without a line end.
fn room(statement: &[u8], span: Range<usize>, len: usize) -> Option<usize> {
    let is_line = |at: &usize| !statement[*at..*at + len].contains(&b'\n');
    (span.start..span.end.checked_sub(len)?).find(is_line)
}

fn view(statement: &[u8], name: &Range<usize>) -> Vec<u8> {
    let mut plain = create_head(statement, name, b"VIEW");
    let len = statement.trim_ascii_end().len();
    let as_at = room(statement, name.end + 1..len, 2);
    let select_at = as_at.and_then(|at| room(statement, at + 3..len - 1, 6));
    if let (Some(as_at), Some(select_at)) = (as_at, select_at) {
        plain[as_at..as_at + 2].copy_from_slice(b"AS");
        plain[select_at..select_at + 6].copy_from_slice(b"SELECT");
        plain[len - 1] = b'1';
    }
    plain
}

fn table(statement: &[u8], name: &Range<usize>) -> Option<Vec<u8>> {
    let mut plain = create_head(statement, name, b"TABLE");
    let (mut at, mut depth, mut last) = (name.end, 0_usize, None);
    let (mut is_item_start, mut is_first) = (false, true);
    while at < statement.len() {
        let (end, is_code) = token(statement, at);
        match statement[at] {
            b'(' => {
                depth += 1;
                is_item_start = depth == 1;
                if depth == 1 {
                    plain[at] = b'(';
                }
            }
            b')' if depth == 1 => break,
            b')' => depth = depth.checked_sub(1)?,
            b',' if depth == 1 => {
                (is_item_start, last) = (true, Some(at));
            }
            _ if is_code && depth == 0 => return None,
            _ if is_code && is_item_start => {
                is_item_start = false;
                let column = column(statement, at);
                if let Some(column) = column {
                    plain[column.clone()].copy_from_slice(&statement[column]);
                    if let Some(comma) = last.filter(|_| !is_first) {
                        plain[comma] = b',';
                    }
                    is_first = false;
                }
            }
            _ => {}
        }
        at = end;
    }
    let len = statement.trim_ascii_end().len();
    plain[len - 1] = b')';
    (!is_first).then_some(plain)
}

/// Returns the span of the name and of the first word of the type of the column at `at`.
fn column(statement: &[u8], at: usize) -> Option<Range<usize>> {
    let (start, end) = word(statement, at)?;
    let name = String::from_utf8_lossy(&statement[start..end]).to_ascii_lowercase();
    let (of_type, type_end) = word(statement, end)?;
    let is_line = !statement[start..type_end].contains(&b'\n') && of_type > end;
    (is_line && !TABLE_CONSTRAINTS.contains(&name.as_str())).then_some(start..type_end)
}
