//! Trigram keys: three bytes folded to 64 classes each, 18 bits, and one bit that says whether an
//! uppercase letter is among them.
//!
//! Folding only ever adds candidates, so one index serves both case modes: ASCII letters share a
//! class with their other case, carriage return shares one with line feed, rare punctuation is
//! aliased, and bytes from 0x80 up are spread over all classes by a hash. The case bit keeps
//! `PM_RESUME` apart from `pm_resume`, which matters where macros are written in capitals; a search
//! without regard to case asks for both forms ([`Gram::in_either_case`]).
//!
//! A gram that holds a line terminator is never indexed (see [`Gram::of`]), so a gram never spans
//! two lines, and a file may be cut between any two lines without losing one.

use std::fmt;

/// Number of byte classes.
pub const CLASSES: usize = 64;

/// Number of distinct keys, those with a line terminator included.
pub const KEYS: usize = CLASSES * CLASSES * CLASSES * 2;

/// The bit of a key that says that an uppercase letter is among the three bytes.
pub const UPPER: u32 = 1 << 18;

/// A gram whose letters' case is not known: no key, but the union of two.
const EITHER: u32 = 1 << 19;

/// The class of `\n` and `\r`.
pub const TERMINATOR: u8 = 0;

/// The class of each byte.
pub static CLASS: [u8; 256] = classes();

/// A trigram that a text may hold: three byte classes, the first in the high bits, and the case of
/// their letters.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Gram(u32);

impl Gram {
    /// Returns the gram of three bytes, or `None` where one of them is `\n` or `\r`.
    pub fn of(bytes: [u8; 3]) -> Option<Gram> {
        let gram = Gram::of_classes(bytes.map(|byte| CLASS[usize::from(byte)]))?;
        let upper = bytes.iter().any(u8::is_ascii_uppercase);
        Some(if upper { gram.with_uppercase() } else { gram })
    }

    /// Returns the gram of three classes without an uppercase letter, or `None` where one of them
    /// is the terminator's.
    pub fn of_classes(classes: [u8; 3]) -> Option<Gram> {
        let [a, b, c] = classes.map(u32::from);
        (a != 0 && b != 0 && c != 0).then_some(Gram(a << 12 | b << 6 | c))
    }

    /// Returns the gram with an uppercase letter somewhere in it.
    pub fn with_uppercase(self) -> Gram {
        Gram(self.0 & (UPPER - 1) | UPPER)
    }

    /// Returns the gram with letters of whatever case.
    pub fn in_either_case(self) -> Gram {
        Gram(self.0 & (UPPER - 1) | EITHER)
    }

    /// Returns the keys under which the index holds the gram: one, or two in either case.
    pub fn keys(self) -> impl Iterator<Item = u32> {
        let key = self.0 & (EITHER - 1);
        let both = self.0 & EITHER != 0;
        std::iter::once(key).chain(both.then_some(key | UPPER))
    }

    /// Returns the grams of one case each of which this is the union, for tests.
    #[cfg(test)]
    pub fn forms(self) -> impl Iterator<Item = Gram> {
        self.keys().map(Gram)
    }
}

impl fmt::Display for Gram {
    /// Writes one representative byte for each class: `pm_`, `PM_` with an uppercase letter
    /// somewhere, `pm_/i` in either case.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
    }
}
