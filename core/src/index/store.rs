//! The index directory of a tree: generations, locks, publication and cleanup.
//!
//! ```text
//! lock                   locked (by the operating system) by the writer of the search index
//! code.lock              the same for the writer of code index, text index and history
//! used                   its modification time is the time of the last use
//! root                   the tree's absolute path, for display and `--clean`
//! gen-<n>.json           manifest of generation n: its table and segments, and their checksums
//! table-<n>.idx          file table of generation n
//! segment-<n>.idx        postings that generation n added
//! history-<n>.idx        publication n of the log of commits
//! watch.lock             locked by the watch server
//! watch.sock             the socket of the watch server; briefly named watch.new, until it is private
//! cookie-<pid>-<n>       a short-lived file by which the watch server marks its event queue
//! ```
//!
//! [`cache`] manages the cache directory that contains index directories, [`lock`] the locks.
//!
//! Publishing writes new files under temporary names and renames them, the manifest last, so that a
//! crash leaves either the old generation or the new one. Files are immutable; old ones are
//! unlinked after a newer generation is published. Nothing is synced to the device: after a power
//! failure a checksum may be wrong, which leads to a rebuild.

#[cfg(all(test, unix))]
mod access;
pub mod cache;
pub mod lock;

pub use cache::{CachedIndex, cache_bytes, cached, evict, remove, remove_rubbish, verify};
pub use lock::{LockRole, WriterLock};

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Kind, Result};
use crate::index::format;
use crate::index::map::Map;
use crate::index::segment::Segment;
use crate::index::snapshot::Snapshot;
use crate::index::table::Table;
use crate::source::private_dir;

/// How often a reader retries when files disappear because a writer published.
const ATTEMPTS: usize = 10;

/// The highest valid generation number.
const GENERATION_MAX: u64 = 1 << 62;

/// The index directory of one tree and one set of index options.
#[derive(Clone, Debug)]
pub struct Store {
    dir: PathBuf,
    on_heap: bool,
}

/// A generation to publish.
#[derive(Clone, Copy, Debug)]
pub struct NewGeneration<'a> {
    /// From [`Store::next_generation`].
    pub generation: u64,
    /// File names of the segments that remain.
    pub kept: &'a [String],
    /// True if there is a new segment at [`Store::segment_temporary`].
    pub with_segment: bool,
    /// The bytes of the file table.
    pub table: &'a [u8],
}

/// The manifest of a generation.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Manifest {
    /// [`format::VERSION`].
    pub format: u32,
    /// The generation number, from 1.
    pub generation: u64,
    /// File name of the table.
    pub table: String,
    /// File names of the segments, oldest first.
    pub segments: Vec<String>,
    /// [`format::Container::checksum`] of the table and of each segment.
    pub checksums: Vec<u32>,
}

impl Store {
    /// Returns the store in `dir` without creating anything. With `on_heap`, files are read instead
    /// of mapped, which network file systems require.
    pub fn new(dir: PathBuf, on_heap: bool) -> Store {
        Store { dir, on_heap }
    }

    /// Returns the directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns true if files are read instead of mapped.
    pub fn on_heap(&self) -> bool {
        self.on_heap
    }

