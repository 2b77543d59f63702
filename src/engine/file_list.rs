//! Makes the list of the present files of a tree: from the newest generation and the differences
//! from it, or from a walk if there is no index.

use std::path::Path;
use std::time::{Duration, SystemTime};

use rayon::prelude::*;

use super::compare::Comparison;
use super::{Engine, compare_tree, compare_watched, start_sync, tracked};
use crate::base::bits::Bits;
use crate::base::ids::{DirId, FileId};
use crate::base::interrupt::Interrupt;
use crate::base::path;
use crate::catalog::damage::{Damage, Part};
use crate::catalog::file_list::{FileInfo, FileList, FileState, GONE, GitIndex, TreeDiff};
use crate::error::{Error, Kind, Result};
use crate::history::git;
use crate::index::snapshot::Snapshot;
use crate::index::table::Flags;
use crate::source::stamp::Stamp;
use crate::source::{secret, walk};

/// How long to wait for a watch server. Comparing all metadata may be faster, but does not show stores
/// through memory maps; on a busy machine a server may take this long.
const SYNC_PATIENCE: Duration = Duration::from_millis(500);

/// How a list of files is checked against the tree.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Check {
    /// Use the watch server if it is running, otherwise compare the metadata of every file.
    #[default]
    Watcher,
    /// Compare the metadata of every file.
    Strict,
    /// Trust the index without checking.
    Trust,
}

/// Returns the present files of the tree. O(files).
///
/// # Errors
///
/// If the root cannot be read. A damaged index is not an error: then the tree is walked.
pub fn file_list(engine: &Engine, check: Check) -> Result<FileList> {
    let damage = &engine.cache.damage;
    let list = newer_list(engine, check, None, damage, Interrupt::NEVER)?;
    Ok(list.expect("none is the same as no list"))
}

/// Returns the present files of the tree, or `None` if they are those of `last`. O(files), but
/// O(differences) with a watch server if `last` is still current. Adds to `damage` if the index is
/// damaged.
///
/// # Errors
///
/// As [`file_list`].
pub(super) fn newer_list(
    engine: &Engine,
    check: Check,
    last: Option<&FileList>,
    damage: &Damage,
    interrupt: Interrupt<'_>,
) -> Result<Option<FileList>> {
    let snapshot = match engine.snapshot() {
        Ok(snapshot) => snapshot,
        Err(error) => {
            log::debug!("index unusable, walking instead: {error}");
            damage.note(Part::Search);
            None
        }
    };
    let Some(snapshot) = snapshot else { return walked(engine, None, interrupt).map(Some) };
    engine.store().note_use();
    match checked(engine, &snapshot, check, last, interrupt) {
        Err(error) if error.kind() == Kind::Corrupt => {
            log::debug!("index damaged, walking instead: {error}");
            damage.note(Part::Search);
            walked(engine, None, interrupt).map(Some)
        }
        other => other,
    }
}

fn checked(
    engine: &Engine,
    snapshot: &Snapshot,
    check: Check,
    last: Option<&FileList>,
    interrupt: Interrupt<'_>,
) -> Result<Option<FileList>> {
    let environment = engine.environment();
    let root = DirId(0);
    let newer = |diff: TreeDiff, git_index: Option<GitIndex>, reported: &[Vec<u8>]| {
        // A list compares metadata, which do not show every change that was reported.
        let may_hold = reported.is_empty();
        if may_hold && last.is_some_and(|last| last.holds(snapshot, &diff, git_index.as_ref())) {
            return Ok(None);
        }
        let mut list = of_diff(snapshot, diff, reported)?;
        list.set_git_index(git_index);
        Ok(Some(list))
    };
    if check == Check::Trust {
        return newer(TreeDiff::default(), None, &[]);
    }
    let (mut freshened, mut reported) = (None, Vec::new());
    if check == Check::Watcher
        && let Some(watched) = start_sync(engine).and_then(|question| question.wait(SYNC_PATIENCE))
    {
        freshened = compare_watched(snapshot, &watched, root, environment)?;
        // The server can be another process, which does not drop the texts of this one.
        watched.changed.iter().for_each(|path| engine.cache.texts.forget(path));
        reported = watched.changed;
    }
    let freshened = match freshened {
        Some(freshened) => freshened,
        None => {
            let nothing = Bits::new(snapshot.table.files() as usize);
            compare_tree(snapshot, root, &nothing, environment)?
        }
    };
    match freshened {
        Comparison::Diff(mut diff) => {
            let git_index = tracked::amend(engine, &snapshot.table, &mut diff, last)?;
            newer(diff, git_index, &reported)
        }
        Comparison::Rewalk(_) => walked(engine, Some((snapshot, &reported)), interrupt).map(Some),
    }
}

