//! Small types that every room shares: ids, repository paths, texts, what differs between two, and
//! points in time.

pub mod bits;
pub mod diff;
pub mod ids;
pub mod interrupt;
pub mod path;
pub mod text;
pub mod time;
pub(crate) mod varint;
