//! A read-only tantivy directory over one container. Its files are sections, whose blocks are
//! checked on first access. It does not support writing, locking or watching.
//!
//! Reads return copies: the dictionary of a field once, posting lists on demand. A copy takes
//! microseconds and avoids lifetime requirements on mapped bytes.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::HasLen;
use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, FileHandle, OwnedBytes, RamDirectory, WatchCallback, WatchHandle, WritePtr,
};

use crate::error::{Error, Result};
use crate::index::format::{self, Container, FileKind};
use crate::index::map::Map;

/// The section with the file names, one per line, in the order of their sections.
const NAMES: u32 = 1;

/// The section of the first file.
const FIRST: u32 = 2;

/// Returns true if `name` is the file of stored documents.
pub(super) fn is_store(name: &Path) -> bool {
    name.extension().is_some_and(|extension| extension == "store")
}

/// Writes the files `names` of `memory` to the new container `path`, with `store` in place of the
/// file of stored documents.
pub(super) fn write(
    path: &Path,
    memory: &RamDirectory,
    names: &[PathBuf],
    store: &OwnedBytes,
) -> Result<()> {
    let mut listing = String::new();
    let mut files = Vec::with_capacity(names.len());
    for name in names {
        let lost =
            |error: &dyn std::fmt::Display| Error::io(path, io::Error::other(error.to_string()));
        let file = memory.open_read(name).map_err(|error| lost(&error))?;
        files.push(if is_store(name) {
            store.clone()
        } else {
            file.read_bytes().map_err(|error| lost(&error))?
        });
        listing.push_str(&name.to_string_lossy());
        listing.push('\n');
    }
    let parts: Vec<[&[u8]; 1]> = std::iter::once([listing.as_bytes()])
        .chain(files.iter().map(|bytes| [bytes.as_slice()]))
        .collect();
    let numbered = parts.iter().zip(NAMES..);
    let sections: Vec<(u32, &[&[u8]])> = numbered.map(|(part, id)| (id, &part[..])).collect();
    format::write(path, FileKind::TextSegment, &sections)
}

/// A read-only directory whose files are sections of a container.
#[derive(Clone, Debug)]
pub(super) struct ContainerDirectory {
    container: Arc<Container>,
    files: Arc<Vec<(PathBuf, format::Range)>>,
}

impl ContainerDirectory {
    /// Opens the container at `path`. O(sections).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if it is damaged, [`crate::Kind::NotFound`] if it does not exist.
    pub(super) fn open(path: &Path, on_heap: bool) -> Result<ContainerDirectory> {
        let container = Container::open(Map::open(path, on_heap)?, FileKind::TextSegment)?;
        let names = container.copy(container.section(NAMES)?)?;
        let names = String::from_utf8_lossy(&names).into_owned();
        let mut files = Vec::new();
        for (name, id) in names.lines().zip(FIRST..) {
            files.push((PathBuf::from(name), container.section(id)?));
        }
        Ok(ContainerDirectory { container: Arc::new(container), files: Arc::new(files) })
    }

    pub(super) fn container(&self) -> &Container {
        &self.container
    }

    fn find(&self, path: &Path) -> Option<format::Range> {
        self.files.iter().find(|(name, _)| name == path).map(|(_, range)| *range)
    }
}

/// One file of a [`ContainerDirectory`].
#[derive(Clone, Debug)]
struct Section {
    container: Arc<Container>,
    range: format::Range,
}

impl HasLen for Section {
    fn len(&self) -> usize {
        self.range.len()
    }
}

impl FileHandle for Section {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let part = range.end.checked_sub(range.start);
        let part = part.and_then(|len| self.range.slice(range.start, len));
        let part = part.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?;
        let bytes = self.container.bytes(part).map_err(io::Error::other)?;
        Ok(OwnedBytes::new(bytes.to_vec()))
    }
}

impl Directory for ContainerDirectory {
    fn get_file_handle(
        &self,
        path: &Path,
    ) -> std::result::Result<Arc<dyn FileHandle>, OpenReadError> {
        match self.find(path) {
            Some(range) => Ok(Arc::new(Section { container: Arc::clone(&self.container), range })),
            None => Err(OpenReadError::FileDoesNotExist(path.to_path_buf())),
        }
    }

    fn exists(&self, path: &Path) -> std::result::Result<bool, OpenReadError> {
        Ok(self.find(path).is_some())
    }

    fn atomic_read(&self, path: &Path) -> std::result::Result<Vec<u8>, OpenReadError> {
        let missing = || OpenReadError::FileDoesNotExist(path.to_path_buf());
        let range = self.find(path).ok_or_else(missing)?;
        let bytes = self.container.bytes(range).map_err(io::Error::other);
        let bytes =
            bytes.map_err(|error| OpenReadError::wrap_io_error(error, path.to_path_buf()))?;
        Ok(bytes.to_vec())
    }

    fn delete(&self, path: &Path) -> std::result::Result<(), DeleteError> {
        let (io_error, filepath) = (Arc::new(read_only()), path.to_path_buf());
        Err(DeleteError::IoError { io_error, filepath })
    }

    fn open_write(&self, path: &Path) -> std::result::Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::wrap_io_error(read_only(), path.to_path_buf()))
    }

    fn atomic_write(&self, _path: &Path, _data: &[u8]) -> io::Result<()> {
        Err(read_only())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn watch(&self, _callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

fn read_only() -> io::Error {
    io::Error::from(io::ErrorKind::ReadOnlyFilesystem)
}
