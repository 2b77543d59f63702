//! Where the comments of a text are, found by a language's marks without parsing: also in files that
//! are too large or too broken to be parsed, and in languages without a grammar.
//!
//! Strings are stepped over, as far as they end in their line. A mark in what is written otherwise
//! (a regex, a quoted heredoc) may be taken for a comment; ranking can live with that, nothing else
//! should ask.

use std::ops::Range;

use memchr::memchr;
use memchr::memmem;

/// How comments are marked.
#[derive(Clone, Copy, Debug)]
pub struct CommentMarks {
    /// CommentMarks that begin a comment up to the line's end.
    pub line: &'static [&'static str],
    /// CommentMarks that begin and end a comment of any length.
    pub block: &'static [(&'static str, &'static str)],
}

/// Longer strings are not stepped over, so that unbalanced quotes cost no more than this each.
const STRING_BYTES_MAX: usize = 512;

/// What most languages do, for those that nobody told of.
pub const USUAL: CommentMarks = CommentMarks { line: &["//", "#"], block: &[("/*", "*/")] };

/// Returns the spans of comments in `text`, in order and apart from each other. O(text).
pub fn comments(text: &[u8], marks: CommentMarks) -> Vec<Range<usize>> {
    let mut interesting = [false; 256];
    for byte in [b'"', b'\'', b'`'] {
        interesting[byte as usize] = true;
    }
    let line = marks.line.iter().filter_map(|mark| mark.bytes().next());
    for byte in line.chain(marks.block.iter().filter_map(|(open, _)| open.bytes().next())) {
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
        let is_here = |mark: &str| !mark.is_empty() && rest.starts_with(mark.as_bytes());
        if let Some((open, close)) = marks.block.iter().find(|(open, _)| is_here(open)) {
            let inside = &rest[open.len()..];
            let found = memmem::find(inside, close.as_bytes());
            let len = found.map_or(rest.len(), |end| open.len() + end + close.len());
            spans.push(at..at + len);
            at += len.max(1);
        } else if marks.line.iter().any(|mark| is_here(mark)) {
            let len = memchr(b'\n', rest).unwrap_or(rest.len());
            spans.push(at..at + len);
            at += len.max(1);
        } else {
            at += string(rest).max(1);
        }
    }
    spans
}

/// Returns the length of the string that `text` starts with, if it ends in its line, or 0.
fn string(text: &[u8]) -> usize {
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

    fn check(marks: CommentMarks, text: &str, expected: &[&str]) {
        let found: Vec<&str> =
            comments(text.as_bytes(), marks).into_iter().map(|span| &text[span]).collect();
        assert_eq!(found, expected, "comments of {text:?}");
    }

    #[test]
    fn comments_are_found_outside_of_strings() {
        let c = CommentMarks { line: &["//"], block: &[("/*", "*/")] };
        check(c, "a // b\nc /* d\n e */ f", &["// b", "/* d\n e */"]);
        check(c, "x = \"http://a\"; // b", &["// b"]);
        check(c, "'\\'' // it's\n\"/* open\n// c", &["// it's", "/* open\n// c"]);
        check(c, "/* never closed", &["/* never closed"]);
        check(USUAL, "a = 'b' # c", &["# c"]);
        check(CommentMarks { line: &[], block: &[("", "")] }, "a \"", &[]);
    }

    #[test]
    fn many_open_quotes_take_no_longer() {
        let text = "\"".to_owned() + &"a'".repeat(100_000);
        assert!(comments(text.as_bytes(), USUAL).is_empty());
    }
}
