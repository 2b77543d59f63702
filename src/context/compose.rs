//! Selects the entries of a bundle that are worth their tokens, and orders them.
//!
//! [`bundle`] is the data. `symbols`, `chains`, `snippets`, `calls`, `test_files`, `companions` and `keywords`
//! propose candidate entries with values, `vague` notes that nothing decides, `admit` selects those that fit, `render` writes them, `page` shows them to
//! people. Equal task, tree and budget give equal bytes.
//!
//! A line or a location is shown only if the file still has the text from which the catalog's facts
//! were extracted; of a file that changed since, only the path is shown.

pub mod bundle;

mod admit;
mod calls;
mod chains;
mod companions;
mod free_words;
mod keywords;
mod page;
mod render;
mod snippets;
mod symbols;
mod test_files;
mod vague;

pub use admit::{Choice, Form};
pub use bundle::Bundle;

use super::changed::Changed;
use super::evidence;
use super::ranking::{RankedFile, Scope, rank_files};
use super::task::Task;
use crate::answer::texts::Texts;
use crate::base::ids::FileId;
use crate::base::path;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::history::History;
use crate::index::text::Overlay;
use crate::query::fuzzy::PathIndex;
use crate::rank::Weights;
use crate::source::secret::is_secret;
use admit::Candidate;
use bundle::Entry;

/// Default number of files of a bundle.
pub const FILES: usize = 8;

/// Number of files that are shown whatever their score, and the minimum score of the others relative to the best one.
const FILES_CERTAIN: usize = 5;
const FILE_SHARE_MIN: f32 = 0.5;

/// Bonus of a changed file, as a share of the best file's score.
const CHANGED_SHARE: f32 = 0.6;

/// Number of changed files up to which each gets the full bonus.
const CHANGED_FEW: f32 = 8.0;

/// Maximum number of reasons shown for a file.
const WHY_MAX: usize = 2;

/// Level of detail of a bundle.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Detail {
    /// Files and the heads of definitions.
    Lean,
    /// What is worth its tokens.
    #[default]
    Normal,
    /// More and longer texts.
    Full,
}

impl Detail {
    /// Maximum number of definitions shown completely.
    fn bodies(self) -> usize {
        [0, 6, 12][self as usize]
    }

    /// Maximum number of lines of such a definition.
    fn body_lines(self) -> usize {
        [0, 60, 80][self as usize]
    }

    /// Maximum number of snippets.
    fn snippets(self) -> usize {
        [0, 6, 16][self as usize]
    }

    /// Maximum number of snippets of one definition.
    fn snippets_of_one(self) -> usize {
        [0, 2, 16][self as usize]
    }

    /// Maximum number of files with callers, for all definitions together.
    fn callers(self) -> usize {
        [0, 4, 20][self as usize]
    }

    /// Maximum number of calls shown per file.
    fn sites(self) -> usize {
        [0, 6, 12][self as usize]
    }

    /// Maximum number of tests shown per file.
    fn tests(self) -> usize {
        [0, 2, 4][self as usize]
    }

    /// Factor on the minimum value per token of an entry.
    fn value_min_factor(self) -> f32 {
        [1.0, 1.0, 0.2][self as usize]
    }
}

/// Options of a bundle.
#[derive(Clone, Debug)]
pub struct Options {
    /// Token budget of the reply.
    pub max_tokens: usize,
    /// Maximum number of files.
    pub max_files: usize,
    /// Repository paths of files or directories to restrict the reply to; empty for no restriction.
    pub within: Vec<Vec<u8>>,
    /// Repository paths of files or directories to exclude.
    pub exclude: Vec<Vec<u8>>,
    /// Level of detail.
    pub detail: Detail,
}

impl Options {
    /// Returns the path filter.
    pub fn scope(&self) -> Scope<'_> {
        Scope { within: &self.within, exclude: &self.exclude }
    }
}

/// The paths of a tree, indexed for fuzzy look-ups.
#[derive(Clone, Copy)]
pub struct Paths<'a> {
    /// The fuzzy index.
    pub index: &'a PathIndex,
    /// Returns the path at a position of the index.
    pub path: &'a (dyn Fn(usize) -> &'a [u8] + Sync),
}

