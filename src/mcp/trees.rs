//! The trees of a server: their names, which of them are open, and which one a call refers to.
//!
//! Limits: 256 trees, 16 of them open at once. The least recently used tree is closed for another
//! one and reopened when it is used again; its index stays on disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::clones::Lease;
use super::names;
use super::project::Project;
use crate::engine::Engine;
use crate::error::{Error, Kind, Result};
use crate::tools::session::ProjectSelector;

/// The number of trees of a server.
pub(super) const TREES_MAX: usize = 256;

/// The number of open trees: each holds texts, watches and parts of its index in memory.
const OPEN_MAX: usize = 16;

/// A tree of the server.
#[derive(Debug)]
struct Tree {
    root: PathBuf,
    /// True if the user or the client named it, or the server was started in it.
    is_named: bool,
    /// True if a call added it.
    is_added: bool,
    project: Option<Arc<Project>>,
    /// The value of the use counter at its last use.
    last_use: u64,
    /// Keeps the clone of a repository in the cache while the tree is listed.
    lease: Option<Lease>,
}

impl Tree {
    fn new(root: PathBuf) -> Tree {
        let (is_named, is_added) = (false, false);
        Tree { root, is_named, is_added, project: None, last_use: 0, lease: None }
    }
}

/// The trees in the order in which they were named; those that calls added come last.
#[derive(Debug, Default)]
pub(super) struct Trees {
    list: Vec<Tree>,
    uses: u64,
}

/// The description of a tree in a list.
pub(super) struct TreeSummary {
    pub(super) name: String,
    pub(super) root: PathBuf,
    pub(super) is_default: bool,
    pub(super) project: Option<Arc<Project>>,
}

impl Trees {
    /// Returns true if any tree was named.
    pub(super) fn has_named(&self) -> bool {
        self.list.iter().any(|tree| tree.is_named)
    }

    /// Returns true if the user or the client named the tree at `root`, or the server was started
    /// in it.
    pub(super) fn is_named(&self, root: &Path) -> bool {
        self.list.iter().any(|tree| tree.is_named && tree.root == root)
    }

    /// Replaces the trees that were named before with those of `roots`. A tree that is in both stays
    /// open, and trees that calls added stay.
    pub(super) fn name(&mut self, roots: Vec<PathBuf>) {
        let mut old = std::mem::take(&mut self.list);
        for root in roots.into_iter().take(TREES_MAX) {
            if self.list.iter().any(|tree| tree.root == root) {
                continue;
            }
            let existing = old.iter().position(|tree| tree.root == root);
            let tree = existing.map_or_else(|| Tree::new(root), |at| old.remove(at));
            self.list.push(Tree { is_named: true, ..tree });
        }
        let added = old.into_iter().filter(|tree| tree.is_added);
        self.list.extend(added.map(|tree| Tree { is_named: false, ..tree }));
    }

    /// Adds a tree for a call. Returns true if it is new.
    ///
    /// # Errors
    ///
    /// [`Kind::Limit`] if there are too many.
    pub(super) fn add(&mut self, root: &Path, lease: Option<Lease>) -> Result<bool> {
        if let Some(tree) = self.list.iter_mut().find(|tree| tree.root == root) {
            tree.is_added = true;
            tree.lease = tree.lease.take().or(lease);
            return Ok(false);
        }
        if self.list.len() >= TREES_MAX {
            let message = format!("the server already has {TREES_MAX} projects, the maximum");
            return Err(Error::new(Kind::Limit, message));
        }
        self.list.push(Tree { is_added: true, lease, ..Tree::new(root.to_path_buf()) });
        Ok(true)
    }

    /// Returns the index of the requested tree; `None` if there is no tree. The first tree is the
    /// default; it also has priority for a path inside it.
    ///
    /// # Errors
    ///
    /// Those of [`names::find`].
    pub(super) fn place(&self, wanted: Option<&ProjectSelector>) -> Result<Option<usize>> {
        let first = (!self.list.is_empty()).then_some(0);
        match wanted {
            None => Ok(first),
            Some(ProjectSelector::Named(name)) => names::find(&self.roots(), name).map(Some),
            Some(ProjectSelector::Containing(path)) => {
                let is_in_first =
                    self.list.first().is_some_and(|tree| path.starts_with(&tree.root));
                let holding = || names::holding(&self.roots(), path);
                Ok(if is_in_first { first } else { holding().or(first) })
            }
        }
    }

    /// Returns the tree at an index if it is open, else its root, for [`Trees::start`].
    pub(super) fn opened(&mut self, at: usize) -> std::result::Result<Arc<Project>, PathBuf> {
        self.uses += 1;
        let tree = &mut self.list[at];
        tree.last_use = self.uses;
        tree.project.clone().ok_or_else(|| tree.root.clone())
    }

    /// Opens and returns the tree of `engine`, and closes another one if too many are open. If it
    /// was opened in the meantime, returns that project.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] if the tree is not listed any more, and those of [`Project::start`].
    pub(super) fn start(&mut self, engine: Engine) -> Result<Arc<Project>> {
        let at = self.list.iter().position(|tree| tree.root == engine.root());
        let at = at.ok_or_else(|| Error::usage("the client has removed this project"))?;
        if let Ok(project) = self.opened(at) {
            return Ok(project);
        }
        let project = Arc::new(Project::start(engine)?);
        self.list[at].project = Some(Arc::clone(&project));
        self.close_beyond(OPEN_MAX);
        Ok(project)
    }

