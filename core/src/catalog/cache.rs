//! Caches data that a catalog has derived, and decides which of it is still valid after an edit.

use std::sync::atomic::AtomicU8;
use std::sync::{Arc, OnceLock};

use super::derived::Derivations;
use super::file_names::FileNames;
use super::imports::{FileImports, ImportGraph};
use super::names::Names;
use super::searches::SearchCache;
use super::test_names::TestNames;
use crate::base::bounded::BoundedCache;
use crate::base::ids::FileId;
use crate::graph::imports::{Resolution, Resolver};
use crate::graph::link::{FileFacts, Outcome, SymbolAt, UseAt};
use crate::lang::facts::Reference;
use crate::lang::{Problem, Symbol};

/// Maximum number of bytes of facts that are cached.
const FACTS_BYTES_MAX: usize = 56 << 20;

/// Maximum number of symbols that are cached individually.
const SYMBOLS_MAX: usize = 1 << 14;

/// Maximum number of bytes of facts of unindexed files that are cached.
const MADE_BYTES_MAX: usize = 8 << 20;

/// Maximum number of bytes of calls, by file, that are cached.
const CALLS_BYTES_MAX: usize = 8 << 20;

/// The approximate memory of one of them.
const CALL_BYTES: usize = size_of::<(String, Reference)>() + 64;

/// Maximum number of imports whose resolution is cached.
const TARGETS_MAX: usize = 1 << 16;

/// Maximum number of files whose resolved imports are cached.
const FILE_IMPORTS_MAX: usize = 4096;

/// Maximum number of uses of names whose resolution is cached: about 20 MB.
const OUTCOMES_MAX: usize = 1 << 17;

/// Maximum number of files whose package members are cached.
const PACKAGES_MAX: usize = 4096;

/// Maximum number of bytes of definitions, by key, that are cached.
const DEFINED_BYTES_MAX: usize = 8 << 20;

/// The approximate memory of a key without its definitions.
const DEFINED_KEY_BYTES: usize = 128;

/// Maximum number of definitions of one key that are cached.
const DEFINED_SYMBOLS_MAX: usize = 1 << 12;

/// The bit that is set for a file with cached marks. No mark uses it.
pub(super) const MARKED: u8 = 1 << 7;

/// The bit that is set for a file that is not indexed and therefore has no marks.
pub(super) const UNMARKED: u8 = 1 << 6;

/// What an edit left as it was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Same {
    /// What the imports of all files resolve to, but those of the changed files.
    pub(super) resolution: bool,
    /// The same of the uses of names.
    pub(super) links: bool,
}

/// The data that a catalog has derived.
pub(super) struct CatalogCache {
    pub(super) resolver: Arc<OnceLock<Resolver>>,
    pub(super) names: OnceLock<Names>,
    pub(super) file_names: Arc<OnceLock<FileNames>>,
    pub(super) test_names: Arc<OnceLock<TestNames>>,
    /// Resolved imports, by file and index.
    pub(super) targets: BoundedCache<(FileId, usize), Resolution>,
    /// Resolved uses of names.
    pub(super) outcomes: BoundedCache<UseAt, Arc<Outcome>>,
    /// The files of the same package, by file.
    pub(super) packages: BoundedCache<FileId, Arc<Vec<FileId>>>,
    /// The resolved imports of files.
    pub(super) file_imports: BoundedCache<FileId, Arc<FileImports>>,
    pub(super) imports: OnceLock<Arc<ImportGraph>>,
    /// The graph of an earlier catalog, and the files whose imports changed since.
    pub(super) imports_before: Option<(Arc<ImportGraph>, Vec<FileId>)>,
    pub(super) ranks: OnceLock<Vec<f32>>,
    pub(super) facts: BoundedCache<FileId, Arc<FileFacts>>,
    /// Symbols that were looked up individually.
    pub(super) symbols: BoundedCache<SymbolAt, Arc<Symbol>>,
    /// Facts extracted for one reply from files that no segment covers; other replies do not depend
    /// on them.
    pub(super) made: BoundedCache<FileId, Arc<FileFacts>>,
    /// The calls of files whose callees were looked up.
    pub(super) calls: BoundedCache<FileId, Arc<Vec<(String, Reference)>>>,
    defined: BoundedCache<Vec<u8>, Arc<[SymbolAt]>>,
    /// The marks of each file: [`MARKED`] and the bits of its marks, or [`UNMARKED`]; 0 before the
    /// first look-up.
    pub(super) marks: OnceLock<Box<[AtomicU8]>>,
    pub(super) searches: SearchCache,
    /// Numbers of unread texts, see [`Catalog::unread`](super::Catalog::unread).
    pub(super) unread: [OnceLock<usize>; 2],
    /// Files whose definitions are incomplete, and why.
    pub(super) unparsed: OnceLock<Vec<(FileId, Problem)>>,
    /// What analyses of higher layers derived.
    pub(super) derivations: Derivations,
}

