//! The messages and the patches of commits, as text.

use std::ffi::OsString;

use super::{Git, fields};
use crate::base::path::to_path;
use crate::error::Result;
use crate::history::id::CommitId;

impl Git {
    /// Returns the full messages of commits, in git's order. One git process.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`]; also if a commit is missing.
    pub fn messages_of(&self, commits: &[CommitId]) -> Result<Vec<(CommitId, String)>> {
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let args =
            ["--no-walk=unsorted", "--stdin", "--no-color", "--no-notes", "--format=%H%x00%B%x00"];
        let input: String = commits.iter().map(|id| format!("{id}\n")).collect();
        let answer = self.output_of("log", &args, input.as_bytes())?;
        let mut words = fields(&answer);
        let mut found = Vec::new();
        while let Some(id) = words.next() {
            let Some(id) = CommitId::parse(id.trim_ascii()) else { continue };
            let message = words.next().unwrap_or_default();
            found.push((id, String::from_utf8_lossy(message).into_owned()));
        }
        Ok(found)
    }

    /// Returns the changes that a commit made to the files at `paths`, as a patch without context
    /// lines; empty for a merge. One git process.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`]; [`crate::Kind::Limit`] if the patch has more than 64 MiB.
    pub fn patch_text(&self, commit: CommitId, paths: &[Vec<u8>]) -> Result<Vec<u8>> {
        let fixed = [
            "-r",
            "-p",
            "-U0",
            "-M",
            "--root",
            "--no-commit-id",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "-O/dev/null",
            "--relative",
        ];
        let mut args: Vec<OsString> = fixed.map(OsString::from).to_vec();
        args.extend([commit.to_string().into(), OsString::from("--")]);
        args.extend(paths.iter().map(|path| to_path(path).into_os_string()));
        self.output("diff-tree", &args)
    }

    /// Returns the former paths of the file at a repository path as `git log --follow` finds them, the
    /// latest first, relative to the root. Copies are left out. Time is that of git: O(commits).
    ///
    /// # Errors
    ///
    /// As [`Git::recent`].
    pub fn follow(&self, path: &[u8]) -> Result<Vec<Vec<u8>>> {
        let fixed = [
            "--follow",
            "--name-status",
            "-z",
            "--relative",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--format=",
            "HEAD",
            "--",
        ];
        let mut args: Vec<OsString> = fixed.map(OsString::from).to_vec();
        args.push(to_path(path).into_os_string());
        let answer = self.output("log", &args)?;
        let mut words = fields(&answer).map(<[u8]>::trim_ascii_start);
        let (mut found, mut copied) = (Vec::new(), false);
        while let Some(status) = words.next() {
            let source = words.next().unwrap_or_default();
            match status.first() {
                Some(b'R') => {
                    words.next();
                    if !copied && source != path && !found.iter().any(|it| it == source) {
                        found.push(source.to_vec());
                    }
                }
                Some(b'C') => {
                    // From here on, git follows the source of the copy.
                    words.next();
                    copied = true;
                }
                _ => {}
            }
        }
        Ok(found)
    }
}
