//! Finds the test files of a source file by their names.

use rustc_hash::FxHashMap;

use super::Catalog;
use super::file_list::FileList;
use crate::base::ids::FileId;
use crate::base::path;
use crate::lang::marks;

/// Suffixes and prefixes of test files' stems, without separators.
const SIGNS: [&str; 4] = ["tests", "test", "specs", "spec"];

/// The test files of a tree, indexed by the name that they test. Immutable.
#[derive(Debug, Default)]
pub struct TestNames {
    by_tested: FxHashMap<Box<str>, Vec<FileId>>,
    files: usize,
}

impl TestNames {
    fn new(files: &FileList) -> TestNames {
        let mut names = TestNames::default();
        for file in 0..files.len() {
            let path = files.path(file);
            if let Some(tested) = tested(path).filter(|_| marks::of_path(path).test) {
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
}

impl Catalog {
    /// Returns the index of the test files. O(files), the first time.
    pub fn test_names(&self) -> &TestNames {
        self.cache.test_names.get_or_init(|| TestNames::new(&self.files))
    }
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
    let name = folded(name.rsplit_once('.').map_or(name.as_ref(), |(stem, _)| stem));
    let rest = SIGNS.iter().find_map(|sign| {
        name.strip_suffix(sign).or_else(|| name.strip_prefix(sign)).map(str::to_owned)
    });
    rest.filter(|rest| !rest.is_empty())
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
}
