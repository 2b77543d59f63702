//! Overloads of Swift that differ in `async`: one is called with `await`, the other without.

use super::{Overload, has_word, inside};

/// The most bytes before a call that are searched for `await`.
const BEFORE_BYTES_MAX: usize = 400;

/// Returns true if the parameters of a signature, which begins at the name, are followed by `async`.
pub(super) fn is_async(signature: &str) -> bool {
    let list = signature.find('(').and_then(|open| Some((open, inside(&signature[open..])?)));
    let after = list.and_then(|(open, list)| signature.get(open + list.len() + 2..));
    after.is_some_and(|after| after.trim_start().starts_with("async"))
}

/// Lowers the scores of overloads with `async` for a call without `await`, and raises them for one with it,
/// as far as arguments fit equally.
pub(super) fn prefer_awaited(text: &[u8], call: usize, overloads: &[Overload], scores: &mut [u32]) {
    let are_async = || overloads.iter().map(|of| of.signature.is_async);
    if are_async().all(|is_async| is_async) || !are_async().any(|is_async| is_async) {
        return;
    }
    let has_others =
        overloads.iter().zip(&*scores).any(|(of, score)| !of.signature.is_async && *score > 0);
    let is_awaited = is_awaited(text, call);
    for (of, score) in overloads.iter().zip(scores).filter(|(_, score)| **score > 0) {
        match (of.signature.is_async, is_awaited) {
            (true, true) => *score += 1,
            (true, false) if has_others => *score = 0,
            _ => {}
        }
    }
}

/// Returns true if `await` precedes a call in its statement.
fn is_awaited(text: &[u8], call: usize) -> bool {
    let before = text.get(call.saturating_sub(BEFORE_BYTES_MAX)..call).unwrap_or_default();
    let mut level = 0_usize;
    let begin = before.iter().enumerate().rposition(|(at, byte)| {
        match byte {
            b')' | b']' => level += 1,
            b'(' | b'[' => level = level.saturating_sub(1),
            b'{' | b'}' | b';' => return level == 0,
            b'\n' => return level == 0 && ends_statement(before, at),
            _ => {}
        }
        false
    });
    let statement = &before[begin.map_or(0, |at| at + 1)..];
    has_word(&String::from_utf8_lossy(statement), "await")
}

/// Returns true for a line end after which another statement begins.
fn ends_statement(text: &[u8], line_end: usize) -> bool {
    let last = text[..line_end].trim_ascii_end().last();
    let next = text[line_end..].trim_ascii_start().first();
    let is_open = last.is_some_and(|byte| b"(,=+-&|:?[".contains(byte));
    !is_open && !next.is_some_and(|byte| b".)".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_awaited() {
        let check = |text: &str| is_awaited(text.as_bytes(), text.find("call").unwrap_or(0));
        assert!(check("let a = await call()"));
        assert!(check("await first(\n  call())"));
        assert!(check("await first()\n  .call()"));
        assert!(!check("await first()\n  call()"));
        assert!(!check("await first { call() }"));
        assert!(is_async("f(a: () -> B) async throws -> C"));
        assert!(!is_async("f(a: () async -> B) -> C"));
    }
}
