//! The implementation of [`Code`] for a tree on this machine.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::Engine;
use super::cache::TreeState;
use super::catalog::{catalog, indexed, segments};
use super::file_list::{Check, newer_list};
use super::history::history;
use super::may_match::may_match;
use super::ranking::overlay;
use crate::base::interrupt::Interrupt;
use crate::catalog::Catalog;
use crate::catalog::code::{Code, Editor};
use crate::catalog::file_list::FileList;
use crate::error::Result;
use crate::history::History;
use crate::history::git::Git;
use crate::index::code::CodeSegment;
use crate::index::text::Overlay;
use crate::lang::{Language, Symbol};
use crate::query::fuzzy::PathIndex;
use crate::query::plan::Plan;
use crate::source::guarded::{self, Content};

/// The state of an engine's tree during one call: the list of files is made on first use and then
/// reused, so that one reply is consistent.
#[derive(Debug)]
pub struct Local<'a> {
    engine: &'a Engine,
    check: Check,
    may_write: bool,
    interrupt: Interrupt<'a>,
    uses_code_index: bool,
    /// The segments could not be opened.
    is_code_index_unreadable: AtomicBool,
    state: OnceLock<Arc<TreeState>>,
    segments: OnceLock<Arc<Vec<CodeSegment>>>,
    catalog: OnceLock<Arc<Catalog>>,
    indexed: OnceLock<Arc<Catalog>>,
    history: OnceLock<Option<Arc<History>>>,
    git: OnceLock<Option<Git>>,
}

impl<'a> Local<'a> {
    /// Creates the view of the tree of `engine`, checked according to `check`; reads nothing yet.
    pub fn new(engine: &'a Engine, check: Check) -> Local<'a> {
        Local {
            engine,
            check,
            may_write: false,
            interrupt: Interrupt::NEVER,
            uses_code_index: true,
            is_code_index_unreadable: AtomicBool::new(false),
            state: OnceLock::new(),
            segments: OnceLock::new(),
            catalog: OnceLock::new(),
            indexed: OnceLock::new(),
            history: OnceLock::new(),
            git: OnceLock::new(),
        }
    }

    /// Returns the same view for a call that can be interrupted. A walk then fails with
    /// [`crate::Kind::Cancelled`]; files that are not parsed by then count as not indexed.
    #[must_use]
    pub fn interrupted_by(self, interrupt: Interrupt<'a>) -> Self {
        Local { interrupt, ..self }
    }

    /// Returns the same view for a call that may write files.
    #[must_use]
    pub fn writable(self) -> Self {
        Local { may_write: true, ..self }
    }

    /// Returns the same view without the code index, which may be damaged.
    #[must_use]
    pub fn without_code_index(self) -> Self {
        self.engine.cache.forget_segments();
        let (segments, catalog, indexed) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Local { uses_code_index: false, segments, catalog, indexed, ..self }
    }

    /// Returns true if the code index turned out to be damaged while it was read: replies since
    /// then may be incomplete.
    pub fn is_damaged(&self) -> bool {
        let is_damaged = |catalog: &Arc<Catalog>| catalog.is_damaged();
        [&self.catalog, &self.indexed].iter().any(|made| made.get().is_some_and(is_damaged))
    }

    /// Returns true if the code index must be rebuilt: it is damaged or could not be opened.
    pub fn needs_code_rebuild(&self) -> bool {
        self.is_damaged() || self.is_code_index_unreadable.load(Ordering::Relaxed)
    }

    fn segments(&self) -> &Arc<Vec<CodeSegment>> {
        self.segments.get_or_init(|| {
            if !self.uses_code_index {
                return Arc::default();
            }
            segments(self.engine).unwrap_or_else(|error| {
                log::debug!("code index unusable: {error}");
                self.is_code_index_unreadable.store(true, Ordering::Relaxed);
                Arc::default()
            })
        })
    }

    fn state(&self) -> Result<&Arc<TreeState>> {
        if let Some(state) = self.state.get() {
            return Ok(state);
        }
        let last = self.engine.cache.last();
        if let Some(last) = last.as_ref().filter(|last| self.is_current(&last.files)) {
            return Ok(self.state.get_or_init(|| Arc::clone(last)));
        }
        let newer = newer_list(
            self.engine,
            self.check,
            last.as_ref().map(|last| &*last.files),
            self.interrupt,
        )?;
        let state = match (newer, last) {
            (None, Some(last)) => last,
            (newer, _) => self.engine.cache.state(newer.unwrap_or_default()),
        };
        Ok(self.state.get_or_init(|| state))
    }
}

impl Local<'_> {
    /// Returns true if a watch server of this process guarantees that a list of files is current.
    pub(super) fn is_current(&self, files: &FileList) -> bool {
        let Engine { cache, store, root, .. } = self.engine;
        self.check == Check::Watcher
            && cache.watch_state.unchanged(store).is_some_and(|unchanged| {
                files.is_current(root, |generation, sums| unchanged.is_of(generation, sums))
            })
    }
}

impl Code for Local<'_> {
    fn root(&self) -> &Path {
        self.engine.root()
    }

    fn files(&self) -> Result<&FileList> {
        Ok(&self.state()?.files)
    }

    fn catalog(&self, about: &[&str]) -> Result<&Catalog> {
        if let Some(catalog) = self.catalog.get() {
            return Ok(catalog);
        }
        let catalog = catalog(self.engine, self.state()?, self.segments(), about, self.interrupt)?;
        Ok(self.catalog.get_or_init(|| catalog))
    }

    fn indexed(&self) -> Result<&Catalog> {
        if let Some(catalog) = self.catalog.get().or(self.indexed.get()) {
            return Ok(catalog);
        }
        let catalog = indexed(self.engine, self.state()?, self.segments())?;
        Ok(self.indexed.get_or_init(|| catalog))
    }

    fn outline(&self, path: &[u8], hash: u128) -> Option<(&'static Language, Vec<Symbol>)> {
        // If several segments have the file, the last one is the most likely to match.
        self.segments().iter().rev().find_map(|segment| segment.outline(path, hash).ok().flatten())
    }

    fn ranking(&self) -> Result<Option<Arc<Overlay>>> {
        overlay(self.engine, self.state()?, self.catalog(&[])?)
    }

    fn names(&self) -> Result<&PathIndex> {
        let TreeState { files, names, .. } = &**self.state()?;
        let paths = || files.iter().map(|(path, info)| (path, info.modified_ns));
        Ok(names.get_or_init(|| PathIndex::new(paths())))
    }

    fn candidates(&self, plan: &Plan) -> Result<Option<Vec<usize>>> {
        may_match(self.engine, &self.state()?.files, plan)
    }

    fn read(&self, path: &[u8], bytes_max: u64) -> Result<Content> {
        guarded::read(self.engine.root(), path, bytes_max)
    }

    fn history(&self) -> Result<Option<Arc<History>>> {
        Ok(self.history.get_or_init(|| history(self.engine)).clone())
    }

    fn git(&self) -> Option<&Git> {
        self.git.get_or_init(|| Git::open(self.engine.root())).as_ref()
    }

    fn editor(&self) -> Option<&dyn Editor> {
        self.may_write.then_some(self.engine as &dyn Editor)
    }
}
