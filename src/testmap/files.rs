//! The test files of definitions and of files, for replies in which tests are one part of many.

use std::collections::BTreeMap;

use super::fixtures::Tests;
use super::score::{Source, Weights};
use super::select::{Ranked, rank};
use super::tree::Tree;
use crate::base::ids::FileId;
use crate::catalog::test_names::{folded, tested};
use crate::graph::link::SymbolAt;

/// The maximum number of candidate importers of a file that are examined.
const IMPORTERS_MAX: usize = 40;

/// The number of tests of a file that count for its probability, most likely first.
const TESTS_COUNTED: usize = 5;

/// Tests with a lower probability do not count.
const PROBABILITY_MIN: f32 = 0.1;

/// Stems of files that represent their directory; the name of the directory is used instead.
const DIRECTORY_STEMS: [&str; 6] = ["mod", "lib", "main", "index", "__init__", "init"];

/// A test file of a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct TestFile {
    /// The file.
    pub file: FileId,
    /// The probability that one of its tests executes the definition, from 0 to 1.
    pub probability: f32,
    /// The most trusted source of its tests.
    pub source: Source,
    /// Its tests, most likely first.
    pub tests: Vec<Ranked>,
}

/// Returns the files with tests that probably execute a definition, most likely first. The
/// probability of a file combines those of its five most likely tests as if they were independent.
/// Cost as [`rank`].
pub fn of_definition(tests: &Tests<'_>, at: SymbolAt) -> Vec<TestFile> {
    let (ranked, _) = rank(tests, at, &Weights::DEFAULT);
    let mut by_file: BTreeMap<FileId, Vec<Ranked>> = BTreeMap::new();
    for of in ranked.into_iter().take_while(|of| of.probability >= PROBABILITY_MIN) {
        by_file.entry(of.test.file).or_default().push(of);
    }
    let file = |(file, tests): (FileId, Vec<Ranked>)| {
        let counted = tests.iter().take(TESTS_COUNTED);
        let missed: f32 = counted.map(|of| 1.0 - of.probability).product();
        let source = tests.iter().map(|of| of.source).min().unwrap_or(Source::Fallback);
        TestFile { file, probability: 1.0 - missed, source, tests }
    };
    let mut found: Vec<TestFile> = by_file.into_iter().map(file).collect();
    found.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.file.cmp(&b.file)));
    found
}

/// Returns the test files of a whole file: those named after it, the nearest first, then those that
/// import it. O(test files that contain its name), and O(files of the tree) the first time.
pub fn of_file(tree: &dyn Tree, file: FileId) -> Vec<(FileId, Source)> {
    let own = tree.path(file);
    let shared = |of: &FileId| {
        let path = tree.path(*of);
        path.bytes().zip(own.bytes()).take_while(|(a, b)| a == b).count()
    };
    let mut named: Vec<FileId> = tree.named_after(&folded(stem(&own)));
    named.retain(|&of| of != file);
    named.sort_by_cached_key(|of| (std::cmp::Reverse(shared(of)), *of));
    let mut importers = tree.with_word(stem(&own));
    importers.retain(|&of| {
        // A shared configuration of tests is not a test.
        of != file
            && tree.is_test(of)
            && !named.contains(&of)
            && tree.path(of).rsplit('/').next() != Some("conftest.py")
    });
    importers.sort_by_cached_key(|of| {
        let is_unnamed = tested(tree.path(*of).as_bytes()).is_none();
        (is_unnamed, std::cmp::Reverse(shared(of)), *of)
    });
    importers.truncate(IMPORTERS_MAX);
    importers.retain(|&of| tree.imports(of, file));
    let named = named.into_iter().map(|of| (of, Source::Fallback));
    named.chain(importers.into_iter().map(|of| (of, Source::ImportGraph))).collect()
}

/// Returns the name of a file without its extension; for a file that represents its directory, the
/// name of the directory.
fn stem(path: &str) -> &str {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or_default();
    if DIRECTORY_STEMS.contains(&stem) {
        folder.rsplit('/').next().unwrap_or_default()
    } else {
        stem
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::link::Code as _;
    use crate::graph::program::Program;

    #[test]
    fn files_that_represent_directories_use_the_directory_name() {
        assert_eq!(stem("shop/__init__.py"), "shop");
        assert_eq!(stem("src/http_client.rs"), "http_client");
        assert_eq!(stem("main.go"), "");
    }

    const TREE: [(&str, &str); 3] = [
        (
            "app/query.py",
            "
class Query:
    def union(self, other):
        return self.combine(other)

    def first(self):
        return None
",
        ),
        (
            "tests/basic/test_query.py",
            "
from app.query import Query

def test_first():
    assert Query().first() is None
",
        ),
        (
            "tests/test_combinators.py",
            "
from app.query import Query

def test_union_of_two():
    assert Query().union(Query())

def test_union_of_itself():
    query = Query()
    assert query.union(query)
",
        ),
    ];

    fn program() -> Program {
        let texts = TREE.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
        Program::new(texts.collect())
    }

    fn check(function: &str, expected: &[&str]) {
        let program = program();
        let at = program.named(function).first().copied().expect("it is defined");
        for tests in [Tests::new(&program), Tests::brief(&program)] {
            let found = of_definition(&tests, at);
            let paths: Vec<String> =
                found.iter().take(1).map(|of| Tree::path(&program, of.file)).collect();
            assert_eq!(paths, expected, "{function}");
        }
    }

    #[test]
    fn the_file_whose_tests_call_it_precedes_the_one_that_is_named_after_its_file() {
        check("union", &["tests/test_combinators.py"]);
        check("first", &["tests/basic/test_query.py"]);
    }

    #[test]
    fn a_file_has_the_tests_named_after_it_and_those_that_import_it() {
        let program = program();
        let file = program.id("app/query.py").expect("it is in the tree");
        let found = of_file(&program, file);
        let found: Vec<(String, Source)> =
            found.into_iter().map(|(of, source)| (Tree::path(&program, of), source)).collect();
        let expected = [
            ("tests/basic/test_query.py".to_owned(), Source::Fallback),
            ("tests/test_combinators.py".to_owned(), Source::ImportGraph),
        ];
        assert_eq!(found, expected);
    }
}
