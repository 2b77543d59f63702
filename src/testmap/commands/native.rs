//! CTest, `dotnet test` and `swift test`.

use super::pattern::{literal, whole};
use super::{Located, Read, folder, joined, names, plain, quoted};

/// The directory in which CMake is told to build; it is conventional, and not part of the tree.
const BUILD: &str = "build";

/// Functions of CMake that make a test of CTest of each test.
const DISCOVERY: [&str; 4] =
    ["gtest_discover_tests", "gtest_add_tests", "catch_discover_tests", "doctest_discover_tests"];

/// Returns the topmost directory with a `CMakeLists.txt` around a file.
pub(super) fn project(path: &str, read: Read<'_>) -> String {
    let mut at = folder(path);
    let mut found = None;
    loop {
        if read(&joined(at, "CMakeLists.txt")).is_some() {
            found = Some(at);
        }
        if at.is_empty() {
            return found.unwrap_or_default().to_owned();
        }
        at = folder(at);
    }
}

/// Returns the commands that build and run all tests of a project.
pub(super) fn all_ctest(project: &str) -> Option<String> {
    let build = quoted(&joined(project, BUILD))?;
    Some(format!("cmake --build {build} && ctest --test-dir {build} --output-on-failure"))
}

pub(super) fn ctest(project: &str, tests: &[Located<'_>], read: Read<'_>) -> Vec<String> {
    let Some(all) = all_ctest(project) else { return Vec::new() };
    let discovers = |(path, _): &Located<'_>| {
        let mut at = folder(path);
        loop {
            let text = read(&joined(at, "CMakeLists.txt")).unwrap_or_default();
            if DISCOVERY.iter().any(|name| text.contains(name)) {
                return true;
            }
            if at.is_empty() {
                return false;
            }
            at = folder(at);
        }
    };
    if !tests.iter().all(discovers) {
        // Its tests have names of the project's own.
        return vec![all];
    }
    let pattern = |(path, test): &Located<'_>| {
        let text = read(path).unwrap_or_default();
        let own = text.get(test.span.clone()).unwrap_or_default();
        let named_alone = ["TEST_CASE", "SCENARIO", "BOOST"].iter().any(|it| own.starts_with(it));
        Some(match test.groups.last() {
            _ if own.starts_with("SCENARIO") => format!("Scenario: {}", literal(&test.name)),
            Some(suite) if !named_alone => {
                // Parameters and types belong to the name.
                format!("([^/]+/)?{}(/[^.]+)?[.]{}(/.*)?", literal(suite), literal(&test.name))
            }
            _ => literal(&test.name),
        })
    };
    match names(tests, &pattern) {
        Some(names) => vec![format!("{all} --no-tests=error -R '{}'", whole(&names))],
        None => {
            let suite = |(_, test): &Located<'_>| Some(literal(test.groups.last()?));
            let suites: Option<std::collections::BTreeSet<String>> =
                tests.iter().map(suite).collect();
            match suites.filter(|suites| suites.len() <= super::NAMED_MAX) {
                Some(suites) => {
                    let suites: Vec<String> = suites
                        .into_iter()
                        .map(|suite| format!("([^/]+/)?{suite}(/[^.]+)?[.].*"))
                        .collect();
                    vec![format!("{all} --no-tests=error -R '{}'", whole(&suites))]
                }
                None => vec![all],
            }
        }
    }
}

pub(super) fn dotnet(tests: &[Located<'_>]) -> Vec<String> {
    let id = |(_, test): &Located<'_>| plain(&test.id);
    vec![match names(tests, &id) {
        Some(ids) => {
            // Arguments of a test follow its name.
            let ids: Vec<String> = ids
                .iter()
                .map(|id| format!("FullyQualifiedName={id}|FullyQualifiedName~{id}\\("))
                .collect();
            format!("dotnet test --filter '{}'", ids.join("|"))
        }
        None => {
            let class = |(_, test): &Located<'_>| plain(test.id.rsplit_once('.')?.0);
            let classes: Option<std::collections::BTreeSet<String>> =
                tests.iter().map(class).collect();
            match classes.filter(|classes| classes.len() <= super::NAMED_MAX) {
                Some(classes) => {
                    let classes: Vec<String> = classes
                        .iter()
                        .map(|class| format!("FullyQualifiedName~{class}."))
                        .collect();
                    format!("dotnet test --filter '{}'", classes.join("|"))
                }
                None => "dotnet test".to_owned(),
            }
        }
    }]
}

pub(super) fn swift(tests: &[Located<'_>]) -> Vec<String> {
    let id = |(_, test): &Located<'_>| {
        let is_name = |c: char| c.is_alphanumeric() || "_./".contains(c);
        test.id.chars().all(is_name).then(|| test.id.clone())
    };
    // `Module.Class/method`, and for Swift Testing `Module.Suite/function()`.
    let all = |patterns: &[String]| match patterns {
        [one] => format!("swift test --filter '[.]{one}([(]|$)'"),
        several => format!("swift test --filter '[.]({})([(]|$)'", several.join("|")),
    };
    vec![match names(tests, &id) {
        Some(ids) => all(&ids),
        None => {
            let class = |(_, test): &Located<'_>| {
                plain(test.id.rsplit_once('/')?.0).map(|class| format!("{class}/.*"))
            };
            let classes: Option<std::collections::BTreeSet<String>> =
                tests.iter().map(class).collect();
            match classes.filter(|classes| classes.len() <= super::NAMED_MAX) {
                Some(classes) => all(&classes.into_iter().collect::<Vec<_>>()),
                None => "swift test".to_owned(),
            }
        }
    }]
}
