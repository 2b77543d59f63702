//! Ranks files and functions by the weighted evidence for a task.

use std::collections::{BTreeMap, BTreeSet};

use super::definitions::{Focus, focus};
use super::evidence::{Sources, TaskEvidence};
use super::purpose::{Requests, is_aside, is_changelog};
use super::task::Task;
use crate::base::ids::FileId;
use crate::base::path::is_within;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::link::{FileFacts, SymbolAt};
use crate::lang::SymbolKind;
use crate::lang::facts::ImportKind;
use crate::rank::{Evidence, Signal, TaskKind, Traits, Weights};

/// Number of top files whose co-changed files get [`Signal::Together`].
const LEADERS: usize = 4;

/// Number of top files that are read for [`Signal::Definition`] and [`Signal::Proximity`], and of which those that only
/// re-export are reduced.
const READ_FILES: usize = 24;

/// Factor for files that only re-export.
const BARREL: f32 = 0.6;

/// Number of top files whose functions are ranked.
const FILES_WITH_FUNCTIONS: usize = 50;

/// A filter on paths.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope<'a> {
    /// Repository paths of files or directories that contain all results; empty for no restriction.
    pub within: &'a [Vec<u8>],
    /// Repository paths of files or directories that contain no result.
    pub exclude: &'a [Vec<u8>],
}

impl Scope<'_> {
    /// Returns true if the file at `path` passes the filter.
    pub fn contains(&self, path: &[u8]) -> bool {
        let lies_in = |folders: &[Vec<u8>]| folders.iter().any(|folder| is_within(path, folder));
        (self.within.is_empty() || lies_in(self.within)) && !lies_in(self.exclude)
    }
}

/// A file with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedFile {
    /// The file.
    pub file: FileId,
    /// Relevance; comparable within one ranking only.
    pub score: f32,
    /// The score without the factors for the kind of file.
    pub unreduced: f32,
    /// The evidence from which the score is computed.
    pub evidence: Evidence,
}

/// Returns the files with a positive score, best first; ties are broken by path. Moves their
/// evidence out of `found`. O(f log f) for f files in `found`.
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] if an index is damaged.
pub fn rank_files(
    sources: Sources<'_>,
    found: &mut TaskEvidence,
    task: &Task,
    weights: &Weights,
    scope: Scope<'_>,
) -> Result<Vec<RankedFile>> {
    let catalog = sources.catalog;
    let weights = &weights.for_task(task.kind(), task.words());
    let requests = Requests::of(task);
    let score =
        |file, evidence: &Evidence, traits| weights.score(evidence, traits) * catalog.prior(file);
    let mut scored = Vec::with_capacity(found.files.len());
    for (&file, evidence) in &found.files {
        if scope.contains(catalog.path(file)) {
            let traits = traits(catalog, file, requests)?;
            scored.push(Scored { file, score: score(file, evidence, traits), traits });
        }
    }
    sort(&mut scored);
    if let Some(history) = sources.history {
        let best = scored.first().map_or(1.0, |first| first.score);
        let mut together: BTreeSet<FileId> = BTreeSet::new();
        for leader in scored.iter().take(LEADERS).take_while(|leader| leader.score > 0.0) {
            for (path, share) in history.changed_with(catalog.path(leader.file)) {
                if let Some(file) = catalog.find(path) {
                    let evidence = found.files.entry(file).or_default();
                    evidence.add(Signal::Together, share as f32 * leader.score / best, None);
                    together.insert(file);
                }
            }
        }
        for scored in &mut scored {
            if together.remove(&scored.file) {
                scored.score = score(scored.file, &found.files[&scored.file], scored.traits);
            }
        }
        for file in together {
            if scope.contains(catalog.path(file)) {
                let traits = traits(catalog, file, requests)?;
                let score = score(file, &found.files[&file], traits);
                scored.push(Scored { file, score, traits });
            }
        }
        sort(&mut scored);
    }
    if task.kind() == TaskKind::Question {
        refine(catalog, found, &mut scored, weights)?;
    }
    for scored in scored.iter_mut().take(READ_FILES) {
        if is_barrel(catalog, scored.file, scored.traits) {
            scored.score *= BARREL;
        }
    }
    sort(&mut scored);
    scored.retain(|scored| scored.score > 0.0);
    let ranked = |Scored { file, score, .. }| {
        let evidence = found.files.remove(&file).unwrap_or_default();
        let code = Traits { is_code: true, ..Traits::default() };
        let unreduced = weights.score(&evidence, code) * catalog.prior(file);
        RankedFile { file, score, unreduced, evidence }
    };
    Ok(scored.into_iter().map(ranked).collect())
}

