//! The commands that run a selection of tests.
//!
//! Names of tests come from the repository: what cannot be quoted safely for a shell is left out,
//! and its file is run as a whole. [`commands`] is the entry; each family of runners has a file.
//! `pattern` builds the regular expressions that name tests.

use std::collections::{BTreeMap, BTreeSet};

use super::detect::{Runner, Test};
use super::runner::{nearest, plain, quoted};

mod cargo;
mod go;
mod javascript;
mod jvm;
mod native;
mod pattern;
mod python;
mod ruby_php;

/// The maximum number of tests that a command names; more are run by file.
pub const NAMED_MAX: usize = 32;

/// The maximum length of the arguments of one command in bytes; more files are run by several commands.
const LENGTH_MAX: usize = 24_000;

/// The maximum length of the names of one command in bytes; with more, tests are run by file.
const NAMES_LENGTH_MAX: usize = 6_000;

/// A test and the path of its file.
pub type Located<'a> = (&'a str, &'a Test);

/// Returns the text of a file of the tree by its repository path.
type Read<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Returns the commands that run `tests` from the root, one for each runner and package, in the order
/// of their paths. `read` returns the text of a file of the tree. Empty if no runner is known. More
/// than [`NAMED_MAX`] tests of one command are run by file. O(tests).
pub fn commands(tests: &[Located<'_>], read: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let mut by_runner: BTreeMap<(Runner, String), Vec<Located<'_>>> = BTreeMap::new();
    let mut whole = Vec::new();
    for &(path, test) in tests {
        if quoted(path).is_none() {
            // No command can name it.
            whole.extend(run_all(path, test, read));
            continue;
        }
        by_runner.entry((test.runner, project(path, test, read))).or_default().push((path, test));
    }
    let mut found = Vec::new();
    for ((runner, project), tests) in by_runner {
        found.extend(match runner {
            Runner::Pytest => python::commands(&project, &tests, read),
            Runner::Go => go::commands(&project, &tests, read),
            Runner::Cargo => cargo::commands(&project, &tests, read),
            Runner::JavaScript => javascript::commands(&tests, read),
            Runner::Jvm => jvm::commands(&project, &tests, read),
            Runner::Rspec => ruby_php::rspec(&tests, read),
            Runner::Minitest => ruby_php::minitest(&tests, read),
            Runner::Phpunit => ruby_php::phpunit(&project, &tests, read),
            Runner::Mix => ruby_php::mix(&project, &tests),
            Runner::Dotnet => native::dotnet(&tests),
            Runner::Swift => native::swift(&tests),
            Runner::Ctest => native::ctest(&project, &tests, read),
        });
    }
    whole.retain(|command| !found.contains(command));
    whole.dedup();
    found.extend(whole);
    found
}

/// Returns what a runner runs at least as a whole if its tests are not named: the path of the file, its
/// package, its class or its target. Tests of different units are never run by the same name. O(1)
/// readings.
pub fn unit(path: &str, test: &Test, read: &dyn Fn(&str) -> Option<String>) -> String {
    match test.runner {
        Runner::Go => folder(path).to_owned(),
        Runner::Cargo => cargo::unit(path, test, read),
        _ => path.to_owned(),
    }
}

/// Returns those of the commands for `tests` that name none of them, and run all. O(tests).
pub fn unnamed(
    commands: &[String],
    tests: &[Located<'_>],
    read: &dyn Fn(&str) -> Option<String>,
) -> BTreeSet<String> {
    let mut folders: BTreeSet<(Runner, &str)> = BTreeSet::new();
    let firsts = tests.iter().filter(|(path, test)| folders.insert((test.runner, folder(path))));
    let all: BTreeSet<String> =
        firsts.filter_map(|(path, test)| run_all(path, test, read)).collect();
    commands.iter().filter(|command| all.contains(*command)).cloned().collect()
}

/// Returns the command that runs all tests of the runner of `test`.
pub fn run_all(path: &str, test: &Test, read: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let folder = folder(path);
    // The project of the file, or the one at the root.
    let project_of = |name: &str| {
        let is_at_root = read(name).is_some();
        let found = if is_at_root { None } else { nearest(folder, name, read) };
        found.map(|(project, _)| project).unwrap_or_default()
    };
    let enter = |project: &str, command: &str| match project {
        "" => Some(command.to_owned()),
        project => Some(format!("cd {} && {command}", quoted(project)?)),
    };
    match test.runner {
        Runner::Pytest => python::run_all(path, test, read),
        Runner::Go => {
            let (module, _) = nearest(folder, "go.mod", read).unwrap_or_default();
            Some(match &*module {
                "" => "go test ./...".to_owned(),
                module => format!("go -C {} test ./...", quoted(module)?),
            })
        }
        Runner::Cargo => cargo::run_all(&project_of("Cargo.toml"), read),
        Runner::Dotnet => Some("dotnet test".to_owned()),
        Runner::Rspec => Some(format!("{}rspec", ruby_php::bundle(read))),
        Runner::Minitest => Some(ruby_php::all_minitest(read)),
        Runner::Phpunit => {
            let project = nearest(folder, "composer.json", read);
            let program = if project.is_some() { "vendor/bin/phpunit" } else { "phpunit" };
            enter(&project.unwrap_or_default().0, program)
        }
        Runner::Swift => Some("swift test".to_owned()),
        Runner::Ctest => native::all_ctest(&native::project(path, read)),
        Runner::Mix => enter(&project_of("mix.exs"), "mix test"),
        Runner::JavaScript => enter(&project_of("package.json"), "npm test"),
        Runner::Jvm => Some(if nearest(folder, "pom.xml", read).is_some() {
            "mvn test".to_owned()
        } else {
            format!("{} test", jvm::gradle(read))
        }),
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the path of a file in a directory.
fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Returns the project of a test, in the spelling of its runner: tests of one project may be run by one
/// command.
fn project(path: &str, test: &Test, read: Read<'_>) -> String {
    match test.runner {
        Runner::Pytest => python::project(path, read),
        Runner::Go => nearest(folder(path), "go.mod", read).unwrap_or_default().0,
        Runner::Cargo => cargo::unit(path, test, read),
        Runner::Jvm => jvm::project(folder(path), read),
        Runner::Phpunit => nearest(folder(path), "composer.json", read).unwrap_or_default().0,
        Runner::Mix => nearest(folder(path), "mix.exs", read).unwrap_or_default().0,
        Runner::Ctest => native::project(path, read),
        _ => String::new(),
    }
}

/// Returns the name of each test once, in their order; `None` if there are too many for one command, or
/// if `name` returns none for one.
fn names(
    tests: &[Located<'_>],
    name: &dyn Fn(&Located<'_>) -> Option<String>,
) -> Option<Vec<String>> {
    if tests.len() > NAMED_MAX {
        return None;
    }
    let mut seen = BTreeSet::new();
    let found: Option<Vec<String>> = tests.iter().map(name).collect();
    let found: Vec<String> = found?.into_iter().filter(|name| seen.insert(name.clone())).collect();
    (found.iter().map(String::len).sum::<usize>() <= NAMES_LENGTH_MAX).then_some(found)
}

/// Returns the paths of the files of tests below `project`, each once, in their order.
fn files<'a>(project: &str, tests: &[Located<'a>]) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    let below = |path: &'a str| path.strip_prefix(project).unwrap_or(path).trim_start_matches('/');
    tests.iter().map(|(path, _)| below(path)).filter(|path| seen.insert(*path)).collect()
}

/// Returns commands that start with `start` and have all of the arguments, as few as the length of a
/// command allows.
fn in_chunks(start: &str, arguments: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for argument in arguments {
        match found.last_mut() {
            Some(last) if last.len() + argument.len() < LENGTH_MAX => {
                last.push(' ');
                last.push_str(argument);
            }
            _ => found.push(format!("{start} {argument}")),
        }
    }
    found
}

/// Returns `cd PROJECT && COMMAND`, or the command at the root; `None` if the project cannot be quoted.
fn within(project: &str, command: &str) -> Option<String> {
    match project {
        "" => Some(command.to_owned()),
        project => Some(format!("cd {} && {command}", quoted(project)?)),
    }
}

/// Returns the files of a project, quoted. The paths of tests can be quoted.
fn quoted_files(project: &str, tests: &[Located<'_>]) -> Vec<String> {
    files(project, tests).into_iter().filter_map(quoted).collect()
}

#[cfg(test)]
mod tests;
