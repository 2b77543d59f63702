//! The directory of a run. Runners write their results into it while they run, and `run.json` says whose
//! they are: if codedb is killed, a later command records what is there ([`super::recover`]).

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::collect::Sources;
use crate::error::{Error, Result};
use crate::history::git::Git;
use crate::source::private_dir;

/// The file that says what the run is. It is locked as long as codedb lives.
pub(super) const NAME: &str = "run.json";

/// The file with the state of the tree before the run.
pub(super) const STATE: &str = "state.json";

/// What is recorded of the tree: its commit, and whether it has no changes.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct State {
    pub(super) commit: Option<String>,
    pub(super) is_clean: bool,
}

/// What is known of a run before it starts.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Journal {
    /// The root of the tree.
    pub(super) root: PathBuf,
    pub(super) command: Vec<String>,
    pub(super) sources: Sources,
}

/// The directory of a run, removed at its end.
#[derive(Debug)]
pub(super) struct Reports {
    pub(super) path: PathBuf,
    /// Holds the lock.
    file: Option<File>,
}

impl Reports {
    /// Creates a directory below that of the cache.
    ///
    /// # Errors
    ///
    /// If it cannot be created.
    pub(super) fn create(cache: &Path) -> Result<Reports> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let own = all(cache).join(format!("{}-{}", std::process::id(), now.as_nanos()));
        private_dir::create(&own, private_dir::INDEX)?;
        private_dir::check(&own, private_dir::INDEX)?;
        Ok(Reports { path: own, file: None })
    }

    /// Writes what the run is.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub(super) fn begin(&mut self, journal: &Journal) -> Result<()> {
        let path = self.path.join(NAME);
        let failed = |error| Error::io(&path, error);
        let text = serde_json::to_string(journal).unwrap_or_default();
        // Another process sees the file only when it is locked and complete.
        let new = self.path.join("run.new");
        fs::write(&new, text).map_err(failed)?;
        let file = File::open(&new).map_err(failed)?;
        // On a file system without locks, the results of killed runs are lost.
        let _ = file.try_lock();
        fs::rename(&new, &path).map_err(failed)?;
        self.file = Some(file);
        Ok(())
    }
}

impl Drop for Reports {
    fn drop(&mut self) {
        // What remains is removed by a later run.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Returns the directory of all runs.
pub(super) fn all(cache: &Path) -> PathBuf {
    cache.join("runs")
}

/// Starts to find the present state of the tree, which is also written into the directory of the run.
pub(super) fn note_state(root: &Path, reports: &Path) -> JoinHandle<State> {
    let (root, path) = (root.to_path_buf(), reports.join(STATE));
    std::thread::spawn(move || {
        let state = state(&root);
        // It is needed only if codedb is killed.
        let _ = fs::write(path, serde_json::to_string(&state).unwrap_or_default());
        state
    })
}

/// Returns the present commit of the tree, and whether it has no changes. A failure of git counts
/// as a change.
pub(super) fn state(root: &Path) -> State {
    let read = || -> Result<State> {
        let Some(git) = Git::open(root) else { return Ok(State::default()) };
        let commit = git.commit("HEAD")?;
        let is_clean = match &commit {
            Some(commit) => git.changes_since(commit)?.is_empty(),
            None => false,
        };
        Ok(State { commit, is_clean })
    };
    read().unwrap_or_else(|error| {
        log::debug!("the state of the tree is unknown: {error}");
        State::default()
    })
}
