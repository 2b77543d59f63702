//! A tree that is served: its engine, and a thread that indexes and watches it.

use std::sync::{Arc, OnceLock, mpsc};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::catalog::damage::Damage;
use crate::engine::{self, Engine, Pace, Progress, Stage, Stop};
use crate::error::{Error, Kind, Result};
use crate::tools::counted;
use crate::tools::session::Indexed;

/// How long to wait before another attempt while another process builds.
const BUSY_PAUSE: Duration = Duration::from_millis(200);

/// The interval at which to try to take over from another process that watches the tree.
const WATCH_PAUSE: Duration = Duration::from_secs(10);

/// The pause between two repairs of one index, which bounds the work if a repair has no effect.
const REPAIR_PAUSE: Duration = Duration::from_secs(10);

/// The state of the index.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Readiness {
    /// There is no index yet.
    Nothing,
    /// It serves searches and lists of files.
    Ready,
    /// It also serves symbols, references and words.
    Full,
    /// It cannot be built; calls read the files themselves.
    Failed,
}

impl Readiness {
    /// Returns the state as replies report it.
    pub(super) fn indexed(self) -> Indexed {
        match self {
            Readiness::Nothing => Indexed::Nothing,
            Readiness::Ready => Indexed::Ready,
            Readiness::Full => Indexed::Full,
            Readiness::Failed => Indexed::Failed,
        }
    }
}

/// A tree that is served. Work on the index stops when it is dropped.
#[derive(Debug)]
pub(super) struct Project {
    engine: Engine,
    started: Instant,
    readiness: watch::Receiver<Readiness>,
    work: Arc<Work>,
    repairs: mpsc::Sender<Damage>,
}

/// State shared with the threads of the project.
#[derive(Debug)]
struct Work {
    progress: Progress,
    stop: Stop,
    /// Why the index cannot be built.
    failure: OnceLock<String>,
}

impl Project {
    /// Starts to update the index of a tree.
    ///
    /// # Errors
    ///
    /// If no thread can be started or no descriptor is available.
    pub(super) fn start(engine: Engine) -> Result<Project> {
        let (sender, readiness) = watch::channel(Readiness::Nothing);
        let work = Arc::new(Work {
            progress: Progress::default(),
            stop: Stop::new()?,
            failure: OnceLock::new(),
        });
        let (repairs, damages) = mpsc::channel();
        let indexer = Indexer { engine: engine.clone(), work: Arc::clone(&work), sender, damages };
        let spawned =
            std::thread::Builder::new().name("mcp-index".to_owned()).spawn(move || indexer.run());
        spawned.map_err(|error| {
            Error::new(Kind::Io, format!("cannot start the index thread: {error}"))
        })?;
        Ok(Project { engine, started: Instant::now(), readiness, work, repairs })
    }

    /// Returns its engine.
    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Starts to rebuild the damaged parts of the index in the background, if there are any. The
    /// first build of the server checks the index anyway.
    pub(super) fn repair(&self, damage: Damage) {
        if !damage.is_empty() && self.is_settled() {
            // After a failed build nobody receives it, and the failure is reported already.
            let _ = self.repairs.send(damage);
        }
    }

    /// Returns true if the index is complete.
    pub(super) fn is_full(&self) -> bool {
        *self.readiness.borrow() == Readiness::Full
    }

    /// Returns which parts of the index exist.
    pub(super) fn indexed(&self) -> Indexed {
        self.readiness.borrow().indexed()
    }

    /// Returns true if the index is complete or cannot be built.
    pub(super) fn is_settled(&self) -> bool {
        *self.readiness.borrow() >= Readiness::Full
    }

    /// Returns the time since the project was opened.
    pub(super) fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Waits until the index is complete or cannot be built, or until `patience` has passed since
    /// the project was opened.
    pub(super) async fn settle(&self, patience: Duration) {
        let left = patience.saturating_sub(self.started.elapsed());
        if left.is_zero() {
            return;
        }
        let mut readiness = self.readiness.clone();
        let full = readiness.wait_for(|readiness| *readiness >= Readiness::Full);
        // After a timeout, calls use what is indexed.
        let _ = tokio::time::timeout(left, full).await;
    }

