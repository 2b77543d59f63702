//! What git knows: which commits touched which files. Absent where the tree is in no repository.

pub mod git;
