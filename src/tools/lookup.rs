//! Look-ups of definitions: by name, prefix, pattern, or partial name. Their order is that of
//! [`crate::answer::precedence`], then by name, public ones first, then by path and position.
//!
//! Only the symbols that a reply shows are decoded (see `selection`), unless a filter needs all of
//! them. A look-up is cut at 20,000 names and 200,000 definitions. Errors about unknown names are
//! in `unknown`.

use std::collections::BTreeSet;

use globset::GlobSet;

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

/// The maximum number of names that a fuzzy query selects.
const FUZZY_NAMES_MAX: usize = 100;

/// A query for names.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum NameQuery<'a> {
    /// A name, qualified or not, or an id.
    Name(&'a str),
    /// The start of a name.
    Prefix(&'a str),
    /// A glob of a name, or a part of it.
    Pattern(&'a str),
    /// A partial or misspelled name.
    Fuzzy(&'a str),
}

impl<'a> NameQuery<'a> {
    /// Returns a text that occurs in every file with a matching definition, if there is one.
    pub fn required_text(self) -> Option<&'a str> {
        let text = match self {
            NameQuery::Name(name) => {
                let name = id_parts(name).map_or(name, |(_, qualified)| qualified);
                match Qualified::new(name) {
                    Some(qualified) => Some(qualified.last),
                    None => longest_run(name),
                }
            }
            NameQuery::Prefix(prefix) => Some(prefix),
            NameQuery::Pattern(pattern) => longest_run(pattern),
            NameQuery::Fuzzy(_) => None,
        };
        text.filter(|text| !text.is_empty())
    }
}

/// Returns the longest literal part of a glob; for a name without wildcards, all of it.
fn longest_run(pattern: &str) -> Option<&str> {
    if !is_glob(pattern) {
        return Some(pattern);
    }
    // Brackets contain alternatives, not literals.
    if pattern.contains(['[', '{', '\\']) {
        return None;
    }
    pattern.split(['*', '?']).max_by_key(|run| run.len())
}

fn is_glob(pattern: &str) -> bool {
    pattern.contains(['*', '?', '[', '{'])
}

/// The files to which a look-up is limited.
#[derive(Clone, Debug)]
pub enum Within {
    /// The file at a repository path, or those below it.
    Below(Vec<u8>),
    /// Those that match a glob.
    Glob(PathGlob),
}

impl Within {
    /// Interprets the `path` argument of a call: as a listed file or directory with exactly that
    /// path, or else as a glob.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Usage`] for a path outside of the tree, or an invalid glob.
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

    pub(super) fn is_match(&self, path: &[u8]) -> bool {
        match self {
            Within::Below(dir) => path::is_within(path, dir),
            Within::Glob(glob) => glob.is_match(path),
        }
    }
}

/// Further conditions on definitions.
#[derive(Debug, Default)]
pub struct Filter {
    /// Its kind.
    pub kind: Option<SymbolKind>,
    /// Its file.
    pub within: Option<Within>,
    /// True to select only program code: no headings, keys or selectors.
    pub is_code: bool,
}

/// The result of a look-up.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Selected {
    /// The first definitions.
    pub symbols: Vec<SymbolAt>,
    /// How many there are.
    pub total: usize,
    /// How many there would be without the filter.
    pub unfiltered: usize,
    /// A limit was reached, so there may be more than were counted.
    pub is_cut: bool,
}

/// Returns the first `max` definitions that match a query. O(definitions of the names), and
/// O(names) for patterns and fuzzy queries.
///
/// # Errors
///
/// [`crate::Kind::Usage`] for an invalid pattern, [`crate::Kind::Corrupt`] if the index is damaged.
pub fn select(
    catalog: &Catalog,
    query: NameQuery<'_>,
    filter: &Filter,
    max: usize,
) -> Result<Selected> {
    let mut selection = Selection::new(catalog, filter, max);
    match query {
        NameQuery::Name(name) => selection.add_named(name)?,
        NameQuery::Prefix(prefix) => {
            let names = selection.names(prefix, |_| true)?;
            selection.add_names(&names)?;
        }
        NameQuery::Pattern(pattern) => {
            let glob = glob(pattern)?;
            let is_match = |name: &[u8]| match &glob {
                Some(glob) => glob.is_match(path::to_path(name)),
                None => memchr::memmem::find(name, pattern.as_bytes()).is_some(),
            };
            // `**/` also matches nothing, and so not its `/`.
            let is_plain = glob.is_none() || !pattern.contains("**");
            let part = longest_run(pattern).filter(|_| is_plain).unwrap_or_default();
            let names = selection.names_containing(part, is_match)?;
            selection.add_names(&names)?;
        }
        NameQuery::Fuzzy(text) => {
            let (names, total) = catalog.similar_names(text.as_bytes(), FUZZY_NAMES_MAX)?;
            selection.is_cut_if(total > names.len());
            for name in names {
                selection.add_names(&[name])?;
            }
        }
    }
    Ok(selection.selected())
}

/// Returns the definitions that match `name`, best first, and their number.
///
/// # Errors
///
/// [`crate::Kind::NotFound`] with the nearest names; [`crate::Kind::Corrupt`] if the index is
/// damaged.
pub fn named(catalog: &Catalog, name: &str, filter: &Filter, max: usize) -> Result<Selected> {
    let selected = select(catalog, NameQuery::Name(name), filter, max)?;
    match selected.unfiltered {
        0 => Err(unknown::unknown(catalog, name)?),
        _ => Ok(selected),
    }
}

/// Returns all program code that matches `name` in the given files, best first. A declaration also
/// selects the definitions that it declares. O(definitions of the name).
///
/// # Errors
///
/// [`crate::Kind::NotFound`] if there is none, with the nearest names or the files that have a
/// match.
pub fn code(
    catalog: &Catalog,
    name: &str,
    within: Option<&Within>,
    given: Option<&str>,
) -> Result<Vec<SymbolAt>> {
    let filter = Filter { is_code: true, ..Filter::default() };
    let mut found = select(catalog, NameQuery::Name(name), &filter, usize::MAX)?.symbols;
    if found.is_empty() {
        return Err(unknown::unknown(catalog, name)?);
    }
    let Some(within) = within else { return Ok(found) };
    let is_inside = |at: &SymbolAt| within.is_match(catalog.path(at.file));
    let inside: Vec<SymbolAt> = found.iter().copied().filter(is_inside).collect();
    if inside.is_empty() {
        return Err(elsewhere(catalog, name, given.unwrap_or_default(), &found));
    }
    let mut declared = BTreeSet::new();
    for at in inside {
        let (name, kind) = named_at(catalog, at)?.unwrap_or_default();
        if kind != Some(SymbolKind::Prototype) {
            found.retain(is_inside);
            return Ok(found);
        }
        declared.insert(name);
    }
    let mut selected = Vec::with_capacity(found.len());
    for at in found {
        let name = named_at(catalog, at)?.unwrap_or_default().0;
        if is_inside(&at) || declared.contains(&name) {
            selected.push(at);
        }
    }
    Ok(selected)
}

/// Returns qualified name and kind of a definition.
fn named_at(catalog: &Catalog, at: SymbolAt) -> Result<Option<(String, Option<SymbolKind>)>> {
    let symbol = catalog.symbol(at)?;
    Ok(symbol.map(|symbol| (symbol.qualified_name.clone(), Some(symbol.kind))))
}

/// Parses a pattern as a glob; `None` for a text that names contain.
fn glob(pattern: &str) -> Result<Option<GlobSet>> {
    if !is_glob(pattern) {
        return Ok(None);
    }
    let glob = crate::base::glob::compile(pattern, false).map_err(|error| {
        Error::usage(format!("invalid glob: {error}"))
            .with_hint("escape a literal `[` or `{` with `\\`")
    })?;
    Ok(Some(glob))
}

/// Splits an id into path and qualified name.
fn id_parts(id: &str) -> Option<(&str, &str)> {
    let (rest, ordinal) = id.rsplit_once('#')?;
    ordinal.parse::<u32>().ok()?;
    rest.split_once('#').filter(|(path, name)| !path.is_empty() && !name.is_empty())
}
