//! Macros around the parameters of a prototype, for compilers without prototypes: `int f P_((int x));`. The
//! grammar takes the macro for the name of the function.

use crate::lang::code_text::is_name;
use crate::lang::facts::Role;
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::visit::Visit;

/// Maximum length of the parameters, and of the text before the macro that is searched.
const PARAMETERS_BYTES_MAX: usize = 4000;
const BEFORE_BYTES_MAX: usize = 200;

/// Blanks out, in `masked`, the macros and their parentheses. O(text).
pub(super) fn mask(text: &[u8], masked: &mut [u8]) {
    for open in memchr::memmem::find_iter(text, b"((") {
        let before = &text[open.saturating_sub(BEFORE_BYTES_MAX)..open];
        let Some((name, _)) = split_name(before) else { continue };
        // The function's name, and its type or a `*` before that.
        let Some((_, rest)) = split_name(name) else { continue };
        let last = rest.trim_ascii_end().last();
        if !last.is_some_and(|&byte| is_name(byte) || byte == b'*') || begins_statement(rest) {
            continue;
        }
        let Some(close) = closing(text, open) else { continue };
        let end = text[close + 2..].iter().find(|byte| !byte.is_ascii_whitespace());
        if end == Some(&b';') {
            masked[open - (before.len() - name.len())..=open].fill(b' ');
            masked[close + 1] = b' ';
        }
    }
}

/// Returns the text before the name at the end of a text, which may have blanks after it, and the text
/// before the blanks there.
fn split_name(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let plain = text.trim_ascii_end();
    let length = plain.iter().rev().take_while(|byte| is_name(**byte)).count();
    let name = &plain[plain.len() - length..];
    let before = &plain[..plain.len() - length];
    let is_word = name.first().is_some_and(|byte| !byte.is_ascii_digit());
    is_word.then_some((before, before))
}

/// Returns true if the last word of a text begins a statement that is no declaration.
fn begins_statement(text: &[u8]) -> bool {
    let plain = text.trim_ascii_end();
    let length = plain.iter().rev().take_while(|byte| is_name(**byte)).count();
    let words: [&[u8]; 7] =
        [b"return", b"else", b"case", b"goto", b"define", b"typedef", b"sizeof"];
    words.contains(&&plain[plain.len() - length..])
}

/// Returns the place of the first of the `))` that close the `((` at `open`, if nothing but parameters
/// is between them.
fn closing(text: &[u8], open: usize) -> Option<usize> {
    let mut level = 0_usize;
    for (at, byte) in text.iter().enumerate().skip(open).take(PARAMETERS_BYTES_MAX) {
        match byte {
            b'(' => level += 1,
            b')' if level == 2 => return (text.get(at + 1) == Some(&b')')).then_some(at),
            b')' => level = level.checked_sub(1)?,
            b';' | b'{' | b'}' | b'"' => return None,
            _ => {}
        }
    }
    None
}

/// Records the call of the macro before the parameters of the visited declarator.
pub(super) fn refer(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some((own, list)) = node.field("declarator").zip(node.field("parameters")) else { return };
    let from = own.end_byte();
    let Some(gap) = visit.text.get(from..list.start_byte()) else { return };
    let Some(word) = gap.strip_suffix(b"(").map(<[u8]>::trim_ascii) else { return };
    if !word.is_empty() && word.iter().all(|byte| is_name(*byte)) {
        let start = from + gap.len() - gap.trim_ascii_start().len();
        notes.refer_span(visit, start..start + word.len(), Role::Call, None, Some(1));
    }
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut masked = text.as_bytes().to_vec();
        mask(text.as_bytes(), &mut masked);
        assert_eq!(String::from_utf8_lossy(&masked), expected);
    }

    #[test]
    fn macros_around_parameters_are_blanked() {
        check("int f P_((int x));", "int f    (int x) ;");
        check("char *f ARGS((int (*g)(int), int x));", "char *f      (int (*g)(int), int x) ;");
    }

    #[test]
    fn other_parentheses_are_unchanged() {
        for text in ["return f((x));", "y = f((x));", "f((x));", "int a = f((x));", "T f((x)) {"] {
            check(text, text);
        }
    }
}
