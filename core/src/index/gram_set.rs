//! Sets of keys for what is shorter than a gram: a pair of bytes, or a class of characters beyond
//! ASCII.
//!
//! A text contains the pair `ab` exactly if it contains a key that ends in it: of a gram `?ab`, or of
//! a line that starts with `ab`. A text contains a character of a class only if it contains the key of
//! such a character's first two bytes. So the texts are the union of the posting lists of the keys.

use std::fmt;

use super::gram::{CLASSES, Gram, NOT_UTF8, UPPER};

/// Maximum number of pairs of a useful set: the union of more contains almost every text.
pub const PAIRS_MAX: usize = 64;

/// One more than the index of the last gram of a character.
const CHARACTERS: u16 = 1 << 12;

/// A set of keys.
#[derive(Clone, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct GramSet {
    /// Sorted, without duplicates.
    pairs: Vec<Pair>,
    /// The starts of characters, as sorted disjoint ranges with both ends. The index of a start is
    /// the low six bits of each byte, so it ascends with the characters.
    characters: Vec<(u16, u16)>,
    /// True for texts that are not UTF-8.
    is_not_utf8: bool,
}

/// Two byte classes and the case of their letters.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
struct Pair {
    classes: [u8; 2],
    case: PairCase,
}

/// The case of the letters of a pair.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum PairCase {
    /// No letter is uppercase.
    Lower,
    /// At least one letter is uppercase.
    Upper,
    /// Unknown.
    Either,
}

impl GramSet {
    /// Returns the keys that end in a pair of byte classes, none of which is a terminator's.
    pub fn of_pair(classes: [u8; 2], case: PairCase) -> GramSet {
        debug_assert!(!classes.contains(&super::gram::TERMINATOR));
        GramSet { pairs: vec![Pair { classes, case }], ..GramSet::default() }
    }

    /// Returns the keys of the starts of the characters in `ranges`, with both ends, or `None` if
    /// one of the characters is in ASCII. U+FFFD also stands for bytes that are not UTF-8, as which
    /// tools show them.
    pub fn of_characters(ranges: impl IntoIterator<Item = (char, char)>) -> Option<GramSet> {
        let (mut characters, mut is_not_utf8) = (Vec::new(), false);
        for (first, last) in ranges {
            characters.push((character_index(first)?, character_index(last)?));
            is_not_utf8 |= (first..=last).contains(&char::REPLACEMENT_CHARACTER);
        }
        Some(GramSet { characters: disjoint(characters), is_not_utf8, ..GramSet::default() })
    }

    /// Returns the keys of texts with a byte from 0x80 up.
    pub fn beyond_ascii() -> GramSet {
        let characters = vec![(0, CHARACTERS - 1)];
        GramSet { characters, is_not_utf8: true, ..GramSet::default() }
    }

    /// Returns the union.
    pub fn union(mut self, other: GramSet) -> GramSet {
        self.pairs.extend(other.pairs);
        self.pairs.sort_unstable();
        self.pairs.dedup();
        self.characters.extend(other.characters);
        self.characters = disjoint(self.characters);
        self.is_not_utf8 |= other.is_not_utf8;
        self
    }

    /// Returns true if the set has more than [`PAIRS_MAX`] pairs.
    pub fn is_too_large(&self) -> bool {
        self.pairs.len() > PAIRS_MAX
    }

    /// Returns the number of keys, counting repetitions.
    pub fn len(&self) -> usize {
        let pairs = self.pairs.iter().map(|pair| pair.keys().count()).sum::<usize>();
        let ranges = self.characters.iter().map(|(first, last)| usize::from(last - first) + 1);
        pairs + ranges.sum::<usize>() + usize::from(self.is_not_utf8)
    }

    /// Returns true if the set has no key.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the keys; those of two pairs with the same classes may be repeated.
    pub fn keys(&self) -> impl Iterator<Item = u32> + '_ {
        let starts = self.characters.iter().flat_map(|&(first, last)| first..=last);
        let starts = starts.map(|index| u32::from(index >> 6) << 12 | u32::from(index & 63));
        let pairs = self.pairs.iter().flat_map(|pair| pair.keys());
        pairs.chain(starts).chain(self.is_not_utf8.then_some(NOT_UTF8))
    }
}

impl Pair {
    fn keys(self) -> impl Iterator<Item = u32> {
        let [a, b] = self.classes.map(u32::from);
        let key = move |first: u32| first << 12 | a << 6 | b;
        let all = 0..CLASSES as u32;
        // The first byte of the key may be the uppercase letter.
        let (lower, upper) = match self.case {
            PairCase::Lower => (all, 1..27),
            PairCase::Upper => (0..0, all),
            PairCase::Either => (all.clone(), all),
        };
        lower.map(key).chain(upper.map(move |first| key(first) | UPPER))
    }
}

/// Returns the index of a character's first two bytes in UTF-8, or `None` in ASCII.
fn character_index(character: char) -> Option<u16> {
    let mut bytes = [0; 4];
    let &[first, second, ..] = character.encode_utf8(&mut bytes).as_bytes() else { return None };
    Some(u16::from(first & 63) << 6 | u16::from(second & 63))
}

