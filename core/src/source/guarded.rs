//! Reads files that are served to others, such as a model: only files inside the root that are not
//! secrets.

use std::path::Path;
use std::sync::OnceLock;

use super::beneath::{self, Opened};
use super::read::Buffer;
use super::secret;
use super::stamp::Stamp;
use crate::base::line_index::LineIndex;
use crate::base::{path, text};
use crate::error::{Error, Kind, Result};

/// The content of a file when it was read.
#[derive(Clone, Debug)]
pub struct Content {
    bytes: Vec<u8>,
    /// Length of the file.
    pub size_bytes: u64,
    /// Metadata of the file before it was read.
    pub stamp: Stamp,
    /// True if no symbolic link is on the path, so that `stamp` is the metadata at that path.
    pub is_unlinked: bool,
    /// Whether `bytes` are UTF-8; computed on first use.
    is_utf8: OnceLock<bool>,
    /// The hash of `bytes`; computed on first use.
    hash: OnceLock<u128>,
    /// The short hash of `bytes`; computed on first use.
    short_hash: OnceLock<u64>,
    /// The bytes with secrets masked, if there are any; computed on first use.
    masked: OnceLock<Option<Vec<u8>>>,
    /// Where the lines of [`Content::bytes`] are; computed on first use.
    lines: OnceLock<LineIndex>,
}

impl Content {
    /// Creates the content of a file that had `size_bytes` bytes and the metadata `stamp` before it
    /// was read.
    pub fn new(bytes: Vec<u8>, size_bytes: u64, stamp: Stamp) -> Content {
        Content {
            bytes,
            size_bytes,
            stamp,
            is_unlinked: false,
            is_utf8: OnceLock::new(),
            hash: OnceLock::new(),
            short_hash: OnceLock::new(),
            masked: OnceLock::new(),
            lines: OnceLock::new(),
        }
    }

    /// Returns the same content for a user who may see the secrets in it.
    #[must_use]
    pub fn showing_secrets(self) -> Content {
        Content { masked: OnceLock::from(None), ..self }
    }

    /// Returns the bytes to quote from, with each secret masked by as many bytes; only the first
    /// ones if the file is longer than the requested maximum. UTF-16 with secrets becomes UTF-8.
    /// O(bytes) the first time.
    pub fn bytes(&self) -> &[u8] {
        let masked = || {
            if text::is_utf16(&self.bytes) {
                return secret::masked(text::decode(&self.bytes)?.as_bytes());
            }
            secret::masked(&self.bytes)
        };
        self.masked.get_or_init(masked).as_deref().unwrap_or(&self.bytes)
    }

    /// Returns the bytes as they are, to compare, match and parse them; nothing of them may be
    /// shown. Except in UTF-16, offsets are those of [`Content::bytes`].
    pub fn original(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the hash of [`Content::original`], as in the index. O(bytes) the first time.
    pub fn hash(&self) -> u128 {
        *self.hash.get_or_init(|| xxhash_rust::xxh3::xxh3_128(&self.bytes))
    }

    /// Returns the 64-bit hash of [`Content::original`], as replies show it. O(bytes) the first time.
    pub fn short_hash(&self) -> u64 {
        *self.short_hash.get_or_init(|| xxhash_rust::xxh3::xxh3_64(&self.bytes))
    }

    /// Returns true if the bytes are UTF-8. O(bytes) the first time.
    pub fn is_utf8(&self) -> bool {
        *self.is_utf8.get_or_init(|| std::str::from_utf8(&self.bytes).is_ok())
    }

    /// Returns where the lines of [`Content::bytes`] are. O(bytes) the first time.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::of(self.bytes()))
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
    refuse_secret(root, path, &named)?;
    let io = |error| Error::io(&named, error);
    // The target of a link can have the name of a secret, and a path with `.` or `..` too.
    let opened = beneath::open(root, path, |real| refuse_secret(root, real, &named))?;
    let Opened { mut file, metadata, is_unlinked } = opened;
    let mut buffer = Buffer::default();
    let stamp = Stamp::of(&metadata);
    let len_bytes = stamp.size.min(bytes_max);
    buffer.fill(&mut file, len_bytes).map_err(io)?;
    let bytes = buffer.into_bytes();
    // The length of a file whose metadata reports none is the number of bytes read.
    let size_bytes = stamp.size.max(bytes.len() as u64);
    Ok(Content { is_unlinked, ..Content::new(bytes, size_bytes, stamp) })
}

fn refuse_secret(root: &Path, path: &[u8], named: &Path) -> Result<()> {
    let what = if secret::is_secret(path) {
        "refusing to serve a secret (detected by its file name)"
    } else if secret::repository::contains(root, path) {
        "refusing to serve a file of a git repository without a work tree"
    } else {
        return Ok(());
    };
    Err(Error::new(Kind::Usage, what)
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
        assert_eq!((content.bytes(), content.is_cut()), (&b"fn a() {}\n"[..], false));
        let content = read(&root, b"d/a.rs", 2).expect("it can be read");
        assert_eq!((content.bytes(), content.size_bytes), (&b"fn"[..], 10));
        assert!(content.is_cut());
        let kind = |path: &[u8]| read(&root, path, 9).map(|_| ()).map_err(|error| error.kind());
        assert_eq!(kind(b"d"), Err(Kind::Usage));
        assert_eq!(kind(b"d/b.rs"), Err(Kind::NotFound));
        assert_eq!(kind(b"d/.env"), Err(Kind::Usage));
        std::fs::create_dir(root.join(".ssh")).expect("a directory");
        std::fs::write(root.join(".ssh/known"), "x").expect("a file");
        for dir in ["d/repo/objects", "d/repo/refs"] {
            std::fs::create_dir_all(root.join(dir)).expect("a directory");
        }
        std::fs::write(root.join("d/repo/HEAD"), "ref: refs/heads/main\n").expect("a file");
        std::fs::write(root.join("d/repo/config"), "url = https://a:b@c\n").expect("a file");
        for path in [
            ".ssh/known",
            ".ssh/./known",
            ".ssh//known",
            "d/../.ssh/known",
            "./.ssh/known",
            "d/repo/config",
            "d/repo/HEAD",
            "d/repo//config",
            "d/./repo/config",
            "d/repo/../repo/config",
        ] {
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
        assert_eq!(read(&root, b"c", 99).expect("it stays inside").bytes(), b"inside");
    }
}
