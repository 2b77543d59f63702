//! Checks out commits other than HEAD into separate directories, and reads the messages and changes
//! of commits.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use super::{Git, fields};
use crate::base::path::to_path;
use crate::base::text;
use crate::error::{Error, Kind, Result};

/// The time limit of a checkout, which may write all files of a large tree.
const CHECKOUT_PATIENCE: Duration = Duration::from_secs(600);

/// A commit with its message.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Message {
    /// Its full id.
    pub id: String,
    /// Its parent.
    pub parent: String,
    /// Its message.
    pub text: String,
    /// The paths that it adds, changes or removes, each with git's status letter. A renamed file is
    /// removed under one path and added under another.
    pub changes: Vec<(u8, Vec<u8>)>,
}

impl Git {
    /// Creates a repository in the empty directory `dir` that shares the commits of this one
    /// without a copy and has no work tree yet. Nothing is written into this repository.
    ///
    /// # Errors
    ///
    /// If git fails, or the directory cannot be written.
    pub fn share(&self, dir: &Path) -> Result<Git> {
        let git = Git::at(dir, CHECKOUT_PATIENCE);
        let format = self.output("rev-parse", &["--show-object-format"])?;
        let format = String::from_utf8_lossy(format.trim_ascii()).into_owned();
        let format = format!("--object-format={format}");
        git.output("init", &["--quiet", "--template=", &format, "."])?;
        let objects =
            self.output("rev-parse", &["--path-format=absolute", "--git-path", "objects"])?;
        let path = dir.join(".git/objects/info/alternates");
        let write = || {
            std::fs::create_dir_all(dir.join(".git/objects/info"))?;
            std::fs::write(&path, &objects)?;
            // Attributes in commits can select programs of the user's configuration.
            std::fs::create_dir_all(dir.join(".git/info"))?;
            std::fs::write(dir.join(".git/info/attributes"), "* -filter -ident\n")
        };
        write().map_err(|error| Error::io(&path, error))?;
        Ok(git)
    }

    /// Checks `commit` out. O(files that differ).
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn check_out(&self, commit: &str) -> Result<()> {
        let Some(commit) = self.commit(commit)? else {
            let message = format!("`{}` is not a commit of this repository", text::plain(commit));
            return Err(Error::new(Kind::NotFound, message));
        };
        // An interrupted run leaves the lock file; no other process uses this directory.
        drop(std::fs::remove_file(self.root.join(".git/index.lock")));
        let checkout = ["--quiet", "--force", "--detach", &commit];
        self.output("checkout", &checkout).map(drop)
    }

    /// Checks out the files of `commit` while HEAD is its first parent, so that its changes are not
    /// committed. O(files that differ).
    ///
    /// # Errors
    ///
    /// If git fails, or the commit has no parent.
    pub fn uncommit(&self, commit: &str) -> Result<()> {
        self.check_out(commit)?;
        let Some(parent) = self.commit("HEAD^")? else {
            let message = format!("`{}` has no parent to compare with", text::plain(commit));
            return Err(Error::new(Kind::NotFound, message));
        };
        self.output("reset", &["--quiet", "--soft", &parent]).map(drop)
    }

    /// Returns commits by their time, oldest first.
    ///
    /// # Errors
    ///
    /// If git fails, or one of the ids denotes no commit.
    pub fn oldest_first(&self, ids: &[&str]) -> Result<Vec<String>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut args = vec!["--no-walk=sorted", "--reverse", "--end-of-options"];
        args.extend(ids);
        let answer = self.output("rev-list", &args)?;
        Ok(String::from_utf8_lossy(&answer).lines().map(str::to_owned).collect())
    }

    /// Returns the newest non-merge ancestors of HEAD that have a parent, newest first.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn messages(&self, commits_max: usize) -> Result<Vec<Message>> {
        let count = format!("--max-count={commits_max}");
        let args = [
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--no-merges",
            "--no-renames",
            "--name-status",
            "-z",
            "--format=%x01%H %P%x00%B%x00",
            &count,
            "HEAD",
        ];
        Ok(messages(&self.output("log", &args)?))
    }

    /// Returns the difference of `commit` from its parent at `paths`, as a patch without context
    /// lines.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn patch(&self, parent: &str, commit: &str, paths: &[&[u8]]) -> Result<Vec<u8>> {
        let flags =
            ["--no-ext-diff", "--no-textconv", "--no-renames", "-p", "-U0", parent, commit, "--"];
        let mut args: Vec<OsString> = flags.map(OsString::from).to_vec();
        args.extend(paths.iter().map(|path| to_path(path).into_os_string()));
        self.output("diff-tree", &args)
    }
}

/// Parses the output that [`Git::messages`] requests.
fn messages(answer: &[u8]) -> Vec<Message> {
    let mut commits: Vec<Message> = Vec::new();
    let mut fields = fields(answer).peekable();
    while let Some(field) = fields.next() {
        let field = field.strip_prefix(b"\n").unwrap_or(field);
        if let Some(names) = field.strip_prefix(b"\x01") {
            let names = String::from_utf8_lossy(names);
            let (id, parent) = names.split_once(' ').unwrap_or((&names, ""));
            let is_message = |field: &&[u8]| !field.starts_with(b"\x01");
            let message = fields.next_if(is_message).unwrap_or_default();
            commits.push(Message {
                id: id.to_owned(),
                parent: parent.to_owned(),
                text: String::from_utf8_lossy(message).into_owned(),
                changes: Vec::new(),
            });
        } else if let (Some(commit), [status]) = (commits.last_mut(), field) {
            let path = fields.next().unwrap_or_default();
            commit.changes.push((*status, path.to_vec()));
        }
    }
    // Commits without a parent change no existing file.
    commits.retain(|commit| !commit.parent.is_empty());
    commits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_read_with_their_messages() {
        let log =
            b"\x01aa bb\0fix: x\n\nbody\n\0\0M\0a.rs\0D\0b\0\0\x01bb cc\0y\0\0A\0c\0\0\x01cc \0z\0";
        let found = messages(log);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].id.as_str(), found[0].parent.as_str()), ("aa", "bb"));
        assert_eq!(found[0].text, "fix: x\n\nbody\n");
        assert_eq!(found[0].changes, [(b'M', b"a.rs".to_vec()), (b'D', b"b".to_vec())]);
        assert_eq!(found[1].changes, [(b'A', b"c".to_vec())]);
    }
}
