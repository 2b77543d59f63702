//! Chooses what of all that was found is worth its tokens, and puts it in order.
//!
//! Each part of a bundle has its file: [`bundle`] is the data, `symbols`, `snippets`, `calls`, `tested`
//! and `keywords` propose entries with what they are worth, `admit` takes those that fit, `render`
//! writes them. The same task, tree and budget give the same bytes.
//!
//! A line is quoted, and a place told, only where the file still has the text that the catalog speaks
//! of; of a file that changed since, nothing but its path is shown.

pub mod bundle;

mod admit;
mod calls;
mod free_words;
mod keywords;
mod render;
mod runner;
mod snippets;
mod symbols;
mod tested;

pub use admit::{Choice, Form};
pub use bundle::Bundle;

use super::changed::Changed;
use super::evidence;
use super::ranking::{RankedFile, Scope, rank_files};
use super::task::Task;
use crate::answer::texts::Texts;
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

/// Files of a bundle unless the caller says otherwise.
pub const FILES: usize = 5;

/// What being changed is worth, as a share of the best file's score.
const CHANGED_SHARE: f32 = 0.6;

/// Changed files up to which each is worth all of that.
const CHANGED_FEW: f32 = 8.0;

/// Reasons that are told of a file.
const WHY_MAX: usize = 2;

/// How much a bundle tells of each thing.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Detail {
    /// Files and the heads of definitions.
    Lean,
    /// What earns its tokens.
    #[default]
    Normal,
    /// More and longer texts.
    Full,
}

impl Detail {
    /// Returns how many definitions may be shown whole.
    fn bodies(self) -> usize {
        [0, 3, 12][self as usize]
    }

    /// Returns how many lines such a definition has at most.
    fn body_lines(self) -> usize {
        [0, 16, 80][self as usize]
    }

    /// Returns how many places are quoted.
    fn snippets(self) -> usize {
        [0, 4, 16][self as usize]
    }

    /// Returns how many files of callers are told, of all definitions together.
    fn callers(self) -> usize {
        [0, 4, 20][self as usize]
    }

    /// Returns how many calls of one file are told.
    fn sites(self) -> usize {
        [0, 4, 12][self as usize]
    }

    /// Returns how many tests of a file are told.
    fn tests(self) -> usize {
        [0, 1, 4][self as usize]
    }

    /// Returns what an entry must be worth, as a share of the usual.
    fn thrift(self) -> f32 {
        [1.0, 1.0, 0.2][self as usize]
    }
}

/// What a caller asks for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Tokens of the reply at most.
    pub max_tokens: usize,
    /// Files at most.
    pub max_files: usize,
    /// Repository paths of files or folders that the answer is to come from; all if empty.
    pub within: Vec<Vec<u8>>,
    /// Repository paths of files or folders that the caller has already.
    pub exclude: Vec<Vec<u8>>,
    /// How much is told of each thing.
    pub detail: Detail,
}

impl Options {
    /// Returns where files may come from.
    pub fn scope(&self) -> Scope<'_> {
        Scope { within: &self.within, exclude: &self.exclude }
    }
}

/// The paths of a tree, ready for fuzzy look-ups.
#[derive(Clone, Copy)]
pub struct Paths<'a> {
    /// Their names.
    pub index: &'a PathIndex,
    /// Returns the path of a place in the index.
    pub path: &'a (dyn Fn(usize) -> &'a [u8] + Sync),
}

/// Returns the paths of a tree, where they can be had; asked for only where a path means nothing.
pub type PathNames<'a> = &'a (dyn Fn() -> Option<Paths<'a>> + Sync);

/// Where a bundle comes from.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// What is known of the tree.
    pub catalog: &'a Catalog,
    /// The text index, where there is one.
    pub text: Option<&'a Overlay>,
    /// The log of commits, where there is one.
    pub history: Option<&'a History>,
    /// Its paths.
    pub path_names: PathNames<'a>,
    /// What changed, if that is what the task is about.
    pub changed: &'a Changed,
}

