//! An index directory: generations, the writer's lock, publication and what is left to clean.
//!
//! ```text
//! lock                   held by the one writer, with the operating system's lock
//! used                   its modification time is the last use
//! root                   the tree's absolute path, for people and `--clean`
//! gen-<n>.json           manifest of generation n: its table and segments, and their checksums
//! table-<n>.idx          file table of generation n
//! segment-<n>.idx        postings that generation n added
//! watch.lock             held by the one watch server; watch.sock is where it listens, and
//!                        watch.new is that socket for an instant before it is private
//! cookie-<pid>-<n>       the watch server's mark in its event queue, there for an instant
//! ```
//!
//! The folder is named `v<format>-<options>` in one named by a hash of the tree's path; only folders
//! of such names are ever removed, under the name `gone-<pid>` and the writer's lock.
//!
//! Publishing writes new files under temporary names, renames them, and the manifest last, so that
//! a crash at any instant leaves the old generation or the new one. Files are never changed; old
//! ones are unlinked once a newer generation is there. Nothing is synced to the device: after a
//! power failure a checksum may fail, which means a rebuild.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Kind, Result};
use crate::index::format::{self, Container};
use crate::index::segment::Segment;
use crate::index::table::Table;
use crate::snapshot::Snapshot;
use crate::source::stamp::Stamp;

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

/// The writer's lock; released when dropped or when the process ends.
#[derive(Debug)]
pub struct WriterLock {
    file: File,
}

impl Drop for WriterLock {
    /// Closing the file is not enough: a child that another thread has just forked holds it, too,
    /// until it runs its program.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
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
    pub(super) fn on_heap(&self) -> bool {
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
        let lock = self.lock_named("lock")?;
        self.remove_where(|name| name.ends_with(".tmp"));
        Ok(lock)
    }

    /// Takes the lock `name` of the directory, which is created; does not wait.
    pub(super) fn lock_named(&self, name: &str) -> Result<WriterLock> {
        self.create()?;
        let path = self.dir.join(name);
        let busy = || {
            Error::new(Kind::Busy, "another codedb is writing this index")
                .with_path(&path)
                .with_hint("wait for it, or search: a search never needs the lock")
        };
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| Error::io(&path, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(busy()),
            Err(TryLockError::Error(error)) => return Err(Error::io(&path, error)),
        }
        let lock = WriterLock { file };
        // Somebody may have removed the directory between the two, and a third one have made it.
        if !is_at(&lock.file, &path) {
            return Err(busy());
        }
        Ok(lock)
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
    pub fn publish(&self, _lock: &WriterLock, root: &Path, new: New<'_>) -> Result<Manifest> {
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

    pub(super) fn remove_where(&self, goes: impl Fn(&str) -> bool) {
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
        let containers =
            std::iter::once(table.container()).chain(segments.iter().map(Segment::container));
        if !containers.map(Container::checksum).eq(manifest.checksums.iter().copied())
            || !table.segment_units().eq(segments.iter().map(Segment::units))
        {
            return Err(table.container().corrupt("table and segments do not belong together"));
        }
        let (root, generation) = (root.to_path_buf(), manifest.generation);
        Ok(Snapshot { root, generation, table, segments })
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

/// An index directory in the cache, as [`evict`] and `--clean` see it.
#[derive(Clone, Debug)]
pub struct Cached {
    /// The directory of one tree and one set of options.
    pub dir: PathBuf,
    /// The tree's path as it was noted.
    pub root: Option<PathBuf>,
    /// Bytes of its files.
    pub bytes: u64,
    /// Last use.
    pub used_at: SystemTime,
}

/// Lists the index directories below the cache folder `cache`, least recently used first.
pub fn cached(cache: &Path) -> Vec<Cached> {
    let dirs = |dir: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
    };
    let mut all: Vec<Cached> = dirs(cache)
        .iter()
        .flat_map(|tree| dirs(tree))
        .filter(|dir| is_index_dir(dir) && dir.join("lock").is_file())
        .map(|dir| {
            let entries = fs::read_dir(&dir).into_iter().flatten().flatten();
            let bytes = entries.filter_map(|e| e.metadata().ok()).map(|m| m.len()).sum();
            let used_at = ["used", "lock"].iter().find_map(|name| {
                fs::metadata(dir.join(name)).and_then(|metadata| metadata.modified()).ok()
            });
            let root = fs::read_to_string(dir.join("root")).ok().map(PathBuf::from);
            Cached { root, bytes, used_at: used_at.unwrap_or(SystemTime::UNIX_EPOCH), dir }
        })
        .collect();
    all.sort_by(|a, b| a.used_at.cmp(&b.used_at).then_with(|| a.dir.cmp(&b.dir)));
    all
}

/// Returns true if the last two names of a path are those of an index directory.
fn is_index_dir(dir: &Path) -> bool {
    let is_hex =
        |text: &str, len: usize| text.len() == len && text.bytes().all(|b| b.is_ascii_hexdigit());
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let Some((own, tree)) = name(dir).zip(dir.parent().and_then(name)) else { return false };
    let options = own.strip_prefix('v').and_then(|rest| rest.split_once('-'));
    is_hex(&tree, 16)
        && options.is_some_and(|(version, hash)| version.parse::<u32>().is_ok() && is_hex(hash, 8))
}

/// Returns true if `path` still leads to the opened `file`.
fn is_at(file: &File, path: &Path) -> bool {
    let inode = |metadata: fs::Metadata| Stamp::of(&metadata).inode;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(opened), Ok(there)) => inode(opened) == inode(there),
        _ => false,
    }
}

/// Removes the index directory, unless a writer holds its lock; returns whether it is gone. A
/// folder that is not named as one is left alone.
pub fn remove(dir: &Path) -> bool {
    let store = Store::new(dir.to_path_buf(), false);
    let (true, Some(parent)) = (is_index_dir(dir), dir.parent()) else { return false };
    let Ok(lock) = store.lock() else { return false };
    // First out of the way, so that nobody finds half of it; in use it stays there on Windows.
    let gone = parent.join(format!("gone-{}", std::process::id()));
    let removed = match fs::rename(dir, &gone) {
        Ok(()) => fs::remove_dir_all(&gone).is_ok(),
        Err(_) => fs::remove_dir_all(dir).is_ok(),
    };
    drop(lock);
    // The tree's folder goes with its last set of options.
    let _ = fs::remove_dir(parent);
    removed
}

/// Removes least recently used index directories until the cache holds at most `bytes_max`, never
/// `keep` and never one that is locked; returns those removed.
pub fn evict(cache: &Path, bytes_max: u64, keep: &Path) -> Vec<Cached> {
    let all = cached(cache);
    let mut total: u64 = all.iter().map(|cached| cached.bytes).sum();
    let mut removed = Vec::new();
    for cached in all {
        if total > bytes_max && cached.dir != keep && remove(&cached.dir) {
            total -= cached.bytes;
            removed.push(cached);
        }
    }
    removed
}
