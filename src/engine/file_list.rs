//! The files of a tree as they are now: from the newest generation and what differs from it, or
//! from a walk where there is no index. Plain data, in path order.

use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use rayon::prelude::*;

use super::freshen::{Freshened, View};
use super::vouched::Still;
use super::{Engine, ask, freshen, freshen_watched};
use crate::base::bits::Bits;
use crate::base::ids::{DirId, FileId};
use crate::base::path;
use crate::error::{Kind, Result};
use crate::index::table::Flags;
use crate::snapshot::Snapshot;
use crate::source::stamp::Stamp;
use crate::source::{secret, walk};

/// How long a watcher may take to tell what changed; comparing all stamps takes about as long.
const SYNC_PATIENCE: Duration = Duration::from_millis(100);

/// How far a list of files is checked against the tree.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Check {
    /// A watcher is asked what changed; where there is none, every stamp is compared.
    #[default]
    Watcher,
    /// Every stamp is compared.
    Strict,
    /// The index is taken as it stands.
    Trust,
}

/// How a file stands to the generation of its list.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum State {
    /// As the generation has it.
    Same,
    /// Its stamp is another one, and so its content perhaps.
    Changed,
    /// The generation does not have it.
    Added,
}

/// What a list knows of a file.
#[derive(Clone, Copy, Debug)]
pub struct FileInfo {
    /// Its length.
    pub size_bytes: u64,
    /// When it was modified, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// What is special about it, as far as that was found out.
    pub flags: Flags,
    /// How it stands to the generation.
    pub state: State,
    /// Hash of its content in the generation, 0 where that did not read it.
    pub hash: u128,
    /// What the file system says of it; [`Stamp::NEVER`] where that proves nothing later on.
    stamp: Stamp,
}

impl FileInfo {
    /// Returns true if the generation read the file as it is now.
    pub fn is_as_indexed(&self) -> bool {
        self.state == State::Same && self.hash != 0 && !self.flags.has(Flags::SECRET)
    }

    /// Returns true if the generation did not read the file, which is as it was then.
    pub fn is_unread(&self) -> bool {
        self.state == State::Same && self.hash == 0
    }

    /// Returns what the file system said of the file as it was listed, if it is as the generation has it
    /// and another content would have another stamp.
    pub fn lasting_stamp(&self) -> Option<Stamp> {
        (self.state == State::Same && self.stamp != Stamp::NEVER).then_some(self.stamp)
    }

    /// Returns true if the file is certain to have had the same content when `earlier` was listed.
    pub fn has_content_of(&self, earlier: &FileInfo) -> bool {
        let is_same = self.stamp == earlier.stamp && self.stamp != Stamp::NEVER;
        is_same || self.is_as_indexed() && earlier.is_as_indexed() && self.hash == earlier.hash
    }

    /// Returns true if facts may be made of it: it is no secret, and of a size that is read.
    pub fn may_be_read(&self) -> bool {
        !self.flags.has(Flags::SECRET) && self.size_bytes <= super::files::FILE_BYTES_MAX
    }
}

/// The files of a tree, in path order.
#[derive(Debug, Default)]
pub struct FileList {
    /// The generation that it was made from, 0 for a walk alone.
    pub generation: u64,
    /// Files of the generation that are gone, in path order.
    pub gone: Vec<Vec<u8>>,
    /// Repository paths, one after the other.
    paths: Vec<u8>,
    /// Where each path ends.
    ends: Vec<usize>,
    files: Vec<FileInfo>,
    size_bytes: u64,
    differing: usize,
    /// What it was made of, unless of a walk, or of files that came and went.
    origin: Option<Origin>,
    not_as_indexed: OnceLock<Vec<usize>>,
}

/// What a list of files was made of.
#[derive(Debug)]
struct Origin {
    /// Of the generation's files.
    checksums: Vec<u32>,
    view: View,
    /// Places of the files that are not as the generation has them.
    differing: Vec<usize>,
    /// The places of the generation's files by their ids, [`GONE`] for those that are none.
    places: Vec<u32>,
}

/// The place of a file that is not in the list.
const GONE: u32 = u32::MAX;

