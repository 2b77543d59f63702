//! Caches data that a catalog has derived, and decides which of it is still valid after an edit.

use std::hash::Hash;
use std::sync::atomic::AtomicU8;
use std::sync::{Arc, OnceLock, RwLock};

use rustc_hash::FxHashMap;

use super::file_names::FileNames;
use super::imports::{FileImports, ImportGraph};
use super::names::Names;
use super::searches::SearchCache;
use super::test_names::TestNames;
use crate::base::ids::FileId;
use crate::graph::imports::{Resolution, Resolver};
use crate::graph::link::{FileFacts, Outcome, SymbolAt, UseAt};
use crate::lang::facts::Reference;
use crate::lang::{Problem, Symbol};

/// Maximum number of files whose facts are cached.
const FACTS_MAX: usize = 4096;

/// Maximum number of symbols that are cached individually.
const SYMBOLS_MAX: usize = 1 << 14;

/// Maximum number of unindexed files whose facts are cached.
const MADE_MAX: usize = 256;

/// Maximum number of files whose calls are cached.
const CALLS_MAX: usize = 256;

/// Maximum number of imports whose resolution is cached.
const TARGETS_MAX: usize = 1 << 16;

/// Maximum number of files whose resolved imports are cached.
const FILE_IMPORTS_MAX: usize = 4096;

/// Maximum number of uses of names whose resolution is cached: about 6 MB.
const OUTCOMES_MAX: usize = 1 << 15;

/// Maximum number of files whose package members are cached.
const PACKAGES_MAX: usize = 4096;

/// Maximum number of keys whose definitions are cached.
const DEFINED_MAX: usize = 1 << 14;

/// Maximum number of definitions of one key that are cached.
const DEFINED_SYMBOLS_MAX: usize = 1 << 12;

/// The bit that is set for a file with cached marks. No mark uses it.
pub(super) const MARKED: u8 = 1 << 7;

/// The bit that is set for a file that is not indexed and therefore has no marks.
pub(super) const UNMARKED: u8 = 1 << 6;

/// A cache of at most `max` entries; it is cleared when full.
pub(super) struct BoundedCache<K, V> {
    entries: RwLock<FxHashMap<K, V>>,
    max: usize,
}

impl<K: Clone + Eq + Hash, V: Clone> BoundedCache<K, V> {
    fn new(max: usize) -> BoundedCache<K, V> {
        BoundedCache { entries: RwLock::default(), max }
    }

    /// Returns the cached value of a key.
    pub(super) fn get<Q>(&self, key: &Q) -> Option<V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.entries.read().ok()?.get(key).cloned()
    }

    /// Caches a value.
    pub(super) fn insert(&self, key: K, value: V) {
        let Ok(mut entries) = self.entries.write() else { return };
        if entries.len() >= self.max {
            entries.clear();
        }
        entries.insert(key, value);
    }

    /// Returns a cache with the entries whose keys satisfy `holds`.
    fn only(&self, holds: impl Fn(&K) -> bool) -> BoundedCache<K, V> {
        let filtered = BoundedCache::new(self.max);
        if let (Ok(from), Ok(mut to)) = (self.entries.read(), filtered.entries.write()) {
            let entries = from.iter().filter(|(key, _)| holds(key));
            to.extend(entries.map(|(key, value)| (key.clone(), value.clone())));
        }
        filtered
    }
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
            facts: BoundedCache::new(FACTS_MAX),
            symbols: BoundedCache::new(SYMBOLS_MAX),
            made: BoundedCache::new(MADE_MAX),
            calls: BoundedCache::new(CALLS_MAX),
            defined: BoundedCache::new(DEFINED_MAX),
            marks: OnceLock::new(),
            searches: SearchCache::default(),
            unread: Default::default(),
            unparsed: OnceLock::new(),
        }
    }
}

impl CatalogCache {
    /// Returns the data that is still valid after the files `changed` changed and no file was added
    /// or removed; data that depends on resolved imports only `if_same_resolution`. O(cached
    /// entries).
    pub(super) fn without(&self, changed: &[FileId], if_same_resolution: bool) -> CatalogCache {
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
            ..CatalogCache::default()
        };
        if if_same_resolution {
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
        let after = memory.without(&[FileId(2)], true);
        assert!(
            after.packages.get(&FileId(1)).is_some() && after.packages.get(&FileId(2)).is_none()
        );
        assert!(after.targets.get(&(FileId(3), 0)).is_some());
        assert!(after.targets.get(&(FileId(2), 0)).is_none());
        assert!(after.file_imports.get(&FileId(3)).is_some());
        assert!(after.file_imports.get(&FileId(2)).is_none());
        assert!(memory.defined(b"name").is_some() && after.defined(b"name").is_none());
        let twice = after.without(&[FileId(1)], true);
        assert_eq!(twice.imports_before.expect("the first one's").1, [FileId(1), FileId(2)]);
        let afresh = after.without(&[FileId(1)], false);
        assert!(afresh.file_imports.get(&FileId(3)).is_none());
        assert!(afresh.packages.get(&FileId(3)).is_none() && afresh.imports_before.is_none());
    }

    #[test]
    fn a_cache_is_bounded() {
        let cache = BoundedCache::new(3);
        (0..8).for_each(|at| cache.insert(at, at));
        assert_eq!((cache.get(&7), cache.get(&1)), (Some(7), None));
        assert!(cache.entries.read().expect("no panic").len() <= 3);
    }
}
