//! From a pattern to the lines that match: pattern → plan → candidates → verified matches.

pub mod candidates;
pub mod fuzzy;
pub mod gram_query;
pub mod pattern;
pub mod plan;
