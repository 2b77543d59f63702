//! Python: packages and modules below the source roots, relative imports, namespace packages.
//!
//! Programs set search paths, so roots are guessed: the directory above the importing file's own
//! outermost package, roots in manifests (`src` layouts), and every enclosing directory; then any
//! directory of the tree that contains an outermost package of that name. Re-exports of an
//! `__init__.py` are not followed here.

use std::collections::HashMap;

use crate::base::ids::FileId;
use crate::base::path;
use crate::graph::weights;
use crate::lang::facts::{Import, ImportKind};
use crate::lang::marks::is_vendored;

use super::manifest::{Kind, Manifests, Nearest};
use super::target::{Fallback, Reason, Target, Targets};
use super::tree::{DirectoryId, Probe, Tree};

mod layout;
mod standard;

/// The most directories in which a name is searched.
const PLACES_MAX: usize = 64;

/// Files of a package, the most likely first.
const PACKAGE_FILES: &[&[u8]] = &[b"/__init__.py", b"/__init__.pyi"];

/// Extensions of modules, the most likely first.
const MODULE_ENDINGS: &[&[u8]] = &[b".py", b".pyi", b".pyx"];

/// The source roots of a tree.
pub(super) struct Roots {
    /// Directories that contain outermost packages (with an `__init__.py`), by the packages' names.
    packages: HashMap<Vec<u8>, Vec<DirectoryId>>,
    /// Roots that manifests name, grouped by manifest.
    named: Vec<Vec<Vec<u8>>>,
    /// The manifest whose roots apply to a directory.
    nearest: Nearest,
}

/// What a dotted name refers to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Module {
    /// A file; for a package its `__init__.py`.
    File(FileId),
    /// A directory without an `__init__.py`.
    Namespace(DirectoryId),
}

impl Roots {
    pub(super) fn new(tree: &Tree, manifests: &Manifests<'_>) -> Roots {
        let mut packages: HashMap<Vec<u8>, Vec<DirectoryId>> = HashMap::new();
        for directory in (0..tree.directories_len()).map(DirectoryId::at) {
            let Some(parent) = tree.parent(directory) else { continue };
            if is_package(tree, directory) && !is_package(tree, parent) {
                let name = path::split(tree.directory_path(directory)).1.to_vec();
                packages.entry(name).or_default().push(parent);
            }
        }
        let mut directories = Vec::new();
        let mut named = Vec::new();
        for kind in [Kind::PyProject, Kind::SetupCfg, Kind::SetupPy] {
            for manifest in manifests.of(kind) {
                let roots =
                    layout::roots(kind, tree.directory_path(manifest.directory), manifest.text);
                match directories.iter().position(|&directory| directory == manifest.directory) {
                    Some(at) => {
                        let known: &mut Vec<Vec<u8>> = &mut named[at];
                        let new = roots.into_iter().filter(|root| !known.contains(root));
                        known.extend(new.collect::<Vec<_>>());
                    }
                    None => {
                        directories.push(manifest.directory);
                        named.push(roots);
                    }
                }
            }
        }
        Roots { packages, named, nearest: Nearest::new(tree, directories.into_iter()) }
    }

    pub(super) fn resolve(&self, tree: &Tree, import: &Import, found: &mut Targets) -> Fallback {
        let written = import.module.as_str();
        let name = written.trim_start_matches('.');
        let dots = written.len() - name.len();
        if dots > 0 {
            relative(tree, import, dots, name, found);
            return Fallback::Unknown;
        }
        if name.is_empty() {
            return Fallback::Unknown;
        }
        let directory = tree.directory(found.from);
        let top = name.split('.').next().unwrap_or(name);
        let mut lookup = Lookup { tree, probe: Probe::new(tree), import, name };
        let mut is_here = false;
        for (place, (root, confidence)) in self.roots(tree, directory).enumerate() {
            // A module of the standard library takes precedence over all roots but the first.
            if place > 0 && standard::has(top) {
                break;
            }
            if place >= PLACES_MAX {
                break;
            }
            if lookup.below(root, confidence, Reason::Root, found) {
                return Fallback::Unknown;
            }
            is_here |= lookup.probe.directory(root, &[top.as_bytes()]).is_some();
        }
        let (packages, confidence, reason) = self.elsewhere(tree, directory, top);
        if !standard::has(top) {
            for root in packages {
                lookup.below(tree.directory_path(root), confidence, reason, found);
                is_here = true;
            }
        }
        let is_unknown = !found.is_empty() || is_here && !standard::has(top);
        if is_unknown { Fallback::Unknown } else { Fallback::Outside }
    }

