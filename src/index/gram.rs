//! Trigram keys: three bytes folded to 64 classes each, 18 bits in all.
//!
//! Folding only ever adds candidates, so one index serves both case modes: ASCII letters share a
//! class with their other case, carriage return shares one with line feed, rare punctuation is
//! aliased, and bytes from 0x80 up are spread over all classes by a hash.
//!
//! A gram that holds a line terminator is never indexed (see [`Gram::of`]), so a gram never spans
//! two lines, and a file may be cut between any two lines without losing one.

use std::fmt;

/// Number of byte classes.
pub const CLASSES: usize = 64;

/// Number of distinct keys, those with a line terminator included.
pub const KEYS: usize = CLASSES * CLASSES * CLASSES;

/// The class of `\n` and `\r`.
pub const TERMINATOR: u8 = 0;

/// The class of each byte.
pub static CLASS: [u8; 256] = classes();

/// An indexed trigram: three byte classes, the first in the high bits.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Gram(u32);

impl Gram {
    /// Returns the gram of three bytes, or `None` where one of them is `\n` or `\r`.
    pub fn of(bytes: [u8; 3]) -> Option<Gram> {
        let [a, b, c] = bytes.map(|byte| CLASS[usize::from(byte)]);
        if a == TERMINATOR || b == TERMINATOR || c == TERMINATOR {
            return None;
        }
        Some(Gram(u32::from(a) << 12 | u32::from(b) << 6 | u32::from(c)))
    }

    /// Returns the gram of a raw 18-bit key, or `None` where the key is out of range or holds a
    /// line terminator.
    pub fn from_key(key: u32) -> Option<Gram> {
        let indexed =
            (key as usize) < KEYS && key >> 12 != 0 && key >> 6 & 63 != 0 && key & 63 != 0;
        indexed.then_some(Gram(key))
    }

    /// Returns the 18-bit key.
    pub fn key(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Gram {
    /// Writes one representative byte for each class, e.g. `pm_`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for shift in [12, 6, 0] {
            let class = (self.0 >> shift & 63) as u8;
            let byte = (0x20..0x7f_u8).rev().find(|&byte| CLASS[usize::from(byte)] == class);
            let byte = byte.or((0..=0xff).find(|&byte| CLASS[usize::from(byte)] == class));
            write!(f, "{}", std::ascii::escape_default(byte.unwrap_or(b'?')))?;
        }
        Ok(())
    }
}

const fn classes() -> [u8; 256] {
    // Printable ASCII that keeps a class of its own, from class 37 on; letters are 1..=26 and
    // digits 27..=36.
    const OWN: &[u8] = b"_ \t.,;:(){}[]<>=+-*/\\\"'&!#%";
    // Rare bytes and the more common byte whose class they share.
    const ALIAS: &[(u8, u8)] = &[
        (b'|', b'&'),
        (b'@', b'#'),
        (b'$', b'%'),
        (b'?', b'!'),
        (b'~', b'*'),
        (b'^', b'+'),
        (b'`', b'\''),
    ];
    let mut class = [0_u8; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b'\n' | b'\r' => TERMINATOR,
            b @ b'a'..=b'z' => b - b'a' + 1,
            b @ b'A'..=b'Z' => b - b'A' + 1,
            b @ b'0'..=b'9' => b - b'0' + 27,
            // Spread over 1..=63; never the terminator's class.
            b @ 0x80.. => 1 + ((b as u32 * 37) % 63) as u8,
            // Control bytes share the backslash's class, set below.
            _ => 57,
        };
        byte += 1;
    }
    let mut i = 0;
    while i < OWN.len() {
        class[OWN[i] as usize] = 37 + i as u8;
        i += 1;
    }
    let mut i = 0;
    while i < ALIAS.len() {
        class[ALIAS[i].0 as usize] = class[ALIAS[i].1 as usize];
        i += 1;
    }
    class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_line_ends_fold() {
        assert_eq!(Gram::of(*b"AbC"), Gram::of(*b"aBc"));
        assert_ne!(Gram::of(*b"abc"), Gram::of(*b"abd"));
        assert_eq!(Gram::of(*b"a\nc"), None);
        assert_eq!(Gram::of(*b"\rbc"), None);
    }

    #[test]
    fn classes_are_in_range_and_only_line_ends_terminate() {
        for byte in 0..=255_u8 {
            let class = CLASS[usize::from(byte)];
            assert!(usize::from(class) < CLASSES);
            assert_eq!(class == TERMINATOR, byte == b'\n' || byte == b'\r', "{byte:#x}");
        }
    }

    #[test]
    fn keys_round_trip() {
        for bytes in [*b"abc", *b"_. ", [0xc3, 0xa9, b'x'], *b"%%%"] {
            let gram = Gram::of(bytes).expect("no terminator in it");
            assert_eq!(Gram::from_key(gram.key()), Some(gram));
        }
        assert_eq!(Gram::from_key(KEYS as u32), None);
        assert_eq!(Gram::from_key(63), None);
    }

    #[test]
    fn display_shows_a_representative() {
        assert_eq!(Gram::of(*b"PM_").expect("no terminator in it").to_string(), "pm_");
    }
}
