//! Apple's macros, which stand where the grammar knows nothing: they are blanked, or written as what
//! they stand for, before the text is parsed.

/// Words that make an enumeration of `WORD(type, name)`.
const ENUMERATIONS: [&[u8]; 6] =
    [b"NS_ENUM", b"NS_OPTIONS", b"NS_CLOSED_ENUM", b"NS_ERROR_ENUM", b"CF_ENUM", b"CF_OPTIONS"];

/// How words start that say something about a declaration, with or without arguments.
const ANNOTATIONS: [&[u8]; 23] = [
    b"NS_ASSUME_NONNULL_",
    b"NS_HEADER_AUDIT_",
    b"NS_DESIGNATED_",
    b"NS_UNAVAILABLE",
    b"NS_REQUIRES_",
    b"NS_SWIFT_",
    b"NS_REFINED_",
    b"NS_AVAILABLE",
    b"NS_DEPRECATED",
    b"NS_CLASS_",
    b"NS_EXTENSION_",
    b"NS_RETURNS_",
    b"NS_FORMAT_",
    b"NS_ROOT_",
    b"NS_NOESCAPE",
    b"NS_TYPED_",
    b"NS_STRING_ENUM",
    b"NS_EXTENSIBLE_",
    b"API_AVAILABLE",
    b"API_DEPRECATED",
    b"API_UNAVAILABLE",
    b"UI_APPEARANCE_",
    b"CF_RETURNS_",
];

/// Words for `extern`.
const EXTERNS: [&[u8]; 3] = [b"FOUNDATION_EXPORT", b"FOUNDATION_EXTERN", b"UIKIT_EXTERN"];

/// Bytes of a macro's arguments that are looked through for their end.
const ARGUMENTS_BYTES_MAX: usize = 1024;

/// Returns `text` without the macros, byte for byte as long. O(bytes of the text).
pub(super) fn mask(text: &[u8]) -> Vec<u8> {
    let mut masked = text.to_vec();
    let is_word = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    let mut at = 0;
    while at < text.len() {
        if !is_word(text[at]) {
            at += 1;
            continue;
        }
        let len = text[at..].iter().take_while(|&&byte| is_word(byte)).count();
        let (word, end) = (&text[at..at + len], at + len);
        if ENUMERATIONS.contains(&word) {
            enumeration(text, &mut masked, at, end);
        } else if EXTERNS.contains(&word) {
            masked[at..end].fill(b' ');
            masked[at..at + 6].copy_from_slice(b"extern");
        } else if ANNOTATIONS.iter().any(|start| word.starts_with(start)) {
            let close = arguments(text, end).map_or(end, |(_, close)| close + 1);
            blank(&mut masked[at..close]);
        }
        at = end;
    }
    masked
}

/// Returns where the brackets stand that open right after `at` and close within bounds.
fn arguments(text: &[u8], at: usize) -> Option<(usize, usize)> {
    if text.get(at) != Some(&b'(') {
        return None;
    }
    let mut depth = 0_usize;
    for (offset, byte) in text[at..].iter().take(ARGUMENTS_BYTES_MAX).enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some((at, at + offset)),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Fills with blanks; lines stay lines.
fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

/// Writes `typedef NS_ENUM(type, name)` as `enum name`, with blanks between.
fn enumeration(text: &[u8], masked: &mut [u8], at: usize, end: usize) {
    let Some((open, close)) = arguments(text, end) else { return };
    let Some(comma) = text[open..close].iter().position(|&byte| byte == b',') else { return };
    blank(&mut masked[at..=open + comma]);
    masked[at..at + 4].copy_from_slice(b"enum");
    masked[close] = b' ';
    let before = text[..at].trim_ascii_end();
    if before.ends_with(b"typedef") {
        masked[before.len() - 7..before.len()].fill(b' ');
    }
}
