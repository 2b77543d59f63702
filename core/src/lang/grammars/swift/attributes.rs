//! Attributes and modifiers of Swift that the grammar does not know:
//! `@_specialize(where A == B<C>)`, `nonisolated(unsafe)`, `-> sending Value`.
//!
//! Their arguments, or the modifier, are masked by spaces, and so is an attribute of the language before a
//! function on the same line: in a branch of a `switch`, `@Sendable func f() {}` can lose the code around it.

use crate::lang::grammars::blank::{self, after_literal};

/// Modifiers that are masked with their arguments.
const MODIFIERS: &[&[u8]] =
    &[b"nonisolated(nonsending)", b"nonisolated(unsafe)", b"unowned(safe)", b"unowned(unsafe)"];

/// Attributes that are masked before a function.
const BEFORE_FUNCTIONS: &[&[u8]] =
    &[b"@Sendable ", b"@MainActor ", b"@concurrent ", b"@discardableResult "];

/// A modifier of a type.
const SENDING: &[u8] = b"sending ";

/// Masks arguments and modifiers in `masked`, which has the length of `text`. O(bytes).
pub(super) fn mask(text: &[u8], masked: &mut [u8]) {
    let mut at = 0;
    while at < text.len() {
        let after = after_literal(text, at);
        if after > at {
            at = after;
            continue;
        }
        let rest = &text[at..];
        let is_start = at == 0 || !is_word(text[at - 1]);
        let open = if rest.starts_with(b"@_") {
            let length = rest[1..].iter().position(|byte| !is_word(*byte));
            length.map(|length| at + 1 + length).filter(|&open| text[open] == b'(')
        } else {
            let word = MODIFIERS.iter().find(|word| is_start && rest.starts_with(word));
            let length = |word: &&[u8]| word.iter().position(|&byte| byte == b'(');
            word.and_then(length).map(|length| at + length)
        };
        if let Some(open) = open {
            let length = memchr::memchr2(b')', b'\n', &text[open..]).unwrap_or(0);
            let end = if text[open + length] == b')' { open + length + 1 } else { open };
            let start = if text[at] == b'@' { open } else { at };
            blank::blank(&mut masked[start..end]);
            at = open;
        } else if let Some(attribute) = BEFORE_FUNCTIONS.iter().find(|it| rest.starts_with(it))
            && rest[attribute.len()..].starts_with(b"func ")
        {
            masked[at..at + attribute.len()].fill(b' ');
            at += attribute.len();
        } else if is_start && rest.starts_with(SENDING) {
            let before = text[..at].trim_ascii_end();
            if before.ends_with(b"->") || before.ends_with(b":") {
                masked[at..at + SENDING.len()].fill(b' ');
            }
        }
        at += 1;
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
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
    fn unknown_attributes_are_masked() {
        check("@_lifetime(copy a) func f()", "@_lifetime         func f()");
        check("nonisolated(unsafe) var a", "                    var a");
        check("f() -> sending A", "f() ->         A");
        check("  @Sendable func a()\n @Sendable\n", "            func a()\n @Sendable\n");
        let same = "func nonisolated() { a.nonisolated() }";
        check(same, same);
        let same = "@available(iOS 1, *) func sending(a: A) { sending (1); @_a\n(b) }";
        check(same, same);
    }
}
