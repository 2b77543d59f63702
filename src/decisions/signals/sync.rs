//! Files that comments ask to change together: "keep in sync with `other.rs`".

use std::collections::BTreeSet;

use super::mentions::{Mention, mentions};
use super::observe::Observed;
use super::texts::{Texts, directory};
use super::{Draft, Kind, Signal, name};
use crate::userdata::decisions::{Confidence, Scope, SourceRef};

/// The most proposals.
const PROPOSALS_MAX: usize = 4;

/// The most files of settings and documents that are searched.
const FILES_MAX: usize = 500;

/// Adds the files that comments of code, settings and documents ask to change together.
pub fn find(texts: &Texts<'_>, files: &[Observed], signals: &mut Vec<Signal>) {
    let mut all: Vec<(String, Mention)> = Vec::new();
    for file in files {
        all.extend(file.mentions.iter().map(|it| (file.path.clone(), it.clone())));
    }
    let paths = texts.paths();
    let is_text = |path: &str| {
        [".yml", ".yaml", ".toml", ".md", ".cfg", ".ini", ".json", ".txt"]
            .iter()
            .any(|it| path.ends_with(it))
    };
    for path in paths.iter().filter(|path| is_text(path)).take(FILES_MAX) {
        let Some(of) = texts.read(path) else { continue };
        all.extend(mentions(&of).into_iter().map(|it| (path.to_string(), it)));
    }
    let says: BTreeSet<(String, String)> = all
        .iter()
        .flat_map(|(path, (_, _, named))| {
            let own = resolved(texts, path, named).into_iter();
            own.map(|other| (path.clone(), other))
        })
        .collect();
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    for (path, (line, quote, named)) in all {
        let resolved = resolved(texts, &path, &named);
        let is_list = resolved.len() > 2;
        for other in resolved {
            let pair = (path.clone().min(other.clone()), path.clone().max(other.clone()));
            if other == path || !seen.insert(pair) {
                continue;
            }
            let is_plain =
                other.bytes().all(|it| it.is_ascii_alphanumeric() || b"/_-.".contains(&it));
            let draft = Draft {
                // The other file does not say so itself.
                scope: if is_plain { Scope::Path(other.clone()) } else { Scope::Global },
                kind: Kind::Sync,
                pattern: format!("Change `{}` together with {}", name(&other), part(&quote, &path)),
                rationale: format!("A comment says: \"{quote}\""),
                confidence: Confidence::High,
                source_refs: vec![SourceRef::line(&path, line, "says it")],
                keywords: &["sync", "together", "update"],
            };
            let mut signal = draft.signal();
            // A list of many files is about one line of each, which the comment does not name. Two files
            // that name each other say it to whoever changes either.
            let is_mutual = says.contains(&(other, path.clone()));
            if is_list || is_mutual || seen.len() > PROPOSALS_MAX {
                signal.proposal = None;
            }
            signals.push(signal);
        }
    }
}

/// Returns what of a file a comment is about: the code before it on its line, else the file.
fn part(quote: &str, path: &str) -> String {
    let marks = [" # ", " // ", " /* ", " -- "];
    let code = marks.iter().find_map(|mark| quote.split_once(mark)).map(|(code, _)| code.trim());
    match code.filter(|it| it.chars().any(char::is_alphanumeric)) {
        Some(code) => format!("`{}` in `{}`", name(code), name(path)),
        None => format!("`{}`", name(path)),
    }
}

/// Returns the files that a comment names, from the root or beside its file.
fn resolved(texts: &Texts<'_>, path: &str, named: &[String]) -> BTreeSet<String> {
    let found = named.iter().filter_map(|it| {
        let beside = format!("{}{it}", directory(path));
        [it.clone(), beside].into_iter().find(|it| texts.has_file(it))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn a_comment_is_about_the_code_before_it() {
        assert_eq!(
            part("version = \"1.2\"  # Keep in sync", "a.toml"),
            "`version = \"1.2\"` in `a.toml`"
        );
        assert_eq!(part("Keep in sync with b", "a.toml"), "`a.toml`");
    }
}
