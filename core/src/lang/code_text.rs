//! Code without a syntax tree, such as the arguments of macros and the parts of signatures: where
//! its expressions begin, and which chains they have.

use super::chain::{self, Chain, Protocol};
use super::notes::Notes;

/// Bytes that are searched backwards for the start of an expression.
const SCAN_BYTES_MAX: usize = 240;

/// Splits `text` at each `mark` outside of brackets.
pub(crate) fn split(text: &str, mark: u8) -> Vec<&str> {
    let (mut parts, mut level, mut start) = (Vec::new(), 0_usize, 0);
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            // The `>` of an arrow closes nothing.
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

/// Returns true for a byte of a name.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The context of a name in code without a tree.
pub(super) struct Around {
    /// A `(` follows.
    pub(super) is_called: bool,
    /// The number of arguments, if it is called.
    pub(super) arguments: usize,
    /// A `!` follows.
    pub(super) is_marked: bool,
    /// It is a member of the expression at `start`.
    pub(super) is_member: bool,
    /// The start of the expression that ends with the name.
    pub(super) start: usize,
}

/// Returns the context of the name in `span` of `text`. Reads at most [`SCAN_BYTES_MAX`] bytes in
/// each direction.
pub(super) fn around(text: &[u8], span: std::ops::Range<usize>) -> Around {
    let mut next = skip(text, span.end);
    // `name::<A>()`.
    if let Some(end) = closing_angle(text, next) {
        next = skip(text, end);
    }
    let byte = text.get(next).copied();
    let start = start_of(text, span.start);
    Around {
        is_called: byte == Some(b'('),
        arguments: if byte == Some(b'(') { arguments(text, next) } else { 0 },
        is_marked: byte == Some(b'!') && text.get(next + 1) != Some(&b'='),
        is_member: start < span.start,
        start,
    }
}

fn skip(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

fn skip_back(text: &[u8], end: usize) -> usize {
    end - text[..end].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Counts the arguments in the parentheses that open at `open`.
fn arguments(text: &[u8], open: usize) -> usize {
    let end = text.len().min(open + SCAN_BYTES_MAX);
    let (mut depth, mut commas, mut has_any) = (0_usize, 0, false);
    for &byte in &text[open..end] {
        match byte {
            b'(' | b'[' | b'{' => {
                has_any |= depth > 0;
                depth += 1;
            }
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            b',' if depth == 1 => commas += 1,
            byte => has_any |= !byte.is_ascii_whitespace(),
        }
    }
    if has_any { commas + 1 } else { 0 }
}

/// Returns the start of the expression that ends with the name at `name`: `a` of `a.b(c)?.name`.
fn start_of(text: &[u8], name: usize) -> usize {
    let least = name.saturating_sub(SCAN_BYTES_MAX);
    let mut start = name;
    while start > least {
        let before = skip_back(text, start);
        let mut at = match text[..before] {
            [.., b':', b':'] => before - 2,
            [.., b'-', b'>'] => before - 2,
            [.., b'.'] if !text[..before].ends_with(b"..") => before - 1,
            _ => return start,
        };
        // Before the dot: brackets and question marks, then a name.
        loop {
            at = skip_back(text, at);
            match text[..at].last() {
                Some(b'?') => at -= 1,
                Some(b')' | b']') => match opening(text, at, least) {
                    Some(open) => at = open,
                    None => return start,
                },
                // `Type::<A>::name` and `name::<A>()`.
                Some(b'>') => match opening_angle(text, at, least) {
                    Some(open) if text[..open].ends_with(b"::") => at = open - 2,
                    _ => return start,
                },
                _ => break,
            }
        }
        let length = text[..at].iter().rev().take_while(|&&byte| is_name(byte)).count();
        if length == 0 {
            return at.min(start);
        }
        start = at - length;
    }
    start
}

/// Returns the position of the bracket that is closed right before `end`.
pub(super) fn opening(text: &[u8], end: usize, least: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for at in (least..end).rev() {
        match text[at] {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

fn opening_angle(text: &[u8], end: usize, least: usize) -> Option<usize> {
    let mut level = 0_usize;
    for at in (least..end).rev() {
        match text[at] {
            b'>' if at > 0 && text[at - 1] == b'-' => {}
            b'>' => level += 1,
            b'<' => {
                level -= 1;
                if level == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the end of the type arguments `::<A>` at `start`, if there are any.
fn closing_angle(text: &[u8], start: usize) -> Option<usize> {
    let rest = text.get(start..)?.strip_prefix(b"::")?;
    let open = skip(text, text.len() - rest.len());
    let end = text.len().min(open + SCAN_BYTES_MAX);
    let mut level = 0_usize;
    for at in open..end {
        match text[at] {
            b'>' if text[at - 1] == b'-' => {}
            b'>' => {
                level = level.checked_sub(1)?;
                if level == 0 {
                    return Some(at + 1);
                }
            }
            b'<' => level += 1,
            b';' | b'{' => return None,
            _ if level == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Returns the chain of an expression of names, members, calls and indices; `None` if it contains
/// anything else. O(bytes).
pub(super) fn chain_of(notes: &Notes<'_>, text: &[u8]) -> Option<Chain> {
    let mut at = skip(text, 0);
    let length = text[at..].iter().take_while(|&&byte| is_name(byte)).count();
    let first = text.get(at..at + length).filter(|name| !name.is_empty())?;
    let mut chain = match first {
        b"self" | b"this" => Some(Chain::own()),
        name => chain::of_name(notes, name),
    };
    at += length;
    loop {
        at = skip(text, at);
        let Some(&byte) = text.get(at) else { return chain };
        match byte {
            b'.' | b':' | b'-' | b'>' => at += 1,
            b'?' => {
                chain = chain::yielded(chain, Protocol::Unwrap);
                at += 1;
            }
            b'<' if text[..at].ends_with(b"::") => {
                let mut level = 0_usize;
                let inside = text[at..].iter().take_while(|&&byte| {
                    level += usize::from(byte == b'<');
                    level -= usize::from(byte == b'>' && level > 0);
                    level > 0
                });
                at += inside.count() + 1;
            }
            b'(' | b'[' => {
                at = closing(text, at)?;
                chain = match byte {
                    b'(' => chain::called(chain),
                    _ => chain::yielded(chain, Protocol::Index),
                };
            }
            byte if is_name(byte) => {
                let length = text[at..].iter().take_while(|&&byte| is_name(byte)).count();
                let name = &text[at..at + length];
                chain = if name == b"await" {
                    chain::yielded(chain, Protocol::Await)
                } else {
                    chain::member(chain, name)
                };
                at += length;
            }
            _ => return None,
        }
        chain.as_ref()?;
    }
}

/// Returns the end of the brackets that open at `open`.
fn closing(text: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}
