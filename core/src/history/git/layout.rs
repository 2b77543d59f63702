//! Finds the directories of a repository in the way git does, and reads its small files: only
//! regular ones, and only up to a size.

use std::fs;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use crate::base::path;
use crate::error::{Error, Kind, Result};
use crate::source::read;

/// The maximum size in bytes of a file with one line.
const LINE_BYTES_MAX: u64 = 16 << 10;

/// The maximum size in bytes of a file that git reads line by line, and of one with a line for each
/// ref. Real ones are far smaller.
const SMALL_BYTES_MAX: u64 = 16 << 20;
const REFS_BYTES_MAX: u64 = 1 << 30;

/// Files that git reads at the start of most commands, below the shared directory, with the maximum
/// sizes in bytes.
const SHARED_FILES: &[(&str, u64)] = &[
    ("config", SMALL_BYTES_MAX),
    ("info/attributes", SMALL_BYTES_MAX),
    ("info/exclude", SMALL_BYTES_MAX),
    ("info/grafts", SMALL_BYTES_MAX),
    ("objects/info/alternates", SMALL_BYTES_MAX),
    // Mapped, not read.
    ("objects/info/commit-graph", u64::MAX),
    ("objects/info/commit-graphs/commit-graph-chain", SMALL_BYTES_MAX),
    ("objects/pack/multi-pack-index", u64::MAX),
    ("packed-refs", REFS_BYTES_MAX),
    ("shallow", REFS_BYTES_MAX),
];

/// The same, below the directory of the work tree.
const OWN_FILES: &[(&str, u64)] = &[
    ("HEAD", LINE_BYTES_MAX),
    ("commondir", LINE_BYTES_MAX),
    ("config.worktree", SMALL_BYTES_MAX),
    // Mapped; git fails at once if it does not fit.
    ("index", u64::MAX),
];

/// The directories of a repository.
#[derive(Debug)]
pub(super) struct Layout {
    /// The work tree: the directory that contains `.git`.
    pub(super) top: PathBuf,
    /// The directory of this work tree.
    pub(super) own: PathBuf,
    /// The directory that all work trees of the repository share.
    pub(super) common: PathBuf,
}

impl Layout {
    /// Returns the repository of the innermost work tree that contains `root`.
    pub(super) fn around(root: &Path) -> Option<Layout> {
        root.ancestors().find_map(|top| {
            let entry = top.join(".git");
            let own = if fs::metadata(&entry).ok()?.is_dir() {
                entry
            } else {
                top.join(named(&line(&entry).ok()??, b"gitdir: ")?)
            };
            own.join("HEAD").symlink_metadata().ok()?;
            let common = line(&own.join("commondir"))
                .ok()
                .flatten()
                .and_then(|name| named(&name, b""))
                .map_or_else(|| own.clone(), |name| own.join(name));
            let is_repository = ["objects", "refs"].iter().all(|name| common.join(name).is_dir());
            is_repository.then(|| Layout { top: top.to_path_buf(), own, common })
        })
    }

    /// Checks that the files that git reads first are regular files of a plausible size, or absent.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`] with the first other file: git would wait for it, or read it without end.
    pub(super) fn check(&self) -> Result<()> {
        let below = |dir: &PathBuf, files: &[(&str, u64)]| -> Vec<(PathBuf, u64)> {
            files.iter().map(|(name, bytes_max)| (dir.join(name), *bytes_max)).collect()
        };
        let files = [below(&self.own, OWN_FILES), below(&self.common, SHARED_FILES)].concat();
        files.iter().try_for_each(|(path, bytes_max)| match fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() => Err(unusable(path, NOT_REGULAR)),
            Ok(metadata) if metadata.len() > *bytes_max => Err(unusable(path, TOO_LONG)),
            _ => Ok(()),
        })
    }
}

/// Returns true if git would find neither a work tree nor a bare repository around `root`: no
/// directory on its path has an entry `.git` or `HEAD`. Git stops its search earlier, at the border
/// of a file system. Two look-ups for each directory; git itself takes over a millisecond.
pub(super) fn is_certainly_outside(root: &Path) -> bool {
    let is_absent = |path: &Path| {
        path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
    };
    root.is_absolute()
        && root.ancestors().all(|dir| is_absent(&dir.join(".git")) && is_absent(&dir.join("HEAD")))
}

/// Why a file is not read.
const NOT_REGULAR: &str = "not a regular file";
const TOO_LONG: &str = "too long for its purpose";

/// Returns the content of a file with one line, without its line end; `None` if there is no file.
///
/// # Errors
///
/// [`Kind::Io`] if there is a pipe or a device in its place, or if it is too long.
pub(super) fn line(path: &Path) -> Result<Option<Vec<u8>>> {
    let Some(mut line) = content(path, LINE_BYTES_MAX)? else {
        let is_long = fs::metadata(path).is_ok_and(|metadata| metadata.len() > LINE_BYTES_MAX);
        // A directory may have a length too.
        return if is_long && path.is_file() { Err(unusable(path, TOO_LONG)) } else { Ok(None) };
    };
    line.truncate(line.trim_ascii_end().len());
    Ok(Some(line))
}

/// Returns the content of a file of at most `bytes_max` bytes; `None` if there is no file, a
/// directory, or a longer file.
///
/// # Errors
///
/// [`Kind::Io`] if there is a pipe or a device in its place.
pub(super) fn content(path: &Path, bytes_max: u64) -> Result<Option<Vec<u8>>> {
    let file = match read::open(path) {
        Ok((file, _)) => file,
        // The part of a longer name: `refs/heads/a` of `refs/heads/a/b`.
        Err(_) if path.is_dir() => return Ok(None),
        Err(error) if is_irregular(&error, path) => return Err(unusable(path, NOT_REGULAR)),
        Err(_) => return Ok(None),
    };
    let mut bytes = Vec::new();
    let is_read = file.take(bytes_max + 1).read_to_end(&mut bytes).is_ok();
    Ok((is_read && bytes.len() as u64 <= bytes_max).then_some(bytes))
}

/// Returns true if opening failed because there is something else than a file.
fn is_irregular(error: &io::Error, path: &Path) -> bool {
    error.kind() == ErrorKind::InvalidInput
        || fs::metadata(path).is_ok_and(|metadata| !metadata.is_file())
}

fn unusable(path: &Path, why: &str) -> Error {
    Error::new(Kind::Io, format!("{why}, so git is not run"))
        .with_path(path)
        .with_hint("remove it, or clone the repository anew")
}

/// Returns the path after `start`.
fn named(line: &[u8], start: &[u8]) -> Option<PathBuf> {
    let name = line.strip_prefix(start)?.trim_ascii_end();
    (!name.is_empty()).then(|| path::to_path(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_above_is_never_excluded() {
        let place = tempfile::tempdir().expect("a folder");
        let base = place.path().canonicalize().expect("it is there");
        fs::create_dir_all(base.join("outer/inner")).expect("a folder");
        let inner = base.join("outer/inner");
        assert!(is_certainly_outside(&inner));
        assert!(!is_certainly_outside(Path::new("outer/inner")));
        for (name, is_link) in [(".git", false), ("HEAD", false), (".git", true)] {
            let entry = base.join("outer").join(name);
            #[cfg(unix)]
            if is_link {
                std::os::unix::fs::symlink("nowhere", &entry).expect("a link");
            }
            if !entry.is_symlink() {
                fs::write(&entry, "").expect("a file");
            }
            assert!(!is_certainly_outside(&inner), "{name} {is_link}");
            fs::remove_file(&entry).expect("it is there");
        }
    }
}
