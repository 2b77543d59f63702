//! The code of a tree, as a call sees it whose caller may lose interest: then the next thing that it
//! asks for is refused, and so it ends.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::catalog::Catalog;
use crate::catalog::code::{Code, Editor};
use crate::catalog::file_list::FileList;
use crate::engine::Local;
use crate::error::{Error, Kind, Result};
use crate::history::History;
use crate::history::git::Git;
use crate::index::text::Overlay;
use crate::lang::{Language, Symbol};
use crate::query::fuzzy::PathIndex;
use crate::query::plan::Plan;
use crate::source::guarded::Content;

/// Says whether the caller lost interest.
pub(super) type IsCancelled<'a> = &'a (dyn Fn() -> bool + Sync);

/// A tree that answers as long as somebody wants to know.
pub(super) struct Interruptible<'a> {
    code: Local<'a>,
    is_cancelled: IsCancelled<'a>,
    generation: AtomicU64,
}

impl<'a> Interruptible<'a> {
    pub(super) fn new(code: Local<'a>, is_cancelled: IsCancelled<'a>) -> Interruptible<'a> {
        Interruptible { code, is_cancelled, generation: AtomicU64::new(0) }
    }

    /// Returns the generation that answered; `None` where no index was asked, or there is none.
    pub(super) fn generation(&self) -> Option<u64> {
        Some(self.generation.load(Ordering::Relaxed)).filter(|&generation| generation > 0)
    }

    /// Returns true if answers may be incomplete, since the code index is damaged.
    pub(super) fn is_damaged(&self) -> bool {
        self.code.is_damaged()
    }

    /// Returns the same without the code index.
    pub(super) fn without_code_index(self) -> Self {
        Interruptible { code: self.code.without_code_index(), ..self }
    }

    fn go_on(&self) -> Result<()> {
        match (self.is_cancelled)() {
            true => Err(Error::new(Kind::Cancelled, "the call was cancelled")),
            false => Ok(()),
        }
    }

    fn note(&self, files: &FileList) {
        self.generation.store(files.generation, Ordering::Relaxed);
    }
}

impl Code for Interruptible<'_> {
    fn root(&self) -> &Path {
        self.code.root()
    }

    fn files(&self) -> Result<&FileList> {
        self.go_on()?;
        self.code.files().inspect(|files| self.note(files))
    }

    fn catalog(&self, about: &[&str]) -> Result<&Catalog> {
        self.go_on()?;
        self.code.catalog(about).inspect(|catalog| self.note(catalog.files()))
    }

    fn indexed(&self) -> Result<&Catalog> {
        self.go_on()?;
        self.code.indexed().inspect(|catalog| self.note(catalog.files()))
    }

    fn outline(&self, path: &[u8], hash: u128) -> Option<(&'static Language, Vec<Symbol>)> {
        self.code.outline(path, hash)
    }

    fn ranking(&self) -> Result<Option<Arc<Overlay>>> {
        self.go_on()?;
        self.code.ranking()
    }

    fn names(&self) -> Result<&PathIndex> {
        self.go_on()?;
        self.code.names()
    }

    fn candidates(&self, plan: &Plan) -> Result<Option<Vec<usize>>> {
        self.go_on()?;
        self.code.candidates(plan)
    }

    fn read(&self, path: &[u8], bytes_max: u64) -> Result<Content> {
        self.go_on()?;
        self.code.read(path, bytes_max)
    }

    fn history(&self) -> Result<Option<Arc<History>>> {
        self.go_on()?;
        self.code.history()
    }

    fn git(&self) -> Option<&Git> {
        self.code.git()
    }

    fn editor(&self) -> Option<&dyn Editor> {
        // Nothing is written for a caller who is gone.
        self.go_on().ok().and_then(|()| self.code.editor())
    }
}
