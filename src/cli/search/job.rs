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
    /// For the totals.
    pub(crate) started: Instant,
    /// Files that need not be read, since the index knows that they cannot match.
    pub(crate) unread: u64,
}

impl SearchJob<'_> {
    /// Returns the outcome of what was decided without reading.
    pub(crate) fn outcome(&self) -> Outcome {
        let mut outcome = Outcome::new(self.request);
        outcome.searched = self.unread > 0;
        if let Some(stats) = &mut outcome.stats {
            stats.add_searches(self.unread);
        }
        outcome
    }
}
