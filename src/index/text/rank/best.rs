//! The best few of many candidates, ties falling to the path and the place in the file.

/// Where a file is: in the index, or among the edited ones.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Place {
    /// The index's file of that number.
    Base(usize),
    /// The edited file of that number, before which `slot` files of the index come.
    Edited {
        /// See above.
        slot: usize,
        /// See above.
        file: usize,
    },
}

impl Place {
    /// Orders files by their paths. An edited file's own version in the index is masked.
    fn key(self) -> (usize, usize) {
        match self {
            Place::Base(file) => (2 * file + 1, 0),
            Place::Edited { slot, file } => (2 * slot, file),
        }
    }
}

/// Something with a score.
#[derive(Clone, Debug)]
pub(super) struct Candidate<T> {
    pub(super) score: f32,
    pub(super) place: Place,
    pub(super) ordinal: usize,
    pub(super) what: T,
}

impl<T> Candidate<T> {
    /// Best first.
    fn compare(&self, other: &Candidate<T>) -> std::cmp::Ordering {
        let key = |candidate: &Candidate<T>| (candidate.place.key(), candidate.ordinal);
        other.score.total_cmp(&self.score).then_with(|| key(self).cmp(&key(other)))
    }
}

/// Keeps the best `k` of what is pushed, in memory of O(k).
#[derive(Debug)]
pub(super) struct Best<T> {
    k: usize,
    found: Vec<Candidate<T>>,
    /// No more than this is among the best, once there are `k`.
    floor: f32,
}

impl<T> Best<T> {
    pub(super) fn new(k: usize) -> Best<T> {
        Best { k, found: Vec::new(), floor: f32::NEG_INFINITY }
    }

    pub(super) fn push(&mut self, score: f32, place: Place, ordinal: usize, what: T) {
        if score < self.floor || self.k == 0 {
            return;
        }
        self.found.push(Candidate { score, place, ordinal, what });
        if self.found.len() >= self.k.saturating_mul(2).saturating_add(64) {
            self.found.select_nth_unstable_by(self.k - 1, Candidate::compare);
            self.found.truncate(self.k);
            self.floor = self.found[self.k - 1].score;
        }
    }

    /// Returns the best, best first.
    pub(super) fn finish(mut self) -> Vec<Candidate<T>> {
        self.found.sort_unstable_by(Candidate::compare);
        self.found.truncate(self.k);
        self.found
    }
}
