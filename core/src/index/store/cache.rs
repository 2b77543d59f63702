//! The cache directory, which contains the index directories of many trees: listing and eviction.
//!
//! An index directory is named `v<format>-<options>` and is inside a directory named by a hash of
//! the tree's path. Only directories with such names are ever removed, and only by a process that
//! holds all their locks. Removal first renames the directory to `gone-<pid>`. If the process is
//! killed, that directory remains until the next eviction.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::lock::{LockRole, WriterLock};
use crate::error::{Error, Kind, Result};
use crate::index::format;

/// An index directory in the cache.
#[derive(Clone, Debug)]
pub struct CachedIndex {
    /// The index directory.
    pub dir: PathBuf,
    /// The recorded path of the tree.
    pub root: Option<PathBuf>,
    /// Total bytes of its files.
    pub bytes: u64,
    /// Time of the last use.
    pub used_at: SystemTime,
}

/// Lists the index directories in the cache directory `cache`, least recently used first.
pub fn cached(cache: &Path) -> Vec<CachedIndex> {
    let mut all: Vec<CachedIndex> = folders(cache)
        .iter()
        .flat_map(|tree| folders(tree))
        .filter(|dir| is_index_dir(dir) && dir.join("lock").is_file())
        .map(|dir| {
            let used_at = ["used", "lock"].iter().find_map(|name| {
                fs::metadata(dir.join(name)).and_then(|metadata| metadata.modified()).ok()
            });
            let root = fs::read_to_string(dir.join("root")).ok().map(PathBuf::from);
            let bytes = bytes_of(&dir);
            CachedIndex { root, bytes, used_at: used_at.unwrap_or(SystemTime::UNIX_EPOCH), dir }
        })
        .collect();
    all.sort_by(|a, b| a.used_at.cmp(&b.used_at).then_with(|| a.dir.cmp(&b.dir)));
    all
}

/// Returns the total bytes in the cache directory `cache`, including the remains of interrupted
/// removals.
pub fn cache_bytes(cache: &Path) -> u64 {
    let indexes: u64 = cached(cache).iter().map(|cached| cached.bytes).sum();
    indexes + rubbish(cache).iter().map(|dir| bytes_of(dir)).sum::<u64>()
}

/// Deletes the remains of interrupted removals in the cache directory `cache`. Returns the number
/// of bytes freed.
pub fn remove_rubbish(cache: &Path) -> u64 {
    let mut bytes = 0;
    for dir in rubbish(cache) {
        let held = bytes_of(&dir);
        if remove_folder(&dir).is_ok() {
            bytes += held;
        }
        // This removes the tree's directory if it is empty.
        let _ = dir.parent().map(fs::remove_dir);
    }
    bytes
}

/// Removes the index directory `dir`.
///
/// # Errors
///
/// [`Kind::Busy`] with the path of the lock if another process writes or watches there;
/// [`Kind::Usage`] if `dir` is not named like an index directory.
pub fn remove(dir: &Path) -> Result<()> {
    let parent = dir.parent().filter(|_| is_index_dir(dir));
    let parent = parent.ok_or_else(|| Error::usage("not an index directory").with_path(dir))?;
    let mut locks = Vec::with_capacity(LockRole::ALL.len());
    for role in LockRole::ALL {
        locks.push(WriterLock::take(dir, role).map_err(|error| in_use(dir, role, error))?);
    }
    // Rename first, so that no reader finds half of the files. On Windows that fails if a file is
    // in use.
    let gone = parent.join(format!("gone-{}", std::process::id()));
    let removed = match fs::rename(dir, &gone) {
        Ok(()) => remove_folder(&gone),
        Err(_) => remove_folder(dir),
    };
    drop(locks);
    // This removes the tree's directory if no other index is left in it.
    let _ = fs::remove_dir(parent);
    removed
}

/// Reads every file of the index directory `dir`. O(its bytes).
///
/// # Errors
///
/// [`Kind::Corrupt`] with the path of a damaged file; [`Kind::Io`] if one cannot be read.
pub fn verify(dir: &Path) -> Result<()> {
    let entries = fs::read_dir(dir).map_err(|error| Error::io(dir, error))?;
    for entry in entries.flatten() {
        if !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        match format::verify(&entry.path()) {
            // A newer publication has just replaced it.
            Err(error) if error.kind() == Kind::NotFound => {}
            checked => checked?,
        }
    }
    Ok(())
}

/// Removes least recently used index directories until the cache has at most `bytes_max` bytes.
/// Never removes `keep` or a locked directory. Returns the removed ones.
pub fn evict(cache: &Path, bytes_max: u64, keep: &Path) -> Vec<CachedIndex> {
    remove_rubbish(cache);
    let all = cached(cache);
    let mut total: u64 = all.iter().map(|cached| cached.bytes).sum();
    let mut removed = Vec::new();
    for cached in all {
        if total > bytes_max && cached.dir != keep && remove(&cached.dir).is_ok() {
            total -= cached.bytes;
            removed.push(cached);
        }
    }
    removed
}

/// Returns the index directories of the same tree for other versions or options.
pub(super) fn neighbours(dir: &Path) -> Vec<PathBuf> {
    let mut all = dir.parent().map(folders).unwrap_or_default();
    all.retain(|other| other != dir && is_index_dir(other));
    all
}

fn in_use(dir: &Path, role: LockRole, error: Error) -> Error {
    if error.kind() != Kind::Busy {
        return error;
    }
    let hint = match role {
        LockRole::Writer | LockRole::CodeWriter => "wait until it ends, then try again",
        LockRole::Watcher => "stop the `codedb index --watch` process, then try again",
    };
    Error::new(Kind::Busy, format!("not removed: {}", role.busy())).with_path(dir).with_hint(hint)
}

