//! Rust: crates of the tree by name, and the module tree as the paths of files imply it.
//!
//! `mod` declarations are not read here, so a module is where its path implies: `a::b` is `a/b.rs`
//! or `a/b/mod.rs`. A file that a `#[path]` puts elsewhere is found only by its `mod`, and modules
//! made by macros or `include!` are not found. In a package with both a library and a binary, a
//! file below `src/` belongs to the library.

mod cargo;

use std::collections::{HashMap, HashSet};

use crate::base::ids::FileId;
use crate::base::path;
use crate::graph::weights;
use crate::lang::facts::{Import, ImportKind};

use super::Importer;
use super::manifest::{Manifests, Nearest};
use super::target::{Fallback, Reason, Target, Targets};
use super::tree::{DirectoryId, Probe, Tree, join};
use cargo::Package;

/// Crates of the toolchain.
const STANDARD: &[&str] = &["alloc", "core", "proc_macro", "std", "test"];

/// Directories of a package in which files, and directories with a `main.rs`, are crates of their
/// own.
const CRATES_OF_FILES: &[&[u8]] = &[b"benches", b"examples", b"src/bin", b"tests"];

/// The packages of a tree.
pub(super) struct Workspace {
    packages: Vec<Package>,
    nearest: Nearest,
    /// The packages of each library, by its import name: those at the highest level.
    libraries: HashMap<String, Vec<usize>>,
    /// The package of each package directory.
    by_directory: HashMap<DirectoryId, usize>,
    /// Crate roots in manifests, including libraries.
    named_roots: HashSet<FileId>,
    /// Directories in which every file is the root of a crate.
    crates_of_files: HashSet<DirectoryId>,
    /// For each directory, the root directory of its crate's modules.
    starts: Vec<DirectoryId>,
}

/// A position in the module tree.
#[derive(Clone, Debug)]
struct Module {
    /// The file; `None` for a directory without one.
    file: Option<FileId>,
    /// The directory of its submodules.
    directory: Vec<u8>,
}

/// What the first part of a path refers to.
enum Start {
    /// One of these modules, at least one.
    Here(Vec<Module>, Reason, f32),
    Outside,
    Unknown,
}

impl Workspace {
    pub(super) fn new(tree: &Tree, manifests: &Manifests<'_>) -> Workspace {
        let packages = cargo::read_all(tree, manifests);
        let mut by_directory = HashMap::new();
        let mut libraries: HashMap<String, Vec<usize>> = HashMap::new();
        let mut named_roots = HashSet::new();
        let mut crates_of_files = HashSet::new();
        for (place, package) in packages.iter().enumerate() {
            by_directory.entry(package.directory).or_insert(place);
            named_roots.extend(package.files());
            let path = tree.directory_path(package.directory);
            let crates = CRATES_OF_FILES.iter().map(|crates| path::join(path, crates));
            crates_of_files.extend(crates.filter_map(|crates| tree.find_directory(&crates)));
            if package.library.is_some() && !package.library_name.is_empty() {
                // Of two libraries with one name, the one at the higher level counts.
                let depth = |place: usize| tree.up(packages[place].directory).count();
                let same = libraries.entry(package.library_name.clone()).or_default();
                same.retain(|other| depth(*other) <= depth(place));
                if same.first().is_none_or(|other| depth(*other) == depth(place)) {
                    same.push(place);
                }
            }
        }
        let nearest = Nearest::new(tree, packages.iter().map(|package| package.directory));
        let starts = Vec::new();
        let mut workspace = Workspace {
            packages,
            nearest,
            libraries,
            by_directory,
            named_roots,
            crates_of_files,
            starts,
        };
        workspace.find_starts(tree);
        workspace
    }

    /// Fills `starts`: a directory that is not the root of a crate belongs to its parent's.
    fn find_starts(&mut self, tree: &Tree) {
        let named: HashSet<DirectoryId> = self
            .packages
            .iter()
            .flat_map(Package::files)
            .map(|root| tree.directory(root))
            .collect();
        for directory in (0..tree.directories_len()).map(DirectoryId::at) {
            let is_start = self.crates_of_files.contains(&directory)
                || self.by_directory.contains_key(&directory)
                || named.contains(&directory)
                || usual_roots(tree, directory).any(|root| self.is_root(tree, root));
            let around = tree.parent(directory).filter(|_| !is_start);
            self.starts.push(around.map_or(directory, |around| self.starts[around.index()]));
        }
    }

