//! The commands that run all tests of a tree.

use std::collections::BTreeMap;

use crate::base::ids::FileId;
use crate::base::path;
use crate::catalog::Catalog;
use crate::testmap::commands;
use crate::testmap::fixtures::Tests;
use crate::testmap::tree::Tree as _;

/// Names of manifests of projects with their own tests.
const MANIFESTS: [&str; 3] = ["Cargo.toml", "go.mod", "package.json"];

/// The maximum number of test files of one extension in which a test is looked for, to know its runner.
const EXAMINED_MAX: usize = 50;

/// Returns the commands that run all tests of the tree: one for each runner of the first test files of
/// each kind of name in each project.
pub(super) fn commands(
    catalog: &Catalog,
    tests: &Tests<'_>,
    read: &dyn Fn(&str) -> Option<String>,
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut examined: BTreeMap<(Vec<u8>, Vec<u8>), usize> = BTreeMap::new();
    // Tests may be in sources, too.
    let all = (0..catalog.files().len()).map(FileId::new);
    let (of_tests, others): (Vec<FileId>, Vec<FileId>) =
        all.partition(|&file| catalog.is_test(file));
    let is_inline = |file: &FileId| {
        let path = path::shown(catalog.path(*file));
        let collected = tests.configured().of(&path);
        path.ends_with(".rs")
            || path.ends_with(".py") && collected.has_examples
            || collected.has_document(&path)
    };
    for file in of_tests.into_iter().chain(others.into_iter().filter(is_inline)) {
        let path = catalog.path(file);
        let extension = path.rsplit(|&byte| byte == b'.').next().unwrap_or_default().to_vec();
        let count = examined.entry((extension, project_of(catalog, path))).or_default();
        if *count >= EXAMINED_MAX {
            continue;
        }
        if let Some(test) = tests.of(file).tests.first() {
            *count = EXAMINED_MAX;
            let command = commands::run_all(&path::shown(path), test, read);
            found.extend(command.filter(|command| !found.contains(command)));
        }
        *count += 1;
    }
    found
}

/// Returns the nearest directory with a manifest; without one, the first directory of the path.
fn project_of(catalog: &Catalog, path: &[u8]) -> Vec<u8> {
    let mut folder = path::split(path).0;
    loop {
        let has =
            |name: &&str| catalog.files().find(&path::join(folder, name.as_bytes())).is_some();
        if MANIFESTS.iter().any(has) {
            return folder.to_vec();
        }
        if folder.is_empty() {
            return path.split(|&byte| byte == b'/').next().unwrap_or_default().to_vec();
        }
        folder = path::split(folder).0;
    }
}
