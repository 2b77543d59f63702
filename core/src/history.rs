//! The history of a tree: which commits changed which files. A tree outside a git repository has
//! none.
//!
//! [`mod@git`] runs git, [`read`] builds a [`log`] from its output or updates one, [`store`] keeps
//! the log in the index directory, and [`History`] answers queries about it. See docs/history.md.

pub mod activity;
pub mod blames;
pub mod corrections;
pub mod coupling;
pub mod decay;
pub mod files;
pub mod functions;
pub mod git;
pub mod id;
pub mod ignored;
mod kept;
pub mod likely;
pub mod log;
pub mod mailmap;
pub mod people;
pub mod read;
pub mod store;
pub mod subjects;
pub mod touched;
pub mod versions;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

pub use activity::{Activity, Rules};
pub use coupling::Coupling;
pub use decay::Decay;
pub use functions::FileChanges;
pub use id::CommitId;
pub use log::{AuthorId, Commit, Log, PathId};
pub use subjects::{FileHit, Parameters};
pub use touched::Touched;

use blames::FileBlame;
use files::Files;
use rustc_hash::FxHashMap;
use subjects::Subjects;

use crate::error::Result;
use crate::index::text::Query;

/// Blame by path and state of the file.
type Blamed = FxHashMap<(Vec<u8>, u64), Option<Arc<FileBlame>>>;

/// The log of HEAD, and data derived from it on first use.
#[derive(Debug)]
pub struct History {
    log: Log,
    files: OnceLock<Files>,
    subjects: OnceLock<Subjects>,
    activity: Mutex<Option<Arc<Activity>>>,
    coupling: Mutex<Option<Arc<Coupling>>>,
    file_changes: Mutex<FxHashMap<(Vec<u8>, usize), Arc<FileChanges>>>,
    blamed: Mutex<Blamed>,
    touched: OnceLock<Touched>,
    /// The touched files that the last list of files has, and the id of that list.
    present: Mutex<Option<(u64, Arc<[PresentFile]>)>>,
}

/// A touched file that a list of files has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PresentFile {
    /// Its index in the list.
    pub at: usize,
    /// How many of the counted commits touched it.
    pub commits: usize,
    /// The time of the last of them, in nanoseconds since 1970.
    pub last_ns: i64,
}

/// The maximum number of files whose changes, and whose blame, are held in memory.
const FILES_HELD_MAX: usize = 256;

/// Returns the touched files that a list of files has, in the order of [`History::present`].
pub fn sorted_present(
    touched: &Touched,
    find: impl Fn(&[u8]) -> Option<usize>,
) -> Arc<[PresentFile]> {
    let present = touched.files.iter().filter_map(|file| {
        let (commits, last_ns) = (file.commits as usize, file.last_ns);
        Some(PresentFile { at: find(&file.path)?, commits, last_ns })
    });
    let mut files: Vec<PresentFile> = present.collect();
    files.sort_unstable_by_key(|file| {
        (std::cmp::Reverse(file.commits), std::cmp::Reverse(file.last_ns), file.at)
    });
    files.into()
}

impl History {
    /// Returns the history of `log`. O(1).
    pub fn new(log: Log) -> History {
        let (files, subjects) = (OnceLock::new(), OnceLock::new());
        let (activity, coupling) = (Mutex::default(), Mutex::default());
        let (file_changes, blamed) = (Mutex::default(), Mutex::default());
        let (touched, present) = (OnceLock::new(), Mutex::default());
        History { log, files, subjects, activity, coupling, file_changes, blamed, touched, present }
    }

    /// Returns the files that the newest commits touched, if the log has them or `touched` was passed
    /// to [`History::set_touched`]. O(log) the first time.
    pub fn touched(&self) -> Option<&Touched> {
        if self.touched.get().is_none()
            && let Some(touched) = Touched::of_log(&self.log)
        {
            return Some(self.touched.get_or_init(|| touched));
        }
        self.touched.get()
    }

    /// Caches the files that the newest commits touched, which git listed because the log lacks them:
    /// those of HEAD's commit, to which the log belongs.
    pub fn set_touched(&self, touched: Touched) -> &Touched {
        self.touched.get_or_init(|| touched)
    }

