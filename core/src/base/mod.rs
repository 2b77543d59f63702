//! Small types that all modules share: ids, bit sets, repository paths, text, diffs, varints,
//! points in time and numbers of tokens; bounded caches; and the memory of the process.

pub mod bits;
pub mod bounded;
pub mod diff;
pub mod glob;
pub mod ids;
pub mod interrupt;
pub mod line_index;
pub mod memory;
pub mod path;
#[cfg(test)]
pub(crate) mod testing;
pub mod text;
pub mod time;
pub mod tokens;
pub(crate) mod varint;
