//! The tests of a tree, read on demand, and the tests for which a fixture runs.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use rustc_hash::FxHashMap;

pub use super::candidate::TestAt;
use super::collected::{Collected, Configured};
use super::detect::{Applies, FileTests, Test, document_tests, file_tests};
use super::effort::Effort;
use super::kept::{FileRead, Kept};
use super::links::Links;
use super::tree::{Tree, configured};
use crate::base::ids::FileId;
use crate::graph::link::{Linker, SymbolAt};
use crate::history::History;

/// The maximum number of tests for which one fixture is taken to run.
const TESTS_MAX: usize = 600;

/// The maximum number of types that inherit the fixtures of one type.
const DERIVED_MAX: usize = 128;

/// Where a test contains a word.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) enum Part {
    /// In its name or those of its groups.
    Title,
    /// In its text.
    Body,
}

/// Which tests of a file contain a word, by word.
type Containing = FxHashMap<Box<str>, Rc<[bool]>>;

/// Reads the tests of files, and keeps them with the state of the tree. One thread only.
pub struct Tests<'t> {
    tree: &'t dyn Tree,
    linker: Linker<'t>,
    effort: Effort,
    kept: Arc<Kept>,
    /// What this thread has used of the kept files.
    files: RefCell<FxHashMap<FileId, Arc<FileRead>>>,
    containing: RefCell<FxHashMap<(FileId, Part), Containing>>,
    mentions: RefCell<FxHashMap<Box<str>, Rc<BTreeSet<TestAt>>>>,
    importers: RefCell<FxHashMap<FileId, Rc<Vec<FileId>>>>,
    history: Option<Arc<History>>,
    /// Searches end at this time.
    until: Option<Instant>,
}

impl<'t> Tests<'t> {
    /// Returns the tests of `tree`. O(1).
    pub fn new(tree: &'t dyn Tree) -> Tests<'t> {
        let (linker, effort) = (Linker::new(tree.code()), Effort::FULL);
        Tests {
            tree,
            linker,
            effort,
            kept: tree.kept(),
            files: RefCell::default(),
            containing: RefCell::default(),
            mentions: RefCell::default(),
            importers: RefCell::default(),
            history: None,
            until: None,
        }
    }

    /// Returns the same, for searches with the bounds of [`Effort::BRIEF`]. O(1).
    pub fn brief(tree: &'t dyn Tree) -> Tests<'t> {
        Tests { effort: Effort::BRIEF, ..Tests::new(tree) }
    }

    /// Returns the same with a history, from which files that change together are known. O(1).
    #[must_use]
    pub fn with_history(self, history: Option<Arc<History>>) -> Tests<'t> {
        Tests { history, ..self }
    }

    /// Returns the same for searches that end at a time, with what they found until then. O(1).
    #[must_use]
    pub fn with_until(self, until: Option<Instant>) -> Tests<'t> {
        Tests { until, ..self }
    }

    /// Returns true if searches must end.
    pub(super) fn is_due(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Returns what is kept for the state of the tree.
    pub(super) fn kept(&self) -> &Kept {
        &self.kept
    }

    /// Returns true if there is a history, if what depends on it may be kept.
    pub(super) fn history_key(&self) -> Option<bool> {
        match &self.history {
            None => Some(false),
            Some(history) => self.kept.is_of(history).then_some(true),
        }
    }

    /// Returns the test files that are linked with a file. O(import graph around it + its commits)
    /// the first time.
    pub(super) fn links(&self, file: FileId) -> Arc<Links> {
        let key = self.history_key().map(|has_history| (file, has_history));
        if let Some(found) = key.and_then(|key| self.kept.links.get(&key)) {
            return found;
        }
        let found = Arc::new(Links::new(self.tree, self.history.as_deref(), file));
        if let Some(key) = key {
            self.kept.links.insert(key, Arc::clone(&found));
        }
        found
    }

    /// Returns the cached tests that contain a name, or those that `find` returns.
    pub(super) fn mentioning(
        &self,
        name: &str,
        find: impl FnOnce() -> BTreeSet<TestAt>,
    ) -> Rc<BTreeSet<TestAt>> {
        if let Some(found) = self.mentions.borrow().get(name) {
            return Rc::clone(found);
        }
        let found = Rc::new(find());
        self.mentions.borrow_mut().insert(name.into(), Rc::clone(&found));
        found
    }

    /// Returns the cached test files that import a file, or those that `find` returns.
    pub(super) fn importing(
        &self,
        file: FileId,
        find: impl FnOnce() -> Vec<FileId>,
    ) -> Rc<Vec<FileId>> {
        if let Some(found) = self.importers.borrow().get(&file) {
            return Rc::clone(found);
        }
        let found = Rc::new(find());
        self.importers.borrow_mut().insert(file, Rc::clone(&found));
        found
    }

    /// Returns the bounds of searches.
    pub fn effort(&self) -> &Effort {
        &self.effort
    }

    /// Returns the tree.
    pub fn tree(&self) -> &'t dyn Tree {
        self.tree
    }

