//! The work tree: the only module below the edge that reads and writes its files.
//!
//! [`walk`] lists the files that ripgrep would search. [`stamp`] compares file metadata, [`rules`]
//! tracks the sources of ignore rules, and `watch` reports changes as they happen. [`secret`] lists
//! the files that no index may contain. [`guarded`] reads files that may be served to others, and
//! [`text_cache`] caches them in memory. [`mod@write`] edits files for callers that are allowed to.

pub mod guarded;
mod platform;
pub mod read;
pub mod rules;
pub mod secret;
pub mod stamp;
pub mod text_cache;
pub mod walk;
#[cfg(unix)]
pub mod watch;
pub mod write;

pub(crate) use platform::DirHandle;
pub use platform::{FileSystem, file_system};
