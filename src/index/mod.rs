//! The search index: trigram postings, the file table and the files that hold them.

pub mod gram;
