//! Texts of blanks: what a `mask` starts from, to put back what its grammar is to see.

/// Returns as many bytes as `text` has: blanks, and its line ends.
pub(super) fn blanks(text: &[u8]) -> Vec<u8> {
    text.iter().map(|&byte| if matches!(byte, b'\n' | b'\r') { byte } else { b' ' }).collect()
}

/// Blanks `masked` but for its line ends.
pub(super) fn blank(masked: &mut [u8]) {
    masked.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
}

/// Returns each line of `text` with its line end and the place where it begins.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    text.split_inclusive(|&byte| byte == b'\n').scan(0, |next, line| {
        let start = *next;
        *next += line.len();
        Some((start, line))
    })
}