    /// Returns the directories anywhere that contain an outermost package `top`: the nearest ones, of these
    /// the source roots of projects if there are any.
    fn elsewhere(
        &self,
        tree: &Tree,
        directory: DirectoryId,
        top: &str,
    ) -> (Vec<DirectoryId>, f32, Reason) {
        let packages = self.packages.get(top.as_bytes()).map_or(&[][..], Vec::as_slice);
        let own = outermost(tree, directory);
        // A copy below a directory such as `_vendor` is imported by another name.
        let is_copy = |package: &&DirectoryId| is_vendored(tree.directory_path(**package));
        let (copies, originals): (Vec<_>, Vec<_>) = packages.iter().partition(is_copy);
        let packages = if originals.is_empty() { copies } else { originals };
        let mut near = tree.nearest(own, &packages, |package| package);
        let is_root = |package: &DirectoryId| {
            let path = tree.directory_path(*package);
            self.nearest.of(*package).is_some_and(|at| self.named[at].iter().any(|it| it == path))
        };
        let has_root = near.len() > 1 && near.iter().any(is_root);
        if has_root {
            near.retain(is_root);
        }
        match (packages.len(), near.len()) {
            (_, 2..) => (near, weights::IMPORT_DOUBTFUL, Reason::Rival),
            (1, _) => (near, weights::IMPORT_LIKELY, Reason::Root),
            _ if has_root => (near, weights::IMPORT_LIKELY, Reason::Root),
            _ => (near, weights::IMPORT_GUESS, Reason::Root),
        }
    }

    /// Returns the directories around a file's below which a name is searched, the most likely first, each
    /// with its confidence.
    fn roots<'r>(
        &'r self,
        tree: &'r Tree,
        directory: DirectoryId,
    ) -> impl Iterator<Item = (&'r [u8], f32)> {
        let own = outermost(tree, directory);
        let named = self.nearest.of(directory).map_or(&[][..], |place| &self.named[place]);
        let around = tree
            .up(own)
            .skip(1)
            .map(|directory| (tree.directory_path(directory), weights::IMPORT_ABOVE));
        std::iter::once((tree.directory_path(own), 1.0))
            .chain(named.iter().map(|root| (root.as_slice(), 1.0)))
            .chain(around)
    }

    /// Returns the source directories of a file's project, the most likely first.
    pub(super) fn bases<'r>(
        &'r self,
        tree: &'r Tree,
        file: FileId,
    ) -> impl Iterator<Item = &'r [u8]> {
        self.roots(tree, tree.directory(file)).map(|root| root.0)
    }
}

/// Returns true if a directory has an `__init__.py`.
fn is_package(tree: &Tree, directory: DirectoryId) -> bool {
    let members = tree.members(directory);
    // They are in path order, and therefore in the order of names.
    let at = members.partition_point(|&file| tree.name(file) < &b"__init__.py"[..]);
    members.get(at).is_some_and(|&file| tree.name(file).starts_with(b"__init__.py"))
}

/// Returns the directory that contains the outermost package around `directory`; `directory` itself if it
/// is not a package.
fn outermost(tree: &Tree, directory: DirectoryId) -> DirectoryId {
    tree.up(directory).find(|&directory| !is_package(tree, directory)).unwrap_or(DirectoryId::ROOT)
}

