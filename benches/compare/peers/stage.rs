//! The copied tree: exactly the files that ripgrep searches, in a new git work tree.
//!
//! This way every program searches the same files, however it treats hidden, ignored and untracked
//! ones, and codegraph, which writes its index into the tree, writes into the copy.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::super::ends::Ends;
use super::super::options::Options;
use super::super::process::Job;
use super::super::tree::Tree;
use super::programs::{Program, Programs};

/// A copy of a tree, with a directory for indexes.
pub(crate) struct Stage {
    /// The copy. Its index directory is outside of the tree.
    pub(crate) tree: Tree,
    /// The name in the tables.
    pub(crate) name: String,
    /// The directory of the peers' indexes.
    pub(crate) dir: PathBuf,
    /// The regex flag of `git grep`: PCRE (`-P`) is several times faster than `-E`, but not every
    /// git supports it.
    pub(crate) git_syntax: &'static str,
}

impl Stage {
    /// Copies the files of `root` below the scratch directory and adds them to git.
    ///
    /// `number` distinguishes trees of the same name.
    pub(crate) fn set(
        options: &Options,
        programs: &Programs,
        root: &Path,
        number: usize,
    ) -> Result<Self, String> {
        let source = Tree::open(options, root)?;
        let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if source.files.is_empty() {
            return Err("ripgrep lists no file in it".into());
        }
        // The programs print and store the resolved path, so the resolved path is used.
        let dir = options.scratch.path().join("peers").join(format!("{number}-{name}"));
        let fail = |error| format!("{}: {error}", dir.display());
        let dir = fs::create_dir_all(&dir).and_then(|()| dir.canonicalize()).map_err(fail)?;
        let copy = dir.join("tree");
        for file in &source.files {
            let target = copy.join(file);
            let fail = |error| format!("{}: {error}", target.display());
            fs::create_dir_all(target.parent().expect("it is below the copy")).map_err(fail)?;
            fs::copy(root.join(file), &target).map_err(fail)?;
        }
        let mut git_syntax = "-E";
        if let Some(git) = programs.path(Program::GitGrep) {
            let as_it_is = ["-c", "core.autocrlf=false", "-c", "core.safecrlf=false"];
            for args in [&["init", "--quiet"][..], &["add", "--all", "--force", "."]] {
                let mut job = git_job(git, &copy, as_it_is.iter().chain(args));
                job.ends = Ends::Zero;
                job.run()?.answered(&job)?;
            }
            let probe = git_job(git, &copy, ["grep", "-q", "-P", "-e", "[a-z]"]);
            if probe.run()?.answered(&probe).is_ok() {
                git_syntax = "-P";
            }
        }
        let mut tree = Tree::open(options, &copy)?;
        tree.index_dir = dir.join("codedb");
        if tree.files != source.files {
            return Err("ripgrep does not see the same files in the copy".into());
        }
        Ok(Self { tree, name, dir, git_syntax })
    }
}

/// Returns a call of git without the system's and the user's settings.
pub(super) fn git_job(
    git: &Path,
    copy: &Path,
    args: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Job {
    let mut job = Job::new(git, copy, args);
    job.envs.push(("GIT_CONFIG_NOSYSTEM", "1".into()));
    job.envs.push(("GIT_CONFIG_GLOBAL", "/dev/null".into()));
    job
}
