//! The files of a tree, in path order. Plain data.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::base::ids::{DirId, FileId};
use crate::base::path;
use crate::error::Result;
use crate::index::snapshot::Snapshot;
use crate::index::table::Flags;
use crate::source::stamp::Stamp;
use crate::source::text_cache::Listed;

/// Larger files are not indexed but scanned, a buffer at a time.
pub const INDEXED_BYTES_MAX: u64 = 64 << 20;

/// The state of a file relative to the generation of its list.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FileState {
    /// Unchanged since the generation.
    Same,
    /// Its metadata differs, and perhaps its content.
    Changed,
    /// The generation does not have it.
    Added,
}

/// A file of a list.
#[derive(Clone, Copy, Debug)]
pub struct FileInfo {
    /// Size in bytes.
    pub size_bytes: u64,
    /// Modification time in nanoseconds since 1970.
    pub modified_ns: i64,
    /// Flags of the file, as far as they were determined.
    pub flags: Flags,
    /// State relative to the generation.
    pub state: FileState,
    /// Hash of its content in the generation; 0 if that did not read it.
    pub hash: u128,
    /// Current metadata; [`Stamp::NEVER`] if the content could change without changing it.
    stamp: Stamp,
}

impl FileInfo {
    /// Creates the entry of a file with that metadata. `lasting` is the same metadata if any
    /// change of the content would change it, else [`Stamp::NEVER`].
    pub fn new(
        metadata: Stamp,
        lasting: Stamp,
        flags: Flags,
        state: FileState,
        hash: u128,
    ) -> FileInfo {
        let (size_bytes, modified_ns) = (metadata.size, metadata.mtime_ns);
        FileInfo { size_bytes, modified_ns, flags, state, hash, stamp: lasting }
    }

    /// Returns true if the generation has the present content of the file.
    pub fn is_as_indexed(&self) -> bool {
        self.state == FileState::Same && self.hash != 0 && !self.flags.has(Flags::SECRET)
    }

    /// Returns true if the file is unchanged and the generation did not read it.
    pub fn is_unread(&self) -> bool {
        self.state == FileState::Same && self.hash == 0
    }

    /// Returns the metadata of the file when it was listed and its hash, if it is unchanged since the
    /// generation and other content would change the metadata.
    pub fn listed(&self) -> Option<Listed> {
        let is_lasting = self.state == FileState::Same && self.stamp != Stamp::NEVER;
        let hash = self.is_as_indexed().then_some(self.hash);
        is_lasting.then_some(Listed { stamp: self.stamp, hash })
    }

    /// Returns true if the file certainly had the same content when `earlier` was listed.
    pub fn has_content_of(&self, earlier: &FileInfo) -> bool {
        // Stores through a memory map can leave other content with the same metadata.
        if self.is_as_indexed() && earlier.is_as_indexed() {
            return self.hash == earlier.hash;
        }
        self.stamp == earlier.stamp && self.stamp != Stamp::NEVER
    }

    /// Returns true if facts may be extracted from it: it is not a secret, and not too large.
    pub fn may_be_read(&self) -> bool {
        !self.flags.has(Flags::SECRET) && self.size_bytes <= INDEXED_BYTES_MAX
    }
}

/// Git's index, from which the list of files that searches leave out was made.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct GitIndex {
    /// Its absolute path.
    pub file: PathBuf,
    /// Its metadata; [`Stamp::NEVER`] if the file may change without changing it.
    pub stamp: Stamp,
    /// The hash of the paths in it.
    pub hash: u64,
}

impl GitIndex {
    /// Returns true if the file is unchanged.
    fn holds(&self) -> bool {
        self.stamp != Stamp::NEVER && Stamp::of_file(&self.file) == Some(self.stamp)
    }
}

/// The files of a tree, in path order.
#[derive(Debug)]
pub struct FileList {
    /// See [`FileList::id`].
    id: u64,
    /// The generation that it was made from; 0 for a walk without index.
    pub generation: u64,
    /// Removed files of the generation, in path order.
    pub gone: Vec<Vec<u8>>,
    /// Repository paths, one after the other.
    paths: Vec<u8>,
    /// End of each path in `paths`.
    ends: Vec<usize>,
    files: Vec<FileInfo>,
    size_bytes: u64,
    differing: usize,
    /// The snapshot and differences that it was made from; `None` for a walk, and if files were
    /// added or removed meanwhile.
    origin: Option<Origin>,
    git_index: Option<GitIndex>,
    not_as_indexed: OnceLock<Vec<usize>>,
}

/// The snapshot and differences that a list was made from.
#[derive(Debug)]
struct Origin {
    /// Checksums of the generation's index files.
    checksums: Vec<u32>,
    diff: TreeDiff,
    /// Indices of the files whose state is not [`FileState::Same`].
    differing: Vec<usize>,
    /// For each file id of the generation, the index in the list, or [`GONE`] if it is not in it.
    places: Vec<u32>,
}

/// The index of a file that is not in the list.
pub const GONE: u32 = u32::MAX;

