//! Caches file texts in memory, so that a long-running process reads each file once. Every use
//! compares metadata first: that of the file, or with `text_at` the metadata that the caller has
//! just obtained. For files that are not text only that fact is cached.
//!
//! A store through a memory map can leave the metadata as they are. So a text whose metadata are those
//! of the index must also have its hash, and [`TextCache::forget`] drops what a watcher reports.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, RwLock};
use std::time::SystemTime;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_128;

use super::guarded::{self, Content};
use super::secret;
use super::stamp::Stamp;
use crate::base::{path, text};
use crate::error::{Error, Kind, Result};

/// Maximum number of bytes of cached texts.
pub const BYTES_MAX: usize = 48 << 20;

/// Maximum length of a cached text; longer files are read each time. Files that are parsed are at most
/// this long.
const TEXT_BYTES_MAX: usize = (4 << 20) + 1;

/// Maximum number of former texts, and the maximum length of one.
const FORMER_MAX: usize = 8;
const FORMER_BYTES_MAX: usize = 1 << 20;

/// Maximum number of files cached as not being text.
const BINARY_MAX: usize = 1 << 18;

/// Memory that a cached text takes besides its bytes.
pub const ENTRY_BYTES: usize = 256;

/// What an index has about a file whose metadata are those of the index.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// The metadata.
    pub stamp: Stamp,
    /// The hash of the content that had this metadata; `None` if it was not read.
    pub hash: Option<u128>,
}

impl Listed {
    /// Returns true if content with this metadata cannot be cached content with that hash.
    fn contradicts(&self, stamp: Stamp, hash: impl FnOnce() -> u128) -> bool {
        self.stamp == stamp && self.hash.is_some_and(|listed| listed != hash())
    }
}

/// What proves that a cached text is that of its file.
#[derive(Clone, Copy, Debug)]
enum Proof {
    /// The metadata of the file.
    Metadata,
    /// The metadata of the file, and the index where it has the same metadata.
    Index(Listed),
    /// Only the bytes of the file.
    Bytes,
}

/// A cached text with its secrets masked; empty if the file could not be read.
#[derive(Clone, Debug, Default)]
pub struct Text(Option<Arc<Content>>);

impl Deref for Text {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_ref().map(|content| content.bytes()).unwrap_or_default()
    }
}

impl Text {
    /// Returns the text of a file that is in memory only.
    pub fn of_memory(bytes: Vec<u8>) -> Text {
        let size_bytes = bytes.len() as u64;
        Text(Some(Arc::new(Content::new(bytes, size_bytes, Stamp::NEVER))))
    }

    /// Returns the text as UTF-8, as [`text::decode`] does, or `None` if the bytes are not text.
    /// O(1) for UTF-8 that was checked before.
    pub fn utf8(&self) -> Option<Cow<'_, [u8]>> {
        self.decoded(self)
    }

    /// Returns the text as it is, to compare and match it; nothing of it may be shown. See
    /// [`Content::original`].
    pub fn original(&self) -> &[u8] {
        self.0.as_ref().map(|content| content.original()).unwrap_or_default()
    }

    /// Returns the hash of [`Text::original`], as in the index. O(1) for a text that was hashed before.
    pub fn hash(&self) -> u128 {
        self.0.as_ref().map_or_else(|| xxh3_128(&[]), |content| content.hash())
    }

    /// Returns [`Text::original`] as UTF-8; offsets are those of [`Text::utf8`].
    pub fn original_utf8(&self) -> Option<Cow<'_, [u8]>> {
        self.decoded(self.original())
    }

    fn decoded<'t>(&self, bytes: &'t [u8]) -> Option<Cow<'t, [u8]>> {
        match &self.0 {
            Some(content) if text::is_text(bytes) && content.is_utf8() => {
                Some(Cow::Borrowed(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)))
            }
            _ => Some(Cow::Owned(text::decode(bytes)?.into_owned().into_bytes())),
        }
    }
}

