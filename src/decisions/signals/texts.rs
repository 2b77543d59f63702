//! The texts of a tree that people wrote for it: settings, documents, workflows. Copies of other code
//! are not among them: examples, tutorials, test data, vendored and generated files.

use std::borrow::Cow;

use crate::catalog::code::Code;
use crate::catalog::file_list::FileList;
use crate::lang::marks;

/// The maximum size of a text in bytes.
const BYTES_MAX: u64 = 512 << 10;

/// Names of directories whose files show how something is used, not how the repository is written.
const COPIES: &[&str] = &[
    "example",
    "examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "tutorial",
    "tutorials",
    "snippets",
    "docs_src",
    "playground",
    "playgrounds",
    "sandbox",
    "starter",
    "starters",
    "template",
    "templates",
    "boilerplate",
    "website",
    "legacy",
    "deprecated",
    "archive",
    "testdata",
    "test-data",
    "test_data",
    "fixtures",
    "resources",
];

/// Returns true for a file that is a copy of other code, or an example, by its path.
pub fn is_copy(path: &str) -> bool {
    let marks = marks::of_path(path.as_bytes());
    let mut directories = path.split('/').rev().skip(1);
    marks.vendored || marks.generated || marks.minified || directories.any(is_copy_directory)
}

fn is_copy_directory(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_named = |it: &str| lower == it;
    // `docs-examples`, `example_app`, `_examples`.
    let mut words = lower.split(['-', '_', '.']).filter(|it| !it.is_empty());
    COPIES.iter().any(|it| is_named(it)) || words.any(|it| it == "example" || it == "examples")
}

/// The texts of a tree.
pub struct Texts<'c> {
    code: &'c dyn Code,
    files: &'c FileList,
    paths: Vec<Cow<'c, str>>,
}

impl<'c> Texts<'c> {
    /// Returns the texts of a tree. O(n log n) for n files.
    ///
    /// # Errors
    ///
    /// If its files cannot be listed.
    pub fn new(code: &'c dyn Code) -> crate::error::Result<Texts<'c>> {
        let files = code.files()?;
        let all = files.iter().map(|(path, _)| String::from_utf8_lossy(path));
        let mut paths: Vec<Cow<'c, str>> = all.filter(|path| !is_copy(path)).collect();
        // The sort is stable.
        paths.sort_by_key(|path| path.matches('/').count());
        Ok(Texts { code, files, paths })
    }

    /// Returns the text of a file; `None` if there is none, or it is too large.
    pub fn read(&self, path: &str) -> Option<String> {
        let content = self.code.read(path.as_bytes(), BYTES_MAX).ok()?;
        Some(String::from_utf8_lossy(content.bytes()).into_owned())
    }

    /// Returns true if there is a file or a directory with files at a path.
    pub fn has(&self, path: &str) -> bool {
        let path = path.trim_start_matches("./").trim_end_matches('/').as_bytes();
        self.files.find(path).is_some() || !self.files.below(path).is_empty()
    }

    /// Returns true if there is a file at a path.
    pub fn has_file(&self, path: &str) -> bool {
        self.files.find(path.as_bytes()).is_some()
    }

    /// Returns the paths of all files that are no copies, those of the root first, in path order.
    pub fn paths(&self) -> &[Cow<'c, str>] {
        &self.paths
    }

    /// Returns the paths that `is_it` selects, of all files, in path order. O(files).
    pub fn matching(&self, is_it: &dyn Fn(&str) -> bool) -> Vec<String> {
        let all = self.files.iter().map(|(path, _)| String::from_utf8_lossy(path));
        all.filter(|path| is_it(path)).map(Cow::into_owned).collect()
    }

    /// Returns the first of the named files at the root that exists, with its text.
    pub fn first(&self, names: &[&'static str]) -> Option<(&'static str, String)> {
        let named = names.iter().filter(|name| self.has_file(name));
        named.into_iter().find_map(|name| Some((*name, self.read(name)?)))
    }
}

/// Returns the number of the line at a byte, from 1.
pub fn line_at(text: &str, at: usize) -> usize {
    memchr::memchr_iter(b'\n', &text.as_bytes()[..at.min(text.len())]).count() + 1
}

/// Returns the line in which a text contains `mark` first, from 1.
pub fn line_of(text: &str, mark: &str) -> Option<usize> {
    text.find(mark).map(|at| line_at(text, at))
}

/// Returns the directory of a path with a final slash; empty for the root.
pub fn directory(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..=at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_recognised_by_their_directories() {
        for (path, expected) in [
            ("docs_src/first/tutorial001.py", true),
            ("example_app/main.go", true),
            ("vendor/a/b.go", true),
            ("packages/a/examples/b.ts", true),
            ("src/example.rs", false),
            ("src/sampler/mod.rs", false),
            ("CONTRIBUTING.md", false),
        ] {
            assert_eq!(is_copy(path), expected, "{path}");
        }
    }
}