    /// Describes the progress of the index; `None` once it is complete.
    pub(super) fn progress_message(&self) -> Option<String> {
        let readiness = *self.readiness.borrow();
        if readiness == Readiness::Full {
            return None;
        }
        if readiness == Readiness::Failed {
            let reason = self.work.failure.get().map_or("", String::as_str);
            return Some(format!(
                "the index cannot be built and results may be incomplete: {reason}"
            ));
        }
        let (done, total, _) = self.work.progress.counts();
        let doing = match self.work.progress.stage() {
            Stage::Walking | Stage::Waiting => {
                return Some("the index is being built: listing files".to_owned());
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

    /// Returns the progress as files done and in total.
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

/// Returns the state of the index that earlier processes built; each call detects later changes.
pub(super) fn existing_readiness(engine: &Engine) -> Readiness {
    match engine.snapshot() {
        Ok(Some(_)) if engine::has_code(engine) => Readiness::Full,
        Ok(Some(_)) => Readiness::Ready,
        _ => Readiness::Nothing,
    }
}

/// Keeps the index of a tree up to date.
struct Indexer {
    engine: Engine,
    work: Arc<Work>,
    sender: watch::Sender<Readiness>,
    damages: mpsc::Receiver<Damage>,
}

impl Indexer {
    fn run(self) {
        let Indexer { engine, work, sender, damages } = self;
        rise(&sender, existing_readiness(&engine));
        if let Err(error) = retry_while_busy(&work, || engine::refresh(&engine, &work.progress)) {
            failed(&work, &sender, &error);
            return;
        }
        rise(&sender, Readiness::Ready);
        std::thread::scope(|scope| {
            scope.spawn(|| keep_watching(&engine, &work));
            match retry_while_busy(&work, || engine::build_code(&engine, false, &work.progress)) {
                Ok(_) => rise(&sender, Readiness::Full),
                Err(error) => return failed(&work, &sender, &error),
            }
            keep_repairing(&engine, &work, &damages);
        });
    }
}

/// Rebuilds what calls find damaged, until the project is dropped.
fn keep_repairing(engine: &Engine, work: &Work, damages: &mpsc::Receiver<Damage>) {
    let mut from = Instant::now();
    while let Ok(damage) = damages.recv() {
        while Instant::now() < from && !work.stop.is_stopped() {
            std::thread::sleep(BUSY_PAUSE);
        }
        if work.stop.is_stopped() {
            return;
        }
        damages.try_iter().for_each(|more| damage.add(&more));
        log::warn!("the index is damaged; rebuilding it");
        let repaired = retry_while_busy(work, || engine::repair(engine, &damage, &work.progress));
        if let Err(error) = repaired {
            log::warn!("cannot repair the index: {error}");
        }
        // Calls report the same damage until it is repaired.
        damages.try_iter().for_each(drop);
        from = Instant::now() + REPAIR_PAUSE;
    }
}

/// Raises the state to `readiness`. A lower value has no effect.
fn rise(sender: &watch::Sender<Readiness>, readiness: Readiness) {
    sender.send_if_modified(|now| {
        let rises = *now < readiness;
        *now = readiness.max(*now);
        rises
    });
}

fn failed(work: &Work, sender: &watch::Sender<Readiness>, error: &Error) {
    if error.kind() != Kind::Cancelled {
        log::warn!("cannot build the index; calls read files instead: {error}");
        let _ = work.failure.set(crate::base::text::plain(&error.to_string()));
        rise(sender, Readiness::Failed);
    }
}

/// Runs `attempt`, repeatedly while another process holds the lock.
fn retry_while_busy<T>(work: &Work, mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    loop {
        match attempt() {
            Err(error) if error.kind() == Kind::Busy && !work.stop.is_stopped() => {
                std::thread::sleep(BUSY_PAUSE);
            }
            result => return result,
        }
    }
}

/// Watches the tree, so that calls need not check the metadata of every file. Takes over when
/// another process that watches it ends. Without a watcher, calls are slower but equally correct.
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
                log::debug!("cannot watch the tree: {error}");
                return;
            }
            Ok(()) => return,
        }
    }
}
