//! The code of a call that is about no tree: one that asks for the session's projects, or adds one.

use std::path::Path;
use std::sync::Arc;

use crate::catalog::Catalog;
use crate::catalog::code::Code;
use crate::catalog::file_list::FileList;
use crate::error::{Error, Result};
use crate::history::History;
use crate::history::git::Git;
use crate::index::text::Overlay;
use crate::lang::{Language, Symbol};
use crate::query::fuzzy::PathIndex;
use crate::query::plan::Plan;
use crate::source::guarded::Content;

/// No tree.
pub(super) struct Nowhere;

fn nothing<T>() -> Result<T> {
    Err(Error::usage("this call is about no tree"))
}

impl Code for Nowhere {
    fn root(&self) -> &Path {
        Path::new("")
    }

    fn files(&self) -> Result<&FileList> {
        nothing()
    }

    fn catalog(&self, _: &[&str]) -> Result<&Catalog> {
        nothing()
    }

    fn indexed(&self) -> Result<&Catalog> {
        nothing()
    }

    fn outline(&self, _: &[u8], _: u128) -> Option<(&'static Language, Vec<Symbol>)> {
        None
    }

    fn ranking(&self) -> Result<Option<Arc<Overlay>>> {
        nothing()
    }

    fn names(&self) -> Result<&PathIndex> {
        nothing()
    }

    fn candidates(&self, _: &Plan) -> Result<Option<Vec<usize>>> {
        nothing()
    }

    fn read(&self, _: &[u8], _: u64) -> Result<Content> {
        nothing()
    }

    fn history(&self) -> Result<Option<Arc<History>>> {
        nothing()
    }

    fn git(&self) -> Option<&Git> {
        None
    }
}
