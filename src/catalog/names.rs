//! The names of all definitions, ready for look-ups of names half remembered.

use std::collections::BTreeSet;

use crate::base::path;
use crate::query::fuzzy::PathIndex;

/// Every name that is defined, once. Immutable.
#[derive(Debug)]
pub struct Names {
    names: Vec<Vec<u8>>,
    index: PathIndex,
}

impl Names {
    /// Makes names ready. O(n log n).
    pub(super) fn new(names: BTreeSet<Vec<u8>>) -> Names {
        let mut names: Vec<Vec<u8>> = names.into_iter().collect();
        names.sort_by(|a, b| path::compare(a, b));
        let index = PathIndex::new(names.iter().map(|name| (name.as_slice(), 0)));
        Names { names, index }
    }

    /// Returns the index; its places are those of [`Names::get`].
    pub fn index(&self) -> &PathIndex {
        &self.index
    }

    /// Returns the `at`th name, empty where there are not as many.
    pub fn get(&self, at: usize) -> &[u8] {
        self.names.get(at).map(Vec::as_slice).unwrap_or_default()
    }
}
