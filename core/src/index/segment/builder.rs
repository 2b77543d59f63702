//! Inverts runs of consecutive units: a counting sort of (key, unit) pairs by key, in two passes.

use crate::index::extract::Extractor;
use crate::index::gram::KEYS;

/// The key space is divided into this many partitions, which are sorted and encoded independently.
pub(super) const PARTITIONS: usize = 64;

/// Keys of a partition.
pub(super) const PARTITION_KEYS: usize = KEYS / PARTITIONS;

/// Maximum number of units in a run: unit numbers within a run have 16 bits.
const RUN_UNITS_MAX: usize = (1 << 16) - 1;

/// Number of (key, unit) pairs at which a run is full. Bounds the memory of a builder to about 10
/// bytes per pair.
const RUN_PAIRS: usize = 4 << 20;

/// The byte before a gap of two bytes. Smaller gaps take one byte; most are smaller, while the numbers
/// of units would take two bytes.
const WIDE: u8 = u8::MAX;

/// Collects the grams of consecutive units.
pub struct RunBuilder {
    extractor: Extractor,
    /// The concatenated keys of all units.
    keys: Vec<u32>,
    /// The end of each unit's keys in `keys`.
    ends: Vec<u32>,
    starts: Vec<u32>,
    /// Scratch space for `invert`.
    pairs: Vec<u32>,
    /// The units of the keys of one partition.
    units: Vec<u16>,
    /// The next write position of each key of one partition.
    next: Vec<u32>,
}

/// The inverted grams of consecutive units: for each key, the ascending units that contain it.
pub struct Run {
    /// The number of units of each key.
    counts: Vec<u16>,
    /// The start of each partition of [`PARTITION_KEYS`] keys in `gaps`.
    partitions: Vec<usize>,
    /// The concatenated units of all keys, each as the number of units between it and the one
    /// before: one byte, or [`WIDE`] and two bytes (little-endian).
    gaps: Vec<u8>,
    /// The byte offset of each unit in its file.
    starts: Vec<u32>,
}

impl RunBuilder {
    /// Returns an empty builder. It allocates half a megabyte and grows with the pairs of a run.
    pub fn new() -> RunBuilder {
        RunBuilder {
            extractor: Extractor::new(),
            keys: Vec::new(),
            ends: Vec::new(),
            starts: Vec::new(),
            pairs: Vec::new(),
            units: Vec::new(),
            next: vec![0; PARTITION_KEYS],
        }
    }

    /// Adds the next unit: its text and the byte offset of that text in its file. O(text).
    pub fn add(&mut self, text: &[u8], start: u32) {
        self.extractor.keys(text, &mut self.keys);
        self.ends.push(self.keys.len() as u32);
        self.starts.push(start);
    }

    /// Returns the number of units in the run.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if the run has no units.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns true if the run should be inverted before another file of `units` units is added.
    pub fn is_full(&self, units: usize) -> bool {
        self.keys.len() >= RUN_PAIRS || self.len() + units > RUN_UNITS_MAX
    }

    /// Inverts the run and empties the builder. O(pairs + keys).
    ///
    /// The first pass sorts the pairs by partition, the second sorts each partition, so that each
    /// pass writes to few places at a time.
    pub fn invert(&mut self) -> Run {
        let mut partitions = vec![0_u32; PARTITIONS + 1];
        for &key in &self.keys {
            partitions[key as usize / PARTITION_KEYS + 1] += 1;
        }
        for partition in 0..PARTITIONS {
            partitions[partition + 1] += partitions[partition];
        }
        // (key within its partition, unit), by partition and unit.
        let pairs = &mut self.pairs;
        pairs.resize(self.keys.len(), 0);
        let mut next = partitions.clone();
        let mut from = 0;
        for (unit, &end) in self.ends.iter().enumerate() {
            for &key in &self.keys[from..end as usize] {
                let next = &mut next[key as usize / PARTITION_KEYS];
                pairs[*next as usize] = (key % PARTITION_KEYS as u32) << 16 | unit as u32;
                *next += 1;
            }
            from = end as usize;
        }
        let mut counts = vec![0_u16; KEYS];
        let mut gaps = Vec::with_capacity(pairs.len() + pairs.len() / 2);
        let mut starts_of_gaps = Vec::with_capacity(PARTITIONS);
        for (partition, counts) in counts.chunks_exact_mut(PARTITION_KEYS).enumerate() {
            starts_of_gaps.push(gaps.len());
            let range = partitions[partition] as usize..partitions[partition + 1] as usize;
            let pairs = &pairs[range];
            self.units.resize(pairs.len(), 0);
            for pair in pairs {
                counts[(pair >> 16) as usize] += 1;
            }
            let mut total = 0;
            for (next, &count) in self.next.iter_mut().zip(&*counts) {
                *next = total;
                total += u32::from(count);
            }
            for pair in pairs {
                let next = &mut self.next[(pair >> 16) as usize];
                self.units[*next as usize] = *pair as u16;
                *next += 1;
            }
            let mut rest = &self.units[..];
            for &count in &*counts {
                let (units, after) = rest.split_at(usize::from(count));
                put_gaps(units, &mut gaps);
                rest = after;
            }
        }
        gaps.shrink_to_fit();
        self.keys.clear();
        self.ends.clear();
        let starts = std::mem::take(&mut self.starts);
        Run { counts, partitions: starts_of_gaps, gaps, starts }
    }
}