impl Default for FileList {
    fn default() -> FileList {
        static LISTS: AtomicU64 = AtomicU64::new(0);
        FileList {
            id: LISTS.fetch_add(1, Ordering::Relaxed),
            generation: 0,
            gone: Vec::new(),
            paths: Vec::new(),
            ends: Vec::new(),
            files: Vec::new(),
            size_bytes: 0,
            differing: 0,
            origin: None,
            git_index: None,
            not_as_indexed: OnceLock::new(),
        }
    }
}

impl FileList {
    /// Returns a number that no other list of this process has. A list that is complete does not
    /// change, so data that was derived from it is valid for a list with the same number.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the total size of the files in bytes. O(1).
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Returns the number of changed and added files. O(1).
    pub fn differing(&self) -> usize {
        self.differing
    }

    /// Returns the repository path of the `at`th file.
    ///
    /// # Panics
    ///
    /// If there are fewer files.
    pub fn path(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.paths[start..self.ends[at]]
    }

    /// Returns the `at`th file.
    ///
    /// # Panics
    ///
    /// If there are fewer files.
    pub fn info(&self, at: usize) -> &FileInfo {
        &self.files[at]
    }

    /// Returns the indices of the files that are not in the generation as they are, ascending.
    /// O(result), but O(files) for a list made by a walk.
    pub fn changed_or_added(&self) -> Cow<'_, [usize]> {
        match &self.origin {
            Some(origin) => Cow::Borrowed(&origin.differing),
            None => {
                let differs = |at: &usize| self.info(*at).state != FileState::Same;
                (0..self.len()).filter(differs).collect()
            }
        }
    }

    /// Returns true if the lists have the same paths, and so the same indices. O(paths).
    pub fn has_paths_of(&self, other: &FileList) -> bool {
        self.ends == other.ends && self.paths == other.paths
    }

    /// Returns true if the lists have the same files with the same content and state. O(files).
    pub fn is_same_as(&self, earlier: &FileList) -> bool {
        let is_same = |(now, before): (&FileInfo, &FileInfo)| {
            now.has_content_of(before) && (now.state, now.hash) == (before.state, before.hash)
        };
        (self.generation, &self.gone) == (earlier.generation, &earlier.gone)
            && self.has_paths_of(earlier)
            && self.files.iter().zip(&earlier.files).all(is_same)
    }

    /// Returns git's index, from which the list of files that searches leave out was made; `None`
    /// without a repository.
    pub fn git_index(&self) -> Option<&GitIndex> {
        self.git_index.as_ref()
    }

    /// Records git's index.
    pub fn set_git_index(&mut self, git_index: Option<GitIndex>) {
        self.git_index = git_index;
    }

    /// Returns true if a list made now from `snapshot`, `diff` and `git_index` would be the same.
    /// O(differences).
    pub fn holds(
        &self,
        snapshot: &Snapshot,
        diff: &TreeDiff,
        git_index: Option<&GitIndex>,
    ) -> bool {
        let Some(origin) = &self.origin else { return false };
        self.generation == snapshot.generation
            && self.git_index.as_ref() == git_index
            && snapshot.checksums().eq(origin.checksums.iter().copied())
            && origin.diff.has_files_of(diff)
            && self.differs_as_listed(&snapshot.root, origin)
    }

    /// Returns true if the list is still correct. `is_unchanged` returns true if the generation
    /// with a number and checksums is unchanged. O(files that differed from the generation).
    pub fn is_current(&self, root: &Path, is_unchanged: impl FnOnce(u64, &[u32]) -> bool) -> bool {
        let Some(origin) = &self.origin else { return false };
        is_unchanged(self.generation, &origin.checksums)
            && self.git_index.as_ref().is_none_or(GitIndex::holds)
            && origin.diff.has_files_of(&TreeDiff::default())
            && self.differs_as_listed(root, origin)
    }

    /// Returns true if the files that differ from the generation are unchanged since they were
    /// listed.
    fn differs_as_listed(&self, root: &Path, origin: &Origin) -> bool {
        origin.differing.iter().all(|&at| {
            let listed = self.info(at).stamp;
            let now = || Stamp::of_file(&root.join(path::to_path(self.path(at))));
            listed != Stamp::NEVER && now() == Some(listed)
        })
    }

    /// Returns the index of a file of `snapshot` by its id; `None` if it is not in the list. O(1),
    /// or O(log files) for a list made by a walk.
    ///
    /// # Errors
    ///
    /// If the index is damaged.
    pub fn place_of(&self, snapshot: &Snapshot, id: FileId) -> Result<Option<usize>> {
        let Some(origin) = &self.origin else { return Ok(self.find(&snapshot.table.path(id)?)) };
        let place = origin.places.get(id.index()).filter(|&&place| place != GONE);
        Ok(place.map(|&place| place as usize))
    }

    /// Returns true if it was made from `snapshot`, perhaps by a walk.
    pub fn is_of(&self, snapshot: &Snapshot) -> bool {
        let has_checksums =
            |origin: &Origin| snapshot.checksums().eq(origin.checksums.iter().copied());
        self.generation == snapshot.generation && self.origin.as_ref().is_none_or(has_checksums)
    }

    /// Returns true if it was made from `snapshot`, identified by its checksums.
    pub fn is_surely_of(&self, snapshot: &Snapshot) -> bool {
        self.origin.is_some() && self.is_of(snapshot)
    }

    /// Returns the indices of the files whose present content the generation may not have,
    /// ascending. O(files) the first time.
    pub fn not_as_indexed(&self) -> &[usize] {
        self.not_as_indexed
            .get_or_init(|| (0..self.len()).filter(|&at| !self.info(at).is_as_indexed()).collect())
    }

    /// Returns paths and files, in path order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &FileInfo)> {
        (0..self.len()).map(|at| (self.path(at), self.info(at)))
    }

    /// Returns the index of the file at a repository path. O(log files).
    pub fn find(&self, path: &[u8]) -> Option<usize> {
        let at = self.first_from(|other| path::compare(other, path).is_lt());
        (at < self.len() && self.path(at) == path).then_some(at)
    }

    /// Returns the files below the directory `dir`, all for the empty path; an empty range where
    /// there is no such directory. O(log files).
    pub fn below(&self, dir: &[u8]) -> Range<usize> {
        if dir.is_empty() {
            return 0..self.len();
        }
        // A file with exactly this path is not below it.
        let is_before = |other: &[u8]| path::compare(other, dir).is_le();
        let start = self.first_from(is_before);
        start..self.first_from(|other| is_before(other) || path::is_within(other, dir))
    }

    /// Adds a file, which must come after all the others.
    pub fn push(&mut self, path: &[u8], info: FileInfo) {
        self.paths.extend_from_slice(path);
        self.ends.push(self.paths.len());
        self.size_bytes = self.size_bytes.saturating_add(info.size_bytes);
        self.differing += usize::from(info.state != FileState::Same);
        self.files.push(info);
    }

    /// Records that the list was made from `snapshot` and `diff`. `places` are the indices of the
    /// snapshot's files by their ids, [`GONE`] for those that are not in the list.
    pub fn set_origin(&mut self, snapshot: &Snapshot, diff: TreeDiff, places: Vec<u32>) {
        let differs = |at: &usize| self.info(*at).state != FileState::Same;
        let differing = (0..self.len()).filter(differs).collect();
        let checksums = snapshot.checksums().collect();
        self.origin = Some(Origin { checksums, diff, differing, places });
    }

    /// Returns the first index for whose path `before` returns false.
    fn first_from(&self, before: impl Fn(&[u8]) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if before(self.path(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// The differences of the tree from a snapshot, below the scope of the comparison.
#[derive(Debug, Default)]
pub struct TreeDiff {
    /// Files whose content may differ, ascending.
    pub changed: Vec<FileId>,
    /// Files that are no longer searched, ascending.
    pub gone: Vec<FileId>,
    /// Repository paths of files that the snapshot does not have, in path order.
    pub added: Vec<Vec<u8>>,
    /// Directories with other metadata, ascending.
    pub dirs: Vec<DirId>,
}

impl TreeDiff {
    /// Returns true if the same files differ in the same ways.
    pub fn has_files_of(&self, other: &TreeDiff) -> bool {
        (&self.changed, &self.gone, &self.added) == (&other.changed, &other.gone, &other.added)
    }

    /// Adds files that are no longer part of the tree, in ascending order.
    pub fn remove(&mut self, files: &[FileId]) {
        self.gone.extend(files);
        self.gone.sort_unstable();
        self.gone.dedup();
        let gone = &self.gone;
        self.changed.retain(|id| gone.binary_search(id).is_err());
    }

    /// Returns true if nothing differs.
    pub fn is_unchanged(&self) -> bool {
        self.changed.is_empty()
            && self.gone.is_empty()
            && self.added.is_empty()
            && self.dirs.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(paths: &[&str]) -> FileList {
        let (mut list, never) = (FileList::default(), Stamp::NEVER);
        for path in paths {
            list.push(
                path.as_bytes(),
                FileInfo::new(never, never, Flags::default(), FileState::Same, 0),
            );
        }
        list
    }

    #[test]
    fn files_are_found_by_path_and_by_directory() {
        let list = list(&["a/b/c.rs", "a/b/d.rs", "a/e.rs", "a-b/f.rs", "a.rs", "b"]);
        assert_eq!(list.find(b"a/e.rs"), Some(2));
        assert_eq!(list.find(b"a"), None);
        assert_eq!(list.find(b"z"), None);
        assert_eq!(list.below(b""), 0..6);
        assert_eq!(list.below(b"a"), 0..3);
        assert_eq!(list.below(b"a/b"), 0..2);
        assert_eq!(list.below(b"a-b"), 3..4);
        assert!(list.below(b"b").is_empty() && list.below(b"a/b/c").is_empty());
    }
}
