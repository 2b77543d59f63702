//! Guards of Kotlin's `when` branches, and context parameters.
//!
//! ```text
//! context(log: Log) fun area(shape: Shape) = when (shape) {
//!     is Square if shape.side > 0 -> 1
//!     else if log.isOn -> 2
//! }
//! ```
//!
//! The grammar knows neither and loses the rest of the file. A guard becomes a further condition of its
//! branch, after a comma; context parameters become spaces.

use crate::lang::grammars::blank::{self, after_literal};

/// How many bytes of a guard are searched for its `->`, and of context parameters for their end.
const BYTES_MAX: usize = 1 << 12;

/// Words between `context(…)` and a declaration.
const DECLARING: &[&[u8]] = &[
    b"abstract",
    b"actual",
    b"class",
    b"context",
    b"expect",
    b"external",
    b"final",
    b"fun",
    b"infix",
    b"inline",
    b"interface",
    b"internal",
    b"open",
    b"operator",
    b"override",
    b"private",
    b"protected",
    b"public",
    b"suspend",
    b"tailrec",
    b"val",
    b"var",
];

/// Masks guards and context parameters in `masked`, which has the length of `text`. O(bytes).
pub(super) fn mask(text: &[u8], masked: &mut [u8]) {
    if memchr::memmem::find(text, b"context(").is_none()
        && memchr::memmem::find(text, b" if ").is_none()
    {
        return;
    }
    let (mut at, mut line) = (0, 0);
    while at < text.len() {
        let after = after_literal(text, at);
        if after > at {
            at = after;
            continue;
        }
        let rest = &text[at..];
        let is_start = at == 0 || !is_word(text[at - 1]) && text[at - 1] != b'.';
        if text[at] == b'\n' {
            line = at + 1;
        } else if is_start && rest.starts_with(b"context(") {
            if let Some(end) = context_end(text, at) {
                blank::blank(&mut masked[at..end]);
            }
        } else if rest.starts_with(b" if ") || rest.starts_with(b" if(") {
            guard(text, masked, line, at + 1);
        }
        at += 1;
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Returns the end of the context parameters at the byte `at`, if a declaration or a type follows.
fn context_end(text: &[u8], at: usize) -> Option<usize> {
    let open = at + b"context".len();
    let end = scan(text, open + 1, |_, _| false)? + 1;
    let rest = text[end..].trim_ascii_start();
    let length = rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
    let is_type = matches!(text[..at].trim_ascii_end().last(), Some(b':' | b'>'));
    let is_declared = rest.starts_with(b"@") || DECLARING.contains(&&rest[..length]);
    (is_type || is_declared).then_some(end)
}

/// Masks the `if` at the byte `at` if it begins the guard of a branch. The line of the branch begins at
/// the byte `line`.
fn guard(text: &[u8], masked: &mut [u8], line: usize, at: usize) {
    let condition = text[line..at].trim_ascii();
    let is_else = condition == b"else";
    let last = condition.last().copied().unwrap_or(b' ');
    let is_value = is_word(last) || matches!(last, b')' | b'>' | b'?' | b'"' | b'\'' | b']');
    let word = condition.rsplit(|&byte| !is_word(byte)).next().unwrap_or_default();
    let is_statement = [&b"else"[..], b"return", b"throw", b"in"].contains(&word);
    let is_other = memchr::memchr2(b'=', b'{', condition).is_some()
        || memchr::memmem::find(condition, b"->").is_some();
    if !is_else && (!is_value || is_statement || is_other) {
        return;
    }
    let is_end = |text: &[u8], at: usize| text[at..].starts_with(b"->") || is_line_end(text, at);
    let Some(end) = scan(text, at + 2, is_end) else { return };
    if !text[end..].starts_with(b"->") {
        return;
    }
    masked[at..at + 2].copy_from_slice(b", ");
    if is_else {
        // A branch has no further condition after `else`.
        masked[at - 5..at - 1].copy_from_slice(b"0   ");
    }
}

/// Returns true for a line end that ends an expression.
fn is_line_end(text: &[u8], at: usize) -> bool {
    let (before, after) = (text[..at].trim_ascii_end(), text[at..].trim_ascii_start());
    let is_joined = before.ends_with(b"&&")
        || before.ends_with(b"||")
        || [&b"&&"[..], b"||", b"->", b".", b"?."].iter().any(|word| after.starts_with(word));
    text[at] == b'\n' && !is_joined
}

/// Returns the first byte from `at` on, outside of brackets, that closes a bracket or at which `is_end`
/// holds; `None` if a statement ends before.
fn scan(text: &[u8], mut at: usize, is_end: impl Fn(&[u8], usize) -> bool) -> Option<usize> {
    let (start, mut depth) = (at, 0usize);
    while at < text.len() && at - start < BYTES_MAX {
        let after = after_literal(text, at);
        if after > at {
            at = after;
            continue;
        }
        match text[at] {
            _ if depth == 0 && is_end(text, at) => return Some(at),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return Some(at),
            b')' | b']' | b'}' => depth -= 1,
            b';' if depth == 0 => return None,
            _ => {}
        }
        at += 1;
    }
    None
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
    fn guards_become_conditions() {
        check("  is A if x.b -> 1", "  is A ,  x.b -> 1");
        check("  is A<B> if f { it } &&\n y -> 1", "  is A<B> ,  f { it } &&\n y -> 1");
        check("  else if x > 1 -> 2", "  0    ,  x > 1 -> 2");
        check("  \"a\", 1 if (x) -> 2", "  \"a\", 1 ,  (x) -> 2");
    }

    #[test]
    fn context_parameters_become_spaces() {
        check("context(l: L<A>, B)\nfun f() {}", "                   \nfun f() {}");
        check("val f: context(A) () -> B", "val f:            () -> B");
    }

    #[test]
    fn other_code_stays_as_it_is() {
        let texts = [
            "val x = if (a) b else if (c) d else { e -> f }",
            "{ a -> if (b) c else d }",
            "} else if (x) { y -> z }\n else if (x) y(); a -> b",
            "return if (a) b else c",
            "  else if (a) b()\n  is B -> 2",
            "  is A -> if (b) c else d\n  is B -> 2",
            "context(a).run()\n val y = context(b)",
            "// is A if b ->\n",
        ];
        texts.iter().for_each(|text| check(text, text));
    }
}
