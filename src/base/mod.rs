//! Small types that every room shares: ids and repository paths.

pub mod bits;
pub mod ids;
pub mod path;
