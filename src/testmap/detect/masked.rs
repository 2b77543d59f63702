//! Source text with the contents of strings and comments blanked out, and its matching brackets.

use std::ops::Range;

/// The lexical rules of a language, as far as they decide where strings and comments end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexis {
    /// `#` starts a line comment instead of `//`.
    pub(super) has_hash_comments: bool,
    /// Backticks delimit strings that may span lines and contain `${…}`.
    pub(super) has_templates: bool,
    /// `/` may start a regular expression.
    pub(super) has_regexes: bool,
    /// Single quotes delimit strings, not characters or lifetimes.
    pub(super) has_single_quotes: bool,
}

/// The maximum number of unmatched brackets in front of a matching one.
const UNMATCHED_MAX: usize = 8;

/// A text without the contents of its strings and comments, of the same length, and its brackets.
#[derive(Debug)]
pub(super) struct Masked {
    text: Vec<u8>,
    /// Positions of opening brackets with those of the closing ones, ordered.
    pairs: Vec<(usize, usize)>,
}

impl Masked {
    /// Blanks out strings and comments; their delimiters remain. O(text).
    pub(super) fn new(text: &[u8], lexis: Lexis) -> Masked {
        let text = blanked(text, lexis);
        let mut stack: Vec<(usize, u8)> = Vec::new();
        let mut pairs = Vec::new();
        for (at, &byte) in text.iter().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => stack.push((at, byte)),
                b')' | b']' | b'}' => {
                    let open = match byte {
                        b')' => b'(',
                        b']' => b'[',
                        _ => b'{',
                    };
                    // A few unmatched brackets inside are dropped, so that an error costs one block.
                    let near = stack.len().saturating_sub(UNMATCHED_MAX);
                    if let Some(place) = stack[near..].iter().rposition(|&(_, of)| of == open) {
                        pairs.push((stack[near + place].0, at));
                        stack.truncate(near + place);
                    }
                }
                _ => {}
            }
        }
        pairs.sort_unstable();
        Masked { text, pairs }
    }

    /// Returns the blanked text.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns the position of the bracket that closes the one at `open`. O(log n).
    pub(super) fn close(&self, open: usize) -> Option<usize> {
        let place = self.pairs.binary_search_by_key(&open, |pair| pair.0).ok()?;
        Some(self.pairs[place].1)
    }

    /// Returns the first position from `at` on that is not white space.
    pub(super) fn skip_space(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
    }

    /// Returns the byte at a position; 0 past the end.
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    /// Returns the identifier that starts at a position; empty if none does.
    pub(super) fn word(&self, at: usize) -> &str {
        let rest = self.text.get(at..).unwrap_or_default();
        let len = rest.iter().take_while(|byte| is_word(**byte)).count();
        std::str::from_utf8(&rest[..len]).unwrap_or_default()
    }

    /// Returns the identifiers of the text that no word character and no `.` precedes, each with its
    /// position.
    pub(super) fn words(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < self.text.len() {
                let start = at;
                let word = self.word(at);
                if word.is_empty() {
                    at += 1;
                    continue;
                }
                at += word.len();
                let before = start.checked_sub(1).map_or(0, |before| self.text[before]);
                if before != b'.' && !word.as_bytes()[0].is_ascii_digit() {
                    return Some((start, word));
                }
            }
            None
        })
    }

    /// Returns the span of the string whose opening quote is at `at`, without its quotes.
    pub(super) fn string(&self, at: usize) -> Option<Range<usize>> {
        let quote = self.byte(at);
        if !matches!(quote, b'"' | b'\'' | b'`') {
            return None;
        }
        let len = self.text[at + 1..].iter().position(|&byte| byte == quote)?;
        Some(at + 1..at + 1 + len)
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn blanked(text: &[u8], lexis: Lexis) -> Vec<u8> {
    let mut out = text.to_vec();
    let blank = |out: &mut [u8], range: Range<usize>| {
        for byte in &mut out[range] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    };
    let line_end =
        |at: usize| memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |len| at + len);
    let (mut at, mut last) = (0, 0_u8);
    while at < text.len() {
        let byte = text[at];
        let next = text.get(at + 1).copied().unwrap_or(0);
        let start = at;
        match byte {
            b'#' if lexis.has_hash_comments => {
                at = line_end(at);
                blank(&mut out, start..at);
                continue;
            }
            b'/' if !lexis.has_hash_comments && next == b'/' => {
                at = line_end(at);
                blank(&mut out, start..at);
                continue;
            }
            b'/' if !lexis.has_hash_comments && next == b'*' => {
                let rest = &text[at + 2..];
                at = memchr::memmem::find(rest, b"*/").map_or(text.len(), |len| at + len + 4);
                blank(&mut out, start..at);
                continue;
            }
            b'/' if lexis.has_regexes && starts_regex(last) => {
                if let Some(len) = regex(&text[at..line_end(at)]) {
                    blank(&mut out, at + 1..at + len - 1);
                    at += len;
                    last = b'/';
                    continue;
                }
            }
            b'`' if lexis.has_templates => {
                let end = template(text, at);
                blank(&mut out, at + 1..end.saturating_sub(1).max(at + 1));
                at = end;
                last = byte;
                continue;
            }
            b'"' | b'\'' if byte == b'"' || lexis.has_single_quotes => {
                let end = quoted(text, at, line_end(at));
                blank(&mut out, at + 1..end.saturating_sub(1).max(at + 1));
                at = end;
                last = byte;
                continue;
            }
            b'\'' => {
                // A character such as `'{'`.
                let len = if next == b'\\' { 4 } else { 3 };
                if text.get(at + len - 1) == Some(&b'\'') {
                    blank(&mut out, at + 1..at + len - 1);
                    at += len;
                    continue;
                }
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            last = byte;
        }
        at += 1;
    }
    out
}

/// Returns true if `/` after the byte `last` starts a regular expression, not a division.
fn starts_regex(last: u8) -> bool {
    last == 0 || b"(,=:[!&|?{};+-*%<>~^".contains(&last)
}

/// Returns the length of the regular expression that `line` starts with.
fn regex(line: &[u8]) -> Option<usize> {
    let (mut at, mut in_class) = (1, false);
    while at < line.len() {
        match line[at] {
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the end of the string that starts at `at`; a string ends with its line.
fn quoted(text: &[u8], at: usize, line_end: usize) -> usize {
    let quote = text[at];
    let mut end = at + 1;
    while end < line_end {
        match text[end] {
            b'\\' => end += 1,
            byte if byte == quote => return end + 1,
            _ => {}
        }
        end += 1;
    }
    line_end
}

/// Returns the end of the template that starts at `at`, over nested `${…}`.
fn template(text: &[u8], at: usize) -> usize {
    let (mut end, mut depth) = (at + 1, 0_usize);
    while end < text.len() {
        match text[end] {
            b'\\' => end += 1,
            b'$' if text.get(end + 1) == Some(&b'{') => {
                depth += 1;
                end += 1;
            }
            b'}' if depth > 0 => depth -= 1,
            b'`' if depth == 0 => return end + 1,
            _ => {}
        }
        end += 1;
    }
    text.len()
}
