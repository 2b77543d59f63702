//! Masks SCSS and Less for the grammar of CSS: the head of a block becomes one letter or its
//! at-keyword, a value becomes `0`, and everything that is neither a definition nor an import is
//! blanked out. Byte offsets do not change.

use super::super::blank::blank;

/// Returns the text as CSS of the same length and structure.
pub(super) fn mask(text: &[u8]) -> Vec<u8> {
    let mut masked = text.to_vec();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let rest = &text[at..];
        if byte.is_ascii_whitespace() || byte == b'}' {
            at += 1;
        } else if byte == b';' {
            masked[at] = b' ';
            at += 1;
        } else if rest.starts_with(b"/*") || rest.starts_with(b"//") {
            let end = at + comment_len(rest);
            if rest.starts_with(b"//") {
                mask_comment(&mut masked[at..end]);
            }
            at = end;
        } else {
            let end = at + statement_len(rest);
            let statement = &text[at..end];
            match text.get(end) {
                Some(b'{') => mask_head(statement, &mut masked[at..end]),
                Some(b';') => {
                    if !mask_statement(statement, &mut masked[at..end]) {
                        masked[end] = b' ';
                    }
                }
                _ => blank(&mut masked[at..end]),
            }
            at = if text.get(end) == Some(&b'}') { end } else { end + 1 };
        }
    }
    masked
}

/// Rewrites a line comment as a block comment.
fn mask_comment(masked: &mut [u8]) {
    match masked {
        [_, second, .., star, slash] => {
            (*second, *star, *slash) = (b'*', b'*', b'/');
            let len = masked.len();
            // A `*/` inside the comment would end it early.
            for at in 2..len - 3 {
                if masked[at] == b'*' && masked[at + 1] == b'/' {
                    masked[at] = b' ';
                }
            }
        }
        _ => blank(masked),
    }
}

/// Masks the text before a block.
fn mask_head(head: &[u8], masked: &mut [u8]) {
    if head.starts_with(b"@keyframes") && !head.contains(&b'#') {
        return;
    }
    let keyword = keyword_len(head);
    blank(&mut masked[keyword..]);
    if keyword == 0 {
        // The head of a block may be empty.
        masked.iter_mut().take(1).for_each(|byte| *byte = b'x');
    } else if let Some(byte) = masked.get_mut(keyword + 1) {
        // `@media` requires a query, and one letter is a valid query.
        *byte = b'x';
    }
}

/// Masks a statement that ends with a semicolon. Returns false if it is blanked out completely.
fn mask_statement(statement: &[u8], masked: &mut [u8]) -> bool {
    let keyword = keyword_len(statement);
    if matches!(&statement[..keyword], b"@use" | b"@forward") {
        mask_head(statement, masked);
        return true;
    }
    if &statement[..keyword] == b"@import" {
        let is_quote = |&byte: &u8| matches!(byte, b'"' | b'\'');
        let start = statement.iter().position(is_quote);
        let len = start.and_then(|start| statement[start + 1..].iter().position(is_quote));
        if let (Some(start), Some(len)) = (start, len) {
            blank(&mut masked[start + len + 2..]);
        }
        return true;
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    if &statement[..keyword] == b"@include" {
        let start =
            keyword + statement[keyword..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let len = statement[start..].iter().take_while(|byte| is_name(byte)).count();
        blank(&mut masked[start + len..]);
        return len > 0;
    }
    let sign = statement.iter().take_while(|byte| is_name(byte) || b"$@".contains(byte)).count();
    let is_variable =
        statement.starts_with(b"$") || statement.starts_with(b"--") || keyword == sign;
    let colon =
        sign + statement[sign..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if !is_variable || sign < 2 || statement.get(colon) != Some(&b':') {
        blank(masked);
        return false;
    }
    masked[0] = b'-';
    blank(&mut masked[colon + 1..]);
    if let Some(value) = masked[colon + 1..].iter_mut().find(|byte| **byte == b' ') {
        *value = b'0';
    } else if let Some(value) = masked.last_mut().filter(|_| colon + 1 < statement.len()) {
        *value = b'0';
    }
    true
}

/// Returns the length of `@word` at the start, or 0.
fn keyword_len(text: &[u8]) -> usize {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    match text.split_first() {
        Some((b'@', rest)) => 1 + rest.iter().take_while(is_name).count(),
        _ => 0,
    }
}

/// Returns the length of the statement at the start of `text`: up to `;`, `{` or `}` outside of
/// brackets and strings.
fn statement_len(text: &[u8]) -> usize {
    let mut at = 0;
    let mut depth = 0_usize;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' | b'\'' => {
                at += string_len(&text[at..]);
                continue;
            }
            // Interpolation: `#{$name}`, Less's `@{name}`.
            b'#' | b'@' if text.get(at + 1) == Some(&b'{') => {
                depth += 1;
                at += 1;
            }
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b'/' if depth == 0 && matches!(text.get(at + 1), Some(b'/' | b'*')) => {
                at += comment_len(&text[at..]);
                continue;
            }
            b'}' if depth > 0 => depth -= 1,
            b';' | b'{' | b'}' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

fn string_len(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            _ if byte == text[0] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

fn comment_len(text: &[u8]) -> usize {
    let find = |part: &[u8]| bstr::ByteSlice::find(text, part);
    if text.starts_with(b"//") {
        return find(b"\n").unwrap_or(text.len());
    }
    find(b"*/").map_or(text.len(), |at| at + 2)
}
