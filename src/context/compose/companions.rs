//! Files that probably change with the best ones, though the task says little about them: files that changed with them
//! in the same commits, and documents and tests with the words of the task.
//!
//! They are companions, not evidence, and are shown apart from the files.

use std::collections::BTreeSet;

use super::admit::Candidate;
use super::bundle::{Companion, Entry};
use super::{Detail, Options, Sources};
use crate::base::ids::FileId;
use crate::base::path;
use crate::catalog::Catalog;
use crate::context::ranking::RankedFile;
use crate::source::secret::is_secret;

/// Number of the best files whose commits are examined, and their minimum score relative to the best one.
const LEADERS_MAX: usize = 2;
const LEADER_SHARE_MIN: f32 = 0.8;

/// Minimum share of the commits of a leader that changed a companion too, as [`History::changed_with`] computes it:
/// one commit is not enough.
///
/// [`History::changed_with`]: crate::history::History::changed_with
const TOGETHER_MIN: f64 = 0.35;

/// Number of files that changed together, of documents and of tests.
const TOGETHER_MAX: usize = 3;
const DOCUMENTS_MAX: usize = 2;
const TESTS_MAX: usize = 2;

/// Without the factor for its kind, a document or a test has at least the score of the file at this place.
const PLACE_MAX: usize = 4;

/// Value of the first companion.
const VALUE: f32 = 8.0;

/// Returns the companions of the first `listed` ranked files as candidates, most likely first. O(changes of the
/// commits of the leaders + ranked files).
pub(super) fn candidates(
    sources: &Sources<'_>,
    ranked: &[RankedFile],
    listed: &[FileId],
    options: &Options,
) -> Vec<Candidate> {
    if options.detail == Detail::Lean || ranked.is_empty() {
        return Vec::new();
    }
    let (catalog, scope) = (sources.catalog, options.scope());
    let is_allowed = |file: FileId| {
        let path = catalog.path(file);
        scope.contains(path) && !is_secret(path)
    };
    let mut shown: BTreeSet<FileId> = listed.iter().copied().collect();
    let mut found: Vec<(FileId, String)> = Vec::new();
    let top = ranked[0].score;
    if let Some(history) = sources.history {
        let is_leader = |of: &&RankedFile| of.score >= LEADER_SHARE_MIN * top;
        let leaders = ranked.iter().take(LEADERS_MAX).take_while(is_leader);
        let mut together: Vec<(f64, FileId, &[u8])> = Vec::new();
        for leader in leaders {
            let of = catalog.path(leader.file);
            for (path, share) in history.changed_with(of) {
                let file = catalog.find(path).filter(|_| share >= TOGETHER_MIN);
                together.extend(file.map(|file| (share, file, of)));
            }
        }
        together.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, file, of) in together {
            if found.len() < TOGETHER_MAX && is_allowed(file) && shown.insert(file) {
                let name = path::shown(path::split(of).1);
                found.push((file, format!("often changed with {name}")));
            }
        }
    }
    let least = ranked.get(PLACE_MAX).or(ranked.last()).map_or(0.0, |of| of.score);
    let mut by_words: Vec<&RankedFile> =
        ranked.iter().filter(|of| of.unreduced > of.score && of.unreduced >= least).collect();
    by_words.sort_by(|a, b| b.unreduced.total_cmp(&a.unreduced).then(a.file.cmp(&b.file)));
    let (mut documents, mut tests) = (0, 0);
    for of in by_words {
        let (count, max, why) = match kind(catalog, of.file) {
            Some(Kind::Test) => (&mut tests, TESTS_MAX, "a test with the words"),
            Some(Kind::Document) => (&mut documents, DOCUMENTS_MAX, "has the words"),
            None => continue,
        };
        if *count < max && is_allowed(of.file) && shown.insert(of.file) {
            *count += 1;
            found.push((of.file, why.to_owned()));
        }
    }
    let candidate = |(place, (file, why)): (usize, (FileId, String))| {
        let path = path::shown(catalog.path(file));
        let value = VALUE / (1.0 + 0.3 * place as f32);
        Candidate { forms: vec![(value, Entry::Companion(Companion { path, why }))] }
    };
    found.into_iter().enumerate().map(candidate).collect()
}

/// A kind of file whose score is reduced, and that changes with sources.
enum Kind {
    Test,
    Document,
}

fn kind(catalog: &Catalog, file: FileId) -> Option<Kind> {
    let summary = catalog.summary(file).ok().flatten().unwrap_or_default();
    let is_code = summary.language.is_some_and(|language| language.is_code());
    match (summary.marks.ranks_last(), summary.marks.test, is_code) {
        (true, ..) => None,
        (_, true, _) => Some(Kind::Test),
        (_, _, false) => Some(Kind::Document),
        _ => None,
    }
}
