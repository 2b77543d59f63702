//! What git knows: which commits touched which files. Absent where the tree is in no repository.
//!
//! [`mod@git`] runs git, [`read`] makes a [`log`] of what it tells or brings one up to date,
//! [`store`] keeps it in the index directory, and [`History`] answers questions about it. See
//! docs/history.md.

pub mod files;
pub mod git;
pub mod id;
pub mod log;
pub mod read;
pub mod store;
pub mod subjects;

use std::sync::OnceLock;

pub use files::Decay;
pub use log::{Commit, Log};
pub use subjects::{FileHit, Parameters};

use files::Files;
use subjects::Subjects;

use crate::index::text::Query;

/// The log of HEAD, and what was worked out of it when it was first asked for.
#[derive(Debug)]
pub struct History {
    log: Log,
    files: OnceLock<Files>,
    subjects: OnceLock<Subjects>,
}

impl History {
    /// Returns the history that `log` tells. O(1).
    pub fn new(log: Log) -> History {
        History { log, files: OnceLock::new(), subjects: OnceLock::new() }
    }

    /// Returns the commits.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Returns the files that the commits with the best subjects for `query` changed, the best first
    /// with a score of 1, each under the name that it has now; only paths that `is_there` accepts,
    /// files of one score in the order of their paths. O(postings of the terms + commits), and the
    /// first time O(log).
    pub fn rank<'a>(
        &'a self,
        query: &Query,
        parameters: &Parameters,
        is_there: impl Fn(&[u8]) -> bool,
    ) -> Vec<FileHit<'a>> {
        let best = self.subjects().best(&self.log, query, parameters);
        self.files().hits(&self.log, &best, parameters, is_there)
    }

    /// Returns how recently a file changed, from 1 (with HEAD) down to 0 (long ago, or never), under
    /// whatever name it then had.
    pub fn recency(&self, path: &[u8], decay: Decay) -> f64 {
        self.files().recency(&self.log, path, decay)
    }

    /// Returns the files that change together with one, the one that does most often first, each
    /// with the part of that one's commits that changed it, too (0 to 1), which counts less the
    /// fewer these are. See [`files`] for its bounds.
    pub fn changed_with(&self, path: &[u8]) -> Vec<(&[u8], f64)> {
        self.files().changed_with(&self.log, path)
    }

    fn files(&self) -> &Files {
        self.files.get_or_init(|| Files::new(&self.log))
    }

    fn subjects(&self) -> &Subjects {
        self.subjects.get_or_init(|| Subjects::new(&self.log))
    }
}

#[cfg(test)]
mod tests;
