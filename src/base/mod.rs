//! Small types that every room shares: ids and repository paths.

pub mod ids;
pub mod path;
