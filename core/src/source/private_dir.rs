//! Directories that only this user can change: those of indexes and of user data.

use std::fs::DirBuilder;
use std::path::Path;

use crate::error::{Error, Result};

/// The purpose of a directory, for error messages.
#[derive(Clone, Copy, Debug)]
pub struct Purpose {
    /// What the directory is, such as `index directory`.
    pub name: &'static str,
    /// The options that choose another one, as text.
    pub options: &'static str,
}

/// The directory of indexes.
pub const INDEX: Purpose =
    Purpose { name: "index directory", options: "`--index-dir` or CODEDB_INDEX_DIR" };

/// The directory of user data.
pub const DATA: Purpose =
    Purpose { name: "data directory", options: "`--data-dir` or CODEDB_DATA_DIR" };

/// Creates `dir` and its parents, accessible only to the user. A directory that exists is left as
/// it is; see [`check`].
///
/// # Errors
///
/// [`crate::Kind::Io`] if it cannot be created.
pub fn create(dir: &Path, purpose: Purpose) -> Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(|error| {
        Error::io(dir, error)
            .with_hint(format!("choose another directory with {}", purpose.options))
    })
}

/// Checks that a file in such a directory is a regular one that nobody else can change, if it exists.
///
/// # Errors
///
/// [`crate::Kind::Usage`] if not.
pub fn check_file(path: &Path, purpose: Purpose) -> Result<()> {
    let Ok(metadata) = path.symlink_metadata() else { return Ok(()) };
    if !metadata.is_file() {
        let error = Error::usage("not a regular file").with_path(path);
        return Err(error.with_hint(format!("choose another directory with {}", purpose.options)));
    }
    #[cfg(unix)]
    check_one(path, false, purpose)?;
    Ok(())
}

/// Checks that nobody else can change what is in `dir` or replace it, if it exists.
///
/// # Errors
///
/// [`crate::Kind::Usage`] if `dir` or the directory above it is a symbolic link, belongs to another
/// user, or is writable by others; a directory for everybody's files, such as `/tmp`, may be above.
pub fn check(dir: &Path, purpose: Purpose) -> Result<()> {
    let above = dir.parent().filter(|above| !above.as_os_str().is_empty());
    check_one(dir, false, purpose)?;
    above.map_or(Ok(()), |above| check_one(above, true, purpose))
}

#[cfg(unix)]
fn check_one(dir: &Path, may_be_shared: bool, purpose: Purpose) -> Result<()> {
    use std::os::unix::fs::MetadataExt;

    /// Only its owner may rename or remove a file in the directory.
    const STICKY: u32 = 0o1000;
    const ROOT: u32 = 0;
    let Ok(metadata) = dir.symlink_metadata() else { return Ok(()) };
    let (owner, mode) = (metadata.uid(), metadata.mode());
    if may_be_shared && owner == ROOT && mode & STICKY != 0 && !metadata.is_symlink() {
        return Ok(());
    }
    let what = if metadata.is_symlink() {
        "is a symbolic link"
    } else if owner != rustix::process::geteuid().as_raw() {
        "belongs to another user"
    } else if mode & 0o022 != 0 {
        "is writable by other users"
    } else {
        return Ok(());
    };
    let Purpose { name, options } = purpose;
    Err(Error::usage(format!("the {name} {what}"))
        .with_path(dir)
        .with_hint(format!("remove it, or choose another directory with {options}")))
}

/// Accepts every directory: permissions are not examined on this system.
#[cfg(not(unix))]
fn check_one(_: &Path, _: bool, _: Purpose) -> Result<()> {
    Ok(())
}
