//! Runs the tool on a task and compares the reply with the key.

use std::time::Instant;

use serde::{Serialize, Serializer};

use super::key::{Key, Part};
use super::shown::entries;
use super::tasks::Task;
use super::tokens::{Tokens, attribute};
use crate::catalog::code::Code;
use crate::engine::Local;
use crate::error::Result;
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

/// Measures a task on an indexed tree. O(a call + text of the reply × its entries).
///
/// # Errors
///
/// Those of the tool, and if the index cannot be read.
pub fn measure(code: &Local<'_>, task: &Task, language: &str, budget: usize) -> Result<Measured> {
    let key = Key::of(code.catalog(&[])?, task)?;
    let args = Args { task: task.task.clone(), max_tokens: Some(budget), ..Args::default() };
    // The first call fills the caches.
    text_and_bundle(&Call::new(code, 0), args.clone())?;
    let started = Instant::now();
    let (text, bundle) = text_and_bundle(&Call::new(code, 0), args)?;
    let elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
    let entries = entries(&bundle)?;
    let is_useful: Vec<bool> = entries.iter().map(|entry| key.uses(entry)).collect();
    let mut measured = Measured {
        id: task.id.clone(),
        tree: task.tree.clone(),
        language: language.to_owned(),
        tokens: attribute(&text, &entries, &is_useful, &key.files()),
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
    Ok(measured)
}
