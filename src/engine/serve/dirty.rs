//! The changes since the generation of a server.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::base::path;
use crate::engine::compare::WatchReport;
use crate::error::Result;
use crate::index::table::Table;
use crate::source::rules;
use crate::source::watch::Event;

/// Maximum number of recorded paths; beyond it everything counts as changed.
const PATHS_MAX: usize = 10_000;

/// Maximum size of the recorded paths; beyond it everything counts as changed.
const BYTES_MAX: usize = 2 << 20;

/// Changed paths, each with the era of its last change. Bounded.
///
/// A successful refresh includes every change from before its start. So its start begins a new era,
/// and its end removes the changes of earlier eras.
#[derive(Debug, Default)]
pub(super) struct Dirty {
    changed: BTreeMap<Vec<u8>, u64>,
    dirs: BTreeMap<Vec<u8>, u64>,
    trees: BTreeMap<Vec<u8>, u64>,
    bytes: usize,
    /// The era in which changes were last lost.
    lost: Option<u64>,
    era: u64,
}

impl Dirty {
    /// Returns true if no change is recorded.
    pub(super) fn is_empty(&self) -> bool {
        !self.is_lost() && self.changed.is_empty() && self.dirs.is_empty() && self.trees.is_empty()
    }

    /// Returns true if changes were lost: everything counts as changed.
    pub(super) fn is_lost(&self) -> bool {
        self.lost.is_some()
    }

    /// Marks everything as changed until a refresh that starts later has ended. The files that changed
    /// stay recorded, since comparing metadata may not find them.
    pub(super) fn lose(&mut self) {
        let changed = std::mem::take(&mut self.changed);
        *self = Dirty { changed, lost: Some(self.era), era: self.era, ..Dirty::default() };
        self.count_bytes();
    }

    /// Returns the repository paths of the files that changed, in order.
    pub(super) fn changed(&self) -> Vec<Vec<u8>> {
        self.changed.keys().cloned().collect()
    }

    /// Returns true if the event is that of a new entry which is one of several names of a file:
    /// writes through this name cause no event at the others, of which only a refresh knows. One
    /// system call for an entry, none while everything counts as changed.
    pub(super) fn is_new_name(&self, root: &Path, event: &Event) -> bool {
        let Event::Entry(path) = event else { return false };
        let metadata = || std::fs::symlink_metadata(root.join(path::to_path(path)));
        !self.is_lost_in_this_era()
            && metadata().is_ok_and(|entry| entry.is_file() && entry.nlink() > 1)
    }

    /// Records the start of a refresh.
    pub(super) fn refresh_starts(&mut self) {
        self.era += 1;
    }

    /// Removes the changes from before the start of the last refresh, which succeeded.
    pub(super) fn refresh_succeeded(&mut self) {
        let era = self.era;
        self.lost = self.lost.filter(|&lost| lost >= era);
        for paths in [&mut self.changed, &mut self.dirs, &mut self.trees] {
            paths.retain(|_, &mut noted| noted >= era);
        }
        self.count_bytes();
    }

    /// Records an event; returns true if it was new. Without a table, which decides which paths a
    /// client can look up, every path is recorded.
    pub(super) fn note(&mut self, event: Event, table: Option<&Table>) -> Result<bool> {
        let (Event::Content(path) | Event::Entry(path) | Event::Tree(path)) = &event else {
            return Ok(false);
        };
        if self.is_lost_in_this_era() {
            if let Event::Content(path) | Event::Entry(path) = event {
                self.note_content(path, table)?;
            }
            return Ok(false);
        }
        let name = path::split(path).1;
        if rules::NAMES.iter().any(|rule| rule.as_bytes() == name) {
            self.lose();
            return Ok(true);
        }
        match event {
            Event::Tree(path) => self.note_tree(path, table),
            Event::Entry(path) => {
                let dir = path::split(&path).0.to_vec();
                let is_in_table = |dir: &[u8]| is_in_table(table, |table| table.find_dir(dir));
                let listed = insert(&mut self.dirs, &mut self.bytes, dir, self.era, is_in_table)?;
                Ok(self.note_content(path, table)? | listed)
            }
            Event::Content(path) => self.note_content(path, table),
            _ => Ok(false),
        }
    }

    fn note_content(&mut self, path: Vec<u8>, table: Option<&Table>) -> Result<bool> {
        let is_in_table = |path: &[u8]| is_in_table(table, |table| table.find_file(path));
        let is_new = insert(&mut self.changed, &mut self.bytes, path, self.era, is_in_table)?;
        self.keep_bounds();
        Ok(is_new)
    }

    /// Records that anything in or below the directory may have changed.
    pub(super) fn note_tree(&mut self, path: Vec<u8>, table: Option<&Table>) -> Result<bool> {
        let is_in_table = |path: &[u8]| is_in_table(table, |table| table.find_dir(path));
        let is_new = insert(&mut self.trees, &mut self.bytes, path, self.era, is_in_table)?;
        self.keep_bounds();
        Ok(is_new)
    }

    /// Returns the directories in and below which anything may have changed.
    pub(super) fn trees(&self) -> impl Iterator<Item = &[u8]> {
        self.trees.keys().map(Vec::as_slice)
    }

