//! From a file's bytes to its indexed units: line-aligned blocks and the keys of each block.

use std::ops::Range;

use crate::base::text;
use crate::index::gram::{CLASS, Gram, HEX_RUNS, KEYS, NOT_UTF8, TERMINATOR};

/// A file is cut into units of about this size, at the ends of lines.
pub const UNIT_BYTES: usize = 32 << 10;

/// Properties of a file's bytes that decide how it is searched.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Content {
    /// Offset of the first NUL byte: only the text before it is indexed.
    pub nul_at: Option<usize>,
    /// Starts with a UTF-16 byte order mark. Such a file is transcoded for searching and never
    /// indexed.
    pub utf16: bool,
    /// Contains `ſ` or the Kelvin sign, which fold to ASCII letters.
    pub folds_to_ascii: bool,
}

impl Content {
    /// Classifies `bytes`. O(bytes), vectorised.
    pub fn of(bytes: &[u8]) -> Content {
        let utf16 = text::is_utf16(bytes);
        let folds_to_ascii = !bytes.is_ascii()
            && (memchr::memmem::find(bytes, "ſ".as_bytes()).is_some()
                || memchr::memmem::find(bytes, "\u{212a}".as_bytes()).is_some());
        Content { nul_at: memchr::memchr(0, bytes), utf16, folds_to_ascii }
    }
}

/// Returns the units of a text: ranges of at most about [`UNIT_BYTES`] that end where lines end
/// (a longer line stays whole) and together cover the text; an empty text has one empty unit.
pub fn units(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = Some(0);
    std::iter::from_fn(move || {
        let from = start?;
        let rest = &text[from..];
        let len = if rest.len() <= UNIT_BYTES + UNIT_BYTES / 4 {
            rest.len()
        } else {
            match memchr::memrchr(b'\n', &rest[..UNIT_BYTES]) {
                Some(end) => end + 1,
                None => memchr::memchr(b'\n', &rest[UNIT_BYTES..])
                    .map_or(rest.len(), |end| UNIT_BYTES + end + 1),
            }
        };
        start = (from + len < text.len()).then_some(from + len);
        Some(from..from + len)
    })
}

/// Bytes of text processed at a time, so that letters and keys stay in the L1 cache.
const PIECE: usize = 2048;

/// Extracts the distinct keys of one text after another and reuses its tables.
pub struct Extractor {
    /// For each key, the epoch in which it was last seen.
    seen: Vec<u8>,
    epoch: u8,
}

impl Extractor {
    /// Returns an extractor. It allocates 512 KiB.
    pub fn new() -> Extractor {
        Extractor { seen: vec![0; KEYS], epoch: 0 }
    }

    /// Appends each distinct key of `text` to `out`: of its runs and of its characters beyond ASCII,
    /// then of its grams and starts of lines, each in order of first appearance. `text` starts where
    /// a line starts. O(text).
    pub fn keys(&mut self, text: &[u8], out: &mut Vec<u32>) {
        if self.epoch == u8::MAX {
            self.seen.fill(0);
            self.epoch = 0;
        }
        self.epoch += 1;
        let seen: &mut [u8; KEYS] =
            self.seen.as_mut_slice().try_into().expect("the table has a slot for each key");
        let longest = longest_hex_run(text);
        let runs = HEX_RUNS.iter().take_while(|&&run| run <= longest);
        out.extend(runs.flat_map(|&run| Gram::of_hex_run(run)).flat_map(Gram::keys));
        if !text.is_ascii() {
            character_keys(text, seen, self.epoch, out);
        }
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("bmi2") {
            #[expect(unsafe_code, reason = "needed to call a function with target features")]
            // SAFETY: both features were detected above.
            unsafe {
                fresh_keys_avx2(text, seen, self.epoch, out);
            }
            return;
        }
        fresh_keys(text, seen, self.epoch, out);
    }
}

/// [`fresh_keys`] as compiled for wider vectors: a fifth faster.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi2")]
fn fresh_keys_avx2(text: &[u8], seen: &mut [u8; KEYS], epoch: u8, out: &mut Vec<u32>) {
    fresh_keys(text, seen, epoch, out);
}

/// Returns the length of the longest run of hexadecimal digits; 0 if it is shorter than each of
/// [`HEX_RUNS`]. Examines every twelfth byte, and more where there are digits.
fn longest_hex_run(text: &[u8]) -> usize {
    let mut longest = HEX_RUNS[0] - 1;
    let mut from = 0;
    // A longer run would fill the window.
    while let Some(window) = text.get(from..=from + longest) {
        match window.iter().rposition(|byte| !HEX_DIGIT[usize::from(*byte)]) {
            Some(other) => from += other + 1,
            None => {
                let rest = &text[from..];
                let other = rest.iter().position(|byte| !HEX_DIGIT[usize::from(*byte)]);
                longest = other.unwrap_or(rest.len());
                from += longest;
            }
        }
    }
    if longest < HEX_RUNS[0] { 0 } else { longest }
}

