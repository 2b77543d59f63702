//! What a server serves beside the protocol: a site that answers all other paths, and its access to the tree.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use http_body_util::combinators::BoxBody;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::cancellable_code::CancellableCode;
use super::project::Project;
use super::roots::Roots;
use super::visit::{self, Activity, Visit};
use crate::base::interrupt::Interrupt;
use crate::catalog::code::Code as _;
use crate::catalog::damage::Part;
use crate::catalog::file_list::FileList;
use crate::engine::{Check, Local};
use crate::error::Result;
use crate::tools::Call;
use crate::tools::session::Indexed;

/// The body of a response.
pub type Body = BoxBody<Bytes, Infallible>;

/// A response that is being made. Dropped if the client closes the connection.
pub type Answering = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

/// Answers requests for all paths that the server does not answer itself.
pub trait Site: Send + Sync {
    /// Answers a request whose host and origin are this server's. Its body is complete.
    fn answer(&self, request: Request<Full<Bytes>>) -> Answering;
}

/// The first tree of a server.
#[derive(Clone)]
pub struct Tree {
    roots: Arc<Roots>,
}

impl std::fmt::Debug for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tree")
    }
}

/// How far the index of a tree is built.
#[derive(Clone, Debug)]
pub struct Readiness {
    /// Which parts exist.
    pub indexed: Indexed,
    /// Files that the present step has done, and their total.
    pub counts: (u64, u64),
    /// What is being done, as a sentence; `None` once the index is complete.
    pub message: Option<String>,
}

/// Returns a number that stays the same while no file changes, and may change when the index is refreshed; never
/// 0. O(files that differ from the index).
pub fn version_of(files: &FileList) -> u64 {
    let mut hash = Xxh3::new();
    let mut add = |number: u64| hash.update(&number.to_le_bytes());
    add(files.generation);
    add(files.len() as u64);
    files.gone.iter().for_each(|path| add(xxh3_64(path)));
    for &at in files.changed_or_added().iter() {
        let info = files.info(at);
        add(xxh3_64(files.path(at)));
        add(info.size_bytes);
        add(info.modified_ns.cast_unsigned());
    }
    hash.digest().max(1)
}

impl Tree {
    pub(super) fn new(roots: Arc<Roots>) -> Tree {
        Tree { roots }
    }

    fn project(&self) -> Result<Arc<Project>> {
        self.roots.project(None)
    }

    /// Runs `run` with a call on one state of the tree. Repeats it without the code index if a part of that
    /// turns out to be damaged. `run` must not run on the serving thread, and ends soon after `is_cancelled`
    /// returns true.
    ///
    /// # Errors
    ///
    /// If the tree cannot be opened; those of `run`.
    pub fn call<T>(
        &self,
        is_cancelled: &(dyn Fn() -> bool + Sync),
        mut run: impl FnMut(&Call<'_>) -> Result<T>,
    ) -> Result<T> {
        let project = self.project()?;
        let engine = project.engine();
        let (activity, other_projects) = (Activity::new(), visit::other_projects());
        let visit =
            Visit::new(&self.roots, Some(engine.root()), &other_projects, &activity, is_cancelled);
        let local = Local::new(engine, Check::Watcher).interrupted_by(Interrupt::new(is_cancelled));
        let mut code = CancellableCode::new(local, is_cancelled);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now_ns = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        let mut reply = run(&Call { session: Some(&visit), ..Call::new(&code, now_ns) });
        if code.is_damaged() {
            code.note_damage(Part::Code);
            code = code.without_code_index();
            reply = run(&Call { session: Some(&visit), ..Call::new(&code, now_ns) });
        }
        project.repair(code.take_damage());
        reply
    }

    /// Returns the [`version_of`] the present files. Cheap where the tree is watched.
    ///
    /// # Errors
    ///
    /// If the tree cannot be read.
    pub fn version(&self) -> Result<u64> {
        let project = self.project()?;
        let local = Local::new(project.engine(), Check::Watcher);
        Ok(version_of(local.files()?))
    }

    /// Returns how far the index is built.
    ///
    /// # Errors
    ///
    /// If the tree cannot be opened.
    pub fn readiness(&self) -> Result<Readiness> {
        let project = self.project()?;
        Ok(Readiness {
            indexed: project.indexed(),
            counts: project.counts(),
            message: project.progress_message(),
        })
    }

    /// Returns the root directory.
    ///
    /// # Errors
    ///
    /// If the tree cannot be opened.
    pub fn root(&self) -> Result<std::path::PathBuf> {
        Ok(self.project()?.engine().root().to_path_buf())
    }
}
