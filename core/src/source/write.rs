//! Writes files of the tree for callers that are allowed to: each file as a whole, replacing the
//! old one in one step, and never outside of the root.
//!
//! A path is opened directory by directory, each within the one above, and symbolic links are
//! resolved by `Place`, so that no link leads out of the tree even if it is created meanwhile.
//! The file is read again after the new text was written to a temporary file in the same directory;
//! then one rename puts it in place. Edits in one directory wait for each other.
//!
//! Limits: a write by another program between that second read and the rename, a few microseconds
//! later, is lost. A hard link is broken, so that no name outside of the root is written. A killed
//! process leaves a hidden file `.codedb-….tmp`.

use std::ffi::CString;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use super::beneath::place::Place;
use super::guarded::Content;
use super::platform::{self, DirHandle};
use super::stamp::{EntryKind, Stamp};
use super::{executed, secret};
use crate::base::path;
use crate::error::{Error, Kind, Result};

/// Maximum size of a file that is edited.
pub const FILE_BYTES_MAX: u64 = 64 << 20;

/// The files that a caller may edit, among those that can be edited at all.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Editable {
    /// All but those that other programs execute by themselves; see [`executed`].
    #[default]
    Ordinary,
    /// Those, too.
    All,
}

/// Makes the names of temporary files unique.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// Reads the file at a repository path below `root`, which is canonical, to edit it.
///
/// # Errors
///
/// [`Kind::NotFound`] if there is none; [`Kind::Usage`] for what is not edited: a directory, a
/// device, a secret, git's own files, a path that leaves the tree, a file of more than 64 MiB, one
/// that is read-only, one that is not `editable`; [`Kind::Io`] if it cannot be read.
pub fn read(root: &Path, path: &[u8], editable: Editable) -> Result<Content> {
    let place = reach(root, path, editable)?;
    let file = open(&place, path)?;
    Ok(content(file, path)?.0)
}

/// Checks that a file may have `bytes` bytes after an edit: one that is larger could not be edited
/// again.
///
/// # Errors
///
/// [`Kind::Usage`] if it would be too large.
pub fn check_size(path: &[u8], bytes: usize) -> Result<()> {
    if bytes as u64 <= FILE_BYTES_MAX {
        return Ok(());
    }
    Err(Error::usage("the file would have more than 64 MiB")
        .with_path(&path::to_path(path))
        .with_hint("larger files cannot be edited"))
}

/// Replaces the file at a repository path with `after` if its content is still `before`. Keeps
/// mode, owner and access control list, the owner as far as this process may set it.
///
/// # Errors
///
/// Those of [`read`] and [`check_size`]; [`Kind::Busy`] if the file was changed since, or another edit in its
/// directory does not finish; [`Kind::Io`] if it cannot be written. Then nothing has changed.
pub fn replace(
    root: &Path,
    path: &[u8],
    editable: Editable,
    before: &Content,
    after: &[u8],
) -> Result<()> {
    check_size(path, after.len())?;
    let place = reach(root, path, editable)?;
    let _lock = lock(&place.dir, path)?;
    let like = unchanged(&place, path, before)?;
    let waiting = Waiting::write(&place.dir, path, after, Some(&like))?;
    // Detects what was created or changed while the text was written.
    let again = reach(root, path, editable)?;
    if !again.is_same(&place) {
        return Err(changed(path));
    }
    unchanged(&again, path, before)?;
    let io = |error| Error::io(&path::to_path(path), error);
    place.dir.rename(&waiting.name, &place.name).map_err(io)?;
    waiting.stays();
    Ok(())
}

/// Checks that a file can be created at a repository path: nothing is there.
///
/// # Errors
///
/// [`Kind::Usage`] if something is there, or the path is one that [`read`] refuses.
pub fn check_vacant(root: &Path, path: &[u8], editable: Editable) -> Result<()> {
    vacant(&reach(root, path, editable)?, path)
}

/// Creates a file with `text` at a repository path, with the directories that it needs.
///
/// # Errors
///
/// As [`check_vacant`] and [`check_size`]; [`Kind::Io`] if it cannot be written. Then nothing has
/// changed.
pub fn create(root: &Path, path: &[u8], editable: Editable, text: &[u8]) -> Result<()> {
    check_size(path, text.len())?;
    let reached = || reach(root, path, editable);
    let place = reached()?;
    vacant(&place, path)?;
    let mut made = Vec::new();
    let created = create_below(path, &place, text, &mut made, &reached);
    if created.is_err() {
        // From the innermost outwards; a directory that is not empty any more stays.
        while let Some((above, name)) = made.pop() {
            let above: Option<&DirHandle> = above.as_ref();
            let _ = above.unwrap_or(&place.dir).remove_dir(&name);
        }
    }
    created
}

