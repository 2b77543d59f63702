//! The search index: trigram postings, the file table and the files that hold them.
//!
//! Read in this order: [`gram`] (keys), [`extract`] (text → keys), [`postings`] (lists),
//! [`segment`] (lists by key), [`mod@format`] (the container on disk), [`map`] (its bytes).
//! [`text`] is apart from these: it ranks, and searches do not know it.

pub mod code;
pub mod extract;
pub mod format;
pub mod gram;
pub mod map;
pub mod postings;
pub mod segment;
pub mod snapshot;
pub mod store;
pub mod table;
pub mod text;
