//! A fixed-size set of small numbers.

/// A set of numbers below a bound, one bit each.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// Returns an empty set of numbers below `len`.
    pub fn new(len: usize) -> Bits {
        Bits { words: vec![0; len.div_ceil(64)] }
    }

    /// Adds `number`.
    ///
    /// # Panics
    ///
    /// If `number` is beyond the bound, rounded up to a multiple of 64.
    pub fn insert(&mut self, number: usize) {
        self.words[number / 64] |= 1 << (number % 64);
    }

    /// Adds `number` and returns true if it was not in the set.
    ///
    /// # Panics
    ///
    /// As [`Bits::insert`].
    pub fn insert_new(&mut self, number: usize) -> bool {
        let (word, bit) = (&mut self.words[number / 64], 1 << (number % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Removes every number. O(bound / 64).
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Adds every number below `len`.
    ///
    /// # Panics
    ///
    /// If `len` is beyond the bound, rounded up to a multiple of 64.
    pub fn insert_all(&mut self, len: usize) {
        self.words[..len / 64].fill(u64::MAX);
        if !len.is_multiple_of(64) {
            self.words[len / 64] |= (1 << (len % 64)) - 1;
        }
    }

    /// Returns true if `number` is in the set; false beyond the bound.
    pub fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Returns the number of members. O(bound / 64).
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the members, ascending. O(bound / 64 + members).
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            std::iter::successors((word != 0).then_some(word), |&rest| {
                let rest = rest & (rest - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |rest| i * 64 + rest.trailing_zeros() as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn members_come_back_in_order() {
        let mut bits = Bits::new(200);
        for number in [199, 0, 64, 63, 128] {
            bits.insert(number);
        }
        bits.insert(64);
        assert_eq!(bits.iter().collect::<Vec<_>>(), [0, 63, 64, 128, 199]);
        assert!(bits.contains(63) && !bits.contains(62) && !bits.contains(4000));
        assert_eq!(bits.count(), 5);
        bits.insert_all(130);
        assert_eq!(bits.count(), 131);
    }
}
