//! Inverts runs of consecutive units: a counting sort of (key, unit) pairs by key, in two passes.

use crate::index::extract::Extractor;
use crate::index::gram::KEYS;

/// Parts of the keys that are sorted, and encoded in parallel, each on its own.
pub(super) const PARTS: usize = 64;

/// Keys of a part.
pub(super) const PART_KEYS: usize = KEYS / PARTS;

/// Units that one run may hold: their numbers inside the run take 16 bits.
const RUN_UNITS_MAX: usize = (1 << 16) - 1;

/// Pairs at which a run is full; bounds a builder's memory to about 10 bytes a pair.
const RUN_PAIRS: usize = 4 << 20;

/// Collects the grams of consecutive units.
pub struct RunBuilder {
    extractor: Extractor,
    /// The keys of each unit, one unit after the other.
    keys: Vec<u32>,
    /// Where each unit's keys end in `keys`.
    ends: Vec<u32>,
    starts: Vec<u32>,
    /// Room for inverting.
    pairs: Vec<u32>,
    /// Where each key's next unit goes, for the keys of one part.
    next: Vec<u32>,
}

/// The inverted grams of consecutive units: for each key, the ascending units of the run.
pub struct Run {
    /// The number of each key's units.
    counts: Vec<u16>,
    /// Where the units of each part of [`PART_KEYS`] keys start in `units`.
    parts: Vec<u32>,
    /// The units of each key, one key after the other.
    units: Vec<u16>,
    /// Each unit's start in its file.
    starts: Vec<u32>,
}

impl RunBuilder {
    /// Returns an empty builder; it holds half a megabyte and grows with the pairs of a run.
    pub fn new() -> RunBuilder {
        RunBuilder {
            extractor: Extractor::new(),
            keys: Vec::new(),
            ends: Vec::new(),
            starts: Vec::new(),
            pairs: Vec::new(),
            next: vec![0; PART_KEYS],
        }
    }

    /// Adds the next unit: its text, and where that starts in its file. O(text).
    pub fn add(&mut self, text: &[u8], start: u32) {
        self.extractor.keys(text, &mut self.keys);
        self.ends.push(self.keys.len() as u32);
        self.starts.push(start);
    }

    /// Returns the number of units of the run so far.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if the run holds no unit.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns true if the run should be inverted before a file of `units` more is added.
    pub fn is_full(&self, units: usize) -> bool {
        self.keys.len() >= RUN_PAIRS || self.len() + units > RUN_UNITS_MAX
    }

    /// Inverts the run and empties the builder. O(pairs + keys).
    ///
    /// The pairs are sorted by part first, and then part by part, so that each of the two passes
    /// writes to few places at a time.
    pub fn invert(&mut self) -> Run {
        let mut parts = vec![0_u32; PARTS + 1];
        for &key in &self.keys {
            parts[key as usize / PART_KEYS + 1] += 1;
        }
        for part in 0..PARTS {
            parts[part + 1] += parts[part];
        }
        // (key inside its part, unit), by part and unit.
        let pairs = &mut self.pairs;
        pairs.resize(self.keys.len(), 0);
        let mut next = parts.clone();
        let mut from = 0;
        for (unit, &end) in self.ends.iter().enumerate() {
            for &key in &self.keys[from..end as usize] {
                let next = &mut next[key as usize / PART_KEYS];
                pairs[*next as usize] = (key % PART_KEYS as u32) << 16 | unit as u32;
                *next += 1;
            }
            from = end as usize;
        }
        let mut counts = vec![0_u16; KEYS];
        let mut units = vec![0_u16; pairs.len()];
        for (part, counts) in counts.chunks_exact_mut(PART_KEYS).enumerate() {
            let range = parts[part] as usize..parts[part + 1] as usize;
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
        parts.pop();
        self.keys.clear();
        self.ends.clear();
        Run { counts, parts, units, starts: std::mem::take(&mut self.starts) }
    }
}

impl Default for RunBuilder {
    fn default() -> RunBuilder {
        RunBuilder::new()
    }
}

impl Run {
    /// Returns the units, ascending and counted from the run's first, that hold each key of a part
    /// of [`PART_KEYS`] keys in turn.
    pub(super) fn part(&self, part: usize) -> impl Iterator<Item = &[u16]> {
        let counts = &self.counts[part * PART_KEYS..(part + 1) * PART_KEYS];
        let mut rest = &self.units[self.parts[part] as usize..];
        counts.iter().map(move |&count| {
            let (units, after) = rest.split_at(usize::from(count));
            rest = after;
            units
        })
    }

    /// Returns each unit's start in its file.
    pub(super) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Returns the number of units.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns true if the run holds no unit.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }
}