/// A created directory: its parent (`None` for the directory of the place), and its name.
type Made = (Option<DirHandle>, CString);

/// Creates the missing directories of `place`, which go into `made`, and the file; `reached`
/// resolves its path again.
fn create_below(
    path: &[u8],
    place: &Place,
    text: &[u8],
    made: &mut Vec<Made>,
    reached: &dyn Fn() -> Result<Place>,
) -> Result<()> {
    let io = |error| Error::io(&path::to_path(path), error);
    let mut innermost: Option<DirHandle> = None;
    for name in &place.missing_dirs {
        let above = innermost.take();
        let (is_new, below) = {
            let dir = above.as_ref().unwrap_or(&place.dir);
            let is_new = match dir.make(name) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => false,
                result => result.map(|()| true).map_err(io)?,
            };
            (is_new, dir.open_below(name))
        };
        if is_new {
            made.push((above, name.clone()));
        }
        innermost = Some(below.map_err(io)?);
    }
    let dir = innermost.as_ref().unwrap_or(&place.dir);
    let waiting = Waiting::write(dir, path, text, None)?;
    let again = reached()?;
    vacant(&again, path)?;
    if !again.missing_dirs.is_empty() || !again.dir.is_same(dir).map_err(io)? {
        return Err(changed(path));
    }
    dir.put(&waiting.name, &place.name).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => exists(path),
        _ => io(error),
    })?;
    waiting.stays();
    Ok(())
}

/// A temporary file that waits to be renamed; removed if dropped before.
struct Waiting<'a> {
    dir: &'a DirHandle,
    name: CString,
    is_in_place: bool,
}

impl<'a> Waiting<'a> {
    /// Writes `text` into a temporary file in `dir`, with the metadata of the file `like` as far as
    /// possible.
    fn write(
        dir: &'a DirHandle,
        path: &[u8],
        text: &[u8],
        like: Option<&File>,
    ) -> Result<Waiting<'a>> {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        // Processes in different containers can have the same id, and a killed process leaves its
        // file.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let name = format!(".codedb-{}-{count}-{}.tmp", std::process::id(), now.as_nanos());
        let name = CString::new(name).unwrap_or_default();
        let dir_path = path::to_path(path::split(path).0);
        let failed = |error: std::io::Error| match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                Error::new(Kind::Io, "its directory is not writable")
                    .with_path(&path::to_path(path))
                    .with_hint(format!("cannot create a file in `{}`: {error}", dir_path.display()))
            }
            _ => Error::io(&path::to_path(path), error),
        };
        // A replacement must not be readable by others before it has the permissions of the
        // original.
        let made = if like.is_some() { dir.create_private(&name) } else { dir.create(&name) };
        let mut file = made.map_err(failed)?;
        let waiting = Waiting { dir, name, is_in_place: false };
        file.write_all(text).map_err(failed)?;
        if let Some(like) = like {
            platform::keep(&file, like).map_err(failed)?;
        }
        // After a crash the file has the old or the new text, and is not empty.
        file.sync_all().map_err(failed)?;
        Ok(waiting)
    }

    fn stays(mut self) {
        self.is_in_place = true;
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if !self.is_in_place {
            let _ = self.dir.remove(&self.name);
        }
    }
}

/// Opens the file at `place` if it may be edited.
fn open(place: &Place, path: &[u8]) -> Result<File> {
    let named = path::to_path(path);
    let refused =
        |what: &str, hint: &str| Err(Error::usage(what).with_path(&named).with_hint(hint));
    match place.kind {
        None => return Err(Error::new(Kind::NotFound, "there is no such file").with_path(&named)),
        Some(EntryKind::Dir) => return refused("is a directory", "name a file in it"),
        Some(EntryKind::Other) => {
            return refused("is a device, a pipe or a socket", "only regular files can be edited");
        }
        Some(EntryKind::File) => {}
    }
    let io = |error| Error::io(&named, error);
    let file = place.dir.open_file(&place.name).map_err(io)?;
    let metadata = file.metadata().map_err(io)?;
    if !metadata.is_file() {
        return Err(changed(path));
    }
    if metadata.permissions().readonly() || !place.dir.is_writable(&place.name) {
        return refused(
            "is read-only",
            "make it writable, or change the file that it is generated from",
        );
    }
    if metadata.len() > FILE_BYTES_MAX {
        return refused("has more than 64 MiB", "larger files cannot be edited");
    }
    Ok(file)
}

