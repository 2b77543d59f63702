//! Regular expressions of Swift: `/"(.*)/` and `#/https://(.*)/#`.
//!
//! Their text is masked by letters, since it may contain what the grammar, or another mask, takes for the
//! start of a string or of a comment.

use std::ops::Range;

use crate::lang::grammars::blank::after_literal;

/// Maximum number of `#` around an expression.
const HASHES_MAX: usize = 8;

/// Masks regular expressions in `masked`, which has the length of `text`. O(bytes).
pub(super) fn mask(text: &[u8], masked: &mut [u8]) {
    let mut at = 0;
    while at < text.len() {
        let hashes = text[at..].iter().take(HASHES_MAX).take_while(|byte| **byte == b'#').count();
        let inner = match text.get(at + hashes) {
            Some(b'/') if hashes > 0 => extended(text, at, hashes),
            Some(b'/') => plain(text, at),
            _ => None,
        };
        if let Some(inner) = inner {
            let is_text = |byte: &&mut u8| !byte.is_ascii_whitespace();
            masked[inner.clone()].iter_mut().filter(is_text).for_each(|byte| *byte = b'a');
            // The grammar knows one `#` on each side.
            let extra = hashes.saturating_sub(1);
            masked[at..at + extra].fill(b' ');
            at = inner.end + 1 + hashes;
            masked[at - extra..at].fill(b' ');
            continue;
        }
        at = after_literal(text, at).max(at + hashes.max(1));
    }
}

/// Returns the text of the expression whose `#` begin at the byte `at`.
fn extended(text: &[u8], at: usize, hashes: usize) -> Option<Range<usize>> {
    let start = at + hashes + 1;
    let close = [&b"/"[..], &text[at..at + hashes]].concat();
    let rest = &text[start..];
    let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    // One that begins with a line end has several lines.
    let is_multiline = rest[..line].trim_ascii().is_empty();
    let end = memchr::memmem::find(if is_multiline { rest } else { &rest[..line] }, &close)?;
    (end > 0).then_some(start..start + end)
}

/// Returns the text of the expression whose `/` is at the byte `at`, if it is no operator: an expression
/// may begin there, and does not begin or end with a space.
fn plain(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = &text[at + 1..];
    if matches!(rest, [] | [b' ' | b'\t' | b'\r' | b'\n' | b'/' | b'*', ..]) || !is_start(text, at)
    {
        return None;
    }
    let mut end = 0;
    loop {
        match rest.get(end)? {
            b'\n' => return None,
            b'\\' => end += 2,
            b'/' => break,
            _ => end += 1,
        }
    }
    (!matches!(rest[end - 1], b' ' | b'\t')).then_some(at + 1..at + 1 + end)
}

/// Returns true if an expression may begin at the byte `at`, for what precedes it on its line.
fn is_start(text: &[u8], at: usize) -> bool {
    let line = memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1);
    let before = text[line..at].trim_ascii();
    let word = before.rsplit(|byte| !byte.is_ascii_alphanumeric()).next().unwrap_or_default();
    match before.last() {
        None => true,
        Some(b'(' | b'[' | b'{' | b',' | b':' | b'=' | b'&' | b'|' | b'?' | b'!' | b';') => {
            // `a! / b`, but `!/a/`.
            !matches!(text[at - 1], b' ') || !matches!(before.last(), Some(b'!' | b'?'))
        }
        Some(_) => matches!(word, b"return" | b"in" | b"case" | b"try" | b"await" | b"where"),
    }
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut masked = text.as_bytes().to_vec();
        super::mask(text.as_bytes(), &mut masked);
        assert_eq!(String::from_utf8_lossy(&masked), expected);
    }

    #[test]
    fn texts_of_expressions_are_masked() {
        check(r#"let a = /"(.*) b/ // "b"#, r#"let a = /aaaaa a/ // "b"#);
        check(r"f(of: /\/\*/, /`/)", r"f(of: /aaaa/, /a/)");
        check(r#"let a = #/http://"/#"#, "let a = #/aaaaaaaa/#");
        check(r##"let a = ##/"#/##"##, "let a =  #/aa/# ");
        check("a = #/\n  \"\n/#\nb", "a = #/\n  a\n/#\nb");
    }

    #[test]
    fn operators_strings_and_comments_stay_as_they_are() {
        let texts = [
            "a / b / c",
            "x = a! / b / c",
            "let a = b/c + d/e",
            "\"(/a\"/)\"",
            "// (/a/\n/* (/a/ */",
            "#if a\nf(/a\n#/a\nlet a: (/ b /)",
            "reduce(1, /)\n(a/b)",
        ];
        texts.iter().for_each(|text| check(text, text));
    }
}
