//! Updates the commit log in a build, and returns it for a call.
//!
//! A build reads all missing commits. A call reads only a few, so that it does not wait long after
//! HEAD moved far. If more commits are missing, it gets the stored log, whose head shows which
//! commits it covers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::Engine;
use super::progress::{Progress, Stage};
use crate::error::{Kind, Result};
use crate::history::git::Head;
use crate::history::read::{self, Bounds, Reading};
use crate::history::store::HistoryStore;
use crate::history::{History, Log};
use crate::index::store::WriterLock;

/// Maximum number of commits that a call reads.
const CALL_COMMITS_MAX: usize = 300;

/// How long a call waits for git.
const CALL_PATIENCE: Duration = Duration::from_secs(2);

/// The result of the history stage of a build.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct HistoryBuilt {
    /// Commits in the log.
    pub commits: u64,
    /// Number of commits read for it.
    pub read: u64,
    /// Something was published.
    pub published: bool,
    /// The error of git, if any; the old log is kept then.
    pub problem: Option<String>,
}

/// Status of the commit log.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct HistoryStatus {
    /// There is a repository.
    pub has_repository: bool,
    /// There is a log.
    pub exists: bool,
    /// Commits in it.
    pub commits: u64,
    /// It does not end at HEAD; a call reads the missing commits if they are few.
    pub is_behind: bool,
    /// There are older commits that it does not contain.
    pub is_cut: bool,
    /// The repository does not have its older commits.
    pub is_shallow: bool,
    /// Bytes of its file.
    pub len_bytes: u64,
    /// Reason why it cannot be used or compared, if so.
    pub unusable: Option<String>,
}

/// The result of the last call.
#[derive(Clone, Debug)]
pub(super) struct LastHistory {
    head: Head,
    publication: Option<u64>,
    history: Option<Arc<History>>,
    /// The published log could not be read.
    is_unreadable: bool,
    /// Why there is no log.
    problem: Option<&'static str>,
}

/// The commit log for a call.
#[derive(Clone, Debug, Default)]
pub(super) struct FoundHistory {
    /// The log, if there is one.
    pub(super) history: Option<Arc<History>>,
    /// Why there is none, although the repository has commits.
    pub(super) problem: Option<&'static str>,
    /// The published log is damaged.
    pub(super) is_damaged: bool,
}

/// The progress of the commit log while another stage of the same build runs, which is the one that
/// is displayed until this one is waited for.
#[derive(Debug)]
pub(super) struct HistoryProgress<'a> {
    build: &'a Progress,
    expected: AtomicU64,
    read: AtomicU64,
    is_shown: AtomicBool,
    is_stopped: AtomicBool,
}

impl HistoryProgress<'_> {
    /// Creates the progress of a log that is read in the build `build`.
    pub(super) fn new(build: &Progress) -> HistoryProgress<'_> {
        let (expected, read) = (AtomicU64::new(0), AtomicU64::new(0));
        let (is_shown, is_stopped) = (AtomicBool::new(false), AtomicBool::new(false));
        HistoryProgress { build, expected, read, is_shown, is_stopped }
    }

    /// Displays this stage from now on.
    pub(super) fn show(&self) {
        self.is_shown.store(true, Ordering::Relaxed);
        self.update();
    }

    /// Cancels the reading, but not the build.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Returns true if the reading is to stop.
    pub(super) fn is_cancelled(&self) -> bool {
        self.build.is_cancelled() || self.is_stopped.load(Ordering::Relaxed)
    }

    fn note(&self, reading: Reading) {
        match reading {
            Reading::Expected(commits) => {
                self.expected.store(commits, Ordering::Relaxed);
                self.read.store(0, Ordering::Relaxed);
            }
            Reading::Commit => drop(self.read.fetch_add(1, Ordering::Relaxed)),
        }
        if self.is_shown.load(Ordering::Relaxed) {
            self.update();
        }
    }

    /// Displays the counters if there is anything to read.
    fn update(&self) {
        let (read, expected) =
            (self.read.load(Ordering::Relaxed), self.expected.load(Ordering::Relaxed));
        if expected > 0 {
            self.build.enter(Stage::History);
            self.build.set(read, expected);
        }
    }
}

