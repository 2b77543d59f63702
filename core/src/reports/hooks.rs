//! The programs that make test runners report to `codedb run`, and the changes to Go's package
//! `testing` that do the same there. None of them prints anything or replaces a reporter of the
//! user: each listens beside them and writes [`super::lines`] into the directory that
//! CODEDB_REPORT_DIR names.

/// A file of a hook, by its path below the directory of hooks.
pub const FILES: &[(&str, &str)] = &[
    ("pytest/codedb_pytest.py", include_str!("hooks/pytest.py")),
    (
        "pytest/codedb_pytest-1.dist-info/METADATA",
        "Metadata-Version: 2.1\nName: codedb-pytest\nVersion: 1\n",
    ),
    (
        "pytest/codedb_pytest-1.dist-info/entry_points.txt",
        "[pytest11]\ncodedb_pytest = codedb_pytest\n",
    ),
    ("unittest/sitecustomize.py", include_str!("hooks/unittest.py")),
    ("node.cjs", include_str!("hooks/node.cjs")),
    ("node_test.mjs", include_str!("hooks/node_test.mjs")),
    ("playwright.cjs", include_str!("hooks/playwright.cjs")),
    ("rspec.rb", include_str!("hooks/rspec.rb")),
    ("ruby/minitest/codedb_plugin.rb", include_str!("hooks/minitest.rb")),
];

/// The files of Go's package `testing` that [`go`] changes.
pub const GO_FILES: [&str; 3] = ["testing.go", "fuzz.go", "example.go"];

/// The functions that the changed files of Go call.
const GO_REPORT: &str = include_str!("hooks/go_report.go.txt");

/// Returns a file of Go's package `testing` that also reports results; `None` if this version of Go
/// has another structure. `name` is one of [`GO_FILES`]. O(text).
pub fn go(name: &str, text: &str) -> Option<String> {
    match name {
        "testing.go" => {
            let text = after(
                text,
                "func (t *T) report() {\n",
                "\tif t.parent != nil {\n\t\tcodedbReport(&t.common)\n\t}\n",
            )?;
            let text = after(
                &text,
                "func (m *M) Run() (code int) {\n",
                "\tcodedbBegin()\n\tdefer codedbEnd()\n",
            )?;
            // A test that panics, with the tests around it.
            let panics = "root.flushToParent(root.name, \"--- FAIL: %s (%s)\\n\"";
            let text = match text.matches(panics).count() {
                1 => text.replacen(panics, &format!("codedbReport(root)\n\t\t\t\t{panics}"), 1),
                _ => text,
            };
            let text = after(&text, "\nimport (\n", "\tcodedbsyscall \"syscall\"\n")?;
            // The imports of the functions are those of this file; there can be no further file,
            // because `go vet` reads the original directory.
            let functions = GO_REPORT.split_once("\n)\n")?.1.replace("syscall.", "codedbsyscall.");
            Some(format!("{text}\n{functions}"))
        }
        "fuzz.go" => after(
            text,
            "func (f *F) report() {\n",
            "\tif !*isFuzzWorker && f.parent != nil {\n\t\tcodedbReport(&f.common)\n\t}\n",
        ),
        "example.go" => {
            let at = text.find("func (eg *InternalExample) processRunResult(")?;
            let end = at + text[at..].find("{\n")? + 2;
            let line = &text[at..end];
            let is_known = ["timeSpent ", "finished bool", "(passed bool)"];
            is_known.iter().all(|part| line.contains(part)).then(|| {
                let call = "\tdefer codedbExample(eg.Name, &passed, finished, timeSpent)\n";
                format!("{}{call}{}", &text[..end], &text[end..])
            })
        }
        _ => None,
    }
}

/// Returns `text` with `addition` behind the only occurrence of `place`.
fn after(text: &str, place: &str, addition: &str) -> Option<String> {
    let is_single = text.matches(place).count() == 1;
    is_single.then(|| text.replacen(place, &format!("{place}{addition}"), 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_structure_of_go_is_left_alone() {
        for name in GO_FILES {
            assert_eq!(go(name, "package testing\n"), None);
        }
        let fuzz = "func (f *F) report() {\n\treturn\n}\n";
        assert!(go("fuzz.go", fuzz).is_some_and(|text| text.contains("codedbReport(&f.common)")));
        assert_eq!(go("fuzz.go", &fuzz.repeat(2)), None, "the place is ambiguous");
    }
}