    /// Removes the paths that `table` does not have: unknown entries are found through the listing
    /// of their directory, which is recorded with them.
    pub(super) fn forget_unknown(&mut self, table: &Table) -> Result<()> {
        let mut result = Ok(());
        let mut keep = |found: Result<bool>| {
            found.unwrap_or_else(|error| {
                result = Err(error);
                true
            })
        };
        self.changed.retain(|path, _| keep(table.find_file(path).map(|id| id.is_some())));
        self.dirs.retain(|path, _| keep(table.find_dir(path).map(|id| id.is_some())));
        self.trees.retain(|path, _| keep(table.find_dir(path).map(|id| id.is_some())));
        self.count_bytes();
        result
    }

    /// Returns the report for a client; `also` are further directories in which anything may have
    /// changed.
    pub(super) fn watched(&self, generation: u64, also: &[Vec<u8>]) -> WatchReport {
        let keys = |paths: &BTreeMap<Vec<u8>, u64>| paths.keys().cloned().collect();
        let mut trees: Vec<Vec<u8>> = keys(&self.trees);
        trees.extend_from_slice(also);
        trees.sort_unstable();
        trees.dedup();
        WatchReport { generation, changed: keys(&self.changed), dirs: keys(&self.dirs), trees }
    }

    fn is_lost_in_this_era(&self) -> bool {
        self.lost == Some(self.era)
    }

    fn keep_bounds(&mut self) {
        let paths = self.changed.len() + self.dirs.len() + self.trees.len();
        if paths > PATHS_MAX || self.bytes > BYTES_MAX {
            self.changed.clear();
            self.lose();
        }
    }

    fn count_bytes(&mut self) {
        let bytes = |paths: &BTreeMap<Vec<u8>, u64>| paths.keys().map(Vec::len).sum::<usize>();
        self.bytes = bytes(&self.changed) + bytes(&self.dirs) + bytes(&self.trees);
    }
}

/// Adds a path for which `is_in_table` returns true; returns true if it was not recorded in this
/// era.
fn insert(
    paths: &mut BTreeMap<Vec<u8>, u64>,
    bytes: &mut usize,
    path: Vec<u8>,
    era: u64,
    is_in_table: impl FnOnce(&[u8]) -> Result<bool>,
) -> Result<bool> {
    if let Some(noted) = paths.get_mut(&path) {
        return Ok(std::mem::replace(noted, era) != era);
    }
    let is_in_table = is_in_table(&path)?;
    if is_in_table {
        *bytes += path.len();
        paths.insert(path, era);
    }
    Ok(is_in_table)
}

fn is_in_table<T>(
    table: Option<&Table>,
    find: impl FnOnce(&Table) -> Result<Option<T>>,
) -> Result<bool> {
    table.map_or(Ok(true), |table| Ok(find(table)?.is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(path: &str) -> Event {
        Event::Content(path.as_bytes().to_vec())
    }

    fn changed(dirty: &Dirty) -> Vec<String> {
        let watched = dirty.watched(1, &[]);
        watched.changed.into_iter().map(|path| String::from_utf8(path).unwrap()).collect()
    }

    #[test]
    fn a_refresh_removes_only_changes_from_before_its_start() {
        let mut dirty = Dirty::default();
        assert!(dirty.note(content("before"), None).unwrap());
        assert!(dirty.note(content("both"), None).unwrap());
        dirty.refresh_starts();
        assert!(dirty.note(content("both"), None).unwrap());
        assert!(!dirty.note(content("both"), None).unwrap());
        assert!(dirty.note(content("during"), None).unwrap());
        assert_eq!(changed(&dirty), ["before", "both", "during"]);
        dirty.refresh_succeeded();
        assert_eq!(changed(&dirty), ["both", "during"]);
        dirty.lose();
        dirty.refresh_succeeded();
        assert!(dirty.is_lost(), "the refresh had started before");
        dirty.refresh_starts();
        assert!(dirty.note(content("later"), None).unwrap());
        dirty.refresh_succeeded();
        assert!(!dirty.is_lost());
        assert_eq!(changed(&dirty), ["later"]);
    }

    #[test]
    fn an_entry_marks_its_directory_and_a_rule_marks_everything() {
        let mut dirty = Dirty::default();
        dirty.note(Event::Entry(b"a/b".to_vec()), None).unwrap();
        dirty.note(Event::Tree(b"c".to_vec()), None).unwrap();
        let watched = dirty.watched(7, &[b"also".to_vec()]);
        assert_eq!((watched.generation, watched.dirs), (7, vec![b"a".to_vec()]));
        assert_eq!(watched.changed, [b"a/b".to_vec()]);
        assert_eq!(watched.trees, [b"also".to_vec(), b"c".to_vec()]);
        dirty.note(content("a/.gitignore"), None).unwrap();
        assert!(dirty.is_lost());
        assert_eq!(changed(&dirty), ["a/b"], "its metadata may be the same");
        dirty.note(content("while lost"), None).unwrap();
        assert_eq!(changed(&dirty), ["a/b", "while lost"]);
    }

    #[test]
    fn too_many_paths_or_bytes_are_lost() {
        let mut dirty = Dirty::default();
        for i in 0..PATHS_MAX {
            dirty.note(content(&i.to_string()), None).unwrap();
            assert!(!dirty.is_lost());
        }
        dirty.note(content("one more"), None).unwrap();
        assert!(dirty.is_lost());
        let mut dirty = Dirty::default();
        for i in 0..BYTES_MAX / 1000 + 1 {
            dirty.note(content(&format!("{i:01000}")), None).unwrap();
        }
        assert!(dirty.is_lost());
    }
}