/// Reads an open file completely; returns it as well.
fn content(mut file: File, path: &[u8]) -> Result<(Content, File)> {
    let io = |error| Error::io(&path::to_path(path), error);
    let stamp = Stamp::of(&file.metadata().map_err(io)?);
    // One byte more than the file has, so that its end is found without another allocation.
    let mut bytes = Vec::with_capacity(stamp.size.min(FILE_BYTES_MAX) as usize + 1);
    (&mut file).take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(io)?;
    let size_bytes = bytes.len() as u64;
    if size_bytes > FILE_BYTES_MAX {
        return Err(changed(path));
    }
    Ok((Content::new(bytes, size_bytes, stamp), file))
}

/// Opens the file at `place` if its content is still that of `before`.
fn unchanged(place: &Place, path: &[u8], before: &Content) -> Result<File> {
    if place.kind.is_none() {
        return Err(changed(path));
    }
    let (now, file) = content(open(place, path)?, path)?;
    if now.original() == before.original() { Ok(file) } else { Err(changed(path)) }
}

fn vacant(place: &Place, path: &[u8]) -> Result<()> {
    if place.kind.is_some() || place.is_link { Err(exists(path)) } else { Ok(()) }
}

fn exists(path: &[u8]) -> Error {
    Error::usage("already exists")
        .with_path(&path::to_path(path))
        .with_hint("`create` creates a new file; every other `op` changes an existing one")
}

fn changed(path: &[u8]) -> Error {
    Error::new(Kind::Busy, "another program changed the file; nothing was written")
        .with_path(&path::to_path(path))
        .with_hint("read it again")
}

fn lock(dir: &DirHandle, path: &[u8]) -> Result<platform::Lock> {
    dir.lock().map_err(|_| {
        Error::new(Kind::Busy, "timed out waiting for another edit in this directory")
            .with_path(&path::to_path(path))
            .with_hint("try again")
    })
}

/// Resolves the path of a file that may be edited.
fn reach(root: &Path, path: &[u8], editable: Editable) -> Result<Place> {
    refuse(root, path, path)?;
    let place = Place::reach(root, path)?;
    if place.real != path {
        refuse(root, &place.real, path)?;
    }
    // A program that opens the path as typed executes the target of a link.
    let is_executed =
        || executed::is_executed(&place.real) || place.real != path && executed::is_executed(path);
    if editable == Editable::Ordinary && is_executed() {
        return Err(refused_executed(path, &place.real));
    }
    Ok(place)
}

fn refused_executed(path: &[u8], real: &[u8]) -> Error {
    let what = if real == path {
        "refusing to edit a file that other programs execute by themselves".to_owned()
    } else {
        let real = path::to_path(real);
        format!(
            "refusing to edit a file that other programs execute by themselves (the path leads to \
             `{}`)",
            crate::base::text::plain(&real.to_string_lossy())
        )
    };
    Error::usage(what).with_path(&path::to_path(path)).with_hint(
        "only the option `--allow-edit=all` of `codedb mcp`, `codedb serve` and `codedb edit` \
         allows it",
    )
}

/// Refuses the path of a secret and of git's own files; `named` is the path as given by the caller.
fn refuse(root: &Path, path: &[u8], named: &[u8]) -> Result<()> {
    let refused = |what: &str| {
        Err(Error::usage(what)
            .with_path(&path::to_path(named))
            .with_hint("only files inside the tree that are not secrets can be edited"))
    };
    let is_in_repository = || secret::repository::contains(root, path);
    if path.split(|&byte| byte == b'/').any(is_git) || is_in_repository() {
        return refused("refusing to edit git's own files");
    }
    if secret::is_secret(path) {
        return refused("refusing to edit a secret (detected by its file name)");
    }
    Ok(())
}

/// Returns true for the name of git's own directory or file under the rules of any file system:
/// some ignore case, some drop trailing dots and spaces, some ignore invisible characters.
fn is_git(name: &[u8]) -> bool {
    let is_seen = |c: &char| !matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let name: String = String::from_utf8_lossy(name).chars().filter(is_seen).collect();
    let name = name.trim_end_matches(['.', ' ']);
    name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case("git~1")
}

#[cfg(test)]
mod tests;
