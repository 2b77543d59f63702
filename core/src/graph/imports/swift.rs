//! Swift: the files below a module's directory see each other's names without importing them.
//!
//! The manifest `Package.swift` names modules and may give their directories (`.target(name: "X", path:
//! "Source")`); otherwise a package has the files of the module `X` below `Sources/X` or `Tests/X`. All
//! other files (an application's project) count as one module. The manifest is not run: only texts in
//! quotes are read.

use std::collections::{BTreeMap, BTreeSet};

use super::manifest::{Kind, Manifests};
use super::target::{Reason, TARGETS_MAX, Targets};
use super::tree::{Tree, join};
use crate::base::ids::FileId;
use crate::base::path::is_within;
use crate::lang::facts::Import;

/// Directories whose subdirectories are modules.
const ROOTS: &[&[u8]] = &[b"Sources", b"Tests"];

/// Directories of a package that may contain the directory of a module.
const PARENTS: &[&str] = &["Sources", "Source", "src", "srcs", "Tests"];

/// The most modules of a manifest that are read.
const MODULES_MAX: usize = 1024;

/// The modules of a tree.
pub(super) struct Modules {
    /// The files of each module by its directory, in path order; the empty path has those without a
    /// module.
    files: BTreeMap<Vec<u8>, Vec<FileId>>,
    /// The directories that manifests give to modules, by their names, with those of the manifests.
    declared: BTreeMap<String, Vec<(Vec<u8>, Vec<u8>)>>,
    directories: BTreeSet<Vec<u8>>,
}

impl Modules {
    pub(super) fn new(tree: &Tree, manifests: &Manifests<'_>) -> Modules {
        let mut modules = Modules {
            files: BTreeMap::new(),
            declared: BTreeMap::new(),
            directories: BTreeSet::new(),
        };
        for manifest in manifests.of(Kind::SwiftPackage) {
            let package = tree.directory_path(manifest.directory);
            let declared = targets(manifest.text);
            let sources = declared.iter().filter(|target| !target.is_test).count();
            for target in declared {
                let exists = |path: &Vec<u8>| tree.find_directory(path).is_some();
                let below = |parent: &&str| join(package, &format!("{parent}/{}", target.name));
                let directory = match target.path {
                    Some(written) => join(package, written).filter(exists),
                    None => {
                        let usual = PARENTS.iter().filter_map(below).find(exists);
                        let only = || join(package, "Sources").filter(exists);
                        usual.or_else(|| only().filter(|_| !target.is_test && sources == 1))
                    }
                };
                let Some(directory) = directory.filter(|directory| !directory.is_empty()) else {
                    continue;
                };
                modules.directories.insert(directory.clone());
                let named = modules.declared.entry(target.name.to_owned()).or_default();
                named.push((directory, package.to_vec()));
            }
        }
        for file in (0..tree.len()).map(FileId::new) {
            let path = tree.path(file);
            if path.ends_with(b".swift") {
                let directory = modules.directory(path).to_vec();
                modules.files.entry(directory).or_default().push(file);
            }
        }
        modules
    }

    /// Returns the other files of a file's module, in path order.
    pub(super) fn same_module(&self, tree: &Tree, file: FileId) -> Vec<FileId> {
        let files = self.files.get(self.directory(tree.path(file)));
        let files = files.map(Vec::as_slice).unwrap_or_default().iter().copied();
        files.filter(|&other| other != file).collect()
    }

    /// Adds the files of an imported module that a manifest declares, that of the importing file's
    /// package first. Returns false if none does.
    pub(super) fn resolve(&self, tree: &Tree, import: &Import, found: &mut Targets) -> bool {
        let name = import.module.split(['.', '/']).next().unwrap_or_default();
        let Some(named) = self.declared.get(name) else { return false };
        let importer = found.from;
        let from = tree.path(importer);
        let is_own = |(_, package): &&(Vec<u8>, Vec<u8>)| is_within(from, package);
        let Some((directory, _)) = named.iter().find(is_own).or_else(|| named.first()) else {
            return false;
        };
        let files = self.files.get(directory).map(Vec::as_slice).unwrap_or_default();
        for &file in files.iter().filter(|&&file| file != importer).take(TARGETS_MAX) {
            found.add(file, 1.0, Reason::Workspace);
        }
        !files.is_empty()
    }

