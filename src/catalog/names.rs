//! An index of the names of all definitions, for look-ups of partial or misspelled names.

use std::collections::BTreeSet;

use crate::base::path;
use crate::query::fuzzy::PathIndex;

/// Every defined name, once. Immutable.
#[derive(Debug)]
pub struct Names {
    names: Vec<Vec<u8>>,
    index: PathIndex,
}

impl Names {
    /// Indexes names. O(n log n).
    pub(super) fn new(names: BTreeSet<Vec<u8>>) -> Names {
        let mut names: Vec<Vec<u8>> = names.into_iter().collect();
        names.sort_by(|a, b| path::compare(a, b));
        let index = PathIndex::new(names.iter().map(|name| (name.as_slice(), 0)));
        Names { names, index }
    }

    /// Returns the index; its entries have the order of [`Names::get`].
    pub fn index(&self) -> &PathIndex {
        &self.index
    }

    /// Returns the `at`th name; empty if there is none.
    pub fn get(&self, at: usize) -> &[u8] {
        self.names.get(at).map(Vec::as_slice).unwrap_or_default()
    }
}
