//! Helpers for the `mask` functions of languages, which blank out text that the grammar must not
//! see.

/// Returns a copy of `text` in which every byte except line ends is a space.
pub(super) fn blanks(text: &[u8]) -> Vec<u8> {
    text.iter().map(|&byte| if matches!(byte, b'\n' | b'\r') { byte } else { b' ' }).collect()
}

/// Replaces every byte of `masked` except line ends with a space.
pub(in crate::lang) fn blank(masked: &mut [u8]) {
    masked.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
}

/// Returns the lines of `text`, including their line ends, each with its byte offset.
pub(in crate::lang) fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    text.split_inclusive(|&byte| byte == b'\n').scan(0, |next, line| {
        let start = *next;
        *next += line.len();
        Some((start, line))
    })
}
