//! The tests of the tree in the order of their files' names, for a caller that asks for them where none
//! is found.

use std::collections::BTreeMap;

use super::test_selection::{Limits, Selected, SelectedTest};
use crate::base::ids::FileId;
use crate::base::path;
use crate::catalog::Catalog;
use crate::testmap::fixtures::Tests;
use crate::testmap::score::Source;
use crate::testmap::tree::Tree as _;

/// The maximum number of files of tests that are read.
const FILES_MAX: usize = 200;

/// Lists the tests of the tree if none was found: first those of files whose names are like that of
/// `near`. All of them should run, which [`Selected`] states already.
pub(super) fn fill(catalog: &Catalog, near: &str, limits: Limits, selected: &mut Selected) {
    if selected.total > 0 || selected.is_inert {
        return;
    }
    let tests = Tests::new(catalog);
    let mut files: Vec<FileId> =
        (0..catalog.files().len()).map(FileId::new).filter(|&file| catalog.is_test(file)).collect();
    let words = words(near.as_bytes());
    let common = |file: &FileId| {
        let of_file = self::words(catalog.path(*file));
        of_file.iter().filter(|word| words.contains(word)).count()
    };
    // A stable sort: files that share as many words stay in the order of their paths.
    files.sort_by_cached_key(|file| std::cmp::Reverse(common(file)));
    files.truncate(FILES_MAX);
    for test in files.iter().flat_map(|&file| tests.in_file(file)) {
        let Some(of) = tests.get(test) else { continue };
        selected.total += 1;
        if selected.selection.tests.len() < limits.tests {
            selected.selection.tests.push(SelectedTest {
                test_id: of.id,
                path: path::shown(catalog.path(test.file)),
                line: of.line,
                score: 0.0,
                source: Source::Fallback,
                depth: None,
                function: String::new(),
                covered_text: None,
                components: BTreeMap::new(),
            });
        }
    }
    selected.is_guess = selected.total > 0;
}

/// Returns the words of a path in lower case, without those that every path of a test may have.
fn words(path: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(path).to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| word.len() > 1 && !matches!(*word, "test" | "tests" | "spec"));
    words.map(str::to_owned).collect()
}
