//! The session as one call sees it: other projects, each of one moment for all that the call asks.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::cancellable_code::{CancellableCode, IsCancelled};
use super::project::Project;
use super::roots::Roots;
use super::toolset;
use crate::base::interrupt::Interrupt;
use crate::catalog::code::Code;
use crate::engine::{Check, Local};
use crate::error::{Error, Kind, Result};
use crate::tools::session::{self, Added, Session, Source, Wanted};

/// Other projects of a call: one for each part of a bundle.
const PLACES: usize = 20;

/// How long a call that adds a project waits for its index.
const INDEXING: Duration = Duration::from_secs(10);

/// How often a call that waits looks whether it still needs to.
const LOOK: Duration = Duration::from_millis(20);

/// What a call is at that takes long, for whoever is told how far it is.
#[derive(Debug)]
pub(super) struct Doing {
    since: Instant,
    project: Mutex<Option<Arc<Project>>>,
}

impl Doing {
    /// Returns what a call does that begins now.
    pub(super) fn new() -> Doing {
        Doing { since: Instant::now(), project: Mutex::new(None) }
    }

    /// Returns files done and in all, and words.
    pub(super) fn told(&self) -> (u64, u64, Option<String>) {
        let project = self.project.lock().unwrap_or_else(PoisonError::into_inner);
        match &*project {
            Some(project) => {
                let (done, total) = project.counts();
                (done, total, project.how_far())
            }
            None => {
                let seconds = self.since.elapsed().as_secs();
                (0, 0, Some(format!("fetching, for {seconds} s")))
            }
        }
    }

    fn indexes(&self, project: &Arc<Project>) {
        let mut now = self.project.lock().unwrap_or_else(PoisonError::into_inner);
        *now = Some(Arc::clone(project));
    }
}

/// The projects that a call asks beside its own, once it asks.
pub(super) type Places = [OnceLock<Arc<Project>>; PLACES];

/// Returns the places of a call that asked nothing yet.
pub(super) fn places() -> Places {
    std::array::from_fn(|_| OnceLock::new())
}

/// The session around a call.
pub(super) struct Visit<'a> {
    roots: &'a Roots,
    /// The call's own tree.
    home: Option<&'a Path>,
    places: &'a Places,
    codes: [OnceLock<CancellableCode<'a>>; PLACES],
    uses_code_index: bool,
    doing: &'a Doing,
    is_cancelled: IsCancelled<'a>,
}

impl<'a> Visit<'a> {
    pub(super) fn new(
        roots: &'a Roots,
        home: Option<&'a Path>,
        places: &'a Places,
        doing: &'a Doing,
        is_cancelled: IsCancelled<'a>,
    ) -> Visit<'a> {
        let codes = std::array::from_fn(|_| OnceLock::new());
        Visit { roots, home, places, codes, uses_code_index: true, doing, is_cancelled }
    }

    /// Returns true if answers may be incomplete, since a code index is damaged.
    pub(super) fn is_damaged(&self) -> bool {
        self.codes.iter().any(|code| code.get().is_some_and(CancellableCode::is_damaged))
    }

    /// Returns true if the call read another tree than its own.
    pub(super) fn is_tree_read(&self) -> bool {
        self.codes.iter().any(|code| code.get().is_some_and(CancellableCode::is_tree_read))
    }

    /// Returns the same, looked at anew and without code indexes.
    pub(super) fn without_code_index(self) -> Visit<'a> {
        let codes = std::array::from_fn(|_| OnceLock::new());
        Visit { codes, uses_code_index: false, ..self }
    }

    /// Waits until the index of a project is whole, for as long as calls of its first moments wait.
    fn settle(&self, project: &Project, patience: Duration) {
        while !project.is_settled() && project.age() < patience && !(self.is_cancelled)() {
            std::thread::sleep(LOOK);
        }
    }
}

impl Session for Visit<'_> {
    fn code(&self, wanted: &Wanted) -> Result<Option<&dyn Code>> {
        let is_home = |path: &Path| self.home.is_some_and(|home| path.starts_with(home));
        if matches!(wanted, Wanted::Holding(path) if is_home(path)) {
            return Ok(None);
        }
        let project = self.roots.project(Some(wanted))?;
        let root = project.engine().root();
        // A path that no project holds is for the call's own to refuse.
        if matches!(wanted, Wanted::Holding(path) if !path.starts_with(root))
            || self.home == Some(root)
        {
            return Ok(None);
        }
        for (place, code) in self.places.iter().zip(&self.codes) {
            let taken = place.get_or_init(|| Arc::clone(&project));
            if taken.engine().root() == root {
                self.settle(taken, toolset::PATIENCE);
                return Ok(Some(code.get_or_init(|| {
                    let interrupt = Interrupt::new(self.is_cancelled);
                    let code = Local::new(taken.engine(), Check::Watcher).interrupted_by(interrupt);
                    let code = CancellableCode::new(code, self.is_cancelled);
                    if self.uses_code_index { code } else { code.without_code_index() }
                })));
            }
        }
        Err(Error::new(Kind::Limit, format!("a call asks at most {PLACES} other projects")))
    }

    fn names(&self) -> Vec<String> {
        self.roots.names()
    }

    fn projects(&self) -> (Vec<session::Project>, Option<String>) {
        self.roots.projects()
    }

    fn indexed(&self) -> Vec<String> {
        self.roots.indexed()
    }

    fn add(&self, source: Source<'_>) -> Result<Added> {
        let (project, is_new) = self.roots.add(source, self.home, self.is_cancelled)?;
        self.doing.indexes(&project);
        let until = Instant::now() + INDEXING;
        while !project.is_settled() && Instant::now() < until && !(self.is_cancelled)() {
            std::thread::sleep(LOOK);
        }
        Ok(Added { project: self.roots.described_open(&project)?, is_new })
    }
}
