//! What files are for, by their paths: examples, benchmarks, changelogs; and which of them a title requests.

use super::task::Task;
use crate::base::path::split;

/// Returns true if the name of the file or of its directory is that of a changelog.
pub(super) fn is_changelog(path: &[u8]) -> bool {
    let (folder, name) = split(path);
    let stem = name.split(|&byte| byte == b'.').next().unwrap_or_default();
    let starts = [&b"changelog"[..], b"changes", b"history", b"news", b"release", b"whatsnew"];
    let folder = split(folder).1;
    let begins = |name: &[u8], start: &[u8]| {
        name.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start))
    };
    starts.iter().any(|start| begins(stem, start) || begins(folder, start))
}

/// Names of directories with code that is not part of the product, in lowercase, by what it is.
const ASIDE_DIRECTORIES: [&[&str]; 3] = [
    &["bench", "benches", "benchmark", "benchmarks"],
    &["demo", "demos"],
    &[
        "example",
        "examples",
        "playground",
        "playgrounds",
        "sample",
        "samples",
        "snippet",
        "snippets",
    ],
];

/// Returns true if a directory of the path contains examples, benchmarks or the like, unless they are `requested`,
/// or copies of libraries: `deps` at the root, where C projects keep them.
pub(super) fn is_aside(path: &[u8], requested: [bool; 3]) -> bool {
    let folder = split(path).0;
    let is_in = |names: &[&str]| {
        let mut folders = folder.split(|&byte| byte == b'/');
        folders.any(|name| names.iter().any(|of| of.as_bytes().eq_ignore_ascii_case(name)))
    };
    let mut kinds = ASIDE_DIRECTORIES.iter().zip(requested);
    path.starts_with(b"deps/") || kinds.any(|(names, requested)| !requested && is_in(names))
}

/// Returns true for the name of a directory of examples, benchmarks or the like, in lowercase.
pub(super) fn is_aside_name(name: &str) -> bool {
    ASIDE_DIRECTORIES.iter().any(|names| names.contains(&name))
}

/// What a title requests that is not the product's code.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Requests {
    /// It requests tests.
    pub tests: bool,
    /// It names what is in [`ASIDE_DIRECTORIES`].
    pub(super) asides: [bool; 3],
}

impl Requests {
    /// Returns what the title of a task requests. O(title).
    pub fn of(task: &Task) -> Requests {
        let title = task.title.to_lowercase();
        let mut words = title.split(|letter: char| !letter.is_alphanumeric());
        let mut asides = [false; 3];
        words.by_ref().for_each(|word| {
            for (names, is_named) in ASIDE_DIRECTORIES.iter().zip(&mut asides) {
                *is_named |= names.contains(&word);
            }
        });
        Requests { tests: requests_tests(task), asides }
    }
}

/// Runs of words with which a title requests tests rather than the code that they test. A final
/// `test` also matches its plural.
const TEST_PHRASES: [&[&str]; 13] = [
    &["add", "test"],
    &["add", "a", "test"],
    &["add", "unit", "test"],
    &["failing", "test"],
    &["in", "tests"],
    &["missing", "test"],
    &["more", "tests"],
    &["regression", "test"],
    &["test", "case"],
    &["test", "for"],
    &["tests", "for"],
    &["write", "test"],
    &["write", "a", "test"],
];

/// Words that request tests only in a title that also has the word `test` or `tests`: a covering
/// index, a book cover and a flaky network are not tests.
const TEST_TOPICS: [&str; 6] = ["cover", "covered", "covering", "covers", "coverage", "flaky"];

/// Returns true if the title of a task requests tests. The word `test` alone is not enough, since
/// test runners have bugs too. Words are compared whole. O(title).
fn requests_tests(task: &Task) -> bool {
    let title = task.title.to_lowercase();
    let words: Vec<&str> = title
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_match = |(word, expected): (&&str, &&str)| {
        word == expected || (*expected == "test" && *word == "tests")
    };
    let has_phrase = TEST_PHRASES
        .iter()
        .any(|phrase| words.windows(phrase.len()).any(|run| run.iter().zip(*phrase).all(is_match)));
    let has_test = words.iter().any(|word| matches!(*word, "test" | "tests"));
    has_phrase || (has_test && words.iter().any(|word| TEST_TOPICS.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_and_benchmarks_are_asides_unless_the_title_names_them() {
        let none = Requests::of(&Task::new("fix the sampler of examplefs"));
        assert_eq!(none, Requests::default());
        for path in ["examples/a.rs", "a/Benchmarks/x/b.cs", "deps/lua/ltable.c"] {
            assert!(is_aside(path.as_bytes(), none.asides), "{path}");
        }
        for path in ["src/example.rs", "sampler/a.rs", "src/deps/a.py", "deps.py"] {
            assert!(!is_aside(path.as_bytes(), none.asides), "{path}");
        }
        let named = Requests::of(&Task::new("sync: add an mpsc benchmark"));
        assert!(!is_aside(b"benches/sync.rs", named.asides));
        assert!(is_aside(b"examples/sync.rs", named.asides));
        assert!(is_aside(b"deps/bench/sync.c", named.asides));
    }

    #[test]
    fn only_whole_words_request_tests() {
        let requests = |title: &str| requests_tests(&Task::new(title));
        for title in [
            "Add tests of the parser",
            "add a test for empty input",
            "cover the parser with tests",
            "fix flaky test_timeout",
            "Regression test: overflow",
            "write tests",
        ] {
            assert!(requests(title), "{title}");
        }
        for title in [
            "fix covering index",
            "show the book cover",
            "retry on a flaky network",
            "latest format is rejected",
            "pytest cannot import the plugin",
            "add testament files",
        ] {
            assert!(!requests(title), "{title}");
        }
    }
}
