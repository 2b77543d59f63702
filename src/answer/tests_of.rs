//! The tests of a definition, by convention: test files named after its file, its type or itself,
//! and tests that import or use it. No test is run.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::ids::FileId;
use crate::base::path;
use crate::catalog::Catalog;
use crate::catalog::test_names::{folded, tested};
use crate::error::Result;
use crate::graph::calls::Caller;
use crate::graph::link::{Code, FileFacts, SymbolAt};
use crate::lang::facts::Role;

/// Why a test is listed for a definition; the most certain reason first.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The test calls the definition.
    Calls,
    /// The test uses the definition in another way.
    Uses,
    /// The test imports the definition.
    Imports,
    /// The test file is named after the definition or after its file.
    Name,
}

impl Why {
    /// Returns the reason as one or two words.
    pub fn words(self) -> &'static str {
        match self {
            Why::Calls => "calls it",
            Why::Uses => "uses it",
            Why::Imports => "imports it",
            Why::Name => "by name",
        }
    }
}

/// A file with tests.
#[derive(Clone, Debug, Serialize)]
pub struct Test {
    /// Its repository path.
    pub path: String,
    /// Why it is listed, the most certain reason first.
    pub why: Vec<Why>,
}

/// Stems of files that represent their directory; the name of the directory is used instead.
const DIRECTORY_STEMS: [&str; 6] = ["mod", "lib", "main", "index", "__init__", "init"];

/// Returns the tests of a definition, those with the most certain reasons first, then by path.
/// O(uses).
pub fn tests(catalog: &Catalog, at: SymbolAt, name: &str, uses: &[Caller]) -> Result<Vec<Test>> {
    let mut found: BTreeMap<FileId, Vec<Why>> = BTreeMap::new();
    for used in uses {
        let reference = &used.site.reference;
        let why = match reference.role {
            Role::Call => Why::Calls,
            Role::Import => Why::Imports,
            Role::Type | Role::Base | Role::Read | Role::Write => Why::Uses,
        };
        let marks = catalog.marks(used.site.file)?;
        let is_test = || {
            let facts = Code::file(catalog, used.site.file);
            facts.is_some_and(|facts| lies_in_tests(&facts, reference.enclosing))
        };
        if marks.test || is_test() {
            found.entry(used.site.file).or_default().push(why);
        }
    }
    let mut names = vec![stem(catalog.path(at.file)), folded(name)];
    let facts = Code::file(catalog, at.file);
    names.extend(facts.and_then(|facts| facts.owner(at.place as usize).map(folded)));
    names.sort_unstable();
    names.dedup();
    for name in names {
        for &test in catalog.test_names().of(&name).iter().filter(|&&test| test != at.file) {
            found.entry(test).or_default().push(Why::Name);
        }
    }
    let mut tests: Vec<(FileId, Vec<Why>)> = found.into_iter().collect();
    for (_, why) in &mut tests {
        why.sort_unstable();
        why.dedup();
    }
    tests.sort_by(|a, b| a.1.first().cmp(&b.1.first()).then(a.0.cmp(&b.0)));
    let shown = |(file, why)| Test { path: path::shown(catalog.path(file)), why };
    Ok(tests.into_iter().map(shown).collect())
}

/// The maximum number of candidate importers of a file that are examined.
const IMPORTERS_MAX: usize = 40;

/// Returns the tests of each of `files`: those named after it, the nearest first, then those that
/// import it. O(imports of tests that contain its name), and O(files of the tree) the first time.
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] if the index is damaged.
pub fn of_files(catalog: &Catalog, files: &[FileId]) -> Result<Vec<Vec<(FileId, Why)>>> {
    let stems: Vec<String> = files.iter().map(|&file| stem(catalog.path(file))).collect();
    let mut found: Vec<Vec<(FileId, Why)>> = vec![Vec::new(); files.len()];
    for ((stem, &file), found) in stems.iter().zip(files).zip(&mut found) {
        let named = catalog.test_names().of(stem).iter().filter(|&&test| test != file);
        found.extend(named.map(|&test| (test, Why::Name)));
    }
    for (&file, found) in files.iter().zip(&mut found) {
        let own = catalog.path(file);
        let shared = |path: &[u8]| path.iter().zip(own).take_while(|(a, b)| a == b).count();
        found.sort_by_key(|(test, _)| std::cmp::Reverse(shared(catalog.path(*test))));
        let mut importers = Vec::new();
        for word in catalog.word(&word(own))? {
            let is_test = catalog.marks(word.file)?.test;
            // A shared configuration of tests is not a test.
            let is_shared = path::split(catalog.path(word.file)).1 == b"conftest.py";
            if is_test
                && !is_shared
                && word.file != file
                && found.iter().all(|(test, _)| *test != word.file)
            {
                importers.push(word.file);
            }
        }
        importers.sort_by_key(|test| {
            let path = catalog.path(*test);
            (tested(path).is_none(), std::cmp::Reverse(shared(path)))
        });
        importers.truncate(IMPORTERS_MAX);
        let imports =
            |test: &FileId| catalog.file_imports(*test).edges.iter().any(|edge| edge.to == file);
        importers.retain(imports);
        found.extend(importers.into_iter().map(|test| (test, Why::Imports)));
    }
    Ok(found)
}

/// Returns the word that imports of a file most likely contain.
fn word(path: &[u8]) -> String {
    let (folder, name) = path::split(path);
    let name = String::from_utf8_lossy(name);
    let stem = name.split('.').next().unwrap_or_default();
    if DIRECTORY_STEMS.contains(&stem) {
        String::from_utf8_lossy(path::split(folder).1).into_owned()
    } else {
        stem.to_owned()
    }
}

/// Returns true if an enclosing definition is named like a test inside a source file: `test`,
/// `tests` or `test_…`.
fn lies_in_tests(facts: &FileFacts, enclosing: Option<usize>) -> bool {
    facts.ancestors(enclosing).any(|at| {
        let name = facts.symbols[at].name.as_str();
        matches!(name, "test" | "tests") || name.starts_with("test_")
    })
}

/// Returns the name of a file without its extension, in lower case and without separators; for a
/// file that represents its directory, the name of the directory.
fn stem(path: &[u8]) -> String {
    let (folder, name) = path::split(path);
    let name = String::from_utf8_lossy(name);
    let stem = name.split_once('.').map_or(name.as_ref(), |(stem, _)| stem);
    if DIRECTORY_STEMS.contains(&stem) {
        folded(&String::from_utf8_lossy(path::split(folder).1))
    } else {
        folded(stem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_represent_directories_use_the_directory_name() {
        assert_eq!(stem(b"shop/__init__.py"), "shop");
        assert_eq!(stem(b"src/http_client.rs"), "httpclient");
        assert_eq!(stem(b"main.go"), "");
    }
}
