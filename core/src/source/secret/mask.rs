//! Replaces secrets in texts: first by as many bytes of marks, then in a reply by their kind.
//!
//! The text of a file is masked as a whole, where all of a secret is visible; offsets and lines stay
//! the same, and tools may cut and quote the text as any other. What becomes a reply is masked once
//! more (commit messages and names do not come from files), and each run of marks, cut or not, is
//! shown as `[redacted: kind]`.

use memchr::memmem;

use super::content;

/// The first mark, one for each kind: private-use characters of four bytes, the last ones that
/// Unicode has.
const FIRST: u32 = 0x0010_FE00;

/// The first three bytes of every mark.
const START: [u8; 3] = [0xF4, 0x8F, 0xB8];

/// Length of a mark.
const LEN: usize = 4;

/// Returns the text with marks in place of its secrets, of the same length in bytes; `None` if it
/// has none. O(text).
pub fn masked(text: &[u8]) -> Option<Vec<u8>> {
    let secrets = content::find(text);
    if secrets.is_empty() {
        return None;
    }
    let mut out = text.to_vec();
    for secret in secrets {
        let place = &mut out[secret.span];
        place.fill(b'*');
        let mark = mark(secret.kind);
        // The characters that are left over come after the first mark, so that a mark ends the run.
        let (head, rest) = place.split_at_mut(place.len().min(LEN));
        let spare = rest.len() % LEN;
        for part in std::iter::once(head).chain(rest[spare..].chunks_exact_mut(LEN)) {
            if part.len() == LEN {
                part.copy_from_slice(&mark);
            }
        }
    }
    Some(out)
}

/// The lengths of lines of a key that a patch may show without the lines around them, in bytes.
const KEY_LINE_BYTES: std::ops::RangeInclusive<usize> = 32..=128;

/// Returns [`masked`] for a patch. The first and last lines of a key need not be in it, so lines that
/// have the form of a line of a key are replaced, too.
pub fn masked_patch(patch: &[u8]) -> Vec<u8> {
    let whole = masked(patch).unwrap_or_else(|| patch.to_vec());
    let mut out = Vec::with_capacity(whole.len());
    for line in whole.split_inclusive(|&byte| byte == b'\n') {
        let content = match line {
            // The context of a hunk is a line of the file.
            [b'@', b'@', rest @ ..] => memmem::find(rest, b"@@").map_or(rest, |at| &rest[at + 2..]),
            [b'+' | b'-' | b' ', rest @ ..] => rest,
            _ => &[],
        };
        let key = content.trim_ascii();
        if is_key_line(key) {
            let at = line.len() - content.len();
            out.extend_from_slice(&line[..at]);
            out.extend_from_slice(b" [redacted: possible key]\n");
        } else {
            out.extend_from_slice(line);
        }
    }
    out
}

/// Returns true for a line of Base64 with digits and letters of both cases.
fn is_key_line(line: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| line.iter().any(is);
    KEY_LINE_BYTES.contains(&line.len())
        && line.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
}

/// Returns [`masked`] for a text.
pub fn masked_text(text: &str) -> String {
    match masked(text.as_bytes()) {
        // Secrets and marks are whole characters.
        Some(masked) => String::from_utf8_lossy(&masked).into_owned(),
        None => text.to_owned(),
    }
}

/// Returns a text as replies show it: secrets and marks are replaced by `[redacted: kind]`. Also for
/// JSON, which stays valid. O(text).
pub fn redacted(text: String) -> String {
    let text = match masked(text.as_bytes()) {
        // Secrets and marks are whole characters.
        Some(masked) => String::from_utf8_lossy(&masked).into_owned(),
        None => text,
    };
    match memmem::find(text.as_bytes(), &START) {
        Some(_) => without_marks(&text),
        None => text,
    }
}

/// Returns the number of secrets that a text shows as redacted.
pub fn redactions(text: &str) -> usize {
    let starts = memmem::find_iter(text.as_bytes(), PLACEHOLDER);
    let is_kind = |at: &usize| {
        let rest = &text[at + PLACEHOLDER.len()..];
        content::kinds()
            .iter()
            .any(|kind| rest.strip_prefix(kind).is_some_and(|rest| rest.starts_with(']')))
    };
    starts.filter(is_kind).count()
}

/// The start of what replies show in place of a secret.
const PLACEHOLDER: &str = "[redacted: ";

fn without_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memmem::find(rest.as_bytes(), &START) {
        out.push_str(&rest[..at]);
        let run = &rest[at..];
        let mark = run.chars().next().unwrap_or_default();
        let mut len = 0;
        loop {
            len += LEN;
            let stars = run[len..].bytes().take(LEN).take_while(|byte| *byte == b'*').count();
            if !run[len + stars..].starts_with(mark) {
                break;
            }
            len += stars;
        }
        let kind = content::kinds().get((u32::from(mark) - FIRST) as usize);
        out.push_str(PLACEHOLDER);
        out.push_str(kind.unwrap_or(&"secret"));
        out.push(']');
        rest = &run[len..];
    }
    out.push_str(rest);
    out
}

/// Returns the mark of a kind.
fn mark(kind: usize) -> [u8; LEN] {
    let mut bytes = [0; LEN];
    let mark = char::from_u32(FIRST + kind as u32).expect("there are fewer than 64 kinds");
    mark.encode_utf8(&mut bytes);
    bytes
}
