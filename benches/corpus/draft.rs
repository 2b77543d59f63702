//! Earlier states of a file: the final state without some blocks of lines, which commits add again.

use std::ops::Range;

use super::random::Random;

/// The minimum number of lines between two blocks and in each block.
const LINES_MIN: usize = 3;

/// A file whose text grows with the history.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    /// The final state.
    text: Vec<u8>,
    /// The blocks that earlier states lack, in the order of the text.
    blocks: Vec<Range<usize>>,
    /// The order in which they are added: indexes into `blocks`.
    order: Vec<usize>,
    /// The number of blocks that have been added.
    back: usize,
}

impl Draft {
    /// Removes up to `steps` blocks from a text; `None` if the text is too short for one.
    pub(crate) fn new(text: Vec<u8>, steps: usize, random: &mut Random) -> Option<Draft> {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', &text).map(|at| at + 1));
        let lines = starts.len() - 1;
        let steps = steps.min(lines / (2 * LINES_MIN));
        if steps == 0 {
            return None;
        }
        // Each block is in a separate part of the text and leaves the first line of that part.
        let stretch = lines / steps;
        let block = |number: usize| {
            let first = number * stretch + 1 + random.below(stretch - LINES_MIN);
            let room = (number + 1) * stretch - first;
            let last = first + 1 + random.below(room.min(60));
            starts[first]..starts[last]
        };
        let blocks: Vec<Range<usize>> = (0..steps).map(block).collect();
        let mut order: Vec<usize> = (0..steps).collect();
        for at in (1..steps).rev() {
            order.swap(at, random.below(at + 1));
        }
        Some(Draft { text, blocks, order, back: 0 })
    }

    /// Returns true if the text has its final state.
    pub(crate) fn is_done(&self) -> bool {
        self.back == self.order.len()
    }

    /// Adds the next block and returns it; returns nothing if all have been added.
    pub(crate) fn advance(&mut self) -> &[u8] {
        if self.is_done() {
            return &[];
        }
        let block = self.blocks[self.order[self.back]].clone();
        self.back += 1;
        &self.text[block]
    }

    /// Returns the current text.
    pub(crate) fn text(&self) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.text.len());
        let mut end = 0;
        for (number, block) in self.blocks.iter().enumerate() {
            text.extend_from_slice(&self.text[end..block.start]);
            if self.order[..self.back].contains(&number) {
                text.extend_from_slice(&self.text[block.clone()]);
            }
            end = block.end;
        }
        text.extend_from_slice(&self.text[end..]);
        text
    }
}
