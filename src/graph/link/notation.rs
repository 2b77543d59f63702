//! Chains and types as text: names, brackets, arguments, numbered steps.

/// Returns the top-level arguments of a generic type.
pub(super) fn arguments(text: &str) -> Vec<&str> {
    let Some(start) = text.find(['<', '[']) else { return Vec::new() };
    let inner = text[start + 1..].strip_suffix(['>', ']']).unwrap_or(&text[start + 1..]);
    split(inner, b',').into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Splits at a mark that stands in no brackets.
pub(super) fn split(text: &str, mark: u8) -> Vec<&str> {
    let (mut parts, mut level, mut start) = (Vec::new(), 0_usize, 0);
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            // An arrow is no bracket.
            b'>' if at > 0 && matches!(bytes[at - 1], b'=' | b'-') => {}
            b'<' | b'[' | b'(' | b'{' => level += 1,
            b'>' | b']' | b')' | b'}' => level = level.saturating_sub(1),
            _ if byte == mark && level == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
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
