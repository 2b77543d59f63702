//! The sources of ignore rules and their metadata: a list of files is valid only while its sources
//! are unchanged.
//!
//! Inside the tree, a new ignore file changes the metadata of its directory, so only existing files
//! are recorded. Outside the tree (the parents' directories, the user's global excludes) absent
//! files are recorded too.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

use super::environment::Environment;
use super::rule_files::{self, Checked};
use super::stamp::Stamp;

/// Names of files and directories that decide which entries of their directory are searched.
pub const NAMES: [&str; 5] = [".gitignore", ".ignore", ".rgignore", ".git", ".jj"];

/// One source of ignore rules, as recorded when the tree was walked.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Source {
    /// Absolute path.
    pub path: PathBuf,
    /// What was found there.
    pub state: State,
}

/// What was found at the path of a source.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum State {
    /// Nothing.
    Absent,
    /// A directory, or a file that is not read; only its existence matters.
    Dir,
    /// A file, with its metadata and a hash of its content.
    File {
        /// Metadata, or [`Stamp::NEVER`] if the file was changed just before.
        stamp: Stamp,
        /// XXH3 of its content.
        hash: u64,
    },
}

impl Source {
    /// Reads the source at `path`. An unreadable source counts as absent, as it does for the
    /// walker.
    pub fn read(path: PathBuf) -> Source {
        let taken_at = SystemTime::now();
        let state = match rule_files::check(&path) {
            Checked::Refused => State::Dir,
            Checked::Absent if path.exists() => State::Dir,
            Checked::Absent => State::Absent,
            Checked::Readable(metadata) => match rule_files::text(&path) {
                Some(bytes) => State::File {
                    stamp: Stamp::of(&metadata).unless_racy(taken_at),
                    hash: xxh3_64(&bytes),
                },
                None => State::Absent,
            },
        };
        Source { path, state }
    }

    /// Reads the source at `path` after a walk that began at `walked_at` and applied it. A source
    /// that changed since then may have been different when it was applied, so it is recorded as
    /// one that is never unchanged.
    pub fn read_after(path: PathBuf, walked_at: SystemTime) -> Source {
        let mut source = Source::read(path);
        if let State::File { stamp, hash } = &mut source.state
            && (*stamp == Stamp::NEVER || stamp.unless_racy(walked_at) == Stamp::NEVER)
        {
            // The present content does not have this hash.
            (*stamp, *hash) = (Stamp::NEVER, !*hash);
        }
        source
    }

    /// Returns this source, or one that is never unchanged if its file was written since it was
    /// read: a walk in between may have applied other rules, even if they are the same again now.
    pub(super) fn unless_touched(mut self) -> Source {
        if let State::File { stamp, hash } = &mut self.state
            && *stamp != Stamp::NEVER
            && fs::metadata(&self.path).map(|now| Stamp::of(&now)).ok() != Some(*stamp)
        {
            (*stamp, *hash) = (Stamp::NEVER, !*hash);
        }
        self
    }

    /// Returns a source that is never unchanged: it records a file, but `dir` is a directory.
    pub(super) fn never(dir: PathBuf) -> Source {
        Source { path: dir, state: State::File { stamp: Stamp::NEVER, hash: 0 } }
    }

    /// Returns true if the source is unchanged: same metadata, or else same content.
    pub fn holds(&self) -> bool {
        if let State::File { stamp, .. } = self.state
            && let Ok(metadata) = fs::metadata(&self.path)
            && metadata.is_file()
            && Stamp::of(&metadata) == stamp
        {
            return true;
        }
        match (self.state, Source::read(self.path.clone()).state) {
            (State::File { hash, .. }, State::File { hash: now, .. }) => hash == now,
            (before, now) => before == now,
        }
    }
}

/// Returns the sources in the directory `dir`, given the names from [`NAMES`] that exist there, for
/// a walk that began at `walked_at`. If the directory changed since, adds a source that is never
/// unchanged.
pub fn in_dir(dir: &Path, names: &[&str], walked_at: SystemTime) -> Vec<Source> {
    let read = |name: &&str| Source::read_after(dir.join(name), walked_at);
    let mut sources: Vec<Source> = names.iter().map(read).collect();
    if names.contains(&".git") {
        sources.extend(git_sources(dir, walked_at));
    }
    // Rules that the walk applied may have been removed since, which nothing else would show.
    let stamp = fs::metadata(dir).map(|metadata| Stamp::of(&metadata));
    if stamp.is_ok_and(|stamp| stamp.unless_racy(walked_at) == Stamp::NEVER) {
        sources.push(Source::never(dir.to_path_buf()));
    }
    sources
}

/// Returns the sources outside of the tree at `root`, for a walk that began at `walked_at`: those
/// in the parents' directories, including absent ones, the user's global excludes at
/// `excludes_path`, and the configuration that decides this path.
pub fn outside(
    root: &Path,
    environment: &Environment,
    excludes_path: Option<&Path>,
    walked_at: SystemTime,
) -> Vec<Source> {
    let read = |path| Source::read_after(path, walked_at);
    let mut sources = Vec::new();
    for parent in root.ancestors().skip(1) {
        sources.extend(NAMES.iter().map(|name| read(parent.join(name))));
        if parent.join(".git").exists() {
            sources.extend(git_sources(parent, walked_at));
        }
    }
    let config = environment.global_excludes.iter().flat_map(|excludes| excludes.config());
    sources.extend(config.cloned().map(read));
    sources.extend(excludes_path.map(|path| read(path.to_path_buf())));
    sources
}

/// Returns the sources that a `.git` in `dir` refers to: `info/exclude` of the common directory,
/// and for a linked work tree the files that refer to it.
fn git_sources(dir: &Path, walked_at: SystemTime) -> Vec<Source> {
    let read = |path| Source::read_after(path, walked_at);
    let git = dir.join(".git");
    if git.is_dir() {
        return vec![read(git.join("info/exclude"))];
    }
    if !git.is_file() {
        return Vec::new();
    }
    // In a linked work tree `.git` is a file that names the git directory, whose `commondir` names
    // the shared one.
    let read_text = |path| rule_files::text(path).and_then(|text| String::from_utf8(text).ok());
    let Some(text) = read_text(&git) else { return Vec::new() };
    let Some(linked) = text.lines().next().and_then(|line| line.strip_prefix("gitdir: ")) else {
        return Vec::new();
    };
    let linked = dir.join(linked);
    let pointer = linked.join("commondir");
    let common = match read_text(&pointer) {
        Some(text) => linked.join(text.lines().next().unwrap_or("")),
        None => linked,
    };
    vec![read(pointer), read(common.join("info/exclude"))]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_source_that_changed_during_the_walk_never_holds() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".ignore");
        fs::write(&path, "x").unwrap();
        std::thread::sleep(crate::source::stamp::RACY_WINDOW * 2);
        let later = SystemTime::now() + Duration::from_secs(5);
        assert!(Source::read_after(path.clone(), later).holds());
        let earlier = SystemTime::now() - Duration::from_secs(5);
        assert!(!Source::read_after(path.clone(), earlier).holds());
        assert!(Source::read_after(dir.path().to_path_buf(), earlier).holds());
        assert!(Source::read_after(dir.path().join("absent"), earlier).holds());
    }
}
