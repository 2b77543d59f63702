//! The work tree: the only module below the edge that reads and writes its files.
//!
//! [`walk`] lists the files that ripgrep would search. [`stamp`] compares file metadata, [`rules`]
//! tracks the sources of ignore rules, `followed` checks them at each call of a server, and `watch`
//! reports changes as they happen. [`private_dir`]
//! creates and checks directories of the user. [`secret`] lists
//! the files that no index may contain. [`beneath`] opens files of a tree so that no link leads out
//! of it; [`guarded`] reads files that may be served to others, and
//! [`text_cache`] caches them in memory. [`mod@write`] edits files for callers that are allowed to,
//! [`executed`] lists those among them that other programs execute.

pub mod beneath;
pub mod environment;
pub mod executed;
#[cfg(unix)]
pub mod followed;
pub mod global_excludes;
pub mod guarded;
pub mod input_file;
mod platform;
pub mod private_dir;
pub mod read;
pub mod rule_files;
pub mod rules;
pub mod secret;
pub mod stamp;
pub mod text_cache;
pub mod walk;
#[cfg(unix)]
pub mod watch;
pub mod write;

pub use platform::DirHandle;
pub(crate) use platform::lacks_locks;
pub use platform::{Activity, FileSystem, file_system, free_bytes, limit_memory, may_write};
