//! The session of `codedb projects`: the trees that have an index. Only servers have projects.

use std::path::PathBuf;

use super::place::Cache;
use crate::catalog::code::Code;
use crate::error::{Error, Result};
use crate::index::store;
use crate::tools::session::{Added, Project, ProjectSelector, Session, Source};

/// The trees that have an index in the cache.
#[derive(Debug)]
pub(super) struct Indexed(Cache);

impl Indexed {
    pub(super) fn new(cache: Cache) -> Indexed {
        Indexed(cache)
    }
}

fn no_session<T>() -> Result<T> {
    Err(Error::usage("only servers have projects").with_hint("use `--root` on the command line"))
}

impl Session for Indexed {
    fn code(&self, _: &ProjectSelector) -> Result<Option<&dyn Code>> {
        no_session()
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn projects(&self) -> (Vec<Project>, Option<String>) {
        (Vec::new(), None)
    }

    fn indexed(&self) -> Vec<String> {
        let mut roots: Vec<PathBuf> = Vec::new();
        for cached in store::cached(&self.0.0).into_iter().rev() {
            let is_new = |root: &PathBuf| !roots.contains(root);
            roots.extend(cached.root.filter(is_new));
        }
        roots.iter().map(|root| root.display().to_string()).collect()
    }

    fn add(&self, _: Source<'_>) -> Result<Added> {
        no_session()
    }
}
