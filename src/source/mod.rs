//! The work tree: the only room that reads it, and writes it.
//!
//! [`walk`] finds the files as ripgrep would, [`stamp`] says when one changed, [`rules`] keeps the
//! ignore rules' own stamps, [`sweep`] compares a tree with its stamps, [`changes`] turns what the
//! sweep found into added and removed files, `watch` tells of changes as they happen, [`secret`]
//! names the files that no index may hold, [`guarded`] reads what may be served to others, [`kept`]
//! keeps it in memory, [`mod@write`] edits files for a caller that may.

pub mod changes;
pub mod guarded;
pub mod kept;
mod platform;
pub mod read;
pub mod rules;
pub mod secret;
pub mod stamp;
pub mod sweep;
pub mod walk;
#[cfg(unix)]
pub mod watch;
pub mod write;

pub use platform::{FileSystem, file_system};