/// A cache of the texts of a tree's files.
#[derive(Debug)]
pub struct TextCache {
    root: PathBuf,
    shows_secrets: bool,
    /// All texts that there are, for files that are not on this machine.
    held: Option<FxHashMap<Vec<u8>, Arc<Content>>>,
    kept: RwLock<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    texts: FxHashMap<Vec<u8>, Arc<Content>>,
    /// Files that were not text when they had this metadata, with the hash of whole ones.
    binary: FxHashMap<Vec<u8>, (Stamp, Option<u128>)>,
    /// The last texts that were dropped or replaced, newest first.
    former: VecDeque<(Vec<u8>, Arc<Content>)>,
    /// Memory of the texts.
    bytes: usize,
    /// Number of calls of [`TextCache::forget`] and [`TextCache::forget_below`].
    forgotten: u64,
}

impl TextCache {
    /// Creates an empty cache for the tree at `root`, which is canonical.
    pub fn new(root: PathBuf) -> TextCache {
        TextCache { root, shows_secrets: false, held: None, kept: RwLock::default() }
    }

    /// Creates a cache of these files by their repository paths, which reads no others. Files whose
    /// names are those of secrets are left out.
    pub fn of_memory(files: impl IntoIterator<Item = (Vec<u8>, Arc<Content>)>) -> TextCache {
        let held = files.into_iter().filter(|(path, _)| !secret::is_secret(path)).collect();
        TextCache { held: Some(held), ..TextCache::new(PathBuf::new()) }
    }

    /// Returns the same cache for a user who may see the secrets in texts.
    #[must_use]
    pub fn showing_secrets(self) -> TextCache {
        TextCache { shows_secrets: true, ..self }
    }

    /// Returns true if secrets in texts are not masked.
    pub fn shows_secrets(&self) -> bool {
        self.shows_secrets
    }

    /// Returns up to `bytes_max` bytes of the file at a repository path. O(path) if it is cached
    /// and its metadata is unchanged, else O(bytes).
    ///
    /// # Errors
    ///
    /// As [`guarded::read`].
    pub fn read(&self, path: &[u8], bytes_max: u64) -> Result<Text> {
        self.content(path, bytes_max, Proof::Metadata).map(|(content, _)| Text(Some(content)))
    }

    /// Returns what [`TextCache::read`] does, as the content of a file. Where the file is not `listed`,
    /// it is read, and the cache only saves what was computed from the same bytes.
    ///
    /// # Errors
    ///
    /// As [`guarded::read`].
    pub fn read_content(
        &self,
        path: &[u8],
        listed: Option<Listed>,
        bytes_max: u64,
    ) -> Result<Arc<Content>> {
        let proof = listed.map_or(Proof::Bytes, Proof::Index);
        self.content(path, bytes_max, proof).map(|(content, _)| content)
    }

    /// Reads as [`TextCache::read`] does for a file that is `listed`.
    ///
    /// # Errors
    ///
    /// As [`guarded::read`].
    pub fn read_listed(&self, path: &[u8], listed: Listed, bytes_max: u64) -> Result<Text> {
        let content = self.content(path, bytes_max, Proof::Index(listed));
        content.map(|(content, _)| Text(Some(content)))
    }

    /// Drops the text of the file at a repository path, and what is being read now: a watcher reports
    /// a change, which the metadata may not show.
    pub fn forget(&self, path: &[u8]) {
        self.keep(|kept| kept.forget(path));
    }

    /// Drops all texts below a directory, as [`TextCache::forget`] does. O(texts).
    pub fn forget_below(&self, dir: &[u8]) {
        self.keep(|kept| kept.forget_below(dir));
    }

