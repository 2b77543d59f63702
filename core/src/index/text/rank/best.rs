//! Selects the best of many candidates. Ties are broken by path and position in the file.

/// A file of the base index or an edited file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Place {
    /// The file of this number in the base index.
    Base(usize),
    /// An edited file.
    Edited {
        /// The number of files of the base index that sort before it.
        slot: usize,
        /// Its index among the edited files.
        file: usize,
    },
}

impl Place {
    /// Returns a key that orders files by path. The base version of an edited file is masked.
    fn key(self) -> (usize, usize) {
        match self {
            Place::Base(file) => (2 * file + 1, 0),
            Place::Edited { slot, file } => (2 * slot, file),
        }
    }
}

/// A scored chunk or file.
#[derive(Clone, Debug)]
pub(super) struct Candidate<T> {
    pub(super) score: f32,
    pub(super) place: Place,
    pub(super) ordinal: usize,
    pub(super) what: T,
}

impl<T> Candidate<T> {
    /// Orders the best first.
    fn compare(&self, other: &Candidate<T>) -> std::cmp::Ordering {
        let key = |candidate: &Candidate<T>| (candidate.place.key(), candidate.ordinal);
        other.score.total_cmp(&self.score).then_with(|| key(self).cmp(&key(other)))
    }
}

/// Keeps the best `k` of the pushed candidates, in O(k) memory.
#[derive(Debug)]
pub(super) struct Best<T> {
    k: usize,
    found: Vec<Candidate<T>>,
    /// Once there are `k` candidates, lower scores are dropped.
    floor: f32,
}

impl<T> Best<T> {
    pub(super) fn new(k: usize) -> Best<T> {
        Best { k, found: Vec::new(), floor: f32::NEG_INFINITY }
    }

    /// Returns true if a candidate with this score would be dropped.
    pub(super) fn is_below(&self, score: f32) -> bool {
        score < self.floor
    }

    #[inline]
    pub(super) fn push(&mut self, score: f32, place: Place, ordinal: usize, what: T) {
        if !self.is_below(score) && self.k > 0 {
            self.add(score, place, ordinal, what);
        }
    }

    fn add(&mut self, score: f32, place: Place, ordinal: usize, what: T) {
        self.found.push(Candidate { score, place, ordinal, what });
        if self.found.len() >= self.k.saturating_mul(2).saturating_add(64) {
            self.found.select_nth_unstable_by(self.k - 1, Candidate::compare);
            self.found.truncate(self.k);
            self.floor = self.found[self.k - 1].score;
        }
    }

    /// Returns the best candidates, best first.
    pub(super) fn finish(mut self) -> Vec<Candidate<T>> {
        self.found.sort_unstable_by(Candidate::compare);
        self.found.truncate(self.k);
        self.found
    }
}