/// Whether each byte is a hexadecimal digit.
static HEX_DIGIT: [bool; 256] = {
    let mut digits = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        digits[byte] = (byte as u8).is_ascii_hexdigit();
        byte += 1;
    }
    digits
};

/// Appends the keys of the characters beyond ASCII in `text`, and [`NOT_UTF8`] where it applies.
/// Must run before [`fresh_keys`], which marks these keys as seen where a line ends.
fn character_keys(text: &[u8], seen: &mut [u8; KEYS], epoch: u8, out: &mut Vec<u32>) {
    for pair in text.windows(2).filter(|pair| pair[0] >= 0xc0) {
        let Some(gram) = Gram::of_character([pair[0], pair[1]]) else { continue };
        for key in gram.keys() {
            let slot = &mut seen[key as usize & (KEYS - 1)];
            if *slot != epoch {
                *slot = epoch;
                out.push(key);
            }
        }
    }
    if std::str::from_utf8(text).is_err() {
        out.push(NOT_UTF8);
    }
}

/// Appends each key of `text` that was not seen in this `epoch` to `out`, as if a line ended before
/// it. Works on a small piece at a time in four passes: bytes to letters; letters to keys
/// (vectorised); removal of keys already seen; removal of keys with a terminator after the first
/// byte.
#[inline(always)]
fn fresh_keys(text: &[u8], seen: &mut [u8; KEYS], epoch: u8, out: &mut Vec<u32>) {
    let mut letters = [0_u8; PIECE + 2];
    let mut keys = [0_u32; PIECE];
    let mut fresh = [0_u32; PIECE];
    // The piece is the middle bytes of the keys: it has one byte on either side.
    let mut from = 0;
    letters[0] = TERMINATOR;
    while from + 1 < text.len() {
        let piece = &text[from..text.len().min(from + PIECE + 1)];
        for (letter, &byte) in letters[1..].iter_mut().zip(piece) {
            *letter = LETTER[usize::from(byte)];
        }
        let count = piece.len() - 1;
        let (a, b, c) = (&letters[..count], &letters[1..=count], &letters[2..count + 2]);
        for (((key, &a), &b), &c) in keys[..count].iter_mut().zip(a).zip(b).zip(c) {
            let upper = u32::from((a | b | c) & 64);
            let classes = [u32::from(a & 63), u32::from(b & 63), u32::from(c & 63)];
            *key = classes[0] << 12 | classes[1] << 6 | classes[2] | upper << 12;
        }
        let mut len = 0;
        for &key in &keys[..count] {
            // Branch-free: a key that was seen is overwritten by the next one.
            let slot = &mut seen[key as usize & (KEYS - 1)];
            fresh[len & (PIECE - 1)] = key;
            len += usize::from(*slot != epoch);
            *slot = epoch;
        }
        let mut grams = 0;
        for i in 0..len.min(PIECE) {
            let key = fresh[i];
            fresh[grams & (PIECE - 1)] = key;
            grams += usize::from(ends_in_pair(key));
        }
        out.extend_from_slice(&fresh[..grams]);
        letters[0] = letters[PIECE];
        from += PIECE;
    }
}

impl Default for Extractor {
    fn default() -> Extractor {
        Extractor::new()
    }
}

/// Returns true for the key of a gram or of the start of a line.
fn ends_in_pair(key: u32) -> bool {
    const _: () = assert!(TERMINATOR == 0);
    (key >> 6 & 63 != 0) & (key & 63 != 0)
}

/// The class of each byte, and in bit 6 whether it is an uppercase letter.
static LETTER: [u8; 256] = {
    let mut letters = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        letters[byte] = CLASS[byte] | ((byte as u8).is_ascii_uppercase() as u8) << 6;
        byte += 1;
    }
    letters
};

/// Returns the distinct grams of a text by definition, as an oracle for tests.
#[cfg(test)]
pub fn grams(text: &[u8]) -> Vec<Gram> {
    let mut grams: Vec<Gram> =
        text.windows(3).filter_map(|w| Gram::of([w[0], w[1], w[2]])).collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}