/// Sorts ranges and joins those that overlap or touch.
fn disjoint(mut ranges: Vec<(u16, u16)>) -> Vec<(u16, u16)> {
    ranges.sort_unstable();
    let mut joined: Vec<(u16, u16)> = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        match joined.last_mut() {
            Some((_, end)) if first <= *end + 1 => *end = last.max(*end),
            _ => joined.push((first, last)),
        }
    }
    joined
}

impl fmt::Display for GramSet {
    /// Writes one representative of each pair and range: `"zz"`, `"ab/i"`, `"\xce\x80-\xcf\xbf"`;
    /// several are joined by `OR`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown: Vec<String> = self.pairs.iter().map(|pair| pair.to_string()).collect();
        let start = |index: u16| {
            let [first, second] = [0xc0 | index >> 6, 0x80 | index & 63];
            format!(r"\x{first:02x}\x{second:02x}")
        };
        shown.extend(self.characters.iter().map(|&(first, last)| {
            if first == last {
                format!("\"{}\"", start(first))
            } else {
                format!("\"{}-{}\"", start(first), start(last))
            }
        }));
        shown.extend(self.is_not_utf8.then(|| "NOT UTF-8".to_owned()));
        match &shown[..] {
            [one] => f.write_str(one),
            several => write!(f, "({})", several.join(" OR ")),
        }
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The gram `_ab`, without its first byte.
        let [a, b] = self.classes;
        let gram = Gram::of_classes([super::gram::CLASS[usize::from(b'_')], a, b]);
        let gram = gram.map(|gram| match self.case {
            PairCase::Lower => gram,
            PairCase::Upper => gram.with_uppercase(),
            PairCase::Either => gram.in_either_case(),
        });
        let shown = gram.map(|gram| gram.to_string()).unwrap_or_default();
        write!(f, "\"{}\"", shown.get(1..).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::extract;
    use crate::index::gram::CLASS;
    use proptest::prelude::*;

    /// Returns true if a unit with this text is in the union of the set's posting lists.
    fn holds(set: &GramSet, text: &[u8]) -> bool {
        let keys = extract::keys(text);
        set.keys().any(|key| keys.binary_search(&key).is_ok())
    }

    fn pair(bytes: [u8; 2], case: PairCase) -> GramSet {
        GramSet::of_pair(bytes.map(|byte| CLASS[usize::from(byte)]), case)
    }

    #[test]
    fn a_pair_is_found_wherever_it_is() {
        let set = pair(*b"zz", PairCase::Lower);
        for text in
            ["zz", "azz", "zza", "AzzA", "\nzz", "a\r\nzz\r\n", "zzA", "Azz", "日zz", "é\nzz"]
        {
            assert!(holds(&set, text.as_bytes()), "{text:?}");
        }
        for text in ["", "z", "z\nz", "z\rz", "zaz", "ZZ", "zZ", " ZZ "] {
            assert!(!holds(&set, text.as_bytes()), "{text:?}");
        }
        let set = pair(*b"Zz", PairCase::Upper);
        for (text, expected) in [("Zz", true), ("aZz", true), ("zz", false), ("ZZ\n", true)] {
            assert_eq!(holds(&set, text.as_bytes()), expected, "{text:?}");
        }
        let set = pair(*b"zz", PairCase::Either);
        assert!(["zz", "zZ", "aZz", "AZZ"].iter().all(|text| holds(&set, text.as_bytes())));
    }

    #[test]
    fn a_byte_beyond_ascii_is_found_whatever_surrounds_it() {
        for text in [&b"\xff"[..], b"a\xc3", b"\x80", b"a\xe2\x86\x92", "é".as_bytes(), b"\xf0\x9f"]
        {
            assert!(holds(&GramSet::beyond_ascii(), text), "{text:?}");
        }
        assert!(!holds(&GramSet::beyond_ascii(), b"abc\n\x00\x7f"));
    }

    #[test]
    fn ranges_are_joined() {
        let set = |ranges: &[(char, char)]| GramSet::of_characters(ranges.iter().copied());
        let greek = set(&[('α', 'ω'), ('Α', 'Ω'), ('ἀ', 'ῼ')]).expect("not in ASCII");
        assert_eq!(
            greek.to_string(),
            r#"("\xce\x91-\xce\xa9" OR "\xce\xb1-\xcf\x89" OR "\xe1\xbc-\xe1\xbf")"#
        );
        let greek = greek.union(set(&[('Ϊ', 'ΰ')]).expect("not in ASCII"));
        assert_eq!(greek.to_string(), r#"("\xce\x91-\xcf\x89" OR "\xe1\xbc-\xe1\xbf")"#);
        assert_eq!(greek.len(), greek.keys().count());
        assert_eq!(set(&[('α', 'ω'), ('a', 'z')]), None);
        let specials = set(&[('\u{fff0}', '\u{ffff}')]).expect("not in ASCII");
        assert!(holds(&specials, b"caf\xe9") && !holds(&specials, "café".as_bytes()));
    }

    proptest! {
        #[test]
        fn a_character_of_a_range_is_found(
            ends in [any::<char>(), any::<char>()],
            before in "[aé\n]?",
            after in "[aé\n]?",
            character: char,
        ) {
            let [first, last] = if ends[0] < ends[1] { ends } else { [ends[1], ends[0]] };
            if let Some(set) = GramSet::of_characters([(first, last)]) {
                let text = format!("{before}{character}{after}");
                prop_assert!(
                    !(first..=last).contains(&character) || holds(&set, text.as_bytes())
                );
            }
        }
    }
}