    /// Opens the newest generation, or returns `None` if there is none. O(directory entries).
    /// Blocks are checked on first access.
    ///
    /// # Errors
    ///
    /// [`Kind::Corrupt`] with the path of the damaged file.
    pub fn open(&self, root: &Path) -> Result<Option<Snapshot>> {
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let Some(manifest) = self.newest()? else { return Ok(None) };
            match self.open_generation(root, &manifest) {
                Ok(snapshot) => return Ok(Some(snapshot)),
                // The writer may have published and cleaned up in between: retry.
                Err(error) if error.kind() == Kind::NotFound => last = Some(error),
                Err(error) => return Err(error),
            }
        }
        match last {
            Some(error) => Err(Error::new(Kind::Corrupt, "index file is missing")
                .with_path(error.path().unwrap_or(&self.dir))),
            None => Ok(None),
        }
    }

    /// Returns the newest manifest, or `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`Kind::Corrupt`] if it is damaged. Older manifests are not tried, because their files are
    /// removed.
    pub fn newest(&self) -> Result<Option<Manifest>> {
        // While a writer publishes, a listing may be empty or name only removed files.
        for _ in 0..ATTEMPTS {
            let mut generations = self.generations()?;
            generations.sort_unstable_by(|a, b| b.cmp(a));
            for generation in generations {
                if let Some(manifest) = self.manifest(generation)? {
                    return Ok(Some(manifest));
                }
            }
        }
        Ok(None)
    }

    /// Creates the directory, accessible only to the user, unless it exists.
    ///
    /// # Errors
    ///
    /// Those of [`Store::check_access`]; [`Kind::Io`] if it cannot be created.
    pub fn create(&self) -> Result<()> {
        private_dir::create(&self.dir, private_dir::INDEX)?;
        self.check_access()
    }

    /// Checks that nobody else can change the directory, if it exists: another user could make
    /// searches return anything, and direct writes elsewhere.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] if it, or the directory above it, is a symbolic link, belongs to another user
    /// or is writable by others.
    pub fn check_access(&self) -> Result<()> {
        private_dir::check(&self.dir, private_dir::INDEX)
    }

    /// Takes the writer's lock without waiting, and removes temporary files of writers that died or
    /// failed. Creates the directory if needed.
    ///
    /// # Errors
    ///
    /// [`Kind::Busy`] while another process writes; [`Kind::Io`] if the directory cannot be created
    /// (a read-only cache, a full disk).
    pub fn lock(&self) -> Result<WriterLock> {
        let lock = self.lock_as(LockRole::Writer)?;
        self.remove_where(|name| name.ends_with(".tmp"));
        Ok(lock)
    }

    /// Takes the lock of `role` without waiting. Creates the directory if needed.
    pub fn lock_as(&self, role: LockRole) -> Result<WriterLock> {
        self.create()?;
        WriterLock::take(&self.dir, role)
    }

    /// Returns the index directories of the same tree for other versions or options.
    pub(super) fn neighbours(&self) -> Vec<PathBuf> {
        cache::neighbours(&self.dir)
    }

    /// Removes the files of a generation that will not be published.
    pub fn discard(&self, _lock: &WriterLock, generation: u64) {
        let files = ["table", "segment"].map(|kind| format!("{kind}-{generation}.idx"));
        self.remove_where(|name| name.ends_with(".tmp") || files.iter().any(|file| file == name));
    }

    /// Returns the temporary path of the segment that `generation` adds, written before
    /// [`Store::publish`].
    pub fn segment_temporary(&self, generation: u64) -> PathBuf {
        self.dir.join(format!("segment-{generation}.tmp"))
    }

    /// Publishes a generation of the tree at `root`, then removes the files of older ones.
    ///
    /// # Errors
    ///
    /// Those of [`WriterLock::check`]; [`Kind::Io`] if a file cannot be written.
    pub fn publish(
        &self,
        lock: &WriterLock,
        root: &Path,
        new: NewGeneration<'_>,
    ) -> Result<Manifest> {
        lock.check()?;
        let NewGeneration { generation, kept, with_segment, table } = new;
        let mut manifest = Manifest {
            format: format::VERSION,
            generation,
            table: format!("table-{generation}.idx"),
            segments: kept.to_vec(),
            checksums: Vec::new(),
        };
        if with_segment {
            let name = format!("segment-{generation}.idx");
            let target = self.dir.join(&name);
            fs::rename(self.segment_temporary(generation), &target)
                .map_err(|error| Error::io(&target, error))?;
            manifest.segments.push(name);
        }
        self.place(&manifest.table, table)?;
        for name in std::iter::once(&manifest.table).chain(&manifest.segments) {
            manifest.checksums.push(format::checksum(&self.dir.join(name))?);
        }
        self.place("root", root.as_os_str().as_encoded_bytes())?;
        let body = serde_json::to_string(&manifest)
            .map_err(|error| Error::new(Kind::Io, error.to_string()))?;
        let name = self.manifest_path(generation);
        let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.place(&name, seal(&body).as_bytes())?;
        self.clean(&manifest);
        Ok(manifest)
    }

    /// Removes every file that does not belong to `manifest`. Files that cannot be removed (on
    /// Windows, those in use) stay until the next cleanup.
    pub fn clean(&self, manifest: &Manifest) {
        let keep_manifest = format!("gen-{}.json", manifest.generation);
        self.remove_where(|name| {
            let ours = ["gen-", "table-", "segment-"].iter().any(|start| name.starts_with(start))
                || name.ends_with(".tmp");
            let kept = name == manifest.table
                || manifest.segments.iter().any(|segment| segment == name)
                || name == keep_manifest;
            ours && !kept
        });
    }

    pub(crate) fn remove_where(&self, is_removed: impl Fn(&str) -> bool) {
        let Ok(entries) = fs::read_dir(&self.dir) else { return };
        for entry in entries.flatten() {
            if is_removed(&entry.file_name().to_string_lossy()) {
                let _ = fs::remove_file(entry.path());
                // An empty directory of that name would block the next publication.
                let _ = fs::remove_dir(entry.path());
            }
        }
    }

    /// Returns the number of the next generation: higher than that of any file, including damaged
    /// and unpublished ones.
    pub fn next_generation(&self) -> Result<u64> {
        let mut newest = self.generations()?.into_iter().max().unwrap_or(0);
        for entry in fs::read_dir(&self.dir).map_err(|e| Error::io(&self.dir, e))?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let number = name.rsplit_once('-').and_then(|(_, rest)| rest.split_once('.'));
            if let Some(number) = number.and_then(|(number, _)| parse_generation(number)) {
                newest = newest.max(number);
            }
        }
        Ok(newest + 1)
    }

    /// Records the use of the index, at most once a minute.
    pub fn note_use(&self) {
        let path = self.dir.join("used");
        let recent = fs::metadata(&path)
            .and_then(|metadata| metadata.modified())
            .is_ok_and(|at| at.elapsed().is_ok_and(|age| age < Duration::from_secs(60)));
        if !recent {
            let _ = fs::write(&path, b"");
        }
    }

    /// Reads the manifest of `generation`, or returns `None` if it does not exist.
    fn manifest(&self, generation: u64) -> Result<Option<Manifest>> {
        let path = self.manifest_path(generation);
        let Some(bytes) = Map::read(&path)? else { return Ok(None) };
        let manifest = std::str::from_utf8(&bytes).ok().and_then(parse_manifest);
        match manifest.filter(|manifest| manifest.generation == generation) {
            Some(manifest) => Ok(Some(manifest)),
            None => Err(Error::corrupt(&path, "index manifest is damaged")),
        }
    }

    fn open_generation(&self, root: &Path, manifest: &Manifest) -> Result<Snapshot> {
        let table = Table::open(&self.dir.join(&manifest.table), self.on_heap)?;
        let mut segments = Vec::with_capacity(manifest.segments.len());
        for name in &manifest.segments {
            segments.push(Segment::open(&self.dir.join(name), self.on_heap)?);
        }
        let (root, generation) = (root.to_path_buf(), manifest.generation);
        let snapshot = Snapshot { root, generation, table, segments };
        let Snapshot { table, segments, .. } = &snapshot;
        if !snapshot.checksums().eq(manifest.checksums.iter().copied())
            || !table.segment_units().eq(segments.iter().map(Segment::units))
        {
            return Err(table.container().corrupt("table and segments do not belong together"));
        }
        Ok(snapshot)
    }

    fn generations(&self) -> Result<Vec<u64>> {
        let entries = match fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::io(&self.dir, error)),
        };
        let number =
            |name: &str| parse_generation(name.strip_prefix("gen-")?.strip_suffix(".json")?);
        Ok(entries.flatten().filter_map(|e| number(&e.file_name().to_string_lossy())).collect())
    }

    fn manifest_path(&self, generation: u64) -> PathBuf {
        self.dir.join(format!("gen-{generation}.json"))
    }

    fn place(&self, name: &str, bytes: &[u8]) -> Result<()> {
        self.place_through(name, "tmp", bytes)
    }

    /// Writes a file under a temporary name with the extension `ending`, then renames it.
    pub(super) fn place_through(&self, name: &str, ending: &str, bytes: &[u8]) -> Result<()> {
        let temporary = self.dir.join(format!("{name}.{ending}"));
        let target = self.dir.join(name);
        // An empty directory with one of these names would block every publication.
        let _ = fs::remove_dir(&temporary).or_else(|_| fs::remove_dir(&target));
        fs::write(&temporary, bytes)
            .and_then(|()| fs::rename(&temporary, &target))
            .map_err(|error| Error::io(&target, error))
    }
}

