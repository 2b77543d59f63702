//! The trial tree: a copy of exactly the files that ripgrep searches, in a git work tree of its own.
//!
//! So every program has the same files before it, whatever it thinks of hidden, ignored and untracked ones, and
//! the one that writes its index into the tree (codegraph) writes into the copy.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::super::ends::Ends;
use super::super::options::Options;
use super::super::process::Job;
use super::super::tree::Tree;
use super::programs::{Program, Programs};

/// A copy of a tree, and room beside it.
pub(crate) struct Stage {
    /// The copy; its index folder lies beside it.
    pub(crate) tree: Tree,
    /// What the tables call it.
    pub(crate) name: String,
    /// The folder of the peers' indexes.
    pub(crate) beside: PathBuf,
    /// Which of its regular expressions `git grep` gets: PCRE's (`-P`) are several times faster than `-E`, but
    /// not every git has them.
    pub(crate) git_syntax: &'static str,
}

impl Stage {
    /// Copies the files of `root` below the options' scratch folder, and tells git of them.
    ///
    /// `number` tells trees of the same name apart.
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
        // The programs print and keep the path as they resolve it, so it is the resolved one from the start.
        let beside = options.scratch.path().join("peers").join(format!("{number}-{name}"));
        let fail = |error| format!("{}: {error}", beside.display());
        let beside =
            fs::create_dir_all(&beside).and_then(|()| beside.canonicalize()).map_err(fail)?;
        let copy = beside.join("tree");
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
        tree.index_dir = beside.join("codedb");
        if tree.files != source.files {
            return Err("ripgrep does not see the same files in the copy".into());
        }
        Ok(Self { tree, name, beside, git_syntax })
    }
}

/// Returns a call of git that is deaf to the settings of the system and of the user.
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
