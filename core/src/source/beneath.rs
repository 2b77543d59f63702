//! Opens files beneath a root by descriptor, so that no symbolic link leads out of the tree, not
//! even one that replaces a directory while the path is resolved.
//!
//! [`open_unlinked`] opens a path that contains no link: with `openat2` where the kernel has it, else
//! directory by directory, each within the one above. `open` also follows links, but resolves
//! them here (`place`) and asks the caller whether the file that it arrived at may be served.
//! Without `openat`-like calls (Windows) the directories are checked by path, which a race defeats.

pub(super) mod place;

use std::ffi::CString;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind};
use std::path::Path;

use self::place::Place;
use super::platform::{self, DirHandle};
use super::stamp::EntryKind;
use crate::base::path;
use crate::error::{Error, Kind, Result};

/// An open regular file of the tree.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) file: File,
    /// Its metadata when it was opened.
    pub(super) metadata: Metadata,
    /// True if no symbolic link is on the path.
    pub(super) is_unlinked: bool,
}

/// Opens the regular file at a repository path below `root`, which is canonical, without following
/// symbolic links. A pipe or device in its place does not block.
///
/// # Errors
///
/// Errors of opening, and `InvalidInput` for a path with `.` or `..` and for what is not a regular
/// file.
pub fn open_unlinked(root: &Path, path: &[u8]) -> io::Result<(File, Metadata)> {
    if !is_plain(path) {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not a path below the root"));
    }
    let opened = platform::open_without_links(&root.join(path::to_path(path)));
    let file = opened.unwrap_or_else(|| open_by_component(root, path))?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((file, metadata))
}

/// Opens the regular file at a repository path below `root`, which is canonical. Links are followed
/// within the tree; `check` then refuses the path that they lead to or accepts it.
///
/// # Errors
///
/// [`Kind::NotFound`] if there is none; [`Kind::Usage`] for a directory and for a path that leaves
/// the tree; [`Kind::Io`] if it cannot be opened; those of `check`.
pub(super) fn open(
    root: &Path,
    path: &[u8],
    check: impl FnOnce(&[u8]) -> Result<()>,
) -> Result<Opened> {
    if let Ok((file, metadata)) = open_unlinked(root, path) {
        return Ok(Opened { file, metadata, is_unlinked: true });
    }
    let named = path::to_path(path);
    let io = |error| Error::io(&named, error);
    let place = Place::reach(root, path)?;
    check(&place.real)?;
    match place.kind {
        Some(EntryKind::File) => {}
        Some(EntryKind::Dir) => {
            return Err(Error::usage("is a directory")
                .with_path(&named)
                .with_hint("{tool:tree} lists what is in it"));
        }
        Some(EntryKind::Other) => {
            return Err(Error::new(Kind::Io, "not a regular file").with_path(&named));
        }
        None => return Err(io(ErrorKind::NotFound.into())),
    }
    let file = place.dir.open_file(&place.name).map_err(io)?;
    let metadata = file.metadata().map_err(io)?;
    if !metadata.is_file() {
        return Err(Error::new(Kind::Io, "not a regular file").with_path(&named));
    }
    Ok(Opened { file, metadata, is_unlinked: false })
}

/// Returns true if every component of the path is the name of an entry.
fn is_plain(path: &[u8]) -> bool {
    let is_separator = |byte: &u8| cfg!(windows) && matches!(byte, b'\\' | b':');
    !path.iter().any(is_separator)
        && path.split(|&byte| byte == b'/').all(|name| !matches!(name, b"" | b"." | b".."))
}

/// Opens the file at a plain path directory by directory; a link on the way is an error.
fn open_by_component(root: &Path, path: &[u8]) -> io::Result<File> {
    let (dirs, name) = path::split(path);
    let mut dir = DirHandle::open(root)?;
    for name in dirs.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
        dir = dir.open_below(&CString::new(name)?)?;
    }
    dir.open_file(&CString::new(name)?)
}

#[cfg(all(test, unix))]
mod tests;
