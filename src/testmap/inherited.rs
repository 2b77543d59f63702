//! Tests that a class inherits from another one. Its runner runs them as tests of the class, although its file
//! does not contain them.

use std::collections::BTreeSet;

use super::detect::{Runner, Test};
use super::fixtures::Tests;
use crate::base::ids::FileId;
use crate::graph::link::{FileFacts, SymbolAt};
use crate::lang::symbols::{Symbol, SymbolKind};

/// The maximum number of classes above or below one.
const CLASSES_MAX: usize = 128;

/// Returns the tests that the classes of a file inherit, in the order of the classes. O(bases × definitions
/// of their names).
pub fn of_file(tests: &Tests<'_>, file: FileId) -> Vec<Test> {
    let Some(facts) = tests.tree().file(file) else { return Vec::new() };
    let Some(runner) = runner(&facts) else { return Vec::new() };
    let of = tests.of(file);
    let mut found = Vec::new();
    for (place, class) in facts.symbols.iter().enumerate() {
        if class.kind != SymbolKind::Class || class.bases.is_empty() {
            continue;
        }
        let is_case = class.bases.iter().any(|base| base.last_name().ends_with("TestCase"));
        // pytest runs no other classes.
        let is_run = runner != Runner::Pytest
            || is_case
            || of.collected.has_class(&class.name)
            || of.tests.iter().any(|test| test.groups.last() == Some(&class.name));
        if !is_run {
            continue;
        }
        let mut groups: Vec<String> =
            facts.ancestors(Some(place)).map(|at| facts.symbols[at].name.clone()).collect();
        groups.reverse();
        for name in names(tests, file, place) {
            found.push(Test {
                id: id(&facts, runner, &groups, &name),
                name,
                groups: groups.clone(),
                runner,
                span: 0..0,
                line: class.line,
                place: None,
                requests: Vec::new(),
                subtests: Vec::new(),
            });
        }
    }
    found
}

/// Returns the files with the tests that are inherited from a method, in path order. O(classes below its
/// class).
pub(super) fn of_method(tests: &Tests<'_>, at: SymbolAt) -> Vec<(FileId, Test)> {
    let tree = tests.tree();
    let Some(facts) = tree.file(at.file).filter(|facts| runner(facts).is_some()) else {
        return Vec::new();
    };
    let Some(symbol) = facts.symbols.get(at.place as usize) else { return Vec::new() };
    let Some(owner) = facts.owner(at.place as usize) else { return Vec::new() };
    let mut classes = BTreeSet::from([owner.to_owned()]);
    let mut files = BTreeSet::new();
    let mut open = vec![owner.to_owned()];
    while let Some(name) = open.pop() {
        for derived in tree.derived(&name).iter() {
            let Some(facts) = tree.file(derived.file) else { continue };
            let Some(class) = facts.symbols.get(derived.place as usize) else { continue };
            files.insert(derived.file);
            if classes.len() < CLASSES_MAX && classes.insert(class.name.clone()) {
                open.push(class.name.clone());
            }
        }
    }
    let is_it = |test: &Test| {
        test.name == symbol.name && test.groups.last().is_some_and(|of| classes.contains(of))
    };
    let all = files
        .into_iter()
        .flat_map(|file| of_file(tests, file).into_iter().map(move |test| (file, test)));
    all.filter(|(_, test)| is_it(test)).collect()
}

/// Returns the runner of the classes of tests of a file, if inherited tests are known for it.
fn runner(facts: &FileFacts) -> Option<Runner> {
    match facts.language.name {
        "python" => Some(Runner::Pytest),
        "java" | "kotlin" => Some(Runner::Jvm),
        "php" => Some(Runner::Phpunit),
        _ => None,
    }
}

fn id(facts: &FileFacts, runner: Runner, groups: &[String], name: &str) -> String {
    let (start, inner, last) = match runner {
        Runner::Jvm => (facts.package.as_deref(), ".", "#"),
        Runner::Phpunit => (facts.package.as_deref(), "\\", "::"),
        _ => (Some(&*facts.path), "::", "::"),
    };
    let is_inside = |start: &&str| !groups.first().is_some_and(|first| start.starts_with(&**first));
    let outer = start.filter(is_inside).into_iter().chain(groups.iter().map(String::as_str));
    format!("{}{last}{name}", outer.collect::<Vec<_>>().join(inner))
}

/// Returns the names of the tests that a class inherits, without those of its own methods.
fn names(tests: &Tests<'_>, file: FileId, class: usize) -> BTreeSet<String> {
    let tree = tests.tree();
    let mut found = BTreeSet::new();
    let mut own = BTreeSet::new();
    let mut seen = BTreeSet::from([(file, class)]);
    let mut open = vec![(file, class)];
    while let Some((at, place)) = open.pop() {
        let Some(facts) = tree.file(at) else { continue };
        if (at, place) == (file, class) {
            own = methods(&facts, place).map(|(_, method)| method.name.clone()).collect();
        } else {
            let of = tests.of(at);
            let is_python = facts.language.name == "python";
            let is_test = |(place, method): &(usize, &Symbol)| {
                of.tests.iter().any(|test| test.place == Some(*place as u32))
                    || is_python && of.collected.has_function(&method.name)
            };
            let all = methods(&facts, place).filter(is_test);
            found.extend(all.map(|(_, method)| method.name.clone()));
        }
        for base in &facts.symbols[place].bases {
            let named = tree.code().named(base.last_name());
            for base in named.iter().take(CLASSES_MAX) {
                let is_class = tree.file(base.file).is_some_and(|facts| {
                    let symbol = facts.symbols.get(base.place as usize);
                    symbol.is_some_and(|of| of.kind == SymbolKind::Class)
                });
                let is_near = base.file == at
                    || tree.imports(at, base.file)
                    || tree.is_same_package(at, base.file);
                let next = (base.file, base.place as usize);
                if is_class && is_near && seen.len() < CLASSES_MAX && seen.insert(next) {
                    open.push(next);
                }
            }
        }
    }
    found.retain(|name| !own.contains(name));
    found
}

/// Returns the methods of a class with their positions.
fn methods(facts: &FileFacts, class: usize) -> impl Iterator<Item = (usize, &Symbol)> {
    let all = facts.symbols.iter().enumerate();
    all.filter(move |(_, of)| of.parent == Some(class) && of.kind.is_callable())
}
