//! Conventions of commits, replacements that commits state, reverts, and files that are corrected
//! often.

use std::collections::{BTreeMap, BTreeSet};

use super::{Collected, Draft, Kind, NO_CODE, Options, REFERENCES, Signal, is_share, name, share};
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::history::History;
use crate::history::git::Git;
use crate::history::log::Commit;
use crate::userdata::decisions::{Confidence, Scope, SourceRef};

/// The fewest commits that show a convention.
const COMMITS_MIN: usize = 30;

/// Commits whose messages are read in one call of git.
const MESSAGES_AT_ONCE: usize = 500;

/// The maximum length of a rationale from a message in bytes.
const REASON_BYTES_MAX: usize = 400;

/// The most signals about single commits.
const SINGLE_MAX: usize = 40;

/// A commit with its message.
#[derive(Debug)]
pub struct Message<'a> {
    commit: Commit<'a>,
    hash: String,
    subject: String,
    body: String,
}

/// Returns the wanted commits with their messages, newest first, and counts the others.
pub fn read<'a>(
    history: &'a History,
    git: &Git,
    options: &Options,
    progress: &(dyn Fn(&str, usize, usize) + Sync),
    collected: &mut Collected,
) -> Vec<Message<'a>> {
    let is_wanted = |it: &Commit<'_>| {
        !it.is_merge() && options.since_s.is_none_or(|since| it.committed_s() >= since)
    };
    let all: Vec<Commit<'_>> = history.log().commits().filter(is_wanted).collect();
    let commits: Vec<Commit<'_>> = all.iter().copied().take(options.commits_max).collect();
    collected.commits = commits.len();
    collected.commits_left = all.len() - commits.len();
    let mut messages: Vec<Message<'_>> = Vec::with_capacity(commits.len());
    for (at, some) in commits.chunks(MESSAGES_AT_ONCE).enumerate() {
        progress("commits", at * MESSAGES_AT_ONCE, commits.len());
        let ids: Vec<_> = some.iter().map(Commit::id).collect();
        // Without messages, subjects remain.
        let bodies: BTreeMap<_, _> = match git.messages_of(&ids) {
            Ok(read) => read.into_iter().collect(),
            Err(error) => {
                collected.without_commits = Some(format!("messages cannot be read: {error}"));
                BTreeMap::new()
            }
        };
        for commit in some {
            let full = bodies.get(&commit.id()).map_or("", String::as_str);
            let body = full.split_once('\n').map_or("", |(_, body)| body).to_owned();
            let (hash, subject) = (commit.id().to_string(), commit.subject().to_owned());
            messages.push(Message { commit: *commit, hash, subject, body });
        }
    }
    progress("commits", commits.len(), commits.len());
    messages
}

