//! Parts of the randomized tests: choices, contents, trees, mutations, queries and child processes.
//!
//! The program under test and ripgrep run as processes; from the library, this module uses only the
//! time window in which metadata is not trusted.

pub(crate) mod compare;
pub(crate) mod content;
pub(crate) mod flags;
pub(crate) mod mutate;
pub(crate) mod pattern;
pub(crate) mod place;
pub(crate) mod prng;
pub(crate) mod process;
pub(crate) mod query;
pub(crate) mod skipped;
pub(crate) mod tree;
#[cfg(all(unix, feature = "fleet"))]
pub(crate) mod zoekt;
