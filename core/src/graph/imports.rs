//! Imports resolved to files.
//!
//! [`Resolver::new`] takes the paths of a tree and the texts of its manifests ([`is_manifest`]);
//! [`Resolver::resolve`] returns the files that an import leads to, each with a confidence and a
//! reason. This module reads no files and looks up no names inside of files: an import of a name
//! that a package's file imports from elsewhere leads to that file, and the linker continues from
//! there.
//!
//! Not resolved is what paths and manifests do not determine: search paths that programs set,
//! aliases in the configuration of bundlers, crates and packages outside of the tree.
//!
//! Each family of languages has its file below `imports/`; all of them search the same `tree`.

mod c;
mod csharp;
mod dynamic;
mod family;
mod go;
mod javascript;
mod json;
mod manifest;
mod namespaces;
mod packages;
mod php;
mod places;
mod python;
mod rust;
mod swift;
mod target;
mod tree;

pub use csharp::ProjectUsing;
pub use family::Family;
pub use manifest::{is_manifest, manifest_bytes_max, manifest_names};
pub use target::{Reason, Resolution, Target};

use crate::base::ids::FileId;
use crate::graph::weights;
use crate::lang::facts::{Import, ImportKind};

use packages::Packages;
use target::{Fallback, Targets};
use tree::Tree;

/// The longest module path, in bytes; a longer one is unresolved.
const MODULE_BYTES_MAX: usize = 4096;

/// The location of an import.
#[derive(Clone, Copy, Debug)]
pub struct Importer<'a> {
    /// The file that contains it.
    pub file: FileId,
    /// The rules that apply to it.
    pub family: Family,
    /// The package that the file declares.
    pub package: Option<&'a str>,
    /// The names of the modules that enclose it in its file, outermost first: Rust's `mod tests { …
    /// }`.
    pub inside: &'a [&'a str],
}

/// The import rules of one tree.
pub struct Resolver {
    tree: Tree,
    packages: Packages,
    c: c::IncludePaths,
    csharp: csharp::Projects,
    go: go::Modules,
    javascript: javascript::Projects,
    php: php::Autoload,
    places: places::Projects,
    python: python::Roots,
    rust: rust::Workspace,
    swift: swift::Modules,
    dynamic: dynamic::Patterns,
}

impl Resolver {
    /// Returns the resolver of a tree.
    ///
    /// `files` are its paths in path order, so that a file's id is its position; `manifests` are
    /// the files accepted by [`is_manifest`], with their texts. A manifest that is too long or
    /// malformed counts as empty. O(n log n) for n files, and O(bytes) for the manifests.
    pub fn new<P: AsRef<[u8]>>(files: &[P], manifests: &[(FileId, &[u8])]) -> Resolver {
        let tree = Tree::new(files);
        let decoded: Vec<_> =
            manifests.iter().map(|&(file, bytes)| (file, manifest::utf8(bytes))).collect();
        let texts: Vec<(FileId, &[u8])> =
            decoded.iter().map(|(file, bytes)| (*file, &**bytes)).collect();
        let manifests = manifest::Manifests::new(&tree, &texts);
        Resolver {
            packages: Packages::default(),
            c: c::IncludePaths::new(&tree, &manifests),
            csharp: csharp::Projects::new(&tree, &manifests),
            go: go::Modules::new(&tree, &manifests),
            javascript: javascript::Projects::new(&tree, &manifests),
            php: php::Autoload::new(&tree, &manifests),
            places: places::Projects::new(&tree, &manifests),
            python: python::Roots::new(&tree, &manifests),
            rust: rust::Workspace::new(&tree, &manifests),
            swift: swift::Modules::new(&tree, &manifests),
            dynamic: dynamic::Patterns::default(),
            tree,
        }
    }

    /// Returns the resolver with the packages that files declare (`Facts::package`).
    ///
    /// Without them, packages of Java, Kotlin, Scala, C# and PHP are found by their directories
    /// only.
    #[must_use]
    pub fn with_packages(mut self, packages: &[(FileId, &str)]) -> Resolver {
        self.packages = Packages::new(self.tree.len(), packages);
        self
    }

