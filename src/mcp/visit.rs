//! The session of one call: its access to other projects, each with one consistent state for the
//! whole call.

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
use crate::tools::session::{self, Added, ProjectSelector, Remote, Session, Source};

/// The maximum number of other projects that a call uses: one for each part of a bundle.
const OTHER_PROJECTS_MAX: usize = 20;

/// How long a call that adds a project waits until the project is indexed.
const INDEXING: Duration = Duration::from_secs(10);

/// The interval at which a waiting call checks its condition.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// The current activity of a long call, for progress notifications.
#[derive(Debug)]
pub(super) struct Activity {
    since: Instant,
    project: Mutex<Option<Arc<Project>>>,
}

impl Activity {
    /// Returns the activity of a call that starts now.
    pub(super) fn new() -> Activity {
        Activity { since: Instant::now(), project: Mutex::new(None) }
    }

    /// Returns files done, the total, and a message.
    pub(super) fn state(&self) -> (u64, u64, Option<String>) {
        let project = self.project.lock().unwrap_or_else(PoisonError::into_inner);
        match &*project {
            Some(project) => {
                let (done, total) = project.counts();
                (done, total, project.progress_message())
            }
            None => {
                let seconds = self.since.elapsed().as_secs();
                (0, 0, Some(format!("cloning ({seconds} s)")))
            }
        }
    }

    fn indexes(&self, project: &Arc<Project>) {
        let mut now = self.project.lock().unwrap_or_else(PoisonError::into_inner);
        *now = Some(Arc::clone(project));
    }
}

/// The other projects that a call uses, opened on first use.
pub(super) type OtherProjects = [OnceLock<Arc<Project>>; OTHER_PROJECTS_MAX];

/// Returns the other projects of a new call: none.
pub(super) fn other_projects() -> OtherProjects {
    std::array::from_fn(|_| OnceLock::new())
}

/// The session of a call.
pub(super) struct Visit<'a> {
    roots: &'a Roots,
    /// The root of the call's own tree.
    home: Option<&'a Path>,
    other_projects: &'a OtherProjects,
    codes: [OnceLock<CancellableCode<'a>>; OTHER_PROJECTS_MAX],
    /// The views of trees on other machines, by the names of the projects.
    remotes: [OnceLock<(String, Box<dyn Code + Send + 'a>)>; OTHER_PROJECTS_MAX],
    uses_code_index: bool,
    activity: &'a Activity,
    is_cancelled: IsCancelled<'a>,
}

impl<'a> Visit<'a> {
    pub(super) fn new(
        roots: &'a Roots,
        home: Option<&'a Path>,
        other_projects: &'a OtherProjects,
        activity: &'a Activity,
        is_cancelled: IsCancelled<'a>,
    ) -> Visit<'a> {
        let (codes, remotes) =
            (std::array::from_fn(|_| OnceLock::new()), std::array::from_fn(|_| OnceLock::new()));
        let uses_code_index = true;
        Visit {
            roots,
            home,
            other_projects,
            codes,
            remotes,
            uses_code_index,
            activity,
            is_cancelled,
        }
    }

    /// Returns true if replies may be incomplete because a code index is damaged.
    pub(super) fn is_damaged(&self) -> bool {
        self.codes.iter().any(|code| code.get().is_some_and(CancellableCode::is_damaged))
    }

    /// Returns true if the call read another tree than its own.
    pub(super) fn is_tree_read(&self) -> bool {
        self.codes.iter().any(|code| code.get().is_some_and(CancellableCode::is_tree_read))
    }

    /// Starts to repair the indexes that the call found damaged.
    pub(super) fn repair(&self) {
        for (project, code) in self.other_projects.iter().zip(&self.codes) {
            if let (Some(project), Some(code)) = (project.get(), code.get()) {
                project.repair(code.take_damage());
            }
        }
    }

    /// Returns the same session with fresh views of the projects, without code indexes.
    pub(super) fn without_code_index(self) -> Visit<'a> {
        self.repair();
        let codes = std::array::from_fn(|_| OnceLock::new());
        Visit { codes, uses_code_index: false, ..self }
    }

    /// Returns the view of what a project name selects on other machines, the same for the whole call.
    fn view(&self, remote: &'a dyn Remote, name: &str) -> Result<&dyn Code> {
        for place in &self.remotes {
            if place.get().is_none() {
                let view = remote.view(name, Interrupt::new(self.is_cancelled))?;
                // Set by another thread meanwhile, it may have another name.
                let _ = place.set((name.to_owned(), view));
            }
            if let Some((_, view)) = place.get().filter(|(of, _)| of == name) {
                return Ok(view.as_ref());
            }
        }
        Err(too_many_projects())
    }

    /// Waits until the index of a project is complete or cannot be built, or until `patience` has
    /// passed since the project was opened.
    fn settle(&self, project: &Project, patience: Duration) {
        while !project.is_settled() && project.age() < patience && !(self.is_cancelled)() {
            std::thread::sleep(CHECK_INTERVAL);
        }
    }
}

fn too_many_projects() -> Error {
    let message = format!("a call can use at most {OTHER_PROJECTS_MAX} other projects");
    Error::new(Kind::Limit, message)
}

impl Session for Visit<'_> {
    fn code(&self, wanted: &ProjectSelector) -> Result<Option<&dyn Code>> {
        let is_home = |path: &Path| self.home.is_some_and(|home| path.starts_with(home));
        if matches!(wanted, ProjectSelector::Containing(path) if is_home(path)) {
            return Ok(None);
        }
        if let Some((remote, name)) = self.roots.remote(Some(wanted)) {
            return self.view(remote, &name).map(Some);
        }
        let project = self.roots.project(Some(wanted))?;
        let root = project.engine().root();
        // The call's own tree rejects a path that is in no project.
        if matches!(wanted, ProjectSelector::Containing(path) if !path.starts_with(root))
            || self.home == Some(root)
        {
            return Ok(None);
        }
        for (place, code) in self.other_projects.iter().zip(&self.codes) {
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
        Err(too_many_projects())
    }

    fn names(&self) -> Vec<String> {
        self.roots.names()
    }

    fn projects(&self) -> (Vec<session::Project>, Option<String>) {
        let (mut projects, remark) = self.roots.projects();
        projects.extend(self.roots.remote_project());
        (projects, remark)
    }

    fn indexed(&self) -> Vec<String> {
        self.roots.indexed()
    }

    fn add(&self, source: Source<'_>) -> Result<Added> {
        let (project, is_new) = self.roots.add(source, self.home, self.is_cancelled)?;
        self.activity.indexes(&project);
        let until = Instant::now() + INDEXING;
        while !project.is_settled() && Instant::now() < until && !(self.is_cancelled)() {
            std::thread::sleep(CHECK_INTERVAL);
        }
        Ok(Added { project: self.roots.described_open(&project)?, is_new })
    }
}