    /// Returns the linker over the tree's code.
    pub(super) fn linker(&self) -> &Linker<'t> {
        &self.linker
    }

    /// Returns the tests and fixtures of a file. O(its text) the first time.
    pub fn of(&self, file: FileId) -> Arc<FileRead> {
        if let Some(found) = self.files.borrow().get(&file) {
            return Arc::clone(found);
        }
        let path = self.tree.path(file);
        let collected = self.configured().of(&path);
        // What is kept may be of another configuration.
        let kept = self.kept.files.get(&file).filter(|kept| kept.collected == *collected);
        let found = kept.unwrap_or_else(|| {
            let found = self.read(file, &path, collected).unwrap_or_default();
            let found = Arc::new(FileRead::new(found, Arc::clone(collected)));
            self.kept.files_read.fetch_add(1, Ordering::Relaxed);
            self.kept.files.insert(file, Arc::clone(&found));
            found
        });
        self.files.borrow_mut().insert(file, Arc::clone(&found));
        found
    }

    fn read(&self, file: FileId, path: &str, collected: &Collected) -> Option<FileTests> {
        if collected.has_document(path) {
            return Some(document_tests(path, &self.tree.text(file)?));
        }
        let facts = self.tree.file(file)?;
        let language = facts.language.name;
        let may_have_tests = self.tree.is_test(file)
            || has_inline_tests(language)
            || language == "python" && collected.has_examples;
        let text = may_have_tests.then(|| self.tree.text(file)).flatten()?;
        Some(file_tests(&facts, &text, collected))
    }

    /// Returns what pytest collects in the tree. O(files) the first time.
    pub fn configured(&self) -> &Configured {
        configured(self.tree, &self.kept)
    }

    /// Returns the text of a file in lower case. O(text) the first time.
    pub fn lower_text(&self, file: FileId) -> Arc<Vec<u8>> {
        self.kept.lower.get(&file).unwrap_or_else(|| {
            let text = self.tree.text(file).unwrap_or_default();
            let found = Arc::new(text.to_ascii_lowercase());
            self.kept.lower.insert(file, Arc::clone(&found));
            found
        })
    }

    /// Returns which tests of a file contain a word, in lower case. O(text of the part) the first
    /// time.
    pub(super) fn containing(&self, file: FileId, part: Part, word: &str) -> Rc<[bool]> {
        let key = (file, part);
        if let Some(found) = self.containing.borrow().get(&key).and_then(|of| of.get(word)) {
            return Rc::clone(found);
        }
        let finder = memchr::memmem::Finder::new(word.as_bytes());
        let found: Rc<[bool]> = match part {
            Part::Title => {
                let read = self.of(file);
                read.titles.iter().map(|title| finder.find(title.as_bytes()).is_some()).collect()
            }
            Part::Body => {
                let text = self.lower_text(file);
                // Occurrences that overlap count as well: a test may begin within one.
                let mut places: Vec<usize> = Vec::new();
                let mut from = 0;
                while let Some(at) = text.get(from..).and_then(|rest| finder.find(rest)) {
                    places.push(from + at);
                    from += at + 1;
                }
                let contains = |test: &Test| {
                    let next = places.partition_point(|&at| at < test.span.start);
                    places.get(next).is_some_and(|at| at + word.len() <= test.span.end)
                };
                self.of(file).tests.iter().map(contains).collect()
            }
        };
        let mut all = self.containing.borrow_mut();
        all.entry(key).or_default().insert(word.into(), Rc::clone(&found));
        found
    }

    /// Returns a test, if it exists.
    pub fn get(&self, at: TestAt) -> Option<Test> {
        self.of(at.file).tests.get(at.place as usize).cloned()
    }

    /// Returns every test of the tree, in path order. O(texts of test files).
    pub fn all(&self) -> Vec<TestAt> {
        let files = (0..self.tree.files()).map(FileId::new);
        files.flat_map(|file| self.in_file(file)).collect()
    }

    /// Returns the tests of a file, in the order of the text.
    pub fn in_file(&self, file: FileId) -> Vec<TestAt> {
        let count = self.of(file).tests.len();
        (0..count).map(|place| TestAt { file, place: place as u32 }).collect()
    }

    /// Returns true if a definition belongs to the tests: a test, a fixture, or a helper of them by its
    /// file or by what is around it. O(text of the file) the first time.
    pub fn is_of_tests(&self, at: SymbolAt) -> bool {
        if self.tree.is_test(at.file) {
            return true;
        }
        let Some(facts) = self.tree.file(at.file) else { return false };
        let Some(symbol) = facts.symbols.get(at.place as usize) else { return false };
        let (own, at) = (self.of(at.file), symbol.name_span.start);
        own.test_at(at).is_some()
            || own.fixture_at(at).is_some()
            || own.test_only.iter().any(|span| span.contains(&at))
    }

    /// Returns the tests for which a fixture runs, in path order, at most 600; empty if there are
    /// more: such a fixture distinguishes none of them. O(texts of the files that may request it).
    pub fn with_fixture(&self, file: FileId, place: usize) -> Vec<TestAt> {
        let (found, is_cut) = self.requesting(file, place);
        if is_cut { Vec::new() } else { found }
    }

    /// Returns the tests for which a fixture runs, also over fixtures that request it, in path order,
    /// and true if there are more than the 600 that are returned. Cost as [`Tests::with_fixture`].
    pub fn requesting(&self, file: FileId, place: usize) -> (Vec<TestAt>, bool) {
        // A brief search reads fewer files.
        let is_full = self.effort == Effort::FULL;
        let kept = self.kept.requesting.get(&(file, place)).filter(|_| is_full);
        if let Some(kept) = kept {
            return (*kept).clone();
        }
        let found = self.searched_requesting(file, place);
        if is_full {
            self.kept.requesting.insert((file, place), Arc::new(found.clone()));
        }
        found
    }

    fn searched_requesting(&self, file: FileId, place: usize) -> (Vec<TestAt>, bool) {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::from([(file, place)]);
        let mut open = vec![(file, place)];
        while let Some((file, place)) = open.pop() {
            let tests = self.of(file);
            let Some(fixture) = tests.fixtures.get(place) else { continue };
            match &fixture.applies {
                Applies::Within(span) => {
                    let inside = |at: &TestAt| {
                        let of = &tests.tests[at.place as usize].span;
                        span.start <= of.start && of.end <= span.end
                    };
                    found.extend(self.in_file(file).into_iter().filter(inside));
                }
                Applies::ToType(name) => found.extend(self.of_type(file, name)),
                Applies::ToAll => {
                    for file in self.scope(file, None) {
                        found.extend(self.in_file(file));
                    }
                }
                Applies::ByName => {
                    for other in self.scope(file, Some(&fixture.name)) {
                        let inside = self.of(other);
                        for (at, test) in inside.tests.iter().enumerate() {
                            if test.requests.contains(&fixture.name) {
                                found.insert(TestAt { file: other, place: at as u32 });
                            }
                        }
                        for (at, of) in inside.fixtures.iter().enumerate() {
                            let requests = of.requests.contains(&fixture.name);
                            if requests && seen.insert((other, at)) {
                                open.push((other, at));
                            }
                        }
                    }
                }
            }
            if found.len() > TESTS_MAX {
                break;
            }
        }
        let is_cut = found.len() > TESTS_MAX;
        (found.into_iter().take(TESTS_MAX).collect(), is_cut)
    }

    /// Returns the tests of a type and of the types that inherit from it.
    fn of_type(&self, file: FileId, name: &str) -> Vec<TestAt> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![(file, name.to_owned())];
        while let Some((file, name)) = open.pop() {
            if seen.len() >= DERIVED_MAX || !seen.insert((file, name.clone())) {
                continue;
            }
            let tests = self.of(file);
            let is_member = |at: &TestAt| {
                tests.tests[at.place as usize].groups.last().is_some_and(|last| *last == name)
            };
            found.extend(self.in_file(file).into_iter().filter(is_member));
            for derived in self.tree.derived(&name).iter() {
                let Some(facts) = self.tree.file(derived.file) else { continue };
                if let Some(symbol) = facts.symbols.get(derived.place as usize) {
                    open.push((derived.file, symbol.name.clone()));
                }
            }
        }
        found
    }

    /// Returns the files whose tests may use a fixture of `file`.
    fn scope(&self, file: FileId, name: Option<&str>) -> Vec<FileId> {
        let path = self.tree.path(file);
        let (folder, base) = path.rsplit_once('/').unwrap_or(("", &path));
        if path.ends_with(".rb")
            && let Some(name) = name
        {
            // Shared examples are included by their names.
            let words = name.split(|c: char| !c.is_alphanumeric() && c != '_');
            let longest = words.max_by_key(|word| word.len()).filter(|word| word.len() > 1);
            let files = longest.map(|word| self.tree.with_word(word)).unwrap_or_default();
            let files = files.into_iter().filter(|&of| self.tree.is_test(of));
            return files.take(self.effort.fixture_files).collect();
        }
        let is_shared = base == "conftest.py"
            || path.ends_with(".py") && self.of(file).tests.is_empty() && name.is_some();
        let is_below = |other: &FileId| {
            let path = self.tree.path(*other);
            // A module of fixtures is a plugin of the whole tree.
            base != "conftest.py"
                || folder.is_empty()
                || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        if is_shared {
            // The index has whole identifiers; those of one letter are not in it.
            let files = match name.filter(|name| name.len() > 1) {
                Some(name) => self.tree.with_word(name),
                None => (0..self.tree.files()).map(FileId::new).collect(),
            };
            let files = files.into_iter().filter(|&of| self.tree.is_test(of)).filter(is_below);
            return files.take(self.effort.fixture_files).collect();
        }
        if path.ends_with("_test.go") && name.is_none() {
            let mut files = self.tree.in_folder(folder);
            files.retain(|&other| self.tree.path(other).ends_with("_test.go"));
            return files;
        }
        vec![file]
    }
}

