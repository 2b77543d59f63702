//! Heads of Kotlin's classes that the grammar does not parse: modifiers of the primary constructor,
//! and a constructor on a line of its own.
//!
//! ```text
//! class Store
//! @Inject internal constructor(val path: String) : Base(path)
//! ```
//!
//! They are masked for the grammar: modifiers become spaces, and the line end after the name changes
//! places with the `(`, or with a space after annotations. Offsets and rows of all other tokens stay
//! right.

use std::ops::Range;

use super::{annotations, bodies, guards, names};
use crate::lang::grammars::blank;

/// The word before the parameters of a constructor.
const CONSTRUCTOR: &[u8] = b"constructor";

/// Words before it.
const MODIFIERS: &[&[u8]] =
    &[b"actual", b"expect", b"internal", b"private", b"protected", b"public"];

/// Returns the text with the heads of classes, the ends of [`bodies`], [`annotations`], [`guards`] and
/// [`names`] masked. O(bytes).
pub(super) fn mask(text: &[u8]) -> Vec<u8> {
    let mut masked = text.to_vec();
    bodies::mask(text, &mut masked);
    annotations::mask(text, &mut masked);
    guards::mask(text, &mut masked);
    names::mask(text, &mut masked);
    if memchr::memmem::find(text, CONSTRUCTOR).is_none() {
        return masked;
    }
    // Where a head begins that may continue on the next line.
    let mut head = None;
    for (start, line) in blank::lines(text) {
        let class = class_word(line);
        let modifiers = before_constructor(line, class.unwrap_or(0));
        if let Some(words) = modifiers.filter(|_| class.or(head).is_some()) {
            let words = start + words.start..start + words.end;
            masked[words.clone()].fill(b' ');
            if class.is_none()
                && let Some(end) = head.and_then(|head| line_end(text, head))
            {
                join(&mut masked, end, words.end);
            }
        }
        let is_open = |at: usize| !line[at..].contains(&b'{') && !has_comment(&line[at..]);
        let is_annotation = line.trim_ascii_start().starts_with(b"@") && !has_comment(line);
        head = match class {
            Some(at) => is_open(at).then_some(start),
            None => head.filter(|_| is_annotation),
        };
    }
    masked
}

/// Returns the position of the end of the line that begins at a byte.
fn line_end(text: &[u8], start: usize) -> Option<usize> {
    Some(start + memchr::memchr(b'\n', &text[start..])?)
}

/// Joins a head with the word `constructor` at the byte `at`, where `end` is the line end after the
/// head. The number of lines stays the same.
fn join(masked: &mut [u8], end: usize, at: usize) {
    let has_annotations = masked[end..at].iter().any(|byte| !byte.is_ascii_whitespace());
    let open = at + CONSTRUCTOR.len();
    if !has_annotations {
        masked[at..open].fill(b' ');
        masked.swap(end, open);
    } else if masked[at - 1] == b' ' {
        masked.swap(end, at - 1);
    }
}

fn has_comment(line: &[u8]) -> bool {
    memchr::memmem::find(line, b"//").is_some() || memchr::memmem::find(line, b"/*").is_some()
}

/// Returns where the word `class` is in a line of code.
fn class_word(line: &[u8]) -> Option<usize> {
    let code = line.trim_ascii_start();
    if code.starts_with(b"*") || code.starts_with(b"/") {
        return None;
    }
    let mut words = words(line).filter(|word| &line[word.clone()] == b"class");
    let is_kind = |word: &Range<usize>| {
        let is_reference = line[..word.start].ends_with(b":");
        !is_reference && line.get(word.end).is_some_and(u8::is_ascii_whitespace)
    };
    words.find(is_kind).map(|word| word.start)
}

/// Returns the modifiers directly before the word `constructor`, which follows the byte `from`, if
/// they belong to a primary constructor: nothing but annotations and a head precedes them.
fn before_constructor(line: &[u8], from: usize) -> Option<Range<usize>> {
    let all: Vec<Range<usize>> = words(line).filter(|word| word.start >= from).collect();
    let at = all.iter().position(|word| &line[word.clone()] == CONSTRUCTOR)?;
    let before = &line[from..all[at].start];
    if before.contains(&b'{') || line.get(all[at].end) != Some(&b'(') {
        return None;
    }
    let is_modifier = |word: &&Range<usize>| MODIFIERS.contains(&&line[(*word).clone()]);
    let first = all[..at].iter().rev().take_while(is_modifier).last();
    Some(first.map_or(all[at].start, |word| word.start)..all[at].start)
}

/// Returns the words of a line.
fn words(line: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + line[at..].iter().position(is_word)?;
        let end = line[start..].iter().position(|byte| !is_word(byte));
        at = end.map_or(line.len(), |length| start + length);
        Some(start..at)
    })
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(String::from_utf8_lossy(&mask(text.as_bytes())), expected);
    }

    #[test]
    fn modifiers_and_line_ends_before_a_primary_constructor_are_masked() {
        check("class A private constructor(", "class A         constructor(");
        check("class A\n  private constructor(b: B)", "class A(                     \nb: B)");
        check("class A\n@In(1)\ninternal constructor(", "class A @In(1)\n        \nconstructor(");
    }

    #[test]
    fn secondary_constructors_stay_as_they_are() {
        let texts = [
            "class A {\n  private constructor() {}\n}",
            "class A : B\n\nfun f() {\n  private constructor(1)",
            "class A // private\n  private constructor(",
            "val a = A::class\nprivate constructor(",
        ];
        texts.iter().for_each(|text| check(text, text));
    }
}
