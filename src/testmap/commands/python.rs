//! pytest and unittest.

use super::super::collected::CONFIGURATIONS;
use super::super::detect::Test;
use super::{Located, Read, folder, in_chunks, names, nearest, quoted, quoted_files, within};

/// Files that name pytest if a project uses it.
const MENTIONS: [&str; 12] = [
    "pytest.ini",
    "conftest.py",
    "tests/conftest.py",
    "test/conftest.py",
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "noxfile.py",
    "requirements.txt",
    "requirements-dev.txt",
    "dev-requirements.txt",
    "requirements/dev.txt",
];

/// Returns the directory in which the tests of a file are started: that of the nearest configuration of
/// pytest.
pub(super) fn project(path: &str, read: Read<'_>) -> String {
    let mut at = folder(path);
    loop {
        let is_configured = CONFIGURATIONS.iter().any(|(name, text)| {
            let name = if at.is_empty() { (*name).to_owned() } else { format!("{at}/{name}") };
            read(&name).is_some_and(|found| found.contains(text))
        });
        if is_configured || at.is_empty() {
            return at.to_owned();
        }
        at = folder(at);
    }
}

pub(super) fn commands(project: &str, tests: &[Located<'_>], read: Read<'_>) -> Vec<String> {
    let is_pytest = |(path, test): &Located<'_>| uses_pytest(project, path, test, read);
    let (by_pytest, by_unittest): (Vec<Located<'_>>, Vec<Located<'_>>) =
        tests.iter().copied().partition(is_pytest);
    let mut found = Vec::new();
    if !by_pytest.is_empty() {
        let id = |(path, test): &Located<'_>| {
            let below = below(project, path);
            quoted(&format!("{below}{}", test.id.strip_prefix(path)?))
        };
        let start = within(project, "pytest").unwrap_or("pytest".into());
        // A bracket in an argument begins parameters.
        let (bracketed, plain): (Vec<Located<'_>>, Vec<Located<'_>>) =
            by_pytest.into_iter().partition(|(path, _)| path.contains('['));
        let ids = names(&plain, &id).unwrap_or_else(|| quoted_files(project, &plain));
        found.extend(in_chunks(&start, &ids));
        found.extend(in_directories(project, &start, &bracketed));
    }
    if !by_unittest.is_empty() {
        let start = if manage(&by_unittest, read) {
            "python3 manage.py test"
        } else {
            "python3 -m unittest"
        };
        let start = within(project, start).unwrap_or(start.to_owned());
        let name = |(path, test): &Located<'_>| {
            let parts = test.groups.iter().chain([&test.name]).map(String::as_str);
            let own: Vec<&str> = parts.collect();
            quoted(&format!("{}.{}", module(project, path)?, own.join(".")))
        };
        let modules = || -> Vec<String> {
            let mut modules: Vec<String> = by_unittest
                .iter()
                .filter_map(|(path, _)| quoted(&module(project, path)?))
                .collect();
            let mut seen = std::collections::BTreeSet::new();
            modules.retain(|module| seen.insert(module.clone()));
            modules
        };
        let all = names(&by_unittest, &name).unwrap_or_else(modules);
        if all.is_empty() {
            found.extend(by_unittest.first().and_then(|(path, test)| run_all(path, test, read)));
        } else {
            found.extend(in_chunks(&start, &all));
        }
    }
    found
}

/// Returns the commands that run tests of files whose paths cannot be arguments of pytest, by their
/// directories and names.
fn in_directories(project: &str, start: &str, tests: &[Located<'_>]) -> Vec<String> {
    let mut by_directory: std::collections::BTreeMap<String, Vec<Located<'_>>> =
        std::collections::BTreeMap::new();
    for &(path, test) in tests {
        let parts = below(project, folder(path)).split('/');
        let parts: Vec<&str> = parts.take_while(|part| !part.contains('[')).collect();
        let directory = Some(parts.join("/")).filter(|directory| !directory.is_empty());
        by_directory.entry(directory.unwrap_or(".".into())).or_default().push((path, test));
    }
    let command = |(directory, tests): (String, Vec<Located<'_>>)| {
        let directory = quoted(&directory)?;
        Some(match names(&tests, &|(_, test)| Some(test.name.clone())) {
            Some(names) => format!("{start} {directory} -k '{}'", names.join(" or ")),
            None => format!("{start} {directory}"),
        })
    };
    by_directory.into_iter().filter_map(command).collect()
}

pub(super) fn run_all(path: &str, test: &Test, read: Read<'_>) -> Option<String> {
    let project = project(path, read);
    if uses_pytest(&project, path, test, read) {
        return within(&project, "pytest");
    }
    if manage(&[(path, test)], read) {
        return within(&project, "python3 manage.py test");
    }
    // Discovery does not enter directories that are no packages.
    let mut top = folder(path);
    while !top.is_empty() && read(&format!("{top}/__init__.py")).is_some() {
        top = folder(top);
    }
    let start = match below(&project, top) {
        "" => String::new(),
        top => format!(" -s {}", quoted(top)?),
    };
    let name = path.rsplit('/').next().unwrap_or(path);
    let pattern = if name.starts_with("test") { "" } else { " -p '*test*.py'" };
    within(&project, &format!("python3 -m unittest discover{start}{pattern}"))
}

fn below<'a>(project: &str, path: &'a str) -> &'a str {
    path.strip_prefix(project).unwrap_or(path).trim_start_matches('/')
}

/// Returns the dotted name of the module at a path; `None` if it has none.
fn module(project: &str, path: &str) -> Option<String> {
    let stem = below(project, path).strip_suffix(".py")?;
    (!stem.contains('.') && !stem.starts_with('-')).then(|| stem.replace('/', "."))
}

/// Returns true unless a test is one of unittest in a project that never names pytest.
fn uses_pytest(project: &str, path: &str, test: &Test, read: Read<'_>) -> bool {
    let text = read(path).unwrap_or_default();
    let is_unittest = !test.groups.is_empty()
        && !test.groups.first().is_some_and(|class| text.contains(&format!("class {class}:")))
        && (text.contains("unittest") || text.contains("TestCase"));
    if !is_unittest || text.contains("pytest") {
        return true;
    }
    let root = ["", project];
    let names = MENTIONS.iter().flat_map(|name| root.map(|root| super::joined(root, name)));
    let mentions = |name: String| {
        let is_configuration = name.ends_with("conftest.py") || name.ends_with("pytest.ini");
        read(&name).is_some_and(|text| is_configuration || text.contains("pytest"))
    };
    names.into_iter().any(mentions) || nearest(folder(path), "conftest.py", read).is_some()
}

/// Returns true if a project of Django runs these tests.
fn manage(tests: &[Located<'_>], read: Read<'_>) -> bool {
    let is_django = |(path, _): &Located<'_>| read(path).is_some_and(|it| it.contains("django"));
    read("manage.py").is_some() && tests.iter().any(is_django)
}
