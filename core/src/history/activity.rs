//! Who changed which files how often: commits per file and person, decayed by age.
//!
//! **Counted** are commits that are not merges, not ignored, and whose files are known (see
//! [`super::Commit::changes`]). Ages are measured from HEAD's commit, so the result depends on the log
//! and the rules alone: that of an extended log equals that of a log that was read anew, and a
//! commit that does not touch a file only ages its score. Commits of automated authors are counted
//! apart and have no weight.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::decay::Decay;
use super::files::Files;
use super::id::CommitId;
use super::log::{Commit, Log, PathId};
use super::mailmap::Mailmap;
use super::people::{People, PersonId};

/// One year.
pub const YEAR: Decay = Decay { half_life_s: 365.25 * 86_400.0 };

/// 180 days.
pub const HALF_YEAR: Decay = Decay { half_life_s: 180.0 * 86_400.0 };

/// 60 days.
pub const HOT: Decay = Decay { half_life_s: 60.0 * 86_400.0 };

/// Commits that changed more files are not evidence of co-change.
pub const SHARED_FILES_MAX: usize = 30;

/// Files of the tree that decide how commits are counted.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Rules {
    /// `.mailmap`.
    pub mailmap: Arc<Mailmap>,
    /// The commits of `.git-blame-ignore-revs`.
    pub ignored: Arc<BTreeSet<CommitId>>,
}

/// The activity on one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileActivity {
    /// Counted commits that changed it.
    pub commits: u32,
    /// Their number, decayed with a half-life of one year.
    pub weight: f64,
    /// The decayed number of those that changed 2 to 30 files: the sum of 1 / (n − 1) over all pairs
    /// with other files.
    pub shared_weight: f64,
    /// The number of commits, decayed with a half-life of 60 days.
    pub hot_weight: f64,
    /// Counted commits of automated authors, which are not in the other fields.
    pub bot_commits: u32,
    /// The time of the oldest of them in seconds since 1970.
    pub first_s: i64,
    /// The time of the newest of them, by the log's order.
    pub last_s: i64,
    /// Commits whose subjects announce a correction.
    pub fixes: u32,
    /// Their number, decayed with a half-life of one year.
    pub fix_weight: f64,
    /// People, those with the highest weight first.
    pub people: Vec<Share>,
}

/// The part of one person in the activity on a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The person.
    pub person: PersonId,
    /// Their counted commits.
    pub commits: u32,
    /// Their number, decayed with a half-life of one year.
    pub weight: f64,
    /// Their number, decayed with a half-life of 180 days.
    pub recent_weight: f64,
    /// The time of the newest in seconds since 1970.
    pub last_s: i64,
}

/// The activity on all files of a log.
#[derive(Debug)]
pub struct Activity {
    rules: Rules,
    people: People,
    files: FxHashMap<PathId, FileActivity>,
    by_path: FxHashMap<Box<[u8]>, PathId>,
    counted: u32,
    ignored: u32,
    oversized: u32,
    merges: u32,
}