impl LastHistory {
    fn is_current(&self, head: &Head) -> bool {
        self.history.as_ref().is_some_and(|history| read::is_current(history.log(), head))
    }
}

/// Brings the log up to HEAD; with `anew` from scratch. The caller holds the lock of the code
/// index. Keeps the old log without running git if there is no repository. O(new commits + log).
///
/// # Errors
///
/// [`Kind::Cancelled`], and [`Kind::Io`] if the index directory cannot be written. A failure of git
/// is not an error but is reported in the result.
pub(super) fn build(
    engine: &Engine,
    anew: bool,
    lock: &WriterLock,
    progress: &HistoryProgress<'_>,
) -> Result<HistoryBuilt> {
    let history_store = HistoryStore(&engine.store);
    history_store.tidy(lock);
    let stored = match history_store.open() {
        Err(error) if error.kind() == Kind::Corrupt => None,
        stored => stored?.filter(|_| !anew).map(|stored| stored.log),
    };
    let result = read_log(engine, stored.as_ref(), progress);
    let stored_commits = stored.as_ref().map_or(0, |log| log.len() as u64);
    match result {
        Ok(None) => Ok(HistoryBuilt { commits: stored_commits, ..HistoryBuilt::default() }),
        Ok(Some((log, read))) => {
            history_store.publish(lock, &log)?;
            let commits = log.len() as u64;
            Ok(HistoryBuilt { commits, read, published: true, problem: None })
        }
        Err(error) if error.kind() == Kind::Cancelled => Err(Progress::cancelled()),
        Err(error) => {
            let problem = Some(error.to_string());
            Ok(HistoryBuilt { commits: stored_commits, problem, ..HistoryBuilt::default() })
        }
    }
}

/// Returns the log and the number of commits read for it, or `None` if `stored` is up to date or
/// there is no repository.
fn read_log(
    engine: &Engine,
    stored: Option<&Log>,
    progress: &HistoryProgress<'_>,
) -> Result<Option<(Log, u64)>> {
    let Some(head) = Head::of(&engine.root)? else { return Ok(None) };
    if stored.is_some_and(|log| read::is_current(log, &head)) {
        return Ok(None);
    }
    let bounds = Bounds {
        is_cancelled: &|| progress.is_cancelled(),
        on_commit: &|reading| progress.note(reading),
        ..Bounds::WHOLE
    };
    let log = read::log(&engine.root, &head, stored, &bounds)?;
    Ok(log.map(|log| (log, progress.read.load(Ordering::Relaxed))))
}

/// Returns the history of a tree as far as it is stored or quickly read; `None` if there is no
/// repository, or nothing was read yet and there is much to read. Reads only a few small files if
/// HEAD has not moved.
pub(super) fn history(engine: &Engine) -> FoundHistory {
    let head = match Head::of(&engine.root) {
        Ok(Some(head)) => head,
        Ok(None) => return FoundHistory::default(),
        Err(error) => {
            log::debug!("no history: {error}");
            let problem = Some("the repository cannot be read");
            return FoundHistory { problem, ..FoundHistory::default() };
        }
    };
    let is_usable = |last: &LastHistory| {
        last.head == head
            && (last.is_current(&head) || last.publication == HistoryStore(&engine.store).newest())
    };
    let read = |last: Option<&LastHistory>| look(engine, head.clone(), last);
    // Concurrent calls wait instead of running git again, but not long: git may stall.
    let (history, problem, is_damaged) =
        match engine.cache.last_history.get(CALL_PATIENCE, is_usable, read) {
            Some(last) => (last.history, last.problem, last.is_unreadable),
            None => {
                let published = HistoryStore(&engine.store).open().ok().flatten();
                let history = published.map(|published| Arc::new(History::new(published.log)));
                (history, Some("git does not respond"), false)
            }
        };
    let problem = problem.filter(|_| history.is_none());
    FoundHistory { history, problem, is_damaged }
}

