//! Reads files that are served to others, such as a model: only files inside the root that are not
//! secrets.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::read::{self, Buffer};
use super::secret;
use super::stamp::Stamp;
use crate::base::path;
use crate::error::{Error, Kind, Result};

/// The content of a file when it was read.
#[derive(Clone, Debug)]
pub struct Content {
    /// The bytes; only the first ones if the file is longer than the requested maximum.
    pub bytes: Vec<u8>,
    /// Length of the file.
    pub size_bytes: u64,
    /// Metadata of the file before it was read.
    pub stamp: Stamp,
    /// True if no symbolic link is on the path, so that `stamp` is the metadata at that path.
    pub is_unlinked: bool,
    /// Whether `bytes` are UTF-8; computed on first use.
    is_utf8: OnceLock<bool>,
}

impl Content {
    /// Creates the content of a file that had `size_bytes` bytes and the metadata `stamp` before it
    /// was read.
    pub fn new(bytes: Vec<u8>, size_bytes: u64, stamp: Stamp) -> Content {
        Content { bytes, size_bytes, stamp, is_unlinked: false, is_utf8: OnceLock::new() }
    }

    /// Returns true if the bytes are UTF-8. O(bytes) the first time.
    pub fn is_utf8(&self) -> bool {
        *self.is_utf8.get_or_init(|| std::str::from_utf8(&self.bytes).is_ok())
    }

    /// Returns true if the file has more bytes than these.
    pub fn is_cut(&self) -> bool {
        (self.bytes.len() as u64) < self.size_bytes
    }
}

/// Reads up to `bytes_max` bytes of the file at a repository path below `root`, which is canonical.
///
/// # Errors
///
/// [`Kind::NotFound`] if there is none; [`Kind::Usage`] for a directory, a secret, and a path that
/// leaves the tree through a symbolic link; [`Kind::Io`] if it cannot be read.
pub fn read(root: &Path, path: &[u8], bytes_max: u64) -> Result<Content> {
    let named = path::to_path(path);
    refuse_secret(path, &named)?;
    let io = |error| Error::io(&named, error);
    // The target of a path with `.` or `..` can have the name of a secret, so it is resolved first.
    let is_plain = path.split(|&byte| byte == b'/').all(|part| !matches!(part, b"" | b"." | b".."));
    let unlinked = is_plain.then(|| read::open_unlinked(root, &named)).flatten();
    let is_unlinked = unlinked.is_some();
    let (mut file, metadata) = match unlinked {
        Some(opened) => opened,
        None => read::open(&real(root, &named)?).map_err(io)?,
    };
    let mut buffer = Buffer::default();
    let stamp = Stamp::of(&metadata);
    let len_bytes = stamp.size.min(bytes_max);
    buffer.fill(&mut file, len_bytes).map_err(io)?;
    let bytes = buffer.into_bytes();
    // The length of a file whose metadata reports none is the number of bytes read.
    let size_bytes = stamp.size.max(bytes.len() as u64);
    Ok(Content { is_unlinked, ..Content::new(bytes, size_bytes, stamp) })
}

/// Returns the canonical path of the file at a path below `root`, if it may be served.
fn real(root: &Path, named: &Path) -> Result<PathBuf> {
    let real = root.join(named).canonicalize().map_err(|error| Error::io(named, error))?;
    let Some(below) = real.strip_prefix(root).ok().and_then(path::from_path) else {
        return Err(Error::usage("a symbolic link leads out of the tree")
            .with_path(named)
            .with_hint("only files inside the tree can be read"));
    };
    refuse_secret(&below, named)?;
    if real.is_dir() {
        return Err(Error::usage("is a directory")
            .with_path(named)
            .with_hint("{tool:tree} lists what is in it"));
    }
    Ok(real)
}

fn refuse_secret(path: &[u8], named: &Path) -> Result<()> {
    if !secret::is_secret(path) {
        return Ok(());
    }
    Err(Error::new(Kind::Usage, "refusing to serve a secret (detected by its file name)")
        .with_path(named)
        .with_hint("`codedb search` on the command line can read it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_a_length() {
        let place = tempfile::tempdir().expect("a directory");
        let root = place.path().canonicalize().expect("it is there");
        std::fs::create_dir(root.join("d")).expect("a directory");
        std::fs::write(root.join("d/a.rs"), "fn a() {}\n").expect("a file");
        let content = read(&root, b"d/a.rs", 1 << 20).expect("it can be read");
        assert_eq!((content.bytes.as_slice(), content.is_cut()), (&b"fn a() {}\n"[..], false));
        let content = read(&root, b"d/a.rs", 2).expect("it can be read");
        assert_eq!((content.bytes.as_slice(), content.size_bytes), (&b"fn"[..], 10));
        assert!(content.is_cut());
        let kind = |path: &[u8]| read(&root, path, 9).map(|_| ()).map_err(|error| error.kind());
        assert_eq!(kind(b"d"), Err(Kind::Usage));
        assert_eq!(kind(b"d/b.rs"), Err(Kind::NotFound));
        assert_eq!(kind(b"d/.env"), Err(Kind::Usage));
        std::fs::create_dir(root.join(".ssh")).expect("a directory");
        std::fs::write(root.join(".ssh/known"), "x").expect("a file");
        for path in [".ssh/known", ".ssh/./known", ".ssh//known", "d/../.ssh/known", "./.ssh/known"]
        {
            assert_eq!(kind(path.as_bytes()), Err(Kind::Usage), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out_or_to_secrets() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().expect("a directory");
        let base = place.path().canonicalize().expect("it is there");
        let root = base.join("root");
        std::fs::create_dir(&root).expect("a directory");
        std::fs::write(base.join("out.rs"), "outside").expect("a file");
        std::fs::write(root.join("in.rs"), "inside").expect("a file");
        std::fs::write(root.join(".env"), "KEY=1").expect("a file");
        for (target, link) in [("../out.rs", "a.rs"), ("..", "up"), (".env", "b"), ("in.rs", "c")] {
            symlink(target, root.join(link)).expect("a link");
        }
        for path in ["a.rs", "up/out.rs", "b"] {
            let error = read(&root, path.as_bytes(), 99).expect_err("it is not served");
            assert_eq!(error.kind(), Kind::Usage, "{path}: {error}");
        }
        assert_eq!(read(&root, b"c", 99).expect("it stays inside").bytes, b"inside");
    }
}
