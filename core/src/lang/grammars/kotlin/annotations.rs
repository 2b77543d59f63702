//! Several annotations before a declaration of a Kotlin file, and annotations before accessors.
//!
//! ```text
//! @Serializable
//! @Since(2)
//! class Order {
//! ```
//!
//! After two annotations the grammar takes the words `class Order {` for a call, and after an accessor an
//! annotation for that of a lambda. All annotations but the first are masked by spaces;
//! [`calls`] records those with arguments. After them the grammar also takes `data` or `enum` for names;
//! these modifiers are masked by others of the same length.

use std::ops::Range;

use tree_sitter::Node;

use crate::lang::facts::Role;
use crate::lang::grammars::blank::{self, after_literal};
use crate::lang::grammars::modifiers;
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::visit::Visit;

/// Maximum number of annotations before one declaration.
const ANNOTATIONS_MAX: usize = 64;

/// Modifiers that the grammar can take for names, and what masks them.
const MODIFIERS: &[(&[u8], &[u8])] = &[
    (b"actual", b"public"),
    (b"annotation", b"public    "),
    (b"const", b"final"),
    (b"data", b"open"),
    (b"enum", b"open"),
    (b"expect", b"public"),
    (b"inner", b"final"),
    (b"operator", b"override"),
    (b"value", b"final"),
];

/// Maximum number of words between annotations and the declared name.
const WORDS_MAX: usize = 8;

/// Masks annotations in `masked`, which has the length of `text`. O(bytes).
pub(super) fn mask(text: &[u8], masked: &mut [u8]) {
    let mut at = 0;
    let mut is_first = true;
    while at < text.len() {
        let after = after_literal(text, at);
        if after > at {
            at = after;
            continue;
        }
        let is_start = is_first;
        is_first = text[at] == b'\n' || is_first && matches!(text[at], b' ' | b'\t');
        let Some(first) = annotation(text, at).filter(|_| is_start) else {
            at += 1;
            continue;
        };
        let is_outermost = at == 0 || text[at - 1] == b'\n';
        let end = first.end;
        if is_outermost {
            let mut last = end;
            for next in following(text, end) {
                blank::blank(&mut masked[next.clone()]);
                last = next.end;
            }
            modifiers_after(text, masked, last);
            at = last;
        } else {
            if is_before_accessor(&text[end..]) {
                blank::blank(&mut masked[first]);
            }
            at = end;
        }
        is_first = false;
    }
}

/// Masks the modifiers after annotations that end at the byte `end`.
fn modifiers_after(text: &[u8], masked: &mut [u8], end: usize) {
    let mut at = end;
    for _ in 0..WORDS_MAX {
        let spaces = text[at..].iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
        let start = at + spaces;
        let length = text[start..].iter().position(|byte| !is_word(*byte));
        let word = &text[start..length.map_or(text.len(), |length| start + length)];
        if word.is_empty() || [&b"class"[..], b"fun", b"val", b"var"].contains(&word) {
            return;
        }
        at = start + word.len();
        if let Some((_, other)) = MODIFIERS.iter().find(|(own, _)| *own == word) {
            masked[start..at].copy_from_slice(other);
        }
    }
}

/// Records the calls of the constructors of the masked annotations before the visited declaration.
pub(super) fn calls(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    if visit.ancestor_kind(1) != "source_file" {
        return;
    }
    let listed = modifiers::child(visit.node(), &["modifiers"]);
    let first = listed.and_then(|listed| modifiers::child(listed, &["annotation"]));
    let Some(first) = first else { return };
    let is_own = |written: &Range<usize>| !is_parsed(listed, written.start);
    for written in following(visit.text, first.end_byte()).filter(is_own) {
        let name = name(visit.text, written.start);
        if visit.text.get(name.end) == Some(&b'(') {
            notes.refer_span(visit, name, Role::Call, None, None);
        }
    }
}

/// Returns true if the annotation at the byte `at` is a node of the list of modifiers.
fn is_parsed(listed: Option<Node<'_>>, at: usize) -> bool {
    let mut parsed = listed.into_iter().flat_map(modifiers::children);
    parsed.any(|node| node.kind_name() == "annotation" && node.start_byte() == at)
}

/// Returns the annotations after the byte `end`, which follow each other.
fn following(text: &[u8], end: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut end = end;
    std::iter::from_fn(move || {
        let spaces = text[end..].iter().position(|byte| !byte.is_ascii_whitespace())?;
        let next = annotation(text, end + spaces)?;
        end = next.end;
        Some(next)
    })
    .take(ANNOTATIONS_MAX)
}

/// Returns the last name of the annotation at the byte `at`.
fn name(text: &[u8], at: usize) -> Range<usize> {
    let is_path = |byte: &u8| is_word(*byte) || matches!(byte, b'.' | b':');
    let length = text[at + 1..].iter().position(|byte| !is_path(byte));
    let end = length.map_or(text.len(), |length| at + 1 + length);
    let start = text[at..end].iter().rposition(|&byte| !is_word(byte)).map_or(at, |of| at + of);
    start + 1..end
}

/// Returns the annotation that begins at the byte `at`; annotations of the file and of lists are none.
fn annotation(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let is_named = rest.first() == Some(&b'@') && rest.get(1).is_some_and(|byte| is_word(*byte));
    if !is_named || rest.starts_with(b"@file:") {
        return None;
    }
    let end = name(text, at).end;
    if text.get(end) != Some(&b'(') {
        return Some(at..end);
    }
    let (mut next, mut depth) = (end, 0usize);
    while next < text.len() {
        let after = after_literal(text, next);
        if after > next {
            next = after;
            continue;
        }
        match text[next] {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at..next + 1),
            b')' => depth -= 1,
            _ => {}
        }
        next += 1;
    }
    None
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Returns true if `get` or `set` follows an annotation.
fn is_before_accessor(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii_start();
    [&b"get("[..], b"set("].iter().any(|word| rest.starts_with(word))
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
    fn annotations_after_the_first_are_masked() {
        check("@A @B(\")\")\n@c.D\nclass E", "@A        \n    \nclass E");
        check("@A\n@B(\n 1)\nfun f()", "@A\n   \n   \nfun f()");
        check("@A enum class B { C }", "@A open class B { C }");
        check("class A {\n  @B get() = 1\n}", "class A {\n     get() = 1\n}");
    }

    #[test]
    fn single_annotations_stay_as_they_are() {
        let texts = [
            "@file:A\n@file:B(1)\n@C\nclass D",
            "class A {\n  @B @C\n  class D\n  @Get fun get() = 1\n}",
            "/* @A @B */ val s = \"\"\"\n@A @B\n\"\"\"",
            "@A(",
        ];
        texts.iter().for_each(|text| check(text, text));
    }
}