    pub(super) fn resolve(
        &self,
        tree: &Tree,
        importer: &Importer<'_>,
        import: &Import,
        found: &mut Targets,
    ) -> Fallback {
        match import.kind {
            ImportKind::Submodule => {
                self.submodule(tree, importer, import, found);
                return Fallback::Unknown;
            }
            ImportKind::LocalInclude => {
                let path = join(tree.directory_path_of(found.from), &import.module);
                if let Some(file) = path.and_then(|path| tree.file(&path)) {
                    found.add(file, 1.0, Reason::Path);
                }
                return Fallback::Unknown;
            }
            _ => {}
        }
        let (written, is_extern) = match import.module.strip_prefix("::") {
            Some(rest) => (rest, true),
            None => (import.module.as_str(), false),
        };
        // `use a;` may be recorded as a name without a module.
        let lone = import.names.first().filter(|_| written.is_empty());
        let written = lone.map_or(written, |name| name.name.as_str());
        let mut parts = written.split("::").map(|part| part.trim_start_matches("r#")).peekable();
        let start = if is_extern {
            self.library(tree, found.from, parts.next().unwrap_or_default())
        } else {
            self.start(tree, importer, &mut parts)
        };
        match start {
            Start::Here(modules, reason, confidence) => {
                let parts: Vec<&str> = parts.collect();
                let mut walk = Walk { probe: Probe::new(tree), reason, confidence };
                for module in modules {
                    walk.follow(module, &parts, import, found);
                }
                Fallback::Unknown
            }
            Start::Outside => Fallback::Outside,
            Start::Unknown => Fallback::Unknown,
        }
    }

    /// `mod a;`, possibly with a path from an attribute.
    fn submodule(
        &self,
        tree: &Tree,
        importer: &Importer<'_>,
        import: &Import,
        found: &mut Targets,
    ) {
        let written = import.module.as_str();
        if written.ends_with(".rs") || written.contains('/') {
            // The path is relative to the file's directory; inside of other modules to their
            // directory.
            let directory = if importer.inside.is_empty() {
                tree.directory_path_of(found.from).to_vec()
            } else {
                self.here(tree, importer).directory
            };
            let file = join(&directory, written).and_then(|path| tree.file(&path));
            if let Some(file) = file {
                found.add(file, 1.0, Reason::Path);
            }
            return;
        }
        let name = written.trim_start_matches("self::").trim_start_matches("r#");
        let here = self.here(tree, importer);
        let mut probe = Probe::new(tree);
        if let Some(file) = child(&mut probe, &here.directory, name) {
            found.add(file, 1.0, Reason::Module);
        }
    }