/// Finds all that a bundle for a task may be made of.
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] where an index is damaged.
pub fn choose(sources: &Sources<'_>, task: &Task, options: &Options) -> Result<Choice> {
    let catalog = sources.catalog;
    let Options { max_files, detail, .. } = *options;
    let weights = &Weights::DEFAULT;
    let looked_up = evidence::Sources { catalog, text: sources.text, history: sources.history };
    let mut found = evidence::gather(looked_up, task, weights)?;
    let ranked = rank_files(looked_up, &mut found, task, weights, options.scope())?;
    let mut ranked = with_changed(sources, ranked, options)?;
    ranked.retain(|of| !is_secret(catalog.path(of.file)));
    let words = free_words::free_words(catalog, task, &found.query)?;
    let mut texts = Texts::as_known(catalog);
    let meant = symbols::meant(sources, &found, &ranked, max_files, detail)?;
    let mut candidates = symbols::candidates(sources, &mut texts, &meant, detail)?;
    candidates.extend(files(sources, &ranked, max_files));
    let asked = snippets::Asked {
        task,
        found: &found,
        ranked: &ranked,
        meant: &meant,
        words: &words,
        files_max: max_files,
        detail,
    };
    let snippets = || snippets::candidates(sources, &mut texts, asked);
    let calls = || {
        let mut texts = Texts::as_known(catalog);
        calls::candidates(sources, &mut texts, &meant, &ranked, options)
    };
    let tested = || tested::candidates(sources, &ranked, detail);
    // Where files were found it is no miss, whatever else there is.
    let keywords = || match ranked.is_empty() {
        true => Ok(None),
        false => keywords::keywords(sources, task, &found, &words).map(Some),
    };
    let ((calls, tested), (keywords, snippets)) =
        rayon::join(|| (calls(), tested()), || rayon::join(keywords, snippets));
    candidates.extend(snippets?);
    candidates.extend(calls?);
    candidates.extend(tested?);
    let is_miss = ranked.is_empty() && candidates.is_empty();
    // Words that lead nowhere are none of use.
    let words = if is_miss { &[][..] } else { &words };
    let keywords = match keywords? {
        Some(keywords) => keywords,
        None => keywords::keywords(sources, task, &found, words)?,
    };
    let message = match is_miss {
        true => Some(keywords::miss(sources, task, &keywords)?),
        false => None,
    };
    Ok(Choice {
        keywords,
        message,
        candidates,
        budget: options.max_tokens,
        thrift: detail.thrift(),
    })
}

/// Adds to the files those that changed, which are worth more for it.
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
    for &file in changed.files.iter().filter(|&&file| scope.holds(catalog.path(file))) {
        let summary = catalog.summary(file)?.unwrap_or_default();
        let is_code = summary.language.is_some_and(|language| language.is_code());
        let is_lesser = summary.marks.rank() > 0 || !is_code;
        let worth = top * CHANGED_SHARE * few * if is_lesser { 0.5 } else { 1.0 };
        match ranked.iter_mut().find(|ranked| ranked.file == file) {
            Some(ranked) => ranked.score += worth,
            None => {
                let evidence = crate::rank::Evidence::default();
                ranked.push(RankedFile { file, score: worth, evidence });
            }
        }
    }
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.file.cmp(&b.file)));
    Ok(ranked)
}

/// Returns the best files in their forms.
fn files(sources: &Sources<'_>, ranked: &[RankedFile], max_files: usize) -> Vec<Candidate> {
    let candidate = |(place, ranked): (usize, &RankedFile)| {
        let path = path::shown(sources.catalog.path(ranked.file));
        let score = (ranked.score * 1000.0).round() / 1000.0;
        let why = why(ranked, sources.changed.files.binary_search(&ranked.file).is_ok());
        // Who asks for many files wants files.
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
    ranked.iter().take(max_files).enumerate().map(candidate).collect()
}

/// Returns what speaks for a file, shortened: who defines a name holds it, too.
fn why(ranked: &RankedFile, is_changed: bool) -> Vec<String> {
    let all = ranked.evidence.why();
    let defined: Vec<String> =
        all.iter().filter_map(|why| why.strip_prefix("def:")).map(str::to_owned).collect();
    let says_more = |why: &String| {
        let used = why.strip_prefix("uses:");
        used.is_none_or(|used| !defined.iter().any(|name| name == used))
    };
    let changed = is_changed.then(|| "changed".to_owned());
    changed.into_iter().chain(all.into_iter().filter(says_more)).take(WHY_MAX).collect()
}
