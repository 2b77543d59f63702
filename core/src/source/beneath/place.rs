//! Resolves a path from the root: each directory is opened within the one above, and links are
//! followed here.

use std::ffi::CString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use crate::base::path;
use crate::error::{Error, Result};
use crate::source::platform::DirHandle;
use crate::source::stamp::EntryKind;

/// Maximum number of links followed for one file.
const LINKS_MAX: usize = 40;

/// The target of a path: a directory of the tree and a name in it.
pub(in crate::source) struct Place {
    /// The innermost existing directory on the path.
    pub(in crate::source) dir: DirHandle,
    /// The missing directories, outermost first.
    pub(in crate::source) missing_dirs: Vec<CString>,
    /// The file's own name.
    pub(in crate::source) name: CString,
    /// The kind of the entry, never a link; `None` if there is none.
    pub(in crate::source) kind: Option<EntryKind>,
    /// The path itself is a symbolic link.
    pub(in crate::source) is_link: bool,
    /// The repository path that it was reached by, without links.
    pub(in crate::source) real: Vec<u8>,
}

impl Place {
    /// Resolves a repository path below `root`.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Usage`] for a path that leaves the tree; errors of the system.
    pub(in crate::source) fn reach(root: &Path, path: &[u8]) -> Result<Place> {
        let names = path.split(|&byte| byte == b'/').filter(|name| !matches!(*name, b"" | b"."));
        let left: Vec<CString> = names.map(|name| c_name(name, path)).collect::<Result<_>>()?;
        let top = open_root(root)?;
        let mut way = Way {
            root,
            path,
            top,
            dirs: Vec::new(),
            real: Vec::new(),
            left: left.into_iter().rev().collect(),
            links: 0,
            is_link: false,
        };
        let (missing_dirs, name, kind) = way.walk()?;
        way.real.extend(missing_dirs.iter().chain([&name]).map(|name| name.as_bytes().to_vec()));
        let Way { top, mut dirs, is_link, real, .. } = way;
        let (dir, real) = (dirs.pop().unwrap_or(top), real.join(&b'/'));
        Ok(Place { dir, missing_dirs, name, kind, is_link, real })
    }

    /// Returns true if `other` is the same name in the same directory.
    pub(in crate::source) fn is_same(&self, other: &Place) -> bool {
        self.name == other.name
            && self.missing_dirs == other.missing_dirs
            && self.dir.is_same(&other.dir).unwrap_or(false)
    }
}

/// Opens the root, which is canonical: a link in its place would lead to another tree.
fn open_root(root: &Path) -> Result<DirHandle> {
    let io = |error| Error::io(root, error);
    let top = DirHandle::open(root).map_err(io)?;
    // Opened again after the check, so that the directory that was checked is the one that is open.
    let is_itself = root.canonicalize().map_err(io)? == root
        && DirHandle::open(root).and_then(|again| top.is_same(&again)).map_err(io)?;
    if !is_itself {
        return Err(Error::usage("another directory replaced the root of the tree")
            .with_path(root)
            .with_hint("restart the server"));
    }
    Ok(top)
}

/// The state of a resolution.
struct Way<'a> {
    root: &'a Path,
    path: &'a [u8],
    top: DirHandle,
    /// The directories below the root entered so far.
    dirs: Vec<DirHandle>,
    /// Their names.
    real: Vec<Vec<u8>>,
    /// The remaining names, the next one last.
    left: Vec<CString>,
    links: usize,
    is_link: bool,
}

