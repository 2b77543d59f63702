//! Determines which trees are served: those that the user named, else all directories that the
//! client names, else the tree in which the server was started; and those that calls add.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use url::Url;

use super::clones::{Clones, Lease};
use super::project::Project;
use super::trees::{TREES_MAX, TreeSummary, Trees};
use super::{Allows, Open, Options, Served};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::history::git::Remote;
use crate::index::store;
use crate::tools::session::{self, ProjectSelector, Source};

/// How long a call waits for a client to name its directories.
const ROOTS_PATIENCE: Duration = Duration::from_secs(2);

/// The trees that are served.
pub(super) struct Roots {
    open: Open,
    is_fixed: bool,
    /// True if the client declared that it has directories and has not named them yet, or named
    /// others that are not served yet.
    is_awaited: AtomicBool,
    named: Notify,
    trees: Mutex<State>,
    allows: Allows,
    cache: PathBuf,
    clones: Clones,
    remote: Option<Arc<dyn session::Remote>>,
}

#[derive(Default)]
struct State {
    trees: Trees,
    /// The reason why none of the named directories can be served, if so.
    refused: Option<String>,
}

impl State {
    /// Returns true if trees were named, or cannot be served.
    fn has_trees(&self) -> bool {
        self.trees.has_named() || self.refused.is_some()
    }

    /// Returns the requested project, or its root if it is not open.
    fn look(
        &mut self,
        wanted: Option<&ProjectSelector>,
    ) -> Result<std::result::Result<Arc<Project>, PathBuf>> {
        match (self.trees.place(wanted)?, &self.refused) {
            (Some(at), _) => Ok(self.trees.opened(at)),
            (None, Some(why)) => Err(Error::usage(why.clone())),
            (None, None) => Err(Error::usage("there is no project yet")),
        }
    }
}

impl Roots {
    /// Creates the trees that the user named, and opens the first. If there are none, no tree is
    /// opened yet.
    ///
    /// # Errors
    ///
    /// If one of them must not be served.
    pub(super) fn new(options: Options) -> Result<Roots> {
        let Options { open, roots, allows, cache, remote, .. } = options;
        let mut trees = Trees::default();
        let engines: Vec<Engine> =
            roots.iter().map(|root| open(Some(root))).collect::<Result<_>>()?;
        trees.name(engines.iter().map(|engine| engine.root().to_path_buf()).collect());
        if let Some(first) = engines.into_iter().next() {
            trees.start(first)?;
        }
        Ok(Roots {
            open,
            is_fixed: !roots.is_empty(),
            is_awaited: AtomicBool::new(false),
            named: Notify::new(),
            trees: Mutex::new(State { trees, refused: None }),
            allows,
            clones: Clones::new(&cache),
            cache,
            remote,
        })
    }

    /// Returns the tree on other machines as a project, if there is one.
    pub(super) fn remote_project(&self) -> Option<session::Project> {
        self.remote.as_deref().map(session::Remote::project)
    }

    /// Returns the tree on other machines, if a call names it.
    pub(super) fn remote(
        &self,
        wanted: Option<&ProjectSelector>,
    ) -> Option<(&dyn session::Remote, String)> {
        let remote = self.remote.as_deref()?;
        match wanted? {
            ProjectSelector::Named(name) => remote.is_named(name).then(|| (remote, name.clone())),
            ProjectSelector::Containing(_) => None,
        }
    }

    /// Stores whether the client will name directories. Returns true if the trees are final without
    /// them: the caller may then open the default tree early, so that its index is available sooner.
    pub(super) fn set_client_has_roots(&self, client_has_roots: bool) -> bool {
        let is_awaited = client_has_roots && !self.is_fixed;
        self.is_awaited.store(is_awaited, Ordering::Release);
        !is_awaited
    }

    /// Returns true if the server requests the client's directories.
    pub(super) fn requests_client_roots(&self) -> bool {
        !self.is_fixed
    }

    /// Makes calls wait for [`Roots::client_named`], which follows: the client has named directories.
    pub(super) fn begin_naming(&self) {
        self.is_awaited.store(true, Ordering::Release);
    }

