//! The files and functions that the arguments of a call name.

use super::FUNCTIONS_MAX;
use crate::base::ids::FileId;
use crate::base::path::is_within;
use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::graph::link::{Code as _, SymbolAt};
use crate::history::git::Difference;
use crate::testmap::tree::Tree as _;
use crate::tools::changed_paths::{self, FileKind};
use crate::tools::{Call, lookup, paths};

/// Returns the functions of a file, or those that have one of the given names, longest first.
///
/// # Errors
///
/// An unknown file or name, with the nearest ones.
pub(in crate::tools) fn functions_of(
    call: &Call<'_>,
    catalog: &Catalog,
    given: Option<&str>,
    names: &[String],
) -> Result<Vec<SymbolAt>> {
    if !names.is_empty() {
        let within = given.map(|path| lookup::Within::named(call, path)).transpose()?;
        let mut found = Vec::new();
        for name in names {
            found.extend(lookup::code(catalog, name.trim(), within.as_ref(), given)?);
        }
        found.truncate(FUNCTIONS_MAX);
        return Ok(found);
    }
    let given = given.ok_or_else(|| {
        Error::usage("name a file, a function or a directory")
            .with_hint("without any of them, the changes of the work tree are used")
    })?;
    Ok(functions_in(catalog, file_of(call, catalog, given)?))
}

/// Returns the file that an argument names.
///
/// # Errors
///
/// An unknown path, with the nearest ones.
pub(in crate::tools) fn file_of(call: &Call<'_>, catalog: &Catalog, given: &str) -> Result<FileId> {
    let path = paths::resolve(call, given)?;
    let at = paths::listed(catalog.files(), &path);
    at.map(FileId::new).ok_or_else(|| paths::unknown(call, &path))
}

/// Returns the file that an argument names, or the sources of the directory, without its tests.
///
/// # Errors
///
/// An unknown path, with the nearest ones.
pub(in crate::tools) fn files_of(
    call: &Call<'_>,
    catalog: &Catalog,
    given: &str,
) -> Result<Vec<FileId>> {
    let path = paths::resolve(call, given)?;
    if let Some(at) = paths::listed(catalog.files(), &path) {
        return Ok(vec![FileId::new(at)]);
    }
    let below = catalog.files().below(&path);
    if below.is_empty() && !is_deleted(call, &path)? {
        return Err(paths::unknown(call, &path));
    }
    let is_source = |file: &FileId| {
        let kind = changed_paths::kind(catalog.path(*file));
        kind == FileKind::Code && !catalog.is_test(*file)
    };
    Ok(below.map(FileId::new).filter(is_source).collect())
}

/// Returns true if HEAD has a file at a path, or files below it, and the tree does not: what it lacks is
/// then a change.
fn is_deleted(call: &Call<'_>, path: &[u8]) -> Result<bool> {
    let Some(git) = call.code.git() else { return Ok(false) };
    if git.commit("HEAD")?.is_none() {
        return Ok(false);
    }
    Ok(git.changes_since("HEAD")?.into_iter().any(|(at, how)| match how {
        Difference::Deleted => is_within(&at, path),
        Difference::Renamed(from) => is_within(&from, path),
        Difference::Added | Difference::Modified => false,
    }))
}

/// Returns the functions of a file, longest first; none for a file of tests.
pub(in crate::tools) fn functions_in(catalog: &Catalog, file: FileId) -> Vec<SymbolAt> {
    let Some(facts) = catalog.file(file) else { return Vec::new() };
    let mut places: Vec<usize> = (0..facts.symbols.len())
        .filter(|&place| facts.symbols[place].kind.is_callable())
        .filter(|&place| {
            // Functions inside of functions run with them.
            facts.ancestors(Some(place)).skip(1).all(|at| !facts.symbols[at].kind.is_callable())
        })
        .collect();
    places.sort_by_key(|&place| {
        let symbol = &facts.symbols[place];
        (std::cmp::Reverse(symbol.span.len()), place)
    });
    places.into_iter().map(|place| SymbolAt { file, place: place as u32 }).collect()
}
