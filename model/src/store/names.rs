//! The dictionary of names: sorted, in blocks whose names share their starts.

use crate::ir::Name;

/// Names of a block.
const BLOCK: usize = 16;

/// Sorted names by number.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Where each block starts.
    starts: Vec<u32>,
    blocks: Vec<u8>,
    count: usize,
}

impl Names {
    /// Returns the dictionary of `sorted` names.
    pub(super) fn new<'n>(sorted: impl Iterator<Item = &'n str>) -> Self {
        let mut names = Names::default();
        let mut last: &str = "";
        for name in sorted {
            let mut shared = 0;
            if names.count.is_multiple_of(BLOCK) {
                names.starts.push(u32::try_from(names.blocks.len()).unwrap_or(u32::MAX));
            } else {
                let same = name.bytes().zip(last.bytes());
                shared = same.take_while(|(a, b)| a == b).count();
            }
            super::put(&mut names.blocks, shared);
            super::put(&mut names.blocks, name.len() - shared);
            names.blocks.extend_from_slice(&name.as_bytes()[shared..]);
            last = name;
            names.count += 1;
        }
        names
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the bytes that they take.
    pub fn bytes(&self) -> usize {
        self.blocks.len() + 4 * self.starts.len()
    }

    /// Returns the name with this number. O(block).
    ///
    /// # Errors
    /// There is none, or its block is damaged.
    pub fn get(&self, number: usize) -> Result<Name, String> {
        let damaged = || format!("the name {number} cannot be read");
        let start = *self.starts.get(number / BLOCK).ok_or_else(damaged)? as usize;
        let mut bytes = self.blocks.get(start..).ok_or_else(damaged)?;
        let mut name = Vec::new();
        for _ in 0..=number % BLOCK {
            let shared = super::take(&mut bytes).ok_or_else(damaged)?;
            let own = super::take(&mut bytes).ok_or_else(damaged)?;
            let (own, rest) = bytes.split_at_checked(own).ok_or_else(damaged)?;
            name.truncate(shared);
            name.extend_from_slice(own);
            bytes = rest;
        }
        let name = String::from_utf8(name).map_err(|_| damaged())?;
        Ok(name.into())
    }

    /// Returns the number of a name. O(log names).
    pub fn find(&self, name: &str) -> Option<usize> {
        let first = |block: usize| self.get(block * BLOCK);
        let (mut low, mut high) = (0, self.starts.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if &*first(middle).ok()? <= name {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let start = low.checked_sub(1)? * BLOCK;
        (start..self.count.min(start + BLOCK)).find(|&at| {
            let found = self.get(at);
            found.is_ok_and(|found| &*found == name)
        })
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        super::put(out, self.count);
        super::put(out, self.starts.len());
        self.starts.iter().for_each(|start| out.extend_from_slice(&start.to_le_bytes()));
        super::put(out, self.blocks.len());
        out.extend_from_slice(&self.blocks);
    }

    pub(super) fn read(bytes: &mut &[u8]) -> Option<Self> {
        let count = super::take(bytes)?;
        let starts = super::numbers(bytes)?;
        let length = super::take(bytes)?;
        let (blocks, rest) = bytes.split_at_checked(length)?;
        *bytes = rest;
        Some(Self { starts, blocks: blocks.to_vec(), count })
    }
}
