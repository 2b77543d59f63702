//! `Cargo.toml`: packages, their libraries and other crates, dependencies and their names.

use std::collections::HashMap;

use toml::{Table, Value};

use super::super::manifest::{Kind, Manifests};
use super::super::tree::{DirectoryId, Tree, join};
use crate::base::ids::FileId;

/// A package of the tree.
pub(super) struct Package {
    pub(super) directory: DirectoryId,
    /// The import name of its library.
    pub(super) library_name: String,
    /// The root of its library, if it has one.
    pub(super) library: Option<FileId>,
    /// Roots of its other crates in the manifest.
    pub(super) roots: Vec<FileId>,
    /// Dependencies by their import name.
    pub(super) dependencies: HashMap<String, Dependency>,
}

impl Package {
    /// Returns the crate roots in the manifest.
    pub(super) fn files(&self) -> impl Iterator<Item = FileId> {
        self.library.into_iter().chain(self.roots.iter().copied())
    }
}

/// A dependency of a package.
#[derive(Clone)]
pub(super) struct Dependency {
    /// The name of its library, unless its own manifest renames that.
    pub(super) library_name: String,
    /// Its directory, if it is given.
    pub(super) directory: Option<Vec<u8>>,
}

/// Returns the packages in the order of their manifests' paths.
pub(super) fn read_all(tree: &Tree, manifests: &Manifests<'_>) -> Vec<Package> {
    let tables: Vec<(DirectoryId, Table)> = manifests
        .of(Kind::Cargo)
        .map(|manifest| (manifest.directory, toml::from_str(manifest.text).unwrap_or_default()))
        .collect();
    // Dependencies that members inherit, by the workspace's directory.
    let mut shared: Vec<(DirectoryId, HashMap<String, Dependency>)> = Vec::new();
    for (directory, table) in &tables {
        if let Some(workspace) = table.get("workspace") {
            let mut dependencies = HashMap::new();
            let path = tree.directory_path(*directory);
            add(path, workspace.get("dependencies"), &HashMap::new(), &mut dependencies);
            shared.push((*directory, dependencies));
        }
    }
    let nothing = HashMap::new();
    tables
        .iter()
        .filter(|(_, table)| table.contains_key("package"))
        .map(|(directory, table)| {
            let around = tree.up(*directory).find_map(|around| {
                shared.iter().find(|(workspace, _)| *workspace == around).map(|entry| &entry.1)
            });
            read(tree, *directory, table, around.unwrap_or(&nothing))
        })
        .collect()
}

fn read(
    tree: &Tree,
    directory: DirectoryId,
    table: &Table,
    shared: &HashMap<String, Dependency>,
) -> Package {
    let path = tree.directory_path(directory);
    let text = |section: &str, key: &str| table.get(section)?.get(key)?.as_str();
    let name = text("package", "name").unwrap_or_default();
    let library_path = text("lib", "path").unwrap_or("src/lib.rs");
    let file = |written: &str| join(path, written).and_then(|path| tree.file(&path));
    let mut roots = Vec::new();
    for section in ["bin", "test", "bench", "example"] {
        let entries = table.get(section).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let paths = entries.iter().filter_map(|entry| entry.get("path")?.as_str());
        roots.extend(paths.filter_map(file));
    }
    roots.extend(text("package", "build").and_then(file));
    let mut dependencies = HashMap::new();
    let targets = table.get("target").and_then(Value::as_table);
    let targets = targets.into_iter().flat_map(|targets| targets.values());
    let sections = targets.filter_map(Value::as_table).chain([table]);
    for section in sections {
        for group in ["dependencies", "dev-dependencies", "build-dependencies"] {
            add(path, section.get(group), shared, &mut dependencies);
        }
    }
    Package {
        directory,
        library_name: text("lib", "name").unwrap_or(name).replace('-', "_"),
        library: file(library_path),
        roots,
        dependencies,
    }
}

/// Adds the dependencies of one section of the manifest in `directory`.
fn add(
    directory: &[u8],
    section: Option<&Value>,
    shared: &HashMap<String, Dependency>,
    dependencies: &mut HashMap<String, Dependency>,
) {
    let Some(section) = section.and_then(Value::as_table) else { return };
    for (name, value) in section {
        let known_as = name.replace('-', "_");
        let inherits = value.get("workspace").and_then(Value::as_bool) == Some(true);
        let inherited = shared.get(&known_as).filter(|_| inherits);
        let dependency = inherited.cloned().unwrap_or_else(|| {
            let package = value.get("package").and_then(Value::as_str).unwrap_or(name);
            let path = value.get("path").and_then(Value::as_str);
            Dependency {
                library_name: package.replace('-', "_"),
                directory: path.and_then(|path| join(directory, path)),
            }
        });
        dependencies.insert(known_as, dependency);
    }
}
