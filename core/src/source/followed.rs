//! The sources of ignore rules of one generation, as a server checks them at each call: with one
//! `fstat` for each file and for each directory outside of the tree instead of a look-up of each
//! path.
//!
//! A path leads to the same entry while no directory on it changed: making, removing, renaming or
//! replacing an entry changes the metadata of its directory. So the directories that lead to the
//! sources and to the root are kept open. While the metadata of all of them is the same, absent
//! sources are still absent, existing ones are still those that are open, and the root is still the
//! same directory. If one of them changed, only what lies in it is looked up again by its path.
//!
//! Mounts change no metadata: the caller detects them and calls [`FollowedSources::forget`]. On a
//! network file system other machines change entries, so sources there are looked up each time.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

use rustix::process::{Resource, getrlimit};

use super::platform::{DirHandle, Named, file_system};
use super::rules::{Source, State};
use super::stamp::Stamp;

/// Maximum number of files that this process follows at once: each takes a descriptor. Linux has 306
/// ignore files, and looking up a path takes several times as long as an `fstat`.
const FOLLOWED_MAX: usize = 512;

/// Maximum share of the descriptors of this process that followed files may take.
const DESCRIPTORS_SHARE: u64 = 2;

/// Maximum number of directories that are kept open for one tree; sources that would need more are
/// looked up at each check.
const DIRS_MAX: usize = 48;

/// [`FOLLOWED_MAX`], or less where the process may have few descriptors (256 by default on macOS).
static FOLLOWED_LIMIT: LazyLock<usize> = LazyLock::new(|| {
    let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(descriptors / DESCRIPTORS_SHARE).map_or(FOLLOWED_MAX, |of| of.min(FOLLOWED_MAX))
});

/// Number of files that are followed.
static FOLLOWED: AtomicUsize = AtomicUsize::new(0);

/// The sources of one generation.
#[derive(Debug)]
pub struct FollowedSources {
    root: PathBuf,
    root_identity: (u64, u64),
    /// The existing sources in directories of the tree that are watched.
    watched: Vec<FollowedFile>,
    /// The directories that lead to other sources and to the root, sorted by path, so that each
    /// follows its parent. Empty if they cannot be kept open.
    dirs: Mutex<Vec<HeldDir>>,
    /// Sources that are looked up at each check.
    others: Vec<Source>,
    holds_root: bool,
}

/// A source whose file is kept open.
#[derive(Clone, Debug)]
struct FollowedFile {
    source: Source,
    /// `None` if it is not a regular file, or if too many are followed.
    file: Option<Arc<Counted>>,
}

/// An open file; counts towards [`FOLLOWED_LIMIT`].
#[derive(Debug)]
struct Counted(Named);

/// A directory that is kept open.
#[derive(Debug)]
struct HeldDir {
    path: PathBuf,
    /// `None` if it could not be opened when its parent was last looked up.
    handle: Option<DirHandle>,
    /// Device and inode of the open directory.
    identity: Option<(u64, u64)>,
    /// Its metadata when everything in it was last looked up; [`Stamp::NEVER`] before that, and if a
    /// later change could leave the same metadata.
    stamp: Stamp,
    /// The positions of the held directories in it.
    dirs: Vec<usize>,
    /// The sources in it that are directories, and those that did not exist; for a source whose
    /// directory does not exist either, this is the nearest directory above that does.
    entries: Vec<Source>,
    /// The sources in it that are files.
    files: Vec<FollowedFile>,
}

impl Counted {
    /// Opens the file at `path`. Returns `None` if there is no file, or too many are followed.
    fn new(path: &Path) -> Option<Arc<Counted>> {
        let one_more = |count: usize| (count < *FOLLOWED_LIMIT).then_some(count + 1);
        FOLLOWED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok()?;
        let file = Named::file(path).map(Counted);
        if file.is_none() {
            FOLLOWED.fetch_sub(1, Ordering::Relaxed);
        }
        file.map(Arc::new)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        FOLLOWED.fetch_sub(1, Ordering::Relaxed);
    }
}

impl FollowedFile {
    /// Follows a source; reuses the descriptor of `before` if that follows the same, unchanged
    /// source.
    fn new(source: Source, before: Option<&FollowedFile>) -> FollowedFile {
        let same = before.filter(|before| before.source == source && before.is_as_it_was());
        let file = match same.and_then(|before| before.file.clone()) {
            Some(file) => Some(file),
            None => Counted::new(&source.path),
        };
        FollowedFile { source, file }
    }

