//! What stands before the name of a definition: decorators, attributes, annotations, and the names
//! of its parameters.

use crate::lang::symbols::Symbol;

/// The most lines before a definition in which attributes are searched.
const LINES_MAX: usize = 16;

/// The most bytes of one attribute before a definition.
const ATTRIBUTE_BYTES_MAX: usize = 4096;

/// Returns the text from the attributes of a definition up to its name.
pub(super) fn head<'t>(text: &'t [u8], symbol: &Symbol) -> &'t [u8] {
    let start = symbol.span.start.min(text.len());
    let end = symbol.name_span.start.clamp(start, text.len());
    let mut start = with_attributes(text, start);
    // Start of the definition's first line.
    let mut line = memchr::memrchr(b'\n', &text[..start]).map_or(0, |at| at + 1);
    let before = text[line..start].trim_ascii();
    if before.is_empty() {
        start = line;
    } else if before.ends_with(b"}") || before.ends_with(b";") || before.ends_with(b"{") {
        // The attributes above are those of another definition of the line.
        return &text[start..end];
    }
    for _ in 0..LINES_MAX {
        let Some(before) = line.checked_sub(1) else { break };
        let above = memchr::memrchr(b'\n', &text[..before]).map_or(0, |at| at + 1);
        let trimmed = text[above..before].trim_ascii();
        let is_attribute = trimmed.starts_with(b"#[")
            || trimmed.starts_with(b"@")
            || trimmed.starts_with(b"[")
            || trimmed.starts_with(b"//")
            || trimmed.starts_with(b"*")
            || trimmed.starts_with(b"/*");
        // A line may contain a whole definition after its attributes.
        let is_closed = trimmed.ends_with(b"}") || trimmed.ends_with(b";");
        if !is_attribute || is_closed && !trimmed.starts_with(b"//") {
            break;
        }
        (line, start) = (above, above);
    }
    &text[start..end]
}

/// Returns the start of the attributes of Rust (`#[test]`) that end directly before `start`, on the
/// same line or over several lines.
fn with_attributes(text: &[u8], mut start: usize) -> usize {
    loop {
        let before = text[..start].trim_ascii_end();
        if !before.ends_with(b"]") {
            return start;
        }
        let from = before.len().saturating_sub(ATTRIBUTE_BYTES_MAX);
        // Of the possible starts, the nearest whose brackets end here.
        let open = memchr::memmem::rfind_iter(&before[from..], b"#[")
            .map(|at| from + at)
            .find(|&at| at + 1 + bracketed(&before[at + 1..]) == before.len());
        let Some(open) = open else { return start };
        start = open;
    }
}

/// Returns the last segments of the names of the attributes in a head: `fixture` for
/// `@pytest.fixture(scope="module")`, `test` for `#[tokio::test]`, `Fact` and `Trait` for `[Fact,
/// Trait("a", "b")]`.
pub(super) fn attributes(head: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let (mut at, mut depth) = (0, 0_usize);
    while at < head.len() {
        let starts = match head[at] {
            b'@' => true,
            b'[' => {
                depth += 1;
                depth == 1
            }
            b']' => {
                depth = depth.saturating_sub(1);
                false
            }
            b',' => depth == 1,
            _ => false,
        };
        at += 1;
        if !starts {
            continue;
        }
        at += head[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let is_path = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.:\\".contains(byte);
        let len = head[at..].iter().take_while(is_path).count();
        let path = String::from_utf8_lossy(&head[at..at + len]);
        let last = path.rsplit(['.', ':', '\\']).next().unwrap_or_default();
        if !last.is_empty() {
            found.push(last.to_owned());
        }
        at += len;
        // The arguments of an attribute contain no further attributes.
        if head.get(at) == Some(&b'(') {
            at += bracketed(&head[at..]);
        }
    }
    found
}

/// Returns the length of the text in brackets of any kind that `text` starts with; brackets in quotes
/// do not count.
pub(super) fn bracketed(text: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        match text[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            quote @ (b'"' | b'\'') => {
                let rest = text[at + 1..].iter().take_while(|&&byte| byte != b'\n');
                let close = rest
                    .copied()
                    .enumerate()
                    .find(|&(next, byte)| byte == quote && text[at + next] != b'\\');
                // A quote without an end is an apostrophe or a lifetime.
                at += close.map_or(0, |(len, _)| len + 1);
            }
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}

/// Returns the text between the parentheses that `text` starts with; none if it does not.
pub(super) fn arguments(text: &[u8]) -> &[u8] {
    if text.first() == Some(&b'(') { &text[1..bracketed(text).max(2) - 1] } else { &[] }
}

/// Returns the names of the parameters of a Python function, without `self`, `cls` and starred ones.
pub(super) fn parameters(text: &[u8], symbol: &Symbol) -> Vec<String> {
    let after = text.get(symbol.name_span.end..symbol.span.end.min(text.len())).unwrap_or_default();
    let Some(open) = memchr::memchr(b'(', after) else { return Vec::new() };
    let list = &after[open..];
    let list = &list[1..bracketed(list).max(2) - 1];
    let (mut depth, mut start, mut found) = (0_usize, 0, Vec::new());
    for at in 0..=list.len() {
        let byte = list.get(at).copied().unwrap_or(b',');
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 || at == list.len() => {
                let part = list[start..at].trim_ascii();
                let len = part.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_');
                let name = String::from_utf8_lossy(&part[..len.count()]).into_owned();
                if !name.is_empty() && name != "self" && name != "cls" {
                    found.push(name);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

/// Returns the strings in double or single quotes of a text.
pub(super) fn strings(text: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.iter().position(|byte| matches!(byte, b'"' | b'\'')) {
        let quote = rest[open];
        rest = &rest[open + 1..];
        let Some(close) = memchr::memchr(quote, rest) else { break };
        found.push(String::from_utf8_lossy(&rest[..close]).into_owned());
        rest = &rest[close + 1..];
    }
    found
}