fn remove_folder(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        // Another process may have removed it at the same time.
        Err(error) if dir.exists() => Err(Error::io(dir, error)),
        _ => Ok(()),
    }
}

/// Returns the remains of interrupted removals.
fn rubbish(cache: &Path) -> Vec<PathBuf> {
    let is_rubbish = |dir: &PathBuf| {
        let pid = name(dir).and_then(|name| name.strip_prefix("gone-").map(str::to_owned));
        pid.is_some_and(|pid| !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let trees = folders(cache).into_iter().filter(|tree| is_tree_dir(tree));
    trees.flat_map(|tree| folders(&tree)).filter(is_rubbish).collect()
}

/// Returns the total size of the files in `dir` and its direct subdirectories, such as a text
/// index.
fn bytes_of(dir: &Path) -> u64 {
    let files = |dir: &Path| -> u64 {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        entries
            .filter_map(|entry| entry.metadata().ok())
            .filter(fs::Metadata::is_file)
            .map(|metadata| metadata.len())
            .sum()
    };
    files(dir) + folders(dir).iter().map(|dir| files(dir)).sum::<u64>()
}

/// Returns the subdirectories of `dir`, without symbolic links.
fn folders(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let is_folder =
        |entry: &fs::DirEntry| entry.file_type().is_ok_and(|file_type| file_type.is_dir());
    entries.filter(is_folder).map(|entry| entry.path()).collect()
}

/// Returns true if the last two components of `dir` are named like those of an index directory.
fn is_index_dir(dir: &Path) -> bool {
    let options = name(dir).and_then(|own| {
        let (version, hash) = own.strip_prefix('v')?.split_once('-')?;
        Some(version.parse::<u32>().is_ok() && is_hex(hash, 8))
    });
    options == Some(true) && dir.parent().is_some_and(is_tree_dir)
}

fn is_tree_dir(dir: &Path) -> bool {
    name(dir).is_some_and(|name| is_hex(&name, 16))
}

fn is_hex(text: &str, len: usize) -> bool {
    text.len() == len && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn name(path: &Path) -> Option<String> {
    path.file_name().and_then(|name| name.to_str()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tempfile::TempDir;

    use super::*;
    use crate::index::store::Store;

    const TREE: &str = "0123456789abcdef";

    /// Creates an index directory with a file and a text index of 1,000 bytes each, last used `age`
    /// hours ago.
    fn index(cache: &Path, name: &str, age: u64) -> PathBuf {
        let dir = cache.join(TREE).join(name);
        fs::create_dir_all(dir.join("text-1")).expect("a directory can be created");
        fs::write(dir.join("lock"), "").expect("a file can be written");
        for name in ["table-1.idx", "text-1/files.idx"] {
            fs::write(dir.join(name), [0; 1000]).expect("a file can be written");
        }
        let used = fs::File::create(dir.join("used")).expect("a file can be created");
        let at = SystemTime::now() - Duration::from_secs(3600 * age);
        used.set_modified(at).expect("a time can be set");
        dir
    }

    #[test]
    fn sizes_include_the_text_index() {
        let cache = TempDir::new().expect("a temporary directory");
        index(cache.path(), "v2-01234567", 1);
        assert_eq!(cached(cache.path())[0].bytes, 2000);
        assert_eq!(cache_bytes(cache.path()), 2000);
    }

    #[test]
    fn other_versions_are_evicted_by_age() {
        let cache = TempDir::new().expect("a temporary directory");
        let old = index(cache.path(), "v1-01234567", 3);
        let middle = index(cache.path(), "v2-89abcdef", 2);
        let own = index(cache.path(), "v2-01234567", 9);
        let gone = evict(cache.path(), 4000, &own);
        assert_eq!(gone.iter().map(|cached| &cached.dir).collect::<Vec<_>>(), [&old]);
        assert!(!old.exists() && middle.exists() && own.exists());
        assert_eq!(neighbours(&own), [middle]);
    }

    #[test]
    fn a_directory_with_any_lock_is_not_removed() {
        for role in LockRole::ALL {
            let cache = TempDir::new().expect("a temporary directory");
            let dir = index(cache.path(), "v2-01234567", 1);
            let lock = Store::new(dir.clone(), false).lock_as(role).expect("lock is free");
            assert!(evict(cache.path(), 0, Path::new("")).is_empty(), "{role:?}");
            let error = remove(&dir).expect_err("it is locked");
            assert_eq!(error.kind(), Kind::Busy, "{role:?}");
            assert!(error.to_string().contains(role.busy()), "{error}");
            assert!(dir.join("table-1.idx").exists(), "{role:?}");
            drop(lock);
            assert_eq!(evict(cache.path(), 0, Path::new("")).len(), 1, "{role:?}");
            assert!(!cache.path().join(TREE).exists(), "{role:?}");
        }
    }

    #[test]
    fn remains_of_an_interrupted_removal_are_counted_and_deleted() {
        let cache = TempDir::new().expect("a temporary directory");
        let own = index(cache.path(), "v2-01234567", 1);
        let gone = cache.path().join(TREE).join("gone-4711");
        let theirs = cache.path().join("pictures/gone-4711");
        for dir in [&gone, &theirs, &cache.path().join(TREE).join("gone-away")] {
            fs::create_dir_all(dir.join("text-1")).expect("a directory can be created");
            fs::write(dir.join("text-1/files.idx"), [0; 500]).expect("a file can be written");
        }
        assert_eq!(cache_bytes(cache.path()), 2500);
        assert!(evict(cache.path(), u64::MAX, &own).is_empty());
        assert!(!gone.exists() && theirs.exists() && own.exists());
        assert!(cache.path().join(TREE).join("gone-away").exists());
        assert_eq!(cache_bytes(cache.path()), 2000);
    }
}