/// Adds the signals of a question that need a first ranking: [`Signal::Definition`] and
/// [`Signal::Proximity`] of the first [`READ_FILES`] files; the best of them has 1.
fn refine(
    catalog: &Catalog,
    found: &mut TaskEvidence,
    scored: &mut [Scored],
    weights: &Weights,
) -> Result<()> {
    let read: Vec<FileId> = scored.iter().take(READ_FILES).map(|of| of.file).collect();
    let focused = focus(catalog, found, &read)?;
    let most =
        |value: fn(&Focus) -> f32| focused.iter().map(value).fold(f32::MIN_POSITIVE, f32::max);
    let (definition, proximity) = (most(|of| of.definition), most(|of| of.proximity));
    for (file, of) in read.into_iter().zip(&focused) {
        let evidence = found.files.entry(file).or_default();
        evidence.add(Signal::Definition, of.definition / definition, None);
        evidence.add(Signal::Proximity, of.proximity / proximity, None);
    }
    for of in scored.iter_mut().take(READ_FILES) {
        let score = found.files.get(&of.file).map_or(0.0, |it| weights.score(it, of.traits));
        of.score = score * catalog.prior(of.file);
    }
    sort(scored);
    Ok(())
}

/// Returns true for code that defines nothing and re-exports or declares modules (`mod.rs`, `index.ts`).
fn is_barrel(catalog: &Catalog, file: FileId, traits: Traits) -> bool {
    let only_declares = |facts: &FileFacts| {
        let mut symbols = facts.symbols.iter();
        let re_exports = || facts.imports.iter().any(|of| of.kind == ImportKind::ReExport);
        let has_any = !facts.symbols.is_empty() || re_exports();
        has_any && symbols.all(|of| of.kind == SymbolKind::Module)
    };
    traits.is_code
        && !traits.marks.test
        && catalog.facts(file).ok().flatten().is_some_and(|facts| only_declares(&facts))
}

/// A file with its score and the properties that reduce it.
struct Scored {
    file: FileId,
    score: f32,
    traits: Traits,
}

/// Sorts best first; ties are broken by id, which follows the order of paths.
fn sort(scored: &mut [Scored]) {
    scored.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.file.cmp(&b.file)));
}

/// Returns the properties of a file that reduce its score.
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] if an index is damaged.
pub fn traits(catalog: &Catalog, file: FileId, requests: Requests) -> Result<Traits> {
    let summary = catalog.summary(file)?.unwrap_or_default();
    let is_code = summary.language.is_some_and(|language| language.is_code());
    let path = catalog.path(file);
    let (is_changelog, is_aside) = (is_changelog(path), is_aside(path, requests.asides));
    let requests_tests = requests.tests;
    Ok(Traits { marks: summary.marks, is_code, is_changelog, is_aside, requests_tests })
}

/// A function with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedFunction {
    /// The definition.
    pub at: SymbolAt,
    /// Relevance; comparable within one ranking only.
    pub score: f32,
}

/// Returns the relevant functions of the top files, best first; ties are broken by path, then by
/// position in the file. The score combines the file's score, the score of the function's lines,
/// and whether the task mentions its name. O(chunks + definitions found).
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] if an index is damaged.
pub fn rank_functions(
    catalog: &Catalog,
    found: &TaskEvidence,
    ranked: &[RankedFile],
    weights: &Weights,
) -> Result<Vec<RankedFunction>> {
    let best = ranked.first().map_or(1.0, |file| file.score).max(f32::EPSILON);
    let of_file: BTreeMap<FileId, f32> = ranked
        .iter()
        .take(FILES_WITH_FUNCTIONS)
        .map(|file| (file.file, file.score / best))
        .collect();
    let mut scores: BTreeMap<(FileId, u32), f32> = BTreeMap::new();
    for chunk in &found.chunks {
        if !of_file.contains_key(&chunk.file) {
            continue;
        }
        let Some(facts) = catalog.facts(chunk.file)? else { continue };
        for (place, symbol) in facts.symbols.iter().enumerate() {
            let is_inside = symbol.line < chunk.lines.end && chunk.lines.start <= symbol.end_line;
            if symbol.kind.is_callable() && is_inside {
                let score = scores.entry((chunk.file, place as u32)).or_default();
                *score = score.max(weights.function_text * chunk.score);
            }
        }
    }
    for &at in &found.definitions {
        if !of_file.contains_key(&at.file) {
            continue;
        }
        let Some(symbol) = catalog.symbol(at)? else { continue };
        if symbol.kind.is_callable() {
            *scores.entry((at.file, at.place)).or_default() += weights.function_named;
        }
    }
    let score = |((file, place), score): ((FileId, u32), f32)| RankedFunction {
        at: SymbolAt { file, place },
        score: score + weights.function_file * of_file[&file],
    };
    let mut functions: Vec<RankedFunction> = scores.into_iter().map(score).collect();
    // The map iterates in order of paths and positions; the stable sort keeps it for ties.
    functions.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(functions)
}
