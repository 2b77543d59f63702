//! Words of a text: the identifiers in it, whatever its language, and the parts that they are made
//! of. What prose does to words (stems, stop words) is in [`super::prose`].
//!
//! Both run over every byte of a tree, so that neither allocates: they yield spans of what they were
//! given, as it is written; [`push_folded`] lowercases into a buffer of the caller's.
//!
//! Limits: scripts without spaces between words (Chinese, Japanese) come as runs of letters, and runs
//! of more than [`BYTES_MAX`] bytes are left out, as are lines of base64.

use std::ops::Range;

use unicode_ident::{is_xid_continue, is_xid_start};

/// Shorter identifiers are no words.
pub const BYTES_MIN: usize = 2;

/// Longer identifiers are no words.
pub const BYTES_MAX: usize = 64;

/// Letters of a word that digits behind it are a part of: `utf8`, `sha256`, but `server` and `2`.
const GLUED_LETTERS_MAX: usize = 3;

/// What a byte may be in an identifier.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Class {
    Other,
    /// A letter, `_` or `$`.
    Start,
    Digit,
    /// A part of a character beyond ASCII, which is to be decoded.
    Wide,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => Class::Start,
            b'0'..=b'9' => Class::Digit,
            0x80.. => Class::Wide,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// Returns the spans of the identifiers of `text`, in order: letters, digits, `_` and `$`, by
/// Unicode's rules (XID), starting with no digit, of [`BYTES_MIN`] to [`BYTES_MAX`] bytes. Each is
/// valid UTF-8; bytes that are not are no part of one. O(text), without allocating.
pub fn identifiers(text: &[u8]) -> Identifiers<'_> {
    Identifiers { text, at: 0 }
}

/// Iterator of [`identifiers`].
#[derive(Clone, Debug)]
pub struct Identifiers<'a> {
    text: &'a [u8],
    at: usize,
}

impl Iterator for Identifiers<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let start = self.at;
            let &byte = self.text.get(start)?;
            let is_name = match CLASSES[byte as usize] {
                Class::Other => {
                    self.at += 1;
                    continue;
                }
                Class::Start => true,
                Class::Digit => false,
                Class::Wide => match self.wide(is_xid_start) {
                    0 => {
                        // What may stand inside a name, or is no letter, starts none.
                        self.at += self.wide(|_| true).max(1);
                        continue;
                    }
                    _ => true,
                },
            };
            self.skip_name();
            let span = start..self.at;
            if is_name && (BYTES_MIN..=BYTES_MAX).contains(&span.len()) {
                return Some(span);
            }
        }
    }
}

impl Identifiers<'_> {
    /// Moves behind everything that an identifier may go on with.
    fn skip_name(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            self.at += match CLASSES[byte as usize] {
                Class::Start | Class::Digit => 1,
                Class::Other => return,
                Class::Wide => match self.wide(is_xid_continue) {
                    0 => return,
                    len_bytes => len_bytes,
                },
            };
        }
    }

    /// Returns the length of the character here if it is one, beyond ASCII, and `is` says so; or 0.
    fn wide(&self, is: impl Fn(char) -> bool) -> usize {
        let end = self.text.len().min(self.at + 4);
        match bstr::decode_utf8(&self.text[self.at..end]) {
            (Some(character), len_bytes) if is(character) => len_bytes,
            _ => 0,
        }
    }
}

/// Returns the words that `identifier` is made of, as they are written, in order.
///
/// `_`, `$` and other signs part them, and so do a lowercase letter before an uppercase one, the last
/// capital of an acronym, and digits: `XMLHttpRequest` is `XML`, `Http`, `Request`, and `HTTPServer2`
/// is `HTTP`, `Server`, `2`. Digits stay with up to three letters (`utf8`, `sha256`), one letter
/// after them stays where one stands before them (`i18n`), and a lone one stays with its acronym
/// (`URLs`, `IPv6`). O(identifier), without allocating.
pub fn parts(identifier: &str) -> Parts<'_> {
    Parts { identifier, at: 0 }
}

/// Iterator of [`parts`].
#[derive(Clone, Debug)]
pub struct Parts<'a> {
    identifier: &'a str,
    at: usize,
}

/// What a character may be in a part.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Letter {
    Upper,
    /// Letters without case are as lowercase ones.
    Lower,
    Digit,
    Between,
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.run(Letter::Between);
        let start = self.at;
        let mut letters = match self.letter()? {
            (Letter::Digit, _) => {
                self.run(Letter::Digit);
                return Some(&self.identifier[start..self.at]);
            }
            (Letter::Lower, _) => self.run(Letter::Lower),
            _ => self.capitals(),
        };
        if letters <= GLUED_LETTERS_MAX && self.run(Letter::Digit) > 0 && letters == 1 {
            let before = self.at;
            letters = self.run(Letter::Lower);
            if letters != 1 {
                self.at = before;
            }
        }
        Some(&self.identifier[start..self.at])
    }
}

impl Parts<'_> {
    /// Moves behind the word that starts with capitals, and returns the number of its letters.
    fn capitals(&mut self) -> usize {
        let (start, mut last, mut uppers) = (self.at, self.at, 0);
        while let Some((Letter::Upper, len_bytes)) = self.letter() {
            last = self.at;
            self.at += len_bytes;
            uppers += 1;
        }
        let lowers = self.run(Letter::Lower);
        if uppers > 1 && lowers > 1 && last > start {
            self.at = last;
            return uppers - 1;
        }
        uppers + lowers
    }

    /// Moves behind the characters of one sort, and returns how many there are.
    fn run(&mut self, sort: Letter) -> usize {
        let mut count = 0;
        while let Some((_, len_bytes)) = self.letter().filter(|(letter, _)| *letter == sort) {
            self.at += len_bytes;
            count += 1;
        }
        count
    }

    /// Returns what stands here, and its length in bytes.
    fn letter(&self) -> Option<(Letter, usize)> {
        let &byte = self.identifier.as_bytes().get(self.at)?;
        let letter = match byte {
            b'a'..=b'z' => Letter::Lower,
            b'A'..=b'Z' => Letter::Upper,
            b'0'..=b'9' => Letter::Digit,
            0..0x80 => Letter::Between,
            _ => {
                let character = self.identifier[self.at..].chars().next()?;
                let letter = match character {
                    _ if character.is_uppercase() => Letter::Upper,
                    _ if character.is_numeric() => Letter::Digit,
                    _ if is_xid_continue(character) => Letter::Lower,
                    _ => Letter::Between,
                };
                return Some((letter, character.len_utf8()));
            }
        };
        Some((letter, 1))
    }
}

/// Appends `word` in lowercase.
pub fn push_folded(buffer: &mut String, word: &str) {
    if word.is_ascii() {
        let start = buffer.len();
        buffer.push_str(word);
        buffer[start..].make_ascii_lowercase();
    } else {
        buffer.extend(word.chars().flat_map(char::to_lowercase));
    }
}

#[cfg(test)]
mod tests;
