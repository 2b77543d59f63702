//! Matches a word with typing errors in a name: missing, extra, wrong or swapped letters.
//!
//! One machine word contains a column of the distance matrix, one bit for each letter (G. Myers, "A
//! fast bit-vector algorithm for approximate string matching based on dynamic programming", 1999;
//! with swaps as in H. Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit
//! distances", 2003). This takes a few operations per byte of the name.

/// A word of at most 64 letters.
#[derive(Debug)]
pub(super) struct Pattern {
    /// For each byte, the bit set of its positions in the word.
    places: Box<[u64; 256]>,
    len: usize,
}

impl Pattern {
    /// Compiles a word. Returns `None` if it is too long, or too short to allow errors.
    pub(super) fn new(word: &[u8]) -> Option<Pattern> {
        if word.len() > 64 || errors_max(word.len()) == 0 {
            return None;
        }
        let mut places = Box::new([0_u64; 256]);
        for (at, &byte) in word.iter().enumerate() {
            places[usize::from(byte)] |= 1 << at;
        }
        Some(Pattern { places, len: word.len() })
    }

    /// Returns the number of allowed errors: one from four letters on, two from eight.
    pub(super) fn errors_max(&self) -> u32 {
        errors_max(self.len)
    }

    /// Returns the smallest number of errors of a match anywhere in `text`, if it is allowed, and
    /// whether there is such a match at the start. O(text).
    pub(super) fn errors(&self, text: &[u8]) -> Option<(u32, bool)> {
        let anywhere = self.least(text, false);
        if anywhere > self.errors_max() {
            return None;
        }
        let max = text.len().min(self.len + self.errors_max() as usize);
        Some((anywhere, self.least(&text[..max], true) <= anywhere))
    }

    /// Returns the smallest distance over all ends in `text`, for matches from 0 or from any start.
    fn least(&self, text: &[u8], from_start: bool) -> u32 {
        let top = 1_u64 << (self.len - 1);
        let (mut rises, mut falls) = (u64::MAX, 0_u64);
        let (mut same, mut before) = (0_u64, 0_u64);
        let mut distance = self.len as u32;
        let mut least = distance;
        for &byte in text {
            let here = self.places[usize::from(byte)];
            let swapped = ((!same & here) << 1) & before;
            same = swapped | ((here & rises).wrapping_add(rises) ^ rises) | here | falls;
            let mut across_rises = falls | !(same | rises);
            let mut across_falls = same & rises;
            distance += u32::from(across_rises & top != 0);
            distance -= u32::from(across_falls & top != 0);
            least = least.min(distance);
            across_rises = across_rises << 1 | u64::from(from_start);
            across_falls <<= 1;
            rises = across_falls | !(same | across_rises);
            falls = across_rises & same;
            before = here;
        }
        least
    }
}

fn errors_max(len: usize) -> u32 {
    match len {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The distance matrix with edits and swaps of neighbours (optimal string alignment).
    fn slow(word: &[u8], text: &[u8], from_start: bool) -> u32 {
        let mut table = vec![vec![0_u32; text.len() + 1]; word.len() + 1];
        for i in 0..=word.len() {
            for j in 0..=text.len() {
                table[i][j] = match (i, j) {
                    (0, _) => {
                        if from_start {
                            j as u32
                        } else {
                            0
                        }
                    }
                    (_, 0) => i as u32,
                    _ => {
                        let wrong = u32::from(word[i - 1] != text[j - 1]);
                        let edits = (table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                        edits.min(table[i - 1][j - 1] + wrong)
                    }
                };
                if i > 1 && j > 1 && word[i - 1] == text[j - 2] && word[i - 2] == text[j - 1] {
                    table[i][j] = table[i][j].min(table[i - 2][j - 2] + 1);
                }
            }
        }
        table[word.len()].iter().copied().min().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn distances_match_the_reference(
            word in proptest::collection::vec(b'a'..=b'd', 4..12),
            text in proptest::collection::vec(b'a'..=b'd', 0..20),
            from_start: bool,
        ) {
            let pattern = Pattern::new(&word).expect("long enough");
            prop_assert_eq!(pattern.least(&text, from_start), slow(&word, &text, from_start));
        }
    }

    #[test]
    fn more_errors_are_allowed_in_longer_words() {
        let errors = |word: &str, text: &str| {
            Pattern::new(word.as_bytes()).and_then(|pattern| pattern.errors(text.as_bytes()))
        };
        assert_eq!(errors("confg", "config.rs"), Some((1, true)));
        assert_eq!(errors("cofnig", "my_config.rs"), Some((1, false)));
        assert_eq!(errors("controler", "controller.go"), Some((1, true)));
        assert_eq!(errors("xyzg", "config.rs"), None);
        assert_eq!(errors("cfg", "config.rs"), None);
        assert_eq!(errors(&"a".repeat(65), "a"), None);
        assert_eq!(errors(&"a".repeat(64), &"a".repeat(64)), Some((0, true)));
    }
}
