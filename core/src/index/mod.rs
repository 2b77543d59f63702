//! The search index: trigram postings, the file table and the files that hold them.
//!
//! Read in this order: [`gram`] (keys), [`gram_set`] (what is
//! shorter than a gram), [`extract`] (text → keys), [`postings`] (list codec),
//! [`segment`] (lists by key), [`table`] (files and directories), [`mod@format`] (the container on
//! disk), [`map`] (its bytes), [`store`] (the index directory), [`snapshot`] (one opened
//! generation). [`code`] and [`text`] are separate indexes in the same directory: symbols and
//! references, and chunks for ranking. Searches use neither.

pub mod code;
pub mod derived_file;
pub mod extract;
pub mod format;
pub mod gram;
pub mod gram_set;
pub mod map;
pub mod postings;
pub mod segment;
pub mod snapshot;
pub mod store;
pub mod table;
pub mod text;
