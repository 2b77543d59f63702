//! Runs the tool on a task and compares the reply with the key.

use std::time::Instant;

use serde::{Serialize, Serializer};

use super::key::{Key, Part, set_owners};
use super::shown::entries;
use super::tasks::Task;
use super::tokens::{Tokens, attribute};
use crate::base::ids::FileId;
use crate::base::path;
use crate::catalog::code::Code;
use crate::context;
use crate::context::evidence::{Sources, gather};
use crate::context::ranking::{Scope, rank_files};
use crate::engine::Local;
use crate::error::Result;
use crate::eval::baselines::WordCache;
use crate::eval::causes::{Failure, Ranking, title};
use crate::rank::Weights;
use crate::tools::Call;
use crate::tools::context::{Args, text_and_bundle};

/// An item of a key that is not in the reply.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Missing {
    /// The part of the key.
    pub part: Part,
    /// The item as the key has it.
    pub item: String,
}

/// How many of the items of a part are in the reply.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Recall {
    /// Those in the reply.
    pub found: usize,
    /// All of them.
    pub expected: usize,
}

/// The result of a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// The id of the task.
    pub id: String,
    /// The name of its tree.
    pub tree: String,
    /// The language of its tree.
    pub language: String,
    /// Recall by part, in the order of [`Part::ALL`].
    #[serde(serialize_with = "by_part")]
    pub recall: [Recall; 4],
    /// The tokens of the reply.
    pub tokens: Tokens,
    /// The token budget.
    pub budget: usize,
    /// The time of the call on a warm engine, in milliseconds.
    pub elapsed_ms: f64,
    /// What the reply lacks, in the order of the key.
    pub missing: Vec<Missing>,
    /// The files of the key that are not in the reply, with causes.
    pub failures: Vec<Failure>,
    /// The first line of the task.
    pub title: String,
    /// The file that ranks first.
    pub first: Option<String>,
    /// The reasons for it.
    pub why: Vec<String>,
    /// The reply.
    #[serde(skip)]
    pub reply: String,
    /// For each of its lines, whether it has tokens of use.
    #[serde(skip)]
    pub useful_lines: Vec<bool>,
    /// Items of the key that are not in the tree, with reasons. They are not measured.
    pub absent: Vec<String>,
    /// Definitions of the key that the index does not have.
    pub unlisted: Vec<String>,
}

/// Serializes recall as a map by part.
pub(super) fn by_part<S: Serializer>(
    recall: &[Recall; 4],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(Part::ALL.iter().zip(recall))
}

/// Measures a task on an indexed tree. O(a call + text of the reply × its entries), and O(files of the tree) if
/// the reply lacks a file. `words` stays the same for a tree.
///
/// # Errors
///
/// Those of the tool, and if the index cannot be read.
pub fn measure(
    code: &Local<'_>,
    words: &mut WordCache,
    task: &Task,
    language: &str,
    budget: usize,
) -> Result<Measured> {
    let key = Key::of(code.catalog(&[])?, task)?;
    let args = Args { task: task.task.clone(), max_tokens: Some(budget), ..Args::default() };
    // The first call fills the caches.
    text_and_bundle(&Call::new(code, 0), args.clone())?;
    let started = Instant::now();
    let (text, bundle) = text_and_bundle(&Call::new(code, 0), args)?;
    let elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
    let mut entries = entries(&bundle)?;
    set_owners(code.catalog(&[])?, &mut entries)?;
    let is_useful: Vec<bool> = entries.iter().map(|entry| key.uses(entry)).collect();
    let (tokens, useful_lines) = attribute(&text, &entries, &is_useful, &key.files());
    let mut measured = Measured {
        id: task.id.clone(),
        tree: task.tree.clone(),
        language: language.to_owned(),
        tokens,
        useful_lines,
        budget,
        elapsed_ms,
        absent: key.absent.clone(),
        unlisted: key.unlisted.clone(),
        ..Measured::default()
    };
    for item in &key.items {
        let recall = &mut measured.recall[item.part as usize];
        recall.expected += 1;
        if item.is_in(&text, &entries) {
            recall.found += 1;
        } else {
            measured.missing.push(Missing { part: item.part, item: item.text.clone() });
        }
    }
    measured.reply = text;
    explain(code, words, &task.task, &mut measured)?;
    Ok(measured)
}

/// Adds the causes of missing files, from the ranking of the reply.
fn explain(
    code: &Local<'_>,
    words: &mut WordCache,
    text: &str,
    measured: &mut Measured,
) -> Result<()> {
    let weights = &Weights::DEFAULT;
    let (catalog, task) = (code.catalog(&[])?, context::task::Task::new(text));
    let (overlay, history) = (code.ranking()?, code.history()?);
    let sources = Sources { catalog, text: overlay.as_deref(), history: history.as_deref() };
    let mut found = gather(sources, &task, weights)?;
    let ranked = &rank_files(sources, &mut found, &task, weights, Scope::default())?;
    let missing = measured.missing.iter().filter(|missing| missing.part == Part::Files);
    let files: Vec<FileId> =
        missing.filter_map(|missing| catalog.find(missing.item.as_bytes())).collect();
    let ranking = Ranking { catalog, text, task: &task, ranked, weights };
    measured.failures = ranking.failures(&files, words)?;
    if let Some(first) = ranked.first() {
        measured.first = Some(path::shown(catalog.path(first.file)));
        measured.why = weights.for_task(task.kind(), task.words()).why(&first.evidence);
    }
    measured.title = title(text);
    Ok(())
}