/// Adds what commits show.
pub fn find(
    catalog: &Catalog,
    history: &History,
    messages: &[Message<'_>],
    signals: &mut Vec<Signal>,
) {
    subjects(messages, signals);
    trailers(messages, signals);
    changelogs(history, messages, signals);
    replacements(catalog, messages, signals);
    reverts(messages, signals);
    corrections(history, messages, signals);
}

/// Returns what precedes the colon of a subject, if it has a form that conventions use: a type with an
/// optional scope in brackets, an abbreviation in capitals, or a path.
fn prefix(subject: &str) -> Option<(&'static str, String)> {
    if let Some((kind, _)) = subject.strip_prefix('[').and_then(|it| it.split_once("] "))
        && (2..=20).contains(&kind.len())
        && kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_/ ".contains(&byte))
    {
        return Some(("[type] summary", kind.to_owned()));
    }
    let (before, after) = subject.split_once(':')?;
    if !after.starts_with(' ') || before.len() > 40 || before.is_empty() {
        return None;
    }
    let (kind, scope) = match before.split_once('(') {
        Some((kind, scope)) => (kind, scope.ends_with(')').then_some(scope)?),
        None => (before.trim_end_matches('!'), ""),
    };
    const TYPES: &[&str] = &[
        "feat", "fix", "docs", "chore", "refactor", "test", "tests", "ci", "build", "perf",
        "style", "revert", "deps",
    ];
    if TYPES.contains(&kind) {
        return Some(("type(scope): summary", kind.to_owned()));
    }
    if !scope.is_empty() {
        return None;
    }
    let is_capital = |it: char| it.is_ascii_uppercase();
    if (2..=8).contains(&kind.len()) && kind.chars().all(is_capital) {
        return Some(("TYPE: summary", kind.to_owned()));
    }
    let is_path =
        |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "/_-., ".contains(it);
    kind.chars().all(is_path).then(|| ("area: summary", kind.to_owned()))
}

/// The form of subjects.
fn subjects(messages: &[Message<'_>], signals: &mut Vec<Signal>) {
    let recent: Vec<&Message<'_>> = messages.iter().take(300).collect();
    if recent.len() < COMMITS_MIN {
        return;
    }
    let mut by_form: BTreeMap<&str, Vec<(&Message<'_>, String)>> = BTreeMap::new();
    for it in &recent {
        if let Some((form, kind)) = prefix(&it.subject) {
            by_form.entry(form).or_default().push((it, kind));
        }
    }
    let Some((form, with)) = by_form.into_iter().max_by_key(|(_, with)| with.len()) else { return };
    if !is_share(with.len(), recent.len(), 70) {
        return;
    }
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, kind) in &with {
        *kinds.entry(kind).or_default() += 1;
    }
    let mut kinds: Vec<(&str, usize)> = kinds.into_iter().collect();
    kinds.sort_by_key(|&(kind, count)| (std::cmp::Reverse(count), kind));
    let top: Vec<String> =
        kinds.iter().take(6).map(|(kind, _)| format!("`{}`", name(kind))).collect();
    let draft = Draft {
        scope: Scope::Global,
        kind: Kind::Commits,
        pattern: format!("Write subjects of commits as `{form}`"),
        rationale: format!(
            "{} have this form; most frequent: {}.",
            share(with.len(), recent.len(), "recent subjects"),
            top.join(", ")
        ),
        confidence: Confidence::High,
        source_refs: with
            .iter()
            .take(REFERENCES)
            .map(|(it, _)| SourceRef::commit(&it.hash, name(&it.subject)))
            .collect(),
        keywords: &["commit", "message", "subject"],
    };
    signals.push(draft.signal());
}

/// Lines that most messages end with.
fn trailers(messages: &[Message<'_>], signals: &mut Vec<Signal>) {
    let sign = "Sign off commits with `git commit --signoff`";
    trailer(messages, "Signed-off-by", sign, signals);
    let gerrit = "Keep the line `Change-Id` of Gerrit's hook in the message of a commit";
    trailer(messages, "Change-Id", gerrit, signals);
}

/// Adds what to do for a line that most messages end with.
fn trailer(messages: &[Message<'_>], line: &str, pattern: &str, signals: &mut Vec<Signal>) {
    let recent: Vec<&Message<'_>> = messages.iter().take(300).collect();
    let mark = format!("\n{line}: ");
    let signed: Vec<&&Message<'_>> = recent.iter().filter(|it| it.body.contains(&mark)).collect();
    if signed.len() < COMMITS_MIN || !is_share(signed.len(), recent.len(), 80) {
        return;
    }
    let draft = Draft {
        scope: Scope::Global,
        kind: Kind::Commits,
        pattern: pattern.to_owned(),
        rationale: format!(
            "{} have a line `{line}`.",
            share(signed.len(), recent.len(), "recent commits")
        ),
        confidence: Confidence::High,
        source_refs: signed
            .iter()
            .take(REFERENCES)
            .map(|it| SourceRef::commit(&it.hash, name(&it.subject)))
            .collect(),
        keywords: &["commit", "sign", "message"],
    };
    signals.push(draft.signal());
}

/// Returns the file or directory that describes changes for users, if a path is in one.
fn changelog(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    let (file, directories) = parts.split_last()?;
    let is_fragments = |it: &str| {
        let it = it.to_ascii_lowercase();
        [
            "changes",
            "changelog.d",
            "changelog",
            "newsfragments",
            "news",
            ".changeset",
            "changesets",
            "upcoming_changes",
            "releasenotes",
            "unreleased",
        ]
        .contains(&it.as_str())
    };
    if let Some(at) = directories.iter().position(|it| is_fragments(it)) {
        return Some(format!("{}/", directories[..=at].join("/")));
    }
    let stem = file.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_log = ["changes", "changelog", "history", "news", "release_notes", "releases"]
        .contains(&stem.as_str());
    let is_text = ["", "md", "rst", "txt", "markdown", "adoc"]
        .contains(&file.split_once('.').map_or("", |(_, it)| it));
    (is_log && is_text && directories.len() <= 2).then(|| path.to_owned())
}

/// Commits of code that describe the change for users.
fn changelogs(history: &History, messages: &[Message<'_>], signals: &mut Vec<Signal>) {
    let log = history.log();
    let mut by_top: BTreeMap<String, (usize, BTreeMap<String, Vec<&Message<'_>>>)> =
        BTreeMap::new();
    for it in messages.iter().take(300) {
        let mut tops = BTreeSet::new();
        let mut logs = BTreeSet::new();
        for change in it.commit.changes() {
            let path = String::from_utf8_lossy(log.path(change.path)).into_owned();
            if let Some(of) = changelog(&path) {
                logs.insert(of);
            } else if let Some((top, _)) = path.split_once('/') {
                let marks = crate::lang::marks::of_path(path.as_bytes());
                let is_code = crate::lang::language::of_name(
                    path.rsplit('/').next().unwrap_or_default().as_bytes(),
                )
                .is_some_and(|it| !NO_CODE.contains(&it.name));
                if is_code && !marks.test && !top.starts_with('.') && top != "docs" && top != "doc"
                {
                    tops.insert(top.to_owned());
                }
            }
        }
        for top in tops {
            let (count, with) = by_top.entry(top).or_default();
            *count += 1;
            for of in &logs {
                with.entry(of.clone()).or_default().push(it);
            }
        }
    }
    let Some((top, (count, with))) = by_top.into_iter().max_by_key(|(_, (count, _))| *count) else {
        return;
    };
    let Some((of, with)) = with.into_iter().max_by_key(|(_, with)| with.len()) else { return };
    if with.len() < 10 || !is_share(with.len(), count, 30) {
        return;
    }
    let is_folder = of.ends_with('/');
    let draft = Draft {
        scope: Scope::parse(&format!("path:{top}/**")).unwrap_or(Scope::Global),
        kind: Kind::Commits,
        pattern: if is_folder {
            format!(
                "Add a file to `{}` for a change of `{}/` that users notice",
                name(&of),
                name(&top)
            )
        } else {
            format!("Describe a change of `{}/` that users notice in `{}`", name(&top), name(&of))
        },
        rationale: format!(
            "{} that change code below `{}/` change it as well.",
            share(with.len(), count, "recent commits"),
            name(&top)
        ),
        confidence: if is_share(with.len(), count, 50) {
            Confidence::High
        } else {
            Confidence::Medium
        },
        source_refs: with
            .iter()
            .take(REFERENCES)
            .map(|it| SourceRef::commit(&it.hash, name(&it.subject)))
            .collect(),
        keywords: &["changelog", "change", "release", "news"],
    };
    signals.push(draft.signal());
}

/// Returns what a sentence says to use, and instead of what: names with a form that words of English
/// do not have.
fn replacement(subject: &str) -> Option<(String, String)> {
    let words: Vec<&str> = subject.split_whitespace().collect();
    let cleaned = |word: &str| {
        let word = word.trim_matches(['`', '"', '\'', ',', '.', ':', ';', '(', ')']);
        let is_part = |it: char| it.is_alphanumeric() || "_.:-".contains(it);
        (word.len() >= 3 && word.chars().all(is_part)).then(|| word.to_owned())
    };
    let is_name = |raw: &str, word: &str| {
        let inner = word.trim_start_matches(char::is_uppercase);
        raw.contains('`')
            || word.contains(['_', '.'])
            || word.contains("::")
            || raw.trim_end_matches([',', '.', ':', ';']).ends_with("()")
            || inner.chars().any(char::is_uppercase)
    };
    let lower: Vec<String> = words.iter().map(|it| it.to_lowercase()).collect();
    let named = |at: usize| {
        let raw = words.get(at)?;
        cleaned(raw).filter(|word| is_name(raw, word))
    };
    for at in 0..words.len() {
        let is = |offset: usize, word: &str| lower.get(at + offset).is_some_and(|it| it == word);
        if (is(0, "use") || is(0, "prefer")) && is(2, "instead") && is(3, "of") {
            return Some((named(at + 1)?, named(at + 4)?));
        }
        if (is(0, "use") || is(0, "prefer")) && is(2, "over") {
            return Some((named(at + 1)?, named(at + 3)?));
        }
        let replaces = ["replace", "replaced", "replaces"].iter().any(|it| is(0, it));
        if replaces && (is(2, "with") || is(2, "by")) {
            return Some((named(at + 3)?, named(at + 1)?));
        }
        let moves =
            ["switch", "migrate", "move", "switched", "migrated"].iter().any(|it| is(0, it));
        if moves && is(1, "from") && is(3, "to") {
            return Some((named(at + 4)?, named(at + 2)?));
        }
    }
    None
}

/// Returns the sentence of a message that gives a reason, if there is one.
fn reason(body: &str) -> Option<String> {
    // Lists of changes and trailers are no sentences.
    let is_prose = |line: &&str| {
        let line = line.trim();
        let trailer = line.split_once(": ").is_some_and(|(key, _)| key.contains("-by"));
        !line.starts_with(['*', '-', '+', '#', '>', '|']) && !trailer
    };
    let text: Vec<&str> = body.lines().filter(is_prose).flat_map(str::split_whitespace).collect();
    let sentences = super::prose::sentences(&text.join(" "));
    let gives = |it: &&String| {
        let lower = it.to_lowercase();
        let is_since = lower.contains("since ")
            && !lower.contains("since v")
            && !lower
                .split("since ")
                .nth(1)
                .is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()));
        let words = [
            "because",
            "so that",
            "in order to",
            "due to",
            "otherwise",
            "to avoid",
            "to prevent",
            "faster",
            "easier",
        ];
        it.len() >= 15
            && it.starts_with(|c: char| c.is_alphabetic() || c == '`')
            && (is_since || words.iter().any(|word| lower.contains(word)))
    };
    let found = sentences.iter().find(gives)?;
    let found = crate::base::text::start(found, REASON_BYTES_MAX);
    Some(crate::base::text::plain(found))
}

/// Adds to proposals about tools and ways why a commit introduced them, if its message has a reason.
pub fn explain(messages: &[Message<'_>], signals: &mut [Signal]) {
    const VERBS: &[&str] = &[
        "use",
        "switch",
        "migrate",
        "move to",
        "adopt",
        "replace",
        "introduce",
        "ban",
        "forbid",
        "disallow",
        "require",
        "enforce",
        "prefer",
        "enable",
        "convert",
    ];
    let kinds = [Kind::Tools, Kind::Alternatives, Kind::Bans, Kind::Demands];
    // Words of commands that say nothing about the tool.
    let general = [
        "make", "run", "test", "check", "lint", "format", "install", "build", "npm", "cargo",
        "type",
    ];
    let mut used: BTreeSet<&str> = BTreeSet::new();
    for signal in signals.iter_mut().filter(|it| kinds.contains(&it.kind)) {
        let Some(proposal) = &mut signal.proposal else { continue };
        let span = proposal.pattern.split('`').nth(1).unwrap_or_default().to_owned();
        let is_part = |c: char| c.is_alphanumeric() || "_-.:".contains(c);
        let mut names = span.split(|c: char| !is_part(c));
        let Some(named) = names.find(|it| it.len() >= 2 && !general.contains(it)) else { continue };
        let found = messages.iter().find_map(|it| {
            let lower = it.subject.to_lowercase();
            let has_name = it.subject.split(|c: char| !is_part(c)).any(|word| word == named);
            let has_verb = VERBS.iter().any(|verb| lower.contains(verb));
            let is_new = !used.contains(it.hash.as_str());
            let why = if has_name && has_verb && is_new { reason(&it.body) } else { None };
            why.map(|why| (it, why))
        });
        if let Some((it, why)) = found {
            used.insert(&it.hash);
            proposal.rationale = format!("{} A commit says: \"{why}\"", proposal.rationale);
            proposal.source_refs.push(SourceRef::commit(&it.hash, name(&it.subject)));
            signal.source_refs.clone_from(&proposal.source_refs);
        }
    }
}

/// Returns the part of a name after its last separator.
fn last_part(name: &str) -> &str {
    name.trim_end_matches("()").rsplit(['.', ':']).next().unwrap_or(name)
}

/// Returns the line in which a file contains a word first.
fn line_of(catalog: &Catalog, file: FileId, word: &str) -> usize {
    const BYTES_MAX: usize = 2 << 20;
    let text = catalog.read(file, BYTES_MAX).unwrap_or_default();
    let at = memchr::memmem::find(&text, word.as_bytes()).unwrap_or_default();
    memchr::memchr_iter(b'\n', &text[..at]).count() + 1
}

/// Replacements that commits state and that the present tree confirms.
fn replacements(catalog: &Catalog, messages: &[Message<'_>], signals: &mut Vec<Signal>) {
    let files_with = |of: &str| -> Option<Vec<(String, FileId)>> {
        let found = catalog.word(last_part(of)).ok()?;
        let file = |it: &crate::catalog::WordIn| {
            let path = String::from_utf8_lossy(catalog.path(it.file)).into_owned();
            let is_code = crate::lang::language::of_name(
                path.rsplit('/').next().unwrap_or_default().as_bytes(),
            )
            .is_some_and(|it| !NO_CODE.contains(&it.name));
            is_code.then_some((path, it.file))
        };
        Some(found.iter().filter_map(file).collect())
    };
    let mut seen = BTreeSet::new();
    let mut count = 0;
    for it in messages {
        let Some((new, old)) = replacement(&it.subject) else { continue };
        if new == old || !seen.insert((new.clone(), old.clone())) || count >= SINGLE_MAX {
            continue;
        }
        count += 1;
        let (Some(with_new), Some(with_old)) = (files_with(&new), files_with(&old)) else {
            continue;
        };
        let mut refs = vec![SourceRef::commit(&it.hash, name(&it.subject))];
        refs.extend(with_new.iter().take(REFERENCES - 1).map(|(path, file)| {
            SourceRef::line(path, line_of(catalog, *file, last_part(&new)), "uses it")
        }));
        let (n, o) = (with_new.len(), with_old.len());
        let why = reason(&it.body);
        let told = format!("`{}` is in {n} files today, `{}` in {o}.", name(&new), name(&old));
        let told = match &why {
            Some(reason) => format!("{told} The commit says: \"{reason}\""),
            None => told,
        };
        // Without a reason it may be a renaming, which nobody can undo by mistake.
        if n >= 3 && o * 10 <= n && why.is_some() {
            let draft = Draft {
                scope: Scope::Global,
                kind: Kind::Replacements,
                pattern: format!("Use `{}` instead of `{}`", name(&new), name(&old)),
                rationale: told,
                confidence: if o == 0 { Confidence::High } else { Confidence::Medium },
                source_refs: refs,
                keywords: &["use", "instead", "replace"],
            };
            signals.push(draft.signal());
        } else {
            signals.push(Signal {
                scope: Scope::Global,
                kind: Kind::Replacements,
                text: format!(
                    "a commit says to use `{}` instead of `{}`: {told}",
                    name(&new),
                    name(&old)
                ),
                source_refs: refs,
                proposal: None,
            });
        }
    }
}

/// What was reverted, with the reason if the message has one: evidence for a model.
fn reverts(messages: &[Message<'_>], signals: &mut Vec<Signal>) {
    let reverted = messages.iter().filter(|it| it.subject.starts_with("Revert \""));
    for it in reverted.take(SINGLE_MAX) {
        let why = it
            .body
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty() && !line.starts_with("This reverts commit"));
        let why = why.map(|why| {
            format!(": {}", crate::base::text::plain(crate::base::text::start(why, 300)))
        });
        signals.push(Signal {
            scope: Scope::Global,
            kind: Kind::Reverts,
            text: format!("{}{}", name(&it.subject), why.unwrap_or_default()),
            source_refs: vec![SourceRef::commit(&it.hash, "reverts it")],
            proposal: None,
        });
    }
}

/// Files that commits correct often: evidence for a model.
fn corrections(history: &History, messages: &[Message<'_>], signals: &mut Vec<Signal>) {
    let log = history.log();
    let mut by_file: BTreeMap<String, Vec<&Message<'_>>> = BTreeMap::new();
    for it in messages {
        let lower = it.subject.to_lowercase();
        if !["fix", "bug", "correct", "regression"].iter().any(|word| lower.contains(word)) {
            continue;
        }
        for change in it.commit.changes().iter().take(10) {
            let path = String::from_utf8_lossy(log.path(change.path)).into_owned();
            let is_code =
                !crate::lang::marks::of_path(path.as_bytes()).test && changelog(&path).is_none();
            if is_code
                && crate::lang::language::of_name(
                    path.rsplit('/').next().unwrap_or_default().as_bytes(),
                )
                .is_some()
            {
                by_file.entry(path).or_default().push(it);
            }
        }
    }
    let mut often: Vec<(String, Vec<&Message<'_>>)> =
        by_file.into_iter().filter(|(_, with)| with.len() >= 5).collect();
    often.sort_by_key(|(path, with)| (std::cmp::Reverse(with.len()), path.clone()));
    for (path, with) in often.into_iter().take(10) {
        let refs =
            with.iter().take(REFERENCES).map(|it| SourceRef::commit(&it.hash, name(&it.subject)));
        signals.push(Signal {
            scope: Scope::Global,
            kind: Kind::Corrections,
            text: format!("{} commits correct `{}`", with.len(), name(&path)),
            source_refs: refs.collect(),
            proposal: None,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_subjects_are_recognised() {
        for (subject, expected) in [
            ("feat(http): add a timeout", Some("type(scope): summary")),
            ("fix!: remove it", Some("type(scope): summary")),
            ("BUG: wrong sum", Some("TYPE: summary")),
            ("net: add split", Some("area: summary")),
            ("[FIXED] a sum", Some("[type] summary")),
            ("Fix the sum: it was wrong", None),
            ("fix the sum", None),
            ("a:b", None),
        ] {
            assert_eq!(prefix(subject).map(|it| it.0), expected, "{subject}");
        }
    }

    #[test]
    fn replacements_name_code() {
        for (subject, expected) in [
            ("Use `orjson` instead of `json`", Some(("orjson", "json"))),
            ("net: replace io_utils with IoUtils", Some(("IoUtils", "io_utils"))),
            ("Use lists instead of tuples", None),
            ("Migrate from os.path to pathlib.Path", Some(("pathlib.Path", "os.path"))),
            ("Use it instead", None),
        ] {
            let found = replacement(subject);
            let found = found.as_ref().map(|(new, old)| (new.as_str(), old.as_str()));
            assert_eq!(found, expected, "{subject}");
        }
    }

    #[test]
    fn changelogs_are_recognised() {
        for (path, expected) in [
            ("CHANGES.rst", Some("CHANGES.rst")),
            ("doc/release/upcoming_changes/1.rst", Some("doc/release/upcoming_changes/")),
            ("CHANGES/1234.bugfix", Some("CHANGES/")),
            ("tokio/CHANGELOG.md", Some("tokio/CHANGELOG.md")),
            ("src/history.rs", None),
            ("src/changes.py", None),
        ] {
            assert_eq!(changelog(path).as_deref(), expected, "{path}");
        }
    }
}
