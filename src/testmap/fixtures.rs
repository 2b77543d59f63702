//! The tests of a tree, read on demand, and the tests for which a fixture runs.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::detect::{Applies, FileTests, Test, file_tests};
use super::effort::Effort;
use super::links::Links;
use super::tree::Tree;
use crate::base::ids::FileId;
use crate::catalog::test_names::folded;
use crate::history::History;

/// The maximum number of tests for which one fixture is taken to run; a fixture of more tests
/// distinguishes none of them.
const TESTS_MAX: usize = 600;

/// The maximum number of types that inherit the fixtures of one type.
const DERIVED_MAX: usize = 128;

/// A test of the tree: its file and its position in [`FileTests::tests`].
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct TestAt {
    /// The file that contains it.
    pub file: FileId,
    /// Its position among the tests of the file.
    pub place: u32,
}

/// Reads the tests of files and caches them for one call. One thread only.
pub struct Tests<'t> {
    tree: &'t dyn Tree,
    effort: Effort,
    files: RefCell<FxHashMap<FileId, Rc<FileTests>>>,
    lower: RefCell<FxHashMap<FileId, Rc<Vec<u8>>>>,
    titles: RefCell<FxHashMap<FileId, Rc<Vec<String>>>>,
    /// By the file of a definition.
    links: RefCell<FxHashMap<FileId, Rc<Links>>>,
    history: Option<Arc<History>>,
}

impl<'t> Tests<'t> {
    /// Returns the tests of `tree`, none of which is read yet. O(1).
    pub fn new(tree: &'t dyn Tree) -> Tests<'t> {
        let (files, lower, titles) = (RefCell::default(), RefCell::default(), RefCell::default());
        let (links, history) = (RefCell::default(), None);
        Tests { tree, effort: Effort::FULL, files, lower, titles, links, history }
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

    /// Returns the test files that are linked with a file. O(import graph around it + its commits)
    /// the first time.
    pub(super) fn links(&self, file: FileId) -> Rc<Links> {
        if let Some(found) = self.links.borrow().get(&file) {
            return Rc::clone(found);
        }
        let found = Rc::new(Links::new(self.tree, self.history.as_deref(), file));
        self.links.borrow_mut().insert(file, Rc::clone(&found));
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

    /// Returns the tests and fixtures of a file. O(its text) the first time.
    pub fn of(&self, file: FileId) -> Rc<FileTests> {
        if let Some(found) = self.files.borrow().get(&file) {
            return Rc::clone(found);
        }
        let found = self.tree.file(file).and_then(|facts| {
            let may_have_tests = self.tree.is_test(file) || has_inline_tests(facts.language.name);
            let text = may_have_tests.then(|| self.tree.text(file)).flatten()?;
            Some(file_tests(&facts, &text))
        });
        let found = Rc::new(found.unwrap_or_default());
        self.files.borrow_mut().insert(file, Rc::clone(&found));
        found
    }

    /// Returns the text of a file in lower case. O(text) the first time.
    pub fn lower_text(&self, file: FileId) -> Rc<Vec<u8>> {
        if let Some(found) = self.lower.borrow().get(&file) {
            return Rc::clone(found);
        }
        let text = self.tree.text(file).unwrap_or_default();
        let found = Rc::new(text.to_ascii_lowercase());
        self.lower.borrow_mut().insert(file, Rc::clone(&found));
        found
    }

    /// Returns the names of the tests of a file with those of their groups, each in lower case and
    /// without separators, separated by spaces. O(tests) the first time.
    pub fn titles(&self, file: FileId) -> Rc<Vec<String>> {
        if let Some(found) = self.titles.borrow().get(&file) {
            return Rc::clone(found);
        }
        let title = |test: &Test| {
            let parts = test.groups.iter().chain(std::iter::once(&test.name));
            parts.map(|part| folded(part)).collect::<Vec<String>>().join(" ")
        };
        let found: Rc<Vec<String>> = Rc::new(self.of(file).tests.iter().map(title).collect());
        self.titles.borrow_mut().insert(file, Rc::clone(&found));
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

    /// Returns the tests for which a fixture runs, in path order, at most 600; empty if there are
    /// more. O(texts of the files that may request it).
    pub fn with_fixture(&self, file: FileId, place: usize) -> Vec<TestAt> {
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
                return Vec::new();
            }
        }
        found.into_iter().collect()
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
            let longest = name.and_then(|name| name.split('_').max_by_key(|part| part.len()));
            let files = match longest {
                Some(word) => self.tree.with_word(&word.to_lowercase()),
                None => (0..self.tree.files()).map(FileId::new).collect(),
            };
            let files = files.into_iter().filter(|&of| self.tree.is_test(of)).filter(is_below);
            return files.take(self.effort.fixture_files).collect();
        }
        if path.ends_with("_test.go") && name.is_none() {
            let is_package = |other: &FileId| {
                let other = self.tree.path(*other);
                other.ends_with("_test.go")
                    && other.rsplit_once('/').map_or("", |(folder, _)| folder) == folder
            };
            // Files of a directory are next to each other.
            let files = (0..self.tree.files()).map(FileId::new);
            return files.filter(is_package).collect();
        }
        vec![file]
    }
}

/// Returns true for languages whose tests may be in any file.
fn has_inline_tests(language: &str) -> bool {
    matches!(language, "rust" | "csharp" | "java" | "kotlin" | "swift" | "php")
}
