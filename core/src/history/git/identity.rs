//! What identifies a repository among the others of this machine.

use std::path::{Path, PathBuf};

use super::Git;
use super::layout::Layout;
use crate::base::text;
use crate::error::{Error, Result};

/// Returns the canonical path of the directory that all work trees of a repository share, of the
/// innermost one that contains `root`; `None` if there is none. Does not run git.
pub fn common_directory(root: &Path) -> Option<PathBuf> {
    Layout::around(root)?.common.canonicalize().ok()
}

impl Git {
    /// Returns the value of `core.hooksPath` in the configuration of the user or the repository;
    /// `None` if it is not set.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`].
    pub fn hooks_path(&self) -> Result<Option<String>> {
        let args = ["-z", "--show-scope", "--get-all", "core.hooksPath"];
        let output = self.run("config", &args)?;
        if output.code != Some(0) {
            return Ok(None);
        }
        let words: Vec<&[u8]> = super::fields(&output.answer).collect();
        // The override of every call has the scope `command`.
        let set = words.chunks(2).rfind(|pair| pair[0] != b"command");
        Ok(set.and_then(|pair| Some(String::from_utf8_lossy(pair.get(1)?).into_owned())))
    }

    /// Returns true if the clone is shallow: it lacks the parents of some commits. Does not run git.
    pub fn is_shallow(&self) -> bool {
        Layout::around(&self.root).is_some_and(|layout| {
            layout.common.join("shallow").metadata().is_ok_and(|shallow| shallow.len() > 0)
        })
    }

    /// Checks that HEAD is a branch without commits, for a HEAD that denotes no commit: git treats a
    /// damaged branch like a missing one.
    ///
    /// # Errors
    ///
    /// If HEAD or its branch is damaged, and as [`Git::recent`].
    pub fn check_unborn(&self) -> Result<()> {
        let output = self.output("symbolic-ref", &["HEAD"])?;
        let name = String::from_utf8_lossy(output.trim_ascii()).into_owned();
        if self.run("check-ref-format", &[&name])?.code != Some(0) {
            return Err(super::failed("rev-parse", "HEAD is damaged: it names no valid branch"));
        }
        let is_there = Layout::around(&self.root)
            .is_some_and(|layout| layout.common.join(&name).symlink_metadata().is_ok());
        if is_there {
            let name = text::plain(&name);
            return Err(super::failed("rev-parse", &format!("the branch `{name}` is damaged")));
        }
        Ok(())
    }

    /// Returns the error about a name that is no commit of the repository.
    pub fn no_commit(&self, name: &str) -> Error {
        let name = text::plain(text::start(name, 80));
        let error = Error::usage(format!("`{name}` is not a commit"))
            .with_code("unknown_ref")
            .with_hint("name a branch, a tag or a hash");
        if self.is_shallow() {
            error.with_hint("the clone is shallow; `git fetch --unshallow` adds older commits")
        } else {
            error
        }
    }

    /// Returns the id of the oldest commit without parents from which HEAD descends; `None` if
    /// there is no commit, or if the clone is shallow. O(commits).
    ///
    /// # Errors
    ///
    /// As [`Git::recent`].
    pub fn first_commit(&self) -> Result<Option<String>> {
        if self.is_shallow() || self.commit("HEAD")?.is_none() {
            return Ok(None);
        }
        let roots = self.output("rev-list", &["--max-parents=0", "HEAD", "--"])?;
        let oldest = String::from_utf8_lossy(&roots).lines().last().map(str::to_owned);
        Ok(oldest.filter(|commit| !commit.is_empty()))
    }
}
