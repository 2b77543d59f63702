//! What the last searches of the files of a catalog found, so that the next page of one, or the same asked
//! again, by one client or another, reads nothing but what it shows.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use super::Catalog;
use crate::base::ids::FileId;

/// Searches that are kept.
const SEARCHES_MAX: usize = 32;

/// Files that a search found which is kept.
const MATCHING_MAX: usize = 8192;

/// A file that matches.
#[derive(Clone, Copy, Debug)]
pub struct Matching {
    /// It defines what is looked for.
    pub is_definer: bool,
    /// The file.
    pub file: FileId,
    /// How many of its lines match.
    pub count: usize,
}

/// What a search found.
#[derive(Debug)]
pub struct Searched {
    /// The files that match, in the order of replies.
    pub matching: Vec<Matching>,
    /// How many files may match and were not read, since there are too many.
    pub files_unread: usize,
    /// How many could not be read.
    pub files_failed: usize,
}

/// What tells a search from every other one: its pattern, and the glob of its paths.
pub type Key = ((String, [bool; 3]), Option<String>);

/// The last searches, the newest first.
#[derive(Debug, Default)]
pub(super) struct Searches(Mutex<VecDeque<(Key, Arc<Searched>)>>);

impl Catalog {
    /// Returns what a search found, if it was among the last. The files that it read have not changed since:
    /// where one has, there is another catalog.
    pub fn searched(&self, key: &Key) -> Option<Arc<Searched>> {
        let mut kept = self.memory.searches.0.lock().ok()?;
        let at = kept.iter().position(|(other, _)| other == key)?;
        let found = kept.remove(at)?;
        let searched = Arc::clone(&found.1);
        kept.push_front(found);
        Some(searched)
    }

    /// Keeps what a search found, unless that is much. All that it read must be what the catalog's files
    /// hold ([`Catalog::text_as_listed`]).
    pub fn keep_searched(&self, key: Key, searched: &Arc<Searched>) {
        if searched.matching.len() > MATCHING_MAX {
            return;
        }
        if let Ok(mut kept) = self.memory.searches.0.lock() {
            kept.truncate(SEARCHES_MAX - 1);
            kept.push_front((key, Arc::clone(searched)));
        }
    }
}
