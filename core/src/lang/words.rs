//! Tokenization: the identifiers of a text in any language, and the words that an identifier
//! consists of. Stemming and stop words are in [`super::prose`].
//!
//! Both iterators run over every byte of a tree, so they do not allocate: they yield spans of their
//! input, and [`push_folded`] lowercases into a buffer of the caller.
//!
//! Limits: text in scripts without spaces between words (Chinese, Japanese) yields whole runs of
//! letters. Runs of more than [`BYTES_MAX`] bytes, such as base64, are skipped.

use std::borrow::Cow;
use std::ops::Range;

use unicode_ident::{is_xid_continue, is_xid_start};

/// Minimum length of an identifier; shorter ones are skipped.
pub const BYTES_MIN: usize = 2;

/// Maximum length of an identifier; longer ones are skipped.
pub const BYTES_MAX: usize = 64;

/// Maximum number of letters to which following digits are attached: `utf8` and `sha256` are one
/// word, `server2` is `server` and `2`.
const DIGIT_PREFIX_LETTERS_MAX: usize = 3;

/// The role of a byte in an identifier.
#[derive(Clone, Copy, Eq, PartialEq)]
enum ByteClass {
    Other,
    /// A letter, `_` or `$`.
    Start,
    Digit,
    /// A byte of a non-ASCII character, which must be decoded.
    Wide,
}

const CLASSES: [ByteClass; 256] = {
    let mut classes = [ByteClass::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => ByteClass::Start,
            b'0'..=b'9' => ByteClass::Digit,
            0x80.. => ByteClass::Wide,
            _ => ByteClass::Other,
        };
        byte += 1;
    }
    classes
};

/// Returns the spans of the identifiers of `text`, in ascending order. An identifier consists of
/// letters, digits, `_` and `$` (Unicode XID), does not start with a digit, and is [`BYTES_MIN`] to
/// [`BYTES_MAX`] bytes long. Each span is valid UTF-8; invalid bytes separate identifiers. O(text),
/// without allocation.
pub fn identifiers(text: &[u8]) -> Identifiers<'_> {
    Identifiers { text, at: 0 }
}

/// The iterator returned by [`identifiers`].
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
                ByteClass::Other => {
                    self.at += 1;
                    continue;
                }
                ByteClass::Start => true,
                ByteClass::Digit => false,
                ByteClass::Wide => match self.wide(is_xid_start) {
                    0 => {
                        // A character that cannot start an identifier is skipped.
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
    /// Advances past all characters that can continue an identifier.
    fn skip_name(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            self.at += match CLASSES[byte as usize] {
                ByteClass::Start | ByteClass::Digit => 1,
                ByteClass::Other => return,
                ByteClass::Wide => match self.wide(is_xid_continue) {
                    0 => return,
                    len_bytes => len_bytes,
                },
            };
        }
    }

    /// Returns the length of the character at the current position if it is valid UTF-8 and
    /// satisfies `predicate`, otherwise 0.
    fn wide(&self, predicate: impl Fn(char) -> bool) -> usize {
        let end = self.text.len().min(self.at + 4);
        match bstr::decode_utf8(&self.text[self.at..end]) {
            (Some(character), len_bytes) if predicate(character) => len_bytes,
            _ => 0,
        }
    }
}

/// Returns the words that `identifier` consists of, in order and with their original case.
///
/// Word boundaries are `_`, `$` and other punctuation, a lowercase letter before an uppercase one,
/// the position before the last capital of an acronym, and digits: `XMLHttpRequest` is `XML`,
/// `Http`, `Request`; `HTTPServer2` is `HTTP`, `Server`, `2`. Exceptions: digits are attached to up
/// to three preceding letters (`utf8`, `sha256`); a single letter after digits is attached if a
/// single letter precedes them (`i18n`); a single lowercase letter is attached to its acronym
/// (`URLs`, `IPv6`). O(identifier), without allocation.
pub fn parts(identifier: &str) -> Parts<'_> {
    Parts { identifier, at: 0 }
}

/// The iterator returned by [`parts`].
#[derive(Clone, Debug)]
pub struct Parts<'a> {
    identifier: &'a str,
    at: usize,
}

