//! Canonical ids of tests: `FILE::NAME`, with the repository path of the file and the name of the
//! test within it, including its parameters, such as `tests/test_a.py::TestB::test_c[1-x]`,
//! `pkg/a_test.go::TestA/sub`, `src/a.rs::tests::b` or `web/a.test.ts::describe > it`.
//!
//! A test whose file is unknown has its name alone. A second test of the same name in one file gets
//! the suffix ` #2`.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Case, Place, Report};
use crate::userdata::runs::TestResult;

/// The maximum number of modules on the way from the root of a crate to a test.
const MODULES_MAX: usize = 64;

/// The tree in which the tests ran.
pub struct Tree<'a> {
    /// The absolute path of the root, with `/`.
    pub root: &'a str,
    /// The absolute path of the directory in which the runner was started, with `/`.
    pub directory: &'a str,
    /// The repository paths of the files, in any order.
    pub files: &'a [String],
    /// Returns the text of a file by its repository path.
    pub read: &'a dyn Fn(&str) -> Option<String>,
}

/// Returns the results of a run with canonical ids, in the order of the reports. Each report is
/// that of one process. O(results + files).
pub fn results(reports: &[Report], tree: &Tree<'_>) -> Vec<TestResult> {
    let mut finder = Finder::new(tree);
    let mut used: HashSet<(String, u32)> = HashSet::new();
    let mut results = Vec::new();
    for report in reports {
        let mut counts: HashMap<String, u32> = HashMap::new();
        for case in &report.cases {
            let mut test = finder.id(case);
            // Go makes names unique itself: an equal name is another attempt.
            if case.attempt.is_none() && !matches!(case.place, Place::Directory(_)) {
                let count = counts.entry(test.clone()).or_default();
                *count += 1;
                if *count > 1 {
                    test = format!("{test} #{count}");
                }
            }
            let mut attempt = case.attempt.unwrap_or_default();
            while !used.insert((test.clone(), attempt)) {
                attempt += 1;
            }
            let (outcome, duration_ms) = (case.outcome, case.duration_ms);
            results.push(TestResult { test, attempt, outcome, duration_ms });
        }
    }
    results
}

struct Finder<'a> {
    tree: &'a Tree<'a>,
    known: HashSet<&'a str>,
    /// Paths without extension, by their last component.
    stems: BTreeMap<&'a str, Vec<&'a str>>,
    /// The file of a function in a directory of Go files.
    go: HashMap<String, Vec<(&'a str, String)>>,
    files: HashMap<(Place, String), String>,
}

