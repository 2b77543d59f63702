//! What a catalog has worked out, so that it need not again, and what of it holds after an edit.

use std::hash::Hash;
use std::sync::atomic::AtomicU8;
use std::sync::{Arc, OnceLock, RwLock};

use rustc_hash::FxHashMap;

use super::file_names::FileNames;
use super::imports::ImportGraph;
use super::names::Names;
use super::searches::Searches;
use super::test_names::TestNames;
use crate::base::ids::FileId;
use crate::graph::imports::{Resolution, Resolver};
use crate::graph::link::{FileFacts, SymbolAt};
use crate::lang::Symbol;
use crate::lang::facts::Reference;

/// Facts of files that are kept.
const FACTS_MAX: usize = 4096;

/// Symbols that are kept without the others of their files.
const SYMBOLS_MAX: usize = 1 << 14;

/// Files whose facts were made for one reply.
const MADE_MAX: usize = 256;

/// Files whose calls are kept.
const CALLS_MAX: usize = 256;

/// Imports of which it is remembered where they lead.
const TARGETS_MAX: usize = 1 << 16;

/// Files of which it is remembered who is of the same package.
const PACKAGES_MAX: usize = 4096;

/// Keys of which it is remembered what they define.
const DEFINED_MAX: usize = 1 << 14;

/// Definitions of one key that are remembered.
const DEFINED_SYMBOLS_MAX: usize = 1 << 12;

/// The bit of files whose marks are kept, which no mark has;
pub(super) const MARKED: u8 = 1 << 7;

/// that of files of which is kept that they are not known.
pub(super) const UNMARKED: u8 = 1 << 6;

/// Answers that are kept, up to a number of them; then it starts again.
pub(super) struct Kept<K, V> {
    answers: RwLock<FxHashMap<K, V>>,
    max: usize,
}

impl<K: Clone + Eq + Hash, V: Clone> Kept<K, V> {
    fn new(max: usize) -> Kept<K, V> {
        Kept { answers: RwLock::default(), max }
    }

    /// Returns the answer for a key, if it is kept.
    pub(super) fn get<Q>(&self, key: &Q) -> Option<V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.answers.read().ok()?.get(key).cloned()
    }

    /// Keeps an answer.
    pub(super) fn insert(&self, key: K, answer: V) {
        let Ok(mut answers) = self.answers.write() else { return };
        if answers.len() >= self.max {
            answers.clear();
        }
        answers.insert(key, answer);
    }

    /// Returns the answers of keys that `holds`.
    fn only(&self, holds: impl Fn(&K) -> bool) -> Kept<K, V> {
        let kept = Kept::new(self.max);
        if let (Ok(from), Ok(mut to)) = (self.answers.read(), kept.answers.write()) {
            let answers = from.iter().filter(|(key, _)| holds(key));
            to.extend(answers.map(|(key, answer)| (key.clone(), answer.clone())));
        }
        kept
    }
}

/// What a catalog has worked out.
pub(super) struct Memory {
    pub(super) resolver: Arc<OnceLock<Resolver>>,
    pub(super) names: OnceLock<Names>,
    pub(super) file_names: Arc<OnceLock<FileNames>>,
    pub(super) test_names: Arc<OnceLock<TestNames>>,
    /// Where imports lead, by file and place, as the linker asked.
    pub(super) targets: Kept<(FileId, usize), Resolution>,
    /// The files of the same package, by file.
    pub(super) packages: Kept<FileId, Arc<Vec<FileId>>>,
    pub(super) imports: OnceLock<Arc<ImportGraph>>,
    /// The graph of an earlier catalog, and the files whose imports are others since.
    pub(super) imports_before: Option<(Arc<ImportGraph>, Vec<FileId>)>,
    pub(super) ranks: OnceLock<Vec<f32>>,
    pub(super) facts: Kept<FileId, Arc<FileFacts>>,
    /// Symbols that were asked for by themselves.
    pub(super) symbols: Kept<SymbolAt, Arc<Symbol>>,
    /// Facts that were made of the texts of files that no segment speaks of, for one reply; what others
    /// are told does not depend on them.
    pub(super) made: Kept<FileId, Arc<FileFacts>>,
    /// The calls in files whose callees were asked for.
    pub(super) calls: Kept<FileId, Arc<Vec<(String, Reference)>>>,
    defined: Kept<Vec<u8>, Arc<[SymbolAt]>>,
    /// What each file is told to be: [`MARKED`] and the bits of its marks, or [`UNMARKED`], once somebody
    /// asked.
    pub(super) marks: OnceLock<Box<[AtomicU8]>>,
    pub(super) searches: Searches,
    /// How many texts are not read, for what each of the places stands for.
    pub(super) unread: [OnceLock<usize>; 2],
}

