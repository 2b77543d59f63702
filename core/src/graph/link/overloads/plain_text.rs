//! The text of calls without comments and strings, and the brackets in it.

use std::borrow::Cow;

/// Returns the text with comments blanked out; the length stays the same.
pub(super) fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains("//") && !text.contains("/*") {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let (mut rest, mut quote) = (text, None);
    while let Some(c) = rest.chars().next() {
        let comment = match quote {
            None if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            None if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => 0,
        };
        if comment > 0 {
            plain.push_str(&" ".repeat(comment));
            rest = &rest[comment..];
            continue;
        }
        let is_escaped = quote.is_some() && c == '\\';
        let taken =
            if is_escaped { rest.chars().take(2).map(char::len_utf8).sum() } else { c.len_utf8() };
        quote = match quote {
            Some(open) if open == c => None,
            None if matches!(c, '"' | '\'') => Some(c),
            same => same,
        };
        plain.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    Cow::Owned(plain)
}

/// Returns the text with the contents of strings blanked out; the length stays the same.
pub(super) fn without_strings(text: &str) -> String {
    let (mut quote, mut is_escaped) = (None, false);
    let blank = |c: char| " ".repeat(c.len_utf8());
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match quote {
            Some(_) if is_escaped => {
                is_escaped = false;
                plain.push_str(&blank(c));
            }
            Some(open) if c == open => {
                quote = None;
                plain.push(c);
            }
            Some(_) => {
                is_escaped = c == '\\';
                plain.push_str(&blank(c));
            }
            None => {
                quote = matches!(c, '"' | '\'').then_some(c);
                plain.push(c);
            }
        }
    }
    plain
}

/// Returns the position of the parenthesis that the last byte of a call closes.
pub(super) fn last_open(argument: &str) -> Option<usize> {
    let plain = without_strings(argument.strip_suffix(')')?);
    let mut level = 0_usize;
    for (at, byte) in plain.bytes().enumerate().rev() {
        match byte {
            b')' => level += 1,
            b'(' if level == 0 => return Some(at),
            b'(' => level -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the position of the parenthesis that closes the first one, outside of strings.
pub(super) fn closing(text: &str) -> Option<usize> {
    let (mut level, mut quote, mut is_escaped) = (0_usize, None, false);
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(') => level += 1,
            (None, b')') => {
                level = level.saturating_sub(1);
                if level == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