impl FileList {
    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns how many bytes all files have. O(1).
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Returns how many files are not as the generation has them, those that are gone not counted. O(1).
    pub fn differing(&self) -> usize {
        self.differing
    }

    /// Returns the repository path of the `at`th file.
    ///
    /// # Panics
    ///
    /// If there are not as many.
    pub fn path(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.paths[start..self.ends[at]]
    }

    /// Returns what is known of the `at`th file.
    ///
    /// # Panics
    ///
    /// If there are not as many.
    pub fn info(&self, at: usize) -> &FileInfo {
        &self.files[at]
    }

    /// Returns true if the lists have the same paths, and so the same places for them. O(paths).
    pub fn has_paths_of(&self, other: &FileList) -> bool {
        self.ends == other.ends && self.paths == other.paths
    }

    /// Returns true if the lists tell the same of the same files, which had the same content at
    /// both moments. O(files).
    pub fn is_same_as(&self, earlier: &FileList) -> bool {
        let is_same = |(now, before): (&FileInfo, &FileInfo)| {
            now.has_content_of(before) && (now.state, now.hash) == (before.state, before.hash)
        };
        (self.generation, &self.gone) == (earlier.generation, &earlier.gone)
            && self.has_paths_of(earlier)
            && self.files.iter().zip(&earlier.files).all(is_same)
    }

    /// Returns true if it is what a list of `snapshot` and what differs from it would be now. O(what
    /// differs).
    fn holds(&self, snapshot: &Snapshot, view: &View) -> bool {
        let Some(origin) = &self.origin else { return false };
        self.generation == snapshot.generation
            && snapshot.checksums().eq(origin.checksums.iter().copied())
            && origin.view.has_files_of(view)
            && self.differs_as_listed(&snapshot.root, origin)
    }

    /// Returns true if it is what a list of a generation would be now of which nothing changed. O(files
    /// that the generation did not know for certain).
    pub(super) fn holds_still(&self, root: &Path, still: &Still) -> bool {
        let Some(origin) = &self.origin else { return false };
        still.is_of(self.generation, &origin.checksums)
            && origin.view.has_files_of(&View::default())
            && self.differs_as_listed(root, origin)
    }

    /// Returns true if the files that are not as the generation has them are as they were listed.
    fn differs_as_listed(&self, root: &Path, origin: &Origin) -> bool {
        origin.differing.iter().all(|&at| {
            let listed = self.info(at).stamp;
            let now = || Stamp::of_file(&root.join(path::to_path(self.path(at))));
            listed != Stamp::NEVER && now() == Some(listed)
        })
    }

    /// Returns the place of a file of `snapshot` by its id; `None` where it is not in the list. O(1), or
    /// O(log files) for a list of a walk.
    ///
    /// # Errors
    ///
    /// If the index is damaged.
    pub(super) fn place_of(&self, snapshot: &Snapshot, id: FileId) -> Result<Option<usize>> {
        let Some(origin) = &self.origin else { return Ok(self.find(&snapshot.table.path(id)?)) };
        let place = origin.places.get(id.index()).filter(|&&place| place != GONE);
        Ok(place.map(|&place| place as usize))
    }

    /// Returns true if it was made of the files of `snapshot`, perhaps by a walk.
    pub(super) fn is_of(&self, snapshot: &Snapshot) -> bool {
        let has_checksums =
            |origin: &Origin| snapshot.checksums().eq(origin.checksums.iter().copied());
        self.generation == snapshot.generation && self.origin.as_ref().is_none_or(has_checksums)
    }

    /// Returns true if it was made of the files of `snapshot` and says by which checksums.
    pub(super) fn is_surely_of(&self, snapshot: &Snapshot) -> bool {
        self.origin.is_some() && self.is_of(snapshot)
    }

    /// Returns the places of the files that are not known to be as the generation read them, ascending.
    /// O(files) the first time.
    pub(super) fn not_as_indexed(&self) -> &[usize] {
        self.not_as_indexed
            .get_or_init(|| (0..self.len()).filter(|&at| !self.info(at).is_as_indexed()).collect())
    }

