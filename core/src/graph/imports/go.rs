//! Go: modules and their packages, each of which is a directory.
//!
//! Every `go.mod` of the tree counts, whether or not a `go.work` lists it. All files of a package
//! are targets, on any platform; its tests are not.

use std::collections::HashMap;

use crate::base::ids::FileId;
use crate::base::path;
use crate::graph::weights;
use crate::lang::facts::Import;

use super::manifest::{Kind, Manifests, Nearest};
use super::packages::Packages;
use super::target::{Fallback, Reason, Targets};
use super::tree::{DirectoryId, Tree, join};

/// The modules of a tree.
pub(super) struct Modules {
    all: Vec<Module>,
    by_path: HashMap<String, Vec<usize>>,
    nearest: Nearest,
}

struct Module {
    directory: DirectoryId,
    path: String,
    /// Modules that are replaced by a directory of the tree, by their path.
    replaced: HashMap<String, DirectoryId>,
}

impl Modules {
    pub(super) fn new(tree: &Tree, manifests: &Manifests<'_>) -> Modules {
        let mut all = Vec::new();
        let mut by_path = HashMap::new();
        for manifest in manifests.of(Kind::GoMod) {
            let module = read(tree, manifest.directory, manifest.text);
            let of_path: &mut Vec<usize> = by_path.entry(module.path.clone()).or_default();
            of_path.push(all.len());
            all.push(module);
        }
        let nearest = Nearest::new(tree, all.iter().map(|module: &Module| module.directory));
        Modules { all, by_path, nearest }
    }

    pub(super) fn resolve(
        &self,
        tree: &Tree,
        packages: &Packages,
        import: &Import,
        found: &mut Targets,
    ) -> Fallback {
        let written = import.module.as_str();
        let from = tree.directory(found.from);
        if written.starts_with('.') {
            let directory = join(tree.directory_path(from), written);
            if let Some(directory) = directory.and_then(|directory| tree.find_directory(&directory))
            {
                add_package(tree, packages, directory, 1.0, Reason::Path, found);
            }
            return Fallback::Unknown;
        }
        let own = self.nearest.of(from).map(|place| &self.all[place]);
        for (module, below) in prefixes(written) {
            let replaced = own.and_then(|own| own.replaced.get(module).copied());
            let own = own.filter(|own| own.path == module).map(|own| own.directory);
            let roots = match replaced.or(own) {
                Some(root) => vec![root],
                None => {
                    let known = self.by_path.get(module).map_or(&[][..], Vec::as_slice);
                    let near = tree.nearest(from, known, |place| self.all[place].directory);
                    near.into_iter().map(|place| self.all[place].directory).collect()
                }
            };
            let (confidence, reason) = match roots.len() {
                _ if replaced.is_some() => (1.0, Reason::Mapped),
                0 | 1 => (1.0, Reason::Workspace),
                _ => (weights::IMPORT_DOUBTFUL, Reason::Rival),
            };
            for root in roots {
                let directory = join(tree.directory_path(root), below);
                let directory = directory.and_then(|directory| tree.find_directory(&directory));
                if let Some(directory) = directory {
                    add_package(tree, packages, directory, confidence, reason, found);
                }
            }
            if !found.is_empty() {
                return Fallback::Unknown;
            }
        }
        // Copies of dependencies are in the `vendor` directory of an enclosing directory; old trees
        // have sources below `src`.
        for around in tree.up(from) {
            for base in ["vendor", "src"] {
                let directory = join(tree.directory_path(around), base);
                let directory = directory.and_then(|directory| join(&directory, written));
                if let Some(directory) =
                    directory.and_then(|directory| tree.find_directory(&directory))
                {
                    add_package(
                        tree,
                        packages,
                        directory,
                        weights::IMPORT_ABOVE,
                        Reason::Root,
                        found,
                    );
                    if !found.is_empty() {
                        return Fallback::Unknown;
                    }
                }
            }
        }
        if self.all.is_empty() {
            without_module(tree, packages, written, found);
        }
        let is_own =
            own.is_some_and(|own| path::is_within(written.as_bytes(), own.path.as_bytes()));
        if is_own && own.is_some_and(|own| !own.path.is_empty()) {
            Fallback::Unknown
        } else {
            Fallback::Outside
        }
    }
}

