//! The tests of the best files, associated by convention: by name or by import. No test is run.

use super::admit::Candidate;
use super::bundle::{Entry, Test};
use super::{Detail, Sources};
use crate::answer::tests_of;
use crate::base::ids::FileId;
use crate::base::path;
use crate::context::ranking::RankedFile;
use crate::error::Result;
use crate::testmap::runner::command;

/// Number of files whose tests are listed.
const FILES_MAX: usize = 3;

/// Minimum score of such a file, relative to the best one.
const SHARE_MIN: f32 = 0.5;

/// Maximum number of bytes of a manifest that are read.
const MANIFEST_BYTES_MAX: usize = 256 << 10;

/// Value of the first test.
const VALUE: f32 = 8.0;

/// Returns the tests as candidates, most certain first.
pub(super) fn candidates(
    sources: &Sources<'_>,
    ranked: &[RankedFile],
    detail: Detail,
) -> Result<Vec<Candidate>> {
    let catalog = sources.catalog;
    let mut shown = Vec::new();
    let mut candidates = Vec::new();
    let top = ranked.first().map_or(0.0, |first| first.score);
    // Tests of files with a low score are not relevant.
    let fitting = ranked.iter().take_while(|of| of.score >= SHARE_MIN * top);
    let files: Vec<FileId> = fitting.take(FILES_MAX).map(|of| of.file).collect();
    if detail == Detail::Lean || files.is_empty() {
        return Ok(candidates);
    }
    for (place, found) in tests_of::of_files(catalog, &files)?.into_iter().enumerate() {
        for (number, (file, why)) in found.into_iter().take(detail.tests()).enumerate() {
            if shown.contains(&file) || files.contains(&file) {
                continue;
            }
            shown.push(file);
            let path = path::shown(catalog.path(file));
            let read = |manifest: &str| {
                let at = catalog.files().find(manifest.as_bytes())?;
                let text = catalog.read(FileId::new(at), MANIFEST_BYTES_MAX)?;
                Some(String::from_utf8_lossy(&text).into_owned())
            };
            let language = catalog.summary(file)?.and_then(|of| of.language);
            let command = command(&path, language.map(|of| of.name), read);
            let test = |command| {
                let (path, why) = (path.clone(), why.words());
                Entry::Test(Test { path, why, basis: "convention", command })
            };
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