    /// Returns true if the source is unchanged, as [`Source::holds`] does, assuming that its path
    /// still leads to the open file.
    fn holds(&self) -> bool {
        self.is_as_it_was() || self.source.holds()
    }

    /// Returns true if this is a followed file with unchanged metadata.
    fn is_as_it_was(&self) -> bool {
        let State::File { stamp, .. } = self.source.state else { return false };
        self.file.as_ref().and_then(|file| file.0.stamp()) == Some(stamp)
    }
}

impl FollowedSources {
    /// Follows `sources` of the tree at `root`, which is canonical. `is_watched` returns true for
    /// those whose directory is watched: the caller notices their removal and replacement. If
    /// `reports_mounts` is false, only those are kept open. Reuses the descriptors of `before`.
    pub fn new(
        root: &Path,
        root_identity: (u64, u64),
        sources: Vec<Source>,
        is_watched: impl Fn(&Source) -> bool,
        reports_mounts: bool,
        before: Option<&FollowedSources>,
    ) -> FollowedSources {
        let before_dirs = before.map(|before| before.lock());
        let of_dirs = before_dirs.iter().flat_map(|dirs| dirs.iter()).flat_map(|dir| &dir.files);
        let before: HashMap<&Path, &FollowedFile> = before
            .iter()
            .flat_map(|before| &before.watched)
            .chain(of_dirs)
            .map(|file| (&*file.source.path, file))
            .collect();
        let follow = |source: Source| {
            let before = before.get(&*source.path).copied();
            FollowedFile::new(source, before)
        };
        let mut dirs = Dirs::default();
        let holds_root = reports_mounts && root.parent().is_some_and(|above| dirs.hold(above));
        let (mut watched, mut others) = (Vec::new(), Vec::new());
        for source in sources {
            if is_watched(&source) && source.state != State::Absent {
                // The watcher reports the removal of a directory, whose content does not matter.
                if !is_dir(&source) {
                    watched.push(follow(source));
                }
                continue;
            }
            let base = base_of(&source).filter(|base| reports_mounts && dirs.hold(base));
            let Some(dir) = base.and_then(|base| dirs.0.get_mut(&base)) else {
                others.push(source);
                continue;
            };
            match source.state {
                State::Absent | State::Dir => dir.entries.push(source),
                State::File { .. } => dir.files.push(follow(source)),
            }
        }
        drop(before);
        drop(before_dirs);
        let dirs = Mutex::new(dirs.linked(root));
        let root = root.to_path_buf();
        FollowedSources { root, root_identity, watched, dirs, others, holds_root }
    }

    /// Returns true if every source is unchanged, as [`Source::holds`] does, and the path of the root
    /// still leads to the same directory. Costs an `fstat` for each followed file and each held
    /// directory, if nothing in these changed.
    pub fn hold(&self) -> bool {
        self.root_holds()
            && self.watched.iter().all(FollowedFile::holds)
            && self.others.iter().all(Source::holds)
    }

