//! Looks up posting lists in a mapped segment.

use std::path::Path;

use super::section;
use crate::base::ids::UnitId;
use crate::error::Result;
use crate::index::format::{Container, FileKind, Range, u32_at, u64_at};
use crate::index::gram::KEYS;
use crate::index::map::Map;
use crate::index::postings;

/// A published, immutable segment of the search index.
#[derive(Debug)]
pub struct Segment {
    container: Container,
    units: u32,
    groups: Range,
    entries: Range,
    postings: Range,
    starts: Range,
}

/// An encoded posting list.
#[derive(Clone, Copy, Debug)]
pub struct Postings<'a> {
    bytes: &'a [u8],
    len: u32,
    units: u32,
}

impl Segment {
    /// Opens the segment file at `path`. The section directory is checked now, blocks on first
    /// access.
    pub fn open(path: &Path, on_heap: bool) -> Result<Segment> {
        Segment::new(Map::open(path, on_heap)?)
    }

    /// Opens a mapped segment.
    pub fn new(map: Map) -> Result<Segment> {
        let container = Container::open(map, FileKind::Segment)?;
        let units_bytes = container.copy(container.section(section::UNITS)?)?;
        if units_bytes.len() != 4 {
            return Err(container.corrupt("number of units of the segment is damaged"));
        }
        let units = u32_at(&units_bytes, 0);
        let groups = container.section(section::GROUPS)?;
        let entries = container.section(section::ENTRIES)?;
        let postings = container.section(section::POSTINGS)?;
        let starts = container.section(section::STARTS)?;
        let fits = groups.len() == KEYS / 64 * 16
            && entries.len() >= 4
            && entries.len() % 4 == 0
            && postings.len() >= postings::PADDING_BYTES
            && starts.len() == units as usize * 4;
        if !fits {
            return Err(container.corrupt("sections of the segment are inconsistent"));
        }
        Ok(Segment { container, units, groups, entries, postings, starts })
    }

    /// Returns the number of units, including dead ones.
    pub fn units(&self) -> u32 {
        self.units
    }

    /// Returns the byte offset of `unit` in its file.
    pub fn start(&self, unit: UnitId) -> Result<u32> {
        let range = self.starts.slice(unit.index() * 4, 4);
        let range = range.ok_or_else(|| self.container.corrupt("unit out of range"))?;
        Ok(u32_at(self.container.bytes(range)?, 0))
    }

    /// Returns the posting list of a key, or `None` if no unit contains it. O(1), plus the check of
    /// the list's blocks on first access.
    pub fn postings(&self, key: u32) -> Result<Option<Postings<'_>>> {
        if key as usize >= KEYS { Ok(None) } else { self.list(key) }
    }

    /// Returns the container, for a complete check and for its size.
    pub fn container(&self) -> &Container {
        &self.container
    }

    /// Appends the units that contain `key` to `out`.
    pub(super) fn decode_key(&self, key: u32, out: &mut Vec<u32>) -> Result<()> {
        match self.list(key)? {
            Some(list) => self.decode(list, out),
            None => Ok(()),
        }
    }

    /// Appends the ids of `list`, ascending, to `out`. O(ids).
    pub fn decode(&self, list: Postings<'_>, out: &mut Vec<u32>) -> Result<()> {
        let sound = postings::Decoder::new(list.bytes)
            .is_some_and(|decoder| decoder.decode_into(self.units, out));
        if sound { Ok(()) } else { Err(self.container.corrupt("posting list is damaged")) }
    }

    fn list(&self, key: u32) -> Result<Option<Postings<'_>>> {
        let damaged = || self.container.corrupt("key directory of the segment is damaged");
        let group = self.groups.slice(key as usize / 64 * 16, 16).ok_or_else(damaged)?;
        let group = self.container.bytes(group)?;
        let (bitmap, first) = (u64_at(group, 0), u32_at(group, 8));
        let bit = 1_u64 << (key % 64);
        if bitmap & bit == 0 {
            return Ok(None);
        }
        let entry = first as usize + (bitmap & (bit - 1)).count_ones() as usize;
        let entry = self.entries.slice(entry * 4, 8).ok_or_else(damaged)?;
        let entry = self.container.bytes(entry)?;
        let (start, end) = (u32_at(entry, 0) as usize, u32_at(entry, 4) as usize);
        let len = end.checked_sub(start).ok_or_else(damaged)?;
        let range = self.postings.slice(start, len + postings::PADDING_BYTES);
        let bytes = self.container.bytes(range.ok_or_else(damaged)?)?;
        let len = postings::len(bytes).ok_or_else(damaged)?;
        Ok(Some(Postings { bytes, len, units: self.units }))
    }
}

