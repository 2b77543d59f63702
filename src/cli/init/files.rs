//! Settings as they are on disk: read whole, and written so that no reader ever sees half of them.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};

/// Larger files are no settings.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// A file of settings as it was read, or the place of one that is not there.
pub(super) struct Found {
    path: PathBuf,
    /// What a link leads to, else the path.
    target: PathBuf,
    /// `None` where there is no file.
    text: Option<String>,
}

impl Found {
    /// Reads the file at `path`, through links; within `root` where that is named.
    ///
    /// # Errors
    ///
    /// What is no file, no text, too large, or leads out of the root.
    pub(super) fn read(path: &Path, root: Option<&Path>) -> Result<Found> {
        let failed = |error| Error::io(path, error);
        let target = match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_symlink() => path.canonicalize().map_err(|_| {
                Error::usage("is a link that leads nowhere")
                    .with_path(path)
                    .with_hint("remove the link, or make the file that it names")
            })?,
            Ok(_) => path.canonicalize().map_err(failed)?,
            Err(error) if error.kind() == ErrorKind::NotFound => path.to_path_buf(),
            Err(error) => return Err(failed(error)),
        };
        // Of a file that is not there, the nearest folder that is.
        let real = target.ancestors().find_map(|dir| dir.canonicalize().ok());
        if let (Some(root), Some(real)) = (root, real)
            && !real.starts_with(root)
        {
            return Err(Error::usage("leads out of the tree")
                .with_path(path)
                .with_hint("replace the link by a file, or leave out `--scope project`"));
        }
        let found = Found { path: path.to_path_buf(), text: text(&target)?, target };
        Ok(found)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the text, an empty one where there is no file.
    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    pub(super) fn exists(&self) -> bool {
        self.text.is_some()
    }

    /// Returns true if the path is a link.
    pub(super) fn is_link(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok_and(|metadata| metadata.is_symlink())
    }

    /// Writes the file anew: beside it, with its permissions, then in its place.
    ///
    /// # Errors
    ///
    /// Where it changed since it was read, is read-only, or cannot be written.
    pub(super) fn write(&self, text: &str) -> Result<()> {
        self.check()?;
        let failed = |error| Error::io(&self.path, error);
        let folder = self.target.parent().unwrap_or(Path::new("."));
        if !self.exists() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let name = self.target.file_name().unwrap_or_default().to_string_lossy();
        let beside = folder.join(format!(".{name}.{}.tmp", std::process::id()));
        let written = self.write_to(&beside, text).and_then(|()| {
            self.check()?;
            fs::rename(&beside, &self.target).map_err(failed)
        });
        if written.is_err() {
            // It may not even have been made.
            drop(fs::remove_file(&beside));
        }
        written
    }

    fn write_to(&self, beside: &Path, text: &str) -> Result<()> {
        let failed = |error| Error::io(beside, error);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let permissions = match self.exists() {
            true => Some(fs::metadata(&self.target).map_err(failed)?.permissions()),
            false => None,
        };
        #[cfg(unix)]
        if permissions.is_some() {
            // Settings may hold keys: nobody else reads them before the permissions are set.
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let mut file = options.open(beside).map_err(failed)?;
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
    /// Where it changed since it was read, is read-only, or cannot be removed.
    pub(super) fn remove(&self) -> Result<()> {
        self.check()?;
        fs::remove_file(&self.target).map_err(|error| Error::io(&self.path, error))
    }

    /// Fails where the file is not as it was read, or not to be written.
    fn check(&self) -> Result<()> {
        if text(&self.target)? != self.text {
            return Err(Error::new(Kind::Busy, "was changed by another program meanwhile")
                .with_path(&self.path)
                .with_hint("run this again"));
        }
        let is_read_only =
            fs::metadata(&self.target).is_ok_and(|file| file.permissions().readonly());
        match is_read_only {
            true => Err(Error::usage("is read-only")
                .with_path(&self.path)
                .with_hint("make it writable, or change it where it comes from")),
            false => Ok(()),
        }
    }
}

/// Removes the folder of `file` if it is empty and lies below `root`.
pub(super) fn remove_empty_folder(file: &Path, root: &Path) {
    if let Some(folder) = file.parent()
        && folder != root
        && folder.starts_with(root)
    {
        // One with other files stays.
        drop(fs::remove_dir(folder));
    }
}

/// Returns the text of a file, `None` where there is none.
fn text(path: &Path) -> Result<Option<String>> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io(path, error)),
    };
    let refused = |what: &str| {
        Err(Error::usage(what)
            .with_path(path)
            .with_hint("settings are a text file; look at what this is"))
    };
    if !metadata.is_file() {
        return refused("is no file");
    }
    if metadata.len() > FILE_BYTES_MAX {
        return refused("has more than 64 MiB");
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(FILE_BYTES_MAX).read_to_end(&mut bytes));
    read.map_err(|error| Error::io(path, error))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => refused("is not UTF-8"),
    }
}
