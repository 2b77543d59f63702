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
    /// The next write position of each key of one partition.
    next: Vec<u32>,
}

/// The inverted grams of consecutive units: for each key, the ascending units that contain it.
pub struct Run {
    /// The number of units of each key.
    counts: Vec<u16>,
    /// The start of each partition of [`PARTITION_KEYS`] keys in `units`.
    partitions: Vec<u32>,
    /// The concatenated units of all keys.
    units: Vec<u16>,
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
        let mut units = vec![0_u16; pairs.len()];
        for (partition, counts) in counts.chunks_exact_mut(PARTITION_KEYS).enumerate() {
            let range = partitions[partition] as usize..partitions[partition + 1] as usize;
            let (pairs, units) = (&pairs[range.clone()], &mut units[range]);
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
                units[*next as usize] = *pair as u16;
                *next += 1;
            }
        }
        partitions.pop();
        self.keys.clear();
        self.ends.clear();
        Run { counts, partitions, units, starts: std::mem::take(&mut self.starts) }
    }
}

impl Default for RunBuilder {
    fn default() -> RunBuilder {
        RunBuilder::new()
    }
}

impl Run {
    /// Returns, for each key of a partition, the ascending units that contain it. Units are
    /// numbered from the first of the run.
    pub(super) fn partition(&self, partition: usize) -> impl Iterator<Item = &[u16]> {
        let counts = &self.counts[partition * PARTITION_KEYS..(partition + 1) * PARTITION_KEYS];
        let mut rest = &self.units[self.partitions[partition] as usize..];
        counts.iter().map(move |&count| {
            let (units, after) = rest.split_at(usize::from(count));
            rest = after;
            units
        })
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