    /// Returns paths and files, in path order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &FileInfo)> {
        (0..self.len()).map(|at| (self.path(at), self.info(at)))
    }

    /// Returns the place of the file at a repository path. O(log files).
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
        // A file of that very path is none below it.
        let is_before = |other: &[u8]| path::compare(other, dir).is_le();
        let start = self.first_from(is_before);
        start..self.first_from(|other| is_before(other) || path::is_within(other, dir))
    }

    /// Adds a file, which must come after all the others.
    pub fn push(&mut self, path: &[u8], info: FileInfo) {
        self.paths.extend_from_slice(path);
        self.ends.push(self.paths.len());
        self.size_bytes = self.size_bytes.saturating_add(info.size_bytes);
        self.differing += usize::from(info.state != State::Same);
        self.files.push(info);
    }

    /// Returns the first place whose path is not `before`.
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

/// Returns the files of the tree as they are now. O(files).
///
/// # Errors
///
/// If the root cannot be read. A damaged index is no error: then the tree is walked.
pub fn file_list(engine: &Engine, check: Check) -> Result<FileList> {
    Ok(newer_list(engine, check, None)?.expect("none is the same as no list"))
}

/// Returns the files of the tree as they are now, or `None` where they are those of `last`.
/// O(files), but O(what differs from the generation) where a watcher tells that and `last` holds.
///
/// # Errors
///
/// As [`file_list`].
pub(super) fn newer_list(
    engine: &Engine,
    check: Check,
    last: Option<&FileList>,
) -> Result<Option<FileList>> {
    let snapshot = match engine.snapshot() {
        Ok(snapshot) => snapshot,
        Err(error) => {
            log::debug!("index unusable, walking instead: {error}");
            None
        }
    };
    let Some(snapshot) = snapshot else { return walked(engine, None).map(Some) };
    engine.store().note_use();
    match checked(engine, &snapshot, check, last) {
        Err(error) if error.kind() == Kind::Corrupt => {
            log::debug!("index damaged, walking instead: {error}");
            walked(engine, None).map(Some)
        }
        other => other,
    }
}

fn checked(
    engine: &Engine,
    snapshot: &Snapshot,
    check: Check,
    last: Option<&FileList>,
) -> Result<Option<FileList>> {
    let environment = engine.environment();
    let root = DirId(0);
    let of_view = |view: View| match last.is_some_and(|last| last.holds(snapshot, &view)) {
        true => Ok(None),
        false => of_view(snapshot, view).map(Some),
    };
    if check == Check::Trust {
        return of_view(View::default());
    }
    let mut freshened = None;
    if check == Check::Watcher
        && let Some(watched) = ask(engine).and_then(|question| question.answer(SYNC_PATIENCE))
    {
        freshened = freshen_watched(snapshot, &watched, root, environment)?;
    }
    let freshened = match freshened {
        Some(freshened) => freshened,
        None => {
            let nothing = Bits::new(snapshot.table.files() as usize);
            freshen(snapshot, root, &nothing, environment)?
        }
    };
    match freshened {
        Freshened::View(view) => of_view(view),
        Freshened::Rewalk(_) => walked(engine, Some(snapshot)).map(Some),
    }
}

