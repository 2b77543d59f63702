//! Locates the tree and its index, from flags, the environment and the current directory.
//!
//! `search` and `init` also read the environment; no module outside of `cli` does.

use std::path::{Path, PathBuf};

use crate::engine::Engine;
use crate::error::{Error, Kind, Result};
use crate::index::{code, extract, format, gram, store::Store, text};
use crate::source::secret;
use crate::source::walk::Environment;

/// The flags that choose tree, index directory and threads.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreeOptions {
    pub(crate) root: Option<PathBuf>,
    pub(crate) index_dir: Option<PathBuf>,
    pub(crate) threads: Option<usize>,
}

/// The cache directory, which contains the indexes of all trees.
#[derive(Clone, Debug)]
pub(crate) struct Cache(pub(crate) PathBuf);

/// Returns the engine for the tree that the flags choose.
///
/// # Errors
///
/// If the root is not an existing directory, or if there is no cache directory.
pub(crate) fn engine(options: &TreeOptions) -> Result<Engine> {
    let cache = cache(options)?;
    let mut root = root(options.root.as_deref())?;
    if options.root.is_none() && !is_work_tree(&root) {
        root = indexed_ancestor(&cache, &root).unwrap_or(root);
    }
    let dir = index_dir(&cache, &root);
    let on_heap =
        crate::source::file_system(dir.ancestors().find(|dir| dir.exists()).unwrap_or(&dir))
            .is_network();
    let threads = options.threads.unwrap_or_else(threads);
    let environment =
        Environment { global_excludes: ignore::gitignore::gitconfig_excludes_path(), threads };
    Ok(Engine::new(root, Store::new(dir, on_heap), environment))
}

/// Returns the cache directory: `--index-dir`, else `CODEDB_INDEX_DIR`, else `codedb` in the user's
/// cache directory.
pub(crate) fn cache(options: &TreeOptions) -> Result<Cache> {
    let named =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let dir = options.index_dir.clone().or_else(|| named("CODEDB_INDEX_DIR"));
    if let Some(dir) = dir {
        return std::path::absolute(&dir).map(Cache).map_err(|error| Error::io(&dir, error));
    }
    let base = named("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    let base = if cfg!(windows) { named("LOCALAPPDATA") } else { base };
    let in_home = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    let base = base.or_else(|| std::env::home_dir().map(|home| home.join(in_home)));
    base.map(|base| Cache(base.join("codedb"))).ok_or_else(|| {
        Error::new(
            Kind::NotFound,
            "no directory for the index: neither a home nor a cache directory is set",
        )
        .with_hint("set one with `--index-dir` or CODEDB_INDEX_DIR")
    })
}

/// Returns why the tree at `root` is not indexed without `--insist`, if so: it is the whole file
/// system or a home directory.
pub(crate) fn too_wide(root: &Path) -> Option<&'static str> {
    if root.parent().is_none() {
        return Some("it is the root of the file system");
    }
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    (home.as_deref() == Some(root)).then_some("it is a home directory")
}

/// Returns why the tree at `root` is not served without `--insist`, if so, in addition to
/// [`too_wide`]: it contains a home directory, or is a directory of credentials or of the system.
pub(crate) fn too_private(root: &Path) -> Option<&'static str> {
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    if home.is_some_and(|home| home.starts_with(root) && home != root) {
        return Some("it contains a home directory");
    }
    if cfg!(unix) && ["/dev", "/proc", "/sys"].iter().any(|dir| root.starts_with(dir)) {
        return Some("it is a directory of the operating system");
    }
    secret::is_in_store(root.as_os_str().as_encoded_bytes())
        .then_some("it is a directory of credentials or of git")
}

/// Returns true unless `CODEDB_BACKGROUND=0` disables background builds.
pub(crate) fn background_allowed() -> bool {
    std::env::var_os("CODEDB_BACKGROUND").is_none_or(|value| value != "0")
}

/// Returns the maximum size of the cache in bytes: `CODEDB_CACHE_MAX_MB`, else 20 GiB.
pub(crate) fn cache_bytes_max() -> u64 {
    let megabytes = std::env::var("CODEDB_CACHE_MAX_MB").ok();
    let megabytes = megabytes.and_then(|text| text.parse::<u64>().ok());
    megabytes.map_or(20 << 30, |mb| mb.saturating_mul(1 << 20))
}

/// Returns the root of the tree: `requested`, else the git work tree that contains the current
/// directory, else the current directory.
///
/// # Errors
///
/// If the root is not an existing directory.
pub(crate) fn root(requested: Option<&Path>) -> Result<PathBuf> {
    let current = std::env::current_dir();
    let start = match requested {
        Some(root) => root.to_path_buf(),
        None => current.map_err(|error| {
            Error::new(Kind::Io, format!("the current directory cannot be read: {error}"))
                .with_hint("change to a directory that exists, or choose a tree with `--root`")
        })?,
    };
    let canonical = start.canonicalize().map_err(|error| {
        Error::io(&start, error).with_hint("`--root` takes the root directory of a tree")
    })?;
    if !canonical.is_dir() {
        return Err(Error::usage("not a directory")
            .with_path(&start)
            .with_hint("`--root` takes the root directory of a tree"));
    }
    if requested.is_some() {
        return Ok(canonical);
    }
    let work_tree = canonical.ancestors().find(|dir| is_work_tree(dir));
    Ok(work_tree.unwrap_or(&canonical).to_path_buf())
}

fn is_work_tree(dir: &Path) -> bool {
    dir.join(".git").exists()
}

/// Returns the nearest ancestor of `dir` (or `dir` itself) that has an index of any version, so that
/// the subdirectories of an indexed tree without git share its index. Ignores an index of a home
/// directory or of the whole file system, so that directories below do not use it.
fn indexed_ancestor(cache: &Cache, dir: &Path) -> Option<PathBuf> {
    let has_index =
        |at: &&Path| tree_dir(cache, at).is_dir() && (*at == dir || too_wide(at).is_none());
    dir.ancestors().find(has_index).map(Path::to_path_buf)
}

/// Returns the directory of the indexes of the tree at `root`, one for each version.
fn tree_dir(cache: &Cache, root: &Path) -> PathBuf {
    let root_hash = xxhash_rust::xxh3::xxh3_64(root.as_os_str().as_encoded_bytes());
    cache.0.join(format!("{root_hash:016x}"))
}

fn index_dir(cache: &Cache, root: &Path) -> PathBuf {
    let options = options_hash(&code::store::builder(), text::VERSION);
    let version = format::VERSION;
    tree_dir(cache, root).join(format!("v{version}-{options:08x}"))
}

/// Returns a hash of everything that determines the contents of an index of the same format. Versions
/// of the program that differ in it use different directories.
fn options_hash(code_builder: &str, text_version: u32) -> u32 {
    let mut options = gram::CLASS.to_vec();
    options.extend_from_slice(&extract::UNIT_BYTES.to_le_bytes());
    options.extend_from_slice(&text_version.to_le_bytes());
    options.extend_from_slice(code_builder.as_bytes());
    xxhash_rust::xxh3::xxh3_64(&options) as u32
}

pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_the_program_use_different_directories() {
        let own = options_hash(&code::store::builder(), text::VERSION);
        assert_ne!(own, options_hash("0.0.0-1-0000000000000000", text::VERSION));
        assert_ne!(own, options_hash(&code::store::builder(), text::VERSION + 1));
        let dir = index_dir(&Cache(PathBuf::from("/cache")), Path::new("/tree"));
        assert!(dir.ends_with(format!("v{}-{own:08x}", format::VERSION)), "{}", dir.display());
    }
}
