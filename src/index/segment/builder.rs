//! Inverts runs of consecutive units: a counting sort of (key, unit) pairs by key.

use crate::index::extract::Extractor;
use crate::index::gram::KEYS;

/// Keys are encoded in parallel in parts of this many.
pub(super) const PART_KEYS: usize = KEYS / 64;

/// Units that one run may hold: their numbers inside the run take 16 bits.
const RUN_UNITS_MAX: usize = (1 << 16) - 1;

/// Pairs at which a run is full; bounds a builder's memory to about 16 bytes a pair.
const RUN_PAIRS: usize = 4 << 20;

/// Collects the grams of consecutive units.
pub struct RunBuilder {
    extractor: Extractor,
    /// The number of units of each key; 16 bits keep the table in the second-level cache.
    counts: Vec<u16>,
    keys: Vec<u32>,
    /// Where each unit's keys end in `keys`.
    ends: Vec<u32>,
    starts: Vec<u32>,
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
        let from = self.keys.len();
        self.extractor.keys(text, &mut self.keys);
        for &key in &self.keys[from..] {
            self.counts[key as usize] += 1;
        }
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
        let counts = std::mem::replace(&mut self.counts, vec![0; KEYS]);
        let mut parts = Vec::with_capacity(KEYS / PART_KEYS);
        // Where each key's next unit goes.
        let mut next = Vec::with_capacity(KEYS);
        let mut total = 0_u32;
        for (key, &count) in counts.iter().enumerate() {
            if key % PART_KEYS == 0 {
                parts.push(total);
            }
            next.push(total);
            total += u32::from(count);
        }
        let mut units = vec![0_u16; self.keys.len()];
        let mut from = 0;
        for (unit, &end) in self.ends.iter().enumerate() {
            for &key in &self.keys[from..end as usize] {
                let next = &mut next[key as usize];
                units[*next as usize] = unit as u16;
                *next += 1;
            }
            from = end as usize;
        }
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
