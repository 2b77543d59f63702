//! Decoding and escaping of text for display.

use std::borrow::Cow;

/// Returns untrusted text, such as a name, on one line, with characters escaped that a terminal
/// obeys or does not show; see [`is_unsafe`].
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_plain(&mut out, text);
    out
}

/// Appends [`plain`] of `text` to `out`.
pub fn push_plain(out: &mut String, text: &str) {
    // The common case. Each of the others begins with one of six bytes, as do some letters.
    let is_rare = |byte| byte < b' ' || matches!(byte, 0x7F | 0xC2 | 0xD8 | 0xE2 | 0xEF | 0xF3);
    // Without an early end the compiler compares many bytes at once.
    if !text.bytes().fold(false, |found, byte| found | is_rare(byte)) {
        return out.push_str(text);
    }
    out.reserve(text.len() + 8);
    for c in text.chars() {
        if is_unsafe(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
}

/// Returns a word as a shell reads it.
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Returns a number with its noun: `1 file`, `2 files`.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Returns true for characters that must not reach a terminal from a text that somebody else wrote:
/// control characters (C0, C1, delete), which move the cursor and start escape sequences; marks that
/// change the direction of the text; and characters without a shape, which hide text: tags, line and
/// paragraph separators, byte order marks.
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}')
        || matches!(c, '\u{2066}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}')
        || matches!(c, '\u{E0000}'..='\u{E007F}')
}

/// Decodes the bytes of a file as UTF-8, or as UTF-16 after a byte order mark. Invalid sequences
/// are replaced. Returns `None` for binary data, which has a NUL in its first 8,000 bytes.
pub fn decode(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let units = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => Some(Cow::Owned(units(rest, u16::from_le_bytes))),
        [0xFE, 0xFF, rest @ ..] => Some(Cow::Owned(units(rest, u16::from_be_bytes))),
        _ if !is_text(bytes) => None,
        [0xEF, 0xBB, 0xBF, rest @ ..] => Some(lossy(rest)),
        _ => Some(lossy(bytes)),
    }
}

/// Returns true for bytes that [`decode`] accepts as text: none of the first 8,000 is NUL, or they
/// begin with a UTF-16 byte order mark. O(1).
pub fn is_text(bytes: &[u8]) -> bool {
    is_utf16(bytes) || memchr::memchr(0, &bytes[..bytes.len().min(8000)]).is_none()
}

/// Returns true if [`decode`] returns the bytes themselves, provided that they are UTF-8: they are
/// text without a byte order mark. O(1).
pub fn is_plain(bytes: &[u8]) -> bool {
    is_text(bytes) && !is_utf16(bytes) && !bytes.starts_with(b"\xEF\xBB\xBF")
}

/// Returns true if the bytes begin with a UTF-16 byte order mark.
pub fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF])
}

/// Like [`String::from_utf8_lossy`], but faster for valid UTF-8.
fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// Returns the longest prefix of `text` with at most `bytes_max` bytes that ends at a character
/// boundary.
pub fn start(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(plain("a größe ·\u{A0}→"), "a größe ·\u{A0}→");
        assert_eq!(plain("a\tb\n\u{7F}\u{1B}"), "a\\tb\\n\\u{7f}\\u{1b}");
        assert_eq!(plain("ä\u{85}b\u{9F}"), "ä\\u{85}b\\u{9f}");
        for (text, shown) in [
            ("a\u{202E}b", "a\\u{202e}b"),
            ("a\u{2066}b\u{2069}", "a\\u{2066}b\\u{2069}"),
            ("\u{200F}\u{061C}", "\\u{200f}\\u{61c}"),
            ("x\u{E0041}\u{E007F}", "x\\u{e0041}\\u{e007f}"),
            ("\u{2028}\u{FEFF}", "\\u{2028}\\u{feff}"),
            ("日本 – “x” 👩\u{200D}💻 ص", "日本 – “x” 👩\u{200D}💻 ص"),
        ] {
            assert_eq!(plain(text), shown);
        }
    }

    #[test]
    fn texts_are_decoded() {
        assert_eq!(decode(b"a\n").as_deref(), Some("a\n"));
        assert_eq!(decode(b"\xEF\xBB\xBFa").as_deref(), Some("a"));
        assert_eq!(decode(b"\xFF\xFEa\0b\0").as_deref(), Some("ab"));
        assert_eq!(decode(b"\xFE\xFF\0a\xD8\0").as_deref(), Some("a\u{FFFD}"));
        assert_eq!(decode(b"a\xFFb").as_deref(), Some("a\u{FFFD}b"));
        assert_eq!(decode(b"a\0b"), None);
        assert_eq!(
            (is_text(b"a\0b"), is_text(b"\xFF\xFEa\0b\0"), is_text(b"")),
            (false, true, true)
        );
        assert_eq!(decode(b"").as_deref(), Some(""));
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!((start("aé", 2), start("aé", 3), start("", 9)), ("a", "aé", ""));
        assert_eq!(plain("a\n\u{1b}[é"), "a\\n\\u{1b}[é");
    }
}
