//! Finds the test files of a source file by their names.

use rustc_hash::FxHashMap;

use super::Catalog;
use super::file_list::FileList;
use crate::base::ids::FileId;
use crate::base::path;
use crate::lang::marks;

/// Suffixes and prefixes of test files' stems, without separators.
const SIGNS: [&str; 4] = ["tests", "test", "specs", "spec"];

/// A name that more test files than this share distinguishes none of them.
const SHARING_MAX: usize = 60;

/// The minimum length of a word or directory that is taken for the name of a tested file.
const WORD_LEN_MIN: usize = 3;

/// The test files of a tree, indexed by the name that they test. Immutable.
#[derive(Debug, Default)]
pub struct TestNames {
    by_tested: FxHashMap<Box<str>, Vec<FileId>>,
    by_part: FxHashMap<Box<str>, Vec<FileId>>,
    files: usize,
}

impl TestNames {
    fn new(files: &FileList) -> TestNames {
        let mut names = TestNames::default();
        for file in 0..files.len() {
            let path = files.path(file);
            if !marks::of_path(path).test {
                continue;
            }
            for part in parts(path) {
                let sharing = names.by_part.entry(part.into()).or_default();
                if sharing.len() <= SHARING_MAX && sharing.last() != Some(&FileId::new(file)) {
                    sharing.push(FileId::new(file));
                }
            }
            if let Some(tested) = tested(path) {
                names.by_tested.entry(tested.into()).or_default().push(FileId::new(file));
                names.files += 1;
            }
        }
        names
    }

    /// Returns the number of files that are named like tests. O(1).
    pub fn files(&self) -> usize {
        self.files
    }

    /// Returns the tests of `stem` (see [`folded`]), in path order. O(1).
    pub fn of(&self, stem: &str) -> &[FileId] {
        self.by_tested.get(stem).map_or(&[], Vec::as_slice)
    }

    /// Returns the test files of which one of the two innermost directories, or the first word of the
    /// name, is `stem`: `tests/cart/add.js`, `test_cart_total.py`. In path order; none if there are
    /// more than 60. O(1).
    pub fn partly(&self, stem: &str) -> &[FileId] {
        let found = self.by_part.get(stem).map_or(&[][..], Vec::as_slice);
        if found.len() > SHARING_MAX { &[] } else { found }
    }
}

impl Catalog {
    /// Returns the index of the test files. O(files), the first time.
    pub fn test_names(&self) -> &TestNames {
        self.cache.test_names.get_or_init(|| TestNames::new(&self.files))
    }
}

/// Returns the names of the two innermost directories and the first word of a test file's name, each
/// folded.
pub fn parts(path: &[u8]) -> Vec<String> {
    let path = String::from_utf8_lossy(path);
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let words = name.split(['_', '-', '.']).map(folded);
    let word = words.into_iter().find(|word| !SIGNS.contains(&word.as_str()));
    let folders = folder.rsplit('/').take(2).map(folded);
    let is_name = |part: &String| part.len() >= WORD_LEN_MIN && !SIGNS.contains(&part.as_str());
    folders.chain(word).filter(is_name).collect()
}

/// Returns the stem that a test file's name refers to.
pub fn tested(path: &[u8]) -> Option<String> {
    let name = path::split(path).1;
    let is_candidate = name
        .windows(4)
        .any(|part| part.eq_ignore_ascii_case(b"test") || part.eq_ignore_ascii_case(b"spec"));
    if !is_candidate {
        return None;
    }
    let name = String::from_utf8_lossy(name);
    let written = name.rsplit_once('.').map_or(name.as_ref(), |(stem, _)| stem);
    let name = folded(written);
    // `test_shop` does not begin with `tests`.
    let first = written.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
    let first = first.map(folded).filter(|word| SIGNS.contains(&word.as_str()));
    let whole = first.as_deref().into_iter();
    let rest = SIGNS.iter().find_map(|sign| name.strip_suffix(sign).filter(|it| !it.is_empty()));
    let rest =
        rest.or_else(|| whole.chain(["test", "spec"]).find_map(|sign| name.strip_prefix(sign)));
    rest.filter(|rest| !rest.is_empty()).map(str::to_owned)
}

/// Returns a name in lower case and without separators.
pub fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_files_name_what_they_test() {
        for (path, expected) in [
            ("tests/test_cart.py", Some("cart")),
            ("tests/test_shop.py", Some("shop")),
            ("tests/testserver.py", Some("server")),
            ("tests/tests_shop.py", Some("shop")),
            ("spec/spec_shop.rb", Some("shop")),
            ("net/http_client_test.go", Some("httpclient")),
            ("src/cart.test.tsx", Some("cart")),
            ("spec/cart_spec.rb", Some("cart")),
            ("src/CartTests.cs", Some("cart")),
            ("src/cart.py", None),
            ("tests/test.py", None),
        ] {
            assert_eq!(tested(path.as_bytes()).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn directories_and_first_words_name_what_is_tested() {
        for (path, expected) in [
            ("__tests__/response/body.test.js", &["response", "body"][..]),
            ("tests/test_cart_total.py", &["cart"]),
            ("net/http_client_test.go", &["net", "http"]),
            ("test.py", &[]),
        ] {
            assert_eq!(parts(path.as_bytes()), expected, "{path}");
        }
    }
}
