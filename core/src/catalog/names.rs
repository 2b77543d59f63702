//! The names of all definitions: look-ups of prefixes, of parts of names and of misspelled names.
//!
//! The names of a tree with few of them are collected once and indexed. Those of a large tree would
//! take hundreds of megabytes (Linux has three million); there each look-up walks the
//! dictionaries of the segments, which are mapped files, in several threads.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use memchr::memmem;
use rayon::prelude::*;

use super::Catalog;
use crate::base::path;
use crate::error::Result;
use crate::index::code::dictionary::DictionaryEntry;
use crate::index::code::keys;
use crate::query::fuzzy::{self, PathIndex};

/// The most names that are collected and indexed: about 40 MB.
const COLLECTED_MAX: u64 = 1 << 18;

/// The byte after each name. It occurs in no name, and in no text that is searched in them.
const END: u8 = 0xFF;

/// Every defined name, once, in path order. Immutable.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The names, each followed by [`END`].
    text: Vec<u8>,
    /// The position after the [`END`] of each name.
    ends: Vec<u32>,
    index: OnceLock<PathIndex>,
}

impl Names {
    /// Collects the names that `each` passes to its argument, in any order and perhaps repeatedly.
    /// O(n log n), and O(n) for sorted names.
    ///
    /// # Errors
    ///
    /// That of `each`.
    fn new(each: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<()>) -> Result<Names> {
        let (mut text, mut spans) = (Vec::new(), Vec::new());
        each(&mut |name| {
            // More than 4 GiB of names are in no tree that can be indexed.
            let fits = u32::try_from(text.len() + name.len() + 1).is_ok();
            if fits && !name.contains(&END) {
                let start = text.len();
                text.extend_from_slice(name);
                spans.push(start..text.len());
            }
        })?;
        spans.sort_by(|a, b| path::compare(&text[a.clone()], &text[b.clone()]));
        spans.dedup_by(|a, b| text[a.clone()] == text[b.clone()]);
        let mut names = Names {
            text: Vec::with_capacity(text.len() + spans.len()),
            ends: Vec::with_capacity(spans.len()),
            index: OnceLock::new(),
        };
        for span in spans {
            names.text.extend_from_slice(&text[span]);
            names.text.push(END);
            names.ends.push(names.text.len() as u32);
        }
        Ok(names)
    }

    /// Returns the index for fuzzy look-ups; its entries have the order of [`Names::get`]. O(names)
    /// the first time.
    fn index(&self) -> &PathIndex {
        let all = || (0..self.ends.len()).map(|at| (self.get(at), 0));
        self.index.get_or_init(|| PathIndex::new(all()))
    }

    /// Returns the `at`th name; empty if there is none.
    fn get(&self, at: usize) -> &[u8] {
        let Some(&end) = self.ends.get(at) else { return &[] };
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.text[start..end as usize - 1]
    }

    /// Returns the names that contain `part`, in path order. O(bytes of the names), at the speed of
    /// memory if few of them contain it.
    fn containing<'n>(&'n self, part: &'n str) -> impl Iterator<Item = &'n [u8]> {
        let finder = memmem::Finder::new(part.as_bytes());
        let mut at = 0_usize;
        std::iter::from_fn(move || {
            let place = match part {
                // Every name contains it.
                "" => at,
                _ => {
                    let from = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
                    let hit = from + finder.find(&self.text[from..])?;
                    at + self.ends[at..].partition_point(|&end| end as usize <= hit)
                }
            };
            at = place + 1;
            (place < self.ends.len()).then(|| self.get(place))
        })
    }
}

