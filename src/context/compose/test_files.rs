//! The tests of the definitions that a task is about, from the test graph; of the best files, if
//! there are no definitions. No test is run.

use std::collections::BTreeSet;

use super::admit::Candidate;
use super::bundle::{Entry, Test};
use super::symbols::SelectedSymbols;
use super::{Detail, Sources};
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
use crate::testmap::tree::Tree as _;

/// Number of definitions whose tests are listed, if the task names them and if its words found them.
const NAMED_MAX: usize = 2;
const BY_WORDS_MAX: usize = 1;

/// Number of files whose tests are listed if no test of a definition was found.
const FILES_MAX: usize = 3;

/// Minimum score of such a file, relative to the best one.
const SHARE_MIN: f32 = 0.5;

/// Minimum probability of a listed test file.
const PROBABILITY_MIN: f32 = 0.2;

/// Maximum number of bytes of a manifest that are read.
const MANIFEST_BYTES_MAX: usize = 256 << 10;

/// Value of the first test.
const VALUE: f32 = 8.0;

/// Returns the tests as candidates, most certain first.
pub(super) fn candidates(
    sources: &Sources<'_>,
    selected: &SelectedSymbols,
    ranked: &[RankedFile],
    detail: Detail,
) -> Result<Vec<Candidate>> {
    let catalog = sources.catalog;
    let top = ranked.first().map_or(0.0, |first| first.score);
    if detail == Detail::Lean || ranked.is_empty() {
        return Ok(Vec::new());
    }
    let tests = Tests::brief(catalog);
    let mut found: Vec<Vec<(FileId, Source)>> = Vec::new();
    for at in definitions(catalog, selected) {
        let files = files::of_definition(&tests, at).into_iter();
        let likely = files.filter(|of| of.probability >= PROBABILITY_MIN);
        found.push(likely.map(|of| (of.file, of.source)).collect());
    }
    if found.iter().all(Vec::is_empty) {
        // Tests of files with a low score are not relevant.
        let fitting = ranked.iter().take_while(|of| of.score >= SHARE_MIN * top);
        found = fitting.take(FILES_MAX).map(|of| files::of_file(catalog, of.file)).collect();
    }
    let first: BTreeSet<FileId> = ranked.iter().take(FILES_MAX).map(|of| of.file).collect();
    let mut shown = BTreeSet::new();
    let mut candidates = Vec::new();
    for (place, found) in found.into_iter().enumerate() {
        for (number, (file, source)) in found.into_iter().take(detail.tests()).enumerate() {
            let is_listed = first.contains(&file) && !catalog.is_test(file);
            if is_listed || is_secret(catalog.path(file)) || !shown.insert(file) {
                continue;
            }
            let path = path::shown(catalog.path(file));
            let read = |manifest: &str| {
                let at = catalog.files().find(manifest.as_bytes())?;
                let text = catalog.read(FileId::new(at), MANIFEST_BYTES_MAX)?;
                Some(String::from_utf8_lossy(&text).into_owned())
            };
            let language = catalog.summary(file)?.and_then(|of| of.language);
            let command = command(&path, language.map(|of| of.name), read);
            let test =
                |command| Entry::Test(Test { path: path.clone(), why: source.words(), command });
            let value = VALUE / (1.0 + 0.5 * place as f32) / (1.0 + 0.5 * number as f32);
            let mut forms = vec![(0.7 * value, test(None))];
            if command.is_some() {
                forms.push((value, test(command)));
            }
            candidates.push(Candidate { forms });
        }
    }
    Ok(candidates)
}

/// Returns the first definitions outside of tests: those that the task names, or else those found by
/// its words.
fn definitions(catalog: &Catalog, selected: &SelectedSymbols) -> Vec<SymbolAt> {
    let by_words = selected.by_words.iter().map(|(at, _)| *at);
    let (all, max): (Vec<SymbolAt>, usize) = if selected.named.is_empty() {
        (by_words.collect(), BY_WORDS_MAX)
    } else {
        (selected.named.clone(), NAMED_MAX)
    };
    all.into_iter().filter(|at| !catalog.is_test(at.file)).take(max).collect()
}