    /// Returns the start of a path, and removes the parts that determine it.
    fn start<'p>(
        &self,
        tree: &Tree,
        importer: &Importer<'_>,
        parts: &mut std::iter::Peekable<impl Iterator<Item = &'p str>>,
    ) -> Start {
        let first = parts.peek().copied().unwrap_or_default();
        match first {
            "" => Start::Unknown,
            "crate" | "$crate" => {
                parts.next();
                Start::Here(vec![self.root_module(tree, importer.file)], Reason::Module, 1.0)
            }
            "self" | "super" => {
                let mut inside = importer.inside;
                let mut file = importer.file;
                parts.next_if_eq(&"self");
                while parts.next_if_eq(&"super").is_some() {
                    match inside.split_last() {
                        Some((_, rest)) => inside = rest,
                        None => match self.parent(tree, file) {
                            Some(parent) => file = parent,
                            None => return Start::Unknown,
                        },
                    }
                }
                let importer = Importer { file, inside, ..*importer };
                Start::Here(vec![self.here(tree, &importer)], Reason::Module, 1.0)
            }
            name => {
                // A module of the file takes precedence over a crate; having both would be an
                // error.
                let here = self.here(tree, importer);
                if child(&mut Probe::new(tree), &here.directory, name).is_some() {
                    return Start::Here(vec![here], Reason::Module, 1.0);
                }
                let library = self.library(tree, importer.file, name);
                if matches!(library, Start::Here(..)) {
                    parts.next();
                    return library;
                }
                // Before the 2018 edition, paths began at the crate's root.
                let root = self.root_module(tree, importer.file);
                let is_below = child(&mut Probe::new(tree), &root.directory, name).is_some();
                if is_below && !STANDARD.contains(&name) {
                    return Start::Here(vec![root], Reason::Module, weights::IMPORT_LIKELY);
                }
                library
            }
        }
    }

    /// Returns the root of the library that a file's crate imports as `name`.
    fn library(&self, tree: &Tree, from: FileId, name: &str) -> Start {
        let own = self.nearest.of(tree.directory(from)).map(|place| &self.packages[place]);
        let dependency = own.and_then(|package| package.dependencies.get(name));
        let by_path = dependency.and_then(|dependency| {
            let directory = tree.find_directory(dependency.directory.as_deref()?)?;
            self.by_directory.get(&directory).copied()
        });
        let real_name = dependency.map_or(name, |dependency| dependency.library_name.as_str());
        let itself = || {
            let own = own.filter(|package| package.library_name == name)?;
            self.by_directory.get(&own.directory).copied()
        };
        let places = match by_path.or_else(itself) {
            Some(place) => vec![place],
            None => {
                let named = self.libraries.get(real_name).map_or(&[][..], Vec::as_slice);
                tree.nearest(tree.directory(from), named, |at| self.packages[at].directory)
            }
        };
        let Some(first) = places.first().map(|&place| &self.packages[place]) else {
            let is_known = dependency.is_some() || STANDARD.contains(&name);
            // Without a manifest, a name that no module has is assumed to be a crate.
            return if is_known || own.is_none() { Start::Outside } else { Start::Unknown };
        };
        let is_sure =
            dependency.is_some() || own.is_some_and(|own| own.directory == first.directory);
        let (confidence, reason) = match places.len() {
            2.. => (weights::IMPORT_DOUBTFUL, Reason::Rival),
            _ if is_sure => (1.0, Reason::Workspace),
            _ => (weights::IMPORT_LIKELY, Reason::Workspace),
        };
        let roots = places.iter().filter_map(|&place| self.packages[place].library);
        let module = |root: FileId| {
            let directory = tree.directory_path_of(root).to_vec();
            Module { file: Some(root), directory }
        };
        let modules: Vec<Module> = roots.map(module).collect();
        if modules.is_empty() { Start::Unknown } else { Start::Here(modules, reason, confidence) }
    }

    /// Returns the module that contains an import.
    fn here(&self, tree: &Tree, importer: &Importer<'_>) -> Module {
        let mut directory = self.children(tree, importer.file);
        for name in importer.inside {
            directory = path::join(&directory, name.as_bytes());
        }
        Module { file: Some(importer.file), directory }
    }

    /// Returns the root module of a file's crate.
    fn root_module(&self, tree: &Tree, file: FileId) -> Module {
        let directory = self.root_directory(tree, file).to_vec();
        Module { file: self.crate_root(tree, file), directory }
    }

    /// Returns the directory of a file's submodules.
    fn children(&self, tree: &Tree, file: FileId) -> Vec<u8> {
        let directory = tree.directory_path_of(file);
        let name = tree.name(file);
        if name == b"mod.rs" || self.is_root(tree, file) {
            return directory.to_vec();
        }
        path::join(directory, name.strip_suffix(b".rs").unwrap_or(name))
    }

    /// Returns true if a file is the root of a crate, by its path or a manifest.
    fn is_root(&self, tree: &Tree, file: FileId) -> bool {
        if self.named_roots.contains(&file) {
            return true;
        }
        let directory = tree.directory(file);
        match tree.name(file) {
            b"mod.rs" => false,
            b"lib.rs" | b"main.rs" => self.may_hold_root(tree, directory),
            b"build.rs" => self.by_directory.contains_key(&directory),
            name => name.ends_with(b".rs") && self.crates_of_files.contains(&directory),
        }
    }

    /// Returns true if a `main.rs` in `directory` is the root of a crate; below other modules it is a
    /// module of that name.
    fn may_hold_root(&self, tree: &Tree, directory: DirectoryId) -> bool {
        let package = self.nearest.of(directory).map(|place| self.packages[place].directory);
        let Some(package) = package else { return true };
        let parent = tree.parent(directory);
        let is_source =
            parent == Some(package) && path::split(tree.directory_path(directory)).1 == b"src";
        directory == package
            || is_source
            || self.crates_of_files.contains(&directory)
            || parent.is_some_and(|parent| self.crates_of_files.contains(&parent))
    }

    /// Returns the root directory of the modules of a file's crate.
    fn root_directory<'t>(&self, tree: &'t Tree, file: FileId) -> &'t [u8] {
        let directory = tree.directory(file);
        let start =
            if self.is_root(tree, file) { directory } else { self.starts[directory.index()] };
        tree.directory_path(start)
    }

    /// Returns the root file of a file's crate.
    pub(super) fn crate_root(&self, tree: &Tree, file: FileId) -> Option<FileId> {
        if !tree.name(file).ends_with(b".rs") {
            return None;
        }
        if self.is_root(tree, file) {
            return Some(file);
        }
        let directory = self.starts[tree.directory(file).index()];
        let usual = usual_roots(tree, directory).find(|&root| self.is_root(tree, root));
        usual.or_else(|| {
            let members = tree.members(directory).iter().copied();
            let mut roots = members.filter(|&root| self.is_root(tree, root));
            // Modules that several crates share, such as `tests/common/`, belong to none of them.
            roots.next().filter(|_| roots.next().is_none())
        })
    }

    /// Returns the file of the parent module of a file.
    fn parent(&self, tree: &Tree, file: FileId) -> Option<FileId> {
        if self.is_root(tree, file) {
            return None;
        }
        let children = self.children(tree, file);
        let (above, _) = path::split(&children);
        let root = self.root_directory(tree, file);
        if above.len() <= root.len() {
            return self.crate_root(tree, file);
        }
        let mut probe = Probe::new(tree);
        probe.endings(above, &[".rs", "/mod.rs"])
    }
}