impl<'a> Postings<'a> {
    /// Returns the number of units in the list.
    pub fn len(self) -> u32 {
        self.len
    }

    /// Returns true if the list is empty, which a published list never is.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Retains the `candidates` (ascending) that are in the list. Returns `None` if the list is
    /// damaged. O(list up to the last candidate + candidates).
    pub fn intersect(self, candidates: &mut Vec<u32>) -> Option<()> {
        let mut decoder = postings::Decoder::new(self.bytes)?;
        let mut current = decoder.next_id().filter(|&id| id < self.units)?;
        let mut damaged = false;
        candidates.retain(|&candidate| {
            if current < candidate && decoder.left() > 0 {
                match decoder.advance_to(candidate) {
                    Some(id) => current = id,
                    None => {
                        damaged = true;
                        return false;
                    }
                }
            }
            current == candidate
        });
        (!damaged).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RunBuilder, merge, write_runs};
    use super::*;
    use crate::base::testing;
    use crate::index::extract;
    use crate::index::gram::Gram;
    use proptest::prelude::*;
    use std::path::PathBuf;

    fn build(texts: &[Vec<u8>], per_run: usize) -> Segment {
        let mut builder = RunBuilder::new();
        let runs: Vec<_> = texts
            .chunks(per_run)
            .map(|texts| {
                texts.iter().for_each(|text| builder.add(text, 0));
                builder.invert()
            })
            .collect();
        let mut bytes = Vec::new();
        write_runs(&runs, &mut |sections| {
            bytes = sections.to_bytes();
            Ok(())
        })
        .expect("in memory");
        Segment::new(Map::in_memory(PathBuf::from("x"), bytes)).expect("it is valid")
    }

    fn units_with(segment: &Segment, gram: Gram) -> Vec<u32> {
        let mut ids = Vec::new();
        gram.keys().for_each(|key| segment.decode_key(key, &mut ids).expect("it is valid"));
        ids.sort_unstable();
        ids
    }

    fn expected(texts: &[Vec<u8>], gram: Gram) -> Vec<u32> {
        (0..texts.len() as u32)
            .filter(|&i| extract::grams(&texts[i as usize]).contains(&gram))
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(testing::cases(10)))]
        #[test]
        fn postings_match_the_definition(
            texts in prop::collection::vec("[a-cAB \n]{0,40}".prop_map(String::into_bytes), 1..40),
            per_run in 1..12_usize,
        ) {
            let segment = build(&texts, per_run);
            for gram in extract::grams(b"aabbccabcacb a b c ba cb AaBbBA cB") {
                let ids = expected(&texts, gram);
                prop_assert_eq!(units_with(&segment, gram), ids.clone());
                let mut all: Vec<u32> = (0..texts.len() as u32).collect();
                match segment.postings(gram.keys().next().expect("one")).expect("it is valid") {
                    Some(list) => {
                        list.intersect(&mut all).expect("it is valid");
                        prop_assert_eq!(all, ids);
                    }
                    None => prop_assert!(ids.is_empty()),
                }
            }
        }

        #[test]
        fn a_merge_equals_a_build(
            texts in prop::collection::vec("[a-cAB \n]{0,40}".prop_map(String::into_bytes), 2..30),
            dead in prop::collection::vec(any::<bool>(), 30),
            cut in 1..29_usize,
        ) {
            let cut = cut.min(texts.len() - 1);
            let segments = [build(&texts[..cut], 5), build(&texts[cut..], 5)];
            let live: Vec<Vec<u8>> = texts.iter().zip(&dead).filter(|(_, dead)| !**dead)
                .map(|(text, _)| text.clone()).collect();
            let mut next = 0;
            let mut numbers: Vec<Option<u32>> = dead[..texts.len()].iter().map(|&dead| (!dead).then(|| {
                next += 1;
                next - 1
            })).collect();
            let tail = numbers.split_off(cut);
            let mut bytes = Vec::new();
            merge(&[&segments[0], &segments[1]], &vec![numbers, tail], &vec![0; live.len()], &mut |sections| {
                bytes = sections.to_bytes();
                Ok(())
            }).expect("it is valid");
            let merged = Segment::new(Map::in_memory(PathBuf::from("x"), bytes)).expect("it is valid");
            for gram in extract::grams(b"aabbccabcacb a b c ba cb AaBbBA cB") {
                prop_assert_eq!(units_with(&merged, gram), expected(&live, gram));
            }
        }
    }
}
