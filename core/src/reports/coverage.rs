//! Coverage reports: which lines of which files were executed, by which tests if the report names
//! them.
//!
//! Formats: `coverage json` of coverage.py (with contexts), lcov (with test names), Istanbul's JSON,
//! Go's cover profiles, the JSON of llvm-cov, and JaCoCo's XML. [`parse`] detects them. [`read`] reads a
//! file of one of them, or the database `.coverage` of coverage.py. [`attribute`] maps lines to
//! functions, and [`paths`] the paths of a report to files.

pub mod attribute;
mod go;
mod jacoco;
mod json;
mod lcov;
pub mod paths;
mod read;

pub use json::test_of_context;
pub use read::read;

use std::collections::{BTreeMap, BTreeSet};

/// The highest line number that counts: a report may claim anything.
const LINE_MAX: u32 = 10_000_000;

/// The number of lines of a report, over all files and tests, beyond which the rest is dropped.
const LINES_MAX: usize = 50_000_000;

/// The coverage of one file. Lines are counted from 1.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FileLines {
    /// The lines that can be executed, if the report lists them: it lists those that were not.
    pub executable: BTreeSet<u32>,
    /// The lines that were executed.
    pub covered: BTreeSet<u32>,
    /// The lines that each test executed, by the name in the report.
    pub tests: BTreeMap<String, BTreeSet<u32>>,
    /// True if `executable` has only lines that were executed.
    pub is_partial: bool,
}

/// A coverage report.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct CoverageReport {
    /// The name of the format.
    pub format: &'static str,
    /// The files by the paths of the report.
    pub files: BTreeMap<String, FileLines>,
    /// Why lines may be missing.
    pub problems: Vec<String>,
    lines: usize,
}

impl CoverageReport {
    /// Returns an empty report of a format.
    pub fn new(format: &'static str) -> CoverageReport {
        CoverageReport { format, ..CoverageReport::default() }
    }

    /// Adds an executable line and whether it was executed, by a test if its name is not empty.
    pub fn add(&mut self, path: &str, line: u32, is_covered: bool, test: &str) {
        if line == 0 || line > LINE_MAX {
            return;
        }
        if self.lines == LINES_MAX {
            self.problem(format!("more than {LINES_MAX} lines"));
            return;
        }
        self.lines += 1;
        if !self.files.contains_key(path) {
            self.files.insert(path.to_owned(), FileLines::default());
        }
        let Some(file) = self.files.get_mut(path) else { return };
        file.executable.insert(line);
        if is_covered {
            file.covered.insert(line);
            if !test.is_empty() {
                match file.tests.get_mut(test) {
                    Some(lines) => drop(lines.insert(line)),
                    None => drop(file.tests.insert(test.to_owned(), BTreeSet::from([line]))),
                }
            }
        }
    }

    fn problem(&mut self, problem: impl Into<String>) {
        let problem = problem.into();
        if !self.problems.contains(&problem) && self.problems.len() < 100 {
            self.problems.push(problem);
        }
    }

    /// Attributes all executed lines to one test, which ran alone.
    pub fn attribute_to(&mut self, test: &str) {
        for file in self.files.values_mut() {
            file.tests = BTreeMap::from([(test.to_owned(), file.covered.clone())]);
        }
    }
}

