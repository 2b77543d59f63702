//! Conditional compilation in Swift.
//!
//! ```text
//! switch mode {
//! #if canImport(Glibc) || _runtime(_multithreaded)
//! case .link: break
//! #endif
//! ```
//!
//! The grammar knows neither some conditions nor a directive inside of `switch`. The lines of all
//! directives are masked by spaces, so that the code of every branch is parsed.

use crate::lang::grammars::blank::{self, after_literal};

/// Directives whose lines are masked.
const DIRECTIVES: &[&[u8]] = &[b"#if", b"#elseif", b"#else", b"#endif", b"#error", b"#warning"];

/// Masks the lines of directives in `masked`, which has the length of `text`. O(bytes).
pub(super) fn mask(text: &[u8], masked: &mut [u8]) {
    let (mut at, mut is_first) = (0, true);
    while at < text.len() {
        let after = after_literal(text, at);
        if after > at {
            at = after;
            continue;
        }
        if is_first && text[at] == b'#' && is_directive(&text[at..]) {
            let end = line_end(text, at);
            blank::blank(&mut masked[at..end]);
            at = end;
            continue;
        }
        is_first = text[at] == b'\n' || is_first && matches!(text[at], b' ' | b'\t');
        at += 1;
    }
}

fn is_directive(rest: &[u8]) -> bool {
    let length = rest[1..].iter().position(|byte| !byte.is_ascii_alphanumeric());
    DIRECTIVES.contains(&&rest[..length.map_or(rest.len(), |length| length + 1)])
}

/// Returns the end of the line, or of the last one of a condition on several lines.
fn line_end(text: &[u8], at: usize) -> usize {
    let mut end = at;
    loop {
        let line = memchr::memchr(b'\n', &text[end..]).map_or(text.len(), |length| end + length);
        let is_open = [&b"&&"[..], b"||"].iter().any(|word| text[at..line].ends_with(word));
        if !is_open || line == text.len() {
            return line;
        }
        end = line + 1;
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
    fn lines_of_directives_are_masked() {
        check(
            "#if A(_b)\ncase .a:\n  #else // c\n#endif",
            "         \ncase .a:\n            \n      ",
        );
        check("#if a ||\n  b\nf()", "        \n   \nf()");
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        let texts = ["a(#file)\n#Preview { }\n#selector(a)", "/*\n#if a\n*/ \"\"\"\n#if a\n\"\"\""];
        texts.iter().for_each(|text| check(text, text));
    }
}
