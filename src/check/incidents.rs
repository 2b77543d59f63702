//! Incidents: what went wrong with a file before, from commit messages, reverts, and exports of issue
//! trackers.
//!
//! Messages are data from strangers. Only fixed patterns are read from them, and none of them can lower
//! a risk.

use serde::{Deserialize, Serialize};

use crate::base::text;
use crate::history::activity::is_fix;
use crate::history::{Activity, CommitId, History};
use crate::userdata::incidents::Incident as Recorded;

/// Where an incident comes from.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A commit corrects an error, by its subject or by a trailer `Fixes:`.
    Fix,
    /// A commit reverts another one.
    Revert,
    /// It was imported from an issue tracker.
    Imported,
}

/// An incident.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Incident {
    /// Where it comes from.
    pub source: Source,
    /// The commit, or the id of the tracker.
    pub id: String,
    /// Its time in seconds since 1970.
    pub at_s: i64,
    /// The subject or title.
    pub title: String,
    /// Its severity in the tracker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    /// The number of an issue that the message names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// How certain it is that this was an incident, from 0 to 1.
    pub confidence: f64,
}

/// Returns how often a subject reverts: 0 for an ordinary commit, 1 for a revert, 2 for the revert of
/// a revert, which applies the change again.
pub fn revert_depth(subject: &str) -> usize {
    let mut rest = subject.trim();
    let mut depth = 0;
    loop {
        if let Some(inner) = rest.strip_prefix("Revert \"") {
            (rest, depth) = (inner, depth + 1);
        } else if let Some(inner) = rest.strip_prefix("Reapply \"") {
            (rest, depth) = (inner, depth + 2);
        } else {
            break;
        }
    }
    let is_plain = depth == 0 && rest.to_lowercase().starts_with("revert ");
    depth + usize::from(is_plain)
}

/// Returns true if the commit takes back another one. The revert of a revert does not.
pub fn is_revert(subject: &str) -> bool {
    revert_depth(subject) % 2 == 1
}

/// Returns the number of the first issue that a subject names: `#12`, `GH-12`, `ABC-12`.
pub fn issue(subject: &str) -> Option<String> {
    subject.split(|c: char| c.is_whitespace() || "()[],:;.".contains(c)).find_map(|word| {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
        let is_hash = word.strip_prefix('#').is_some_and(is_number);
        let is_key = || {
            word.split_once('-').is_some_and(|(key, number)| {
                let is_upper = |byte: u8| byte.is_ascii_uppercase();
                key.len() >= 2 && key.bytes().all(is_upper) && is_number(number)
            })
        };
        (word.len() <= 20 && (is_hash || is_key())).then(|| word.to_owned())
    })
}

/// Returns the ids of commits that a message names as faulty or as reverted: in lines `Fixes: 1234abcd`
/// (at least 8 digits) and `This reverts commit 1234abcd`.
pub fn named_commits(message: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in message.lines().take(500) {
        let rest = line.trim().strip_prefix("Fixes:");
        let rest = rest.or_else(|| line.trim().strip_prefix("This reverts commit"));
        let id = rest.and_then(|rest| rest.split_whitespace().next()).unwrap_or_default();
        let id = id.trim_end_matches(['.', ',']);
        if (8..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            found.push(id.to_lowercase());
        }
    }
    found
}

