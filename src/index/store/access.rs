//! Refuses index directories that other users can change.

use std::path::Path;

use crate::error::{Error, Result};

/// Checks that nobody else can change what is in `dir` or replace it, if it exists.
///
/// # Errors
///
/// [`crate::Kind::Usage`] if `dir` or the directory above it is a symbolic link, belongs to another
/// user, or is writable by others; a directory for everybody's files, such as `/tmp`, may be above.
pub(super) fn check(dir: &Path) -> Result<()> {
    let above = dir.parent().filter(|above| !above.as_os_str().is_empty());
    check_one(dir, false)?;
    above.map_or(Ok(()), |above| check_one(above, true))
}

#[cfg(unix)]
fn check_one(dir: &Path, may_be_shared: bool) -> Result<()> {
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
        "the index directory is a symbolic link"
    } else if owner != rustix::process::geteuid().as_raw() {
        "the index directory belongs to another user"
    } else if mode & 0o022 != 0 {
        "the index directory is writable by other users"
    } else {
        return Ok(());
    };
    Err(Error::usage(what).with_path(dir).with_hint(
        "remove it, or choose another directory with `--index-dir` or `CODEDB_INDEX_DIR`",
    ))
}

/// Accepts every directory: permissions are not examined on this system.
#[cfg(not(unix))]
fn check_one(_: &Path, _: bool) -> Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    use crate::error::Kind;
    use crate::index::store::Store;

    #[track_caller]
    fn refuses(store: &Store, part: &str) {
        let errors = [store.check_access(), store.lock().map(|_| ())];
        for error in errors.map(|result| result.expect_err("it is refused")) {
            assert_eq!(error.kind(), Kind::Usage, "{error}");
            assert!(error.to_string().contains(part), "{error}");
        }
    }

    #[test]
    fn a_directory_that_others_can_change_is_refused() {
        let base = tempfile::tempdir().expect("a directory");
        let above = base.path().join("above");
        let dir = above.join("index");
        let store = Store::new(dir.clone(), false);
        store.check_access().expect("it does not exist yet");
        drop(store.lock().expect("it is created"));
        for path in [&dir, &above] {
            for mode in [0o770, 0o707, 0o777] {
                fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
                refuses(&store, "writable by other users");
            }
            fs::set_permissions(path, Permissions::from_mode(0o755)).expect("it is ours");
            drop(store.lock().expect("others may read it"));
            // Only root gives files away.
            if chown(path, Some(12345), None).is_ok() {
                refuses(&store, "belongs to another user");
                chown(path, Some(rustix::process::geteuid().as_raw()), None).expect("root");
            }
            let aside = path.with_extension("aside");
            fs::rename(path, &aside).expect("it is ours");
            symlink(&aside, path).expect("a link");
            refuses(&store, "symbolic link");
            fs::remove_file(path).expect("a link");
            fs::rename(&aside, path).expect("it is ours");
        }
    }
}
