//! Chains under construction: steps put behind a [`Chain`] that may be unknown, and the chains of
//! code that has no syntax tree, such as the arguments of macros.

use super::facts::{CHAIN_BYTES_MAX, Chain};
use super::notes::{Local, Notes};

/// Bytes of code without a tree that are looked at to find what a name is a member of.
const SCAN_BYTES_MAX: usize = 240;

/// What stands before a member when nothing is known of it.
pub(super) const UNKNOWN: &str = "?";

/// Returns the chain of the member `name` of what `of` stands for.
pub(super) fn member(of: Option<Chain>, name: &[u8]) -> Option<Chain> {
    step(of?, &[b".", name])
}

/// Returns the chain of what a call of `of` returns. A member that is called three times in a row is
/// one that returns what it is a member of: two of them stand for any number.
pub(super) fn called(of: Option<Chain>) -> Option<Chain> {
    let mut chain = step(of?, &[b"()"])?;
    if let Some(last) = chain.rfind('.') {
        let member = &chain[last..];
        let before = chain[..last].strip_suffix(member);
        if before.is_some_and(|before| before.ends_with(member)) {
            chain.truncate(last);
        }
    }
    Some(chain)
}

/// Returns the chain of what `of` holds.
pub(super) fn element(of: Option<Chain>) -> Option<Chain> {
    step(of?, &[b"[]"])
}

/// Returns the chain of a value of a type; none of a type without a name.
pub(super) fn instance(name: &str) -> Option<Chain> {
    (!name.is_empty() && name.len() < CHAIN_BYTES_MAX).then(|| format!("@{name}"))
}

/// Returns the name of a type without its arguments: `a.B.c` of `a.B<C>.c`.
pub(super) fn without_arguments(name: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}

/// Returns what a member is noted to be a member of, known or not.
pub(super) fn receiver(of: Option<Chain>) -> Option<Chain> {
    Some(of.unwrap_or_else(|| UNKNOWN.to_owned()))
}

fn step(mut chain: Chain, parts: &[&[u8]]) -> Option<Chain> {
    for part in parts {
        chain.push_str(std::str::from_utf8(part).ok()?);
    }
    (chain.len() <= CHAIN_BYTES_MAX).then_some(chain)
}

/// Returns the chain of a name that stands alone: a local name's own, or the name.
pub(super) fn root(notes: &Notes<'_>, name: &[u8]) -> Option<Chain> {
    match notes.local(name) {
        Local::Is(chain) => chain.cloned(),
        Local::Not => Some(std::str::from_utf8(name).ok()?.to_owned()),
    }
}

/// Splits at a mark that stands in no brackets.
pub(crate) fn split(text: &str, mark: u8) -> Vec<&str> {
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

/// Returns true for a byte that names are made of.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// What stands around a name in code without a tree.
pub(super) struct Around {
    /// A `(` comes next.
    pub(super) is_called: bool,
    /// The number of arguments, if it is called.
    pub(super) arguments: usize,
    /// A `!` comes next.
    pub(super) is_marked: bool,
    /// It is a member of what `start` begins.
    pub(super) is_member: bool,
    /// Where the expression begins that ends with the name.
    pub(super) start: usize,
}

/// Returns what stands around the name in `span` of `text`. O(bytes looked at), which are bounded.
pub(super) fn around(text: &[u8], span: std::ops::Range<usize>) -> Around {
    let next = skip(text, span.end);
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

/// Returns where the expression begins that ends with the name at `name`: `a` of `a.b(c)?.name`.
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
        // What stands before the dot: brackets and question marks, then a name.
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

/// Returns where the bracket opens that closes right before `end`.
fn opening(text: &[u8], end: usize, least: usize) -> Option<usize> {
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

/// Returns the chain of an expression made of names, members, calls and indices; none if there is
/// anything else in it. O(its bytes).
pub(super) fn of_text(notes: &Notes<'_>, text: &[u8]) -> Option<Chain> {
    let mut at = skip(text, 0);
    let length = text[at..].iter().take_while(|&&byte| is_name(byte)).count();
    let first = text.get(at..at + length).filter(|name| !name.is_empty())?;
    let mut chain = match first {
        b"self" | b"this" => Some("$".to_owned()),
        name => root(notes, name),
    };
    at += length;
    loop {
        at = skip(text, at);
        let Some(&byte) = text.get(at) else { return chain };
        match byte {
            b'.' | b':' | b'-' | b'>' => at += 1,
            b'?' => {
                chain = element(chain);
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
                chain = if byte == b'(' { called(chain) } else { element(chain) };
            }
            byte if is_name(byte) => {
                let length = text[at..].iter().take_while(|&&byte| is_name(byte)).count();
                let name = &text[at..at + length];
                chain = if name == b"await" { element(chain) } else { member(chain, name) };
                at += length;
            }
            _ => return None,
        }
        chain.as_ref()?;
    }
}

/// Returns where the bracket has closed that opens at `open`.
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