    /// Returns the cached text of a file that is now as it is `listed`. Returns `None` if it is not
    /// cached or longer than `bytes_max`. O(path), no system call; O(text) for a text that was not
    /// hashed before.
    pub fn cached_at(&self, path: &[u8], listed: Listed, bytes_max: u64) -> Option<Text> {
        let content = match &self.held {
            Some(held) => Arc::clone(held.get(path)?),
            None => Arc::clone(self.kept.read().ok()?.texts.get(path)?),
        };
        let is_same = content.stamp == listed.stamp
            && content.size_bytes <= bytes_max
            && !listed.contradicts(content.stamp, || content.hash());
        is_same.then_some(Text(Some(content)))
    }

    /// Returns the text that a file has or had, if it is still in memory. O(texts that were dropped last).
    pub fn known(&self, path: &[u8], hash: u128) -> Option<Text> {
        let kept = self.kept.read().ok()?;
        let former = kept.former.iter().filter(|(of, _)| of == path).map(|(_, content)| content);
        let mut all = kept.texts.get(path).into_iter().chain(former);
        all.find(|content| content.hash() == hash).map(|content| Text(Some(Arc::clone(content))))
    }

    /// Reads as [`TextCache::read`] does for a file that is now as it is `listed`. Returns `None`
    /// if it is not text, and whether the result is cached: then it stays the same while the file
    /// is as listed. O(path) and no system call for cached files.
    ///
    /// # Errors
    ///
    /// As [`guarded::read`].
    pub fn text_at(
        &self,
        path: &[u8],
        listed: Listed,
        bytes_max: u64,
    ) -> Result<(Option<Text>, bool)> {
        if let Some(text) = self.cached_at(path, listed, bytes_max) {
            return Ok((Some(text), true));
        }
        if self.is_binary(path, listed) {
            return Ok((None, true));
        }
        let (content, is_cached) = self.content(path, bytes_max, Proof::Index(listed))?;
        let is_cached = is_cached && content.stamp == listed.stamp;
        Ok((text::is_text(content.original()).then(|| Text(Some(content))), is_cached))
    }

    /// Returns true if the file is cached as not being text, assuming that it is now as it is
    /// `listed`. O(path).
    pub fn is_binary(&self, path: &[u8], listed: Listed) -> bool {
        let Ok(kept) = self.kept.read() else { return false };
        kept.binary.get(path).is_some_and(|&(stamp, hash)| {
            stamp == listed.stamp && !hash.is_some_and(|hash| listed.contradicts(stamp, || hash))
        })
    }

    /// Returns the content of a file, and whether it is cached.
    fn content(&self, path: &[u8], bytes_max: u64, proof: Proof) -> Result<(Arc<Content>, bool)> {
        if let Some(held) = &self.held {
            return in_memory(held, path, bytes_max).map(|content| (content, true));
        }
        if let Some(content) = self.kept(path, proof)
            && content.size_bytes <= bytes_max
        {
            return Ok((content, true));
        }
        let forgotten = self.kept.read().map_or(0, |kept| kept.forgotten);
        let taken_at = SystemTime::now();
        let content = guarded::read(&self.root, path, bytes_max)?;
        let content = if self.shows_secrets { content.showing_secrets() } else { content };
        let stamp = content.stamp.unless_racy(taken_at);
        let content = Arc::new(content);
        // A path through a link is read each time, since the metadata here is that of the target. A
        // file written during the read has other metadata by now.
        let is_its_own = content.is_unlinked || self.stamp(path) == Some(stamp);
        let is_lasting = stamp != Stamp::NEVER && is_its_own;
        // Other content than the index has was stored without a trace in the metadata.
        let is_lasting = is_lasting && !proof.contradicts(&content);
        let is_unreported = |kept: &Entries| kept.forgotten == forgotten;
        if is_lasting && !text::is_text(content.original()) {
            let hash = (!content.is_cut()).then(|| content.hash());
            let is_cached = self.keep(|kept| {
                is_unreported(kept) && {
                    kept.insert_binary(path, stamp, hash);
                    true
                }
            });
            return Ok((content, is_cached));
        }
        if !is_lasting || content.is_cut() || content.original().len() > TEXT_BYTES_MAX {
            return Ok((content, false));
        }
        if matches!(proof, Proof::Bytes)
            && let Some(kept) = self.kept(path, Proof::Metadata)
            && kept.stamp == stamp
            && kept.original() == content.original()
        {
            return Ok((kept, true));
        }
        let is_cached = self.keep(|kept| {
            is_unreported(kept) && {
                kept.insert(path, &content);
                true
            }
        });
        Ok((content, is_cached))
    }

