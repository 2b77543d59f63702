//! The tree as a command sees it, which remembers what was asked of it: afterwards the edge knows which
//! index was missed, and has it built for the next question.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::background::{self, Build};
use crate::catalog::Catalog;
use crate::catalog::code::{Code, Editor};
use crate::catalog::file_list::FileList;
use crate::engine::{self, Check, Engine, Local};
use crate::error::{Kind, Result};
use crate::history::History;
use crate::history::git::Git;
use crate::index::text::Overlay;
use crate::lang::{Language, Symbol};
use crate::query::fuzzy::PathIndex;
use crate::query::plan::Plan;
use crate::source::guarded::Content;

/// Files that are tried, to learn whether a builder could know more of the tree.
const TRIED_MAX: usize = 16;

/// A tree, and what was asked of it.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    engine: &'a Engine,
    code: Local<'a>,
    asked_files: AtomicBool,
    asked_catalog: AtomicBool,
}

impl<'a> Seen<'a> {
    /// Returns the tree of `engine`; see [`Local::new`].
    pub(super) fn new(engine: &'a Engine, check: Check) -> Seen<'a> {
        let (asked_files, asked_catalog) = (AtomicBool::new(false), AtomicBool::new(false));
        Seen { engine, code: Local::new(engine, check), asked_files, asked_catalog }
    }

    /// Returns the same for a call that may write files.
    pub(super) fn writable(self) -> Self {
        Seen { code: self.code.writable(), ..self }
    }

    /// Asks, and once more without the code index if that turns out to be damaged; then starts a
    /// builder of what was missed, unless the user `forbids` it.
    ///
    /// # Errors
    ///
    /// Those of `question`.
    pub(super) fn ask<T>(
        mut self,
        forbids: bool,
        mut question: impl FnMut(&Seen<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut answer = question(&self);
        let is_corrupt = answer.as_ref().is_err_and(|error| error.kind() == Kind::Corrupt);
        let missed = if self.code.needs_code_rebuild() || is_corrupt {
            Some(Build::FullAnew)
        } else {
            self.missed()
        };
        if let Some(build) = missed.filter(|_| !forbids) {
            background::build(self.engine, build);
        }
        if self.code.is_damaged() || is_corrupt {
            log::debug!("the code index is damaged; asking again without it");
            self.code = self.code.without_code_index();
            answer = question(&self);
        }
        answer
    }

    /// Returns what is to be built: a question found no index, or asked for more than it knows.
    fn missed(&self) -> Option<Build> {
        let asked_catalog = self.asked_catalog.load(Ordering::Relaxed);
        let has_snapshot = || matches!(self.engine.snapshot(), Ok(Some(_)));
        let has_index = match asked_catalog || self.asked_files.load(Ordering::Relaxed) {
            // The list was made already.
            true => self.code.files().is_ok_and(|files| files.generation > 0),
            false => has_snapshot(),
        };
        if has_index {
            return (asked_catalog && self.lacks_code()).then_some(Build::Full);
        }
        // One that can be opened and was not used is damaged inside.
        Some(match (has_snapshot(), asked_catalog) {
            (true, true) => Build::FullAnew,
            (true, false) => Build::ForSearchAnew,
            (false, true) => Build::Full,
            (false, false) => Build::ForSearch,
        })
    }

    /// Returns true if a builder could know more of the files than the catalog does. Files that
    /// nobody can read stay unknown, and no reason to build again and again.
    fn lacks_code(&self) -> bool {
        if !engine::has_code(self.engine) {
            return true;
        }
        let Ok(catalog) = self.code.catalog(&[]) else { return false };
        let mut tried = catalog.missing().iter().take(TRIED_MAX);
        tried.any(|&file| self.code.read(catalog.path(file), 0).is_ok())
    }

    fn note(asked: &AtomicBool) {
        asked.store(true, Ordering::Relaxed);
    }
}

impl Code for Seen<'_> {
    fn root(&self) -> &Path {
        self.code.root()
    }

    fn files(&self) -> Result<&FileList> {
        Seen::note(&self.asked_files);
        self.code.files()
    }

    fn catalog(&self, about: &[&str]) -> Result<&Catalog> {
        Seen::note(&self.asked_catalog);
        self.code.catalog(about)
    }

    fn indexed(&self) -> Result<&Catalog> {
        Seen::note(&self.asked_files);
        self.code.indexed()
    }

    fn outline(&self, path: &[u8], hash: u128) -> Option<(&'static Language, Vec<Symbol>)> {
        self.code.outline(path, hash)
    }

    fn ranking(&self) -> Result<Option<Arc<Overlay>>> {
        Seen::note(&self.asked_catalog);
        self.code.ranking()
    }

    fn names(&self) -> Result<&PathIndex> {
        Seen::note(&self.asked_files);
        self.code.names()
    }

    fn candidates(&self, plan: &Plan) -> Result<Option<Vec<usize>>> {
        Seen::note(&self.asked_files);
        self.code.candidates(plan)
    }

    fn read(&self, path: &[u8], bytes_max: u64) -> Result<Content> {
        self.code.read(path, bytes_max)
    }

    fn history(&self) -> Result<Option<Arc<History>>> {
        self.code.history()
    }

    fn git(&self) -> Option<&Git> {
        self.code.git()
    }

    fn editor(&self) -> Option<&dyn Editor> {
        self.code.editor()
    }
}
