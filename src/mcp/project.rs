//! One tree that is served: its engine, kept warm, and a thread that indexes and watches it.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::engine::{self, Engine, Pace, Progress, Stage, Stop};
use crate::error::{Error, Kind, Result};
use crate::tools::counted;
use crate::tools::session::Indexed;

/// How long to wait for another process that is building.
const BUSY_PAUSE: Duration = Duration::from_millis(200);

/// How often to try to take over from another process that watches.
const WATCH_PAUSE: Duration = Duration::from_secs(10);

/// How far the index is.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Readiness {
    /// There is none yet.
    Nothing,
    /// Searches and lists of files are served from it.
    Ready,
    /// Symbols, references and words, too.
    Full,
    /// It cannot be built; everything is read from the files themselves.
    Failed,
}

impl Readiness {
    /// Returns the same in the words of replies.
    pub(super) fn indexed(self) -> Indexed {
        match self {
            Readiness::Nothing => Indexed::Nothing,
            Readiness::Ready => Indexed::Ready,
            Readiness::Full => Indexed::Full,
            Readiness::Failed => Indexed::Failed,
        }
    }
}

/// A tree that is served. Dropped, it stops to work on the index.
#[derive(Debug)]
pub(super) struct Project {
    engine: Engine,
    started: Instant,
    readiness: watch::Receiver<Readiness>,
    work: Arc<Work>,
}

/// What the project shares with its threads.
#[derive(Debug)]
struct Work {
    progress: Progress,
    stop: Stop,
    /// Why the index cannot be built.
    failure: OnceLock<String>,
}

impl Project {
    /// Starts to bring the index of a tree up to date.
    ///
    /// # Errors
    ///
    /// If the system grants no threads or descriptors.
    pub(super) fn start(engine: Engine) -> Result<Project> {
        let (sender, readiness) = watch::channel(Readiness::Nothing);
        let work = Arc::new(Work {
            progress: Progress::default(),
            stop: Stop::new()?,
            failure: OnceLock::new(),
        });
        let keeper = Keeper { engine: engine.clone(), work: Arc::clone(&work), sender };
        let spawned =
            std::thread::Builder::new().name("mcp-index".to_owned()).spawn(move || keeper.run());
        spawned
            .map_err(|error| Error::new(Kind::Io, format!("no thread for the index: {error}")))?;
        Ok(Project { engine, started: Instant::now(), readiness, work })
    }

    /// Returns its engine.
    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns true if the index lacks nothing that is built in the background.
    pub(super) fn is_full(&self) -> bool {
        *self.readiness.borrow() == Readiness::Full
    }

    /// Returns how much of it is indexed.
    pub(super) fn indexed(&self) -> Indexed {
        self.readiness.borrow().indexed()
    }

    /// Returns true if the index is full, or cannot be.
    pub(super) fn is_settled(&self) -> bool {
        *self.readiness.borrow() >= Readiness::Full
    }

    /// Returns how long it has been open.
    pub(super) fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Waits until the index is full, or cannot be, or `patience` has passed since the start.
    pub(super) async fn settle(&self, patience: Duration) {
        let left = patience.saturating_sub(self.started.elapsed());
        if left.is_zero() {
            return;
        }
        let mut readiness = self.readiness.clone();
        let full = readiness.wait_for(|readiness| *readiness >= Readiness::Full);
        // What is there then is answered from.
        let _ = tokio::time::timeout(left, full).await;
    }

    /// Returns how far the index is, in words; `None` once it is full.
    pub(super) fn how_far(&self) -> Option<String> {
        let readiness = *self.readiness.borrow();
        if readiness == Readiness::Full {
            return None;
        }
        if readiness == Readiness::Failed {
            let reason = self.work.failure.get().map_or("", String::as_str);
            return Some(format!("the index cannot be built, so each call reads files: {reason}"));
        }
        let (done, total, _) = self.work.progress.counts();
        let doing = match self.work.progress.stage() {
            Stage::Walking | Stage::Waiting => {
                return Some("the index is being built: looking for files".to_owned());
            }
            Stage::Reading => "read",
            Stage::Writing => "written",
            Stage::Parsing => "parsed",
            Stage::Ranking => "ranked",
            Stage::History => {
                return Some("the index is being built: reading the log of commits".to_owned());
            }
        };
        let total = counted(usize::try_from(total).unwrap_or(usize::MAX), "file");
        Some(format!("the index is being built: {done} of {total} {doing}"))
    }

    /// Returns how far the index is, as files done and in all.
    pub(super) fn counts(&self) -> (u64, u64) {
        let (done, total, _) = self.work.progress.counts();
        (done, total)
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        self.work.progress.cancel();
        self.work.stop.stop();
    }
}

/// Returns what earlier processes built; what changed since is found by each call.
pub(super) fn known(engine: &Engine) -> Readiness {
    match engine.snapshot() {
        Ok(Some(_)) if engine::has_code(engine) => Readiness::Full,
        Ok(Some(_)) => Readiness::Ready,
        _ => Readiness::Nothing,
    }
}

/// Keeps the index of a tree up to date.
struct Keeper {
    engine: Engine,
    work: Arc<Work>,
    sender: watch::Sender<Readiness>,
}

impl Keeper {
    fn run(self) {
        let Keeper { engine, work, sender } = self;
        rise(&sender, known(&engine));
        if let Err(error) = patiently(&work, || engine::refresh(&engine, &work.progress)) {
            failed(&work, &sender, &error);
            return;
        }
        rise(&sender, Readiness::Ready);
        std::thread::scope(|scope| {
            scope.spawn(|| keep_watching(&engine, &work));
            match patiently(&work, || engine::build_code(&engine, false, &work.progress)) {
                Ok(_) => rise(&sender, Readiness::Full),
                Err(error) => failed(&work, &sender, &error),
            }
        });
    }
}

/// Never falls: what is there stays there.
fn rise(sender: &watch::Sender<Readiness>, readiness: Readiness) {
    sender.send_if_modified(|now| {
        let rises = *now < readiness;
        *now = readiness.max(*now);
        rises
    });
}

fn failed(work: &Work, sender: &watch::Sender<Readiness>, error: &Error) {
    if error.kind() != Kind::Cancelled {
        log::warn!("no index, so every call reads the files: {error}");
        let _ = work.failure.set(crate::base::text::plain(&error.to_string()));
        rise(sender, Readiness::Failed);
    }
}

/// Does `work`, again and again while another process does it.
fn patiently<T>(work: &Work, mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    loop {
        match attempt() {
            Err(error) if error.kind() == Kind::Busy && !work.stop.is_stopped() => {
                std::thread::sleep(BUSY_PAUSE);
            }
            result => return result,
        }
    }
}

/// Watches the tree, so that calls need not compare every stamp; takes over when another process
/// that does so ends. Without a watcher calls are as right, and slower.
fn keep_watching(engine: &Engine, work: &Work) {
    while !work.stop.is_stopped() {
        match engine::serve(engine, &Pace::default(), &work.stop) {
            Err(error) if error.kind() == Kind::Busy => {
                let until = Instant::now() + WATCH_PAUSE;
                while Instant::now() < until && !work.stop.is_stopped() {
                    std::thread::sleep(BUSY_PAUSE);
                }
            }
            Err(error) => {
                log::debug!("not watched: {error}");
                return;
            }
            Ok(()) => return,
        }
    }
}
