//! Bytes of a text that belong to words.

/// Returns true if the byte at a position belongs to a word.
pub(super) fn is_word_at(text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(|byte| is_word_byte(&byte))
}

/// Returns true if a byte belongs to a word.
pub(super) fn is_word_byte(byte: &&u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'$') || **byte >= 0x80
}
