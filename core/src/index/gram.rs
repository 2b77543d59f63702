//! Trigram keys: three bytes, each folded to one of 64 classes (18 bits), and one bit that is set
//! if an uppercase letter is among them.
//!
//! Folding can only add candidates, so one index serves case-sensitive and case-insensitive
//! searches. Both cases of an ASCII letter share a class, carriage return and line feed share one,
//! rare punctuation shares the class of a more common character, and a hash spreads bytes from 0x80
//! up over all classes. The case bit distinguishes `PM_RESUME` from `pm_resume`, which matters in
//! code with uppercase macros. A case-insensitive search looks up both forms
//! ([`Gram::in_either_case`]).
//!
//! Grams with a line terminator are not indexed (see [`Gram::of`]). A gram therefore never spans
//! two lines, and a file may be divided between any two lines without losing a gram. Their keys are
//! used for what a text contains besides its grams:
//!
//! - A terminator, then two bytes: a line starts with these bytes. So each pair of bytes in a line
//!   ends a key ([`super::gram_set`]).
//! - A terminator in the middle: the first two bytes of a character beyond ASCII in UTF-8, exactly
//!   ([`Gram::of_character`]).
//! - A terminator at the end: there is a long run of hexadecimal digits ([`Gram::of_hex_run`]).
//! - [`NOT_UTF8`].

use std::fmt;

/// Number of byte classes.
pub const CLASSES: usize = 64;

/// Number of distinct keys.
pub const KEYS: usize = CLASSES * CLASSES * CLASSES * 2;

/// The bit of a key that is set if an uppercase letter is among the three bytes.
pub const UPPER: u32 = 1 << 18;

/// Marks a gram whose case is unknown: not a key, but the union of two keys.
const EITHER: u32 = 1 << 19;

/// The key of texts that are not valid UTF-8.
pub const NOT_UTF8: u32 = UPPER;

/// The lengths for which texts with a run of at least so many hexadecimal digits have a key,
/// ascending: hashes and identifiers are found, most constants and words are not.
pub const HEX_RUNS: [usize; 6] = [12, 16, 24, 32, 40, 64];

/// The class of `\n` and `\r`.
pub const TERMINATOR: u8 = 0;

/// The class of each byte.
pub static CLASS: [u8; 256] = classes();

/// A trigram: three byte classes, the first in the high bits, and the case of its letters.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Gram(u32);

impl Gram {
    /// Returns the gram of three bytes, or `None` if one of them is `\n` or `\r`.
    pub fn of(bytes: [u8; 3]) -> Option<Gram> {
        let gram = Gram::of_classes(bytes.map(|byte| CLASS[usize::from(byte)]))?;
        let upper = bytes.iter().any(u8::is_ascii_uppercase);
        Some(if upper { gram.with_uppercase() } else { gram })
    }

    /// Returns the gram of three classes without an uppercase letter, or `None` if one of them is
    /// [`TERMINATOR`].
    pub fn of_classes(classes: [u8; 3]) -> Option<Gram> {
        let [a, b, c] = classes.map(u32::from);
        (a != 0 && b != 0 && c != 0).then_some(Gram(a << 12 | b << 6 | c))
    }

    /// Returns the gram of two bytes with which a character beyond ASCII starts in UTF-8, or `None`
    /// for any others. For characters of two bytes it is exact, otherwise it stands for a block of
    /// 64 or 4096 characters.
    pub fn of_character(bytes: [u8; 2]) -> Option<Gram> {
        let [first, second] = bytes.map(u32::from);
        let starts = first >= 0xc0 && second & 0xc0 == 0x80;
        starts.then_some(Gram((first & 63) << 12 | second & 63))
    }

    /// Returns the gram of texts with a run of `len` or more hexadecimal digits of either case, or
    /// `None` if it is shorter than each of [`HEX_RUNS`].
    pub fn of_hex_run(len: usize) -> Option<Gram> {
        let rank = HEX_RUNS.partition_point(|&run| run <= len);
        (rank > 0).then_some(Gram(1 << 12 | (rank as u32) << 6))
    }

