//! From a file's bytes to its indexed units: line-aligned blocks and the grams of each block.

use std::ops::Range;

use crate::base::text;
#[cfg(test)]
use crate::index::gram::Gram;
use crate::index::gram::{CLASS, KEYS, TERMINATOR};

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

/// Extracts the distinct grams of one text after another and reuses its tables.
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

    /// Appends each distinct key of the grams of `text` to `out`, in order of first appearance.
    /// O(text).
    pub fn keys(&mut self, text: &[u8], out: &mut Vec<u32>) {
        if self.epoch == u8::MAX {
            self.seen.fill(0);
            self.epoch = 0;
        }
        self.epoch += 1;
        let seen: &mut [u8; KEYS] =
            self.seen.as_mut_slice().try_into().expect("the table has a slot for each key");
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

/// Appends each key of `text` that was not seen in this `epoch` to `out`. Works on a small piece at
/// a time in four passes: bytes to letters; letters to keys (vectorised); removal of keys already
/// seen; removal of keys that contain a terminator.
#[inline(always)]
fn fresh_keys(text: &[u8], seen: &mut [u8; KEYS], epoch: u8, out: &mut Vec<u32>) {
    let mut letters = [0_u8; PIECE + 2];
    let mut keys = [0_u32; PIECE];
    let mut fresh = [0_u32; PIECE];
    let mut from = 0;
    while from + 2 < text.len() {
        let piece = &text[from..text.len().min(from + PIECE + 2)];
        for (letter, &byte) in letters.iter_mut().zip(piece) {
            *letter = LETTER[usize::from(byte)];
        }
        let count = piece.len() - 2;
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
            grams += usize::from(holds_no_terminator(key));
        }
        out.extend_from_slice(&fresh[..grams]);
        from += PIECE;
    }
}

impl Default for Extractor {
    fn default() -> Extractor {
        Extractor::new()
    }
}

fn holds_no_terminator(key: u32) -> bool {
    const _: () = assert!(TERMINATOR == 0);
    (key >> 12 & 63 != 0) & (key >> 6 & 63 != 0) & (key & 63 != 0)
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn extraction_matches_the_definition(
            texts in prop::collection::vec(
                prop::collection::vec(prop_oneof![any::<u8>(), 64..91_u8, 96..123_u8], 0..300),
                1..6,
            ),
        ) {
            let mut extractor = Extractor::new();
            for text in texts {
                let mut keys = Vec::new();
                extractor.keys(&text, &mut keys);
                keys.sort_unstable();
                let expected: Vec<u32> = grams(&text).iter().flat_map(|gram| gram.keys()).collect();
                prop_assert_eq!(&keys, &expected);
                // The portable version gives the same result.
                keys.clear();
                let mut seen = vec![0; KEYS];
                let seen: &mut [u8; KEYS] = seen.as_mut_slice().try_into().expect("one slot a key");
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
            assert_eq!(keys.len(), if i % 2 == 0 { 4 } else { 1 });
        }
    }

    #[test]
    fn long_texts_cross_chunks() {
        let text: Vec<u8> = (0..50_000_u32).map(|i| b'a' + (i * i % 23) as u8).collect();
        let mut keys = Vec::new();
        Extractor::new().keys(&text, &mut keys);
        assert_eq!(keys.len(), grams(&text).len());
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
