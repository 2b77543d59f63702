//! The git repository of a corpus, independent of the user's settings.

use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Outcome;
use super::history::{self, BRANCH, Files};
use super::registry::run;

/// The seed of the history.
const SEED: u64 = 0x00c0_dedb;

/// The files of a tree on disk.
struct OnDisk<'a> {
    root: PathBuf,
    paths: &'a [String],
}

impl Files for OnDisk<'_> {
    fn paths(&self) -> &[String] {
        self.paths
    }

    fn read(&self, path: &str) -> Outcome<Vec<u8>> {
        let path = self.root.join(path);
        fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// Creates a repository of the tree at `root` with its history; returns the last commit.
///
/// # Errors
///
/// Errors of git, and files that cannot be read.
pub(crate) fn create(root: &Path, files: &[String], subjects: usize) -> Outcome<String> {
    import(root, &OnDisk { root: root.to_path_buf(), paths: files }, subjects)
}

/// Creates a repository in `root` with the history of `files`; returns the last commit.
///
/// # Errors
///
/// As [`create`].
pub(crate) fn import(root: &Path, files: &dyn Files, subjects: usize) -> Outcome<String> {
    let failed = "the history cannot be made";
    run(git(&["init", "--quiet", "--template=", "--object-format=sha1"]), root, failed)?;
    run(git(&["symbolic-ref", "HEAD", &format!("refs/heads/{BRANCH}")]), root, failed)?;
    for (name, value) in [("core.autocrlf", "false"), ("core.fileMode", "false"), ("gc.auto", "0")]
    {
        run(git(&["config", name, value]), root, failed)?;
    }
    // The packages' `.gitattributes` must not apply to this repository.
    let info = root.join(".git/info");
    fs::create_dir_all(&info)
        .and_then(|()| fs::write(info.join("attributes"), "* -text -ident -filter -eol\n"))
        .map_err(|error| format!("{}: {error}", info.display()))?;
    let mut importer = git(&["fast-import", "--quiet", "--done"]);
    importer.current_dir(root).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut importer = importer.spawn().map_err(|error| format!("{failed}: `git`: {error}"))?;
    let mut out = BufWriter::with_capacity(1 << 20, importer.stdin.take().expect("it is piped"));
    let written = history::write(files, subjects, SEED, &mut out).and_then(|_| {
        let done = out.write_all(b"done\n").and_then(|()| out.flush());
        done.map_err(|error| format!("{failed}: {error}"))
    });
    drop(out);
    let ended = importer.wait().map_err(|error| format!("{failed}: {error}"))?;
    written?;
    if !ended.success() {
        return Err(format!("{failed}: `git fast-import` ended with {ended}"));
    }
    head(root)
}

/// Writes the files' metadata to git's index, so that git treats them as unchanged without reading
/// them.
///
/// # Errors
///
/// If the last commit differs from the work tree.
pub(crate) fn add_stamps(root: &Path) -> Outcome<()> {
    let failed = "the work tree cannot be registered";
    run(git(&["read-tree", "HEAD"]), root, failed)?;
    run(git(&["update-index", "-q", "--refresh"]), root, failed)?;
    let differs = "the history does not end with the files that are there";
    run(git(&["diff-index", "--quiet", "HEAD"]), root, differs).map(drop)
}

/// Returns the last commit of the repository at `root`.
///
/// # Errors
///
/// If git finds none.
pub(crate) fn head(root: &Path) -> Outcome<String> {
    let failed = "the last commit of the corpus cannot be read";
    let output = run(git(&["rev-parse", "--verify", "HEAD"]), root, failed)?;
    Ok(String::from_utf8_lossy(&output).trim().to_owned())
}

/// Returns a git command without the user's settings and without variables of other repositories.
pub(crate) fn git(args: &[&str]) -> Command {
    let mut git = Command::new("git");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
        git.env_remove(name);
    }
    let nowhere = if cfg!(windows) { "NUL" } else { "/dev/null" };
    git.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", nowhere).args(args);
    git
}