/// Puts the generation's files and what differs from them together.
fn of_view(snapshot: &Snapshot, view: View) -> Result<FileList> {
    let Snapshot { root, table, generation, .. } = snapshot;
    let mut list = FileList { generation: *generation, ..FileList::default() };
    let taken_at = SystemTime::now();
    let mut added = view.added.iter().peekable();
    // A file that goes while it is looked at may be back the next moment.
    let mut is_settled = true;
    let mut places = vec![GONE; table.files() as usize];
    for id in (0..table.files()).map(FileId) {
        let file = table.file(id)?;
        let path = path::join(table.dir(file.dir)?.path.to_bytes(), file.name.to_bytes());
        while let Some(added) = added.next_if(|added| path::compare(added, &path).is_lt()) {
            is_settled &= push_new(&mut list, root, added, taken_at);
        }
        if view.gone.binary_search(&id).is_ok() {
            list.gone.push(path);
            continue;
        }
        let mut stamp = table.stamp(id)?;
        let (mut state, mut lasting) = (State::Same, stamp);
        let changed = view.changed.binary_search(&id).is_ok();
        if changed || stamp == Stamp::NEVER {
            state = State::Changed;
            match Stamp::of_file(&root.join(path::to_path(&path))) {
                Some(now) => (stamp, lasting) = (now, now.unless_racy(taken_at)),
                // It went since it was looked at.
                None => {
                    is_settled = false;
                    list.gone.push(path);
                    continue;
                }
            }
        }
        let hash = table.hash(id)?;
        places[id.index()] = list.len() as u32;
        list.push(&path, FileInfo { stamp: lasting, ..info(stamp, file.flags, state, hash) });
    }
    for path in added {
        is_settled &= push_new(&mut list, root, path, taken_at);
    }
    let differs = |at: &usize| list.info(*at).state != State::Same;
    let differing = (0..list.len()).filter(differs).collect();
    let checksums = snapshot.checksums().collect();
    list.origin = is_settled.then_some(Origin { checksums, view, differing, places });
    Ok(list)
}

/// Adds a file that the generation does not have; returns false if it is gone.
fn push_new(list: &mut FileList, root: &Path, path: &[u8], taken_at: SystemTime) -> bool {
    let Some(stamp) = Stamp::of_file(&root.join(path::to_path(path))) else { return false };
    let info = info(stamp, flags(path), State::Added, 0);
    list.push(path, FileInfo { stamp: stamp.unless_racy(taken_at), ..info });
    true
}

/// Walks the tree; what `snapshot` knows of a file at its stamp is kept.
fn walked(engine: &Engine, snapshot: Option<&Snapshot>) -> Result<FileList> {
    let root = engine.root();
    let taken_at = SystemTime::now();
    let tree = walk::walk_below(root, b"", engine.environment())?;
    let known = |path: &[u8], stamp: Stamp| -> Result<FileInfo> {
        let lasting = stamp.unless_racy(taken_at);
        let nothing = FileInfo { stamp: lasting, ..info(stamp, flags(path), State::Added, 0) };
        let Some(table) = snapshot.map(|snapshot| &snapshot.table) else { return Ok(nothing) };
        let Some(id) = table.find_file(path)? else { return Ok(nothing) };
        let state = if table.stamp(id)? == stamp { State::Same } else { State::Changed };
        let info = info(stamp, table.file(id)?.flags, state, table.hash(id)?);
        Ok(FileInfo { stamp: lasting, ..info })
    };
    let infos: Vec<Option<FileInfo>> = tree
        .files
        .par_iter()
        .with_min_len(256)
        .map(|path| {
            let stamp = Stamp::of_file(&root.join(path::to_path(path)));
            stamp.map(|stamp| known(path, stamp)).transpose()
        })
        .collect::<Result<_>>()?;
    let mut list = FileList::default();
    for (path, info) in tree.files.iter().zip(infos) {
        if let Some(info) = info {
            list.push(path, info);
        }
    }
    if let Some(snapshot) = snapshot {
        list.generation = snapshot.generation;
        // Both are in path order.
        let mut at = 0;
        for id in (0..snapshot.table.files()).map(FileId) {
            let path = snapshot.table.path(id)?;
            while at < list.len() && path::compare(list.path(at), &path).is_lt() {
                at += 1;
            }
            if at == list.len() || list.path(at) != path {
                list.gone.push(path);
            }
        }
    }
    Ok(list)
}

fn info(stamp: Stamp, flags: Flags, state: State, hash: u128) -> FileInfo {
    FileInfo { size_bytes: stamp.size, modified_ns: stamp.mtime_ns, flags, state, hash, stamp }
}

fn flags(path: &[u8]) -> Flags {
    if secret::is_secret(path) { Flags::SCAN.with(Flags::SECRET) } else { Flags::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(paths: &[&str]) -> FileList {
        let mut list = FileList::default();
        for path in paths {
            list.push(path.as_bytes(), info(Stamp::NEVER, Flags::default(), State::Same, 0));
        }
        list
    }

    #[test]
    fn files_are_found_by_path_and_by_folder() {
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
