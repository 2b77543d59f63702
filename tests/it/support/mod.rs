//! Parts of the randomized tests: choices, contents, trees, mutations, queries and child processes.
//!
//! Nothing here knows codedb's internals: the binary under test and its peer are programs that print.

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