/// Appends the gaps between ascending units; see [`Run`].
fn put_gaps(units: &[u16], gaps: &mut Vec<u8>) {
    let mut next = 0;
    for &unit in units {
        let gap = unit - next;
        if gap < u16::from(WIDE) {
            gaps.push(gap as u8);
        } else {
            let [low, high] = gap.to_le_bytes();
            gaps.extend_from_slice(&[WIDE, low, high]);
        }
        next = unit + 1;
    }
}

impl Default for RunBuilder {
    fn default() -> RunBuilder {
        RunBuilder::new()
    }
}

impl Run {
    /// Returns the lists of the keys of a partition.
    pub(super) fn partition(&self, partition: usize) -> Lists<'_> {
        let counts = &self.counts[partition * PARTITION_KEYS..(partition + 1) * PARTITION_KEYS];
        Lists { counts: counts.iter(), gaps: &self.gaps[self.partitions[partition]..] }
    }

    /// Returns the byte offset of each unit in its file.
    pub(super) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Returns the number of units.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns true if the run has no units.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }
}

/// The lists of consecutive keys of a run.
pub(super) struct Lists<'r> {
    counts: std::slice::Iter<'r, u16>,
    gaps: &'r [u8],
}

impl Lists<'_> {
    /// Appends the ascending units that contain the next key, each plus `base`. Units are numbered
    /// from the first of the run. O(units).
    pub(super) fn append_next(&mut self, base: u32, ids: &mut Vec<u32>) {
        let Some(&count) = self.counts.next() else { return };
        let (mut at, mut next) = (0, base);
        for _ in 0..count {
            let mut gap = u32::from(self.gaps[at]);
            at += 1;
            if gap == u32::from(WIDE) {
                gap = u32::from(u16::from_le_bytes([self.gaps[at], self.gaps[at + 1]]));
                at += 2;
            }
            ids.push(next + gap);
            next += gap + 1;
        }
        self.gaps = &self.gaps[at..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_of_any_width_are_read_back() {
        let last = (RUN_UNITS_MAX - 1) as u16;
        let lists: [&[u16]; 8] = [
            &[],
            &[0],
            &[last],
            &[0, last],
            &[0, 1, 2, 256, 257, 511, 512, 768],
            &[253, 508, 764, 1021],
            &[254, 510, 65_533, last],
            &[255],
        ];
        let mut gaps = Vec::new();
        lists.iter().for_each(|units| put_gaps(units, &mut gaps));
        let counts: Vec<u16> = lists.iter().map(|units| units.len() as u16).collect();
        let mut read = Lists { counts: counts.iter(), gaps: &gaps };
        for units in lists {
            let mut ids = vec![7];
            read.append_next(1_000_000, &mut ids);
            let based = units.iter().map(|&unit| 1_000_000 + u32::from(unit));
            assert_eq!(ids, [7].into_iter().chain(based).collect::<Vec<u32>>());
        }
        assert!(read.gaps.is_empty() && read.counts.next().is_none());
        let mut ids = Vec::new();
        read.append_next(0, &mut ids);
        assert!(ids.is_empty(), "after the last key there is nothing");
    }
}
