//! Opens, builds and refreshes the index of one tree, and gives other modules their view of the
//! tree.

mod attach;
mod build;
mod catalog;
pub mod code;
mod compare;
mod dir_changes;
mod edit;
mod file_list;
mod files;
mod history;
mod jobs;
mod local;
mod may_match;
mod name_search;
mod ordered;
mod pace;
mod progress;
mod ranking;
mod repair;
#[cfg(unix)]
mod serve;
mod single_flight;
#[cfg(unix)]
mod socket;
mod sweep;
#[cfg(unix)]
mod sync;
mod text;
mod tracked;
#[cfg(not(unix))]
mod unwatched;
mod user_data;
#[cfg(unix)]
mod watch_state;
#[cfg(not(unix))]
use unwatched as watch_state;
mod cache;
#[cfg(unix)]
mod wake;
#[cfg(unix)]
mod wire;

pub use attach::{follow, when_free};
pub use build::{Built, build, build_in_memory, build_obstacle, refresh};
pub use code::{
    CodeBuilt, CodeStatus, LanguageFiles, build_code, check_code, code_status, has_code,
};
pub use compare::{Comparison, WatchReport, compare_tree, compare_watched};
pub use file_list::{Check, file_list};
pub use history::{HistoryBuilt, HistoryStatus, has_history, history_status};
pub use jobs::{JOB_COMMAND, run_job};
pub use local::Local;
pub use pace::Pace;
pub use progress::{Progress, Stage};
pub use repair::repair;
#[cfg(unix)]
pub use serve::serve;
#[cfg(unix)]
pub use sync::{PendingSync, start_sync, sync};
pub use text::has_text;
#[cfg(not(unix))]
pub use unwatched::{PendingSync, Stop, serve, start_sync, sync};
#[cfg(unix)]
pub use wake::Stop;

use std::path::PathBuf;
use std::sync::Arc;

use crate::error::Result;
use crate::index::snapshot::Snapshot;
use crate::index::store::Store;
use crate::parsers::Parsers;
use crate::source::walk::Environment;
use crate::source::write::Editable;
use crate::userdata::Location;
use cache::EngineCache;

/// One tree and its index: their locations and the settings of the environment.
#[derive(Clone, Debug)]
pub struct Engine {
    root: PathBuf,
    store: Store,
    environment: Environment,
    parsers: Arc<Parsers>,
    /// The files that edits may change.
    editable: Editable,
    /// Where user data is stored, if anywhere.
    data: Option<Location>,
    /// The program that runs jobs.
    program: Option<PathBuf>,
    /// Git's index, if it is not that of the repository: git gives its hooks another one.
    git_index: Option<PathBuf>,
    /// See [`Engine::settling`].
    settles: bool,
    /// Shared by all clones.
    cache: Arc<EngineCache>,
}

impl Engine {
    /// Creates the engine of the tree at `root` (an absolute, canonical path); accesses neither
    /// tree nor index. It parses in this process; see [`Engine::parsing_with`].
    pub fn new(root: PathBuf, store: Store, environment: Environment) -> Engine {
        let cache = Arc::new(EngineCache::new(&root));
        let (parsers, editable) = (Parsers::in_process(), Editable::default());
        let (data, program, git_index) = (None, None, None);
        let settles = false;
        Engine {
            root,
            store,
            environment,
            parsers,
            editable,
            data,
            program,
            git_index,
            settles,
            cache,
        }
    }

    /// Returns the same engine, whose builds wait for [`RACY_WINDOW`](crate::source::stamp::RACY_WINDOW)
    /// if ignore rules or directories changed just before the tree was walked, as in a new clone, and
    /// walk it again. Otherwise such sources count as changed until the next refresh.
    #[must_use]
    pub fn settling(self) -> Engine {
        Engine { settles: true, ..self }
    }

    /// Returns the same engine, for which the file `index` is git's index.
    #[must_use]
    pub fn with_git_index(self, index: PathBuf) -> Engine {
        Engine { git_index: Some(index), ..self }
    }

    /// Returns the same engine with other parsers.
    #[must_use]
    pub fn parsing_with(self, parsers: Arc<Parsers>) -> Engine {
        Engine { parsers, ..self }
    }

    /// Returns the same engine with other limits for edits; by default, files that other programs
    /// execute are refused.
    #[must_use]
    pub fn editing(self, editable: Editable) -> Engine {
        Engine { editable, ..self }
    }

    /// Returns the same engine for a user who may see the secrets in files.
    #[must_use]
    pub fn showing_secrets(self) -> Engine {
        Engine { cache: Arc::new(EngineCache::showing_secrets(&self.root)), ..self }
    }

    /// Returns the newest generation, or `None` if there is none. See [`Store::open`].
    pub fn snapshot(&self) -> Result<Option<Snapshot>> {
        self.store.open(&self.root)
    }

    /// Returns the tree's root.
    pub fn root(&self) -> &std::path::Path {
        &self.root
    }

    /// Returns the index directory.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the settings of the environment.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }
}