    /// Returns the gram with an uppercase letter somewhere in it.
    pub fn with_uppercase(self) -> Gram {
        Gram(self.0 & (UPPER - 1) | UPPER)
    }

    /// Returns the gram with letters of either case.
    pub fn in_either_case(self) -> Gram {
        Gram(self.0 & (UPPER - 1) | EITHER)
    }

    /// Returns the index keys of the gram: one, or two if its case is unknown.
    pub fn keys(self) -> impl Iterator<Item = u32> {
        let key = self.0 & (EITHER - 1);
        let both = self.0 & EITHER != 0;
        std::iter::once(key).chain(both.then_some(key | UPPER))
    }

    /// Returns the gram for each key, for tests.
    #[cfg(test)]
    pub fn forms(self) -> impl Iterator<Item = Gram> {
        self.keys().map(Gram)
    }

    /// Returns the gram of a key, for tests.
    #[cfg(test)]
    pub fn of_key(key: u32) -> Gram {
        Gram(key)
    }
}

impl fmt::Display for Gram {
    /// Writes one representative byte for each class: `pm_`; `PM_` if an uppercase letter is among
    /// them; `pm_/i` if the case is unknown; `\xc3\xa9` for the start of a character; `hex{12}` for
    /// a run.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [second, third] = [self.0 >> 6 & 63, self.0 & 63];
        if let Some(run) = HEX_RUNS.get((second as usize).wrapping_sub(1)).filter(|_| third == 0) {
            return write!(f, "hex{{{run}}}");
        }
        if second == u32::from(TERMINATOR) {
            return write!(f, "\\x{:02x}\\x{:02x}", 0xc0 | self.0 >> 12 & 63, 0x80 | self.0 & 63);
        }
        for shift in [12, 6, 0] {
            let class = (self.0 >> shift & 63) as u8;
            let byte = (0x20..0x7f_u8).rev().find(|&byte| CLASS[usize::from(byte)] == class);
            let byte = byte.or((0..=0xff).find(|&byte| CLASS[usize::from(byte)] == class));
            let byte = byte.unwrap_or(b'?');
            let byte = if self.0 & UPPER != 0 { byte.to_ascii_uppercase() } else { byte };
            write!(f, "{}", std::ascii::escape_default(byte))?;
        }
        f.write_str(if self.0 & EITHER != 0 { "/i" } else { "" })
    }
}

const fn classes() -> [u8; 256] {
    // Printable ASCII with a class of its own, from class 37 on. Letters are 1..=26, digits
    // 27..=36.
    const OWN: &[u8] = b"_ \t.,;:(){}[]<>=+-*/\\\"'&!#%";
    // Rare bytes, each with the more common byte whose class it shares.
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
    fn case_is_one_bit_and_line_ends_have_no_gram() {
        assert_eq!(Gram::of(*b"AbC"), Gram::of(*b"aBc"));
        assert_ne!(Gram::of(*b"AbC"), Gram::of(*b"abc"));
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
    fn either_case_is_the_union_of_both() {
        let [lower, upper] = [*b"pm_", *b"PM_"].map(|bytes| Gram::of(bytes).expect("a gram"));
        assert_eq!(lower.in_either_case(), upper.in_either_case());
        assert_eq!(lower.in_either_case().forms().collect::<Vec<_>>(), [lower, upper]);
        assert_eq!(lower.forms().collect::<Vec<_>>(), [lower]);
        assert!(upper.keys().all(|key| (key as usize) < KEYS));
    }

    #[test]
    fn display_shows_a_representative() {
        let gram = Gram::of(*b"Pm_").expect("a gram");
        assert_eq!(gram.to_string(), "PM_");
        assert_eq!(gram.in_either_case().to_string(), "pm_/i");
        let gram = Gram::of_character([0xc3, 0xa9]).expect("`é`");
        assert_eq!(gram.to_string(), r"\xc3\xa9");
        let gram = Gram::of_hex_run(39).expect("a long run");
        assert_eq!(gram.to_string(), "hex{32}");
        assert_eq!(Gram::of_hex_run(HEX_RUNS[0] - 1), None);
    }
}
