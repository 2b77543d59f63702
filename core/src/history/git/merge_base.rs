//! The commit at which a branch left the main one.

use super::Git;
use crate::error::Result;
use crate::history::CommitId;

/// Names of the main branch, the most specific first.
const MAIN: [&str; 5] = ["origin/HEAD", "origin/main", "origin/master", "main", "master"];

impl Git {
    /// Returns the full id of the newest common ancestor of HEAD and the main branch, which is HEAD
    /// itself on the main branch and where there is none; `None` without commits.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`].
    pub fn branch_point(&self) -> Result<Option<String>> {
        let Some(head) = self.commit("HEAD")? else { return Ok(None) };
        for name in MAIN {
            let Some(main) = self.commit(name)? else { continue };
            // Exits with 1 if the two have no common ancestor, as in a shallow clone.
            let output = self.run("merge-base", &[head.as_str(), main.as_str()])?;
            let base = String::from_utf8_lossy(output.answer.trim_ascii()).into_owned();
            if output.code == Some(0) && !base.is_empty() {
                return Ok(Some(base));
            }
        }
        Ok(Some(head))
    }

    /// Returns the full id of the newest common ancestor of HEAD and a commit; the commit itself if
    /// they have none, as in a shallow clone.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`].
    pub fn merge_base(&self, commit: &str) -> Result<String> {
        let output = self.run("merge-base", &["HEAD", commit])?;
        let base = String::from_utf8_lossy(output.answer.trim_ascii()).into_owned();
        let is_found = output.code == Some(0) && !base.is_empty();
        Ok(if is_found { base } else { commit.to_owned() })
    }

    /// Returns the commits of HEAD that a commit does not have, newest first: those of a branch that left it.
    /// At most 10,000. Time is that of `git rev-list`.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`]; also if the commit does not exist.
    pub fn commits_since(&self, commit: &str) -> Result<Vec<CommitId>> {
        let output = self.output(
            "rev-list",
            &["--max-count=10000", "--end-of-options", "HEAD", &format!("^{commit}")],
        )?;
        let ids = output.split(|&byte| byte == b'\n');
        Ok(ids.filter_map(CommitId::parse).collect())
    }
}
