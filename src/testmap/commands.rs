//! The commands that run a selection of tests.
//!
//! Names of tests come from the repository: what cannot be quoted safely for a shell is left out,
//! and its file is run as a whole.

use std::collections::{BTreeMap, BTreeSet};

use super::detect::{Runner, Test};
use super::runner::{self, nearest, plain, quoted};

/// The maximum number of tests that a command names; more are run by file.
pub const NAMED_MAX: usize = 32;

/// A test and the path of its file.
pub type Located<'a> = (&'a str, &'a Test);

/// Returns the commands that run `tests` from the root, one for each runner and package, in the order
/// of their paths. `read` returns the text of a file of the tree. Empty if no runner is known.
/// O(tests).
pub fn commands(tests: &[Located<'_>], read: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let mut by_runner: BTreeMap<(Runner, String), Vec<Located<'_>>> = BTreeMap::new();
    let mut whole = Vec::new();
    for &(path, test) in tests {
        if quoted(path).is_none() {
            // No command can name it.
            whole.extend(run_all(path, test, read));
            continue;
        }
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let unit = match test.runner {
            Runner::Go => folder.to_owned(),
            Runner::JavaScript | Runner::Minitest | Runner::Phpunit => path.to_owned(),
            Runner::Cargo => cargo_unit(path, test, read),
            Runner::Jvm => project(folder, read),
            _ => String::new(),
        };
        by_runner.entry((test.runner, unit)).or_default().push((path, test));
    }
    let mut found = Vec::new();
    for ((runner, unit), tests) in by_runner {
        found.extend(command(runner, &unit, &tests, read));
    }
    whole.retain(|command| !found.contains(command));
    whole.dedup();
    found.extend(whole);
    found
}

/// Returns the command that runs all tests of the runner of `test`.
pub fn run_all(path: &str, test: &Test, read: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    // The project of the file, or the one at the root.
    let project = |name: &str| {
        let is_at_root = read(name).is_some();
        let found = if is_at_root { None } else { nearest(folder, name, &read) };
        plain(&found.map(|(project, _)| project).unwrap_or_default())
    };
    let command = match test.runner {
        Runner::Pytest => "pytest",
        Runner::Go => {
            let (module, _) = nearest(folder, "go.mod", &read).unwrap_or_default();
            return Some(match &*plain(&module)? {
                "" => "go test ./...".to_owned(),
                module => format!("go -C {module} test ./..."),
            });
        }
        Runner::Cargo => {
            return Some(match &*project("Cargo.toml")? {
                "" => "cargo test --workspace".to_owned(),
                project => format!("cargo test --workspace --manifest-path {project}/Cargo.toml"),
            });
        }
        Runner::Dotnet => "dotnet test",
        Runner::Rspec => "bundle exec rspec",
        Runner::Minitest => "bundle exec rake test",
        Runner::Phpunit => "vendor/bin/phpunit",
        Runner::Swift => "swift test",
        Runner::Ctest => "ctest",
        Runner::Mix => "mix test",
        Runner::JavaScript => {
            return Some(match &*project("package.json")? {
                "" => "npm test".to_owned(),
                project => format!("cd {project} && npm test"),
            });
        }
        Runner::Jvm => {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            return Some(if nearest(folder, "pom.xml", &read).is_some() {
                "mvn test".to_owned()
            } else {
                "gradle test".to_owned()
            });
        }
    };
    Some(command.to_owned())
}

fn project(folder: &str, read: &dyn Fn(&str) -> Option<String>) -> String {
    let maven = nearest(folder, "pom.xml", &read);
    let gradle = || {
        ["build.gradle", "build.gradle.kts"].iter().find_map(|name| nearest(folder, name, &read))
    };
    maven
        .map(|(project, _)| format!("pom:{project}"))
        .or_else(|| gradle().map(|(project, _)| format!("gradle:{project}")))
        .unwrap_or_default()
}

/// Returns the command that runs the test target of a Rust file, without names of tests.
fn cargo_unit(path: &str, test: &Test, read: &dyn Fn(&str) -> Option<String>) -> String {
    let is_doc = test.id.contains(" (line ");
    let file = runner::command(path, Some("rust"), read).unwrap_or_default();
    // Drop the filter by module.
    let words: Vec<&str> = file.split(' ').collect();
    let is_target = |word: &&str| matches!(*word, "--lib" | "--test" | "--bin" | "--bins");
    let Some(at) = words.iter().position(is_target) else { return String::new() };
    let end = if matches!(words[at], "--test" | "--bin") { at + 2 } else { at + 1 };
    let mut words: Vec<&str> = words[..end.min(words.len())].to_vec();
    if is_doc {
        words.truncate(at);
        words.push("--doc");
    }
    words.join(" ")
}

fn command(
    runner: Runner,
    unit: &str,
    tests: &[Located<'_>],
    read: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let names = |of: &dyn Fn(&Located<'_>) -> Option<String>| -> Option<Vec<String>> {
        if tests.len() > NAMED_MAX {
            return None;
        }
        let mut seen = BTreeSet::new();
        let found: Option<Vec<String>> = tests.iter().map(of).collect();
        Some(found?.into_iter().filter(|name| seen.insert(name.clone())).collect())
    };
    let files = || -> Vec<String> {
        let mut seen = BTreeSet::new();
        let paths = tests.iter().map(|(path, _)| *path).filter(|path| seen.insert(*path));
        paths.filter_map(quoted).collect()
    };
    let joined = |prefix: &str, names: Vec<String>| {
        (!names.is_empty()).then(|| format!("{prefix} {}", names.join(" ")))
    };
    match runner {
        Runner::Pytest => {
            let ids = names(&|(_, test)| quoted(&test.id)).unwrap_or_else(files);
            joined("pytest", ids)
        }
        Runner::Rspec => {
            joined("bundle exec rspec", names(&|(_, test)| quoted(&test.id)).unwrap_or_else(files))
        }
        Runner::Mix => {
            joined("mix test", names(&|(_, test)| quoted(&test.id)).unwrap_or_else(files))
        }
        Runner::Go => {
            let path = tests.first()?.0;
            let package = runner::command(path, Some("go"), read)?;
            let top = |(_, test): &Located<'_>| {
                // Methods of a suite run below the function that starts the suite.
                test.groups.is_empty().then(|| plain(&test.name)).flatten()
            };
            match names(&top) {
                Some(names) => Some(format!("{package} -run '^({})$'", names.join("|"))),
                None => Some(package),
            }
        }
        Runner::Cargo => {
            if unit.is_empty() {
                return Some("cargo test".to_owned());
            }
            if unit.ends_with("--doc") {
                return Some(unit.to_owned());
            }
            match names(&|(_, test)| plain(&test.id.replace("::", "@@")).map(|_| test.id.clone())) {
                Some(names) => Some(format!("{unit} -- --exact {}", names.join(" "))),
                None => Some(unit.to_owned()),
            }
        }
        Runner::JavaScript => {
            let folder = unit.rsplit_once('/').map_or("", |(folder, _)| folder);
            let (file, option) = runner::javascript(unit, folder, &read)?;
            let titles = names(&|(_, test)| {
                let parts: Vec<&str> =
                    test.groups.iter().chain([&test.name]).map(String::as_str).collect();
                let title = parts.join(" ");
                // A title with placeholders or shell characters does not match literally.
                let is_literal = !title.starts_with('-')
                    && title.chars().all(|c| c.is_alphanumeric() || " _-".contains(c));
                is_literal.then_some(title)
            });
            match titles.filter(|titles| titles.len() <= 8).zip(option) {
                Some((titles, option)) => Some(format!("{file} {option} '{}'", titles.join("|"))),
                None => Some(file),
            }
        }
        Runner::Jvm => {
            let class = |test: &Test| {
                let of = test.id.rsplit_once('#').map_or(test.id.as_str(), |(class, _)| class);
                plain(of)
            };
            if let Some(project) = unit.strip_prefix("pom:") {
                let module = if project.is_empty() {
                    String::new()
                } else {
                    format!(" -pl {}", plain(project)?)
                };
                let ids =
                    names(&|(_, test)| Some(format!("{}#{}", class(test)?, plain(&test.name)?)));
                let ids = ids.or_else(|| {
                    let classes = tests.iter().map(|(_, test)| class(test));
                    let classes: Option<BTreeSet<String>> = classes.collect();
                    Some(classes?.into_iter().collect())
                })?;
                return Some(format!("mvn test{module} -Dtest={}", ids.join(",")));
            }
            let project = unit.strip_prefix("gradle:")?;
            let task = if project.is_empty() {
                "test".to_owned()
            } else {
                format!(":{}:test", plain(project)?.replace('/', ":"))
            };
            let gradle = if read("gradlew").is_some() { "./gradlew" } else { "gradle" };
            let ids = names(&|(_, test)| {
                Some(format!("--tests '{}.{}'", class(test)?, plain(&test.name)?))
            });
            Some(match ids {
                Some(ids) => format!("{gradle} {task} {}", ids.join(" ")),
                None => format!("{gradle} {task}"),
            })
        }
        Runner::Dotnet => Some(match names(&|(_, test)| plain(&test.id)) {
            Some(ids) => {
                let ids: Vec<String> =
                    ids.iter().map(|id| format!("FullyQualifiedName~{id}")).collect();
                format!("dotnet test --filter '{}'", ids.join("|"))
            }
            None => "dotnet test".to_owned(),
        }),
        Runner::Minitest => {
            let file = quoted(unit)?;
            let methods = names(&|(_, test)| plain(&test.name));
            Some(match methods {
                Some(methods) => format!("ruby -Itest {file} -n '/^({})$/'", methods.join("|")),
                None => format!("ruby -Itest {file}"),
            })
        }
        Runner::Phpunit => {
            let file = quoted(unit)?;
            Some(match names(&|(_, test)| plain(&test.name)) {
                Some(methods) => {
                    format!("vendor/bin/phpunit --filter '/::({})/' {file}", methods.join("|"))
                }
                None => format!("vendor/bin/phpunit {file}"),
            })
        }
        Runner::Swift => Some(match names(&|(_, test)| plain(&test.id)) {
            Some(ids) => format!("swift test --filter '{}'", ids.join("|")),
            None => "swift test".to_owned(),
        }),
        Runner::Ctest => Some(match names(&|(_, test)| plain(&test.id)) {
            Some(ids) => format!("ctest -R '^({})$'", ids.join("|")),
            None => "ctest".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(runner: Runner, id: &str, groups: &[&str], name: &str) -> Test {
        Test {
            id: id.to_owned(),
            name: name.to_owned(),
            groups: groups.iter().map(|group| (*group).to_owned()).collect(),
            runner,
            span: 0..1,
            line: 1,
            place: None,
            requests: Vec::new(),
            subtests: Vec::new(),
        }
    }

    #[test]
    fn commands_name_the_tests() {
        let check = |tests: &[(&str, Test)], files: &[(&str, &str)], expected: &[&str]| {
            let read = |name: &str| {
                let file = files.iter().find(|(path, _)| *path == name);
                file.map(|(_, text)| (*text).to_owned())
            };
            let tests: Vec<Located<'_>> = tests.iter().map(|(path, test)| (*path, test)).collect();
            assert_eq!(commands(&tests, &read), expected);
        };
        check(
            &[
                ("t/test_a.py", test(Runner::Pytest, "t/test_a.py::test_b", &[], "test_b")),
                ("t/test_c d.py", test(Runner::Pytest, "t/test_c d.py::E::f", &["E"], "f")),
            ],
            &[],
            &["pytest t/test_a.py::test_b 't/test_c d.py::E::f'"],
        );
        check(
            &[
                ("a/b_test.go", test(Runner::Go, "TestA", &[], "TestA")),
                ("a/c_test.go", test(Runner::Go, "TestC", &[], "TestC")),
            ],
            &[("go.mod", "")],
            &["go test ./a -run '^(TestA|TestC)$'"],
        );
        check(
            &[("src/a.rs", test(Runner::Cargo, "a::tests::b", &["tests"], "b"))],
            &[("Cargo.toml", ""), ("src/lib.rs", "")],
            &["cargo test --lib -- --exact a::tests::b"],
        );
        check(
            &[("src/main.rs", test(Runner::Cargo, "tests::b", &["tests"], "b"))],
            &[("Cargo.toml", "")],
            &["cargo test --bins -- --exact tests::b"],
        );
        check(
            &[("a.test.js", test(Runner::JavaScript, "x", &["cart"], "adds"))],
            &[("package.json", r#"{"scripts": {"test": "mocha"}}"#)],
            &["npm test -- a.test.js -g 'cart adds'"],
        );
        check(
            &[("a.test.js", test(Runner::JavaScript, "x", &["cart"], "adds"))],
            &[("package.json", r#"{"scripts": {"test": "node --test"}}"#)],
            &["npm test -- a.test.js"],
        );
        check(
            &[("src/a.test.ts", test(Runner::JavaScript, "x", &["cart"], "adds"))],
            &[("package.json", r#"{"devDependencies": {"jest": "1"}}"#)],
            &["npx jest src/a.test.ts -t 'cart adds'"],
        );
        check(
            &[("m/src/test/java/AT.java", test(Runner::Jvm, "a.AT#b", &["AT"], "b"))],
            &[("m/pom.xml", "")],
            &["mvn test -pl m -Dtest=a.AT#b"],
        );
        // A path that cannot be quoted is not left out.
        check(
            &[
                ("t/it's.py", test(Runner::Pytest, "t/it's.py::a", &[], "a")),
                ("@t/b.py", test(Runner::Pytest, "@t/b.py::b", &[], "b")),
            ],
            &[],
            &["pytest ./@t/b.py::b", "pytest"],
        );
        check(
            &[("a.test.js", test(Runner::JavaScript, "x", &[], "--watch"))],
            &[("package.json", r#"{"scripts": {"test": "jest"}}"#)],
            &["npm test -- a.test.js"],
        );
        // A name that a shell would interpret is never part of a command.
        check(
            &[("a_test.go", test(Runner::Go, "x", &[], "Test$(rm)"))],
            &[("go.mod", "")],
            &["go test ."],
        );
        check(
            &[("t/test_a.py", test(Runner::Pytest, "t/test_a.py::`rm`", &[], "`rm`"))],
            &[],
            &["pytest t/test_a.py"],
        );
    }
}
