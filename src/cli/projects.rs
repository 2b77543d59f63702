//! The session of `codedb projects`: the tree of the command, and the other trees that have an index.
//! Only servers have further projects.

use std::path::PathBuf;

use super::place::Cache;
use crate::catalog::code::Code;
use crate::engine::{self, Engine};
use crate::error::{Error, Result};
use crate::index::store;
use crate::tools::session::{self, Added, Project, ProjectSelector, Session, Source};

/// The tree of the command, and the trees that have an index in the cache.
#[derive(Debug)]
pub(super) struct Indexed<'e> {
    cache: Cache,
    engine: &'e Engine,
}

impl Indexed<'_> {
    pub(super) fn new(cache: Cache, engine: &Engine) -> Indexed<'_> {
        Indexed { cache, engine }
    }
}

fn no_session<T>() -> Result<T> {
    Err(Error::usage("only servers have projects").with_hint("use `--root` on the command line"))
}

impl Session for Indexed<'_> {
    fn code(&self, _: &ProjectSelector) -> Result<Option<&dyn Code>> {
        no_session()
    }

    fn names(&self) -> Vec<String> {
        self.projects().0.into_iter().map(|project| project.name).collect()
    }

    fn projects(&self) -> (Vec<Project>, Option<String>) {
        let root = self.engine.root();
        let snapshot = self.engine.snapshot().ok().flatten();
        let index = match &snapshot {
            Some(_) if engine::has_code(self.engine) => session::Indexed::Full,
            Some(_) => session::Indexed::Ready,
            None => session::Indexed::Nothing,
        };
        let project = Project {
            name: root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned(),
            root: root.display().to_string(),
            default: true,
            index,
            files: snapshot.map(|snapshot| snapshot.table.files() as usize),
            doing: None,
        };
        (vec![project], None)
    }

    fn indexed(&self) -> Vec<String> {
        let mut roots: Vec<PathBuf> = Vec::new();
        for cached in store::cached(&self.cache.0).into_iter().rev() {
            let is_new = |root: &PathBuf| !roots.contains(root) && root != self.engine.root();
            roots.extend(cached.root.filter(is_new));
        }
        roots.iter().map(|root| root.display().to_string()).collect()
    }

    fn add(&self, _: Source<'_>) -> Result<Added> {
        no_session()
    }
}