impl Default for Memory {
    fn default() -> Memory {
        Memory {
            resolver: Arc::default(),
            names: OnceLock::new(),
            file_names: Arc::default(),
            test_names: Arc::default(),
            targets: Kept::new(TARGETS_MAX),
            packages: Kept::new(PACKAGES_MAX),
            imports: OnceLock::new(),
            imports_before: None,
            ranks: OnceLock::new(),
            facts: Kept::new(FACTS_MAX),
            symbols: Kept::new(SYMBOLS_MAX),
            made: Kept::new(MADE_MAX),
            calls: Kept::new(CALLS_MAX),
            defined: Kept::new(DEFINED_MAX),
            marks: OnceLock::new(),
            searches: Searches::default(),
            unread: Default::default(),
        }
    }
}

impl Memory {
    /// Returns what still holds of this where `changed` files say something else than before and all
    /// files have kept their places; what depends on where imports lead only `if_resolved_alike`.
    /// O(what is kept).
    pub(super) fn without(&self, changed: &[FileId], if_resolved_alike: bool) -> Memory {
        let is_same = |file: &FileId| changed.binary_search(file).is_err();
        let facts = self.facts.only(is_same);
        let symbols = self.symbols.only(|at| is_same(&at.file));
        let file_names = Arc::clone(&self.file_names);
        let test_names = Arc::clone(&self.test_names);
        let calls = self.calls.only(is_same);
        let mut memory =
            Memory { facts, symbols, file_names, test_names, calls, ..Memory::default() };
        if if_resolved_alike {
            memory.resolver = Arc::clone(&self.resolver);
            memory.targets = self.targets.only(|(file, _)| is_same(file));
            memory.packages = self.packages.only(is_same);
            let imports = self.imports.get().map(|graph| (Arc::clone(graph), changed.to_vec()));
            // A graph that nobody asked for since the edit before lacks the files of both.
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

    /// Returns what a key defines, if that is kept.
    pub(super) fn defined(&self, key: &[u8]) -> Option<Arc<[SymbolAt]>> {
        self.defined.get(key)
    }

    /// Keeps what a key defines.
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
    fn what_an_edit_touches_is_forgotten() {
        let memory = Memory::default();
        let files = [FileId(1), FileId(2), FileId(3)];
        for file in files {
            memory.packages.insert(file, Arc::default());
            memory.targets.insert((file, 0), Resolution::Unknown);
        }
        memory.keep_defined(b"name", &Arc::from([SymbolAt { file: FileId(1), place: 0 }]));
        memory.imports.get_or_init(Arc::default);
        let after = memory.without(&[FileId(2)], true);
        assert!(
            after.packages.get(&FileId(1)).is_some() && after.packages.get(&FileId(2)).is_none()
        );
        assert!(after.targets.get(&(FileId(3), 0)).is_some());
        assert!(after.targets.get(&(FileId(2), 0)).is_none());
        assert!(memory.defined(b"name").is_some() && after.defined(b"name").is_none());
        let twice = after.without(&[FileId(1)], true);
        assert_eq!(twice.imports_before.expect("the first one's").1, [FileId(1), FileId(2)]);
        let afresh = after.without(&[FileId(1)], false);
        assert!(afresh.packages.get(&FileId(3)).is_none() && afresh.imports_before.is_none());
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let kept = Kept::new(3);
        (0..8).for_each(|at| kept.insert(at, at));
        assert_eq!((kept.get(&7), kept.get(&1)), (Some(7), None));
        assert!(kept.answers.read().expect("no panic").len() <= 3);
    }
}
