//! Parts of the randomized tests: choices, contents, trees, mutations, queries and child processes.
//!
//! The binary under test and its peer are programs that print; of the library, only the window of
//! doubtful stamps is known here.

pub(crate) mod compare;
pub(crate) mod content;
pub(crate) mod flags;
pub(crate) mod mutate;
pub(crate) mod pattern;
pub(crate) mod place;
pub(crate) mod prng;
pub(crate) mod process;
pub(crate) mod query;
pub(crate) mod tree;