/// Combines the files of the generation with the differences from it. The metadata of the files
/// `reported` by a watcher, in order, prove nothing.
fn of_diff(snapshot: &Snapshot, diff: TreeDiff, reported: &[Vec<u8>]) -> Result<FileList> {
    let Snapshot { root, table, generation, .. } = snapshot;
    let mut list = FileList::default();
    list.generation = *generation;
    let taken_at = SystemTime::now();
    let mut added = diff.added.iter().peekable();
    // False if a file was removed while this list was built: the file may reappear later.
    let mut is_settled = true;
    let mut places = vec![GONE; table.files() as usize];
    for id in (0..table.files()).map(FileId) {
        let file = table.file(id)?;
        let path = path::join(table.dir(file.dir)?.path.to_bytes(), file.name.to_bytes());
        while let Some(added) = added.next_if(|added| path::compare(added, &path).is_lt()) {
            is_settled &= push_new(&mut list, root, added, taken_at);
        }
        if diff.gone.binary_search(&id).is_ok() {
            list.gone.push(path);
            continue;
        }
        let mut stamp = table.stamp(id)?;
        let (mut state, mut lasting) = (FileState::Same, stamp);
        let changed = diff.changed.binary_search(&id).is_ok();
        if changed || stamp == Stamp::NEVER {
            state = FileState::Changed;
            match Stamp::of_file(&root.join(path::to_path(&path))) {
                Some(now) if reported.binary_search(&path).is_ok() => {
                    (stamp, lasting) = (now, Stamp::NEVER);
                }
                Some(now) => (stamp, lasting) = (now, now.unless_racy(taken_at)),
                // It was removed since the comparison.
                None => {
                    is_settled = false;
                    list.gone.push(path);
                    continue;
                }
            }
        }
        let hash = table.hash(id)?;
        places[id.index()] = list.len() as u32;
        list.push(&path, FileInfo::new(stamp, lasting, file.flags, state, hash));
    }
    for path in added {
        is_settled &= push_new(&mut list, root, path, taken_at);
    }
    if is_settled {
        list.set_origin(snapshot, diff, places);
    }
    Ok(list)
}

/// Adds a file that the generation does not have; returns false if it no longer exists.
fn push_new(list: &mut FileList, root: &Path, path: &[u8], taken_at: SystemTime) -> bool {
    let Some(stamp) = Stamp::of_file(&root.join(path::to_path(path))) else { return false };
    let lasting = stamp.unless_racy(taken_at);
    list.push(path, FileInfo::new(stamp, lasting, flags(path), FileState::Added, 0));
    true
}

/// Walks the tree; reuses what a snapshot has about files with unchanged metadata, except of the files
/// that a watcher reported, in order.
fn walked(
    engine: &Engine,
    known: Option<(&Snapshot, &[Vec<u8>])>,
    interrupt: Interrupt<'_>,
) -> Result<FileList> {
    let root = engine.root();
    let (snapshot, reported) = known.map_or((None, &[][..]), |(of, paths)| (Some(of), paths));
    let taken_at = SystemTime::now();
    let mut tree = walk::walk_below(root, b"", engine.environment(), interrupt)?;
    let tracked = git::tracked(root);
    if let Some(tracked) = &tracked {
        let left_out = tracked::left_out(engine, tracked, tree.files.iter());
        tree.add_tracked(root, left_out, taken_at);
    }
    let file_info = |path: &[u8], stamp: Stamp| -> Result<FileInfo> {
        let lasting = stamp.unless_racy(taken_at);
        let nothing = FileInfo::new(stamp, lasting, flags(path), FileState::Added, 0);
        let Some(table) = snapshot.map(|snapshot| &snapshot.table) else { return Ok(nothing) };
        let Some(id) = table.find_file(path)? else { return Ok(nothing) };
        let is_reported = reported.binary_search_by(|other| other[..].cmp(path)).is_ok();
        let is_same = table.stamp(id)? == stamp && !is_reported;
        let state = if is_same { FileState::Same } else { FileState::Changed };
        let lasting = if is_reported { Stamp::NEVER } else { lasting };
        Ok(FileInfo::new(stamp, lasting, table.file(id)?.flags, state, table.hash(id)?))
    };
    let infos: Vec<Option<FileInfo>> = tree
        .files
        .par_iter()
        .with_min_len(256)
        .map(|path| {
            if interrupt.is_due() {
                return Err(Error::new(Kind::Cancelled, "the walk of the tree was interrupted"));
            }
            let stamp = Stamp::of_file(&root.join(path::to_path(path)));
            stamp.map(|stamp| file_info(path, stamp)).transpose()
        })
        .collect::<Result<_>>()?;
    let mut list = FileList::default();
    list.set_git_index(tracked.and_then(|tracked| tracked::index_of(engine, &tracked)));
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

fn flags(path: &[u8]) -> Flags {
    if secret::is_secret(path) { Flags::SCAN.with(Flags::SECRET) } else { Flags::default() }
}