    /// Makes the next check look up everything by its path, because a mount may cover it.
    pub fn forget(&self) {
        for dir in &mut *self.lock() {
            (dir.handle, dir.identity, dir.stamp) = (None, None, Stamp::NEVER);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<HeldDir>> {
        self.dirs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks the root and what is in held directories.
    fn root_holds(&self) -> bool {
        let taken_at = SystemTime::now();
        let mut dirs = self.lock();
        let is_root = |identity| identity == Some(self.root_identity);
        if !self.holds_root && !is_root(identity(&self.root)) {
            return false;
        }
        for at in 0..dirs.len() {
            let dir = &mut dirs[at];
            let is_the_root = dir.path == self.root;
            // The first directory has no parent that opens it.
            if dir.handle.is_none() && at == 0 {
                dir.open();
            }
            if is_the_root && self.holds_root && !is_root(dir.identity) {
                return false;
            }
            if dir.dirs.is_empty() && dir.entries.is_empty() && dir.files.is_empty() {
                continue;
            }
            let now = dir.handle.as_ref().and_then(|handle| handle.stamp().ok());
            if now.is_some_and(|now| now == dir.stamp) {
                if dir.files.iter().all(FollowedFile::holds) {
                    continue;
                }
                return false;
            }
            dir.stamp = Stamp::NEVER;
            let files = dir.files.iter().map(|of| &of.source);
            if !dir.entries.iter().chain(files).all(Source::holds) {
                return false;
            }
            for file in &mut dir.files {
                file.file = None;
                *file = FollowedFile::new(file.source.clone(), None);
            }
            let is_certain = dir.entries.iter().all(|source| is_certain(&dir.path, source));
            for below in dir.dirs.clone() {
                let below = &mut dirs[below];
                if below.handle.is_none() || identity(&below.path) != below.identity {
                    below.open();
                }
            }
            let lasting = now.filter(|_| is_certain);
            dirs[at].stamp = lasting.map_or(Stamp::NEVER, |now| now.unless_racy(taken_at));
        }
        true
    }
}

impl HeldDir {
    fn new(path: PathBuf) -> HeldDir {
        HeldDir {
            path,
            handle: None,
            identity: None,
            stamp: Stamp::NEVER,
            dirs: Vec::new(),
            entries: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Opens the directory that is at the path now; nothing in it has been looked up.
    fn open(&mut self) {
        self.handle = DirHandle::open_itself(&self.path).ok();
        self.identity = self.handle.as_ref().and_then(|handle| handle.identity().ok());
        self.stamp = Stamp::NEVER;
    }
}

/// The directories to hold, while they are collected.
#[derive(Default)]
struct Dirs(BTreeMap<PathBuf, HeldDir>);

impl Dirs {
    /// Adds a directory with all directories above it. Returns false if its path leads through a
    /// symbolic link, if it is on a network file system, or if there are too many directories.
    fn hold(&mut self, dir: &Path) -> bool {
        if self.0.contains_key(dir) {
            return true;
        }
        let is_plain = dir.canonicalize().is_ok_and(|real| real == dir);
        if !is_plain || dir.ancestors().any(|dir| file_system(dir).is_network()) {
            return false;
        }
        let missing = dir.ancestors().filter(|dir| !self.0.contains_key(*dir));
        let missing: Vec<PathBuf> = missing.map(Path::to_path_buf).collect();
        if self.0.len() + missing.len() > DIRS_MAX {
            return false;
        }
        self.0.extend(missing.into_iter().map(|path| (path.clone(), HeldDir::new(path))));
        true
    }

    /// Returns the directories in order, each with the positions of those in it; adds the root if
    /// its parent is held.
    fn linked(mut self, root: &Path) -> Vec<HeldDir> {
        if root.parent().is_some_and(|above| self.0.contains_key(above)) {
            self.0.entry(root.to_path_buf()).or_insert_with(|| HeldDir::new(root.to_path_buf()));
        }
        let at: HashMap<PathBuf, usize> = self.0.keys().cloned().zip(0..).collect();
        let mut dirs: Vec<HeldDir> = self.0.into_values().collect();
        for below in 0..dirs.len() {
            let above = dirs[below].path.parent().and_then(|above| at.get(above));
            if let Some(&above) = above {
                dirs[above].dirs.push(below);
            }
        }
        dirs
    }
}

/// Returns the directory whose metadata shows whether the source is made, removed or replaced.
fn base_of(source: &Source) -> Option<PathBuf> {
    let above = source.path.parent()?;
    if source.state != State::Absent {
        return Some(above.to_path_buf());
    }
    above.ancestors().find(|above| above.is_dir()).map(Path::to_path_buf)
}

/// Returns true if the state of a source below `dir` cannot change without a change of `dir`: it is a
/// directory, or nothing is at the first component of its path. A link to nothing and a file that
/// cannot be read may change without it.
fn is_certain(dir: &Path, source: &Source) -> bool {
    if source.state == State::Dir {
        return is_dir(source);
    }
    let below = source.path.strip_prefix(dir).ok();
    let Some(first) = below.and_then(|below| below.components().next()) else { return false };
    let found = fs::symlink_metadata(dir.join(first));
    found.is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// Returns true if a directory is at the path of the source, and no link to one.
fn is_dir(source: &Source) -> bool {
    source.state == State::Dir && fs::symlink_metadata(&source.path).is_ok_and(|of| of.is_dir())
}

/// Returns device and inode of the entry at `path`; for a symbolic link its own.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let metadata = fs::symlink_metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(test)]
mod tests;
