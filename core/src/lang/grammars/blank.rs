//! Helpers for the `mask` functions of languages, which blank out text that the grammar must not
//! see.

use std::ops::Range;

/// Returns a copy of `text` in which every byte except line ends is a space.
pub(super) fn blanks(text: &[u8]) -> Vec<u8> {
    text.iter().map(|&byte| if matches!(byte, b'\n' | b'\r') { byte } else { b' ' }).collect()
}

/// Replaces every byte of `masked` except line ends with a space.
pub(in crate::lang) fn blank(masked: &mut [u8]) {
    masked.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
}

/// Returns the lines of `text`, including their line ends, each with its byte offset.
pub(in crate::lang) fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    text.split_inclusive(|&byte| byte == b'\n').scan(0, |next, line| {
        let start = *next;
        *next += line.len();
        Some((start, line))
    })
}

/// Returns the end of the comment, string or character that begins at `at`, in Kotlin or Swift;
/// otherwise `at`. A string on one line ends at the line end at the latest.
pub(super) fn after_literal(text: &[u8], at: usize) -> usize {
    let rest = &text[at..];
    let end_of = |open: usize, close: &[u8]| {
        let end = memchr::memmem::find(&rest[open..], close);
        end.map_or(text.len(), |end| at + open + end + close.len())
    };
    match rest {
        [b'/', b'/', ..] => at + memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
        [b'/', b'*', ..] => end_of(2, b"*/"),
        [b'"', b'"', b'"', ..] => end_of(3, b"\"\"\""),
        [b'"', ..] => quoted(text, at).end,
        [b'\'', b'\\', _, b'\'', ..] => at + 4,
        [b'\'', _, b'\'', ..] => at + 3,
        [b'`', ..] => {
            let end = memchr::memchr2(b'`', b'\n', &rest[1..]);
            end.map_or(text.len(), |end| at + 1 + end + usize::from(rest[1 + end] == b'`'))
        }
        _ => at,
    }
}

/// Returns the string that begins at `at`, up to its quote or the line end.
fn quoted(text: &[u8], at: usize) -> Range<usize> {
    let mut end = at + 1;
    while let Some(byte) = text.get(end) {
        match byte {
            b'\n' => return at..end,
            b'"' => return at..end + 1,
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
    at..text.len()
}