/// Parses a report; `None` if it has no known format. O(text).
pub fn parse(text: &[u8]) -> Option<CoverageReport> {
    let text = String::from_utf8_lossy(text);
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with("mode: ") {
        Some(go::parse(start))
    } else if start.starts_with('{') {
        json::parse(start)
    } else if start.starts_with('<') {
        jacoco::parse(start)
    } else {
        lcov::parse(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the report as text: `path executable/covered`, and the lines of each test.
    fn short(text: &str) -> String {
        let report = parse(text.as_bytes()).expect("a known format");
        let mut out = report.format.to_owned();
        for (path, file) in &report.files {
            out.push_str(&format!("; {path} {:?}/{:?}", file.executable, file.covered));
            for (test, lines) in &file.tests {
                out.push_str(&format!(" {test}{lines:?}"));
            }
        }
        for problem in &report.problems {
            out.push_str(&format!("; {problem}"));
        }
        out
    }

    #[test]
    fn coverage_py_with_contexts() {
        let text = r#"{"meta": {"format": 3, "version": "7"}, "files": {"m.py": {
            "executed_lines": [1, 2], "missing_lines": [4], "contexts": {"1": [""],
            "2": ["t.py::a[1]|run", "t.py::a[1]|setup", "t.py::b"]}}}}"#;
        let expected = "coverage.py; m.py {1, 2, 4}/{1, 2} t.py::a[1]{2} t.py::b{2}";
        assert_eq!(short(text), expected);
    }

    #[test]
    fn lcov_with_test_names() {
        let text = "TN:one\nSF:a.js\nFN:1,f\nDA:1,2\nDA:2,0,abc\nend_of_record\nTN:two\nSF:a.js\n\
                    DA:2,1\nDA:x,1\nend_of_record\n";
        let expected = "lcov; a.js {1, 2}/{1, 2} one{1} two{2}; a line of the report is damaged";
        assert_eq!(short(text), expected);
        assert_eq!(parse(b"hello\nworld\n"), None);
        assert_eq!(parse(b""), None);
    }

    #[test]
    fn istanbul() {
        let text = r#"{"/t/a.js": {"path": "/t/a.js", "statementMap": {
            "0": {"start": {"line": 1, "column": 0}, "end": {"line": 3, "column": 1}},
            "1": {"start": {"line": 2, "column": 2}, "end": {"line": 2, "column": 9}}},
            "fnMap": {}, "branchMap": {}, "s": {"0": 1, "1": 0}, "f": {}, "b": {}}}"#;
        assert_eq!(short(text), "istanbul; /t/a.js {1, 2}/{1}");
    }

    #[test]
    fn go_profiles() {
        let text =
            "mode: set\nexample.org/p/a.go:3.14,5.2 2 1\nexample.org/p/a.go:6.2,6.9 1 0\nx\n";
        let expected =
            "go; example.org/p/a.go {3, 4, 5, 6}/{3, 4, 5}; a line of the report is damaged";
        assert_eq!(short(text), expected);
    }

    #[test]
    fn llvm_cov() {
        let text = r#"{"type": "llvm.coverage.json.export", "version": "2.0.1", "data": [{"files": [
            {"filename": "/t/src/lib.rs", "segments": [[1, 1, 3, true, true, false],
            [2, 9, 0, true, true, false], [2, 12, 3, true, false, false], [3, 2, 0, false, false, false],
            [5, 1, 0, true, true, false], [6, 2, 0, false, false, false]]}]}]}"#;
        assert_eq!(short(text), "llvm-cov; /t/src/lib.rs {1, 2, 3, 5, 6}/{1, 2, 3}");
    }

    #[test]
    fn jacoco() {
        let text = r#"<?xml version="1.0"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd">
            <report name="x"><package name="com/x"><class name="com/x/A" sourcefilename="A.java"/>
            <sourcefile name="A.java"><line nr="3" mi="0" ci="2" mb="0" cb="0"/>
            <line nr="4" mi="1" ci="0" mb="0" cb="0"/></sourcefile></package></report>"#;
        assert_eq!(short(text), "jacoco; com/x/A.java {3, 4}/{3}");
        let bomb = "<!DOCTYPE report [<!ENTITY a \"b\">]><report/>";
        assert_eq!(short(bomb), "jacoco; the report defines entities");
        assert_eq!(parse(b"<html></html>"), None);
    }

    #[test]
    fn garbage_and_claims_without_end_are_bounded() {
        for text in ["{", "{}", "{\"a\": 1}", "<", "<report", "mode: set", "SF:a\nDA:1,1\n"] {
            let _ = parse(text.as_bytes());
        }
        let far = short("mode: set\na.go:1.1,4000000000.2 2 1\n");
        assert_eq!(far, "go; a line of the report is damaged");
    }
}
