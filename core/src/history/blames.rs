//! Keeps who last changed each line of a file, so that git blames it once for each of its states: one
//! file for each path, `blame-<hash>.idx` in the index directory.
//!
//! Blame depends on the commits of the file alone. What is kept therefore stays valid for a later HEAD
//! if no newer commit changed the file.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::git::{self, Blamed};
use super::id::CommitId;
use super::kept::Kept;
use super::versions::Versions;
use super::{History, Rules};

/// How the names of the files start.
pub(super) const PREFIX: &str = "blame-";

/// What the blame of a file depends on.
#[derive(Clone, Copy, Debug)]
pub struct BlameKey<'a> {
    /// The commit whose lines are blamed.
    pub head: CommitId,
    /// A hash of the rules under which it was computed; see [`rules_hash`].
    pub rules: u64,
    /// The commits of the file.
    pub history: &'a History,
}

/// The blame of a file in a commit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FileBlame {
    /// The id of the file's content.
    pub blob: String,
    /// Who last changed each line, in the order of the lines.
    pub lines: Vec<Blamed>,
}

#[derive(Deserialize, Serialize)]
struct KeptBlame {
    path: String,
    head: String,
    rules: u64,
    /// A hash of the commits that changed the file.
    commits: u64,
    blob: String,
    /// Commit, name and address of its author, and its time.
    abouts: Vec<(String, String, String, i64)>,
    /// Index in `abouts`, first line, number of lines.
    lines: Vec<(usize, usize, usize)>,
}

/// Returns a hash of what lets git attribute lines to other commits or people than the log does: the
/// ignored commits of the log, and the names that git itself replaces.
pub fn rules_hash(root: &std::path::Path, history: &History, rules: &Rules) -> u64 {
    let mut hash = Xxh3::new();
    for commit in history.log().commits().filter(|it| rules.ignored.contains(&it.id())) {
        hash.update(commit.id().as_bytes());
    }
    hash.update(b"\n");
    hash.update(&git::own_mailmap(root));
    hash.digest()
}

impl Versions<'_> {
    /// Returns the blame that is kept for the file at a repository path, if it is that of `key`. `blob_at`
    /// returns the id of the content of the file in a commit; it is called if HEAD has moved. O(bytes of
    /// its file).
    pub fn blame(
        &self,
        path: &[u8],
        key: &BlameKey<'_>,
        blob_at: impl FnOnce() -> Option<String>,
    ) -> Option<FileBlame> {
        let kept: KeptBlame = serde_json::from_str(&self.blames().read(path)?).ok()?;
        if kept.path.as_bytes() != path || kept.rules != key.rules {
            return None;
        }
        let is_same = kept.head == key.head.to_string()
            || kept.commits == key.commits(path) && blob_at()? == kept.blob;
        if !is_same {
            return None;
        }
        let abouts: Vec<(CommitId, &(String, String, String, i64))> = kept
            .abouts
            .iter()
            .map(|of| Some((CommitId::parse(of.0.as_bytes())?, of)))
            .collect::<Option<_>>()?;
        let blamed = |&(at, line, lines): &(usize, usize, usize)| {
            let &(commit, (_, name, email, committed_s)) = abouts.get(at)?;
            let (author_name, author_email) = (name.clone(), email.clone());
            let committed_s = *committed_s;
            Some(Blamed { commit, author_name, author_email, committed_s, line, lines })
        };
        let lines = kept.lines.iter().map(blamed).collect::<Option<_>>()?;
        Some(FileBlame { blob: kept.blob, lines })
    }

    /// Keeps the blame of the file at a repository path in place of what was kept for it; see
    /// [`Versions::keep`].
    pub fn keep_blame(&self, path: &[u8], key: &BlameKey<'_>, blame: &FileBlame) {
        let Ok(shown) = String::from_utf8(path.to_vec()) else { return };
        let mut places: FxHashMap<CommitId, usize> = FxHashMap::default();
        let mut abouts = Vec::new();
        let mut lines = Vec::with_capacity(blame.lines.len());
        for of in &blame.lines {
            let at = *places.entry(of.commit).or_insert_with(|| {
                let (name, email) = (of.author_name.clone(), of.author_email.clone());
                abouts.push((of.commit.to_string(), name, email, of.committed_s));
                abouts.len() - 1
            });
            lines.push((at, of.line, of.lines));
        }
        let (head, rules, commits) = (key.head.to_string(), key.rules, key.commits(path));
        let blob = blame.blob.clone();
        let kept = KeptBlame { path: shown, head, rules, commits, blob, abouts, lines };
        if let Ok(text) = serde_json::to_string(&kept) {
            self.blames().write(path, &text);
        }
    }

    fn blames(&self) -> Kept<'_> {
        Kept { store: self.0, prefix: PREFIX }
    }
}

impl BlameKey<'_> {
    /// Returns a hash of the commits that changed a file, and of those that may have, because the log
    /// does not have their files. O(log).
    fn commits(&self, path: &[u8]) -> u64 {
        let log = self.history.log();
        let mut hash = Xxh3::new();
        hash.update(&log.origin().shallow.to_le_bytes());
        hash.update(&log.origin().prefix);
        hash.update(b"\n");
        for commit in self.history.changes_to(path) {
            hash.update(commit.id().as_bytes());
        }
        hash.update(b"\n");
        for commit in log.commits() {
            if commit.files() > 0 && commit.changes().is_empty() {
                hash.update(commit.id().as_bytes());
            }
        }
        hash.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Log;
    use crate::index::store::Store;

    #[test]
    fn a_blame_is_kept_for_one_state_of_the_file() {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::new(dir.path().join("index"), false);
        store.create().expect("created");
        let history = History::new(Log::default());
        let id = |number: u8| CommitId::new(&[number; 20]).expect("20 bytes");
        let blamed = |commit: u8, line: usize| Blamed {
            commit: id(commit),
            author_name: "Ann \"Lee\"".into(),
            author_email: "a@b".into(),
            committed_s: 7,
            line,
            lines: 2,
        };
        let lines = vec![blamed(1, 1), blamed(2, 3), blamed(1, 5)];
        let blame = FileBlame { blob: "b".repeat(40), lines };
        let versions = Versions(&store);
        let key = |head: u8, rules: u64| BlameKey { head: id(head), rules, history: &history };
        versions.keep_blame(b"a.rs", &key(1, 5), &blame);
        let ask = |key: &BlameKey<'_>, blob: &str| {
            versions.blame(b"a.rs", key, || Some(blob.to_owned())).map(|it| it == blame)
        };
        assert_eq!(ask(&key(1, 5), ""), Some(true), "the same HEAD: git is not asked");
        assert_eq!(ask(&key(2, 5), &blame.blob), Some(true), "HEAD moved, the file is the same");
        assert_eq!(ask(&key(2, 5), "c"), None, "another content");
        assert_eq!(ask(&key(1, 6), &blame.blob), None, "other rules");
        assert_eq!(versions.blame(b"b.rs", &key(1, 5), || None), None, "another file");
    }
}
