//! Keeps which definitions the commits of a file changed, so that its versions are parsed once: one
//! file for each path, `units-<hash>.idx` in the index directory.
//!
//! What a commit changed in a file never changes, so entries are only added. A damaged file, or one of
//! another fact extraction, counts as missing.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::functions::{FileChange, Touched};
use super::id::CommitId;
use super::kept::Kept;
use crate::index::code::store::builder;
use crate::index::store::Store;

/// How the names of the files start.
pub(super) const PREFIX: &str = "units-";

/// Access to what is kept in an index directory.
#[derive(Clone, Copy, Debug)]
pub struct Versions<'a>(pub &'a Store);

/// The changes that commits made to one path; `None` for a commit that did not change it.
pub type Changes = FxHashMap<CommitId, Option<FileChange>>;

#[derive(Deserialize, Serialize)]
struct KeptChanges {
    /// The identity of the fact extraction.
    builder: String,
    path: String,
    commits: Vec<KeptChange>,
}

#[derive(Deserialize, Serialize)]
struct KeptChange {
    commit: String,
    change: Option<Change>,
}

#[derive(Deserialize, Serialize)]
struct Change {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    added: usize,
    removed: usize,
    /// Name, added and removed lines, whether the definition is new, or removed.
    touched: Vec<(String, usize, usize, bool, bool)>,
}

impl Versions<'_> {
    /// Returns what is kept for the file at a repository path; the numbers of commits are 0. O(bytes of
    /// its file).
    pub fn load(&self, path: &[u8]) -> Changes {
        self.read(path).unwrap_or_default()
    }

    fn read(&self, path: &[u8]) -> Option<Changes> {
        let kept: KeptChanges = serde_json::from_str(&self.units().read(path)?).ok()?;
        if kept.builder != builder() || kept.path.as_bytes() != path {
            return None;
        }
        let entry = |kept: KeptChange| {
            let commit = CommitId::parse(kept.commit.as_bytes())?;
            Some((commit, kept.change.map(Change::into_change)))
        };
        kept.commits.into_iter().map(entry).collect()
    }

    /// Keeps the changes of the file at a repository path in place of what was kept for it. Does nothing
    /// without an index directory, for paths that are not UTF-8, and where the file cannot be written.
    pub fn keep(&self, path: &[u8], changes: &Changes) {
        if let Some(text) = encoded(path, changes) {
            self.units().write(path, &text);
        }
    }

    fn units(&self) -> Kept<'_> {
        Kept { store: self.0, prefix: PREFIX }
    }
}

impl Change {
    fn of(change: &FileChange) -> Option<Change> {
        let touched = change
            .touched
            .iter()
            .map(|it| (it.name.clone(), it.added, it.removed, it.is_new, it.is_removed));
        Some(Change {
            path: String::from_utf8(change.path.clone()).ok()?,
            source: change.source.clone().map(String::from_utf8).transpose().ok()?,
            added: change.added,
            removed: change.removed,
            touched: touched.collect(),
        })
    }

    fn into_change(self) -> FileChange {
        let touched = self.touched.into_iter().map(|(name, added, removed, is_new, is_removed)| {
            Touched { name, added, removed, is_new, is_removed }
        });
        FileChange {
            commit: 0,
            path: self.path.into_bytes(),
            source: self.source.map(String::into_bytes),
            added: self.added,
            removed: self.removed,
            touched: touched.collect(),
        }
    }
}

/// Returns the text of a file; `None` if a path is not UTF-8.
fn encoded(path: &[u8], changes: &Changes) -> Option<String> {
    let kept = changes.iter().map(|(commit, change)| {
        let change = match change {
            Some(change) => Some(Change::of(change)?),
            None => None,
        };
        Some(KeptChange { commit: commit.to_string(), change })
    });
    let mut commits: Vec<KeptChange> = kept.collect::<Option<_>>()?;
    commits.sort_unstable_by(|a, b| a.commit.cmp(&b.commit));
    let path = String::from_utf8(path.to_vec()).ok()?;
    let kept = KeptChanges { builder: builder(), path, commits };
    serde_json::to_string(&kept).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::history::kept::PATHS_MAX;

    fn changes(count: u8) -> Changes {
        let change = |number: u8| {
            let touched =
                Touched { name: "Cart.add".into(), added: 2, removed: 1, ..Touched::default() };
            let source = number.is_multiple_of(2).then(|| b"old.py".to_vec());
            let path = b"cart.py".to_vec();
            FileChange { path, source, added: 3, removed: 1, touched: vec![touched], commit: 0 }
        };
        let id = |number: u8| CommitId::new(&[number; 20]).expect("20 bytes");
        (1..=count).map(|number| (id(number), (number != 3).then(|| change(number)))).collect()
    }

    #[test]
    fn what_is_kept_is_loaded_and_damage_counts_as_missing() {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::new(dir.path().join("index"), false);
        let versions = Versions(&store);
        versions.keep(b"cart.py", &changes(4));
        assert!(versions.load(b"cart.py").is_empty(), "nothing is created without an index");
        store.create().expect("created");
        versions.keep(b"cart.py", &changes(4));
        assert_eq!(versions.load(b"cart.py"), changes(4));
        assert!(versions.load(b"other.py").is_empty());
        let file = store.dir().join(versions.units().name(b"cart.py"));
        let text = fs::read(&file).expect("read");
        for at in 0..text.len() {
            let mut damaged = text.clone();
            damaged[at] ^= 1;
            fs::write(&file, &damaged).expect("written");
            assert!(versions.load(b"cart.py").is_empty(), "byte {at}");
        }
    }

    #[test]
    fn the_number_of_files_is_bounded() {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::new(dir.path().join("index"), false);
        store.create().expect("created");
        for number in 0..PATHS_MAX + 3 {
            Versions(&store).keep(format!("{number}.py").as_bytes(), &changes(1));
        }
        let names = fs::read_dir(store.dir()).expect("a directory").flatten();
        let versions = Versions(&store);
        let units = versions.units();
        let kept = names.filter(|entry| units.is_own(&entry.file_name().to_string_lossy())).count();
        assert_eq!(kept, PATHS_MAX);
        let last = format!("{}.py", PATHS_MAX + 2);
        assert_eq!(Versions(&store).load(last.as_bytes()), changes(1));
    }
}
