//! Settings files: read as a whole and written atomically.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};

/// The maximum size of a settings file.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// A settings file as it was read, or the path of one that does not exist.
pub(in crate::cli) struct SettingsFile {
    path: PathBuf,
    /// The target of a symbolic link, else the path.
    target: PathBuf,
    /// `None` if the file does not exist.
    text: Option<String>,
}

impl SettingsFile {
    /// Reads the file at `path`, and follows symbolic links; within `root` if it is given.
    ///
    /// # Errors
    ///
    /// If it is not a file, not UTF-8, too large, or outside of the root.
    pub(in crate::cli) fn read(path: &Path, root: Option<&Path>) -> Result<SettingsFile> {
        let failed = |error| Error::io(path, error);
        let target = match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_symlink() => path.canonicalize().map_err(|_| {
                Error::usage("broken symbolic link")
                    .with_path(path)
                    .with_hint("remove the link, or create its target")
            })?,
            Ok(_) => path.canonicalize().map_err(failed)?,
            Err(error) if error.kind() == ErrorKind::NotFound => path.to_path_buf(),
            Err(error) => return Err(failed(error)),
        };
        // For a file that does not exist, the nearest existing directory.
        let real = target.ancestors().find_map(|dir| dir.canonicalize().ok());
        if let (Some(root), Some(real)) = (root, real)
            && !real.starts_with(root)
        {
            return Err(Error::usage("the target is outside of the tree")
                .with_path(path)
                .with_hint("replace the link with a file, or omit `--scope project`"));
        }
        let file = SettingsFile { path: path.to_path_buf(), text: text(&target)?, target };
        Ok(file)
    }

    pub(in crate::cli) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the text; empty if the file does not exist.
    pub(in crate::cli) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    pub(in crate::cli) fn exists(&self) -> bool {
        self.text.is_some()
    }

    /// Returns true if the path is a symbolic link.
    pub(in crate::cli) fn is_link(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok_and(|metadata| metadata.is_symlink())
    }

    /// Replaces the file: writes a temporary file with the same permissions and renames it.
    ///
    /// # Errors
    ///
    /// If the file has changed since it was read, is read-only, or cannot be written.
    pub(in crate::cli) fn write(&self, text: &str) -> Result<()> {
        self.check()?;
        let failed = |error| Error::io(&self.path, error);
        let directory = self.target.parent().unwrap_or(Path::new("."));
        if !self.exists() {
            fs::create_dir_all(directory).map_err(failed)?;
        }
        let name = self.target.file_name().unwrap_or_default().to_string_lossy();
        let temporary = directory.join(format!(".{name}.{}.tmp", std::process::id()));
        let written = self.write_to(&temporary, text).and_then(|()| {
            self.check()?;
            fs::rename(&temporary, &self.target).map_err(failed)
        });
        if written.is_err() {
            // It may not exist.
            drop(fs::remove_file(&temporary));
        }
        written
    }

    fn write_to(&self, temporary: &Path, text: &str) -> Result<()> {
        let failed = |error| Error::io(temporary, error);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let permissions = if self.exists() {
            Some(fs::metadata(&self.target).map_err(failed)?.permissions())
        } else {
            None
        };
        #[cfg(unix)]
        if permissions.is_some() {
            // Settings may contain keys: other users must not read them before the permissions are
            // set.
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let mut file = options.open(temporary).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions).map_err(failed)?;
        }
        file.sync_all().map_err(failed)
    }

    /// Removes the file.
    ///
    /// # Errors
    ///
    /// If the file has changed since it was read, is read-only, or cannot be removed.
    pub(in crate::cli) fn remove(&self) -> Result<()> {
        self.check()?;
        fs::remove_file(&self.target).map_err(|error| Error::io(&self.path, error))
    }

    /// Fails if the file has changed since it was read, or is read-only.
    fn check(&self) -> Result<()> {
        if text(&self.target)? != self.text {
            return Err(Error::new(Kind::Busy, "changed by another program")
                .with_path(&self.path)
                .with_hint("run this again"));
        }
        let is_read_only =
            fs::metadata(&self.target).is_ok_and(|file| file.permissions().readonly());
        if is_read_only {
            Err(Error::usage("read-only file")
                .with_path(&self.path)
                .with_hint("make it writable, or edit its source if it is generated"))
        } else {
            Ok(())
        }
    }
}

/// Removes the directories of `file` that are empty and below `root`, up to `levels` of them.
pub(super) fn remove_empty_directories(file: &Path, levels: usize, root: &Path) {
    for directory in file.ancestors().skip(1).take(levels) {
        // This fails if it has other files.
        if directory == root || !directory.starts_with(root) || fs::remove_dir(directory).is_err() {
            return;
        }
    }
}

/// Returns the text of a file; `None` if it does not exist.
fn text(path: &Path) -> Result<Option<String>> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io(path, error)),
    };
    let invalid = |what: &str| {
        Err(Error::usage(what).with_path(path).with_hint("settings must be a text file"))
    };
    if !metadata.is_file() {
        return invalid("not a file");
    }
    if metadata.len() > FILE_BYTES_MAX {
        return invalid("larger than 64 MiB");
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(FILE_BYTES_MAX).read_to_end(&mut bytes));
    read.map_err(|error| Error::io(path, error))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => invalid("not UTF-8"),
    }
}
