//! Locates the tree and its index, from flags, the environment and the current directory.
//!
//! `search` and `init` also read the environment; no module outside of `cli` does.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::extractors;
use crate::engine::Engine;
use crate::error::{Error, Kind, Result};
use crate::index::{code, extract, format, gram, store::Store, text};
use crate::parsers::Parsers;
use crate::source::global_excludes::GlobalExcludes;
use crate::source::secret;
use crate::source::walk::Environment;
use crate::userdata::Location;

/// The flags that choose tree, index directory and threads.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreeOptions {
    pub(crate) root: Option<PathBuf>,
    pub(crate) index_dir: Option<PathBuf>,
    pub(crate) data_dir: Option<PathBuf>,
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
    engine_at(root, &cache, options)
}

/// Returns the engine for the tree that the directory `dir` lies in: a git work tree, or else an
/// indexed tree; `None` if it lies in neither. `dir` is canonical.
///
/// # Errors
///
/// As [`engine`].
pub(crate) fn engine_around(dir: &Path, options: &TreeOptions) -> Result<Option<Engine>> {
    let cache = cache(options)?;
    match root_around(&cache, dir) {
        Some(root) => engine_at(root, &cache, options).map(Some),
        None => Ok(None),
    }
}

/// Returns the root of the tree that the directory `dir` lies in, as [`engine_around`] chooses it.
pub(crate) fn root_around(cache: &Cache, dir: &Path) -> Option<PathBuf> {
    let work_tree = dir.ancestors().find(|dir| is_work_tree(dir)).map(Path::to_path_buf);
    work_tree.or_else(|| indexed_ancestor(cache, dir))
}

/// Returns true if the tree at `root` has an index of this version of the program that only the user
/// can change. It may be outdated.
pub(crate) fn is_indexed(cache: &Cache, root: &Path) -> bool {
    let store = Store::new(index_dir(cache, root), true);
    store.check_access().is_ok() && store.newest().is_ok_and(|newest| newest.is_some())
}

/// Returns the engine for the tree that paths of a command lie in: that of the flags if it contains one of
/// them, else the tree around the first one that lies in another tree. Only absolute paths and those above
/// the current directory can; they need not exist, and lines or names may follow them.
///
/// # Errors
///
/// As [`engine`].
pub(crate) fn engine_holding(options: &TreeOptions, paths: &[String]) -> Result<Engine> {
    let own = engine(options);
    if options.root.is_some() {
        return own;
    }
    let current = std::env::current_dir().unwrap_or_default();
    let leads_elsewhere =
        |path: &&String| Path::new(path.as_str()).is_absolute() || path.starts_with("..");
    for path in paths.iter().filter(leads_elsewhere) {
        let path = current.join(path);
        let existing = path.ancestors().find(|dir| dir.is_dir());
        let Some(dir) = existing.and_then(|dir| dir.canonicalize().ok()) else { continue };
        if own.as_ref().is_ok_and(|own| dir.starts_with(own.root())) {
            break;
        }
        if let Some(other) = engine_around(&dir, options)? {
            return Ok(other);
        }
    }
    own
}

fn engine_at(root: PathBuf, cache: &Cache, options: &TreeOptions) -> Result<Engine> {
    let dir = index_dir(cache, &root);
    let on_heap =
        crate::source::file_system(dir.ancestors().find(|dir| dir.exists()).unwrap_or(&dir))
            .is_network();
    let store = Store::new(dir, on_heap);
    store.check_access()?;
    let threads = options.threads.unwrap_or_else(threads);
    let environment = Environment { global_excludes: Some(global_excludes()), threads };
    let parsers = parsers(threads)?;
    let (extractors, _) = extractors::of(&root);
    let parsers = if extractors.is_empty() { parsers } else { parsers.with_extractors(extractors) };
    let engine = Engine::new(root, store, environment)
        .parsing_with(parsers)
        .running_jobs_with(own_program()?);
    Ok(match data(options)? {
        Some(location) => engine.keeping_data_in(location),
        None => engine,
    })
}

/// Returns the parsers of all engines of this process: this program, as worker processes. A build
/// uses up to `threads` of them; queries meanwhile have two more.
///
/// # Errors
///
/// If the path of this program cannot be determined.
pub(super) fn parsers(threads: usize) -> Result<Arc<Parsers>> {
    static PARSERS: OnceLock<Arc<Parsers>> = OnceLock::new();
    if let Some(parsers) = PARSERS.get() {
        return Ok(Arc::clone(parsers));
    }
    let program = own_program()?;
    let parsers = PARSERS.get_or_init(|| Parsers::in_workers(program, threads.max(1) + 2));
    Ok(Arc::clone(parsers))
}

/// Returns the path of this program.
///
/// # Errors
///
/// If it cannot be determined.
pub(crate) fn own_program() -> Result<PathBuf> {
    // The same file even if an update has replaced it.
    let own = PathBuf::from("/proc/self/exe");
    if cfg!(target_os = "linux") && own.exists() {
        Ok(own)
    } else {
        std::env::current_exe().map_err(|error| {
            Error::new(Kind::Io, format!("the path of this program is unknown: {error}"))
        })
    }
}

