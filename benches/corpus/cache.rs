//! The cache of archives, trees and indexes of the benches, outside of any repository.

use std::fs;
use std::path::{Path, PathBuf};

use super::Outcome;
use super::manifest::{Package, Profile};

/// The cache directory.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    root: PathBuf,
}

impl Cache {
    /// Returns the cache of the environment: `CODEDB_BENCH_CACHE`, else `codedb-bench` in the
    /// user's cache directory.
    ///
    /// # Errors
    ///
    /// If neither is set and there is no home directory.
    pub(crate) fn of_environment() -> Outcome<Cache> {
        let named = |name: &str| {
            std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
        };
        if let Some(root) = named("CODEDB_BENCH_CACHE") {
            let root = std::path::absolute(&root);
            return root.map(Cache::at).map_err(|error| format!("CODEDB_BENCH_CACHE: {error}"));
        }
        let base = named("XDG_CACHE_HOME").filter(|path| path.is_absolute());
        let base = if cfg!(windows) { named("LOCALAPPDATA") } else { base };
        let in_home = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
        let base = base.or_else(|| std::env::home_dir().map(|home| home.join(in_home)));
        let base = base.ok_or("no folder for the corpus: CODEDB_BENCH_CACHE can name one")?;
        Ok(Cache::at(base.join("codedb-bench")))
    }

    /// Returns the cache in a directory.
    pub(crate) fn at(root: PathBuf) -> Cache {
        Cache { root }
    }

    /// Returns its directory.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the path of a package's archive.
    pub(crate) fn archive(&self, package: &Package) -> PathBuf {
        self.root.join("archives").join(package.archive())
    }

    /// Returns true if the archive of a package is in the cache.
    pub(crate) fn has(&self, package: &Package) -> bool {
        self.archive(package).is_file()
    }

    /// Returns the path of a profile's tree; each checksum has its own tree.
    pub(crate) fn tree(&self, profile: Profile, checksum: &str) -> PathBuf {
        let short: String = checksum.chars().take(16).collect();
        self.root.join(format!("tree-{profile}-{short}"))
    }

    /// Creates the cache directories.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub(crate) fn create(&self) -> Outcome<()> {
        let archives = self.root.join("archives");
        fs::create_dir_all(&archives).map_err(|error| format!("{}: {error}", archives.display()))
    }

    /// Returns an empty directory for unfinished work; its old contents are removed.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub(crate) fn scratch(&self, name: &str) -> Outcome<PathBuf> {
        let folder = self.root.join(format!("{name}.new"));
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(folder)
    }
}
