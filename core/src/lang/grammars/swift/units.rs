//! The empty value `()` of Swift.
//!
//! ```text
//! promise.succeed(())
//! ```
//!
//! The grammar does not parse it as a value and can lose the function around it. It is masked by a number.
//! The type `()` stays; in a pattern, `case .success():`, it becomes spaces.

use super::{attributes, directives, ranges, regexes};
use crate::lang::grammars::blank::after_literal;

/// Returns the text with empty values, [`attributes`], [`directives`], [`ranges`] and [`regexes`] masked.
/// O(bytes).
pub(super) fn mask(text: &[u8]) -> Vec<u8> {
    let mut masked = text.to_vec();
    regexes::mask(text, &mut masked);
    let text = masked.clone();
    let text = text.as_slice();
    ranges::mask(text, &mut masked);
    attributes::mask(text, &mut masked);
    directives::mask(text, &mut masked);
    let mut at = 0;
    while at < text.len() {
        let after = after_literal(text, at);
        if after > at {
            at = after;
            continue;
        }
        if text[at..].starts_with(b"()") && is_value(text, at) {
            masked[at..at + 2].copy_from_slice(b"0 ");
            at += 1;
        } else if text[at..].starts_with(b"()") && is_pattern(text, at) {
            masked[at..at + 2].copy_from_slice(b"  ");
            at += 1;
        }
        at += 1;
    }
    masked
}

/// Returns true if the `()` at the byte `at` is a value: an argument, a result, what is assigned, or a
/// statement on a line of its own.
fn is_value(text: &[u8], at: usize) -> bool {
    let line = memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1);
    let before = text[line..at].trim_ascii();
    let rest = &text[at + 2..];
    let spaces = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(rest.len());
    let after = &rest[spaces..];
    let is_end = matches!(after, [] | [b'\r' | b'\n' | b'}' | b';', ..] | [b'/', b'/', ..]);
    let word = before.rsplit(|byte| !byte.is_ascii_alphanumeric()).next().unwrap_or_default();
    match before.last() {
        None if after.starts_with(b"= ") => true,
        None => is_end && !text[..line].trim_ascii_end().ends_with(b"->"),
        Some(b'(') => matches!(after, [b')' | b',', ..]),
        Some(b',') => matches!(after, [b')' | b']', ..]),
        Some(b'=') => {
            memchr::memmem::find(before, b"typealias").is_none()
                && (is_end || matches!(after, [b')' | b',', ..]))
        }
        Some(b':') => {
            let is_declared = before.split(|byte| !byte.is_ascii_alphanumeric()).any(|word| {
                matches!(word, b"func" | b"init" | b"subscript" | b"case" | b"let" | b"var")
            });
            !is_declared
                && memchr::memchr(b'(', before).is_some()
                && matches!(after, [b')' | b',', ..])
                || is_end && before.ends_with(b"default:")
        }
        Some(b'{') => is_end,
        Some(_) => is_end && matches!(word, b"return" | b"in" | b"else"),
    }
}

/// Returns true if the `()` at the byte `at` follows the name of a case that is matched.
fn is_pattern(text: &[u8], at: usize) -> bool {
    let line = memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1);
    let before = &text[line..at];
    let Some(start) = memchr::memmem::rfind(before, b"case .") else { return false };
    before[start + 5..].iter().all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(byte))
        && matches!(text[at + 2..].trim_ascii_start(), [b':' | b'=' | b',', ..])
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let masked = super::mask(text.as_bytes());
        assert_eq!(String::from_utf8_lossy(&masked), expected);
    }

    #[test]
    fn empty_values_are_masked() {
        check("p.succeed(())\nf(a, ()) // ()", "p.succeed(0 )\nf(a, 0 ) // ()");
        check("return ()\n x.map { _ in () }", "return 0 \n x.map { _ in 0  }");
        check("case .a:\n  ()\ndefault: break", "case .a:\n  0 \ndefault: break");
        check("f(a: (), b: ())\n () = try g()", "f(a: 0 , b: 0 )\n 0  = try g()");
        check("case .a():\nif case .b() = c {}", "case .a  :\nif case .b   = c {}");
        check("func f(a: Void = ()) {}", "func f(a: Void = 0 ) {}");
    }

    #[test]
    fn types_and_calls_stay_as_they_are() {
        let texts = [
            "f() + g(h())",
            "func f() -> () {}\nlet a: (() -> ()) = b",
            "typealias A = ()\nlet a: Result<(), E>",
            "let f = { () -> Int in 1 }\nvar a: Foo<A, ()>",
            "func f()\n  throws -> Int",
            "func f(a: (), b: ()) {}\ncase a()\nlet b: ()",
            "\"(())\" /* f(()) */",
        ];
        texts.iter().for_each(|text| check(text, text));
    }
}