impl Way<'_> {
    /// Resolves all names. Returns the missing directories, the last name, and its kind.
    fn walk(&mut self) -> Result<(Vec<CString>, CString, Option<EntryKind>)> {
        let path = self.path;
        let io = |error| Error::io(&path::to_path(path), error);
        while let Some(name) = self.left.pop() {
            if name.as_bytes() == b".." {
                self.ascend()?;
                continue;
            }
            let dir = self.dirs.last().unwrap_or(&self.top);
            let kind = match dir.stat(&name) {
                Ok((kind, _)) => kind,
                Err(error) if error.kind() == ErrorKind::NotFound => return self.absent(name),
                Err(error) => return Err(io(error)),
            };
            if kind == EntryKind::Other
                && let Some(target) = dir.link(&name).map_err(io)?
            {
                self.is_link |= self.left.is_empty();
                self.follow(&target)?;
                continue;
            }
            if self.left.is_empty() {
                return Ok((Vec::new(), name, Some(kind)));
            }
            if kind != EntryKind::Dir {
                return Err(Error::usage("a component of the path is a file, not a directory")
                    .with_path(&path::to_path(self.path)));
            }
            let below = dir.open_below(&name).map_err(io)?;
            self.dirs.push(below);
            self.real.push(name.as_bytes().to_vec());
        }
        // The root itself, or a link to a directory above.
        Ok((Vec::new(), c".".to_owned(), Some(EntryKind::Dir)))
    }

    /// No entry `name` exists here: the rest of the path is to be created.
    fn absent(&mut self, name: CString) -> Result<(Vec<CString>, CString, Option<EntryKind>)> {
        let mut names = vec![name];
        while let Some(name) = self.left.pop() {
            if name.as_bytes() == b".." {
                return Err(refused(self.path, "dangling symbolic link"));
            }
            names.push(name);
        }
        let last = names.pop().unwrap_or_default();
        Ok((names, last, None))
    }

    /// Continues with the target of a symbolic link.
    fn follow(&mut self, target: &Path) -> Result<()> {
        self.links += 1;
        if self.links > LINKS_MAX {
            return Err(refused(self.path, "too many levels of symbolic links"));
        }
        if target.is_absolute() { self.begin_again(target) } else { self.queue(target) }
    }

    /// Goes to the parent directory; above the root only if the path returns below it.
    fn ascend(&mut self) -> Result<()> {
        if self.real.pop().is_some() {
            self.dirs.pop();
            return Ok(());
        }
        // The root of the file system has no parent.
        let Some(above) = self.root.parent() else { return Ok(()) };
        let mut outside = above.to_path_buf();
        while let Some(name) = self.left.pop() {
            outside.push(path::to_path(name.as_bytes()));
        }
        self.begin_again(&outside)
    }

    /// Resolves an absolute path, which must be below the root, from the root.
    fn begin_again(&mut self, target: &Path) -> Result<()> {
        let below = match target.strip_prefix(self.root) {
            Ok(below) => below.to_path_buf(),
            Err(_) => self.really_below(target)?,
        };
        self.dirs.clear();
        self.real.clear();
        self.queue(&below)
    }

    /// Returns the path below the root of an absolute path that is spelled differently.
    fn really_below(&self, target: &Path) -> Result<PathBuf> {
        let outside = || refused(self.path, "a symbolic link leads out of the tree");
        let real = target.canonicalize().map_err(|_| outside())?;
        real.strip_prefix(self.root).map(Path::to_path_buf).map_err(|_| outside())
    }

    /// Puts the components of a path before the remaining names.
    fn queue(&mut self, next: &Path) -> Result<()> {
        let mut names = Vec::new();
        for component in next.components() {
            let name = match component {
                Component::CurDir => continue,
                Component::ParentDir => b"..".to_vec(),
                Component::Normal(name) => path::from_path(Path::new(name))
                    .ok_or_else(|| refused(self.path, "dangling symbolic link"))?,
                Component::RootDir | Component::Prefix(_) => {
                    return Err(refused(self.path, "a symbolic link leads out of the tree"));
                }
            };
            names.push(c_name(&name, self.path)?);
        }
        self.left.extend(names.into_iter().rev());
        Ok(())
    }
}

/// Returns a name as a C string.
fn c_name(name: &[u8], path: &[u8]) -> Result<CString> {
    let refused = |what: &str| Err(Error::usage(what).with_path(&path::to_path(path)));
    if cfg!(windows) && name.iter().any(|byte| matches!(byte, b':' | b'\\')) {
        return refused("a file name cannot contain a colon or a backslash on Windows");
    }
    match CString::new(name) {
        Ok(name) => Ok(name),
        Err(_) => refused("a path cannot contain a NUL character"),
    }
}

fn refused(path: &[u8], what: &str) -> Error {
    Error::usage(what)
        .with_path(&path::to_path(path))
        .with_hint("only files inside the tree can be read or edited")
}
