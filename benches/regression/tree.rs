//! The repository: revisions, what their commits say, and a folder with the files of one.
//!
//! Such a folder is no registered work tree. git writes a commit's files into it by an index of its own beside
//! it, so that a run which is interrupted leaves nothing to prune, and the next one only writes what differs:
//! cargo then builds only what changed.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository.
pub(crate) struct Repository {
    root: PathBuf,
}

impl Repository {
    /// Opens the repository that holds `root`.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub(crate) fn open(root: &Path) -> Result<Self, String> {
        let repository = Self { root: root.to_owned() };
        let root = repository.git(&["rev-parse", "--show-toplevel"])?;
        Ok(Self { root: PathBuf::from(root) })
    }

    /// Returns its work tree.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the whole hash of a revision's commit.
    ///
    /// # Errors
    ///
    /// When it names none.
    pub(crate) fn commit(&self, revision: &str) -> Result<String, String> {
        let commit = format!("{revision}^{{commit}}");
        self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])
            .map_err(|_| format!("`{revision}` is no commit of {}", self.root.display()))
    }

    /// Returns where HEAD left the main branch; on it, HEAD itself.
    ///
    /// # Errors
    ///
    /// When there is neither `origin/main` nor `main`, or they have nothing in common with HEAD.
    pub(crate) fn left_main(&self) -> Result<String, String> {
        ["origin/main", "main"]
            .iter()
            .filter_map(|branch| self.commit(branch).ok())
            .find_map(|main| self.git(&["merge-base", "HEAD", &main]).ok())
            .ok_or_else(|| "HEAD did not leave `origin/main` or `main`: name a --base".to_owned())
    }

    /// Returns the messages of the commits that `head` has and `base` does not.
    ///
    /// # Errors
    ///
    /// When git fails.
    pub(crate) fn messages(&self, base: &str, head: &str) -> Result<String, String> {
        self.git(&["log", "--format=%B", &format!("{base}..{head}"), "--"])
    }

    /// Returns when a commit was made, as ISO 8601.
    ///
    /// # Errors
    ///
    /// When git fails.
    pub(crate) fn committed(&self, commit: &str) -> Result<String, String> {
        self.git(&["log", "-1", "--format=%cI", commit, "--"])
    }

    /// Returns true if the work tree differs from HEAD in tracked files.
    ///
    /// # Errors
    ///
    /// When git fails.
    pub(crate) fn is_changed(&self) -> Result<bool, String> {
        Ok(!self.git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty())
    }

    /// Makes the folder `tree` hold the files of a commit and, of what git tracks, nothing else.
    ///
    /// # Errors
    ///
    /// When the folder cannot be made, or git fails.
    pub(crate) fn export(&self, commit: &str, tree: &Path) -> Result<(), String> {
        let fail = |error: std::io::Error| format!("{}: {error}", tree.display());
        std::fs::create_dir_all(tree).map_err(fail)?;
        let tree = tree.canonicalize().map_err(fail)?;
        let index = tree.with_extension("index");
        // Whoever held it was killed: runs exclude each other by a lock of their own.
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

/// Runs git and returns what it prints, without the line end. Variables of a hook that this may run under
/// would name another repository, and are removed.
fn output(command: &mut Command) -> Result<String, String> {
    let hooks = ["GIT_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"];
    for name in hooks {
        command.env_remove(name);
    }
    let output = command.output().map_err(|error| format!("git could not be started: {error}"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let arguments: Vec<_> = command.get_args().map(|it| it.to_string_lossy()).collect();
        return Err(format!("`git {}` failed: {}", arguments.join(" "), complaint.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}