impl<'a> Finder<'a> {
    fn new(tree: &'a Tree<'a>) -> Finder<'a> {
        let mut stems: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for file in tree.files {
            let name = file.rsplit('/').next().unwrap_or(file);
            stems.entry(name.split('.').next().unwrap_or(name)).or_default().push(file);
        }
        for files in stems.values_mut() {
            files.sort_unstable();
        }
        let known = tree.files.iter().map(String::as_str).collect();
        Finder { tree, known, stems, go: HashMap::new(), files: HashMap::new() }
    }

    fn id(&mut self, case: &Case) -> String {
        let name = &case.name;
        match &case.place {
            Place::File(path) if name.is_empty() => self.repository_path(path),
            Place::File(path) => format!("{}::{name}", self.repository_path(path)),
            Place::Unknown => name.clone(),
            Place::Directory(directory) => {
                let top = name.split('/').next().unwrap_or(name).to_owned();
                let key = (case.place.clone(), top);
                if !self.files.contains_key(&key) {
                    let file = self.go_file(directory, &key.1);
                    self.files.insert(key.clone(), file);
                }
                format!("{}::{name}", self.files[&key])
            }
            Place::Class(class) => {
                let key = (case.place.clone(), String::new());
                if !self.files.contains_key(&key) {
                    let prefix = self.class(class);
                    self.files.insert(key.clone(), prefix);
                }
                format!("{}::{name}", self.files[&key])
            }
            Place::Crate(root) => self.in_crate(root, name),
        }
    }

    /// Returns the path of a file below the root; other paths stay absolute.
    fn repository_path(&self, path: &str) -> String {
        let path = path.replace('\\', "/");
        let is_absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
        let path = if is_absolute { path } else { format!("{}/{path}", self.tree.directory) };
        let mut parts: Vec<&str> = Vec::new();
        for part in path.split('/') {
            match part {
                "." => {}
                "" if !parts.is_empty() => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        let path = parts.join("/");
        let below = path.strip_prefix(self.tree.root).and_then(|rest| rest.strip_prefix('/'));
        below.map_or_else(|| path.clone(), str::to_owned)
    }

    /// Returns the file that defines a function, or else its directory.
    fn go_file(&mut self, directory: &str, name: &str) -> String {
        let directory = self.repository_path(directory);
        let directory = if directory == self.tree.root { String::new() } else { directory };
        let Finder { tree, go, .. } = self;
        let texts = go.entry(directory.clone()).or_insert_with(|| {
            let is_test = |file: &&String| {
                let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
                folder == directory && name.ends_with("_test.go")
            };
            let files = tree.files.iter().filter(is_test);
            files.filter_map(|file| Some((file.as_str(), (tree.read)(file)?))).collect()
        });
        let definition = format!("func {name}(");
        let found = texts
            .iter()
            .find(|(_, text)| text.lines().any(|line| line.trim_start().starts_with(&definition)));
        found.map_or(directory, |(file, _)| (*file).to_owned())
    }

    /// Returns the file of a class and the name of the class in it, such as `a/B.java::B`; the class
    /// alone if there is no such file.
    fn class(&self, class: &str) -> String {
        let separated = class.replace("::", ".").replace(['\\', '/'], ".");
        let parts: Vec<&str> =
            separated.split(['.', '$']).filter(|part| !part.is_empty()).collect();
        // The file may be that of a class or module around it.
        for length in (parts.len().saturating_sub(2).max(1)..=parts.len()).rev() {
            let files = self.stems.get(parts[length - 1]).map_or(&[][..], Vec::as_slice);
            let path = parts[..length].join("/");
            let is_it = |file: &&&str| {
                let stem = file.rsplit_once('.').map_or(**file, |(stem, _)| stem);
                stem == path || stem.strip_suffix(&path).is_some_and(|rest| rest.ends_with('/'))
            };
            if let Some(file) = files.iter().find(is_it) {
                // A class has the name of its file, or is inside of a module of that name.
                let is_type = parts[length - 1].starts_with(char::is_uppercase);
                let from = if is_type { length - 1 } else { length };
                let within = parts[from..].join("::");
                return if within.is_empty() {
                    (**file).to_owned()
                } else {
                    format!("{file}::{within}")
                };
            }
        }
        class.to_owned()
    }

    /// See [`canonical`].
    fn canonical(&self, name: &str) -> Option<String> {
        if let Some((path, rest)) = name.split_once("::") {
            let own = path.rsplit('/').next()?;
            let stem = own.split('.').next().unwrap_or(own);
            let end = format!("/{path}");
            let files = self.stems.get(stem)?;
            let mut found = files.iter().filter(|file| **file == path || file.ends_with(&end));
            let exact = files.iter().find(|file| **file == path);
            let file = exact.or_else(|| found.next().filter(|_| found.next().is_none()))?;
            return Some(format!("{file}::{rest}"));
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let (class, own) = name.rsplit_once('.')?;
        let is_dotted = class.split('.').all(|part| !part.is_empty() && part.chars().all(is_part));
        let prefix = self.class(class);
        (is_dotted && prefix != class).then(|| format!("{prefix}::{own}"))
    }

    /// Follows the modules of a test's path to the file of the innermost one that has a file.
    fn in_crate(&self, root: &str, name: &str) -> String {
        let root = self.repository_path(root);
        let mut parts: Vec<&str> = name.split("::").collect();
        let test = parts.pop().unwrap_or(name);
        let mut directory = root.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let (mut file, mut within) = (root.clone(), 0);
        for (at, module) in parts.iter().take(MODULES_MAX).enumerate() {
            let base = if directory.is_empty() {
                (*module).to_owned()
            } else {
                format!("{directory}/{module}")
            };
            let candidates = [format!("{base}.rs"), format!("{base}/mod.rs")];
            if let Some(found) = candidates.iter().find(|path| self.known.contains(path.as_str())) {
                (file, within) = (found.clone(), at + 1);
            }
            // An inline module has a directory, too.
            directory = base;
        }
        let inner: Vec<&str> = parts[within..].iter().copied().chain([test]).collect();
        format!("{file}::{}", inner.join("::"))
    }
}

/// Returns the canonical ids of tests that are named by a path relative to another directory
/// (`test_a.py::test_b`), or by a dotted name (`tests.test_a.TestB.test_c`), for names that denote one
/// of `files`. O(names + files).
pub fn canonical<'a>(
    files: &[String],
    names: impl Iterator<Item = &'a String>,
) -> HashMap<String, String> {
    let tree = Tree { root: "", directory: "", files, read: &|_| None };
    let finder = Finder::new(&tree);
    names.filter_map(|name| Some((name.clone(), finder.canonical(name)?))).collect()
}

/// Returns the id without the parameters of the test: `a.py::b[1]` becomes `a.py::b`, `a_test.go::T/x`
/// becomes `a_test.go::T`, `B.java::B::c(int)[1]` becomes `B.java::B::c`.
pub fn without_parameters(id: &str) -> &str {
    let (file, name) = id.split_once("::").unwrap_or(("", id));
    let end = if file.ends_with(".go") {
        name.find('/')
    } else if file.ends_with(".php") {
        name.find(" with data set ")
    } else if [".py", ".java", ".kt", ".groovy", ".scala", ".cs"]
        .iter()
        .any(|it| file.ends_with(it))
    {
        name.find(['[', '(', '{'])
    } else {
        None
    };
    let end = end.filter(|&end| end > 0).unwrap_or(name.len());
    &id[..id.len() - name.len() + end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::userdata::runs::Outcome;

    const FILES: &[&str] = &[
        "tests/test_a.py",
        "p/a_test.go",
        "p/b_test.go",
        "src/lib.rs",
        "src/a.rs",
        "src/a/b.rs",
        "src/c/mod.rs",
        "tests/it/main.rs",
        "tests/it/deep.rs",
        "app/src/test/java/com/x/FooTest.java",
        "mod/src/test/java/com/y/FooTest.java",
    ];

    fn ids(cases: &[(Place, &str)]) -> Vec<String> {
        let files: Vec<String> = FILES.iter().map(|&file| file.to_owned()).collect();
        let read = |path: &str| {
            let name = if path.ends_with("a_test.go") { "TestA" } else { "TestB" };
            Some(format!("package p\nfunc {name}(t *testing.T) {{}}\n"))
        };
        let tree = Tree { root: "/t", directory: "/t/tests", files: &files, read: &read };
        let cases = cases.iter().map(|(place, name)| Case {
            place: place.clone(),
            name: (*name).to_owned(),
            outcome: Outcome::Passed,
            duration_ms: None,
            attempt: None,
        });
        let report = Report { cases: cases.collect(), ..Report::default() };
        let results = results(&[report], &tree);
        results.into_iter().map(|result| format!("{} {}", result.test, result.attempt)).collect()
    }

    #[test]
    fn files_are_relative_to_the_root() {
        let file = |path: &str| Place::File(path.to_owned());
        let found = ids(&[
            (file("/t/tests/test_a.py"), "B::c[a::b]"),
            (file("./test_a.py"), "d"),
            (file("../tests//test_a.py"), "d"),
            (file("/elsewhere/x.py"), "e"),
            (Place::Unknown, "f"),
        ]);
        let expected = [
            "tests/test_a.py::B::c[a::b] 0",
            "tests/test_a.py::d 0",
            "tests/test_a.py::d #2 0",
            "/elsewhere/x.py::e 0",
            "f 0",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn go_rust_and_java_tests_get_the_file_that_defines_them() {
        let found = ids(&[
            (Place::Directory("/t/p".to_owned()), "TestB/sub"),
            (Place::Directory("/t/p".to_owned()), "TestA"),
            (Place::Directory("/t/p".to_owned()), "TestA"),
            (Place::Directory("/t/p".to_owned()), "TestGenerated"),
            (Place::Crate("/t/src/lib.rs".to_owned()), "a::b::tests::works"),
            (Place::Crate("/t/src/lib.rs".to_owned()), "c::tests::works"),
            (Place::Crate("/t/src/lib.rs".to_owned()), "works"),
            (Place::Crate("/t/tests/it/main.rs".to_owned()), "deep::works"),
            (Place::Class("com.y.FooTest$Inner".to_owned()), "c(int)[1]"),
            (Place::Class("com.z.Missing".to_owned()), "c"),
        ]);
        let expected = [
            "p/b_test.go::TestB/sub 0",
            "p/a_test.go::TestA 0",
            "p/a_test.go::TestA 1",
            "p::TestGenerated 0",
            "src/a/b.rs::tests::works 0",
            "src/c/mod.rs::tests::works 0",
            "src/lib.rs::works 0",
            "tests/it/deep.rs::works 0",
            "mod/src/test/java/com/y/FooTest.java::FooTest::Inner::c(int)[1] 0",
            "com.z.Missing::c 0",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn other_names_of_tests_are_resolved() {
        let files: Vec<String> = FILES.iter().map(|&file| file.to_owned()).collect();
        for (name, expected) in [
            ("tests/test_a.py::b[c]", Some("tests/test_a.py::b[c]")),
            ("test_a.py::b", Some("tests/test_a.py::b")),
            ("tests.test_a.TestB.c", Some("tests/test_a.py::TestB::c")),
            ("test_a.c", Some("tests/test_a.py::c")),
            ("missing.py::b", None),
            ("a sentence.", None),
            ("plain", None),
        ] {
            let name = name.to_owned();
            let found = canonical(&files, std::iter::once(&name));
            assert_eq!(found.get(&name).map(String::as_str), expected, "{name}");
        }
    }

    #[test]
    fn parameters_are_removed() {
        for (id, expected) in [
            ("a.py::B::c[x::y]", "a.py::B::c"),
            ("a_test.go::T/x/y", "a_test.go::T"),
            ("B.java::B::c(int)[1]", "B.java::B::c"),
            ("A.php::A::t with data set #0", "A.php::A::t"),
            ("a.test.ts::d > it [1]", "a.test.ts::d > it [1]"),
            ("name", "name"),
        ] {
            assert_eq!(without_parameters(id), expected);
        }
    }
}