/// Returns the distinct keys of a text by definition, as an oracle for tests.
#[cfg(test)]
pub fn keys(text: &[u8]) -> Vec<u32> {
    let mut keys: Vec<u32> = grams(text).iter().flat_map(|gram| gram.keys()).collect();
    for line in text.split(|byte| matches!(byte, b'\r' | b'\n')).filter(|line| line.len() > 1) {
        let [a, b] = [0, 1].map(|i| u32::from(CLASS[usize::from(line[i])]));
        let upper = line[..2].iter().any(u8::is_ascii_uppercase);
        keys.push(a << 6 | b | if upper { crate::index::gram::UPPER } else { 0 });
    }
    let starts = text.windows(2).filter_map(|pair| Gram::of_character([pair[0], pair[1]]));
    keys.extend(starts.flat_map(Gram::keys));
    keys.extend(std::str::from_utf8(text).is_err().then_some(NOT_UTF8));
    let runs = text.split(|byte| !byte.is_ascii_hexdigit()).map(<[u8]>::len);
    let longest = runs.max().unwrap_or_default();
    let lengths = (0..=longest).filter_map(Gram::of_hex_run);
    keys.extend(lengths.flat_map(Gram::keys));
    keys.sort_unstable();
    keys.dedup();
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_byte() -> impl Strategy<Value = u8> {
        prop_oneof![any::<u8>(), 64..91_u8, 96..123_u8, Just(b'\n')]
    }

    proptest! {
        #[test]
        fn extraction_matches_the_definition(
            texts in prop::collection::vec(
                prop_oneof![
                    prop::collection::vec(any_byte(), 0..300),
                    prop::collection::vec(("[0-9a-fA-F]{0,70}", "[g\\n]{0,2}"), 0..12)
                        .prop_map(|runs| runs.into_iter().flat_map(|(a, b)| (a + &b).into_bytes()).collect()),
                    prop::collection::vec("[a-c\u{80}-\u{90}α日\\n]{0,3}", 0..9)
                        .prop_map(|texts| texts.concat().into_bytes()),
                ],
                1..6,
            ),
        ) {
            let mut extractor = Extractor::new();
            for text in texts {
                let mut keys = Vec::new();
                extractor.keys(&text, &mut keys);
                keys.sort_unstable();
                let expected = super::keys(&text);
                prop_assert_eq!(&keys, &expected);
                // The portable version gives the same result.
                keys.clear();
                let mut seen = vec![0; KEYS];
                let seen: &mut [u8; KEYS] = seen.as_mut_slice().try_into().expect("one slot a key");
                character_keys(&text, seen, 1, &mut keys);
                let longest = longest_hex_run(&text);
                keys.extend((0..=longest).filter_map(Gram::of_hex_run).flat_map(Gram::keys));
                keys.sort_unstable();
                keys.dedup();
                fresh_keys(&text, seen, 1, &mut keys);
                keys.sort_unstable();
                prop_assert_eq!(keys, expected);
            }
        }
    }

    #[test]
    fn epochs_wrap_without_mixing_texts() {
        let mut extractor = Extractor::new();
        for i in 0..600 {
            let text: &[u8] = if i % 2 == 0 { b"abcabcabd" } else { b"xyz" };
            let mut keys = Vec::new();
            extractor.keys(text, &mut keys);
            assert_eq!(keys.len(), if i % 2 == 0 { 5 } else { 2 });
        }
    }

    #[test]
    fn long_texts_cross_chunks() {
        let text: Vec<u8> = (0..50_000_u32).map(|i| b'a' + (i * i % 23) as u8).collect();
        let mut keys = Vec::new();
        Extractor::new().keys(&text, &mut keys);
        keys.sort_unstable();
        assert_eq!(keys, super::keys(&text));
    }

    #[test]
    fn units_cover_the_text_and_end_at_lines() {
        let line = b"some line of text\n";
        let mut text = line.repeat(30_000);
        text.extend_from_slice(&[b'x'; 400_000]);
        text.extend_from_slice(b"\ntail");
        let mut end = 0;
        for unit in units(&text) {
            assert_eq!(unit.start, end);
            assert!(unit.end == text.len() || text[unit.end - 1] == b'\n');
            end = unit.end;
        }
        assert_eq!(end, text.len());
        assert_eq!(units(b"").collect::<Vec<_>>(), vec![0..0]);
        assert_eq!(units(b"ab\n").count(), 1);
    }

    #[test]
    fn content_is_classified() {
        assert_eq!(Content::of(b"ab\0c").nul_at, Some(2));
        assert!(Content::of(b"\xff\xfea\0").utf16);
        assert!(Content::of("Kelvin \u{212a}".as_bytes()).folds_to_ascii);
        assert!(!Content::of("é".as_bytes()).folds_to_ascii);
    }
}
