//! The state that all items of one search share.

use std::time::Instant;

use super::super::report::Reporter;
use super::args::SearchMode;
use super::output::Outcome;
use super::request::Request;
use super::worker::WorkerParts;

/// What the search of every item needs.
pub(crate) struct SearchJob<'a> {
    pub(crate) request: &'a Request,
    pub(crate) mode: SearchMode,
    pub(crate) reporter: &'a Reporter,
    pub(crate) parts: &'a WorkerParts,
    /// The start of the search, for the totals.
    pub(crate) started: Instant,
    /// The number of files that are not read because they cannot match, according to the index.
    pub(crate) unread: u64,
}

impl SearchJob<'_> {
    /// Returns the outcome for the files that are not read.
    pub(crate) fn outcome(&self) -> Outcome {
        let mut outcome = Outcome::new(self.request);
        outcome.searched = self.unread > 0;
        if let Some(stats) = &mut outcome.stats {
            stats.add_searches(self.unread);
        }
        outcome
    }
}