    /// Returns the path of the module directory that contains a file; empty if there is none.
    fn directory<'p>(&self, path: &'p [u8]) -> &'p [u8] {
        let ends = path.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/');
        let mut around = ends.map(|(end, _)| &path[..end]);
        around.find(|around| self.directories.contains(*around)).unwrap_or_else(|| usual(path))
    }
}

/// Returns the path of the module directory that contains a file by the usual layout of a package.
fn usual(path: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut is_module = false;
    for part in path.split(|&byte| byte == b'/') {
        end += part.len();
        // A file directly below `Sources` belongs to no module.
        if is_module && end < path.len() {
            return &path[..end];
        }
        is_module = ROOTS.contains(&part);
        end += 1;
    }
    b""
}

/// A module of a manifest.
struct Declared<'m> {
    name: &'m str,
    path: Option<&'m str>,
    is_test: bool,
}

/// Returns the modules that a manifest declares: `.target(name: "X", path: "Y")`. O(text).
fn targets(text: &str) -> Vec<Declared<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("arget(").filter(|_| found.len() < MODULES_MAX) {
        let before = &rest[..at];
        let word = &before[before.trim_end_matches(char::is_alphanumeric).len()..];
        let is_target = before[..before.len() - word.len()].ends_with('.')
            && matches!(word, "t" | "executableT" | "testT" | "macroT" | "macro");
        let list = &rest[at + "arget".len()..];
        if !is_target {
            rest = list;
            continue;
        }
        let list = balanced(list);
        if let Some(name) = labelled(list, "name") {
            found.push(Declared { name, path: labelled(list, "path"), is_test: word == "testT" });
        }
        // The dependencies of a module are written in the same way.
        rest = &rest[at + "arget".len() + list.len()..];
    }
    found
}

/// Returns the brackets at the start of a text, with what is between them.
fn balanced(text: &str) -> &str {
    let (mut level, mut is_quoted) = (0_usize, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'(' | b'[' if !is_quoted => level += 1,
            b')' | b']' if !is_quoted => {
                level = level.saturating_sub(1);
                if level == 0 {
                    return &text[..=at];
                }
            }
            _ => {}
        }
    }
    text
}

/// Returns the text in quotes of an argument directly in the brackets `list`.
fn labelled<'l>(list: &'l str, label: &str) -> Option<&'l str> {
    let (mut level, mut is_quoted) = (0_usize, false);
    for (at, byte) in list.bytes().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'(' | b'[' => level += 1,
            b')' | b']' => level = level.saturating_sub(1),
            _ if level == 1 && list[at..].starts_with(label) => {
                let value = list[at + label.len()..].trim_start().strip_prefix(':')?.trim_start();
                return value.strip_prefix('"')?.split('"').next();
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_manifests_are_read() {
        let text = "let package = Package(name: \"P\", targets: [\n  .target(\n    name: \"A\",\n    \
                    dependencies: [.target(name: \"B\", path: \"no\")],\n    path: \"Source\"),\n  \
                    .testTarget(name: \"ATests\", dependencies: [\"A\"]), .notTarget(name: \"C\")])";
        let read = |target: &Declared<'_>| {
            (target.name.to_owned(), target.path.map(str::to_owned), target.is_test)
        };
        let found: Vec<_> = targets(text).iter().map(read).collect();
        let expected =
            [("A".to_owned(), Some("Source".to_owned()), false), ("ATests".to_owned(), None, true)];
        assert_eq!(found, expected);
        assert!(targets(".target(name: \"A").is_empty() || targets("x").is_empty());
    }
}
