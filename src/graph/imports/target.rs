//! What an import leads to: files, each with its confidence and the reason.

use serde::Serialize;

use crate::base::ids::FileId;

/// Files that one import leads to; more are left out.
pub(super) const TARGETS_MAX: usize = 1024;

/// A file that an import leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The file.
    pub file: FileId,
    /// How sure it is that the import means this file, from 0 to 1.
    pub confidence: f32,
    /// By which rule it was found.
    pub reason: Reason,
    /// The place among the import's names that this file alone stands for (`from a import b`, where
    /// `b` is a file); `None` for what all names are imported from.
    pub name: Option<usize>,
    /// How many last parts of the import's module name no file: they are to be found inside of it.
    pub rest: usize,
}

/// By which rule a file was found.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Its path, relative to the importing file.
    Path,
    /// Its path below a root of sources or includes.
    Root,
    /// A mapping of the project's configuration: `paths`, `imports`, PSR-4, `replace`.
    Mapped,
    /// The name of a package, crate or module of this tree.
    Workspace,
    /// The package or namespace that it says it is of, or lies in.
    Package,
    /// Its place in the tree of modules.
    Module,
    /// A habit of projects: `@/` is `src/`, `include/` is searched.
    Convention,
    /// The only path of the tree that ends so.
    Unique,
    /// One of several paths that end so.
    Ambiguous,
    /// It fits the literal parts of what is loaded while the program runs.
    Pattern,
}

impl Reason {
    /// Returns the rule in words, to follow "found by".
    pub fn words(self) -> &'static str {
        match self {
            Reason::Path => "its relative path",
            Reason::Root => "its path below a source root",
            Reason::Mapped => "the project's configuration",
            Reason::Workspace => "the name of a package in this tree",
            Reason::Package => "its package",
            Reason::Module => "the module tree",
            Reason::Convention => "convention",
            Reason::Unique => "the only path that ends so",
            Reason::Ambiguous => "one of several paths that end so",
            Reason::Pattern => "the literal parts of what is loaded",
        }
    }
}

/// What became of an import.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolution {
    /// It leads to these files, of which there is at least one.
    Inside(Vec<Target>),
    /// It leads out of the tree: a standard library, a dependency.
    Outside,
    /// It is not known where it leads.
    Unknown,
}

impl Resolution {
    /// Returns the files that it leads to; none if they are outside or unknown.
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

/// What an import is if no file is found for it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Otherwise {
    Outside,
    Unknown,
}

/// Targets as they are found, the best rule first.
pub(super) struct Found {
    /// The file that imports.
    pub(super) from: FileId,
    /// True if a file may import from itself: Rust's modules inside of a file do.
    keeps_self: bool,
    targets: Vec<Target>,
}

impl Found {
    pub(super) fn new(from: FileId, keeps_self: bool) -> Found {
        Found { from, keeps_self, targets: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Adds the file that all names are imported from.
    pub(super) fn add(&mut self, file: FileId, confidence: f32, reason: Reason) {
        self.push(Target { file, confidence, reason, name: None, rest: 0 });
    }

    /// Adds the file that one name stands for.
    pub(super) fn add_name(&mut self, name: usize, file: FileId, confidence: f32, reason: Reason) {
        self.push(Target { file, confidence, reason, name: Some(name), rest: 0 });
    }

    /// Adds a target; one that is there already, or one too many, changes nothing.
    pub(super) fn push(&mut self, target: Target) {
        if target.file == self.from && !self.keeps_self {
            return;
        }
        let is_there = |old: &Target| old.file == target.file && old.name == target.name;
        // Files of a package come each once, so only the latest are worth a look.
        if self.targets.len() < TARGETS_MAX && !self.targets.iter().rev().take(64).any(is_there) {
            self.targets.push(target);
        }
    }

    pub(super) fn finish(mut self, otherwise: Otherwise) -> Resolution {
        if self.targets.is_empty() {
            return match otherwise {
                Otherwise::Outside => Resolution::Outside,
                Otherwise::Unknown => Resolution::Unknown,
            };
        }
        let place = |target: &Target| target.name.map_or(0, |name| name + 1);
        self.targets
            .sort_by(|a, b| place(a).cmp(&place(b)).then(b.confidence.total_cmp(&a.confidence)));
        Resolution::Inside(self.targets)
    }
}