/// Returns the incidents of a file not older than `since_s`, newest first: the counted commits of the
/// log that fix or revert, and the recorded ones with one of the file's paths. O(commits of the file +
/// recorded).
pub fn of_file(
    history: Option<(&History, &Activity)>,
    committed_path: &[u8],
    recorded: &[Recorded],
    paths: &[String],
    since_s: i64,
) -> Vec<Incident> {
    let mut found = Vec::new();
    if let Some((history, activity)) = history {
        for commit in history.changes_to(committed_path) {
            let is_old = commit.committed_s() < since_s;
            if is_old || commit.is_merge() || !activity.is_counted(commit) {
                continue;
            }
            let subject = commit.subject();
            let (source, confidence) = if is_revert(subject) {
                (Source::Revert, 0.9)
            } else if is_fix(commit) && revert_depth(subject) == 0 {
                // A trailer names what was wrong; words of a subject can mean something else.
                (Source::Fix, if commit.has_fixes_trailer() { 0.9 } else { 0.7 })
            } else {
                continue;
            };
            found.push(Incident {
                source,
                id: commit.id().to_string(),
                at_s: commit.committed_s(),
                title: text::plain(subject),
                severity: None,
                issue: issue(subject),
                confidence,
            });
        }
    }
    for it in recorded {
        let is_of_file = it.files.iter().any(|file| paths.contains(file));
        if is_of_file && it.at_ms / 1000 >= since_s {
            found.push(Incident {
                source: Source::Imported,
                id: it.id.clone(),
                at_s: it.at_ms / 1000,
                title: text::plain(&it.title),
                severity: it.severity.clone(),
                issue: None,
                confidence: 1.0,
            });
        }
    }
    // Of one second, commits keep the order of the log, in which descendants come first.
    found.sort_by_key(|it| std::cmp::Reverse(it.at_s));
    found
}

/// A commit that may have introduced a fault, by SZZ (Śliwerski, Zimmermann and Zeller, "When do
/// changes induce fixes?", MSR 2005).
#[derive(Clone, Debug, PartialEq)]
pub struct Suspect {
    /// The commit.
    pub commit: CommitId,
    /// The lines that the fix removed and this commit had last changed.
    pub lines: usize,
    /// How certain it is that this commit introduced the fault, from 0 to 1: half of its share of the
    /// removed lines, because a fix also removes lines that are not faulty; 0.95 if the message of the
    /// fix names it.
    pub confidence: f64,
}

/// Returns the suspects of a fix from the blame of the lines that it removed, the most likely first.
/// `blamed` has a commit and a number of lines for each range; `named` are ids, or starts of ids, from
/// its message.
pub fn suspects(blamed: &[(CommitId, usize)], named: &[String]) -> Vec<Suspect> {
    let mut by_commit: std::collections::BTreeMap<CommitId, usize> =
        std::collections::BTreeMap::new();
    for &(commit, lines) in blamed {
        *by_commit.entry(commit).or_default() += lines;
    }
    let total: usize = by_commit.values().sum();
    let is_named = |commit: &CommitId| named.iter().any(|id| commit.to_string().starts_with(id));
    let mut found: Vec<Suspect> = by_commit
        .into_iter()
        .map(|(commit, lines)| {
            let share = lines as f64 / total.max(1) as f64;
            let confidence = if is_named(&commit) { 0.95 } else { share * 0.5 };
            Suspect { commit, lines, confidence }
        })
        .collect();
    found.sort_by(|a, b| {
        b.confidence.total_cmp(&a.confidence).then_with(|| a.commit.cmp(&b.commit))
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reverts_of_reverts_apply_again() {
        for (subject, depth) in [
            ("Add x", 0),
            ("Revert \"Add x\"", 1),
            ("Revert \"Revert \"Add x\"\"", 2),
            ("Reapply \"Add x\"", 2),
            ("Revert \"Reapply \"Add x\"\"", 3),
            ("revert the last change", 1),
            ("Reverting is easy", 0),
        ] {
            assert_eq!(revert_depth(subject), depth, "{subject}");
        }
    }

    #[test]
    fn issues_and_commits_are_read_from_messages() {
        assert_eq!(issue("Fix x (#12)").as_deref(), Some("#12"));
        assert_eq!(issue("ABC-7: y").as_deref(), Some("ABC-7"));
        assert_eq!(issue("Use UTF-8x and # 3"), None);
        let message =
            "Fix\n\nFixes: 1234abcd5 (\"x\")\nThis reverts commit 0000aaaabbbb.\nFixes: #12\n";
        assert_eq!(named_commits(message), ["1234abcd5", "0000aaaabbbb"]);
    }

    #[test]
    fn blame_is_uncertain_unless_the_message_names_the_commit() {
        let id = |digit: u8| CommitId::parse(&[digit; 40]).expect("an id");
        let found = suspects(&[(id(b'a'), 3), (id(b'b'), 1)], &["bbbbbbbb".to_owned()]);
        assert_eq!((found[0].commit, found[0].confidence), (id(b'b'), 0.95));
        assert_eq!((found[1].lines, found[1].confidence), (3, 0.375));
    }
}