impl Activity {
    pub(super) fn new(log: &Log, names: &Files, rules: Rules) -> Activity {
        let people = People::new(log, &rules.mailmap);
        let (counted, ignored, oversized, merges) = (0, 0, 0, 0);
        let (files, by_path) = (FxHashMap::default(), FxHashMap::default());
        let mut made =
            Activity { rules, people, files, by_path, counted, ignored, oversized, merges };
        let mut shares: FxHashMap<(PathId, PersonId), Share> = FxHashMap::default();
        for commit in log.commits() {
            if !made.count(commit) {
                continue;
            }
            let person = made.people.of(commit.author());
            let is_bot = made.people.person(person).is_bot;
            let age_s = log.head_s().saturating_sub(commit.committed_s());
            let (year, half_year) = (YEAR.of_age(age_s), HALF_YEAR.of_age(age_s));
            let hot = HOT.of_age(age_s);
            let is_fix = is_fix(commit);
            let mut paths = names.of_commit(log, commit.at()).to_vec();
            paths.sort_unstable();
            paths.dedup();
            for &path in &paths {
                let file = made.files.entry(path).or_default();
                if is_bot {
                    file.bot_commits += 1;
                    continue;
                }
                if file.commits == 0 {
                    file.last_s = commit.committed_s();
                }
                file.first_s = commit.committed_s();
                file.commits += 1;
                file.weight += year;
                file.hot_weight += hot;
                if (2..=SHARED_FILES_MAX).contains(&paths.len()) {
                    file.shared_weight += year;
                }
                if is_fix {
                    file.fixes += 1;
                    file.fix_weight += year;
                }
                let share = shares.entry((path, person)).or_insert(Share {
                    person,
                    commits: 0,
                    weight: 0.0,
                    recent_weight: 0.0,
                    last_s: commit.committed_s(),
                });
                share.commits += 1;
                share.weight += year;
                share.recent_weight += half_year;
            }
        }
        let mut shares: Vec<((PathId, PersonId), Share)> = shares.into_iter().collect();
        shares
            .sort_unstable_by(|a, b| b.1.weight.total_cmp(&a.1.weight).then_with(|| a.0.cmp(&b.0)));
        for ((path, _), share) in shares {
            if let Some(file) = made.files.get_mut(&path) {
                file.people.push(share);
            }
        }
        made.by_path = made.files.keys().map(|&path| (log.path(path).into(), path)).collect();
        made
    }

    /// Counts a commit; returns true if its changes count.
    fn count(&mut self, commit: Commit<'_>) -> bool {
        let counter = if commit.is_merge() {
            &mut self.merges
        } else if self.rules.ignored.contains(&commit.id()) {
            &mut self.ignored
        } else if commit.files() > 0 && commit.changes().is_empty() {
            &mut self.oversized
        } else {
            self.counted += 1;
            return true;
        };
        *counter += 1;
        false
    }

    /// Returns the rules under which it was computed.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the people of the log.
    pub fn people(&self) -> &People {
        &self.people
    }

    /// Returns the activity on the file with this present path, if any. O(1).
    pub fn file(&self, path: &[u8]) -> Option<&FileActivity> {
        self.files.get(self.by_path.get(path)?)
    }

    /// Returns the number of commits that count.
    pub fn counted(&self) -> usize {
        self.counted as usize
    }

    /// Returns the number of commits that `.git-blame-ignore-revs` lists.
    pub fn ignored(&self) -> usize {
        self.ignored as usize
    }

    /// Returns the number of commits with more than [`super::log::FILES_MAX`] files.
    pub fn oversized(&self) -> usize {
        self.oversized as usize
    }

    /// Returns the number of merges.
    pub fn merges(&self) -> usize {
        self.merges as usize
    }

    /// Returns true if the changes of a commit count.
    pub fn is_counted(&self, commit: Commit<'_>) -> bool {
        !commit.is_merge()
            && !self.rules.ignored.contains(&commit.id())
            && !commit.changes().is_empty()
    }
}

/// Returns true if a commit corrects an error: its subject announces that, or its message has a
/// trailer `Fixes:`.
pub fn is_fix(commit: Commit<'_>) -> bool {
    commit.has_fixes_trailer() || announces_fix(commit.subject())
}

/// Returns true if a subject announces the correction of an error.
fn announces_fix(subject: &str) -> bool {
    const WORDS: &[&str] = &[
        "bug",
        "bugfix",
        "bugs",
        "crash",
        "crashes",
        "fix",
        "fixed",
        "fixes",
        "fixing",
        "hotfix",
        "regression",
        "regressions",
    ];
    // What all words contain: most subjects have none of it.
    const PARTS: &[&str] = &["bug", "crash", "fix", "regression"];
    let lower = subject.to_lowercase();
    if !PARTS.iter().any(|part| lower.contains(part)) || lower.contains("typo") {
        return false;
    }
    let words = subject.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words = words.map(str::to_lowercase);
    words.any(|word| WORDS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_are_recognised_by_their_subjects() {
        for (subject, expected) in [
            ("Fix crash on empty input", true),
            ("fix(parser): x", true),
            ("Refs #12, fixed regression", true),
            ("Fix typo in docs", false),
            ("Add prefix to names", false),
            ("Debug output", false),
        ] {
            assert_eq!(announces_fix(subject), expected, "{subject}");
        }
    }
}
