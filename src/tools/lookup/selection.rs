//! The definitions that a look-up counts and shows. Candidates are ordered by what their files
//! determine and decoded only as far as a reply needs, but at least [`DECODED_MIN`] of them, which
//! are then ordered by their symbols, too.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Filter, Selected, id_parts};
use crate::answer::precedence::{Group, Precedence};
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::link::SymbolAt;
use crate::index::code::keys;
use crate::lang::{Symbol, SymbolKind};
use crate::tools::paths;
use crate::tools::qualified::Qualified;

/// The maximum number of names of one look-up.
const NAMES_MAX: usize = 20_000;

/// The maximum number of definitions that one look-up ranks.
const CANDIDATES_MAX: usize = 200_000;

/// The number of candidates that are decoded, if there are so many, although fewer are shown. Beyond
/// them, a definition comes first for what its file is, not for what it is itself.
const DECODED_MIN: usize = 256;

/// A definition that may not be decoded yet.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Candidate {
    /// As far as its file determines it, until it is decoded.
    group: Group,
    /// Its name, as an index into the names of the look-up.
    name: u32,
    /// Its precedence among the definitions of the name.
    precedence: Precedence,
    at: SymbolAt,
}

/// The definitions of one look-up.
pub(super) struct Selection<'a> {
    catalog: &'a Catalog,
    filter: &'a Filter,
    max: usize,
    selected: Selected,
}

