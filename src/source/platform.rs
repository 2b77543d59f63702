//! What differs between operating systems, behind one interface: stamps and cheap stats of the
//! entries of one directory.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(super) use other::{DirHandle, open_without_waiting, stamp};
#[cfg(unix)]
pub(super) use unix::{DirHandle, open_without_waiting, stamp};