impl Default for CatalogCache {
    fn default() -> CatalogCache {
        CatalogCache {
            resolver: Arc::default(),
            names: OnceLock::new(),
            file_names: Arc::default(),
            test_names: Arc::default(),
            targets: BoundedCache::new(TARGETS_MAX),
            file_imports: BoundedCache::new(FILE_IMPORTS_MAX),
            outcomes: BoundedCache::new(OUTCOMES_MAX),
            packages: BoundedCache::new(PACKAGES_MAX),
            imports: OnceLock::new(),
            imports_before: None,
            ranks: OnceLock::new(),
            facts: BoundedCache::weighted(FACTS_BYTES_MAX, |facts| facts.memory_bytes()),
            symbols: BoundedCache::new(SYMBOLS_MAX),
            made: BoundedCache::weighted(MADE_BYTES_MAX, |facts| facts.memory_bytes()),
            calls: BoundedCache::weighted(CALLS_BYTES_MAX, |calls| calls.len() * CALL_BYTES + 64),
            defined: BoundedCache::weighted(DEFINED_BYTES_MAX, |found| {
                DEFINED_KEY_BYTES + size_of_val(&**found)
            }),
            marks: OnceLock::new(),
            searches: SearchCache::default(),
            unread: Default::default(),
            unparsed: OnceLock::new(),
            derivations: Derivations::default(),
        }
    }
}

impl CatalogCache {
    /// Returns the data that is still valid after the files `changed` changed and no file was added
    /// or removed; data that depends on resolved imports or on links only if these are the `same`.
    /// O(cached entries).
    pub(super) fn without(&self, changed: &[FileId], same: Same) -> CatalogCache {
        let is_same = |file: &FileId| changed.binary_search(file).is_err();
        let facts = self.facts.only(is_same);
        let symbols = self.symbols.only(|at| is_same(&at.file));
        let file_names = Arc::clone(&self.file_names);
        let test_names = Arc::clone(&self.test_names);
        let calls = self.calls.only(is_same);
        let mut memory = CatalogCache {
            facts,
            symbols,
            file_names,
            test_names,
            calls,
            derivations: self.derivations.without(changed),
            ..CatalogCache::default()
        };
        if same.links {
            memory.outcomes = self.outcomes.only(|at| is_same(&at.file));
        }
        if same.resolution {
            memory.resolver = Arc::clone(&self.resolver);
            memory.targets = self.targets.only(|(file, _)| is_same(file));
            memory.file_imports = self.file_imports.only(is_same);
            memory.packages = self.packages.only(is_same);
            let imports = self.imports.get().map(|graph| (Arc::clone(graph), changed.to_vec()));
            // If no graph was built since the previous edit, the changed files of both edits are
            // combined.
            memory.imports_before = imports.or_else(|| {
                let (graph, earlier) = self.imports_before.as_ref()?;
                let mut files = [earlier.as_slice(), changed].concat();
                files.sort_unstable();
                files.dedup();
                Some((Arc::clone(graph), files))
            });
        }
        memory
    }

    /// Returns the cached definitions of a key.
    pub(super) fn defined(&self, key: &[u8]) -> Option<Arc<[SymbolAt]>> {
        self.defined.get(key)
    }

    /// Caches the definitions of a key.
    pub(super) fn keep_defined(&self, key: &[u8], found: &Arc<[SymbolAt]>) {
        if found.len() <= DEFINED_SYMBOLS_MAX {
            self.defined.insert(key.to_vec(), Arc::clone(found));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::facts::Role;

    #[test]
    fn an_edit_invalidates_dependent_entries() {
        let memory = CatalogCache::default();
        let files = [FileId(1), FileId(2), FileId(3)];
        for file in files {
            memory.packages.insert(file, Arc::default());
            memory.targets.insert((file, 0), Resolution::Unknown);
            memory.file_imports.insert(file, Arc::default());
        }
        memory.keep_defined(b"name", &Arc::from([SymbolAt { file: FileId(1), place: 0 }]));
        memory.imports.get_or_init(Arc::default);
        let at = |file| UseAt { file: FileId(file), start: 0, end: 1, role: Role::Call };
        memory.outcomes.insert(at(1), Arc::default());
        memory.outcomes.insert(at(2), Arc::default());
        let same = Same { resolution: true, links: true };
        let linked = memory.without(&[FileId(2)], same).outcomes;
        assert!(linked.get(&at(1)).is_some() && linked.get(&at(2)).is_none());
        let same = Same { links: false, ..same };
        assert!(memory.without(&[FileId(2)], same).outcomes.get(&at(1)).is_none());
        let after = memory.without(&[FileId(2)], same);
        assert!(
            after.packages.get(&FileId(1)).is_some() && after.packages.get(&FileId(2)).is_none()
        );
        assert!(after.targets.get(&(FileId(3), 0)).is_some());
        assert!(after.targets.get(&(FileId(2), 0)).is_none());
        assert!(after.file_imports.get(&FileId(3)).is_some());
        assert!(after.file_imports.get(&FileId(2)).is_none());
        assert!(memory.defined(b"name").is_some() && after.defined(b"name").is_none());
        let twice = after.without(&[FileId(1)], same);
        assert_eq!(twice.imports_before.expect("the first one's").1, [FileId(1), FileId(2)]);
        let afresh = after.without(&[FileId(1)], Same { resolution: false, ..same });
        assert!(afresh.file_imports.get(&FileId(3)).is_none());
        assert!(afresh.packages.get(&FileId(3)).is_none() && afresh.imports_before.is_none());
    }
}
