//! Finds the tests and fixtures of one file, from its definitions and its text.
//!
//! Each family of test frameworks has a file. A test is what its runner can run on its own: a
//! function, a method, or a call such as `it("…", …)`; parameter sets are one test. Nothing is
//! executed, so tests that code generates are missing.

use std::ops::Range;

use serde::Serialize;

use super::collected::Collected;
use crate::graph::link::FileFacts;
use crate::lang::marks;
use crate::lang::symbols::Symbol;

mod annotated;
mod blocks;
mod elixir_ruby;
mod examples;
mod go;
mod head;
mod masked;
mod native;
mod python;
mod rust;
#[cfg(test)]
mod tests;

/// The maximum number of tests of one file; more are not listed.
pub const TESTS_MAX: usize = 20_000;

/// The maximum size of a file in which tests are searched, in bytes.
pub const BYTES_MAX: usize = 4 << 20;

/// The runner of a test, as far as the file shows it.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Runner {
    /// pytest, which also runs unittest's tests.
    Pytest,
    /// Jest, Vitest, mocha, node:test, Playwright; the manifest decides which.
    JavaScript,
    /// `go test`.
    Go,
    /// `cargo test`.
    Cargo,
    /// JUnit, TestNG and kotlin.test, by Maven or Gradle.
    Jvm,
    /// xUnit, NUnit and MSTest, by `dotnet test`.
    Dotnet,
    /// RSpec.
    Rspec,
    /// minitest and test-unit.
    Minitest,
    /// PHPUnit.
    Phpunit,
    /// XCTest and Swift Testing, by `swift test`.
    Swift,
    /// GoogleTest, Catch2, doctest and Boost.Test, by CTest.
    Ctest,
    /// ExUnit, by `mix test`.
    Mix,
}

/// A test.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Test {
    /// The id that its runner uses: `tests/test_a.py::TestB::test_c`, `TestA/sub`, `a::tests::b`,
    /// `com.example.CartTest#adds`, `describe > it`.
    pub id: String,
    /// Its own name, without those of its groups.
    pub name: String,
    /// The names of the classes, modules or `describe` blocks around it, outermost first.
    pub groups: Vec<String>,
    /// Its runner.
    pub runner: Runner,
    /// The bytes of its body, with its attributes.
    pub span: Range<usize>,
    /// Its first line, from 1.
    pub line: usize,
    /// Its position among the file's symbols, if it is one.
    pub place: Option<u32>,
    /// The names of fixtures that it requests.
    pub requests: Vec<String>,
    /// The names of its subtests, as written.
    pub subtests: Vec<String>,
}

/// The tests for which a fixture runs.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Applies {
    /// Tests and fixtures that request it by name: in this file, or below its directory for a
    /// `conftest.py`.
    ByName,
    /// The tests within these bytes of the file.
    Within(Range<usize>),
    /// The tests of the type with this name, and of types that inherit from it.
    ToType(String),
    /// All tests of the file; of the directory and those below it for a `conftest.py`, of the
    /// package for Go.
    ToAll,
}

/// Code that a runner executes before or after tests.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fixture {
    /// Its name.
    pub name: String,
    /// The bytes of its definition.
    pub span: Range<usize>,
    /// Its position among the file's symbols, if it is one.
    pub place: Option<u32>,
    /// The tests for which it runs.
    pub applies: Applies,
    /// The names of fixtures that it requests itself.
    pub requests: Vec<String>,
}

/// The tests and fixtures of a file, each in the order of the text.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FileTests {
    /// The tests.
    pub tests: Vec<Test>,
    /// The fixtures.
    pub fixtures: Vec<Fixture>,
    /// The bytes of definitions that exist for tests only, such as `#[cfg(test)] mod tests` and classes
    /// of tests, in any order.
    pub test_only: Vec<Range<usize>>,
}

impl FileTests {
    /// Returns the innermost test that contains a position. O(tests).
    pub fn test_at(&self, at: usize) -> Option<usize> {
        let contains = |place: &usize| self.tests[*place].span.contains(&at);
        (0..self.tests.len()).filter(contains).min_by_key(|&place| self.tests[place].span.len())
    }