/// Returns the paths of a tree, if available. Called only for a path without a match.
pub type PathNames<'a> = &'a (dyn Fn() -> Option<Paths<'a>> + Sync);

/// The sources of a bundle.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// The catalog of the tree.
    pub catalog: &'a Catalog,
    /// The text index, if there is one.
    pub text: Option<&'a Overlay>,
    /// The commit log, if there is one.
    pub history: Option<&'a History>,
    /// The paths of the tree.
    pub path_names: PathNames<'a>,
    /// The change that the task is about; empty if none.
    pub changed: &'a Changed,
}

/// Returns all candidate entries of a bundle for a task.
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] if an index is damaged.
pub fn choose(sources: &Sources<'_>, task: &Task, options: &Options) -> Result<Choice> {
    let catalog = sources.catalog;
    let Options { max_files, detail, .. } = *options;
    let weights = &Weights::DEFAULT;
    let looked_up = evidence::Sources { catalog, text: sources.text, history: sources.history };
    let mut found = evidence::gather(looked_up, task, weights)?;
    let ranked = rank_files(looked_up, &mut found, task, weights, options.scope())?;
    let mut ranked = with_changed(sources, ranked, options)?;
    // A file with facts is no secret: facts of secrets are not extracted.
    let has_facts = |file| catalog.marks_if_indexed(file).is_ok_and(|marks| marks.is_some());
    ranked.retain(|of| has_facts(of.file) || !is_secret(catalog.path(of.file)));
    let words = free_words::free_words(catalog, task, &found.query)?;
    let mut texts = Texts::as_indexed(catalog);
    let selected = symbols::select(sources, &mut texts, &found, &ranked, max_files, detail)?;
    let mut candidates = symbols::candidates(sources, &mut texts, &selected, detail)?;
    let used = weights.for_task(task.kind(), task.words());
    let listed = listed(&ranked, max_files);
    candidates.extend(files(sources, &ranked[..listed], &used, max_files));
    let listed: Vec<FileId> = ranked.iter().take(listed).map(|of| of.file).collect();
    let query = snippets::SnippetQuery {
        task,
        found: &found,
        ranked: &ranked,
        selected: &selected,
        words: &words,
        files_max: max_files,
        detail,
    };
    let snippets = || snippets::candidates(sources, &mut texts, query);
    let calls = || {
        let mut texts = Texts::as_indexed(catalog);
        calls::candidates(sources, &mut texts, &selected, &ranked, options)
    };
    let chains = || {
        let mut texts = Texts::as_indexed(catalog);
        chains::candidates(sources, &mut texts, task, &selected, options)
    };
    let tests = || test_files::candidates(sources, &selected, &ranked, options);
    // With files it cannot be a miss, so the keywords can be computed in parallel.
    let keywords = || {
        if ranked.is_empty() {
            Ok(None)
        } else {
            keywords::keywords(sources, task, &found, &words).map(Some)
        }
    };
    let ((calls, (tests, chains)), (keywords, snippets)) = rayon::join(
        || rayon::join(calls, || (tests(), chains())),
        || rayon::join(keywords, snippets),
    );
    let (chains, chain_note) = chains?;
    candidates.extend(chains);
    candidates.extend(snippets?);
    candidates.extend(calls?);
    candidates.extend(tests?);
    candidates.extend(companions::candidates(sources, &ranked, &listed, options));
    let vague_note = vague::note(sources, task, &ranked, &words, options);
    let is_shortened = vague_note.is_some() && detail != Detail::Full;
    if is_shortened {
        candidates.retain(|of| matches!(of.forms.last(), Some((_, Entry::File(_)))));
    }
    let has_more_detail = is_shortened || has_more_detail(&candidates, detail);
    let is_miss = ranked.is_empty() && candidates.is_empty();
    // On a miss, words are not useful keywords.
    let words = if is_miss { &[][..] } else { &words };
    let keywords = match keywords? {
        Some(keywords) => keywords,
        None => keywords::keywords(sources, task, &found, words)?,
    };
    let message = if is_miss { Some(keywords::miss(sources, task, &keywords)?) } else { None };
    Ok(Choice {
        keywords,
        message,
        candidates,
        chain_note,
        vague_note,
        budget: options.max_tokens,
        value_min_factor: detail.value_min_factor(),
        has_more_detail,
    })
}