    /// Returns the files that an import leads to.
    ///
    /// Targets of the module as a whole come first, then those of single names; each group is
    /// ordered by confidence. The order is the same for the same tree. Usually takes one or two
    /// microseconds; bounded.
    pub fn resolve(&self, importer: &Importer<'_>, import: &Import) -> Resolution {
        if importer.file.index() >= self.tree.len() || import.module.len() > MODULE_BYTES_MAX {
            return Resolution::Unknown;
        }
        match import.kind {
            ImportKind::DynamicVariable | ImportKind::DynamicEval => Resolution::Unknown,
            ImportKind::DynamicTemplate | ImportKind::DynamicConcatenation => {
                self.dynamic.resolve(&self.tree, &self.python, importer, import)
            }
            _ => self.resolve_literal(importer, import).scaled(certainty(import.kind)),
        }
    }

    fn resolve_literal(&self, importer: &Importer<'_>, import: &Import) -> Resolution {
        let mut found = Targets::new(importer.file, importer.family == Family::Rust);
        let outcome = match importer.family {
            Family::C => self.c.resolve(&self.tree, import, &mut found),
            Family::Go => self.go.resolve(&self.tree, &self.packages, import, &mut found),
            Family::JavaScript => self.javascript.resolve(&self.tree, import, &mut found),
            Family::Jvm | Family::CSharp => {
                namespaces::resolve(&self.tree, &self.packages, importer, import, &mut found)
            }
            Family::Php => self.php.resolve(&self.tree, &self.packages, import, &mut found),
            Family::Python => self.python.resolve(&self.tree, import, &mut found),
            Family::Rust => self.rust.resolve(&self.tree, importer, import, &mut found),
            family => {
                let modules = (family == Family::Swift).then_some(&self.swift);
                let is_found = modules.is_some_and(|of| of.resolve(&self.tree, import, &mut found));
                if is_found {
                    Fallback::Unknown
                } else {
                    self.places.resolve(&self.tree, family, import, &mut found)
                }
            }
        };
        found.finish(outcome)
    }

    /// Returns the files whose names a file sees without importing them, except itself: those of
    /// the same Go, Java, Kotlin or Scala package, of a C# namespace and the enclosing ones, of the
    /// same Swift or Terraform module. In path order.
    pub fn same_package(&self, importer: &Importer<'_>) -> Vec<FileId> {
        let file = importer.file;
        if file.index() >= self.tree.len() {
            return Vec::new();
        }
        match importer.family {
            Family::Go => go::same_package(&self.tree, &self.packages, file),
            Family::Jvm | Family::CSharp => {
                namespaces::same_package(&self.tree, &self.packages, file, importer.package)
            }
            Family::Swift => self.swift.same_module(&self.tree, file),
            Family::Hcl => {
                let files = self.tree.members(self.tree.directory(file)).iter().copied();
                let is_module = |other: &FileId| self.tree.name(*other).ends_with(b".tf");
                files.filter(|&other| other != file).filter(is_module).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the imports that C#'s project files state for all files of a file's project, those of the
    /// nearest ones first.
    pub fn project_usings(&self, file: FileId) -> Vec<ProjectUsing> {
        let is_known = file.index() < self.tree.len();
        if is_known { self.csharp.of(&self.tree, file) } else { Vec::new() }
    }

    /// Returns the root file of the Rust crate that a file belongs to, by its path.
    pub fn crate_root(&self, file: FileId) -> Option<FileId> {
        self.rust.crate_root(&self.tree, file)
    }
}

/// Returns the confidence that an import of that kind loads what it names, from 0 to 1.
///
/// The values of dynamic imports are set by definition: a template is more likely to be right than
/// a concatenation, whose literal parts determine less.
pub fn certainty(kind: ImportKind) -> f32 {
    match kind {
        ImportKind::DynamicVariable | ImportKind::DynamicConditional => weights::IMPORT_FAR,
        ImportKind::DynamicTemplate => weights::IMPORT_GUESS,
        ImportKind::DynamicConcatenation => weights::IMPORT_CONCATENATED,
        ImportKind::DynamicEval => 0.0,
        ImportKind::Module
        | ImportKind::ReExport
        | ImportKind::SystemInclude
        | ImportKind::LocalInclude
        | ImportKind::Submodule
        | ImportKind::Dynamic => 1.0,
    }
}

#[cfg(test)]
mod tests;