    fn kept(&self, path: &[u8], proof: Proof) -> Option<Arc<Content>> {
        if matches!(proof, Proof::Bytes) {
            return None;
        }
        let content = Arc::clone(self.kept.read().ok()?.texts.get(path)?);
        let is_same = self.stamp(path) == Some(content.stamp) && !proof.contradicts(&content);
        is_same.then_some(content)
    }

    /// Changes the entries; returns the default where they cannot be used.
    fn keep<T: Default>(&self, change: impl FnOnce(&mut Entries) -> T) -> T {
        self.kept.write().map_or_else(|_| T::default(), |mut kept| change(&mut kept))
    }

    fn stamp(&self, path: &[u8]) -> Option<Stamp> {
        Stamp::of_file(&self.root.join(path::to_path(path)))
    }
}

/// Returns up to `bytes_max` bytes of a file in memory.
fn in_memory(
    held: &FxHashMap<Vec<u8>, Arc<Content>>,
    path: &[u8],
    bytes_max: u64,
) -> Result<Arc<Content>> {
    let content = held.get(path).ok_or_else(|| {
        Error::new(Kind::NotFound, "the file was not fetched").with_path(&path::to_path(path))
    })?;
    match content.original().get(..usize::try_from(bytes_max).unwrap_or(usize::MAX)) {
        Some(part) if part.len() < content.original().len() => {
            Ok(Arc::new(Content::new(part.to_vec(), content.size_bytes, content.stamp)))
        }
        _ => Ok(Arc::clone(content)),
    }
}

impl Proof {
    /// Returns true if the index has other content with the same metadata.
    fn contradicts(&self, content: &Content) -> bool {
        match self {
            Proof::Index(listed) => {
                !content.is_cut() && listed.contradicts(content.stamp, || content.hash())
            }
            Proof::Metadata | Proof::Bytes => false,
        }
    }
}

impl Entries {
    fn forget(&mut self, path: &[u8]) {
        self.forgotten += 1;
        self.binary.remove(path);
        if let Some(before) = self.texts.remove(path) {
            self.bytes -= before.original().len() + ENTRY_BYTES;
            self.note_former(path, before);
        }
    }

    fn note_former(&mut self, path: &[u8], content: Arc<Content>) {
        if content.original().len() <= FORMER_BYTES_MAX {
            self.former.truncate(FORMER_MAX - 1);
            self.former.push_front((path.to_vec(), content));
        }
    }

    fn forget_below(&mut self, dir: &[u8]) {
        let stays = |path: &[u8]| !dir.is_empty() && path != dir && !path::is_within(path, dir);
        self.forgotten += 1;
        self.binary.retain(|path, _| stays(path));
        self.texts.retain(|path, _| stays(path));
        self.bytes = self.texts.values().map(|of| of.original().len() + ENTRY_BYTES).sum();
    }

    fn insert(&mut self, path: &[u8], content: &Arc<Content>) {
        let bytes = content.original().len() + ENTRY_BYTES;
        if self.bytes + bytes > BYTES_MAX {
            (self.texts, self.bytes) = (FxHashMap::default(), 0);
        }
        self.bytes += bytes;
        if let Some(before) = self.texts.insert(path.to_vec(), Arc::clone(content)) {
            self.bytes -= before.original().len() + ENTRY_BYTES;
            self.note_former(path, before);
        }
    }

