//! The tests of the definitions that a task is about, from the test graph; of the best files, if
//! there are no definitions. No test is run.

use std::collections::BTreeSet;

use super::admit::Candidate;
use super::bundle::{Entry, Test};
use super::symbols::SelectedSymbols;
use super::{Detail, Options, Sources};
use crate::base::ids::FileId;
use crate::base::path;
use crate::catalog::Catalog;
use crate::context::ranking::RankedFile;
use crate::error::Result;
use crate::graph::link::SymbolAt;
use crate::source::secret::is_secret;
use crate::testmap::files;
use crate::testmap::fixtures::Tests;
use crate::testmap::runner::command;
use crate::testmap::score::Source;
use crate::testmap::select::Ranked;
use crate::testmap::tree::Tree as _;

/// Number of definitions whose tests are listed.
const DEFINITIONS_MAX: usize = 2;

/// Number of files whose tests are listed: those named after them, or if no test of a definition was found, also
/// those that import them.
const FILES_MAX: usize = 3;

/// Minimum score of such a file, relative to the best one.
const SHARE_MIN: f32 = 0.5;

/// Number of tests of a file that are named, and the minimum probability of each.
const NAMES_MAX: usize = 3;
const NAMED_PROBABILITY_MIN: f32 = 0.4;

/// Minimum probability of a listed test file.
const PROBABILITY_MIN: f32 = 0.2;

/// Maximum length of the name of a test that is shown, in bytes.
const NAME_BYTES_MAX: usize = 120;

/// Maximum number of bytes of a manifest that are read.
const MANIFEST_BYTES_MAX: usize = 256 << 10;

/// Value of the first test.
const VALUE: f32 = 8.0;

/// Returns the tests as candidates, most certain first.
pub(super) fn candidates(
    sources: &Sources<'_>,
    selected: &SelectedSymbols,
    ranked: &[RankedFile],
    options: &Options,
) -> Result<Vec<Candidate>> {
    let (catalog, detail, scope) = (sources.catalog, options.detail, options.scope());
    let top = ranked.first().map_or(0.0, |first| first.score);
    if detail == Detail::Lean || ranked.is_empty() {
        return Ok(Vec::new());
    }
    let tests = Tests::brief(catalog);
    // The test files in the order of the definitions, then of the files, each with the names of tests.
    let mut found: Vec<Vec<(FileId, Source, Vec<String>)>> = Vec::new();
    for at in definitions(catalog, selected) {
        let files = files::of_definition(&tests, at).into_iter();
        let likely = files.filter(|of| of.probability >= PROBABILITY_MIN);
        found.push(likely.map(|of| (of.file, of.source, names(&tests, &of.tests))).collect());
    }
    let has_none = found.iter().all(Vec::is_empty);
    // Tests of files with a low score are not relevant.
    let fitting = ranked.iter().take_while(|of| of.score >= SHARE_MIN * top);
    let fitting = fitting.filter(|of| !catalog.is_test(of.file)).take(FILES_MAX);
    found.extend(fitting.map(|of| {
        let files = files::of_file(catalog, of.file).into_iter();
        let files = files.filter(|(_, source)| has_none || *source == Source::Fallback);
        files.map(|(file, source)| (file, source, Vec::new())).collect()
    }));
    let first: BTreeSet<FileId> = ranked.iter().take(FILES_MAX).map(|of| of.file).collect();
    let mut shown = BTreeSet::new();
    let mut candidates = Vec::new();
    for (place, found) in found.into_iter().enumerate() {
        for (number, (file, source, names)) in found.into_iter().take(detail.tests()).enumerate() {
            let is_listed = first.contains(&file) && !catalog.is_test(file);
            let path = catalog.path(file);
            let is_allowed = scope.contains(path) && !is_secret(path);
            if is_listed || !is_allowed || !shown.insert(file) {
                continue;
            }
            let path = path::shown(path);
            let read = |manifest: &str| {
                let at = catalog.files().find(manifest.as_bytes())?;
                let text = catalog.read(FileId::new(at), MANIFEST_BYTES_MAX)?;
                Some(String::from_utf8_lossy(&text).into_owned())
            };
            let language = catalog.summary(file)?.and_then(|of| of.language);
            let command = command(&path, language.map(|of| of.name), read);
            let test = |names: &[String], command| {
                let (path, names) = (path.clone(), names.to_vec());
                Entry::Test(Test { path, why: source.words(), names, command })
            };
            let value = VALUE / (1.0 + 0.3 * place as f32) / (1.0 + 0.5 * number as f32);
            let mut forms = vec![(0.7 * value, test(&[], None))];
            if !names.is_empty() {
                forms.push((0.9 * value, test(&names, None)));
            }
            if command.is_some() {
                forms.push((value, test(&names, command)));
            }
            candidates.push(Candidate { forms });
        }
    }
    Ok(candidates)
}

/// Returns the names of the most likely tests of a file.
fn names(tests: &Tests<'_>, ranked: &[Ranked]) -> Vec<String> {
    let likely = ranked.iter().filter(|of| of.probability >= NAMED_PROBABILITY_MIN);
    let name = |of: &Ranked| {
        let test = tests.get(of.test)?;
        let is_short = test.name.len() <= NAME_BYTES_MAX;
        is_short.then_some(test.name)
    };
    let mut names: Vec<String> = Vec::new();
    for name in likely.filter_map(name) {
        if names.len() < NAMES_MAX && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns the first definitions outside of tests: those that the task names, then those found by its words.
fn definitions(catalog: &Catalog, selected: &SelectedSymbols) -> Vec<SymbolAt> {
    selected.first().filter(|at| !catalog.is_test(at.file)).take(DEFINITIONS_MAX).collect()
}
