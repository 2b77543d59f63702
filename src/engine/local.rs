//! The code of a tree on this machine, as tools see it.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::Engine;
use super::catalog::catalog;
use super::file_list::{Check, FileList, file_list};
use crate::catalog::Catalog;
use crate::error::Result;
use crate::history::git::Git;
use crate::query::fuzzy::PathIndex;
use crate::source::guarded::{self, Content};
use crate::tools::call::Code;

/// The tree of an engine, looked at once: its list of files is made when it is first asked for and
/// holds for every later question, so that one answer is of one moment.
#[derive(Debug)]
pub struct Local<'a> {
    engine: &'a Engine,
    check: Check,
    with_parts: bool,
    files: OnceLock<Arc<FileList>>,
    catalog: OnceLock<Catalog>,
    names: OnceLock<PathIndex>,
    git: OnceLock<Option<Git>>,
}

impl Local<'_> {
    /// Returns the tree of `engine`, checked as `check` says; looks at nothing yet.
    pub fn new(engine: &Engine, check: Check) -> Local<'_> {
        let (files, names, git) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Local { engine, check, with_parts: true, files, catalog: OnceLock::new(), names, git }
    }
}

impl Local<'_> {
    /// Returns the same without the code index, whose parts may be damaged.
    #[must_use]
    pub fn without_parts(self) -> Self {
        Local { with_parts: false, catalog: OnceLock::new(), ..self }
    }

    /// Returns true if the code index turned out to be damaged: answers since may be incomplete.
    pub fn is_damaged(&self) -> bool {
        self.catalog.get().is_some_and(Catalog::is_damaged)
    }
}

impl Code for Local<'_> {
    fn root(&self) -> &Path {
        self.engine.root()
    }

    fn files(&self) -> Result<&FileList> {
        if let Some(files) = self.files.get() {
            return Ok(files);
        }
        let files = Arc::new(file_list(self.engine, self.check)?);
        Ok(self.files.get_or_init(|| files))
    }

    fn catalog(&self, about: &[&str]) -> Result<&Catalog> {
        if let Some(catalog) = self.catalog.get() {
            return Ok(catalog);
        }
        self.files()?;
        let files = self.files.get().expect("made just now");
        let catalog = catalog(self.engine, Arc::clone(files), about, self.with_parts)?;
        Ok(self.catalog.get_or_init(|| catalog))
    }

    fn names(&self) -> Result<&PathIndex> {
        let files = self.files()?;
        let paths = || files.iter().map(|(path, info)| (path, info.modified_ns));
        Ok(self.names.get_or_init(|| PathIndex::new(paths())))
    }

    fn read(&self, path: &[u8], bytes_max: u64) -> Result<Content> {
        guarded::read(self.engine.root(), path, bytes_max)
    }

    fn git(&self) -> Option<&Git> {
        self.git.get_or_init(|| Git::open(self.engine.root())).as_ref()
    }
}