/// Returns the files of a directory that are crate roots by their names, the library's first.
fn usual_roots(tree: &Tree, directory: DirectoryId) -> impl Iterator<Item = FileId> {
    let path = tree.directory_path(directory);
    let names: [&[u8]; 2] = [b"lib.rs", b"main.rs"];
    names.into_iter().filter_map(move |name| tree.file(&path::join(path, name)))
}

/// Returns the file of the module `name` whose parent has its submodules in `directory`.
fn child(probe: &mut Probe<'_>, directory: &[u8], name: &str) -> Option<FileId> {
    let name = name.as_bytes();
    probe.file(directory, &[name, b".rs"]).or_else(|| probe.file(directory, &[name, b"/mod.rs"]))
}

/// A path that is followed along the module tree.
struct Walk<'t> {
    probe: Probe<'t>,
    reason: Reason,
    confidence: f32,
}

impl Walk<'_> {
    /// Adds the module that the longest possible part of the path leads to, and those of the
    /// import's names that are modules themselves.
    fn follow(&mut self, start: Module, parts: &[&str], import: &Import, found: &mut Targets) {
        // Modules inside of files have directories, but no file: `rest` counts from the last file.
        let mut rest = parts.len();
        let (mut file, mut directory) = (start.file, start.directory);
        for (place, name) in parts.iter().enumerate() {
            let module = child(&mut self.probe, &directory, name);
            if module.is_some() {
                file = module;
                rest = parts.len() - place - 1;
            } else if self.probe.directory(&directory, &[name.as_bytes()]).is_none() {
                break;
            }
            directory = path::join(&directory, name.as_bytes());
            if place + 1 == parts.len() {
                self.names(&directory, import, found);
            }
        }
        if parts.is_empty() {
            self.names(&directory, import, found);
        }
        if let Some(file) = file {
            let (confidence, reason) = (self.confidence, self.reason);
            found.push(Target { file, confidence, reason, name: None, rest });
        }
    }

    fn names(&mut self, directory: &[u8], import: &Import, found: &mut Targets) {
        for (place, name) in import.names.iter().enumerate() {
            let name = name.name.trim_start_matches("r#");
            let is_item = name.is_empty() || name == "*" || name == "self" || name.contains(':');
            if let Some(file) = child(&mut self.probe, directory, name).filter(|_| !is_item) {
                found.add_name(place, file, self.confidence, self.reason);
            }
        }
    }
}