/// Returns the location of git's global excludes as the `ignore` crate finds it, with the
/// configuration files that it reads.
fn global_excludes() -> GlobalExcludes {
    let named =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = std::env::home_dir();
    let user = named("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
    let files = [
        named("GIT_CONFIG_GLOBAL"),
        home.map(|home| home.join(".gitconfig")),
        user.map(|dir| dir.join("git/config")),
        named("GIT_CONFIG_SYSTEM").or_else(|| Some(PathBuf::from("/etc/gitconfig"))),
    ];
    let files = files.into_iter().flatten().collect();
    GlobalExcludes::new(ignore::gitignore::gitconfig_excludes_path, files)
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
    user_cache().map(|base| Cache(base.join("codedb"))).ok_or_else(|| {
        Error::new(
            Kind::NotFound,
            "no directory for the index: neither a home nor a cache directory is set",
        )
        .with_hint("set one with `--index-dir` or CODEDB_INDEX_DIR")
    })
}

/// Returns the user's cache directory, if there is one.
pub(crate) fn user_cache() -> Option<PathBuf> {
    let named =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = named("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    let base = if cfg!(windows) { named("LOCALAPPDATA") } else { base };
    let in_home = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    base.or_else(|| std::env::home_dir().map(|home| home.join(in_home)))
}

/// Returns the directory of user data: `--data-dir`, else `CODEDB_DATA_DIR`, else `codedb` in the
/// user's data directory; `None` if there is no home directory.
///
/// # Errors
///
/// If the named directory has no absolute path.
pub(crate) fn data(options: &TreeOptions) -> Result<Option<Location>> {
    let named =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(dir) = options.data_dir.clone().or_else(|| named("CODEDB_DATA_DIR")) {
        let dir = std::path::absolute(&dir).map_err(|error| Error::io(&dir, error))?;
        return Ok(Some(Location(dir)));
    }
    let base = named("XDG_DATA_HOME").filter(|path| path.is_absolute());
    let base = if cfg!(windows) { named("APPDATA") } else { base };
    let in_home =
        if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };
    let base = base.or_else(|| std::env::home_dir().map(|home| home.join(in_home)));
    Ok(base.map(|base| Location(base.join("codedb"))))
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

/// Directories of the operating system: none of them is served, nor what is below.
const SYSTEM: &[&str] = &["/dev", "/proc", "/sys", "/etc", "/run", "/boot", "/private/etc"];

/// Directories of the operating system below which there may be projects.
const ABOVE_PROJECTS: &[&str] = &["/var", "/var/lib", "/private/var", "/private/var/lib"];

/// Directories of home directories.
const HOMES: &[&str] = &["/home", "/Users"];

/// Returns why the tree at `root` is not served without `--insist`, if so, in addition to
/// [`too_wide`]: it contains a home directory, or is a directory of credentials or of the system.
pub(crate) fn too_private(root: &Path) -> Option<&'static str> {
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    if home.as_ref().is_some_and(|home| home.starts_with(root) && home != root)
        || is_one_of(root, HOMES)
    {
        return Some("it contains a home directory");
    }
    if is_home_of_another(root) {
        return Some("it is a home directory");
    }
    let is_system = SYSTEM.iter().any(|dir| root.starts_with(dir));
    if cfg!(unix) && (is_system || is_one_of(root, ABOVE_PROJECTS)) {
        return Some("it is a directory of the operating system");
    }
    if secret::is_in_store(root.as_os_str().as_encoded_bytes())
        || secret::repository::encloses(root)
    {
        return Some("it is a directory of credentials or of version control");
    }
    secret::holds_stores(root, home.as_deref()).then_some("it contains directories of credentials")
}

fn is_one_of(root: &Path, dirs: &[&str]) -> bool {
    dirs.iter().any(|dir| root == Path::new(dir))
}

/// Returns true for `/home/NAME` and the like if it contains settings of a user, since a container
/// may have a project there.
fn is_home_of_another(root: &Path) -> bool {
    const SETTINGS: &[&str] =
        &[".ssh", ".gnupg", ".aws", ".config", ".bashrc", ".zshrc", ".profile"];
    let is_home =
        root == Path::new("/root") || root.parent().is_some_and(|dir| is_one_of(dir, HOMES));
    is_home && SETTINGS.iter().any(|name| root.join(name).exists())
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

/// Returns the nearest ancestor of `dir` (or `dir` itself) that has an index of any version, so
/// that the subdirectories of an indexed tree without git share its index. Ignores an index of a
/// home directory or of the whole file system, so that directories below do not use it.
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
    // With other extractors, the same text has other facts.
    let (extractors, _) = extractors::of(root);
    let own = if extractors.is_empty() {
        String::new()
    } else {
        format!("-{:08x}", extractors.fingerprint() as u32)
    };
    tree_dir(cache, root).join(format!("v{version}-{options:08x}{own}"))
}

/// Returns a hash of everything that determines the contents of an index of the same format.
/// Versions of the program that differ in it use different directories.
fn options_hash(code_builder: &str, text_version: u32) -> u32 {
    let mut options = gram::CLASS.to_vec();
    options.extend_from_slice(&extract::UNIT_BYTES.to_le_bytes());
    options.extend_from_slice(&text_version.to_le_bytes());
    options.extend_from_slice(&secret::VERSION.to_le_bytes());
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
