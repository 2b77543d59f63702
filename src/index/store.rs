//! An index directory: generations, the writer's lock, publication and what is left to clean.
//!
//! ```text
//! lock                   held by the one writer, with the operating system's lock; code.lock beside
//!                        it by who writes code and text index
//! used                   its modification time is the last use
//! root                   the tree's absolute path, for people and `--clean`
//! gen-<n>.json           manifest of generation n: its table and segments, and their checksums
//! table-<n>.idx          file table of generation n
//! segment-<n>.idx        postings that generation n added
//! history-<n>.idx        nth publication of the log of commits, by who has code.lock
//! watch.lock             held by the one watch server; watch.sock is where it listens, and
//!                        watch.new is that socket for an instant before it is private
//! cookie-<pid>-<n>       the watch server's mark in its event queue, there for an instant
//! ```
//!
//! [`cache`] is about the folder in which these directories lie, [`lock`] about who may write.
//!
//! Publishing writes new files under temporary names, renames them, and the manifest last, so that
//! a crash at any instant leaves the old generation or the new one. Files are never changed; old
//! ones are unlinked once a newer generation is there. Nothing is synced to the device: after a
//! power failure a checksum may fail, which means a rebuild.

pub mod cache;
pub mod lock;

pub use cache::{Cached, cache_bytes, cached, evict, remove, remove_rubbish};
pub use lock::{Role, WriterLock};

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Kind, Result};
use crate::index::format;
use crate::index::segment::Segment;
use crate::index::snapshot::Snapshot;
use crate::index::table::Table;

/// How often a reader looks again when files vanish under it because a writer published.
const ATTEMPTS: usize = 10;

/// Larger numbers of generations are not ours.
const GENERATION_MAX: u64 = 1 << 62;

/// An index directory of one tree and one set of builder's options.
#[derive(Clone, Debug)]
pub struct Store {
    dir: PathBuf,
    on_heap: bool,
}

/// A generation to be published.
#[derive(Clone, Copy, Debug)]
pub struct New<'a> {
    /// From [`Store::next_generation`].
    pub generation: u64,
    /// The segments that stay.
    pub kept: &'a [String],
    /// Whether a new segment lies at [`Store::segment_temporary`].
    pub with_segment: bool,
    /// The file table's bytes.
    pub table: &'a [u8],
}

/// What a generation consists of.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Manifest {
    /// [`format::VERSION`].
    pub format: u32,
    /// Counts up from 1.
    pub generation: u64,
    /// File name of the table.
    pub table: String,
    /// File names of the segments, oldest first.
    pub segments: Vec<String>,
    /// [`format::Container::checksum`] of the table and of each segment: what belongs together.
    pub checksums: Vec<u32>,
}

impl Store {
    /// Names the index directory `dir`; nothing is created. `on_heap`: read files instead of
    /// mapping them, for network file systems.
    pub fn new(dir: PathBuf, on_heap: bool) -> Store {
        Store { dir, on_heap }
    }

    /// Returns the directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns true if files are to be read instead of mapped.
    pub fn on_heap(&self) -> bool {
        self.on_heap
    }

