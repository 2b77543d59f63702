//! Whether anything in a task decides which files it is about.

use super::free_words::FreeWord;
use super::{Options, Sources};
use crate::base::text::{counted, plain};
use crate::context::ranking::RankedFile;
use crate::context::task::Task;
use crate::rank::Signal;

/// Number of plain words of a task, each in few files, that together decide which files it is about.
const WORDS_MIN: usize = 2;

/// A word in more than one file in this number decides nothing.
const FEW: usize = 3;

/// A word in at most this number of files decides alone.
const RARE: usize = 8;

/// Number of files of a tree from which on a task can be too vague.
const TREE_MIN: usize = 32;

/// Number of the best files whose evidence is examined.
const FILES: usize = 5;

/// Evidence that does not come from plain words in texts.
const CERTAIN: [Signal; 8] = [
    Signal::Defines,
    Signal::Path,
    Signal::Stack,
    Signal::Uses,
    Signal::Stem,
    Signal::Named,
    Signal::Says,
    Signal::Folder,
];

/// Returns a note if nothing in a task of several words decides: no name, path or text of it led to one of the best
/// files, and at most one of its plain words is in few files.
pub(super) fn note(
    sources: &Sources<'_>,
    task: &Task,
    ranked: &[RankedFile],
    words: &[FreeWord],
    options: &Options,
) -> Option<String> {
    let is_bare = task.prose.split_whitespace().nth(1).is_none();
    let is_certain = |of: &RankedFile| CERTAIN.iter().any(|&signal| of.evidence.get(signal) > 0.0);
    let is_decided = ranked.iter().take(FILES).any(is_certain);
    let files = sources.catalog.files().len();
    let is_small = files < TREE_MIN;
    let has_change = !sources.changed.files.is_empty() || !options.within.is_empty();
    if is_bare || is_small || is_decided || ranked.is_empty() || has_change {
        return None;
    }
    let few = files / FEW;
    let in_stem = |of: &FreeWord| sources.catalog.word(&of.stem).map_or(0, |files| files.len());
    let counted_words = words.iter().map(|of| (of, of.files.max(in_stem(of))));
    let deciding: Vec<(&FreeWord, usize)> =
        counted_words.filter(|&(_, files)| files > 0 && files <= few).collect();
    if deciding.len() >= WORDS_MIN || deciding.iter().any(|(_, files)| *files <= RARE) {
        return None;
    }
    let found = match deciding.first() {
        Some((word, files)) => {
            format!("only `{}` ({})", plain(&word.word), counted(*files, "file"))
        }
        None => "no word of the task".to_owned(),
    };
    Some(format!(
        "nothing in the task decides which files it is about: {found} distinguishes files here; name a file, a \
         symbol, a message or what goes wrong"
    ))
}
