//! Macros that stand for the type of a compound literal: `return LITERAL(Point){1, 2};`, where the macro is
//! `(type)` in C and `type` in C++. The grammar reads no such expression and loses the function around it.

use super::keywords::WORDS;
use crate::lang::code_text::is_name;
use crate::lang::facts::Role;
use crate::lang::notes::Notes;
use crate::lang::visit::Visit;

/// Maximum length of the type in a compound literal, and of the name of a macro before it.
const TYPE_BYTES_MAX: usize = 100;
const NAME_BYTES_MAX: usize = 80;

/// Blanks out, in `masked`, the name of a macro before the type of a compound literal. O(text).
pub(super) fn mask(text: &[u8], masked: &mut [u8], is_c: bool) {
    for open in memchr::memchr_iter(b'{', text) {
        let Some(close) = text[..open].trim_ascii_end().strip_suffix(b")") else { continue };
        let from = close.len().saturating_sub(TYPE_BYTES_MAX);
        let is_type = |byte: &u8| is_name(*byte) || matches!(byte, b' ' | b'*' | b'\t');
        let length = close[from..].iter().rev().take_while(|byte| is_type(byte)).count();
        let Some(before) = close[..close.len() - length].strip_suffix(b"(") else { continue };
        let Some(length) = name_length(before) else { continue };
        let name = before.len() - length;
        if close[before.len() + 1..].trim_ascii().is_empty() || !is_value(&text[..name], is_c) {
            continue;
        }
        masked[name..before.len()].fill(b' ');
    }
}

/// Records the call of the macro before the visited compound literal.
pub(super) fn refer(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let end = visit.node().start_byte();
    if let Some(length) = name_length(&visit.text[..end]) {
        notes.refer_span(visit, end - length..end, Role::Call, None, Some(1));
    }
}

/// Returns the length of the name at the end of a text, if it may be that of a macro.
fn name_length(text: &[u8]) -> Option<usize> {
    let window = &text[text.len().saturating_sub(NAME_BYTES_MAX)..];
    let length = window.iter().rev().take_while(|byte| is_name(**byte)).count();
    let name = &text[text.len() - length..];
    let is_word = WORDS.contains(&name) || name == b"decltype";
    (length > 0 && !name[0].is_ascii_digit() && !is_word).then_some(length)
}

/// Returns true if a value follows the text. In C++ a comma may also precede an initializer of a
/// constructor: `A() : a_(x), b_(y) {}`.
fn is_value(before: &[u8], is_c: bool) -> bool {
    let before = before.trim_ascii_end();
    match before.last() {
        Some(b'=' | b'(' | b'?') => true,
        Some(b',') => is_c,
        _ => {
            let rest = before.strip_suffix(b"return");
            rest.is_some_and(|rest| rest.last().is_none_or(|&byte| !is_name(byte)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[track_caller]
    fn check(text: &str, is_c: bool, expected: &str) {
        let mut masked = text.as_bytes().to_vec();
        mask(text.as_bytes(), &mut masked, is_c);
        assert_eq!(String::from_utf8_lossy(&masked), expected);
    }

    #[test]
    fn macros_before_compound_literals_are_blanked() {
        let of = |text: &str, expected: &str| {
            check(text, true, expected);
            check(text, false, expected);
        };
        of("return LIT( Point ){ 1, 2 };", "return    ( Point ){ 1, 2 };");
        of("a = LIT(struct p *) { 1 };", "a =    (struct p *) { 1 };");
        of("f(LIT(Point){1}, 2);", "f(   (Point){1}, 2);");
        check("f(1, LIT(Point){1});", true, "f(1,    (Point){1});");
    }

    #[test]
    fn other_braces_are_unchanged() {
        for text in [
            "return (Point){ 1, 2 };",
            "return(Point){ 1 };",
            "A::A(int x) : a_(x), b_(y) {}",
            "each(list) { f(); }",
            "{ each(list) { f(); } }",
            "if (f(x)) { g(); }",
            "case 1: each(list) { f(); }",
            "auto f = [](int x) { return x; };",
            "a = b ? sizeof(T) : 0; {",
            "x = decltype(y){1};",
            "x = f(){",
        ] {
            check(text, false, text);
        }
    }
}