    /// Opens the newest generation, or returns `None` where there is none. O(1) but for the
    /// directory's listing; blocks are checked when they are touched.
    ///
    /// # Errors
    ///
    /// [`Kind::Corrupt`] naming the damaged file.
    pub fn open(&self, root: &Path) -> Result<Option<Snapshot>> {
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let Some(manifest) = self.newest()? else { return Ok(None) };
            match self.open_generation(root, &manifest) {
                Ok(snapshot) => return Ok(Some(snapshot)),
                // The writer may have published and cleaned up since; look again.
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

    /// Returns the newest manifest, or `None` where there is none.
    ///
    /// # Errors
    ///
    /// [`Kind::Corrupt`] where it is damaged; older ones are not tried, since their files are gone.
    pub fn newest(&self) -> Result<Option<Manifest>> {
        // While a writer publishes, a listing may name only what is gone by now, or nothing.
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

    /// Creates the directory, readable by the user alone, unless it exists.
    pub fn create(&self) -> Result<()> {
        create_private_dir(&self.dir)
    }

    /// Takes the writer's lock, creating the directory; does not wait. Temporary files that an
    /// earlier writer left, having died or failed, are removed.
    ///
    /// # Errors
    ///
    /// [`Kind::Busy`] while another process writes; [`Kind::Io`] where the directory cannot be
    /// created (a read-only cache, a full disk).
    pub fn lock(&self) -> Result<WriterLock> {
        let lock = self.lock_as(Role::Writer)?;
        self.remove_where(|name| name.ends_with(".tmp"));
        Ok(lock)
    }

    /// Takes the lock of `role`, creating the directory; does not wait.
    pub(crate) fn lock_as(&self, role: Role) -> Result<WriterLock> {
        self.create()?;
        WriterLock::take(&self.dir, role)
    }

    /// Returns the index directories of the same tree that other versions or options made.
    pub(super) fn neighbours(&self) -> Vec<PathBuf> {
        cache::neighbours(&self.dir)
    }

    /// Removes what was written of a generation that will not be published.
    pub fn discard(&self, _lock: &WriterLock, generation: u64) {
        let files = ["table", "segment"].map(|kind| format!("{kind}-{generation}.idx"));
        self.remove_where(|name| name.ends_with(".tmp") || files.iter().any(|file| file == name));
    }

    /// Returns the path under which the segment that generation `generation` adds is to be
    /// written before [`Store::publish`].
    pub fn segment_temporary(&self, generation: u64) -> PathBuf {
        self.dir.join(format!("segment-{generation}.tmp"))
    }

    /// Publishes a generation of the tree at `root`, then removes what no longer belongs to it.
    ///
    /// # Errors
    ///
    /// Those of [`WriterLock::check`]; [`Kind::Io`] where it cannot be written.
    pub fn publish(&self, lock: &WriterLock, root: &Path, new: New<'_>) -> Result<Manifest> {
        lock.check()?;
        let New { generation, kept, with_segment, table } = new;
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

    /// Removes every file that does not belong to `manifest`; what cannot be removed (in use, on
    /// Windows) is left for the next time.
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

    pub(crate) fn remove_where(&self, goes: impl Fn(&str) -> bool) {
        let Ok(entries) = fs::read_dir(&self.dir) else { return };
        for entry in entries.flatten() {
            if goes(&entry.file_name().to_string_lossy()) {
                let _ = fs::remove_file(entry.path());
                // Nor may a folder of that name stay, as long as there is nothing in it.
                let _ = fs::remove_dir(entry.path());
            }
        }
    }

    /// Returns the generation that the next publication should carry: above every one that left a
    /// trace, damaged ones included.
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

    /// Notes that the index was used, at most once an hour.
    pub fn note_use(&self) {
        let path = self.dir.join("used");
        let recent = fs::metadata(&path)
            .and_then(|metadata| metadata.modified())
            .is_ok_and(|at| at.elapsed().is_ok_and(|age| age < Duration::from_secs(3600)));
        if !recent {
            let _ = fs::write(&path, b"");
        }
    }

    /// Reads the manifest of `generation`, or returns `None` where there is none.
    fn manifest(&self, generation: u64) -> Result<Option<Manifest>> {
        let path = self.manifest_path(generation);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io(&path, error)),
        };
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
        if !snapshot.is_described_by(manifest)
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

    /// Writes a file under a temporary name that ends in `ending`, and renames it.
    pub(super) fn place_through(&self, name: &str, ending: &str, bytes: &[u8]) -> Result<()> {
        let temporary = self.dir.join(format!("{name}.{ending}"));
        let target = self.dir.join(name);
        // A folder in the way would be there for ever; one that holds something is not removed.
        let _ = fs::remove_dir(&temporary).or_else(|_| fs::remove_dir(&target));
        fs::write(&temporary, bytes)
            .and_then(|()| fs::rename(&temporary, &target))
            .map_err(|error| Error::io(&target, error))
    }
}

fn parse_generation(number: &str) -> Option<u64> {
    number.parse().ok().filter(|&number| number <= GENERATION_MAX)
}

/// Returns a manifest's text with its checksum.
pub(super) fn seal(body: &str) -> String {
    format!("{body}\n{:08x}\n", crc32fast::hash(body.as_bytes()))
}

/// Returns the text that [`seal`] was given, if it is still that.
pub(super) fn unseal(text: &str) -> Option<&str> {
    let (body, crc) = text.strip_suffix('\n')?.rsplit_once('\n')?;
    let is_sound = u32::from_str_radix(crc, 16).ok()? == crc32fast::hash(body.as_bytes());
    is_sound.then_some(body)
}

fn parse_manifest(text: &str) -> Option<Manifest> {
    let manifest: Manifest = serde_json::from_str(unseal(text)?).ok()?;
    // Names come from us, but a manifest may come from anyone: they must stay in the directory.
    let plain = |name: &String| !name.contains(['/', '\\']) && name.ends_with(".idx");
    let sound = manifest.format == format::VERSION
        && plain(&manifest.table)
        && manifest.segments.iter().all(plain);
    sound.then_some(manifest)
}

/// Creates `dir` and its parents, readable by the user alone.
fn create_private_dir(dir: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(|error| {
        Error::io(dir, error).with_hint("choose another place with --index-dir or CODEDB_INDEX_DIR")
    })
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn nothing_is_published_with_the_lock_of_a_directory_that_was_removed() {
        let base = TempDir::new().expect("a temporary folder");
        let store = Store::new(base.path().join("index"), false);
        let lock = store.lock().expect("nobody has it");
        fs::remove_dir_all(store.dir()).expect("a folder can be removed");
        let other = store.lock().expect("a new folder has a new lock");
        let new = New { generation: 1, kept: &[], with_segment: false, table: b"table" };
        let error = store.publish(&lock, Path::new("/"), new).expect_err("it is not ours");
        assert_eq!(error.kind(), Kind::Busy, "{error}");
        assert!(error.to_string().contains("removed"), "{error}");
        assert!(!store.dir().join("table-1.idx").exists());
        other.check().expect("that one holds");
    }
}
