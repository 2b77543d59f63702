//! The git hook of `codedb init --git-hook`: where it is, and how it is written.

use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};
use crate::history::git::{self, Git};

/// The name of the hook.
pub(super) const NAME: &str = "pre-commit";

/// Returns the path of the hook, and the directory that it must not leave.
///
/// # Errors
///
/// If the root is not in a repository, or `core.hooksPath` names another directory: that one belongs
/// to another program, or to all repositories.
pub(super) fn path(root: &Path) -> Result<(PathBuf, PathBuf)> {
    let none = || {
        Error::new(Kind::NotFound, "not in a git repository")
            .with_path(root)
            .with_hint("`git init` creates one")
    };
    let common = git::common_directory(root).ok_or_else(none)?;
    let configured = Git::open(root).ok_or_else(none)?.hooks_path()?;
    if let Some(directory) = configured {
        let directory = crate::base::text::plain(&directory);
        return Err(Error::usage(format!(
            "`core.hooksPath` is `{directory}`, so git does not run the hooks of the repository"
        ))
        .with_hint(format!(
            "add `codedb check --pre-commit || exit $?` to `{directory}/{NAME}` by hand"
        )));
    }
    let hooks = common.join("hooks");
    if hooks.is_symlink() {
        return Err(Error::usage("a symbolic link")
            .with_path(&hooks)
            .with_hint("replace it with a directory"));
    }
    Ok((hooks.join(NAME), common))
}

/// Makes a hook executable, which git requires.
///
/// # Errors
///
/// If the permissions cannot be changed.
pub(super) fn make_executable(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let failed = |error| Error::io(path, error);
        let mut permissions = path.metadata().map_err(failed)?.permissions();
        let mode = permissions.mode();
        if mode & 0o100 == 0 {
            // Whoever may read it may run it.
            permissions.set_mode(mode | (mode & 0o444) >> 2);
            std::fs::set_permissions(path, permissions).map_err(failed)?;
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
