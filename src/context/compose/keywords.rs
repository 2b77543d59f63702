//! The keywords of a task, with similar names for unknown ones.

use super::bundle::Keyword;
use super::free_words::FreeWord;
use super::{PathNames, Sources};
use crate::answer::nearest;
use crate::base::path;
use crate::context::evidence::TaskEvidence;
use crate::context::task::{Mention, MentionKind, Task};
use crate::error::Result;
use crate::source::secret::is_secret;

/// Maximum number of names and paths shown.
const MENTIONS_MAX: usize = 12;

/// Maximum number of plain words shown.
const WORDS_MAX: usize = 4;

/// Maximum length of a name or path shown, in bytes; longer ones are omitted.
const BYTES_MAX: usize = 120;

/// Number of unknown names with suggestions.
const SUGGESTED_FOR_MAX: usize = 3;

/// Suggestions per unknown name.
const NEAREST_MAX: usize = 2;

/// Number of names of a tree above which a reply has no suggestions, because comparing them all
/// takes longer than the rest of the reply.
const NAMES_MAX: u64 = 500_000;

/// Number of words of a task with suggestions on a miss.
const TRIED_MAX: usize = 8;

/// Returns the names and paths that were looked up, in the order of the task, then the rarest
/// words.
pub(super) fn keywords(
    sources: &Sources<'_>,
    task: &Task,
    found: &TaskEvidence,
    words: &[FreeWord],
) -> Result<Vec<Keyword>> {
    let mut keywords: Vec<Keyword> = Vec::new();
    let mut suggested_for = 0;
    for (place, mention) in task.mentions.iter().enumerate() {
        let text = &mention.text;
        // Sentences and program output are not keywords.
        let is_short = text.len() <= BYTES_MAX && !text.contains(char::is_whitespace);
        let is_duplicate = keywords.iter().any(|keyword| keyword.text == *text);
        let is_in_prose = !mention.is_in_code || mention.kind == MentionKind::Frame;
        if !is_short || is_duplicate || !is_in_prose || mention.kind == MentionKind::Literal {
            continue;
        }
        let is_unknown = found.unmatched.contains(&place);
        let mut nearest = Vec::new();
        if is_unknown && suggested_for < SUGGESTED_FOR_MAX {
            nearest = suggestions(sources, mention)?;
            suggested_for += 1;
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
        MentionKind::Frame => "frame",
        MentionKind::Path => "path",
        MentionKind::Glob => "glob",
        MentionKind::Qualified | MentionKind::Identifier => "name",
        MentionKind::Literal => "text",
    }
}

/// Returns names similar to an unknown mention.
fn suggestions(sources: &Sources<'_>, mention: &Mention) -> Result<Vec<String>> {
    match mention.kind {
        MentionKind::Path | MentionKind::Frame => Ok(paths_near(sources.path_names, &mention.text)),
        MentionKind::Qualified | MentionKind::Identifier => {
            let last = mention.text.rsplit(['.', ':', '#']).next().unwrap_or_default();
            if sources.catalog.names_max() > NAMES_MAX {
                Ok(Vec::new())
            } else {
                names_near(sources, last)
            }
        }
        MentionKind::Glob | MentionKind::Literal => Ok(Vec::new()),
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
    let mut suggestions = Vec::new();
    for near in nearest::defined(catalog, wanted.as_bytes())? {
        let shown = String::from_utf8_lossy(&near).into_owned();
        let is_new = shown != wanted && shown.len() <= BYTES_MAX && suggestions.len() < NEAREST_MAX;
        // Skip names of the index whose definitions are gone.
        if is_new && !catalog.defined(&near)?.is_empty() {
            suggestions.push(shown);
        }
    }
    Ok(suggestions)
}

/// Returns the message of a miss, with names similar to the words of the task.
pub(super) fn miss(sources: &Sources<'_>, task: &Task, keywords: &[Keyword]) -> Result<String> {
    let nothing = if sources.text.is_some() {
        "nothing in this tree matches the task"
    } else {
        "no name or path in this tree matches the task; its words are not searched, since there is no \
         text index"
    };
    if keywords.iter().any(|keyword| !keyword.nearest.is_empty()) {
        return Ok(format!("{nothing}; similar names are listed"));
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
