//! Inverts runs of consecutive units: a counting sort of (key, unit) pairs by key.

use crate::index::extract::Extractor;
use crate::index::gram::KEYS;

/// Units that one run may hold: their numbers inside the run take 16 bits.
const RUN_UNITS_MAX: usize = 1 << 16;

/// Pairs at which a run is full; bounds a builder's memory to about 16 bytes a pair.
const RUN_PAIRS: usize = 4 << 20;

/// Collects the grams of consecutive units.
pub struct RunBuilder {
    extractor: Extractor,
    counts: Vec<u32>,
    keys: Vec<u32>,
    /// Where each unit's keys end in `keys`.
    ends: Vec<u32>,
    starts: Vec<u32>,
}

/// The inverted grams of consecutive units: for each key, the ascending units of the run.
pub struct Run {
    /// Where each key's units start in `units`, and one past the end.
    offsets: Vec<u32>,
    units: Vec<u16>,
    /// Each unit's start in its file.
    starts: Vec<u32>,
}

impl RunBuilder {
    /// Returns an empty builder; it holds about 2 MiB and grows with the pairs of a run.
    pub fn new() -> RunBuilder {
        RunBuilder {
            extractor: Extractor::new(),
            counts: vec![0; KEYS],
            keys: Vec::new(),
            ends: Vec::new(),
            starts: Vec::new(),
        }
    }

    /// Adds the next unit: its text, and where that starts in its file. O(text).
    pub fn add(&mut self, text: &[u8], start: u32) {
        let keys = self.extractor.keys(text);
        for &key in keys {
            self.counts[key as usize] += 1;
        }
        self.keys.extend_from_slice(keys);
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
    pub fn invert(&mut self) -> Run {
        let mut offsets = Vec::with_capacity(KEYS + 1);
        let mut total = 0;
        for count in &mut self.counts {
            offsets.push(total);
            // From here on `count` is where the key's next unit goes.
            total += std::mem::replace(count, total);
        }
        offsets.push(total);
        let mut units = vec![0_u16; self.keys.len()];
        let mut from = 0;
        for (unit, &end) in self.ends.iter().enumerate() {
            for &key in &self.keys[from..end as usize] {
                let next = &mut self.counts[key as usize];
                units[*next as usize] = unit as u16;
                *next += 1;
            }
            from = end as usize;
        }
        self.counts.fill(0);
        self.keys.clear();
        self.ends.clear();
        Run { offsets, units, starts: std::mem::take(&mut self.starts) }
    }
}

impl Default for RunBuilder {
    fn default() -> RunBuilder {
        RunBuilder::new()
    }
}

impl Run {
    /// Returns the units of the run that hold `key`, ascending, counted from the run's first.
    pub(super) fn units(&self, key: usize) -> &[u16] {
        &self.units[self.offsets[key] as usize..self.offsets[key + 1] as usize]
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
