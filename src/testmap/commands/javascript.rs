//! Jest, Vitest, mocha, ava, node:test and Playwright.

use std::collections::BTreeMap;

use super::super::detect::Test;
use super::super::runner::javascript::{Program, Run, of_file};
use super::pattern::{title, whole};
use super::{LENGTH_MAX, Located, NAMED_MAX, Read, names};

/// Files of which each has a command of its own that names tests; more files are run together.
const SEPARATE_MAX: usize = 3;

pub(super) fn commands(tests: &[Located<'_>], read: Read<'_>) -> Vec<String> {
    let mut runs: BTreeMap<Run, BTreeMap<&str, Vec<Located<'_>>>> = BTreeMap::new();
    for &(path, test) in tests {
        if let Some(run) = of_file(path, read) {
            runs.entry(run).or_default().entry(path).or_default().push((path, test));
        }
    }
    let mut found = Vec::new();
    for (run, files) in runs {
        if run.program == Program::Playwright {
            found.extend(playwright(&run, &files));
        } else if files.len() <= SEPARATE_MAX {
            for (path, tests) in files {
                found.extend(run.with(&[path], &titles(run.program, &tests)));
            }
        } else {
            let all: Vec<Located<'_>> = files.values().flatten().copied().collect();
            let options = titles(run.program, &all);
            let paths: Vec<&str> = files.into_keys().collect();
            found.extend(in_chunks(&run, &paths, &options));
        }
    }
    found
}

fn in_chunks(run: &Run, paths: &[&str], options: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut chunk: Vec<&str> = Vec::new();
    let mut length = 0;
    for &path in paths {
        if length > 0 && length + path.len() > LENGTH_MAX {
            found.extend(run.with(&chunk, options));
            chunk.clear();
            length = 0;
        }
        chunk.push(path);
        length += path.len() + 1;
    }
    found.extend(run.with(&chunk, options));
    found
}

/// Returns the option that selects tests by their titles; empty if they cannot be named.
fn titles(program: Program, tests: &[Located<'_>]) -> String {
    let option = match program {
        Program::Vitest | Program::Jest => "-t ",
        Program::Mocha => "-g ",
        Program::Node => "--test-name-pattern=",
        Program::Ava | Program::Playwright => return String::new(),
    };
    let pattern = |(_, test): &Located<'_>| Some(full_title(program, test));
    match names(tests, &pattern) {
        Some(titles) => format!("{option}'{}'", whole(&titles)),
        None => String::new(),
    }
}

/// Returns the pattern of the title of a test with those of the groups around it.
fn full_title(program: Program, test: &Test) -> String {
    let groups: Vec<String> = test.groups.iter().map(|group| title(group)).collect();
    let own = title(&test.name);
    match program {
        // Before version 22, patterns are compared with the title alone.
        Program::Node if !groups.is_empty() => format!("({} )?{own}", groups.join(" ")),
        _ if groups.is_empty() => own,
        _ => format!("{} {own}", groups.join(" ")),
    }
}

/// Returns the command that names tests by their lines.
fn playwright(run: &Run, files: &BTreeMap<&str, Vec<Located<'_>>>) -> Vec<String> {
    let count: usize = files.values().map(Vec::len).sum();
    if count > NAMED_MAX {
        let paths: Vec<&str> = files.keys().copied().collect();
        return in_chunks(run, &paths, "");
    }
    let places: Vec<String> =
        files.values().flatten().map(|(path, test)| format!("{path}:{}", test.line)).collect();
    let mut places: Vec<&str> = places.iter().map(String::as_str).collect();
    places.dedup();
    in_chunks(run, &places, "")
}