fn parse_generation(number: &str) -> Option<u64> {
    number.parse().ok().filter(|&number| number <= GENERATION_MAX)
}

/// Returns the text of a manifest followed by its checksum.
pub(crate) fn seal(body: &str) -> String {
    format!("{body}\n{:08x}\n", crc32fast::hash(body.as_bytes()))
}

/// Returns the text that was passed to [`seal`], or `None` if the checksum is wrong.
pub(crate) fn unseal(text: &str) -> Option<&str> {
    let (body, crc) = text.strip_suffix('\n')?.rsplit_once('\n')?;
    let is_sound = u32::from_str_radix(crc, 16).ok()? == crc32fast::hash(body.as_bytes());
    is_sound.then_some(body)
}

fn parse_manifest(text: &str) -> Option<Manifest> {
    let manifest: Manifest = serde_json::from_str(unseal(text)?).ok()?;
    // A manifest may have been forged, so its names must not lead out of the directory.
    let plain = |name: &String| !name.contains(['/', '\\']) && name.ends_with(".idx");
    let sound = manifest.format == format::VERSION
        && plain(&manifest.table)
        && manifest.segments.iter().all(plain);
    sound.then_some(manifest)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn a_lock_of_a_removed_directory_cannot_publish() {
        let base = TempDir::new().expect("a temporary directory");
        let store = Store::new(base.path().join("index"), false);
        let lock = store.lock().expect("lock is free");
        fs::remove_dir_all(store.dir()).expect("a directory can be removed");
        let other = store.lock().expect("a new directory has a new lock");
        let new = NewGeneration { generation: 1, kept: &[], with_segment: false, table: b"table" };
        let error = store.publish(&lock, Path::new("/"), new).expect_err("the lock is invalid");
        assert_eq!(error.kind(), Kind::Busy, "{error}");
        assert!(error.to_string().contains("removed"), "{error}");
        assert!(!store.dir().join("table-1.idx").exists());
        other.check().expect("the new lock is valid");
    }
}