/// A tree without any `go.mod`: the path below `host/owner/repository`, if that directory exists.
fn without_module(tree: &Tree, packages: &Packages, written: &str, found: &mut Targets) {
    let mut parts = written.splitn(4, '/');
    let has_host = parts.next().is_some_and(|host| host.contains('.'));
    let below = if has_host { parts.nth(2) } else { None };
    if let Some(directory) = below.and_then(|below| tree.find_directory(below.as_bytes())) {
        add_package(
            tree,
            packages,
            directory,
            weights::IMPORT_CONVENTION,
            Reason::Convention,
            found,
        );
    }
}

/// Returns the ways to split an import path into a module and the path below it, the longest module
/// first.
fn prefixes(written: &str) -> impl Iterator<Item = (&str, &str)> {
    let slashes = written.rmatch_indices('/').map(|(at, _)| (&written[..at], &written[at + 1..]));
    std::iter::once((written, "")).chain(slashes)
}

/// Adds the files of the package in a directory.
fn add_package(
    tree: &Tree,
    packages: &Packages,
    directory: DirectoryId,
    confidence: f32,
    reason: Reason,
    found: &mut Targets,
) {
    let files = || tree.members(directory).iter().copied().filter(|&file| is_source(tree, file));
    // Programs that only generate sources declare another package.
    let is_program = |file: FileId| packages.of(file) == Some("main");
    let has_other = files().any(|file| packages.of(file).is_some() && !is_program(file));
    for file in files().filter(|&file| !(has_other && is_program(file))) {
        found.add(file, confidence, reason);
    }
}

/// Returns true for Go files that are not tests.
fn is_source(tree: &Tree, file: FileId) -> bool {
    let name = tree.name(file);
    name.ends_with(b".go") && !name.ends_with(b"_test.go")
}

/// Returns the other files of a file's package; a package's tests see it, but it does not see them.
pub(super) fn same_package(tree: &Tree, packages: &Packages, file: FileId) -> Vec<FileId> {
    let own = packages.of(file);
    let is_test = !is_source(tree, file);
    let is_same = |other: FileId| match (own, packages.of(other)) {
        (Some(own), Some(other)) => own == other,
        _ => true,
    };
    let members = tree.members(tree.directory(file)).iter().copied();
    members
        .filter(|&other| other != file && tree.name(other).ends_with(b".go"))
        .filter(|&other| (is_test || is_source(tree, other)) && is_same(other))
        .collect()
}

/// Reads the lines `module path` and `replace path => ./directory`.
fn read(tree: &Tree, directory: DirectoryId, text: &str) -> Module {
    let mut module = Module { directory, path: String::new(), replaced: HashMap::new() };
    let mut in_replace = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or(line).trim();
        if let Some(path) = line.strip_prefix("module ") {
            module.path = unquoted(path).to_owned();
        }
        let replace = line.strip_prefix("replace").map(str::trim_start);
        in_replace = match replace {
            Some("(") => true,
            _ => in_replace && line != ")",
        };
        let replace = replace.or(in_replace.then_some(line));
        let Some((old, new)) = replace.and_then(|line| line.split_once("=>")) else { continue };
        let new = unquoted(new.trim());
        let old = old.split_whitespace().next().map(unquoted).unwrap_or_default();
        if new.starts_with('.') {
            let target = join(tree.directory_path(directory), new);
            if let Some(target) = target.and_then(|target| tree.find_directory(&target)) {
                module.replaced.insert(old.to_owned(), target);
            }
        }
    }
    module
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '`'])
}
