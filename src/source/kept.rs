//! Texts of files kept in memory, so that a process that stays reads each of them once; every use
//! compares the stamp first, the file's own or (`read_at`) the one that the caller vouches for.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, RwLock};
use std::time::SystemTime;

use rustc_hash::FxHashMap;

use super::guarded::{self, Content};
use super::stamp::Stamp;
use crate::base::path;
use crate::error::Result;

/// Bytes of texts that are kept.
const BYTES_MAX: usize = 64 << 20;

/// Bytes of one text that is kept; longer files are read each time.
const FILE_BYTES_MAX: usize = (1 << 20) + 1;

/// What a text costs beside its bytes.
const ENTRY_BYTES: usize = 256;

/// A text that is kept, or empty where the file could not be read.
#[derive(Clone, Debug, Default)]
pub struct Text(Option<Arc<Content>>);

impl Deref for Text {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_ref().map(|content| content.bytes.as_slice()).unwrap_or_default()
    }
}

/// The texts of a tree's files.
#[derive(Debug)]
pub struct Texts {
    root: PathBuf,
    kept: RwLock<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    texts: FxHashMap<Vec<u8>, Arc<Content>>,
    bytes: usize,
}

impl Texts {
    /// Returns the texts of the tree at `root`, which is canonical; none is read yet.
    pub fn new(root: PathBuf) -> Texts {
        Texts { root, kept: RwLock::default() }
    }

    /// Returns up to `bytes_max` bytes of the file at a repository path. O(path) where it is kept
    /// and has its stamp still, O(bytes) otherwise.
    ///
    /// # Errors
    ///
    /// As [`guarded::read`].
    pub fn read(&self, path: &[u8], bytes_max: u64) -> Result<Text> {
        self.content(path, bytes_max).map(|content| Text(Some(content)))
    }

    /// Does as [`Texts::read`] does for a file that has this stamp now, as the caller found out. O(path)
    /// where it is kept, without asking the system.
    ///
    /// # Errors
    ///
    /// As [`guarded::read`].
    pub fn read_at(&self, path: &[u8], now: Stamp, bytes_max: u64) -> Result<Text> {
        let kept = self.kept.read().ok().and_then(|kept| kept.texts.get(path).map(Arc::clone));
        match kept.filter(|of| of.stamp == now && of.size_bytes <= bytes_max) {
            Some(content) => Ok(Text(Some(content))),
            None => self.read(path, bytes_max),
        }
    }

    fn content(&self, path: &[u8], bytes_max: u64) -> Result<Arc<Content>> {
        if let Some(content) = self.kept(path)
            && content.size_bytes <= bytes_max
        {
            return Ok(content);
        }
        let taken_at = SystemTime::now();
        let content = guarded::read(&self.root, path, bytes_max)?;
        let stamp = content.stamp.unless_racy(taken_at);
        let content = Arc::new(content);
        // A path through a link is read anew, since the stamp here is that of what it leads to.
        let is_lasting = stamp != Stamp::NEVER && self.stamp(path) == Some(stamp);
        if is_lasting && !content.is_cut() && content.bytes.len() <= FILE_BYTES_MAX {
            self.keep(path, &content);
        }
        Ok(content)
    }

    fn kept(&self, path: &[u8]) -> Option<Arc<Content>> {
        let content = Arc::clone(self.kept.read().ok()?.texts.get(path)?);
        (self.stamp(path) == Some(content.stamp)).then_some(content)
    }

    fn keep(&self, path: &[u8], content: &Arc<Content>) {
        let Ok(mut kept) = self.kept.write() else { return };
        let bytes = content.bytes.len() + ENTRY_BYTES;
        if kept.bytes + bytes > BYTES_MAX {
            *kept = Kept::default();
        }
        kept.bytes += bytes;
        if let Some(before) = kept.texts.insert(path.to_vec(), Arc::clone(content)) {
            kept.bytes -= before.bytes.len() + ENTRY_BYTES;
        }
    }

    fn stamp(&self, path: &[u8]) -> Option<Stamp> {
        Stamp::of_file(&self.root.join(path::to_path(path)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn kept_texts_are_those_of_their_files() {
        let place = tempfile::tempdir().expect("a folder");
        let root = place.path().canonicalize().expect("it is there");
        let file = root.join("a.rs");
        let texts = Texts::new(root.clone());
        let read = |bytes_max| texts.read(b"a.rs", bytes_max).map(|text| text.to_vec());
        std::fs::write(&file, "one").expect("a file");
        assert_eq!(read(99).expect("it is there"), b"one");
        // Of the same length, before a stamp could tell.
        std::fs::write(&file, "two").expect("a file");
        assert_eq!(read(99).expect("it is there"), b"two");
        let old = SystemTime::now() - Duration::from_secs(60);
        std::thread::sleep(Duration::from_millis(150));
        assert_eq!(read(99).expect("it is there"), b"two");
        assert_eq!(texts.kept.read().expect("no panic").texts.len(), 1);
        assert_eq!(read(2).expect("it is there"), b"tw");
        assert_eq!(read(99).expect("it is there"), b"two");
        // Changed with the length and the time as they were.
        let written = std::fs::File::options().write(true).open(&file).expect("it is there");
        std::io::Write::write_all(&mut &written, b"six").expect("it can be written");
        written.set_modified(old).expect("it can be set");
        drop(written);
        assert_eq!(read(99).expect("it is there"), b"six");
        let now = texts.stamp(b"a.rs").expect("it is there");
        let read_at = |now| texts.read_at(b"a.rs", now, 99).map(|text| text.to_vec());
        assert_eq!(read_at(now).expect("it is there"), b"six");
        // Of another moment: the file is looked at.
        assert_eq!(read_at(Stamp::NEVER).expect("it is there"), b"six");
        std::fs::remove_file(&file).expect("it is there");
        assert!(read(99).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_file_is_noticed() {
        let place = tempfile::tempdir().expect("a folder");
        let root = place.path().canonicalize().expect("it is there");
        std::fs::create_dir(root.join("tree")).expect("a folder");
        std::fs::write(root.join("out.rs"), "outside").expect("a file");
        std::fs::write(root.join("tree/a.rs"), "inside").expect("a file");
        std::thread::sleep(Duration::from_millis(150));
        let texts = Texts::new(root.join("tree"));
        assert_eq!(&*texts.read(b"a.rs", 99).expect("it is there"), b"inside");
        std::fs::remove_file(root.join("tree/a.rs")).expect("it is there");
        std::os::unix::fs::symlink("../out.rs", root.join("tree/a.rs")).expect("a link");
        assert!(texts.read(b"a.rs", 99).is_err());
    }

    #[test]
    fn memory_is_bounded() {
        let place = tempfile::tempdir().expect("a folder");
        let root = place.path().canonicalize().expect("it is there");
        for at in 0..80 {
            std::fs::write(root.join(format!("{at}")), vec![b'a'; 1 << 20]).expect("a file");
        }
        std::thread::sleep(Duration::from_millis(200));
        let texts = Texts::new(root);
        for at in 0..80 {
            texts.read(format!("{at}").as_bytes(), 1 << 30).expect("it is there");
        }
        let kept = texts.kept.read().expect("no panic");
        let bytes: usize = kept.texts.values().map(|of| of.bytes.len() + ENTRY_BYTES).sum();
        assert_eq!(bytes, kept.bytes);
        assert!(bytes <= BYTES_MAX && bytes > 0, "{bytes}");
    }
}