impl<'a> Selection<'a> {
    /// Returns an empty selection that shows at most `max` definitions.
    pub(super) fn new(catalog: &'a Catalog, filter: &'a Filter, max: usize) -> Selection<'a> {
        Selection { catalog, filter, max, selected: Selected::default() }
    }

    /// Returns the result.
    pub(super) fn selected(self) -> Selected {
        self.selected
    }

    /// Marks the result as cut, if `is_cut` is true: there may be more definitions.
    pub(super) fn is_cut_if(&mut self, is_cut: bool) {
        self.selected.is_cut |= is_cut;
    }

    /// Adds the definitions that match a name: for an id, the definition with that id; otherwise
    /// all definitions with that name; otherwise those whose qualified name ends with it.
    pub(super) fn add_named(&mut self, name: &str) -> Result<()> {
        if let Some((path, _)) = id_parts(name)
            && let Some(at) = paths::listed(self.catalog.files(), path.as_bytes())
            && let Some(facts) = self.catalog.facts(FileId::new(at))?
        {
            // Ids in facts that were not read from the index lack the path.
            let rest = &name[path.len()..];
            let has_id = |symbol: &Symbol| symbol.id.ends_with(rest);
            if let Some(place) = facts.symbols.iter().position(has_id) {
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

    /// Returns the names with a prefix for which `fits` returns true, sorted.
    pub(super) fn names(
        &mut self,
        prefix: &str,
        fits: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<Vec<u8>>> {
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

    /// Returns the names that contain `part` and for which `fits` returns true, sorted.
    pub(super) fn names_containing(
        &mut self,
        part: &str,
        fits: impl Fn(&[u8]) -> bool + Sync,
    ) -> Result<Vec<Vec<u8>>> {
        let mut names = self.catalog.names_containing(part, fits)?;
        names.sort_unstable();
        self.is_cut_if(names.len() > NAMES_MAX);
        names.truncate(NAMES_MAX);
        Ok(names)
    }

    /// Adds the definitions of names; those of equal rank in the order of the names.
    pub(super) fn add_names(&mut self, names: &[Vec<u8>]) -> Result<()> {
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
            let precedence = match last {
                Some((file, precedence)) if file == at.file => precedence,
                _ => Precedence::of_file(self.catalog.marks(at.file)?, self.catalog.path(at.file)),
            };
            last = Some((at.file, precedence));
            candidates.push(Candidate { group: precedence.group, name, precedence, at });
        }
        Ok(())
    }

    /// Adds candidates in order and decodes as many as are shown, at least [`DECODED_MIN`], or all of
    /// them if the filter needs their symbols. O(candidates + shown log shown) without a filter.
    fn add_candidates(
        &mut self,
        mut candidates: Vec<Candidate>,
        qualified: Option<&Qualified<'_>>,
    ) -> Result<()> {
        let Filter { kind, within, is_code } = self.filter;
        let decodes_all = qualified.is_some() || kind.is_some() || *is_code;
        let is_there = |path: &[u8]| within.as_ref().is_none_or(|within| within.is_match(path));
        let mut unfiltered = if qualified.is_none() { candidates.len() } else { 0 };
        if qualified.is_none() && within.is_some() {
            candidates.retain(|of| is_there(self.catalog.path(of.at.file)));
        }
        let room = self.max.saturating_sub(self.selected.symbols.len());
        let (mut decoded, mut ordered) = (Vec::new(), 0);
        for place in 0..candidates.len() {
            if decoded.len() >= room.max(DECODED_MIN) && !decodes_all {
                break;
            }
            if place == ordered {
                ordered = order(&mut candidates, place, room.max(DECODED_MIN).max(place));
            }
            let mut candidate = candidates[place];
            let Some(symbol) = self.catalog.symbol(candidate.at)? else { continue };
            if let Some(qualified) = qualified {
                let path = self.catalog.path(candidate.at.file);
                let Some(facts) = self.catalog.facts(candidate.at.file)? else { continue };
                if !qualified.fits(&facts, candidate.at.place as usize) {
                    continue;
                }
                unfiltered += 1;
                if !is_there(path) {
                    continue;
                }
            }
            if kind.is_some_and(|kind| kind != symbol.kind) || *is_code && !is_code_kind(&symbol) {
                continue;
            }
            candidate.precedence = candidate.precedence.of(&symbol);
            candidate.group = candidate.precedence.group;
            decoded.push(candidate);
        }
        let fitting = decoded.len();
        let shown = order(&mut decoded, 0, room);
        self.selected.symbols.extend(decoded[..shown].iter().map(|candidate| candidate.at));
        self.selected.total += if decodes_all { fitting } else { candidates.len() };
        self.selected.unfiltered += unfiltered;
        Ok(())
    }
}

/// Moves the `count` smallest entries of `candidates[from..]`, sorted, to the front of that slice,
/// and returns the end of the sorted part. The entries before `from` are already the smallest ones.
/// O(candidates + count log count).
fn order(candidates: &mut [Candidate], from: usize, count: usize) -> usize {
    let rest = &mut candidates[from..];
    let end = if count < rest.len() {
        rest.select_nth_unstable(count);
        count
    } else {
        rest.len()
    };
    rest[..end].sort_unstable();
    from + end
}

fn is_code_kind(symbol: &Symbol) -> bool {
    !matches!(symbol.kind, SymbolKind::Section | SymbolKind::Key | SymbolKind::Selector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Marks;

    #[test]
    fn candidates_are_sorted_only_as_far_as_needed() {
        let candidate = |key: usize| {
            let marks = Marks::from_bits((key % 32) as u8);
            let precedence = Precedence::of_file(marks, b"a.rs");
            let at = SymbolAt { file: FileId::new(key * 7919 % 1000), place: 0 };
            Candidate { group: precedence.group, name: 0, precedence, at }
        };
        let mut found: Vec<Candidate> = (0..1000).map(candidate).collect();
        let mut sorted = found.clone();
        sorted.sort_unstable();
        let mut ordered = order(&mut found, 0, 20);
        assert_eq!((ordered, &found[..20]), (20, &sorted[..20]));
        assert_ne!(found, sorted, "the rest is left as it is");
        while ordered < found.len() {
            ordered = order(&mut found, ordered, ordered);
        }
        assert_eq!(found, sorted);
        assert_eq!(order(&mut [], 0, 5), 0);
    }
}