    /// Returns the innermost fixture that contains a position. O(fixtures).
    pub fn fixture_at(&self, at: usize) -> Option<usize> {
        let contains = |place: &usize| self.fixtures[*place].span.contains(&at);
        (0..self.fixtures.len())
            .filter(contains)
            .min_by_key(|&place| self.fixtures[place].span.len())
    }

    /// Returns true if the file has neither tests nor fixtures.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty() && self.fixtures.is_empty()
    }
}

/// A file in which tests are searched.
pub(super) struct Source<'a> {
    pub(super) facts: &'a FileFacts,
    pub(super) text: &'a [u8],
}

impl<'a> Source<'a> {
    /// Returns the positions of the symbols, each with the symbol.
    fn symbols(&self) -> impl Iterator<Item = (usize, &'a Symbol)> + use<'a> {
        self.facts.symbols.iter().enumerate()
    }

    /// Returns the symbols around one, outermost first.
    fn around(&self, place: usize) -> Vec<usize> {
        let mut around: Vec<usize> = self.facts.ancestors(Some(place)).skip(1).collect();
        around.reverse();
        around
    }

    /// Returns the names of the symbols around one, outermost first.
    fn groups(&self, place: usize) -> Vec<String> {
        let around = self.around(place);
        around.iter().map(|&at| self.facts.symbols[at].name.clone()).collect()
    }

    fn line_at(&self, at: usize) -> usize {
        memchr::memchr_iter(b'\n', &self.text[..at.min(self.text.len())]).count() + 1
    }

    /// Returns the bytes of a definition, from its attributes on.
    fn span(&self, symbol: &Symbol) -> Range<usize> {
        let head = head::head(self.text, symbol);
        symbol.name_span.start.saturating_sub(head.len()).min(symbol.span.start)..symbol.span.end
    }

    fn string(&self, span: Range<usize>) -> String {
        String::from_utf8_lossy(self.text.get(span).unwrap_or_default()).into_owned()
    }

    /// Returns the name of the innermost type around a symbol.
    fn type_around(&self, place: usize) -> Option<String> {
        self.facts.owner(place).map(str::to_owned)
    }
}

/// Returns the tests and fixtures of a file with that text, at most [`TESTS_MAX`] tests. `text` must
/// be the text that `facts` were made of; otherwise names and ends of blocks may be wrong. `collected` is what
/// pytest collects there. O(text × nesting).
pub fn file_tests(facts: &FileFacts, text: &[u8], collected: &Collected) -> FileTests {
    let source = Source { facts, text: &text[..text.len().min(BYTES_MAX)] };
    let is_test = marks::of_path(facts.path.as_bytes()).test;
    let mut found = match facts.language.name {
        "python" => python::find(&source, is_test, collected),
        "rust" => rust::find(&source),
        "go" if facts.path.ends_with("_test.go") => go::find(&source),
        "javascript" | "typescript" | "tsx" | "flow" if is_test => blocks::find(&source),
        "java" | "kotlin" | "csharp" | "php" | "swift" | "scala" => annotated::find(&source),
        "ruby" | "elixir" if is_test => elixir_ruby::find(&source),
        "c" | "cpp" => native::find(&source),
        _ => FileTests::default(),
    };
    if collected.has_examples && facts.language.name == "python" {
        found.tests.extend(examples::of_module(&source));
    }
    found.tests.sort_by_key(|test| (test.span.start, test.span.end));
    found.fixtures.sort_by_key(|fixture| (fixture.span.start, fixture.span.end));
    found.tests.truncate(TESTS_MAX);
    found
}

/// Returns the test that pytest makes of the examples in a text. O(text).
pub fn document_tests(path: &str, text: &[u8]) -> FileTests {
    let tests = examples::of_document(path, text).into_iter().collect();
    FileTests { tests, ..FileTests::default() }
}
