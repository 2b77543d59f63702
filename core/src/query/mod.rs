//! Selects the files that may match: pattern → plan → gram query → candidates. [`fuzzy`] finds
//! paths and names by partial or misspelled queries.

pub mod candidates;
pub mod fuzzy;
pub mod gram_query;
pub mod pattern;
pub mod plan;
