//! What identifies a repository among the others of this machine.

use std::path::{Path, PathBuf};

use super::Git;
use super::layout::Layout;
use crate::error::Result;

/// Returns the canonical path of the directory that all work trees of a repository share, of the
/// innermost one that contains `root`; `None` if there is none. Does not run git.
pub fn common_directory(root: &Path) -> Option<PathBuf> {
    Layout::around(root)?.common.canonicalize().ok()
}

impl Git {
    /// Returns the id of the oldest commit without parents from which HEAD descends; `None` if
    /// there is no commit, or if the clone is shallow. O(commits).
    ///
    /// # Errors
    ///
    /// As [`Git::recent`].
    pub fn first_commit(&self) -> Result<Option<String>> {
        let is_shallow = Layout::around(&self.root).is_some_and(|layout| {
            layout.common.join("shallow").metadata().is_ok_and(|shallow| shallow.len() > 0)
        });
        if is_shallow || self.commit("HEAD")?.is_none() {
            return Ok(None);
        }
        let roots = self.output("rev-list", &["--max-parents=0", "HEAD", "--"])?;
        let oldest = String::from_utf8_lossy(&roots).lines().last().map(str::to_owned);
        Ok(oldest.filter(|commit| !commit.is_empty()))
    }
}
