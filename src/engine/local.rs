//! The code of a tree on this machine, as tools see it.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::Engine;
use super::catalog::{bare, catalog, parts};
use super::file_list::{Check, FileList, file_list};
use crate::catalog::Catalog;
use crate::error::Result;
use crate::history::git::Git;
use crate::index::code::Part;
use crate::lang::{Language, Symbol};
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
    parts: OnceLock<Arc<Vec<Part>>>,
    catalog: OnceLock<Catalog>,
    indexed: OnceLock<Catalog>,
    names: OnceLock<PathIndex>,
    git: OnceLock<Option<Git>>,
}

impl Local<'_> {
    /// Returns the tree of `engine`, checked as `check` says; looks at nothing yet.
    pub fn new(engine: &Engine, check: Check) -> Local<'_> {
        let (files, parts) = (OnceLock::new(), OnceLock::new());
        let (catalog, indexed) = (OnceLock::new(), OnceLock::new());
        let (names, git) = (OnceLock::new(), OnceLock::new());
        Local { engine, check, with_parts: true, files, parts, catalog, indexed, names, git }
    }

    /// Returns the same without the code index, whose parts may be damaged.
    #[must_use]
    pub fn without_parts(self) -> Self {
        let (parts, catalog, indexed) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Local { with_parts: false, parts, catalog, indexed, ..self }
    }

    /// Returns true if the code index turned out to be damaged: answers since may be incomplete.
    pub fn is_damaged(&self) -> bool {
        [&self.catalog, &self.indexed]
            .iter()
            .any(|catalog| catalog.get().is_some_and(Catalog::is_damaged))
    }

    fn parts(&self) -> &Arc<Vec<Part>> {
        self.parts.get_or_init(|| match self.with_parts {
            true => parts(self.engine),
            false => Arc::default(),
        })
    }

    fn shared_files(&self) -> Result<Arc<FileList>> {
        self.files()?;
        Ok(Arc::clone(self.files.get().expect("made just now")))
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
        let catalog = catalog(self.engine, self.shared_files()?, self.parts(), about)?;
        Ok(self.catalog.get_or_init(|| catalog))
    }

    fn indexed(&self) -> Result<&Catalog> {
        if let Some(catalog) = self.catalog.get().or(self.indexed.get()) {
            return Ok(catalog);
        }
        let catalog = bare(self.engine, &self.shared_files()?, self.parts())?.0;
        Ok(self.indexed.get_or_init(|| catalog))
    }

    fn outline(&self, path: &[u8], hash: u128) -> Option<(&'static Language, Vec<Symbol>)> {
        // Of several parts that speak of a file the last one is the likeliest.
        self.parts().iter().rev().find_map(|part| part.outline(path, hash).ok().flatten())
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
