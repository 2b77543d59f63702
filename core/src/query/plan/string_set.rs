//! Small sets of folded strings.
//!
//! The letters of a folded string are bytes from 0x80 up, and the [classes](CLASS) of other bytes,
//! each with its case, which may be unknown: `[aA]` is one string. `\r` and `\n` also fold to one
//! letter, which no gram contains.

use crate::index::gram::{CLASS, Gram, TERMINATOR};
use crate::index::gram_set::{GramSet, PairCase};
use crate::query::gram_query::GramQuery;

/// Maximum number of grams of one string. Longer strings are sampled at equal distances.
const GRAMS_PER_STRING_MAX: usize = 256;

/// Flag of a letter: it is uppercase. The classes of ASCII letters have five bits.
const UPPERCASE: u8 = 0b010_00000;

/// Flag of a letter: its case is unknown.
const EITHER_CASE: u8 = 0b011_00000;

/// The bits of the flags. Letters from 0x80 up are bytes and have no flags.
const FLAGS: u8 = 0b111_00000;

/// A set of folded strings: sorted, without duplicates.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct StringSet(Vec<Vec<u8>>);

impl StringSet {
    /// Returns the set of these byte strings, folded.
    pub(super) fn of<B: AsRef<[u8]>>(strings: impl IntoIterator<Item = B>) -> StringSet {
        strings.into_iter().map(|s| s.as_ref().iter().map(|&byte| fold(byte)).collect()).collect()
    }

    /// Returns the set of these byte strings, folded, their ASCII letters in either case.
    pub(super) fn of_either_case<B: AsRef<[u8]>>(
        strings: impl IntoIterator<Item = B>,
    ) -> StringSet {
        let fold = |&byte: &u8| {
            if byte.is_ascii_alphabetic() { class(fold(byte)) | EITHER_CASE } else { fold(byte) }
        };
        strings.into_iter().map(|s| s.as_ref().iter().map(fold).collect()).collect()
    }

    /// Returns the set of the empty string alone.
    pub(super) fn empty_string() -> StringSet {
        StringSet(vec![Vec::new()])
    }

    /// Returns the number of strings.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the total length of the strings.
    pub(super) fn letters(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    /// Returns true if the empty string is a member.
    pub(super) fn holds_empty(&self) -> bool {
        self.0.first().is_some_and(Vec::is_empty)
    }

    /// Returns the set without the empty string.
    pub(super) fn without_empty(mut self) -> StringSet {
        if self.holds_empty() {
            self.0.remove(0);
        }
        self
    }

    /// Returns the strings that are in any of the sets. O(n log n) for n letters.
    pub(super) fn union(sets: impl IntoIterator<Item = StringSet>) -> StringSet {
        sets.into_iter().flat_map(|set| set.0).collect()
    }

    /// Returns each string of this set followed by each of the other. O(the result).
    pub(super) fn product(&self, other: &StringSet) -> StringSet {
        let followed = |a: &Vec<u8>| {
            let a = a.clone();
            other.0.iter().map(move |b| [a.as_slice(), b].concat())
        };
        self.0.iter().flat_map(followed).collect()
    }

    /// Returns the first `n` letters of each string.
    pub(super) fn first(&self, n: usize) -> StringSet {
        self.parts(|s| &s[..n.min(s.len())])
    }

    /// Returns the last `n` letters of each string.
    pub(super) fn last(&self, n: usize) -> StringSet {
        self.parts(|s| &s[s.len() - n.min(s.len())..])
    }

    fn parts(&self, part: impl Fn(&[u8]) -> &[u8]) -> StringSet {
        let mut parts: Vec<&[u8]> = self.0.iter().map(|string| part(string)).collect();
        parts.sort_unstable();
        parts.dedup();
        StringSet(parts.into_iter().map(<[u8]>::to_vec).collect())
    }

    /// Splits off the strings shorter than `n` letters: `(shorter, others)`.
    pub(super) fn split_shorter(self, n: usize) -> (StringSet, StringSet) {
        let (shorter, others) = self.0.into_iter().partition(|s| s.len() < n);
        (StringSet(shorter), StringSet(others))
    }

    /// Returns a necessary condition for a text to contain one of the strings: `None` if there are
    /// no strings, `All` if one of them is shorter than two letters.
    pub(super) fn query(&self) -> GramQuery {
        GramQuery::or(self.0.iter().map(|string| string_query(string)))
    }
}

impl FromIterator<Vec<u8>> for StringSet {
    fn from_iter<I: IntoIterator<Item = Vec<u8>>>(strings: I) -> StringSet {
        let mut strings: Vec<_> = strings.into_iter().collect();
        strings.sort_unstable();
        strings.dedup();
        StringSet(strings)
    }
}

/// Returns the conjunction of the grams of a string, or of its pairs if it has no gram.
fn string_query(string: &[u8]) -> GramQuery {
    let step = string.len().div_ceil(GRAMS_PER_STRING_MAX).max(1);
    let grams = string.windows(3).step_by(step).filter_map(gram);
    let starts = string.windows(2).step_by(step).filter_map(character_start);
    let query = GramQuery::and(grams.chain(starts).map(GramQuery::Gram));
    if query != GramQuery::All {
        return query;
    }
    let pairs = string.windows(2).step_by(step).filter_map(pair);
    let bytes = string.iter().any(|letter| letter & 0x80 != 0).then(GramSet::beyond_ascii);
    GramQuery::and(pairs.chain(bytes).map(GramQuery::Any))
}

fn fold(byte: u8) -> u8 {
    match byte {
        0x80.. => byte,
        b'A'..=b'Z' => CLASS[usize::from(byte)] | UPPERCASE,
        _ => CLASS[usize::from(byte)],
    }
}

/// Returns the class of a letter.
fn class(letter: u8) -> u8 {
    match letter {
        0x80.. => CLASS[usize::from(letter)],
        UPPERCASE.. => letter & !FLAGS,
        _ => letter,
    }
}

/// Returns the case of several letters.
fn case(letters: &[u8]) -> PairCase {
    let any = |case: u8| letters.iter().any(|letter| letter & FLAGS == case);
    // One letter that is certainly uppercase decides, regardless of the others.
    match (any(UPPERCASE), any(EITHER_CASE)) {
        (true, _) => PairCase::Upper,
        (false, true) => PairCase::Either,
        (false, false) => PairCase::Lower,
    }
}

/// Returns the gram of three letters, or `None` where one is a line terminator.
fn gram(letters: &[u8]) -> Option<Gram> {
    let letters: [u8; 3] = letters.try_into().ok()?;
    let gram = Gram::of_classes(letters.map(class))?;
    Some(match case(&letters) {
        PairCase::Upper => gram.with_uppercase(),
        PairCase::Either => gram.in_either_case(),
        PairCase::Lower => gram,
    })
}

/// Returns the gram of two letters with which a character beyond ASCII starts.
fn character_start(letters: &[u8]) -> Option<Gram> {
    // Letters below 0x80 are no bytes, and none of them starts or continues a character.
    Gram::of_character(letters.try_into().ok()?)
}

/// Returns the set of a pair of letters, or `None` if one is a line terminator.
fn pair(letters: &[u8]) -> Option<GramSet> {
    let letters: [u8; 2] = letters.try_into().ok()?;
    let classes = letters.map(class);
    (!classes.contains(&TERMINATOR)).then(|| GramSet::of_pair(classes, case(&letters)))
}
