//! Chains and types as text: names, brackets, arguments, numbered steps.

pub(super) use crate::lang::split;

/// Returns the top-level arguments of a generic type.
pub(super) fn arguments(text: &str) -> Vec<&str> {
    let Some(start) = text.find(['<', '[']) else { return Vec::new() };
    let inner = text[start + 1..].strip_suffix(['>', ']']).unwrap_or(&text[start + 1..]);
    split(inner, b',').into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Returns the number in the step `(N)` that `rest` begins with, and what comes behind it.
pub(super) fn numbered(rest: &str) -> Option<(usize, &str)> {
    let (number, after) = rest.strip_prefix('(')?.split_once(')')?;
    Some((number.parse().ok()?, after))
}

/// Returns the bytes up to and including the bracket that closes the first.
pub(super) fn closing(text: &str, open: u8, close: u8) -> usize {
    let mut level = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        if byte == open {
            level += 1;
        } else if byte == close {
            level = level.saturating_sub(1);
            if level == 0 {
                return at + 1;
            }
        }
    }
    text.len()
}

/// Returns where the name at the start of `text` ends.
pub(super) fn name_end(text: &str) -> usize {
    text.find(|c: char| !is_name_char(c)).unwrap_or(text.len())
}

pub(super) fn is_name_char(c: char) -> bool {
    is_name_char_but_dollar(c) || c == '$'
}

pub(super) fn is_name_char_but_dollar(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '#' | '?' | '!' | '~')
}
