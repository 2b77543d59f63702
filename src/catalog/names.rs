//! The names of all definitions, for look-ups of parts of names and of misspelled names.

use std::sync::OnceLock;

use memchr::memmem;

use crate::base::path;
use crate::query::fuzzy::PathIndex;

/// The byte after each name. It occurs in no name, and in no text that is searched in them.
const END: u8 = 0xFF;

/// Every defined name, once, in path order. Immutable.
#[derive(Debug, Default)]
pub struct Names {
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
    pub(super) fn new<E>(
        each: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<(), E>,
    ) -> Result<Names, E> {
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
    pub fn index(&self) -> &PathIndex {
        let all = || (0..self.ends.len()).map(|at| (self.get(at), 0));
        self.index.get_or_init(|| PathIndex::new(all()))
    }

    /// Returns the `at`th name; empty if there is none.
    pub fn get(&self, at: usize) -> &[u8] {
        let Some(&end) = self.ends.get(at) else { return &[] };
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.text[start..end as usize - 1]
    }

    /// Returns the names that contain `part`, in path order. O(bytes of the names), at the speed of
    /// memory if few of them contain it.
    pub fn containing<'n>(&'n self, part: &'n str) -> impl Iterator<Item = &'n [u8]> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_their_parts() {
        let given = ["beta", "a/b", "alpha", "a", "beta", "é", "alphabet", "a-b"];
        let made = Names::new(|see| {
            given.iter().for_each(|name| see(name.as_bytes()));
            see(b"not \xFF text");
            Ok::<(), ()>(())
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