    /// Replaces the served trees by the directories that a client names, as URIs. All that can be
    /// opened are served; the first is the default project. If `uris` has no directory, nothing
    /// changes: earlier directories of the client stay, and without any, the tree in which the server
    /// was started is served. Reads every directory, so it must not run on the serving thread.
    pub(super) fn client_named<'a>(&self, uris: impl Iterator<Item = &'a str>) {
        let (mut engines, mut refused) = (Vec::new(), None);
        for folder in uris.filter_map(directory).take(TREES_MAX) {
            match (self.open)(Some(&folder)) {
                Ok(engine) => engines.push(engine),
                Err(error) => refused = refused.or(Some(super::sentence::sentence(&error))),
            }
        }
        if !engines.is_empty() || refused.is_some() {
            let mut state = self.lock();
            state.refused = refused.filter(|_| engines.is_empty());
            state.trees.name(engines.iter().map(|engine| engine.root().to_path_buf()).collect());
            if let Some(first) = engines.into_iter().next() {
                // Opened early, so that its index is available sooner. If it cannot be opened, the
                // next call returns the reason.
                drop(state.trees.start(first));
            }
        }
        self.is_awaited.store(false, Ordering::Release);
        self.named.notify_waiters();
    }

    /// Waits until the client has named its directories, at most [`ROOTS_PATIENCE`].
    pub(super) async fn wait_for_client(&self) {
        if self.is_awaited.load(Ordering::Acquire) {
            let named = self.named.notified();
            if self.is_awaited.load(Ordering::Acquire) {
                // A client that does not respond in time counts as one without directories.
                let _ = tokio::time::timeout(ROOTS_PATIENCE, named).await;
                self.is_awaited.store(false, Ordering::Release);
            }
        }
    }

    /// Stops all work. Returns the trees that were open.
    pub(super) fn close(&self) -> Vec<Served> {
        let projects = self.lock().trees.close();
        let served = |project: Arc<Project>| Served {
            engine: project.engine().clone(),
            is_complete: project.is_full(),
        };
        projects.into_iter().map(served).collect()
    }

    /// Returns the requested project, by default the first, if it is open. Does not block.
    ///
    /// # Errors
    ///
    /// If there is no such project.
    pub(super) fn open_project(
        &self,
        wanted: Option<&ProjectSelector>,
    ) -> Result<Option<Arc<Project>>> {
        let mut state = self.lock();
        if !state.has_trees() {
            return Ok(None);
        }
        state.look(wanted).map(std::result::Result::ok)
    }

    /// Opens and returns the requested project, by default the first. If neither the user nor the
    /// client named a tree, that is the tree in which the server was started. Reads the directory if
    /// the project is not open, so it must not run on the serving thread.
    ///
    /// # Errors
    ///
    /// If there is no such project, or it cannot be opened.
    pub(super) fn project(&self, wanted: Option<&ProjectSelector>) -> Result<Arc<Project>> {
        self.start_if_nameless();
        let looked = self.lock().look(wanted)?;
        match looked {
            Ok(project) => Ok(project),
            // No lock is held while the directory is read.
            Err(root) => {
                let engine = (self.open)(Some(&root))?;
                self.lock().trees.start(engine)
            }
        }
    }

    /// Returns the names of the projects, the default one first.
    pub(super) fn names(&self) -> Vec<String> {
        self.lock().trees.summaries().into_iter().map(|summary| summary.name).collect()
    }

    /// Returns the projects, the default one first; if there is none, the reason.
    pub(super) fn projects(&self) -> (Vec<session::Project>, Option<String>) {
        let (summaries, refused) = {
            self.start_if_nameless();
            let state = self.lock();
            (state.trees.summaries(), state.refused.clone())
        };
        let lacks = refused.filter(|_| summaries.is_empty());
        (summaries.into_iter().map(|summary| self.described(summary)).collect(), lacks)
    }

    /// Returns the roots of trees that have an index and are not projects, most recently used
    /// first; none if calls may not add projects.
    pub(super) fn indexed(&self) -> Vec<String> {
        if !self.allows.index {
            return Vec::new();
        }
        let summaries = self.lock().trees.summaries();
        let mut roots: Vec<PathBuf> = Vec::new();
        for cached in store::cached(&self.cache).into_iter().rev() {
            let is_other = |root: &PathBuf| {
                !summaries.iter().any(|summary| summary.root == *root) && !roots.contains(root)
            };
            roots.extend(cached.root.filter(is_other).filter(|root| root.is_dir()));
        }
        roots.iter().map(|root| root.display().to_string()).collect()
    }

    /// Adds a project; `home` is the tree of the call. Returns the project, opened, and whether it
    /// is new.
    ///
    /// # Errors
    ///
    /// If the server does not allow it, or if the source does not exist, must not be served, or
    /// cannot be cloned.
    pub(super) fn add(
        &self,
        source: Source<'_>,
        home: Option<&Path>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(Arc<Project>, bool)> {
        if !self.allows.index {
            return Err(Error::usage("this server does not allow adding projects")
                .with_hint("start it with `codedb serve --allow-index` and a token"));
        }
        let (root, lease) = match source {
            Source::Folder(folder) => (self.folder(folder, home)?, None),
            Source::Remote { url, update } => {
                let (root, lease) = self.copy(url, update, is_cancelled)?;
                (root, Some(lease))
            }
        };
        let engine = (self.open)(Some(&root))?;
        self.start_if_nameless();
        let mut state = self.lock();
        let is_new = state.trees.add(engine.root(), lease)?;
        Ok((state.trees.start(engine)?, is_new))
    }

    /// Returns the name of the project at `root`, unless it is the default one.
    pub(super) fn name_unless_default(&self, root: &Path) -> Option<String> {
        self.lock().trees.name_unless_first(root)
    }

    /// Returns true if calls may write files of the project at `root`: it was named by the user or
    /// the client, not added by a call, and is not a clone in the cache, which other sessions use
    /// as well.
    pub(super) fn may_be_edited(&self, root: &Path) -> bool {
        self.lock().trees.is_named(root) && !self.clones.hold(root)
    }

    /// Returns the description of an open project.
    pub(super) fn described_open(&self, project: &Project) -> Result<session::Project> {
        let summaries = self.lock().trees.summaries();
        let summary = summaries.into_iter().find(|summary| summary.root == project.engine().root());
        let gone = || Error::usage("the client has removed this project");
        summary.map(|summary| self.described(summary)).ok_or_else(gone)
    }

    fn described(&self, summary: TreeSummary) -> session::Project {
        let engine = match &summary.project {
            Some(project) => Some(project.engine().clone()),
            None => (self.open)(Some(&summary.root)).ok(),
        };
        let index = match (&summary.project, &engine) {
            (Some(project), _) => project.indexed(),
            (None, Some(engine)) => super::project::existing_readiness(engine).indexed(),
            (None, None) => session::Indexed::Failed,
        };
        let snapshot = engine.and_then(|engine| engine.snapshot().ok().flatten());
        session::Project {
            name: summary.name,
            root: summary.root.display().to_string(),
            default: summary.is_default,
            index,
            files: snapshot.map(|snapshot| snapshot.table.files() as usize),
            doing: summary.project.and_then(|project| project.progress_message()),
        }
    }

    /// Resolves the directory that a call names: an absolute path, or one relative to its tree.
    fn folder(&self, given: &str, home: Option<&Path>) -> Result<PathBuf> {
        let given = Path::new(given);
        let folder = match home {
            Some(home) => home.join(given),
            None if given.is_absolute() => given.to_path_buf(),
            None => return Err(Error::usage("`path` is not absolute").with_path(given)),
        };
        let folder = folder.canonicalize().map_err(|error| {
            Error::io(given, error).with_hint("`path` is a directory on the server's machine")
        })?;
        if folder.is_dir() {
            Ok(folder)
        } else {
            Err(Error::usage("not a directory").with_path(given))
        }
    }

    fn copy(
        &self,
        url: &str,
        update: bool,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(PathBuf, Lease)> {
        if !self.allows.clone {
            return Err(Error::usage("this server does not allow cloning").with_hint(
                "start it with `--allow-clone`, or clone the repository and pass its directory as `path`",
            ));
        }
        self.clones.copy(&Remote::parse(url)?, update, is_cancelled)
    }

    /// Opens the tree in which the server was started, unless a tree was named.
    fn start_if_nameless(&self) {
        if self.lock().has_trees() {
            return;
        }
        let opened = (self.open)(None);
        let mut state = self.lock();
        // The client may have named its directories in the meantime.
        if state.has_trees() {
            return;
        }
        let started = opened.and_then(|engine| {
            state.trees.name(vec![engine.root().to_path_buf()]);
            state.trees.start(engine)
        });
        state.refused = started.err().map(|error| super::sentence::sentence(&error));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.trees.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the directory of a `file` URI of this machine.
fn directory(uri: &str) -> Option<PathBuf> {
    // Some clients do not escape paths. The URI of a directory has neither a query nor a fragment.
    let uri = uri.replace('?', "%3F").replace('#', "%23");
    let url = Url::parse(&uri).ok().filter(|url| url.scheme() == "file" && !url.has_host())?;
    let path = url.to_file_path().ok()?;
    // A Windows drive, from a client on another system: `file:///C:/work` is `C:/work`.
    let path = match path.to_str().map(str::as_bytes) {
        Some([b'/', drive, b':', ..]) if drive.is_ascii_alphabetic() => {
            path.strip_prefix("/").map_or_else(|_| path.clone(), Path::to_path_buf)
        }
        _ => path,
    };
    Some(path)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::mpsc;

    use super::*;
    use crate::index::store::Store;
    use crate::mcp::Writes;
    use crate::source::walk::Environment;

    #[test]
    fn other_projects_are_served_while_one_is_opened() {
        let place = tempfile::tempdir().expect("a folder");
        let base = place.path().canonicalize().expect("it is there");
        for name in ["first", "slow"] {
            std::fs::create_dir(base.join(name)).expect("a folder");
        }
        let (begin, begun) = mpsc::channel();
        let (go, gone) = mpsc::channel::<()>();
        let (gone, index) = (Mutex::new(gone), base.join("index"));
        let opened = AtomicUsize::new(0);
        let open: Open = Box::new(move |root| {
            let root = root.expect("a tree is named").to_path_buf();
            let name = root.file_name().expect("it has a name").to_owned();
            // The first time is the check when the server starts.
            if name == "slow" && opened.fetch_add(1, Ordering::Relaxed) == 1 {
                // As if a file system did not answer.
                begin.send(()).expect("it is awaited");
                gone.lock().expect("one thread").recv().expect("it is sent");
            }
            let store = Store::new(index.join(name), false);
            Ok(Engine::new(root, store, Environment { global_excludes: None, threads: 1 }))
        });
        let allows = Allows { index: false, clone: false };
        let named = vec![base.join("first"), base.join("slow")];
        let (toolsets, writes, threads) = (Vec::new(), Writes::Refused, 1);
        let options = Options {
            open,
            roots: named,
            cache: base,
            allows,
            toolsets,
            writes,
            threads,
            remote: None,
        };
        let roots = Roots::new(options).expect("they can be opened");
        let slow = ProjectSelector::Named("slow".to_owned());
        std::thread::scope(|scope| {
            let opening = scope.spawn(|| roots.project(Some(&slow)));
            begun.recv().expect("it begins");
            let (done, finished) = mpsc::channel();
            let others = &roots;
            scope.spawn(move || {
                let is_open = |wanted| others.open_project(wanted).expect("there is one").is_some();
                let slow = ProjectSelector::Named("slow".to_owned());
                let _ = done.send((others.names(), is_open(None), is_open(Some(&slow))));
            });
            let seen = finished.recv_timeout(Duration::from_secs(20));
            go.send(()).expect("it waits");
            let names = vec!["first".to_owned(), "slow".to_owned()];
            assert_eq!(seen.expect("no lock is held"), (names, true, false));
            opening.join().expect("it ends").expect("it is opened");
        });
        assert!(roots.open_project(Some(&slow)).expect("it is there").is_some());
        assert_eq!(roots.close().len(), 2);
    }

    #[test]
    fn directories_are_parsed_from_uris() {
        let check = |uri: &str, expected: Option<&str>| {
            assert_eq!(directory(uri), expected.map(PathBuf::from), "{uri}");
        };
        check("file:///home/a", Some("/home/a"));
        check("file://localhost/home/a%20b/%C3%A9", Some("/home/a b/é"));
        check("file:///C:/work", Some("C:/work"));
        check("file://host/share", None);
        check("https://example.org/a", None);
        check("/home/a", None);
        check("file:///a%2", Some("/a%2"));
        check("file:///C#/100%/why?", Some("/C#/100%/why?"));
    }
}
