//! What the test graph keeps for one state of the tree, shared by calls and threads: the tests of
//! files, the callers of definitions, and the candidates of definitions.
//!
//! After an edit only what depends on the texts of single files stays.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use rustc_hash::FxHashMap;

use super::candidate::{Candidate, Links, TestAt};
use super::collected::{Collected, Configured};
use super::detect::{FileTests, Test};
use crate::base::bounded::BoundedCache;
use crate::base::ids::FileId;
use crate::catalog::derived::Derived;
use crate::catalog::test_names::folded;
use crate::graph::link::SymbolAt;
use crate::history::History;
use crate::lang::facts::Role;

/// The maximum memory of tests of files, in bytes.
const FILES_BYTES_MAX: usize = 24 << 20;

/// The same for texts in lower case.
const LOWER_BYTES_MAX: usize = 24 << 20;

/// The same for callers.
const CALLERS_BYTES_MAX: usize = 16 << 20;

/// The same for candidates.
const CANDIDATES_BYTES_MAX: usize = 24 << 20;

/// The maximum number of files whose links are kept.
const LINKS_MAX: usize = 64;

/// The maximum number of fixtures whose tests are kept, at most 600 each.
const FIXTURES_MAX: usize = 512;

/// The approximate memory of a test or a fixture.
const TEST_BYTES: usize = size_of::<Test>() + 256;

/// The memory of an entry besides its lists.
const ENTRY_BYTES: usize = 96;

/// The tests of a file.
#[derive(Debug, Default)]
pub struct FileRead {
    found: FileTests,
    /// The names of the tests with those of their groups, each in lower case and without separators,
    /// separated by spaces.
    pub titles: Vec<String>,
    /// The group of each test, as a number that only tests of the same groups have.
    pub groups: Vec<u32>,
    /// What pytest collects there.
    pub(super) collected: Arc<Collected>,
}

impl FileRead {
    /// Returns the tests of a file with what is derived from each of them alone. O(tests).
    pub(super) fn new(found: FileTests, collected: Arc<Collected>) -> FileRead {
        let title = |test: &Test| {
            let parts = test.groups.iter().chain(std::iter::once(&test.name));
            parts.map(|part| folded(part)).collect::<Vec<String>>().join(" ")
        };
        let titles = found.tests.iter().map(title).collect();
        let mut numbers: FxHashMap<&[String], u32> = FxHashMap::default();
        let mut groups = Vec::with_capacity(found.tests.len());
        for test in &found.tests {
            let next = numbers.len() as u32;
            groups.push(*numbers.entry(&test.groups).or_insert(next));
        }
        FileRead { titles, groups, collected, found }
    }

    fn memory_bytes(&self) -> usize {
        (self.tests.len() + self.fixtures.len()) * TEST_BYTES + ENTRY_BYTES
    }
}

impl Deref for FileRead {
    type Target = FileTests;

    fn deref(&self) -> &FileTests {
        &self.found
    }
}

/// A use of a definition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct UsedAt {
    pub(super) file: FileId,
    /// Its first byte.
    pub(super) start: usize,
    /// The enclosing symbol.
    pub(super) enclosing: Option<usize>,
    pub(super) role: Role,
    /// The confidence that it refers to the definition, from 0 to 1.
    pub(super) confidence: f32,
}

/// The uses of a definition.
#[derive(Debug, Default)]
pub(super) struct Callers {
    /// Those that are resolved, in tests first.
    pub(super) resolved: Vec<UsedAt>,
    /// Calls that may refer to it, most likely first.
    pub(super) possible: Vec<UsedAt>,
    /// There are more uses than are resolved.
    pub(super) is_cut: bool,
}

impl Callers {
    fn memory_bytes(&self) -> usize {
        (self.resolved.len() + self.possible.len()) * size_of::<UsedAt>() + ENTRY_BYTES
    }
}

/// The candidates of a definition, and true if a bound was reached.
pub(super) type Candidates = (Vec<Candidate>, bool);

/// The tests that request a fixture, and true if there are more.
pub(super) type Requesting = (Vec<TestAt>, bool);

/// How much was computed, for tests: what is kept is not computed again.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Work {
    /// The number of files whose tests were read.
    pub files: usize,
    /// The number of definitions whose callers were searched.
    pub callers: usize,
    /// The number of definitions whose candidates were determined.
    pub candidates: usize,
}

