//! `cargo test` and nextest.

use std::collections::BTreeSet;

use super::super::detect::Test;
use super::super::runner::{RustTarget, rust_target};
use super::{Located, NAMED_MAX, Read, joined, names, plain, quoted};

/// Attributes that make several tests with further names of one function.
const PARAMETERS: [&str; 4] = ["rstest", "test_case", "#[case", "test_matrix"];

/// Returns the command that runs the test target of a Rust file, without names of tests; empty without
/// one.
pub(super) fn unit(path: &str, test: &Test, read: Read<'_>) -> String {
    let Some(RustTarget { package, option, .. }) = rust_target(path, read) else {
        return String::new();
    };
    let Some(start) = start(&package, is_doc(test), read) else { return String::new() };
    if is_doc(test) { format!("{start} --doc") } else { format!("{start} {option}") }
}

pub(super) fn run_all(project: &str, read: Read<'_>) -> Option<String> {
    let start = start(project, false, read)?;
    Some(match project {
        "" => format!("{start} --workspace"),
        _ => start.replacen(" --manifest-path", " --workspace --manifest-path", 1),
    })
}

/// Returns the command for a package. Documentation is not tested by nextest.
fn start(package: &str, is_doc: bool, read: Read<'_>) -> Option<String> {
    let by_nextest =
        [package, ""].iter().any(|folder| read(&joined(folder, ".config/nextest.toml")).is_some());
    let command = if by_nextest && !is_doc { "cargo nextest run" } else { "cargo test" };
    Some(match package {
        "" => command.to_owned(),
        package => format!("{command} --manifest-path {}", quoted(&joined(package, "Cargo.toml"))?),
    })
}

fn is_doc(test: &Test) -> bool {
    test.id.contains(" (line ")
}

pub(super) fn commands(unit: &str, tests: &[Located<'_>], read: Read<'_>) -> Vec<String> {
    if unit.is_empty() {
        return vec!["cargo test".to_owned()];
    }
    if unit.ends_with("--doc") {
        return vec![documentation(unit, tests)];
    }
    let by_nextest = unit.starts_with("cargo nextest");
    let has_parameters = |(path, test): &Located<'_>| {
        read(path).is_some_and(|text| {
            let own = text.get(test.span.clone()).unwrap_or_default();
            let head = &own[..own.find("fn ").unwrap_or(own.len())];
            PARAMETERS.iter().any(|attribute| head.contains(attribute))
        })
    };
    let id = |(_, test): &Located<'_>| {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        test.id.chars().all(is_name).then(|| test.id.clone())
    };
    let (several, single): (Vec<Located<'_>>, Vec<Located<'_>>) =
        tests.iter().copied().partition(has_parameters);
    let (Some(several), Some(single)) = (names(&several, &id), names(&single, &id)) else {
        return vec![by_module(unit, tests)];
    };
    if several.len() + single.len() > NAMED_MAX {
        return vec![by_module(unit, tests)];
    }
    let mut found = Vec::new();
    if by_nextest {
        let exact = single.iter().map(|name| format!("test(={name})"));
        let below = several.iter().map(|name| format!("test(/^{name}(::|$)/)"));
        let all: Vec<String> = exact.chain(below).collect();
        return vec![format!("{unit} -E '{}'", all.join(" | "))];
    }
    if !single.is_empty() {
        found.push(format!("{unit} -- --exact {}", single.join(" ")));
    }
    if !several.is_empty() {
        // A test with parameters is `name::case`; without any, it has its own name.
        found.push(format!("{unit} -- {}", several.join(" ")));
    }
    found
}

/// Returns the command that runs the modules of tests.
fn by_module(unit: &str, tests: &[Located<'_>]) -> String {
    let module = |(_, test): &Located<'_>| {
        plain(test.id.rsplit_once("::")?.0).map(|module| format!("{module}::"))
    };
    let modules: Option<BTreeSet<String>> = tests.iter().map(module).collect();
    match modules.filter(|modules| modules.len() <= NAMED_MAX) {
        Some(modules) if unit.starts_with("cargo nextest") => {
            let all: Vec<String> =
                modules.iter().map(|module| format!("test(/^{module}/)")).collect();
            format!("{unit} -E '{}'", all.join(" | "))
        }
        Some(modules) => {
            format!("{unit} -- {}", modules.into_iter().collect::<Vec<_>>().join(" "))
        }
        None => unit.to_owned(),
    }
}

/// Returns the command that runs all examples in the documentation of definitions. rustdoc splits filters
/// at spaces, so an item whose name begins with that of another one runs as well.
fn documentation(unit: &str, tests: &[Located<'_>]) -> String {
    let filter = |(_, test): &Located<'_>| {
        let (path, item) = test.id.split_once(" - ")?;
        let item = item.split(" (line ").next()?.trim();
        // Documentation of a crate or module has no item.
        let below = path.rfind("src/").map_or(path, |at| &path[at..]);
        plain(if item.is_empty() { below } else { item })
    };
    match names(tests, &filter) {
        Some(filters) => format!("{unit} -- {}", filters.join(" ")),
        None => unit.to_owned(),
    }
}