    /// Closes the least recently used trees until at most `open_max` are open; the first stays
    /// open.
    fn close_beyond(&mut self, open_max: usize) {
        let count = self.list.iter().filter(|tree| tree.project.is_some()).count();
        for _ in open_max..count {
            let open = self.list.iter_mut().skip(1).filter(|tree| tree.project.is_some());
            if let Some(tree) = open.min_by_key(|tree| tree.last_use) {
                tree.project = None;
            }
        }
    }

    /// Returns a summary of each tree.
    pub(super) fn summaries(&self) -> Vec<TreeSummary> {
        let names = names::of(&self.roots());
        let summaries =
            self.list.iter().zip(names).enumerate().map(|(at, (tree, name))| TreeSummary {
                name,
                root: tree.root.clone(),
                is_default: at == 0,
                project: tree.project.clone(),
            });
        summaries.collect()
    }

    /// Returns the name of the tree at `root`, unless it is the first.
    pub(super) fn name_unless_first(&self, root: &Path) -> Option<String> {
        let at = self.list.iter().position(|tree| tree.root == root).filter(|&at| at > 0)?;
        names::of(&self.roots()).into_iter().nth(at)
    }

    /// Closes all trees. Returns those that were open.
    pub(super) fn close(&mut self) -> Vec<Arc<Project>> {
        std::mem::take(&mut self.list).into_iter().filter_map(|tree| tree.project).collect()
    }

    fn roots(&self) -> Vec<&Path> {
        self.list.iter().map(|tree| tree.root.as_path()).collect()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::index::store::Store;
    use crate::source::walk::Environment;

    fn engine(base: &Path, root: &Path) -> Engine {
        let name = root.file_name().expect("it has a name");
        let store = Store::new(base.join("index").join(name), false);
        let environment = Environment { global_excludes: None, threads: 1 };
        Engine::new(root.to_path_buf(), store, environment)
    }

    fn opened(trees: &mut Trees, base: &Path, at: usize) -> Arc<Project> {
        trees
            .opened(at)
            .unwrap_or_else(|root| trees.start(engine(base, &root)).expect("it can be opened"))
    }

    fn names(trees: &Trees) -> Vec<(String, bool)> {
        trees
            .summaries()
            .into_iter()
            .map(|summary| (summary.name, summary.project.is_some()))
            .collect()
    }

    #[test]
    fn trees_named_again_stay_open_and_added_trees_stay() {
        let place = tempfile::tempdir().expect("a folder");
        let base = place.path().canonicalize().expect("it is there");
        for name in ["a", "b", "c", "d"] {
            std::fs::create_dir(base.join(name)).expect("a folder");
        }
        let root = |name: &str| base.join(name);
        let mut trees = Trees::default();
        assert_eq!(trees.place(None).expect("none"), None);
        trees.name(vec![root("a"), root("b"), root("a")]);
        opened(&mut trees, &base, 0);
        let second = opened(&mut trees, &base, 1);
        assert!(!trees.add(&root("b"), None).expect("there is room"));
        assert!(trees.add(&root("c"), None).expect("there is room"));
        trees.name(vec![root("b"), root("d")]);
        let entry = |name: &str, is_open: bool| (name.to_owned(), is_open);
        assert_eq!(names(&trees), [entry("b", true), entry("d", false), entry("c", false)]);
        assert!(Arc::ptr_eq(&opened(&mut trees, &base, 0), &second));
        // Two threads opened the tree at the same time.
        let again = trees.start(engine(&base, &root("b"))).expect("it is open");
        assert!(Arc::ptr_eq(&again, &second));
        let gone = trees.start(engine(&base, &root("a"))).expect_err("it is not listed");
        assert_eq!(gone.kind(), Kind::Usage);
        let holding = |path: &str| Some(ProjectSelector::Containing(base.join(path)));
        for (path, at) in [("d/x.rs", 1), ("c/y/x.rs", 2), ("b/x.rs", 0), ("elsewhere", 0)] {
            let found = trees.place(holding(path).as_ref()).expect("no name");
            assert_eq!(found, Some(at), "{path}");
        }
        let named = |trees: &Trees| ["a", "b", "c", "d"].map(|name| trees.is_named(&root(name)));
        assert_eq!(named(&trees), [false, true, false, true]);
        // A tree that was named and added stays when it is no longer named.
        trees.name(vec![root("a")]);
        assert_eq!(names(&trees), [entry("a", false), entry("b", true), entry("c", false)]);
        assert_eq!(named(&trees), [true, false, false, false]);
        assert_eq!(trees.close().len(), 1);
    }

    #[test]
    fn the_least_recently_used_trees_are_closed() {
        let place = tempfile::tempdir().expect("a folder");
        let base = place.path().canonicalize().expect("it is there");
        let roots: Vec<PathBuf> = (0..OPEN_MAX + 2).map(|n| base.join(format!("t{n}"))).collect();
        for root in &roots {
            std::fs::create_dir(root).expect("a folder");
        }
        let mut trees = Trees::default();
        trees.name(roots);
        for at in 0..OPEN_MAX {
            opened(&mut trees, &base, at);
        }
        for at in [1, OPEN_MAX, OPEN_MAX + 1] {
            opened(&mut trees, &base, at);
        }
        let closed: Vec<usize> = (0..OPEN_MAX + 2).filter(|&at| !names(&trees)[at].1).collect();
        assert_eq!(closed, [2, 3]);
        let full =
            (0..TREES_MAX).try_for_each(|n| trees.add(&base.join(format!("x{n}")), None).map(drop));
        assert_eq!(full.expect_err("there is no room").kind(), Kind::Limit);
        trees.close();
    }
}
