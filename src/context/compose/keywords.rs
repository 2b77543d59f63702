//! What of a task was looked for, and what is called nearly so where nothing is called so.

use super::bundle::Keyword;
use super::free_words::FreeWord;
use super::{PathNames, Sources};
use crate::answer::nearest;
use crate::base::path;
use crate::context::evidence::Found;
use crate::context::task::{Kind, Mention, Task};
use crate::error::Result;
use crate::source::secret::is_secret;

/// Names and paths that are told.
const MENTIONS_MAX: usize = 12;

/// Words that are told beside them.
const WORDS_MAX: usize = 4;

/// Bytes of a name or path that is told; longer ones are left out.
const BYTES_MAX: usize = 120;

/// Unknown names for which others are offered.
const OFFERS_MAX: usize = 3;

/// Names that are offered for one.
const NEAREST_MAX: usize = 2;

/// Names of a tree above which none are offered beside an answer: to compare all of them with one takes
/// longer than the rest of the reply.
const NAMES_MAX: u64 = 500_000;

/// Words of a task for which names are offered where nothing was found.
const TRIED_MAX: usize = 8;

/// Returns the names, paths and words that were looked for, in the order of the task.
pub(super) fn keywords(
    sources: &Sources<'_>,
    task: &Task,
    found: &Found,
    words: &[FreeWord],
) -> Result<Vec<Keyword>> {
    let mut keywords: Vec<Keyword> = Vec::new();
    let mut offers = 0;
    for (place, mention) in task.mentions.iter().enumerate() {
        let text = &mention.text;
        // A sentence is no keyword, nor is a page of output.
        let is_short = text.len() <= BYTES_MAX && !text.contains(char::is_whitespace);
        let is_told = keywords.iter().any(|keyword| keyword.text == *text);
        let is_said = !mention.is_in_code || mention.kind == Kind::Frame;
        if !is_short || is_told || !is_said || mention.kind == Kind::Literal {
            continue;
        }
        let is_unknown = found.unmatched.contains(&place);
        let mut nearest = Vec::new();
        if is_unknown && offers < OFFERS_MAX {
            nearest = offered(sources, mention)?;
            offers += 1;
        }
        keywords.push(Keyword { text: text.clone(), kind: kind(mention), is_unknown, nearest });
        if keywords.len() == MENTIONS_MAX {
            break;
        }
    }
    let mut rare: Vec<&FreeWord> = words.iter().filter(|word| word.files > 0).collect();
    rare.sort_by_key(|word| word.files);
    for word in rare.into_iter().take(WORDS_MAX) {
        let text = word.word.clone();
        keywords.push(Keyword { text, kind: "word", is_unknown: false, nearest: Vec::new() });
    }
    Ok(keywords)
}

fn kind(mention: &Mention) -> &'static str {
    match mention.kind {
        Kind::Frame => "frame",
        Kind::Path => "path",
        Kind::Glob => "glob",
        Kind::Qualified | Kind::Identifier => "name",
        Kind::Literal => "text",
    }
}

/// Returns what is called nearly as a mention that means nothing.
fn offered(sources: &Sources<'_>, mention: &Mention) -> Result<Vec<String>> {
    match mention.kind {
        Kind::Path | Kind::Frame => Ok(paths_near(sources.path_names, &mention.text)),
        Kind::Qualified | Kind::Identifier => {
            let last = mention.text.rsplit(['.', ':', '#']).next().unwrap_or_default();
            match sources.catalog.names_max() > NAMES_MAX {
                true => Ok(Vec::new()),
                false => names_near(sources, last),
            }
        }
        Kind::Glob | Kind::Literal => Ok(Vec::new()),
    }
}

fn paths_near(names: PathNames<'_>, wanted: &str) -> Vec<String> {
    let Some(names) = names() else { return Vec::new() };
    let found = nearest::in_index(names.index, wanted.as_bytes());
    let served = found.iter().map(|&at| (names.path)(at)).filter(|path| !is_secret(path));
    let shown = served.map(path::shown);
    shown.filter(|path| path.len() <= BYTES_MAX).take(NEAREST_MAX).collect()
}

fn names_near(sources: &Sources<'_>, wanted: &str) -> Result<Vec<String>> {
    let catalog = sources.catalog;
    let names = catalog.names()?;
    let mut offered = Vec::new();
    for at in nearest::in_index(names.index(), wanted.as_bytes()) {
        let near = names.get(at);
        let shown = String::from_utf8_lossy(near).into_owned();
        let is_new = shown != wanted && shown.len() <= BYTES_MAX && offered.len() < NEAREST_MAX;
        // A name of the index that the catalog has nothing under is none.
        if is_new && !catalog.defined(near)?.is_empty() {
            offered.push(shown);
        }
    }
    Ok(offered)
}

/// Returns what is said where nothing fits: that, and what is called nearly as the task's words are.
pub(super) fn miss(sources: &Sources<'_>, task: &Task, keywords: &[Keyword]) -> Result<String> {
    let nothing = "nothing in this tree fits the task";
    if keywords.iter().any(|keyword| !keyword.nearest.is_empty()) {
        return Ok(format!("{nothing}; the names nearest to its own are offered"));
    }
    let mut words: Vec<&str> = task.prose.split(|c: char| !c.is_alphanumeric()).collect();
    words.retain(|word| word.len() > 3 && !crate::lang::prose::is_stop_word(&word.to_lowercase()));
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.dedup();
    let mut offered: Vec<String> = Vec::new();
    for word in words.into_iter().take(TRIED_MAX) {
        let near = names_near(sources, word)?.into_iter().take(1);
        let near = near.chain(paths_near(sources.path_names, word).into_iter().take(1));
        for name in near {
            if offered.len() < nearest::OFFERED_MAX && !offered.contains(&name) {
                offered.push(name);
            }
        }
    }
    let offered: Vec<String> = offered.iter().map(|name| crate::base::text::plain(name)).collect();
    Ok(match nearest::hint(&offered) {
        Some(hint) => format!("{nothing}; {hint}"),
        None => format!("{nothing}; name files, symbols or other words"),
    })
}
