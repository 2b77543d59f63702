//! Masks Apple macros in places where the grammar does not support them: they are blanked out or
//! replaced by their expansion.

/// Macros that declare an enumeration: `MACRO(type, name)`.
const ENUMERATIONS: [&[u8]; 6] =
    [b"NS_ENUM", b"NS_OPTIONS", b"NS_CLOSED_ENUM", b"NS_ERROR_ENUM", b"CF_ENUM", b"CF_OPTIONS"];

/// Prefixes of annotation macros, with or without arguments.
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

/// Suffixes of macros that expand to `extern`: `FOUNDATION_EXPORT`, `RCT_EXTERN`.
const EXTERNS: [&[u8]; 2] = [b"_EXPORT", b"_EXTERN"];

/// Suffix of the macros that React Native puts around the head of a method.
const METHOD_SUFFIX: &[u8] = b"_EXPORT_METHOD";

/// The replacement of such a macro.
const METHOD_START: &[u8] = b"- (void)";

/// Maximum length of a macro's arguments.
const ARGUMENTS_BYTES_MAX: usize = 1024;

/// Returns `text` without the macros; the length does not change. O(text).
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
        } else if is_macro(word) && EXTERNS.iter().any(|end| word.ends_with(end)) {
            masked[at..end].fill(b' ');
            masked[at..at + 6].copy_from_slice(b"extern");
        } else if ANNOTATIONS.iter().any(|start| word.starts_with(start)) {
            let close = arguments(text, end).map_or(end, |(_, close)| close + 1);
            blank(&mut masked[at..close]);
        } else if is_macro(word) && (at == 0 || text[at - 1] == b'\n') {
            statement(text, &mut masked, at, end);
        }
        at = end;
    }
    masked
}

fn is_macro(word: &[u8]) -> bool {
    let is_capital =
        |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    word.len() > 3 && word.contains(&b'_') && word.iter().all(is_capital)
}

/// Blanks out a macro call that is alone on its line. For a macro around a method head, only the
/// macro is replaced.
fn statement(text: &[u8], masked: &mut [u8], at: usize, end: usize) {
    let Some((open, close)) = arguments(text, end) else { return };
    let rest = &text[close + 1..];
    let line = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    let has_body = rest.trim_ascii_start().starts_with(b"{");
    if has_body && text[at..end].ends_with(METHOD_SUFFIX) {
        blank(&mut masked[at..=open]);
        masked[at..at + METHOD_START.len()].copy_from_slice(METHOD_START);
        masked[close] = b' ';
    } else if !has_body && matches!(rest[..line].trim_ascii(), b"" | b";") {
        blank(&mut masked[at..=close]);
    }
}

/// Returns the offsets of the parentheses that open at `at` and close within
/// [`ARGUMENTS_BYTES_MAX`].
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

/// Replaces every byte except line feeds with a space.
fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

/// Rewrites `typedef NS_ENUM(type, name)` as `enum name`, padded with spaces.
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

#[cfg(test)]
mod tests {
    use super::mask;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(String::from_utf8_lossy(&mask(text.as_bytes())), expected);
        assert_eq!(text.len(), expected.len());
    }

    #[test]
    fn annotations_are_blanked() {
        check("- (id)init NS_DESIGNATED_INITIALIZER;", "- (id)init                          ;");
        check("int a NS_SWIFT_NAME(b(c:));", "int a                     ;");
        check("X_NOT_IMPLEMENTED(-(id)init)\nint a;", "                            \nint a;");
        check("NOT_CLOSED(a\n", "NOT_CLOSED(a\n");
    }

    #[test]
    fn macros_are_expanded() {
        check("typedef NS_ENUM(int, A) { B };", "        enum         A  { B };");
        check("FOUNDATION_EXPORT int a;", "extern            int a;");
        check("RCT_EXPORT_METHOD(a:(int)b)\n{}", "- (void)          a:(int)b \n{}");
    }
}