/// Returns true for languages whose tests may be in any file.
fn has_inline_tests(language: &str) -> bool {
    matches!(language, "rust" | "csharp" | "java" | "kotlin" | "swift" | "php")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Part, Tests};
    use crate::graph::program::Program;

    proptest! {
        /// Brute force: the word is searched in each test.
        #[test]
        fn tests_that_contain_a_word_are_found(
            bodies in prop::collection::vec(("[ab]{1,3}", "[aAb]{0,8}"), 0..6),
            word in "[ab]{1,4}",
        ) {
            let tests = bodies.iter().zip(0..);
            let text: String = tests
                .map(|((name, body), at)| {
                    format!("class Test{name}:\n    def test_{at}(self): '{body}'\n")
                })
                .collect();
            let files = vec![("test_cart.py".to_owned(), text.clone().into_bytes())];
            let program = Program::new(files);
            let file = program.id("test_cart.py").expect("the file");
            let tests = Tests::new(&program);
            let of = tests.of(file);
            prop_assert_eq!(of.tests.len(), bodies.len());
            let titles = &of.titles;
            for _ in 0..2 {
                let in_titles = tests.containing(file, Part::Title, &word);
                let in_bodies = tests.containing(file, Part::Body, &word);
                for (place, test) in of.tests.iter().enumerate() {
                    let body = text[test.span.clone()].to_lowercase();
                    prop_assert_eq!(in_bodies[place], body.contains(&word), "body of {}", test.id);
                    prop_assert_eq!(in_titles[place], titles[place].contains(&word));
                }
            }
            let groups = &of.groups;
            for (a, first) in of.tests.iter().enumerate() {
                for (b, second) in of.tests.iter().enumerate() {
                    prop_assert_eq!(groups[a] == groups[b], first.groups == second.groups);
                }
            }
        }
    }
}
