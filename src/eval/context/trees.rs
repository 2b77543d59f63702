//! The trees of tasks: unpacked packages of registries. `cargo bench --bench flows -- --fetch` fetches
//! them, and names their directories as [`Tree::folder`] does.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// A package that is pinned by its checksum.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    /// Its name in tasks.
    pub tree: String,
    /// Its language.
    pub language: String,
    /// The registry.
    pub registry: String,
    /// The name in the registry.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The SHA-256 of the archive.
    pub sha256: String,
    /// Globs of the files that are unpacked; none for all.
    #[serde(default)]
    pub keep: Vec<String>,
}

impl Tree {
    /// Returns the name of the directory in which it is unpacked.
    pub fn folder(&self) -> String {
        folder(&self.name, &self.version, &self.sha256)
    }

    /// Returns its directory below `trees`, which has its name, or the name that [`Tree::folder`]
    /// returns; `None` if there is neither.
    pub fn find(&self, trees: &Path) -> Option<PathBuf> {
        // A name from a file must not lead elsewhere.
        let is_plain = |name: &&str| !name.contains(['/', '\\']) && !name.starts_with('.');
        let folder = self.folder();
        let names = [self.tree.as_str(), folder.as_str()];
        names
            .iter()
            .filter(|name| is_plain(name))
            .map(|name| trees.join(name))
            .find(|dir| dir.is_dir())
    }
}

/// Returns the name of the directory in which a package is unpacked.
pub fn folder(name: &str, version: &str, sha256: &str) -> String {
    let name = name.trim_start_matches('@').replace(['/', ':'], "-");
    let version = version.replace([':', '/'], "-");
    let short: String = sha256.chars().take(12).collect();
    format!("{name}-{version}-{short}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_named_by_package_version_and_checksum() {
        let name = folder("@tanstack/query-core", "2:5.1", "7660b37f747ce33f");
        assert_eq!(name, "tanstack-query-core-2-5.1-7660b37f747c");
    }
}
