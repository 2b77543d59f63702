//! The repository: revisions, commit messages, and a directory with the files of a revision.
//!
//! Such a directory is not a registered work tree. git writes a commit's files into it with a
//! separate index, so that an interrupted run leaves nothing to prune, and the next run writes only
//! the differences: cargo then builds only what changed.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository.
pub(crate) struct Repository {
    root: PathBuf,
}

impl Repository {
    /// Opens the repository that contains `root`.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub(crate) fn open(root: &Path) -> Result<Self, String> {
        let repository = Self { root: root.to_owned() };
        let root = repository.git(&["rev-parse", "--show-toplevel"])?;
        Ok(Self { root: PathBuf::from(root) })
    }

    /// Returns its work tree.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the full hash of a revision's commit.
    ///
    /// # Errors
    ///
    /// If the revision does not exist.
    pub(crate) fn commit(&self, revision: &str) -> Result<String, String> {
        let commit = format!("{revision}^{{commit}}");
        self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])
            .map_err(|_| format!("`{revision}` is not a commit of {}", self.root.display()))
    }

    /// Returns the commit at which HEAD left the main branch; on that branch, HEAD itself.
    ///
    /// # Errors
    ///
    /// If there is neither `origin/main` nor `main`, or HEAD has no common ancestor with it.
    pub(crate) fn left_main(&self) -> Result<String, String> {
        ["origin/main", "main"]
            .iter()
            .filter_map(|branch| self.commit(branch).ok())
            .find_map(|main| self.git(&["merge-base", "HEAD", &main]).ok())
            .ok_or_else(|| "HEAD did not leave `origin/main` or `main`: name a --base".to_owned())
    }

    /// Returns the messages of the commits of `head` that `base` does not have.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub(crate) fn messages(&self, base: &str, head: &str) -> Result<String, String> {
        self.git(&["log", "--format=%B", &format!("{base}..{head}"), "--"])
    }

    /// Returns the date of a commit, as ISO 8601.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub(crate) fn committed(&self, commit: &str) -> Result<String, String> {
        self.git(&["log", "-1", "--format=%cI", commit, "--"])
    }

    /// Returns true if the work tree differs from HEAD in tracked files.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub(crate) fn is_changed(&self) -> Result<bool, String> {
        Ok(!self.git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty())
    }

    /// Writes the files of a commit into the directory `tree` and removes other files that git
    /// tracks there.
    ///
    /// # Errors
    ///
    /// If the directory cannot be created, or git fails.
    pub(crate) fn export(&self, commit: &str, tree: &Path) -> Result<(), String> {
        let fail = |error: std::io::Error| format!("{}: {error}", tree.display());
        std::fs::create_dir_all(tree).map_err(fail)?;
        let tree = tree.canonicalize().map_err(fail)?;
        let index = tree.with_extension("index");
        // The process that held it was killed: the bench has its own lock.
        let _ = std::fs::remove_file(tree.with_extension("index.lock"));
        let git_dir = self.git(&["rev-parse", "--absolute-git-dir"])?;
        let mut command = Command::new("git");
        command
            .arg("--git-dir")
            .arg(git_dir)
            .arg("--work-tree")
            .arg(&tree)
            .args(["read-tree", "--reset", "-u", commit])
            .current_dir(&tree)
            .env("GIT_INDEX_FILE", &index);
        output(&mut command).map(|_| ())
    }

    fn git(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new("git");
        output(command.args(arguments).current_dir(&self.root))
    }
}

/// Runs git and returns its output without the line end. Environment variables of a git hook, which
/// could name another repository, are removed.
fn output(command: &mut Command) -> Result<String, String> {
    let hooks = ["GIT_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"];
    for name in hooks {
        command.env_remove(name);
    }
    let output = command.output().map_err(|error| format!("git could not be started: {error}"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let arguments: Vec<_> = command.get_args().map(|it| it.to_string_lossy()).collect();
        return Err(format!("`git {}` failed: {}", arguments.join(" "), stderr.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}
