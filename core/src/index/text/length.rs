//! Lengths of documents by field, one byte each: exact up to 127 words, in steps of 16 above.
//!
//! Lengths of edited files are rounded in memory as on disk, and averages use rounded lengths.
//! Otherwise a rebuild would change the ranking.

use super::FIELDS;

const EXACT_MAX: u32 = 127;
const STEP: u32 = 16;

/// A rounded number of words.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Length(pub u8);

impl Length {
    /// Rounds `words` down.
    pub fn new(words: u32) -> Length {
        let code = match words {
            0..=EXACT_MAX => words,
            _ => EXACT_MAX + 1 + (words - EXACT_MAX - 1) / STEP,
        };
        Length(u8::try_from(code).unwrap_or(u8::MAX))
    }

    /// Returns the number of words.
    pub fn words(self) -> u32 {
        let code = u32::from(self.0);
        match code {
            0..=EXACT_MAX => code,
            _ => EXACT_MAX + 1 + (code - EXACT_MAX - 1) * STEP,
        }
    }
}

/// Lengths of one document, by [`super::Field::index`].
pub type Lengths = [Length; FIELDS];

/// The number of documents and their total lengths.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Totals {
    /// Documents.
    pub documents: u64,
    /// Total words of each field.
    pub words: [u64; FIELDS],
}

impl Totals {
    /// Counts a document.
    pub fn add(&mut self, lengths: &Lengths) {
        self.documents += 1;
        for (total, length) in self.words.iter_mut().zip(lengths) {
            *total += u64::from(length.words());
        }
    }

    /// Removes a counted document.
    pub fn remove(&mut self, lengths: &Lengths) {
        self.documents = self.documents.saturating_sub(1);
        for (total, length) in self.words.iter_mut().zip(lengths) {
            *total = total.saturating_sub(u64::from(length.words()));
        }
    }

    /// Returns the average length of a field, or 1 if it has no words.
    pub fn average(&self, field: usize) -> f32 {
        match (self.words[field], self.documents) {
            (0, _) | (_, 0) => 1.0,
            (words, documents) => (words as f64 / documents as f64) as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_rounded_once() {
        for words in 0..4000 {
            let length = Length::new(words);
            assert!(length.words() <= words);
            assert_eq!(Length::new(length.words()), length, "{words}");
        }
        assert_eq!(Length::new(100).words(), 100);
        assert_eq!(Length::new(1000).words(), 992);
        assert_eq!(Length::new(u32::MAX), Length(u8::MAX));
    }

    #[test]
    fn totals_exclude_removed_documents() {
        let (a, b) = ([Length(3); FIELDS], [Length(200); FIELDS]);
        let mut totals = Totals::default();
        totals.add(&a);
        let before = totals;
        totals.add(&b);
        totals.remove(&b);
        assert_eq!(totals, before);
        assert_eq!(totals.average(0), 3.0);
        assert_eq!(Totals::default().average(0), 1.0);
    }
}
