//! Interned texts.

use rustc_hash::FxHashMap;

use crate::base::varint::{self, ByteReader};

/// Texts in one buffer.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(in crate::history) struct Interned {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Interned {
    pub(in crate::history) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the total length of all texts in bytes.
    pub(super) fn bytes_len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the text of a valid number.
    pub(in crate::history) fn get(&self, number: u32) -> &[u8] {
        &self.bytes[super::span(&self.ends, number as usize)]
    }

    /// Returns the text of a number, which must have been added as UTF-8.
    pub(in crate::history) fn text(&self, number: u32) -> &str {
        std::str::from_utf8(self.get(number)).unwrap_or_default()
    }

    /// Adds a text without a check for duplicates and returns its number.
    pub(in crate::history) fn push(&mut self, text: &[u8]) -> u32 {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len() as u32);
        self.ends.len() as u32 - 1
    }

    /// Appends the encoding: the number of texts, and for each text the length of the prefix shared
    /// with the previous one, the length of the rest, and the bytes of the rest.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        varint::put(out, self.len() as u64);
        let mut last: &[u8] = b"";
        for number in 0..self.len() {
            let text = self.get(number as u32);
            let shared = last.iter().zip(text).take_while(|(a, b)| a == b).count();
            varint::put(out, shared as u64);
            varint::put(out, (text.len() - shared) as u64);
            out.extend_from_slice(&text[shared..]);
            last = text;
        }
    }

    /// Decodes the output of [`Interned::encode`], up to `bytes_max` bytes of text.
    pub(super) fn decode(input: &mut ByteReader<'_>, bytes_max: usize) -> Option<Interned> {
        let count = input.read_len()?;
        let mut texts = Interned::default();
        let mut start = 0;
        for _ in 0..count {
            let (shared, rest) = (input.read_len()?, input.read_len()?);
            let rest = input.read_bytes(rest)?;
            let end = texts.bytes.len();
            if shared > end - start || end + shared + rest.len() > bytes_max {
                return None;
            }
            texts.bytes.extend_from_within(start..start + shared);
            texts.bytes.extend_from_slice(rest);
            texts.ends.push(texts.bytes.len() as u32);
            start = end;
        }
        Some(texts)
    }

    /// Returns true if every text is UTF-8.
    pub(super) fn is_text(&self) -> bool {
        (0..self.len()).all(|number| std::str::from_utf8(self.get(number as u32)).is_ok())
    }
}

/// Assigns numbers to texts in the order in which they are added.
#[derive(Debug, Default)]
pub(super) struct Interner {
    pub(super) texts: Interned,
    numbers: FxHashMap<Box<[u8]>, u32>,
}

impl Interner {
    /// Returns the number of a text.
    pub(super) fn number(&mut self, text: &[u8]) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.push(text);
        self.numbers.insert(text.into(), number);
        number
    }
}