    fn insert_binary(&mut self, path: &[u8], stamp: Stamp, hash: Option<u128>) {
        if self.binary.len() >= BINARY_MAX {
            self.binary = FxHashMap::default();
        }
        self.binary.insert(path.to_vec(), (stamp, hash));
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::*;

    /// Waits until the metadata of a file that was just written proves that it is unchanged.
    fn wait_until_trusted(file: &Path) {
        let stamp = || Stamp::of_file(file).expect("a file").unless_racy(SystemTime::now());
        while stamp() == Stamp::NEVER {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// A file of which only the metadata are listed.
    fn listed(stamp: Stamp) -> Listed {
        Listed { stamp, hash: None }
    }

    #[test]
    fn texts_that_a_watcher_or_the_index_contradicts_are_read_again() {
        let place = tempfile::tempdir().expect("a directory");
        let root = place.path().canonicalize().expect("it is there");
        let texts = TextCache::new(root.clone());
        for bytes in [&b"text"[..], b"a\0b"] {
            std::fs::write(root.join("a"), bytes).expect("a file");
            wait_until_trusted(&root.join("a"));
            let stamp = texts.stamp(b"a").expect("it is there");
            let text_at = |hash| texts.text_at(b"a", Listed { stamp, hash }, 99).expect("a file");
            let is_cached = |hash| {
                let listed = Listed { stamp, hash };
                texts.cached_at(b"a", listed, 99).is_some() || texts.is_binary(b"a", listed)
            };
            let hash = xxh3_128(bytes);
            assert!(text_at(Some(hash)).1 && is_cached(None) && is_cached(Some(hash)));
            assert!(!is_cached(Some(hash ^ 1)), "the index has other content");
            assert!(!text_at(Some(hash ^ 1)).1, "nor may the result be kept");
            texts.forget(b"a");
            assert!(!is_cached(None));
            assert!(text_at(None).1);
            texts.forget_below(b"a");
            assert!(!is_cached(None));
        }
        assert_eq!(texts.kept.read().expect("no panic").bytes, 0);
    }

    #[test]
    fn kept_texts_are_those_of_their_files() {
        let place = tempfile::tempdir().expect("a directory");
        let root = place.path().canonicalize().expect("it is there");
        let file = root.join("a.rs");
        let texts = TextCache::new(root.clone());
        let read = |bytes_max| texts.read(b"a.rs", bytes_max).map(|text| text.to_vec());
        std::fs::write(&file, "one").expect("a file");
        assert_eq!(read(99).expect("it is there"), b"one");
        // The same length, within the racy window.
        std::fs::write(&file, "two").expect("a file");
        assert_eq!(read(99).expect("it is there"), b"two");
        let old = SystemTime::now() - Duration::from_secs(60);
        wait_until_trusted(&file);
        assert_eq!(read(99).expect("it is there"), b"two");
        assert_eq!(texts.kept.read().expect("no panic").texts.len(), 1);
        assert_eq!(read(2).expect("it is there"), b"tw");
        assert_eq!(read(99).expect("it is there"), b"two");
        // Changed with unchanged length and modification time.
        let written = std::fs::File::options().write(true).open(&file).expect("it is there");
        std::io::Write::write_all(&mut &written, b"six").expect("it can be written");
        written.set_modified(old).expect("it can be set");
        drop(written);
        assert_eq!(read(99).expect("it is there"), b"six");
        wait_until_trusted(&file);
        let now = texts.stamp(b"a.rs").expect("it is there");
        let text_at = |stamp| {
            let (text, is_cached) = texts.text_at(b"a.rs", listed(stamp), 99).expect("it is there");
            assert_eq!(is_cached, stamp != Stamp::NEVER);
            text.map(|text| text.to_vec())
        };
        assert_eq!(text_at(now).as_deref(), Some(&b"six"[..]));
        let cached_at =
            |stamp, bytes_max| texts.cached_at(b"a.rs", listed(stamp), bytes_max).is_some();
        assert!(cached_at(now, 3) && !cached_at(now, 2) && !cached_at(Stamp::NEVER, 3));
        // Metadata that proves nothing: the file is read.
        assert_eq!(text_at(Stamp::NEVER).as_deref(), Some(&b"six"[..]));
        std::fs::remove_file(&file).expect("it is there");
        assert!(read(99).is_err());
    }

    #[test]
    fn texts_are_utf8_as_they_are_decoded() {
        let place = tempfile::tempdir().expect("a directory");
        let root = place.path().canonicalize().expect("it is there");
        let texts = TextCache::new(root.clone());
        for (name, bytes) in [
            ("plain", &b"a\n"[..]),
            ("mark", b"\xEF\xBB\xBFa"),
            ("utf16", b"\xFF\xFEa\0b\0"),
            ("broken", b"a\xFFb"),
            ("binary", b"a\0b"),
            ("empty", b""),
        ] {
            std::fs::write(root.join(name), bytes).expect("a file");
            let text = texts.read(name.as_bytes(), 99).expect("it is there");
            let decoded = text::decode(bytes).map(|text| text.into_owned().into_bytes());
            assert_eq!(text.utf8().map(Cow::into_owned), decoded, "{name}");
        }
        assert_eq!(Text::default().utf8().as_deref(), Some(&b""[..]));
    }

    #[test]
    fn of_files_that_are_no_texts_that_is_kept() {
        let place = tempfile::tempdir().expect("a directory");
        let root = place.path().canonicalize().expect("it is there");
        let file = root.join("a");
        std::fs::write(&file, b"a\0b").expect("a file");
        wait_until_trusted(&file);
        let texts = TextCache::new(root);
        let now = || texts.stamp(b"a").expect("it is there");
        let is_text = || texts.text_at(b"a", listed(now()), 99).expect("it is there").0.is_some();
        assert!(!is_text());
        {
            let kept = texts.kept.read().expect("no panic");
            assert_eq!((kept.texts.len(), kept.binary.len(), kept.bytes), (0, 1, 0));
        }
        assert_eq!(&*texts.read(b"a", 99).expect("it is there"), b"a\0b");
        let then = now();
        std::fs::write(&file, "text").expect("a file");
        assert!(is_text());
        // The cached result is used.
        std::fs::remove_file(&file).expect("it is there");
        assert!(texts.text_at(b"a", listed(then), 99).expect("it is known").0.is_none());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_file_is_noticed() {
        let place = tempfile::tempdir().expect("a directory");
        let root = place.path().canonicalize().expect("it is there");
        std::fs::create_dir(root.join("tree")).expect("a directory");
        std::fs::write(root.join("out.rs"), "outside").expect("a file");
        std::fs::write(root.join("tree/a.rs"), "inside").expect("a file");
        wait_until_trusted(&root.join("tree/a.rs"));
        let texts = TextCache::new(root.join("tree"));
        assert_eq!(&*texts.read(b"a.rs", 99).expect("it is there"), b"inside");
        std::fs::remove_file(root.join("tree/a.rs")).expect("it is there");
        std::os::unix::fs::symlink("../out.rs", root.join("tree/a.rs")).expect("a link");
        assert!(texts.read(b"a.rs", 99).is_err());
    }

    #[test]
    fn memory_is_bounded() {
        let place = tempfile::tempdir().expect("a directory");
        let root = place.path().canonicalize().expect("it is there");
        for at in 0..80 {
            std::fs::write(root.join(format!("{at}")), vec![b'a'; 1 << 20]).expect("a file");
        }
        wait_until_trusted(&root.join("79"));
        let texts = TextCache::new(root);
        for at in 0..80 {
            texts.read(format!("{at}").as_bytes(), 1 << 30).expect("it is there");
        }
        let kept = texts.kept.read().expect("no panic");
        let bytes: usize = kept.texts.values().map(|of| of.original().len() + ENTRY_BYTES).sum();
        assert_eq!(bytes, kept.bytes);
        assert!(bytes <= BYTES_MAX && bytes > 0, "{bytes}");
    }
}
