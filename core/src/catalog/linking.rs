//! Implements the linker's interface for a catalog. A damaged segment counts as empty, and
//! [`Catalog::is_damaged`] is set, so that the caller repeats the call without it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Catalog;
use crate::base::ids::FileId;
use crate::error::Error;
use crate::graph::imports::{Family, Importer, ProjectUsing, Resolution};
use crate::graph::link::{Code, FileFacts, Outcome, Site, SymbolAt, UseAt};
use crate::index::code::keys;
use crate::lang::Limits;
use crate::lang::facts::{Import, ImportKind, Reference};
use crate::source::text_cache::Text;

/// Maximum number of targets of an import that are cached.
const TARGETS_MAX: usize = 64;

impl Catalog {
    /// Records that a segment is damaged, for functions that return no errors.
    pub fn note_damage(&self, error: &Error) {
        log::debug!("code index: {error}");
        self.is_damaged.store(true, Ordering::Relaxed);
    }

    fn lookup(&self, key: &[u8]) -> Arc<[SymbolAt]> {
        self.defined(key).unwrap_or_else(|error| {
            self.note_damage(&error);
            Arc::default()
        })
    }

    fn resolve(&self, file: FileId, import: &Import, inside: &[&str]) -> Resolution {
        let facts = self.file(file);
        let family = facts.as_ref().and_then(|facts| Family::of(facts.language));
        let (Some(facts), Some(family)) = (facts, family) else { return Resolution::Unknown };
        let package = facts.package.as_deref();
        self.resolver().resolve(&Importer { file, family, package, inside }, import)
    }
}

impl Code for Catalog {
    fn named(&self, name: &str) -> Arc<[SymbolAt]> {
        self.lookup(name.as_bytes())
    }

    fn members(&self, owner: &str, name: &str) -> Arc<[SymbolAt]> {
        self.lookup(&keys::member(owner, name))
    }

    fn blocks(&self, name: &str) -> Arc<[SymbolAt]> {
        self.lookup(&keys::block(name))
    }

    fn derived(&self, base: &str) -> Arc<[SymbolAt]> {
        self.lookup(&keys::derived(base))
    }

    fn file(&self, file: FileId) -> Option<Arc<FileFacts>> {
        self.facts(file).unwrap_or_else(|error| {
            self.note_damage(&error);
            None
        })
    }

    fn text(&self, file: FileId) -> Option<Text> {
        // The linker reads the texts of many definitions: a system call for each would cost most of it.
        self.quotable(file, Limits::DEFAULT.bytes_max + 1)
    }

    fn targets(&self, file: FileId, import: usize) -> Resolution {
        // The linker looks up an import for each use of the names it binds.
        let key = (file, import);
        if let Some(cached) = self.cache.targets.get(&key) {
            return cached;
        }
        let Some(facts) = self.file(file) else { return Resolution::Unknown };
        let Some(written) = facts.imports.get(import) else { return Resolution::Unknown };
        let around = facts.modules_around(import);
        let found = self.resolve(file, written, &around);
        if found.targets().len() <= TARGETS_MAX {
            self.cache.targets.insert(key, found.clone());
        }
        found
    }

    fn importers(&self, file: FileId) -> Vec<FileId> {
        let mut importers: Vec<FileId> =
            self.import_graph().importers(file).map(|edge| edge.from).collect();
        importers.dedup();
        importers
    }

    fn module(&self, from: FileId, path: &str) -> Resolution {
        let import = Import {
            span: 0..0,
            line: 1,
            kind: ImportKind::Module,
            module: path.to_owned(),
            names: Vec::new(),
        };
        self.resolve(from, &import, &[])
    }

    fn project_usings(&self, file: FileId) -> Vec<ProjectUsing> {
        self.resolver().project_usings(file)
    }

    fn is_same_package(&self, a: FileId, b: FileId) -> bool {
        if let Some(same) = self.cache.packages.get(&a) {
            return same.binary_search(&b).is_ok();
        }
        let Some(facts) = self.file(a) else { return false };
        let Some(family) = Family::of(facts.language) else { return false };
        let package = facts.package.as_deref();
        let importer = Importer { file: a, family, package, inside: &[] };
        let same = self.resolver().same_package(&importer);
        let is_same = same.binary_search(&b).is_ok();
        self.cache.packages.insert(a, Arc::new(same));
        is_same
    }

    fn sites(&self, name: &str) -> Vec<Site> {
        self.uses(name).unwrap_or_else(|error| {
            self.note_damage(&error);
            Vec::new()
        })
    }

    fn uses_in(&self, file: FileId, name: &str) -> Vec<Reference> {
        self.uses_in_file(file, name).unwrap_or_else(|error| {
            self.note_damage(&error);
            Vec::new()
        })
    }

    fn calls(&self, file: FileId) -> Arc<Vec<(String, Reference)>> {
        // The linker looks up the definitions of a file one after the other.
        if let Some(cached) = self.cache.calls.get(&file) {
            return cached;
        }
        let calls = self.calls_in(file).unwrap_or_else(|error| {
            self.note_damage(&error);
            Vec::new()
        });
        let calls = Arc::new(calls);
        self.cache.calls.insert(file, Arc::clone(&calls));
        calls
    }

    fn cached_outcome(&self, at: UseAt) -> Option<Arc<Outcome>> {
        self.cache.outcomes.get(&at)
    }

    fn cache_outcome(&self, at: UseAt, outcome: &Arc<Outcome>) {
        self.cache.outcomes.insert(at, Arc::clone(outcome));
    }
}