impl Catalog {
    /// Calls `see` with each defined name that starts with `prefix`, in no particular order and
    /// possibly more than once, until it returns false. O(such names), and O(their definitions)
    /// after edits.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if the index is damaged.
    pub fn each_name(&self, prefix: &[u8], mut see: impl FnMut(&[u8]) -> bool) -> Result<()> {
        let mut step = |name: &[u8]| {
            if see(name) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        for number in 0..self.segments.len() {
            if self.each_name_of(number, prefix, &mut step)?.is_break() {
                return Ok(());
            }
        }
        let _ = self.each_overlay_name(prefix, &mut step);
        Ok(())
    }

    /// Does the same for one segment.
    fn each_name_of(
        &self,
        number: usize,
        prefix: &[u8],
        see: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        let segment = &self.segments[number];
        let start = prefix.max(keys::NAMES_FROM);
        let is_whole = self.doc_map.is_current(number);
        // Definitions of removed or changed files do not count.
        let is_there = |entry: &DictionaryEntry| -> Result<bool> {
            let is_owned = |&(doc, _): &(u32, u32)| self.owner(number, doc).is_some();
            Ok(is_whole || segment.places(entry)?.iter().any(is_owned))
        };
        let mut ended = Ok(ControlFlow::Continue(()));
        segment.walk_defined(start, |entry| {
            if !entry.name.starts_with(prefix) {
                return false;
            }
            match is_there(entry) {
                Ok(false) => {}
                Ok(true) => ended = Ok(see(&entry.name)),
                Err(error) => ended = Err(error),
            }
            matches!(ended, Ok(ControlFlow::Continue(())))
        })?;
        ended
    }

    /// Does the same for the files that are not in a segment.
    fn each_overlay_name(
        &self,
        prefix: &[u8],
        see: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let start = prefix.max(keys::NAMES_FROM);
        let names = self.overlay.values().flat_map(|held| held.names());
        names.filter(|name| *name >= start && name.starts_with(prefix)).try_for_each(see)
    }

    /// Returns an upper bound of the number of names that the segments define. O(segments).
    pub fn names_max(&self) -> u64 {
        self.segments.iter().map(|segment| segment.defined_max() as u64).sum()
    }

    /// Returns the best `max` names for a fuzzy query, best first, and the number of matching names; see
    /// [`fuzzy`]. O(names).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if the index is damaged.
    pub fn similar_names(&self, query: &[u8], max: usize) -> Result<(Vec<Vec<u8>>, usize)> {
        let Some(names) = self.collected_names()? else {
            return fuzzy::find_among(query, max, |fits| self.names_that(fits));
        };
        let hits = names.index().find(query, max);
        let best = hits.best.iter().map(|hit| names.get(hit.at).to_vec());
        Ok((best.collect(), hits.total))
    }

    /// Returns the names that contain `part` and for which `fits` returns true, each once, in path
    /// order. O(bytes of the names).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if the index is damaged.
    pub fn names_containing(
        &self,
        part: &str,
        fits: impl Fn(&[u8]) -> bool + Sync,
    ) -> Result<Vec<Vec<u8>>> {
        let Some(names) = self.collected_names()? else {
            let finder = memmem::Finder::new(part.as_bytes());
            return self.names_that(&|name| finder.find(name).is_some() && fits(name));
        };
        Ok(names.containing(part).filter(|name| fits(name)).map(<[u8]>::to_vec).collect())
    }

    /// Returns all names, collected once, or `None` if there are more than [`COLLECTED_MAX`].
    fn collected_names(&self) -> Result<Option<&Names>> {
        if self.names_max() > COLLECTED_MAX {
            return Ok(None);
        }
        if let Some(names) = self.cache.names.get() {
            return Ok(Some(names));
        }
        let names = Names::new(|see| {
            self.each_name(b"", |name| {
                see(name);
                true
            })
        })?;
        Ok(Some(self.cache.names.get_or_init(|| names)))
    }

    /// Returns the names for which `fits` returns true, each once, in path order. O(names), in
    /// several threads.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if the index is damaged.
    pub fn names_that(&self, fits: &(dyn Fn(&[u8]) -> bool + Sync)) -> Result<Vec<Vec<u8>>> {
        let add = |names: &mut Vec<Vec<u8>>, name: &[u8]| {
            if fits(name) && !name.contains(&END) {
                names.push(name.to_vec());
            }
            ControlFlow::Continue(())
        };
        let of_segment = |number| {
            let mut names = Vec::new();
            self.each_name_of(number, b"", &mut |name| add(&mut names, name)).map(|_| names)
        };
        let found: Result<Vec<Vec<Vec<u8>>>> =
            (0..self.segments.len()).into_par_iter().with_max_len(1).map(of_segment).collect();
        let mut names: Vec<Vec<u8>> = found?.into_iter().flatten().collect();
        let _ = self.each_overlay_name(b"", &mut |name| add(&mut names, name));
        names.par_sort_unstable_by(|a, b| path::compare(a, b));
        names.dedup();
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_their_parts() {
        let given = ["beta", "a/b", "alpha", "a", "beta", "é", "alphabet", "a-b"];
        let made = Names::new(|see| {
            given.iter().for_each(|name| see(name.as_bytes()));
            see(b"not \xFF text");
            Ok(())
        });
        let names = made.expect("no error");
        let all: Vec<&[u8]> = (0..7).map(|at| names.get(at)).collect();
        let mut sorted: Vec<&[u8]> = given.iter().map(|name| name.as_bytes()).collect();
        sorted.sort_by(|a, b| path::compare(a, b));
        sorted.dedup();
        assert_eq!(all, sorted);
        assert_eq!(names.get(7), b"");
        for part in ["", "a", "bet", "alpha", "b", "/", "é", "x", "beta", "alphabet", "abe"] {
            let slow: Vec<&[u8]> = sorted
                .iter()
                .copied()
                .filter(|name| memmem::find(name, part.as_bytes()).is_some())
                .collect();
            assert_eq!(names.containing(part).collect::<Vec<_>>(), slow, "{part}");
        }
        assert_eq!(Names::default().containing("a").count(), 0);
        assert_eq!(names.get(names.index().find(b"alphbet", 1).best[0].at), b"alphabet");
    }
}
