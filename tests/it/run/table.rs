//! The table of runners: small projects whose tests note their names when they run. The commands that
//! codedb prints for a function are run by a shell, and the tests that ran are compared with the tests
//! that the commands name.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{command, node_modules, program};
use crate::support::place::{Answer, Place};
use crate::support::skipped;

mod javascript;
mod jvm;
mod native;
mod python;
mod ruby_php;
mod rust_go;

/// The variable that names the file to which each test appends its name.
const RAN: &str = "RAN_FILE";

/// The functions of which the tests are selected, each with the names that its tests append, sorted.
type Cases<'a> = &'a [(&'a str, &'a [&'a str])];

/// A small project.
struct Project<'a> {
    /// The programs that it needs.
    programs: &'a [&'a str],
    /// Its files: `//- PATH`, then the lines.
    files: &'a str,
    /// The file with the functions.
    source: &'a str,
    cases: Cases<'a>,
    /// A command that must succeed before its tests can run.
    prepare: &'a [&'a str],
}

/// Returns the files of a text, in its order.
fn files(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("//- "), found.last_mut()) {
            (Some(path), _) => found.push((path.to_owned(), String::new())),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

/// Returns the reply of `codedb suggest-tests` for one function.
fn suggested(place: &Place, source: &str, function: &str) -> Value {
    let mut command = place.codedb("suggest-tests");
    command.args([source, "--functions", function, "--min-percent", "10", "--json"]);
    let answer = Answer::of(command);
    serde_json::from_slice(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr))
}

/// Returns a command in the tree, with the home directory of the user: package managers have their caches
/// there.
fn in_tree(place: &Place, words: &[&str]) -> Command {
    let with_run = command(place, &[]);
    let mut command = place.command(words[0]);
    for (name, value) in with_run.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(home) = std::env::var_os("HOME") {
        command.env("HOME", home).env_remove("GOCACHE");
    }
    command.env(RAN, place.base().join("ran")).args(&words[1..]);
    command
}

/// Runs a command in the tree; returns what it printed, and whether it succeeded.
fn run(place: &Place, words: &[&str]) -> (String, bool) {
    // Compilers take longer than the limit of other tests.
    let output = in_tree(place, words).stdin(Stdio::null()).output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let text = format!("{}{}", text(&output.stdout), text(&output.stderr));
    (text, output.status.success())
}

/// Checks that the commands for each function run exactly its tests.
fn check(project: &Project<'_>) {
    let Some(place) = place(project) else { return };
    let mut failed = Vec::new();
    for (function, expected) in project.cases {
        let reply = suggested(&place, project.source, function);
        let (ran, log) = run_commands(&place, &reply);
        if ran != *expected {
            let ids: Vec<&Value> =
                reply["tests"].as_array().into_iter().flatten().map(|of| &of["test_id"]).collect();
            failed.push(format!(
                "{function}: {} named {ids:?}, expected {expected:?}, ran {ran:?}\n{log}",
                reply["commands"]
            ));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    all(&place, project);
}

/// Checks that the command for all tests runs those of all functions at least.
fn all(place: &Place, project: &Project<'_>) {
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "-A"]);
    place.git(&["commit", "-q", "-m", "Begin"]);
    place.write("Makefile", "all:\n");
    let mut command = place.codedb("diff-impact");
    command.args(["--working-tree", "--json"]);
    let answer = Answer::of(command);
    let reply: Value =
        serde_json::from_slice(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr));
    assert_eq!(reply["run_all"], true, "{reply}");
    let (ran, log) = run_commands(place, &reply);
    let expected = project.cases.iter().flat_map(|(_, tests)| *tests);
    for test in expected {
        assert!(ran.iter().any(|it| it == test), "{test}: {}\n{log}", reply["commands"]);
    }
}

/// Runs the commands of a reply; returns the names that the tests appended, sorted, and what was printed.
fn run_commands(place: &Place, reply: &Value) -> (Vec<String>, String) {
    let commands = reply["commands"].as_array().unwrap_or_else(|| panic!("{reply}"));
    let ran = place.base().join("ran");
    let _ = fs::remove_file(&ran);
    let mut log = String::new();
    for command in commands {
        let (text, _) = run(place, &["sh", "-c", command.as_str().expect("a text")]);
        log.push_str(&text);
    }
    let text = fs::read_to_string(&ran).unwrap_or_default();
    let mut names: Vec<String> = text.lines().map(str::to_owned).collect();
    names.sort();
    (names, log)
}

/// Returns the project in a tree; `None`, and a report, if it cannot be run here.
fn place(project: &Project<'_>) -> Option<Place> {
    let mut found: Vec<PathBuf> = Vec::new();
    for name in project.programs {
        found.push(program(name)?);
    }
    let place = Place::new();
    for (path, text) in files(project.files) {
        place.write(path, text);
    }
    if let Some(modules) = found.iter().find_map(|path| node_modules(path)) {
        std::os::unix::fs::symlink(modules, place.root().join("node_modules")).expect("a link");
        place.write(".gitignore", "node_modules\n");
    }
    if !project.prepare.is_empty() {
        let (text, is_ready) = run(&place, project.prepare);
        if !is_ready {
            let is_cause = |line: &&str| line.contains("rror") || line.starts_with('>');
            let cause = text.lines().find(is_cause).or(text.lines().last()).unwrap_or_default();
            skipped::report(&format!("`{}` fails: {cause}", project.prepare.join(" ")));
            return None;
        }
    }
    place.index(&["-q", "--stage", "full"]).expect_success();
    Some(place)
}
