//! The targets of an import: files, each with its confidence and a reason.

use serde::Serialize;

use crate::base::ids::FileId;

/// The most targets of one import; further ones are dropped.
pub(super) const TARGETS_MAX: usize = 1024;

/// A file that an import leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The file.
    pub file: FileId,
    /// The confidence that the import refers to this file, from 0 to 1.
    pub confidence: f32,
    /// The rule by which it was found.
    pub reason: Reason,
    /// The position in the import's names of the only name that refers to this file (`from a import
    /// b`, where `b` is a file); `None` for the file from which all names are imported.
    pub name: Option<usize>,
    /// How many of the last parts of the import's module path have no file: they are definitions
    /// inside of it.
    pub rest: usize,
}

/// The rule by which a file was found.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Its path, relative to the importing file.
    Path,
    /// Its path below a root of sources or include files.
    Root,
    /// A mapping of the project's configuration: `paths`, `imports`, PSR-4, `replace`.
    Mapped,
    /// The name of a package, crate or module of this tree.
    Workspace,
    /// Its declared package or namespace, or that of its directory.
    Package,
    /// Its position in the module tree.
    Module,
    /// A convention: `@/` is `src/`, `include/` is searched.
    Convention,
    /// The only path of the tree with that end.
    Unique,
    /// One of several paths with that end.
    Ambiguous,
    /// One of several packages with that name, none of which is nearer than the others.
    Rival,
    /// It matches the literal parts of a dynamic import.
    Pattern,
}

impl Reason {
    /// Returns the rule as text, to follow "found by".
    pub fn words(self) -> &'static str {
        match self {
            Reason::Path => "its relative path",
            Reason::Root => "its path below a source root",
            Reason::Mapped => "the project's configuration",
            Reason::Workspace => "the name of a package in this tree",
            Reason::Package => "its package",
            Reason::Module => "the module tree",
            Reason::Convention => "convention",
            Reason::Unique => "the only path with this ending",
            Reason::Ambiguous => "one of several paths with this ending",
            Reason::Rival => "one of several packages with this name",
            Reason::Pattern => "the literal parts of the expression",
        }
    }
}

/// The result of resolving an import.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolution {
    /// These files, at least one.
    Inside(Vec<Target>),
    /// Outside of the tree: a standard library, a dependency.
    Outside,
    /// Unresolved.
    Unknown,
}

impl Resolution {
    /// Returns the targets; none if they are outside or unresolved.
    pub fn targets(&self) -> &[Target] {
        match self {
            Resolution::Inside(targets) => targets,
            Resolution::Outside | Resolution::Unknown => &[],
        }
    }

    /// Returns the resolution with all confidences multiplied.
    pub(super) fn scaled(mut self, factor: f32) -> Resolution {
        if let Resolution::Inside(targets) = &mut self {
            for target in targets {
                target.confidence *= factor;
            }
        }
        self
    }
}

/// The result if no file is found for an import.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Fallback {
    Outside,
    Unknown,
}

/// Targets in the order in which they are found, the best rule first.
pub(super) struct Targets {
    /// The importing file.
    pub(super) from: FileId,
    /// True if a file may import from itself, as Rust's inline modules do.
    keeps_self: bool,
    targets: Vec<Target>,
}

impl Targets {
    pub(super) fn new(from: FileId, keeps_self: bool) -> Targets {
        Targets { from, keeps_self, targets: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Adds the file from which all names are imported.
    pub(super) fn add(&mut self, file: FileId, confidence: f32, reason: Reason) {
        self.push(Target { file, confidence, reason, name: None, rest: 0 });
    }

    /// Adds the file that one name refers to.
    pub(super) fn add_name(&mut self, name: usize, file: FileId, confidence: f32, reason: Reason) {
        self.push(Target { file, confidence, reason, name: Some(name), rest: 0 });
    }

    /// Adds a target, unless it is already present or the limit is reached.
    pub(super) fn push(&mut self, target: Target) {
        if target.file == self.from && !self.keeps_self {
            return;
        }
        let is_there = |old: &Target| old.file == target.file && old.name == target.name;
        // Each file of a package is added once, so it is sufficient to compare with the latest
        // targets.
        if self.targets.len() < TARGETS_MAX && !self.targets.iter().rev().take(64).any(is_there) {
            self.targets.push(target);
        }
    }

    pub(super) fn finish(mut self, fallback: Fallback) -> Resolution {
        if self.targets.is_empty() {
            return match fallback {
                Fallback::Outside => Resolution::Outside,
                Fallback::Unknown => Resolution::Unknown,
            };
        }
        let place = |target: &Target| target.name.map_or(0, |name| name + 1);
        self.targets
            .sort_by(|a, b| place(a).cmp(&place(b)).then(b.confidence.total_cmp(&a.confidence)));
        Resolution::Inside(self.targets)
    }
}
