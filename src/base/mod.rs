//! Small types that every room shares: ids, repository paths, texts and points in time.

pub mod bits;
pub mod ids;
pub mod path;
pub mod text;
pub mod time;
