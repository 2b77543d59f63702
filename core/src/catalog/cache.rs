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

/// Maximum number of bytes of facts that are cached.
const FACTS_BYTES_MAX: usize = 24 << 20;

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

/// Maximum number of uses of names whose resolution is cached: about 6 MB.
const OUTCOMES_MAX: usize = 1 << 15;

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

/// A cache whose entries weigh at most `max` in all. New entries go into a young half; when that is
/// full, it becomes the old half, and the former old half is dropped. An entry that is found in the
/// old half moves to the young one, so entries that are in use stay.
pub(super) struct BoundedCache<K, V> {
    halves: RwLock<Halves<K, V>>,
    max: usize,
    weight: fn(&V) -> usize,
}

/// The entries of a cache with their weights, each measured once.
struct Halves<K, V> {
    young: FxHashMap<K, (V, usize)>,
    old: FxHashMap<K, (V, usize)>,
    /// The weight of the young half.
    weight: usize,
}

impl<K: Clone + Eq + Hash, V: Clone> BoundedCache<K, V> {
    /// Returns an empty cache for at most `max` entries.
    fn new(max: usize) -> BoundedCache<K, V> {
        BoundedCache::weighted(max, |_| 1)
    }

    /// Returns an empty cache for entries of at most `max` in all as `weight` measures them. One
    /// entry that is heavier than `max` is cached alone.
    fn weighted(max: usize, weight: fn(&V) -> usize) -> BoundedCache<K, V> {
        let halves = Halves { young: FxHashMap::default(), old: FxHashMap::default(), weight: 0 };
        BoundedCache { halves: RwLock::new(halves), max, weight }
    }

    /// Returns the cached value of a key.
    pub(super) fn get<Q>(&self, key: &Q) -> Option<V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        {
            let halves = self.halves.read().ok()?;
            if let Some((value, _)) = halves.young.get(key) {
                return Some(value.clone());
            }
            if !halves.old.contains_key(key) {
                return None;
            }
        }
        let mut halves = self.halves.write().ok()?;
        let Some((key, entry)) = halves.old.remove_entry(key) else {
            // Another thread has moved it, or both halves were dropped since.
            return halves.young.get(key).map(|(value, _)| value.clone());
        };
        let value = entry.0.clone();
        self.put(&mut halves, key, entry);
        Some(value)
    }

    /// Caches a value.
    pub(super) fn insert(&self, key: K, value: V) {
        let weight = (self.weight)(&value);
        if let Ok(mut halves) = self.halves.write() {
            self.put(&mut halves, key, (value, weight));
        }
    }

    fn put(&self, halves: &mut Halves<K, V>, key: K, entry: (V, usize)) {
        if halves.weight + entry.1 > self.max / 2 {
            halves.old = std::mem::take(&mut halves.young);
            halves.weight = 0;
        }
        halves.weight += entry.1;
        if let Some((_, replaced)) = halves.young.insert(key, entry) {
            halves.weight -= replaced;
        }
    }

    /// Returns a cache with the entries whose keys satisfy `holds`.
    fn only(&self, holds: impl Fn(&K) -> bool) -> BoundedCache<K, V> {
        let filtered = BoundedCache::weighted(self.max, self.weight);
        if let (Ok(from), Ok(mut to)) = (self.halves.read(), filtered.halves.write()) {
            let held = |half: &FxHashMap<K, (V, usize)>| -> FxHashMap<K, (V, usize)> {
                let entries = half.iter().filter(|(key, _)| holds(key));
                entries.map(|(key, entry)| (key.clone(), entry.clone())).collect()
            };
            (to.young, to.old) = (held(&from.young), held(&from.old));
            to.weight = to.young.values().map(|(_, weight)| weight).sum();
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
    fn a_cache_keeps_what_is_in_use_and_never_more_than_its_bound() {
        let cache = BoundedCache::new(8);
        for at in 0..100 {
            cache.insert(at, at);
            assert_eq!((cache.get(&0), cache.get(&at)), (Some(0), Some(at)), "after {at}");
            let halves = cache.halves.read().expect("no panic");
            assert!(halves.young.len() + halves.old.len() <= 8 && halves.weight <= 4);
            assert_eq!(halves.weight, halves.young.len());
        }
        assert_eq!(cache.get(&50), None);
        cache.insert(99, 1);
        assert_eq!(cache.get(&99), Some(1), "a new value replaces the old one");
        let odd = cache.only(|key| key % 2 == 1);
        assert_eq!((odd.get(&0), odd.get(&99)), (None, Some(1)));
    }

    #[test]
    fn a_weighted_cache_is_bounded_by_the_weight() {
        let cache: BoundedCache<usize, Vec<u8>> = BoundedCache::weighted(100, |value| value.len());
        for at in 0..20 {
            cache.insert(at, vec![0; 10]);
            let halves = cache.halves.read().expect("no panic");
            let held = halves
                .young
                .values()
                .chain(halves.old.values())
                .map(|(value, _)| value.len())
                .sum::<usize>();
            assert!(held <= 100, "{held}");
        }
        cache.insert(99, vec![0; 1000]);
        assert!(cache.get(&99).is_some(), "a heavy entry is cached alone");
        cache.insert(98, vec![0; 10]);
        cache.insert(97, vec![0; 50]);
        assert!(cache.get(&19).is_none() && cache.get(&97).is_some());
    }
}