/// Returns the log if it describes HEAD, without running git: the one in memory, or else the published
/// one. `None` if HEAD has moved since.
pub(super) fn current(engine: &Engine) -> Option<Arc<History>> {
    let head = Head::of(&engine.root).ok()??;
    let last = engine.cache.last_history.last();
    if let Some(last) = last.as_ref().filter(|last| last.is_current(&head)) {
        return last.history.clone();
    }
    let history_store = HistoryStore(&engine.store);
    let publication = history_store.newest();
    if last.is_some_and(|last| last.publication == publication) {
        return None;
    }
    let log = history_store.open().ok().flatten()?.log;
    if !read::is_current(&log, &head) {
        return None;
    }
    let history = Some(Arc::new(History::new(log)));
    let last = LastHistory { head, publication, history, is_unreadable: false, problem: None };
    engine.cache.last_history.set(last.clone());
    last.history
}

fn look(engine: &Engine, head: Head, last: Option<&LastHistory>) -> LastHistory {
    let history_store = HistoryStore(&engine.store);
    let mut found = match last.filter(|last| last.publication == history_store.newest()) {
        Some(last) => last.clone(),
        None => {
            let mut is_unreadable = false;
            let published = history_store.open().unwrap_or_else(|error| {
                log::debug!("the log of commits is unusable: {error}");
                is_unreadable = true;
                None
            });
            // Without a usable published log, the log in memory is closer to HEAD than an empty
            // one.
            let memory = || last.and_then(|last| last.history.clone());
            LastHistory {
                head: head.clone(),
                publication: history_store.newest(),
                history: published.map(|it| Arc::new(History::new(it.log))).or_else(memory),
                is_unreadable,
                problem: None,
            }
        }
    };
    if !found.is_current(&head) {
        let bounds =
            Bounds { read_max: CALL_COMMITS_MAX, patience: CALL_PATIENCE, ..Bounds::WHOLE };
        let kept = found.history.as_ref().map(|history| history.log());
        match read::log(&engine.root, &head, kept, &bounds) {
            Ok(Some(log)) => found.history = Some(Arc::new(History::new(log))),
            Ok(None) => {
                log::debug!("the log of commits is behind HEAD by more than is read now");
                found.problem = Some("it is not indexed yet");
            }
            Err(error) => {
                log::debug!("the log of commits stays as it is: {error}");
                found.problem = Some("git cannot read it");
            }
        }
    }
    if found.is_unreadable {
        found.problem = Some("it is damaged");
    }
    LastHistory { head, ..found }
}

/// Returns true if there is a commit log, even an outdated one, or no repository to read one from.
pub fn has_history(engine: &Engine) -> bool {
    HistoryStore(&engine.store).newest().is_some()
        || Head::of(&engine.root).is_ok_and(|head| head.is_none())
}

/// Returns the status of the commit log. O(log).
pub fn history_status(engine: &Engine) -> HistoryStatus {
    let (head, problem) = match Head::of(&engine.root) {
        Ok(head) => (head, None),
        Err(error) => (None, Some(error.to_string())),
    };
    let mut status = HistoryStatus {
        has_repository: head.is_some() || problem.is_some(),
        unusable: problem,
        ..HistoryStatus::default()
    };
    match HistoryStore(&engine.store).open() {
        Ok(Some(published)) => {
            let log = &published.log;
            status.exists = true;
            status.commits = log.len() as u64;
            status.is_behind = head.as_ref().is_some_and(|head| !read::is_current(log, head));
            status.is_cut = log.origin().is_cut;
            status.is_shallow = log.origin().shallow != 0;
            status.len_bytes = published.len_bytes;
        }
        Ok(None) => {}
        Err(error) => status.unusable = Some(error.to_string()),
    }
    status
}
