//! Look-ups of definitions: by name, by the start of a name, by a pattern, by a name half
//! remembered. Definitions come before mere declarations, and each of them by their files' marks:
//! generated, vendored and minified ones last, tests before those, then by path and place.
//!
//! Symbols are decoded no further than a reply shows (`selection`), unless the caller filters by
//! what only they tell. Answers about more than 20,000 names or 200,000 definitions are cut. What is
//! said of names that there are none of is in `unknown`.

use std::collections::BTreeSet;

use globset::{GlobBuilder, GlobMatcher};

use super::glob::PathGlob;
use super::qualified::Qualified;
use super::{Call, paths};
use crate::base::path;
use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::graph::link::SymbolAt;
use crate::lang::SymbolKind;
use selection::Selection;

mod selection;
mod unknown;

pub use unknown::elsewhere;

/// Names that a name half remembered may stand for.
const FUZZY_NAMES_MAX: usize = 100;

/// What a caller gives for a name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Wanted<'a> {
    /// A name, qualified or not, or an id.
    Name(&'a str),
    /// The start of a name.
    Prefix(&'a str),
    /// A glob of a name, or a part of it.
    Pattern(&'a str),
    /// A name half remembered.
    Fuzzy(&'a str),
}

impl<'a> Wanted<'a> {
    /// Returns what a file must hold to have such a definition, if that is known.
    pub fn about(self) -> Option<&'a str> {
        let text = match self {
            Wanted::Name(name) => {
                let name = id_parts(name).map_or(name, |(_, qualified)| qualified);
                match Qualified::new(name) {
                    Some(qualified) => Some(qualified.last),
                    None => longest_run(name),
                }
            }
            Wanted::Prefix(prefix) => Some(prefix),
            Wanted::Pattern(pattern) => longest_run(pattern),
            Wanted::Fuzzy(_) => None,
        };
        text.filter(|text| !text.is_empty())
    }
}

/// Returns the longest part of a glob of names that a name must hold; of a name all of it.
fn longest_run(pattern: &str) -> Option<&str> {
    if !is_glob(pattern) {
        return Some(pattern);
    }
    // What stands in brackets is a choice.
    if pattern.contains(['[', '{', '\\']) {
        return None;
    }
    pattern.split(['*', '?']).max_by_key(|run| run.len())
}

fn is_glob(pattern: &str) -> bool {
    pattern.contains(['*', '?', '[', '{'])
}

/// The files in which definitions are looked for.
#[derive(Clone, Debug)]
pub enum Within {
    /// The file at a repository path, or those below it.
    Below(Vec<u8>),
    /// Those of a glob.
    Glob(PathGlob),
}

impl Within {
    /// Returns what a path of a caller means: a listed file or folder of exactly that path, or else
    /// a glob.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Usage`] for one outside of the tree, or a glob that cannot be read.
    pub fn named(call: &Call<'_>, given: &str) -> Result<Within> {
        if !is_glob(given) {
            return Ok(Within::Below(paths::resolve(call, given)?));
        }
        let files = call.code.files()?;
        match paths::resolve(call, given) {
            Ok(path) if files.find(&path).is_some() || !files.below(&path).is_empty() => {
                Ok(Within::Below(path))
            }
            _ => Ok(Within::Glob(PathGlob::new(call.code.root(), given)?)),
        }
    }

    fn is_match(&self, path: &[u8]) -> bool {
        match self {
            Within::Below(dir) => path::is_within(path, dir),
            Within::Glob(glob) => glob.is_match(path),
        }
    }
}

/// What else a definition must be.
#[derive(Debug, Default)]
pub struct Filter {
    /// Its kind.
    pub kind: Option<SymbolKind>,
    /// Its file.
    pub within: Option<Within>,
    /// Something of a program, not a heading, a key or a selector.
    pub is_code: bool,
}

/// What was found.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Selected {
    /// The first definitions.
    pub symbols: Vec<SymbolAt>,
    /// How many there are.
    pub total: usize,
    /// How many there would be without the filter.
    pub unfiltered: usize,
    /// There may be more than were counted.
    pub is_cut: bool,
}

/// Returns the first `max` definitions of what is wanted. O(definitions of the names; names too,
/// for patterns and names half remembered).
///
/// # Errors
///
/// [`crate::Kind::Usage`] for a pattern that cannot be read, [`crate::Kind::Corrupt`] where the
/// index is damaged.
pub fn select(
    catalog: &Catalog,
    wanted: Wanted<'_>,
    filter: &Filter,
    max: usize,
) -> Result<Selected> {
    let mut selection = Selection::new(catalog, filter, max);
    match wanted {
        Wanted::Name(name) => selection.add_named(name)?,
        Wanted::Prefix(prefix) => {
            let names = selection.names(prefix, |_| true)?;
            selection.add_names(&names)?;
        }
        Wanted::Pattern(pattern) => {
            let glob = glob(pattern)?;
            let is_match = |name: &[u8]| match &glob {
                Some(glob) => glob.is_match(path::to_path(name)),
                None => memchr::memmem::find(name, pattern.as_bytes()).is_some(),
            };
            let names = selection.names("", is_match)?;
            selection.add_names(&names)?;
        }
        Wanted::Fuzzy(query) => {
            let names = catalog.names()?;
            let hits = names.index().find(query.as_bytes(), FUZZY_NAMES_MAX);
            for hit in &hits.best {
                selection.add_names(&[names.get(hit.at).to_vec()])?;
            }
            selection.is_cut_if(hits.total > hits.best.len());
        }
    }
    Ok(selection.selected())
}

/// Returns the definitions that `name` may mean, best first, and all that are called so.
///
/// # Errors
///
/// [`crate::Kind::NotFound`] with the nearest names; [`crate::Kind::Corrupt`] where the index is
/// damaged.
pub fn named(catalog: &Catalog, name: &str, filter: &Filter, max: usize) -> Result<Selected> {
    let selected = select(catalog, Wanted::Name(name), filter, max)?;
    match selected.unfiltered {
        0 => Err(unknown::unknown(catalog, name)?),
        _ => Ok(selected),
    }
}

/// Returns all code that `name` may mean, in the files that a caller gives, best first. What a
/// declaration declares is meant with it. O(definitions of the name).
///
/// # Errors
///
/// [`crate::Kind::NotFound`] if there is none, with the nearest names or the files that have one.
pub fn code(
    catalog: &Catalog,
    name: &str,
    within: Option<&Within>,
    given: Option<&str>,
) -> Result<Vec<SymbolAt>> {
    let filter = Filter { is_code: true, ..Filter::default() };
    let mut found = select(catalog, Wanted::Name(name), &filter, usize::MAX)?.symbols;
    if found.is_empty() {
        return Err(unknown::unknown(catalog, name)?);
    }
    let Some(within) = within else { return Ok(found) };
    let is_there = |at: &SymbolAt| within.is_match(catalog.path(at.file));
    let there: Vec<SymbolAt> = found.iter().copied().filter(is_there).collect();
    if there.is_empty() {
        return Err(elsewhere(catalog, name, given.unwrap_or_default(), &found));
    }
    let mut declared = BTreeSet::new();
    for at in there {
        let (name, kind) = named_at(catalog, at)?.unwrap_or_default();
        if kind != Some(SymbolKind::Prototype) {
            found.retain(is_there);
            return Ok(found);
        }
        declared.insert(name);
    }
    let mut meant = Vec::with_capacity(found.len());
    for at in found {
        let name = named_at(catalog, at)?.unwrap_or_default().0;
        if is_there(&at) || declared.contains(&name) {
            meant.push(at);
        }
    }
    Ok(meant)
}

/// Returns qualified name and kind of a definition.
fn named_at(catalog: &Catalog, at: SymbolAt) -> Result<Option<(String, Option<SymbolKind>)>> {
    let symbol = catalog.symbol(at)?;
    Ok(symbol.map(|symbol| (symbol.qualified_name.clone(), Some(symbol.kind))))
}

/// Returns the glob that a pattern is, or `None` for a text to be found in names.
fn glob(pattern: &str) -> Result<Option<GlobMatcher>> {
    if !is_glob(pattern) {
        return Ok(None);
    }
    let glob = GlobBuilder::new(pattern).build().map_err(|error| {
        Error::usage(format!("the pattern cannot be read: {error}"))
            .with_hint("a `[` or `{` that is meant as it stands needs a `\\` before it")
    })?;
    Ok(Some(glob.compile_matcher()))
}

/// Returns path and qualified name of an id.
fn id_parts(id: &str) -> Option<(&str, &str)> {
    let (rest, ordinal) = id.rsplit_once('#')?;
    ordinal.parse::<u32>().ok()?;
    rest.split_once('#').filter(|(path, name)| !path.is_empty() && !name.is_empty())
}
