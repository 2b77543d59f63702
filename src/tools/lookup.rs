//! Look-ups of definitions: by name, by the start of a name, by a pattern, by a name half
//! remembered. Definitions come before mere declarations, and each of them by their files' marks:
//! generated, vendored and minified ones last, tests before those, then by path and place.
//!
//! Symbols are decoded no further than a reply shows, unless the caller filters by what only they
//! tell. Answers about more than `NAMES_MAX` names or `CANDIDATES_MAX` definitions are cut.

use std::collections::BTreeSet;
use std::sync::Arc;

use globset::{GlobBuilder, GlobMatcher};

use super::glob::PathGlob;
use super::nearest;
use super::qualified::Qualified;
use crate::base::ids::FileId;
use crate::base::{path, text};
use crate::catalog::Catalog;
use crate::error::{Error, Kind, Result};
use crate::graph::link::SymbolAt;
use crate::index::code::keys;
use crate::lang::{Symbol, SymbolKind};

/// Names that one question looks up.
const NAMES_MAX: usize = 20_000;

/// Definitions that one question ranks.
const CANDIDATES_MAX: usize = 200_000;

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
        let literal = match self {
            Wanted::Name(name) => {
                let name = id_parts(name).map_or(name, |(_, qualified)| qualified);
                Qualified::new(name).map_or(name, |qualified| qualified.last)
            }
            Wanted::Prefix(prefix) => prefix,
            Wanted::Pattern(pattern) => {
                let runs = pattern.split(|c: char| !c.is_alphanumeric() && c != '_');
                // What stands in brackets is a choice.
                let runs = runs.filter(|_| !pattern.contains(['[', '{', '\\']));
                runs.max_by_key(|run| run.len())?
            }
            Wanted::Fuzzy(_) => return None,
        };
        (!literal.is_empty()).then_some(literal)
    }
}

/// What else a definition must be.
#[derive(Debug, Default)]
pub struct Filter {
    /// Its kind.
    pub kind: Option<SymbolKind>,
    /// Its file's path.
    pub paths: Option<PathGlob>,
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
/// [`Kind::Usage`] for a pattern that cannot be read, [`Kind::Corrupt`] where the index is damaged.
pub fn select(
    catalog: &Catalog,
    wanted: Wanted<'_>,
    filter: &Filter,
    max: usize,
) -> Result<Selected> {
    let mut selection = Selection { catalog, filter, max, selected: Selected::default() };
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
            selection.selected.is_cut |= hits.total > hits.best.len();
        }
    }
    Ok(selection.selected)
}

/// Returns the definitions that `name` may mean, best first, and all that are called so.
///
/// # Errors
///
/// [`Kind::NotFound`] with the nearest names; [`Kind::Corrupt`] where the index is damaged.
pub fn named(catalog: &Catalog, name: &str, filter: &Filter, max: usize) -> Result<Selected> {
    let selected = select(catalog, Wanted::Name(name), filter, max)?;
    match selected.unfiltered {
        0 => Err(unknown(catalog, name)?),
        _ => Ok(selected),
    }
}

/// Returns the glob that a pattern is, or `None` for a text to be found in names.
fn glob(pattern: &str) -> Result<Option<GlobMatcher>> {
    if !pattern.contains(['*', '?', '[', '{']) {
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

fn unknown(catalog: &Catalog, name: &str) -> Result<Error> {
    let names = catalog.names()?;
    let last = Qualified::new(name).map_or(name, |qualified| qualified.last);
    let mut offered = Vec::new();
    // A name of which all but the scope is right comes first.
    for wanted in [last, name] {
        for at in nearest::in_index(names.index(), wanted.as_bytes()) {
            let near = text::plain(&String::from_utf8_lossy(names.get(at)));
            if offered.len() < nearest::OFFERED_MAX && !offered.contains(&near) {
                offered.push(near);
            }
        }
    }
    let message = format!("nothing called `{}` is defined", text::plain(name));
    let hint = nearest::hint(&offered);
    let hint = hint.unwrap_or("`word` finds every place of a name, defined here or not".to_owned());
    Ok(Error::new(Kind::NotFound, message).with_hint(hint))
}

/// A definition before it is decoded.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Candidate {
    /// Its file says what there is, and is no code itself.
    is_declared: bool,
    /// By its file's marks.
    rank: u8,
    /// The place of its name among those that were looked up.
    name: u32,
    at: SymbolAt,
}

struct Selection<'a> {
    catalog: &'a Catalog,
    filter: &'a Filter,
    max: usize,
    selected: Selected,
}