/// `from ..a import b`: relative to the package of the importing file, one level up for each dot
/// after the first.
fn relative(tree: &Tree, import: &Import, dots: usize, name: &str, found: &mut Targets) {
    let Some(package) = tree.up(tree.directory(found.from)).nth(dots - 1) else { return };
    let mut lookup = Lookup { tree, probe: Probe::new(tree), import, name };
    lookup.below(tree.directory_path(package), 1.0, Reason::Path, found);
}

/// The search for one dotted name.
struct Lookup<'t, 'i> {
    tree: &'t Tree,
    probe: Probe<'t>,
    import: &'i Import,
    name: &'i str,
}

impl Lookup<'_, '_> {
    /// Adds the module that the name refers to below `root`, and those of the import's names that
    /// are modules themselves. Returns true if there is such a module.
    fn below(&mut self, root: &[u8], confidence: f32, reason: Reason, found: &mut Targets) -> bool {
        let Some((module, directory)) = self.walk(root, confidence, reason, found) else {
            return false;
        };
        let names = self.import.names.iter().enumerate();
        let names = names.filter(|(_, name)| !name.name.is_empty() && name.name != "*");
        for (place, name) in names {
            if let Some(Module::File(file)) = self.module(&directory, name.name.as_bytes()) {
                found.add_name(place, file, confidence, reason);
            }
        }
        // A namespace package has no file: it counts if it contains the imported names.
        matches!(module, Module::File(_)) || !found.is_empty()
    }

    /// Follows the name's parts from `root`, and adds the file that they lead to. Returns it with
    /// the path of the directory of its submodules.
    fn walk(
        &mut self,
        root: &[u8],
        confidence: f32,
        reason: Reason,
        found: &mut Targets,
    ) -> Option<(Module, Vec<u8>)> {
        let mut directory = root.to_vec();
        if self.name.is_empty() {
            let module = self.package(&directory)?;
            if let Module::File(file) = module {
                found.add(file, confidence, reason);
            }
            return Some((module, directory));
        }
        let parts = self.name.split('.').count();
        let mut last = None;
        for (place, part) in self.name.split('.').enumerate() {
            if part.is_empty() {
                return None;
            }
            let Some(module) = self.module(&directory, part.as_bytes()) else {
                // A dynamic import may name a definition inside of a module.
                let is_inside = self.import.kind >= ImportKind::Dynamic;
                let (Some(Module::File(file)), true) = (last, is_inside) else { return None };
                let rest = parts - place;
                let confidence = confidence * weights::IMPORT_LIKELY;
                found.push(Target { file, confidence, reason, name: None, rest });
                return Some((Module::File(file), directory));
            };
            if !directory.is_empty() {
                directory.push(b'/');
            }
            directory.extend_from_slice(part.as_bytes());
            last = Some(module);
        }
        if let Some(Module::File(file)) = last {
            found.add(file, confidence, reason);
        }
        last.map(|module| (module, directory))
    }

    /// Returns what a name refers to in a directory: a package takes precedence over a module, and
    /// a directory without an `__init__.py` comes last.
    fn module(&mut self, directory: &[u8], name: &[u8]) -> Option<Module> {
        let ways = PACKAGE_FILES.iter().chain(MODULE_ENDINGS);
        for ending in ways {
            if let Some(file) = self.probe.file(directory, &[name, ending]) {
                return Some(Module::File(file));
            }
        }
        self.probe.directory(directory, &[name]).map(Module::Namespace)
    }

    /// Returns the package in a directory.
    fn package(&mut self, directory: &[u8]) -> Option<Module> {
        let files = PACKAGE_FILES.iter().map(|ending| &ending[1..]);
        for file in files {
            if let Some(file) = self.probe.file(directory, &[file]) {
                return Some(Module::File(file));
            }
        }
        self.tree.find_directory(directory).map(Module::Namespace)
    }
}