/// The class of a character in an identifier.
#[derive(Clone, Copy, Eq, PartialEq)]
enum LetterClass {
    Upper,
    /// A lowercase letter, or a letter of a script without case.
    Lower,
    Digit,
    Separator,
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.run(LetterClass::Separator);
        let start = self.at;
        let mut letters = match self.letter()? {
            (LetterClass::Digit, _) => {
                self.run(LetterClass::Digit);
                return Some(&self.identifier[start..self.at]);
            }
            (LetterClass::Lower, _) => self.run(LetterClass::Lower),
            _ => self.capitals(),
        };
        if letters <= DIGIT_PREFIX_LETTERS_MAX && self.run(LetterClass::Digit) > 0 && letters == 1 {
            let before = self.at;
            letters = self.run(LetterClass::Lower);
            if letters != 1 {
                self.at = before;
            }
        }
        Some(&self.identifier[start..self.at])
    }
}

impl Parts<'_> {
    /// Advances past a word that starts with capitals, and returns the number of its letters.
    fn capitals(&mut self) -> usize {
        let (start, mut last, mut uppers) = (self.at, self.at, 0);
        while let Some((LetterClass::Upper, len_bytes)) = self.letter() {
            last = self.at;
            self.at += len_bytes;
            uppers += 1;
        }
        let lowers = self.run(LetterClass::Lower);
        if uppers > 1 && lowers > 1 && last > start {
            self.at = last;
            return uppers - 1;
        }
        uppers + lowers
    }

    /// Advances past the characters of one class, and returns their number.
    fn run(&mut self, class: LetterClass) -> usize {
        let mut count = 0;
        while let Some((_, len_bytes)) = self.letter().filter(|(letter, _)| *letter == class) {
            self.at += len_bytes;
            count += 1;
        }
        count
    }

    /// Returns the class of the character at the current position, and its length in bytes.
    fn letter(&self) -> Option<(LetterClass, usize)> {
        let &byte = self.identifier.as_bytes().get(self.at)?;
        let letter = match byte {
            b'a'..=b'z' => LetterClass::Lower,
            b'A'..=b'Z' => LetterClass::Upper,
            b'0'..=b'9' => LetterClass::Digit,
            0..0x80 => LetterClass::Separator,
            _ => {
                let character = self.identifier[self.at..].chars().next()?;
                let letter = match character {
                    _ if character.is_uppercase() => LetterClass::Upper,
                    _ if character.is_numeric() => LetterClass::Digit,
                    _ if is_xid_continue(character) => LetterClass::Lower,
                    _ => LetterClass::Separator,
                };
                return Some((letter, character.len_utf8()));
            }
        };
        Some((letter, 1))
    }
}

/// Returns the name that an identifier with Unicode escapes denotes: `\\u00E9_2` is `é_2`, and
/// `\\u{61}b` is `ab`. Other texts are returned as they are. O(identifier).
pub fn unescaped(identifier: &str) -> Cow<'_, str> {
    if !identifier.contains("\\u") {
        return Cow::Borrowed(identifier);
    }
    decoded(identifier).map_or(Cow::Borrowed(identifier), Cow::Owned)
}

/// Returns the same, or `None` if the text is no identifier, or an escape is not one of a character of
/// identifiers.
fn decoded(identifier: &str) -> Option<String> {
    let mut name = String::with_capacity(identifier.len());
    let mut rest = identifier;
    while let Some(first) = rest.chars().next() {
        let (character, len_bytes) = match rest.strip_prefix("\\u") {
            Some(escape) => {
                let (digits, len_bytes) = match escape.strip_prefix('{') {
                    Some(inner) => (inner.split_once('}')?.0, inner.find('}')? + 4),
                    None => (escape.get(..4)?, 6),
                };
                if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    return None;
                }
                (char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, len_bytes)
            }
            None => (first, first.len_utf8()),
        };
        if !is_xid_continue(character) && !matches!(character, '$' | '#') {
            return None;
        }
        name.push(character);
        rest = &rest[len_bytes..];
    }
    Some(name)
}

/// Appends `word` to `buffer` in lowercase.
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