impl Selection<'_> {
    fn add_named(&mut self, name: &str) -> Result<()> {
        if let Some((path, _)) = id_parts(name)
            && let Some(at) = self.catalog.files().find(path.as_bytes())
            && let Some(facts) = self.catalog.facts(FileId::new(at))?
        {
            // Ids of facts that were made on the spot begin behind the path.
            let rest = &name[path.len()..];
            let is_meant = |symbol: &Symbol| symbol.id.ends_with(rest);
            if let Some(place) = facts.symbols.iter().position(is_meant) {
                let at = SymbolAt { file: FileId::new(at), place: place as u32 };
                return self.add(&[at], None);
            }
        }
        let found = self.defined(name.as_bytes())?;
        match Qualified::new(name).filter(|_| found.is_empty()) {
            None => self.add(&found, None),
            Some(qualified) => {
                let found = self.defined(qualified.last.as_bytes())?;
                self.add(&found, Some(&qualified))
            }
        }
    }

    fn defined(&self, name: &[u8]) -> Result<Arc<[SymbolAt]>> {
        if name < keys::NAMES_FROM { Ok(Arc::default()) } else { self.catalog.defined(name) }
    }

    /// Returns the names with a prefix that fit, in order.
    fn names(&mut self, prefix: &str, fits: impl Fn(&[u8]) -> bool) -> Result<Vec<Vec<u8>>> {
        let mut names = BTreeSet::new();
        let is_cut = &mut self.selected.is_cut;
        self.catalog.each_name(prefix.as_bytes(), |name| {
            if names.contains(name) || !fits(name) {
                return true;
            }
            *is_cut = names.len() >= NAMES_MAX;
            if !*is_cut {
                names.insert(name.to_vec());
            }
            !*is_cut
        })?;
        Ok(names.into_iter().collect())
    }

    /// Adds the definitions of names, of one rank in their order.
    fn add_names(&mut self, names: &[Vec<u8>]) -> Result<()> {
        let mut candidates = Vec::new();
        for (place, name) in names.iter().enumerate() {
            if candidates.len() >= CANDIDATES_MAX {
                self.selected.is_cut = true;
                break;
            }
            self.push_candidates(&mut candidates, place as u32, &self.defined(name)?)?;
        }
        self.add_candidates(candidates, None)
    }

    fn add(&mut self, found: &[SymbolAt], qualified: Option<&Qualified<'_>>) -> Result<()> {
        let mut candidates = Vec::new();
        self.push_candidates(&mut candidates, 0, found)?;
        self.add_candidates(candidates, qualified)
    }

    fn push_candidates(
        &self,
        candidates: &mut Vec<Candidate>,
        name: u32,
        found: &[SymbolAt],
    ) -> Result<()> {
        let mut last = None;
        for &at in found {
            let marks = match last {
                Some((file, marks)) if file == at.file => marks,
                _ => self.catalog.summary(at.file)?.map(|of| of.marks).unwrap_or_default(),
            };
            last = Some((at.file, marks));
            let rank = u8::from(marks.test) + 2 * u8::from(marks.ranks_last());
            candidates.push(Candidate { is_declared: marks.declaration, rank, name, at });
        }
        Ok(())
    }

    /// Sorts candidates and decodes as many as are to be shown; all of them if they are filtered by
    /// what their symbols tell.
    fn add_candidates(
        &mut self,
        mut candidates: Vec<Candidate>,
        qualified: Option<&Qualified<'_>>,
    ) -> Result<()> {
        let filters = qualified.is_some() || self.filter.kind.is_some();
        let mut unfiltered = if qualified.is_none() { candidates.len() } else { 0 };
        if let Some(paths) = &self.filter.paths
            && qualified.is_none()
        {
            candidates.retain(|of| paths.is_match(self.catalog.path(of.at.file)));
        }
        candidates.sort_unstable();
        let room = self.max.saturating_sub(self.selected.symbols.len());
        let (mut shown, mut later, mut fitting) = (Vec::new(), Vec::new(), 0);
        for candidate in &candidates {
            if shown.len() >= room && !filters {
                break;
            }
            let Some(facts) = self.catalog.facts(candidate.at.file)? else { continue };
            let Some(symbol) = facts.symbols.get(candidate.at.place as usize) else { continue };
            let path = self.catalog.path(candidate.at.file);
            if let Some(qualified) = qualified {
                if !qualified.fits(symbol, &String::from_utf8_lossy(path)) {
                    continue;
                }
                unfiltered += 1;
                if self.filter.paths.as_ref().is_some_and(|paths| !paths.is_match(path)) {
                    continue;
                }
            }
            if self.filter.kind.is_some_and(|kind| kind != symbol.kind) {
                continue;
            }
            fitting += 1;
            let mut candidate = *candidate;
            candidate.is_declared |= symbol.kind == SymbolKind::Prototype;
            let list = if candidate.is_declared { &mut later } else { &mut shown };
            if list.len() < room {
                list.push(candidate);
            }
        }
        later.sort_unstable();
        let all = shown.iter().chain(&later).take(room).map(|candidate| candidate.at);
        self.selected.symbols.extend(all);
        self.selected.total += if filters { fitting } else { candidates.len() };
        self.selected.unfiltered += unfiltered;
        Ok(())
    }
}
