//! The history of a tree: which commits changed which files. A tree outside a git repository has
//! none.
//!
//! [`mod@git`] runs git, [`read`] builds a [`log`] from its output or updates one, [`store`] keeps
//! the log in the index directory, and [`History`] answers queries about it. See docs/history.md.

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

/// The log of HEAD, and data derived from it on first use.
#[derive(Debug)]
pub struct History {
    log: Log,
    files: OnceLock<Files>,
    subjects: OnceLock<Subjects>,
}

impl History {
    /// Returns the history of `log`. O(1).
    pub fn new(log: Log) -> History {
        History { log, files: OnceLock::new(), subjects: OnceLock::new() }
    }

    /// Returns the commits.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Returns the files changed by the commits whose subjects match `query` best. The best file
    /// comes first and has a score of 1; files of one score are in the order of their paths. Each
    /// file has its present name; only paths that `is_there` accepts are returned. O(postings of
    /// the terms + commits), and O(log) the first time.
    pub fn rank<'a>(
        &'a self,
        query: &Query,
        parameters: &Parameters,
        is_there: impl Fn(&[u8]) -> bool,
    ) -> Vec<FileHit<'a>> {
        let best = self.subjects().best(&self.log, query, parameters);
        self.files().hits(&self.log, &best, parameters, is_there)
    }

    /// Returns how recently a file changed, under any of its names: from 1 (in HEAD's commit) down
    /// to 0 (long ago, or never).
    pub fn recency(&self, path: &[u8], decay: Decay) -> f64 {
        self.files().recency(&self.log, path, decay)
    }

    /// Returns the files that change together with `path`, most frequent first. Each has the share
    /// (0 to 1) of the commits of `path` that changed it as well, which is damped where these
    /// commits are few. See [`files`] for the bounds.
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
