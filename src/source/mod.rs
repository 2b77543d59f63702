//! The work tree: the only room that reads it, and writes it.
//!
//! [`walk`] finds the files as ripgrep would, [`stamp`] says when one changed, [`rules`] keeps the
//! ignore rules' own stamps, `watch` tells of changes as they happen, [`secret`] names the files
//! that no index may hold, [`guarded`] reads what may be served to others, [`kept`] keeps it in
//! memory, [`mod@write`] edits files for a caller that may.

pub mod guarded;
pub mod kept;
mod platform;
pub mod read;
pub mod rules;
pub mod secret;
pub mod stamp;
pub mod walk;
#[cfg(unix)]
pub mod watch;
pub mod write;

pub(crate) use platform::DirHandle;
pub use platform::{FileSystem, file_system};