/// See the module.
#[derive(Debug)]
pub struct Kept {
    pub(super) files: BoundedCache<FileId, Arc<FileRead>>,
    pub(super) lower: BoundedCache<FileId, Arc<Vec<u8>>>,
    pub(super) callers: BoundedCache<SymbolAt, Arc<Callers>>,
    pub(super) requesting: BoundedCache<(FileId, usize), Arc<Requesting>>,
    /// By the definition, with or without a history.
    pub(super) candidates: BoundedCache<(SymbolAt, bool), Arc<Candidates>>,
    pub(super) links: BoundedCache<(FileId, bool), Arc<Links>>,
    pub(super) configured: OnceLock<Configured>,
    history: Mutex<Option<Arc<History>>>,
    pub(super) files_read: AtomicUsize,
    pub(super) callers_searched: AtomicUsize,
    pub(super) candidates_made: AtomicUsize,
    /// Whether the callers that earlier processes searched were loaded.
    pub(super) is_loaded: AtomicBool,
    /// How many of the searched callers the file has that keeps them.
    pub(super) callers_written: AtomicUsize,
}

impl Default for Kept {
    fn default() -> Kept {
        let of_tests = |tests: &Arc<FileRead>| tests.memory_bytes();
        let of_candidates = |of: &Arc<Candidates>| size_of_val(&*of.0) + ENTRY_BYTES;
        Kept {
            files: BoundedCache::weighted(FILES_BYTES_MAX, of_tests),
            lower: BoundedCache::weighted(LOWER_BYTES_MAX, |text| text.len() + ENTRY_BYTES),
            callers: BoundedCache::weighted(CALLERS_BYTES_MAX, |of| of.memory_bytes()),
            requesting: BoundedCache::new(FIXTURES_MAX),
            candidates: BoundedCache::weighted(CANDIDATES_BYTES_MAX, of_candidates),
            links: BoundedCache::new(LINKS_MAX),
            configured: OnceLock::new(),
            history: Mutex::default(),
            files_read: AtomicUsize::new(0),
            callers_searched: AtomicUsize::new(0),
            candidates_made: AtomicUsize::new(0),
            is_loaded: AtomicBool::new(false),
            callers_written: AtomicUsize::new(0),
        }
    }
}

impl Kept {
    /// Returns how much was computed for this state of the tree.
    pub fn work(&self) -> Work {
        let of = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        Work {
            files: of(&self.files_read),
            callers: of(&self.callers_searched),
            candidates: of(&self.candidates_made),
        }
    }

    /// Returns true if what is kept with a history is of this one. The first one stays until the state
    /// of the tree changes.
    pub(super) fn is_of(&self, history: &Arc<History>) -> bool {
        let Ok(mut kept) = self.history.lock() else { return false };
        Arc::ptr_eq(kept.get_or_insert_with(|| Arc::clone(history)), history)
    }
}

impl Derived for Kept {
    fn without(&self, changed: &[FileId]) -> Kept {
        let is_same = |file: &FileId| changed.binary_search(file).is_err();
        let (files, lower) = (self.files.only(is_same), self.lower.only(is_same));
        Kept { files, lower, ..Kept::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_keeps_the_tests_of_other_files_only() {
        let kept = Kept::default();
        for file in [FileId(1), FileId(2)] {
            kept.files.insert(file, Arc::default());
            kept.lower.insert(file, Arc::default());
            kept.callers.insert(SymbolAt { file, place: 0 }, Arc::default());
            kept.candidates.insert((SymbolAt { file, place: 0 }, false), Arc::default());
        }
        let after = kept.without(&[FileId(2)]);
        assert!(after.files.get(&FileId(1)).is_some() && after.files.get(&FileId(2)).is_none());
        assert!(after.lower.get(&FileId(1)).is_some() && after.lower.get(&FileId(2)).is_none());
        assert!(after.callers.get(&SymbolAt { file: FileId(1), place: 0 }).is_none());
        assert!(after.candidates.get(&(SymbolAt { file: FileId(1), place: 0 }, false)).is_none());
        assert_eq!(after.work(), Work::default());
    }
}
