//! Files that searches leave out, hidden or ignored, but git tracks: for tools they are part of the
//! code. The walk does not list them, so git's index is the source of their list.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::SystemTime;

use super::Engine;
use crate::base::ids::FileId;
use crate::base::path;
use crate::catalog::file_list::{FileList, GitIndex, TreeDiff};
use crate::error::Result;
use crate::history::git::{self, Tracked};
use crate::index::table::{Flags, Table, TrackedNames};
use crate::source::secret;
use crate::source::stamp::Stamp;
use crate::source::walk::{self, LeftOut};

/// Returns what the table of a generation records about `tracked`.
pub(super) fn names(tracked: &Tracked) -> TrackedNames {
    TrackedNames { stamp: tracked.stamp.to_bytes(), hash: tracked.hash }
}

/// Returns git's index as a list of files records it, after `tracked` was read from it.
pub(super) fn index_of(engine: &Engine, tracked: &Tracked) -> Option<GitIndex> {
    let file = git::index_file(&engine.root)?;
    Some(GitIndex { file, stamp: tracked.stamp, hash: tracked.hash })
}

/// Returns those of the `tracked` files that are not `listed`: regular files that are there, no
/// secrets, and not left out by `.ignore` or `.rgignore`. Directories of files that are not there are
/// returned too, if they are: their files may come back. `listed` is in path order.
/// O(tracked + listed), and some system calls for each file that is left out.
pub(super) fn left_out<P: AsRef<[u8]>>(
    engine: &Engine,
    tracked: &Tracked,
    listed: impl Iterator<Item = P>,
) -> LeftOut {
    let mut listed = listed.peekable();
    let mut found: Vec<&Vec<u8>> = Vec::new();
    for file in &tracked.files {
        while listed.next_if(|other| path::compare(other.as_ref(), file).is_lt()).is_some() {}
        if listed.peek().is_none_or(|other| other.as_ref() != file.as_slice()) {
            found.push(file);
        }
    }
    if found.is_empty() {
        return LeftOut::default();
    }
    let mut rules = walk::search_rules(&engine.root, &engine.environment);
    let mut is_left_out =
        |name: &[u8], is_dir| rules.matched(path::to_path(name), is_dir).is_ignore();
    let mut dirs: HashMap<&[u8], bool> = HashMap::from([(&b""[..], true)]);
    found.retain(|file| {
        let mut above: Vec<&[u8]> = Vec::new();
        let mut dir = path::split(file).0;
        while !dirs.contains_key(dir) {
            above.push(dir);
            dir = path::split(dir).0;
        }
        let mut is_open = dirs[dir];
        for dir in above.into_iter().rev() {
            let is_dir = || {
                let metadata = engine.root.join(path::to_path(dir)).symlink_metadata();
                metadata.is_ok_and(|metadata| metadata.is_dir())
            };
            is_open = is_open && is_dir() && !is_left_out(dir, true);
            dirs.insert(dir, is_open);
        }
        is_open
            && !secret::is_secret(file)
            && Stamp::of_file(&engine.root.join(path::to_path(file))).is_some()
            && !is_left_out(file, false)
    });
    dirs.retain(|dir, is_open| *is_open && !dir.is_empty());
    let dirs = dirs.into_keys().map(<[u8]>::to_vec).collect();
    LeftOut { files: found.into_iter().cloned().collect(), dirs }
}

/// Returns true if git tracks other files than when the table was made. O(1) if the metadata of git's
/// index is the same, else O(index file).
///
/// # Errors
///
/// If the table is damaged.
pub(super) fn has_other_names(engine: &Engine, table: &Table) -> Result<bool> {
    let recorded = table.meta()?.tracked;
    if recorded.is_some_and(|recorded| is_as_recorded(engine, &recorded)) {
        return Ok(false);
    }
    let hash = git::tracked(&engine.root).map(|tracked| tracked.hash);
    Ok(hash != recorded.map(|recorded| recorded.hash))
}

/// Adds the differences of the files of `table` that searches leave out to `diff`. Returns git's index
/// as it is now. `last` is an earlier list, which may know it. O(1) if neither git's index nor a
/// directory changed, else O(files).
///
/// # Errors
///
/// If the table is damaged.
pub(super) fn amend(
    engine: &Engine,
    table: &Table,
    diff: &mut TreeDiff,
    last: Option<&FileList>,
) -> Result<Option<GitIndex>> {
    let recorded = table.meta()?.tracked;
    let has_same_dirs = diff.dirs.is_empty();
    let now = current(engine);
    if has_same_dirs {
        let Some((file, stamp)) = &now else {
            if recorded.is_none() {
                return Ok(None);
            }
            diff.remove(&table.flagged(Flags::TRACKED)?);
            return Ok(None);
        };
        let with_hash = |hash| GitIndex { file: file.clone(), stamp: *stamp, hash };
        if let Some(recorded) = recorded.filter(|of| is_stamp(of, *stamp)) {
            return Ok(Some(with_hash(recorded.hash)));
        }
        let known = last.and_then(FileList::git_index);
        if let Some(recorded) = recorded
            && known == Some(&with_hash(recorded.hash))
            && *stamp != Stamp::NEVER
        {
            return Ok(known.cloned());
        }
    }
    let tracked = now.as_ref().and_then(|_| git::tracked(&engine.root));
    let index = tracked.as_ref().and_then(|tracked| index_of(engine, tracked));
    let hash = tracked.as_ref().map(|tracked| tracked.hash);
    if has_same_dirs && hash == recorded.map(|recorded| recorded.hash) {
        return Ok(index);
    }
    let before = table.flagged(Flags::TRACKED)?;
    let mut listed = diff.added.clone();
    for id in (0..table.files()).map(FileId) {
        if before.binary_search(&id).is_err() {
            listed.push(table.path(id)?);
        }
    }
    listed.sort_unstable_by(|a, b| path::compare(a, b));
    let left_out = tracked.map(|tracked| left_out(engine, &tracked, listed.iter()));
    let mut files = left_out.unwrap_or_default().files;
    let mut gone = Vec::new();
    for id in before {
        let path = table.path(id)?;
        match files.binary_search_by(|file| path::compare(file, &path)) {
            Ok(at) => drop(files.remove(at)),
            Err(_) => gone.push(id),
        }
    }
    diff.remove(&gone);
    diff.added.extend(files);
    diff.added.sort_unstable_by(|a, b| path::compare(a, b));
    Ok(index)
}

/// Returns path and metadata of git's index; `None` without a repository. The metadata are
/// [`Stamp::NEVER`] if they prove nothing.
fn current(engine: &Engine) -> Option<(PathBuf, Stamp)> {
    let file = git::index_file(&engine.root)?;
    let taken_at = SystemTime::now();
    let stamp = Stamp::of_file(&file).map_or(Stamp::NEVER, |stamp| stamp.unless_racy(taken_at));
    Some((file, stamp))
}

fn is_as_recorded(engine: &Engine, recorded: &TrackedNames) -> bool {
    current(engine).is_some_and(|(_, stamp)| is_stamp(recorded, stamp))
}

fn is_stamp(recorded: &TrackedNames, stamp: Stamp) -> bool {
    stamp != Stamp::NEVER && Stamp::from_bytes(&recorded.stamp) == stamp
}