    /// Returns the touched files that the list with the id `list` has, those with the most commits
    /// first; with equal counts the newest first, then by path. `find` returns the index of a path in
    /// that list, in path order. O(touched files) for another list than the last one.
    pub fn present(
        &self,
        touched: &Touched,
        list: u64,
        find: impl Fn(&[u8]) -> Option<usize>,
    ) -> Arc<[PresentFile]> {
        let mut present = self.present.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, files)) = &*present
            && *of == list
        {
            return Arc::clone(files);
        }
        let files = sorted_present(touched, find);
        *present = Some((list, Arc::clone(&files)));
        files
    }

    /// Returns the commits.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Returns the files changed by the commits whose subjects match `query` best. The best file
    /// comes first and has a score of 1; files of one score are in the order of their paths. Each
    /// file has its present name; only paths that `is_there` accepts are returned. O(postings of
    /// the terms + commits), and O(log) the first time.
    pub fn rank<'a>(
        &'a self,
        query: &Query,
        parameters: &Parameters,
        is_there: impl Fn(&[u8]) -> bool,
    ) -> Vec<FileHit<'a>> {
        let best = self.subjects().best(&self.log, query, parameters);
        self.files().hits(&self.log, &best, parameters, is_there)
    }

    /// Returns how recently a file changed, under any of its names: from 1 (in HEAD's commit) down
    /// to 0 (long ago, or never).
    pub fn recency(&self, path: &[u8], decay: Decay) -> f64 {
        self.files().recency(&self.log, path, decay)
    }

    /// Returns the files that the newest commits changed, under their present names and in the order
    /// of their paths. A file has the sum of these commits: each is divided by the root of the number
    /// of its files and halved for every five newer ones. The most active file has 1. O(50 commits), and
    /// O(log) the first time.
    pub fn active(&self) -> Vec<(&[u8], f64)> {
        self.files().active(&self.log)
    }

    /// Returns the files that change together with `path`, most frequent first. Each has the share
    /// (0 to 1) of the commits of `path` that changed it as well, which is damped where these
    /// commits are few. See [`files`] for the bounds.
    pub fn changed_with(&self, path: &[u8]) -> Vec<(&[u8], f64)> {
        self.files().changed_with(&self.log, path)
    }

    /// Returns the commits that changed a file under any of its names, newest first. Commits
    /// without files are not among them; see [`Commit::changes`]. O(1), and O(log) the first time.
    pub fn changes_to(&self, path: &[u8]) -> impl ExactSizeIterator<Item = Commit<'_>> {
        let commits = self.files().commits_of(&self.log, path);
        commits.iter().map(|&commit| self.log.commit(commit as usize))
    }

    /// Returns the files that a commit changed, under their present names and in the order of its
    /// changes. O(1), and O(log) the first time.
    pub fn changed_by(&self, commit: Commit<'_>) -> &[PathId] {
        self.files().of_commit(&self.log, commit.at())
    }

    /// Returns who changed which files how often, under `rules`. Computed anew if the rules differ
    /// from those of the last call: O(log).
    pub fn activity(&self, rules: &Rules) -> Arc<Activity> {
        cached(
            &self.activity,
            |it| it.rules() == rules,
            || Activity::new(&self.log, self.files(), rules.clone()),
        )
    }

    /// Returns which files change together, under `rules`. Computed anew if the rules differ from
    /// those of the last call: O(pairs of files of each commit).
    pub fn coupling(&self, rules: &Rules) -> Arc<Coupling> {
        let activity = self.activity(rules);
        cached(
            &self.coupling,
            |it| it.rules() == rules,
            || Coupling::new(&self.log, self.files(), &activity),
        )
    }

    /// Returns the changes of a file by its newest `commits` commits, which `read` computes the first
    /// time.
    ///
    /// # Errors
    ///
    /// Those of `read`.
    pub fn file_changes(
        &self,
        path: &[u8],
        commits: usize,
        read: impl FnOnce() -> Result<FileChanges>,
    ) -> Result<Arc<FileChanges>> {
        held(&self.file_changes, (path.to_vec(), commits), || read().map(Arc::new))
    }

    /// Returns the blame of a file in the commit of the log's HEAD, under rules with that hash, which
    /// `read` computes the first time; `None` if the commit does not have the file.
    ///
    /// # Errors
    ///
    /// Those of `read`.
    pub fn blame(
        &self,
        path: &[u8],
        rules: u64,
        read: impl FnOnce() -> Result<Option<FileBlame>>,
    ) -> Result<Option<Arc<FileBlame>>> {
        held(&self.blamed, (path.to_vec(), rules), || Ok(read()?.map(Arc::new)))
    }

    fn files(&self) -> &Files {
        self.files.get_or_init(|| Files::new(&self.log))
    }

    fn subjects(&self) -> &Subjects {
        self.subjects.get_or_init(|| Subjects::new(&self.log))
    }
}

/// Returns the value of a key, which `make` computes if it is not held.
fn held<K: Clone + Eq + std::hash::Hash, T: Clone>(
    slots: &Mutex<FxHashMap<K, T>>,
    key: K,
    make: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let lock = || slots.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(value) = lock().get(&key) {
        return Ok(value.clone());
    }
    // Other calls do not wait: at worst, two compute the same.
    let value = make()?;
    let mut slots = lock();
    if slots.len() >= FILES_HELD_MAX {
        slots.clear();
    }
    slots.insert(key, value.clone());
    Ok(value)
}

/// Returns the value in `slot` if it `fits`, or else a new one, which replaces it.
fn cached<T>(
    slot: &Mutex<Option<Arc<T>>>,
    fits: impl FnOnce(&T) -> bool,
    make: impl FnOnce() -> T,
) -> Arc<T> {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    match &*slot {
        Some(value) if fits(value) => Arc::clone(value),
        _ => Arc::clone(slot.insert(Arc::new(make()))),
    }
}

#[cfg(test)]
mod tests;
