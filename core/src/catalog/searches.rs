//! Caches the results of the last searches, so that the next page of a search, or the same search
//! again, reads only the text that it shows.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use super::Catalog;
use crate::base::ids::FileId;

/// Maximum number of cached searches.
const SEARCHES_MAX: usize = 32;

/// Maximum number of matching files of a cached search.
const MATCHING_MAX: usize = 8192;

/// A file that matches.
#[derive(Clone, Copy, Debug)]
pub struct MatchingFile {
    /// The file defines the name that is searched.
    pub is_definer: bool,
    /// The file.
    pub file: FileId,
    /// Number of matching lines.
    pub count: usize,
}

/// The result of a search.
#[derive(Debug)]
pub struct SearchResult {
    /// The matching files, in the order of replies.
    pub matching: Vec<MatchingFile>,
    /// Number of files that may match and were not read, because there are too many.
    pub files_unread: usize,
    /// Number of files that could not be read.
    pub files_failed: usize,
    /// Number of files that may match and were not read, because enough others match.
    pub files_left: usize,
}

/// Identifies a search: its pattern, and the glob of its paths.
pub type SearchKey = ((String, [bool; 3]), Option<String>);

/// The last searches, newest first.
#[derive(Debug, Default)]
pub(super) struct SearchCache(Mutex<VecDeque<(SearchKey, Arc<SearchResult>)>>);

impl Catalog {
    /// Returns the cached result of a search. The files that it read are unchanged: after a change
    /// there is a new catalog.
    pub fn cached_search(&self, key: &SearchKey) -> Option<Arc<SearchResult>> {
        let mut cached = self.cache.searches.0.lock().ok()?;
        let at = cached.iter().position(|(other, _)| other == key)?;
        let found = cached.remove(at)?;
        let searched = Arc::clone(&found.1);
        cached.push_front(found);
        Some(searched)
    }

    /// Caches the result of a search unless it is large. All texts that it read must be those of
    /// the catalog's files ([`Catalog::text_as_listed`]).
    pub fn cache_search(&self, key: SearchKey, searched: &Arc<SearchResult>) {
        if searched.matching.len() > MATCHING_MAX {
            return;
        }
        if let Ok(mut cached) = self.cache.searches.0.lock() {
            cached.truncate(SEARCHES_MAX - 1);
            cached.push_front((key, Arc::clone(searched)));
        }
    }
}
