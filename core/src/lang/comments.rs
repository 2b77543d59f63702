//! Finds the comments of a text by their delimiters, without parsing. This also works for files
//! that are too large or too broken to parse, and for languages without a grammar.
//!
//! String literals are skipped if they end on the line where they begin. A delimiter inside any
//! other construct (a regex, a quoted heredoc) can be mistaken for a comment. Ranking tolerates
//! this error; nothing else should use this module.

use std::ops::Range;

use memchr::memchr;
use memchr::memmem;

/// The delimiters of a language's comments.
#[derive(Clone, Copy, Debug)]
pub struct CommentSyntax {
    /// Prefixes of comments that extend to the end of the line.
    pub line: &'static [&'static str],
    /// Opening and closing delimiters of block comments.
    pub block: &'static [(&'static str, &'static str)],
}

/// Maximum length of a string literal that is skipped. It bounds the cost of each unbalanced quote.
const STRING_BYTES_MAX: usize = 512;

impl CommentSyntax {
    /// The delimiters that most languages share, for files of an unknown language.
    pub const COMMON: CommentSyntax = CommentSyntax { line: &["//", "#"], block: &[("/*", "*/")] };
}

/// Returns the spans of the comments in `text`, in ascending order and without overlap. O(text).
pub fn comments(text: &[u8], syntax: CommentSyntax) -> Vec<Range<usize>> {
    let mut interesting = [false; 256];
    for byte in [b'"', b'\'', b'`'] {
        interesting[byte as usize] = true;
    }
    let line = syntax.line.iter().filter_map(|prefix| prefix.bytes().next());
    for byte in line.chain(syntax.block.iter().filter_map(|(open, _)| open.bytes().next())) {
        interesting[byte as usize] = true;
    }
    let mut spans = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if !interesting[text[at] as usize] {
            at += 1;
            continue;
        }
        let rest = &text[at..];
        let is_here =
            |delimiter: &str| !delimiter.is_empty() && rest.starts_with(delimiter.as_bytes());
        if let Some((open, close)) = syntax.block.iter().find(|(open, _)| is_here(open)) {
            let inside = &rest[open.len()..];
            let found = memmem::find(inside, close.as_bytes());
            let len = found.map_or(rest.len(), |end| open.len() + end + close.len());
            spans.push(at..at + len);
            at += len.max(1);
        } else if syntax.line.iter().any(|prefix| is_here(prefix)) {
            let len = memchr(b'\n', rest).unwrap_or(rest.len());
            spans.push(at..at + len);
            at += len.max(1);
        } else {
            at += string_len(rest).max(1);
        }
    }
    spans
}

/// Returns the length of the string literal that `text` starts with, or 0 if there is none or it
/// does not end on its line.
fn string_len(text: &[u8]) -> usize {
    let Some(&quote) = text.first().filter(|byte| b"\"'`".contains(byte)) else { return 0 };
    let text = &text[..text.len().min(STRING_BYTES_MAX)];
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\n' => return 0,
            b'\\' => at += 2,
            _ if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(syntax: CommentSyntax, text: &str, expected: &[&str]) {
        let found: Vec<&str> =
            comments(text.as_bytes(), syntax).into_iter().map(|span| &text[span]).collect();
        assert_eq!(found, expected, "comments of {text:?}");
    }

    #[test]
    fn finds_comments_outside_of_strings() {
        let c = CommentSyntax { line: &["//"], block: &[("/*", "*/")] };
        check(c, "a // b\nc /* d\n e */ f", &["// b", "/* d\n e */"]);
        check(c, "x = \"http://a\"; // b", &["// b"]);
        check(c, "'\\'' // it's\n\"/* open\n// c", &["// it's", "/* open\n// c"]);
        check(c, "/* never closed", &["/* never closed"]);
        check(CommentSyntax::COMMON, "a = 'b' # c", &["# c"]);
        check(CommentSyntax { line: &[], block: &[("", "")] }, "a \"", &[]);
    }

    #[test]
    fn unbalanced_quotes_do_not_slow_the_scan() {
        let text = "\"".to_owned() + &"a'".repeat(100_000);
        assert!(comments(text.as_bytes(), CommentSyntax::COMMON).is_empty());
    }
}
