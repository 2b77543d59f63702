//! Character classes as sets of folded strings.

use regex_syntax::hir::{Class, ClassBytes, ClassUnicode};

use super::string_set::StringSet;
use crate::index::gram_set::GramSet;

/// Maximum number of strings of a class: hexadecimal digits are listed, letters are not. A
/// disjunction of one gram per letter costs more than it rejects.
const STRINGS_MAX: usize = 16;

/// Maximum number of characters that are examined. Several may fold to the same string: the two
/// cases of a letter, or the control characters.
const CHARACTERS_MAX: usize = 128;

/// Characters outside ASCII that fold to an ASCII letter, and that letter.
const FOLDING: [(char, char); 2] = [('\u{17f}', 's'), ('\u{212a}', 'k')];

/// The strings of a class.
pub(super) struct ClassStrings {
    /// The encodings of the characters, folded.
    pub(super) strings: StringSet,
    /// True if a character of [`FOLDING`] was left out because its letter is in the class too.
    pub(super) folds: bool,
}

/// Returns the strings of a class, or `None` if there are too many of them.
pub(super) fn strings(class: &Class) -> Option<ClassStrings> {
    let listed = match class {
        Class::Unicode(class) => unicode_strings(class)?,
        Class::Bytes(class) => ClassStrings { strings: byte_strings(class)?, folds: false },
    };
    (listed.strings.len() <= STRINGS_MAX).then_some(listed)
}

/// Returns the keys of which a text with a member of the class contains one, or `None` if there are
/// members in ASCII.
pub(super) fn keys(class: &Class) -> Option<GramSet> {
    match class {
        Class::Unicode(class) => {
            GramSet::of_characters(class.iter().map(|range| (range.start(), range.end())))
        }
        Class::Bytes(class) => {
            class.iter().all(|range| range.start() >= 0x80).then(GramSet::beyond_ascii)
        }
    }
}

/// Returns true if every member of the class is a hexadecimal digit.
pub(super) fn is_hexadecimal(class: &Class) -> bool {
    let within = |first: u32, last: u32| {
        let blocks = [('0', '9'), ('A', 'F'), ('a', 'f')];
        blocks.iter().any(|&(low, high)| u32::from(low) <= first && last <= u32::from(high))
    };
    match class {
        Class::Unicode(class) => {
            class.iter().all(|range| within(range.start().into(), range.end().into()))
        }
        Class::Bytes(class) => {
            class.iter().all(|range| within(range.start().into(), range.end().into()))
        }
    }
}

fn unicode_strings(class: &ClassUnicode) -> Option<ClassStrings> {
    let holds = |c: char| class.iter().any(|range| range.start() <= c && c <= range.end());
    let left_out = FOLDING.map(|(c, letter)| {
        (holds(c) && (holds(letter) || holds(letter.to_ascii_uppercase()))).then_some(c)
    });
    let characters: usize = class.iter().map(|range| range.len()).sum();
    if characters > CHARACTERS_MAX {
        return None;
    }
    let members = class.iter().flat_map(|range| range.start()..=range.end());
    let members = members.filter(|c| !left_out.contains(&Some(*c)));
    let other_case = |c: char| {
        let flip = |byte: u8| byte ^ 0x20;
        c.is_ascii_alphabetic().then(|| char::from(flip(c as u8)))
    };
    let (either, one): (Vec<char>, Vec<char>) =
        members.partition(|&c| other_case(c).is_some_and(&holds));
    let strings = StringSet::union([
        StringSet::of_either_case(either.into_iter().map(|c| c.to_string())),
        StringSet::of(one.into_iter().map(|c| c.to_string())),
    ]);
    Some(ClassStrings { strings, folds: left_out.iter().any(Option::is_some) })
}

fn byte_strings(class: &ClassBytes) -> Option<StringSet> {
    let bytes: usize = class.iter().map(|range| range.len()).sum();
    if bytes > CHARACTERS_MAX {
        return None;
    }
    let holds = |byte: u8| class.iter().any(|range| range.start() <= byte && byte <= range.end());
    let members = class.iter().flat_map(|range| range.start()..=range.end());
    let (either, one): (Vec<u8>, Vec<u8>) =
        members.partition(|byte| byte.is_ascii_alphabetic() && holds(byte ^ 0x20));
    Some(StringSet::union([
        StringSet::of_either_case(either.into_iter().map(|byte| [byte])),
        StringSet::of(one.into_iter().map(|byte| [byte])),
    ]))
}