/// Returns true if full detail has the text of a definition that is shown by its head, or more
/// snippets.
fn has_more_detail(candidates: &[Candidate], detail: Detail) -> bool {
    let is_head = |of: &&Candidate| match of.forms.last() {
        Some((_, Entry::Symbol(of))) => {
            of.body.is_none() && of.end_line - of.line.min(of.end_line) < Detail::Full.body_lines()
        }
        _ => false,
    };
    let snippets =
        candidates.iter().filter(|of| matches!(of.forms.last(), Some((_, Entry::Snippet(_)))));
    detail != Detail::Full
        && (candidates.iter().any(|of| is_head(&of))
            || snippets.count() >= detail.snippets().max(1))
}

/// Adds the bonus of changed files, and changed files that were not ranked.
fn with_changed(
    sources: &Sources<'_>,
    mut ranked: Vec<RankedFile>,
    options: &Options,
) -> Result<Vec<RankedFile>> {
    let Sources { catalog, changed, .. } = *sources;
    if changed.files.is_empty() {
        return Ok(ranked);
    }
    let top = ranked.first().map_or(1.0, |first| first.score);
    let few = (CHANGED_FEW / changed.files.len() as f32).sqrt().min(1.0);
    let scope = options.scope();
    for &file in changed.files.iter().filter(|&&file| scope.contains(catalog.path(file))) {
        let summary = catalog.summary(file)?.unwrap_or_default();
        let is_code = summary.language.is_some_and(|language| language.is_code());
        let is_lesser = summary.marks.rank() > 0 || !is_code;
        let worth = top * CHANGED_SHARE * few * if is_lesser { 0.5 } else { 1.0 };
        match ranked.iter_mut().find(|ranked| ranked.file == file) {
            Some(ranked) => ranked.score += worth,
            None => {
                let evidence = crate::rank::Evidence::default();
                ranked.push(RankedFile { file, score: worth, unreduced: worth, evidence });
            }
        }
    }
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.file.cmp(&b.file)));
    Ok(ranked)
}

/// Returns the number of ranked files that are shown; with a high `max_files`, all up to it.
fn listed(ranked: &[RankedFile], max_files: usize) -> usize {
    let least = ranked.first().map_or(0.0, |first| FILE_SHARE_MIN * first.score);
    let is_likely = |(place, of): &(usize, &RankedFile)| {
        max_files > FILES || *place < FILES_CERTAIN || of.score >= least
    };
    ranked.iter().enumerate().take(max_files).take_while(is_likely).count()
}

/// Returns files as candidates, best first.
fn files(
    sources: &Sources<'_>,
    ranked: &[RankedFile],
    weights: &Weights,
    max_files: usize,
) -> Vec<Candidate> {
    let candidate = |(place, ranked): (usize, &RankedFile)| {
        let path = path::shown(sources.catalog.path(ranked.file));
        let score = (ranked.score * 1000.0).round() / 1000.0;
        let why = why(ranked, weights, sources.changed.files.binary_search(&ranked.file).is_ok());
        // With a high `max_files`, the value decreases more slowly.
        let late = place as f32 * FILES as f32 / max_files.max(FILES) as f32;
        let value = 100.0 / (1.0 + 0.7 * late);
        let file = |why: &[String]| {
            Entry::File(bundle::File { path: path.clone(), score, why: why.to_vec() })
        };
        let mut forms = vec![(0.9 * value, file(&why[..why.len().min(1)]))];
        if why.len() > 1 {
            forms.push((value, file(&why)));
        }
        Candidate { forms }
    };
    ranked.iter().enumerate().map(candidate).collect()
}

/// Returns the reasons for a file. A use of a name that the file defines is redundant and omitted.
fn why(ranked: &RankedFile, weights: &Weights, is_changed: bool) -> Vec<String> {
    let all = weights.why(&ranked.evidence);
    let defined: Vec<String> =
        all.iter().filter_map(|why| why.strip_prefix("def:")).map(str::to_owned).collect();
    let is_new = |why: &String| {
        let used = why.strip_prefix("uses:");
        used.is_none_or(|used| !defined.iter().any(|name| name == used))
    };
    let changed = is_changed.then(|| "changed".to_owned());
    changed.into_iter().chain(all.into_iter().filter(is_new)).take(WHY_MAX).collect()
}
