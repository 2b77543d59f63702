//! Compares the tree with a snapshot: completely (metadata, rules and directories), or only the
//! paths that a watch server reports.

use super::sweep::Swept;
use super::{dir_changes, sweep};
use crate::base::bits::Bits;
use crate::base::ids::DirId;
use crate::catalog::file_list::TreeDiff;
use crate::error::Result;
use crate::index::snapshot::Snapshot;
use crate::index::table::{Flags, Table};
use crate::source::walk::Environment;

/// Number of files with several names above which several threads compare all files.
const LINKED_MAX: usize = 1000;

/// The changes that a watch server saw since a generation; nothing else differs from it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct WatchReport {
    /// The generation that the report refers to.
    pub generation: u64,
    /// Repository paths of files whose content or metadata may differ, in order.
    pub changed: Vec<Vec<u8>>,
    /// Repository paths of directories whose entries may differ, in order.
    pub dirs: Vec<Vec<u8>>,
    /// Repository paths of directories in and below which anything may differ, in order: they were
    /// renamed or created, or cannot be watched.
    pub trees: Vec<Vec<u8>>,
}

/// The result of [`compare_tree`].
#[derive(Debug)]
pub enum Comparison {
    /// The tree differs from the snapshot only in this.
    Diff(TreeDiff),
    /// The tree must be walked again, for this reason.
    Rewalk(&'static str),
}

/// Compares the part of the tree below `scope` with the snapshot. Files in `except` are skipped,
/// since the caller reads them anyway. O(files + directories below the scope).
///
/// # Errors
///
/// If the root cannot be opened or the index is damaged.
pub fn compare_tree(
    snapshot: &Snapshot,
    scope: DirId,
    except: &Bits,
    environment: &Environment,
) -> Result<Comparison> {
    let Snapshot { root, table, .. } = snapshot;
    if let Some(reason) = must_rewalk(table, environment)? {
        return Ok(Comparison::Rewalk(reason));
    }
    if !table.sources()?.iter().all(crate::source::rules::Source::holds) {
        return Ok(Comparison::Rewalk("an ignore rule changed"));
    }
    let dirs = table.dir(scope)?.dirs;
    let mut swept = sweep::sweep(root, table, dirs, except, environment.threads)?;
    // A new rule in a directory above applies below, too.
    swept.dirs.extend(sweep::check(root, table, &ancestors(table, scope)?, &[])?.dirs);
    finish(snapshot, swept, scope, environment)
}

/// Compares as [`compare_tree`] does, but only the paths that a watch server reported and the files
/// with several names. Returns `None` if the report is about another generation.
/// O(changed files + changed directories + files with several names).
///
/// # Errors
///
/// As [`compare_tree`].
pub fn compare_watched(
    snapshot: &Snapshot,
    watched: &WatchReport,
    scope: DirId,
    environment: &Environment,
) -> Result<Option<Comparison>> {
    let Snapshot { root, table, .. } = snapshot;
    if snapshot.generation != watched.generation {
        return Ok(None);
    }
    if let Some(reason) = must_rewalk(table, environment)? {
        return Ok(Some(Comparison::Rewalk(reason)));
    }
    let below = table.dir(scope)?;
    let above = ancestors(table, scope)?;
    let mut dirs = Vec::new();
    for path in &watched.dirs {
        // A directory that the table does not have is new, and found through the listing of its
        // parent.
        let in_table = table.find_dir(path)?;
        dirs.extend(in_table.filter(|id| below.dirs.contains(&id.0) || above.contains(id)));
    }
    let mut trees = Vec::new();
    for path in &watched.trees {
        let Some(id) = table.find_dir(path)? else { continue };
        let tree = table.dir(id)?.dirs;
        dirs.extend(above.iter().filter(|above| tree.contains(&above.0)));
        trees.push(tree.start.max(below.dirs.start)..tree.end.min(below.dirs.end));
    }
    let mut files = Vec::new();
    for path in &watched.changed {
        // A file that the table does not have is new or excluded, which the listing of its
        // directory shows.
        files.extend(table.find_file(path)?.filter(|id| below.files.contains(&id.0)));
    }
    dirs.sort_unstable();
    dirs.dedup();
    let mut swept = sweep::check(root, table, &dirs, &files)?;
    // The server saw a change that the metadata may not show: a write through a memory map, or the
    // end of a long write whose modification time was set when it began.
    files.retain(|file| swept.gone.binary_search(file).is_err());
    swept.changed.extend(files);
    // Nor does the server see a write through another name of a file.
    let mut linked = table.flagged(Flags::LINKED)?;
    linked.retain(|id| below.files.contains(&id.0));
    let more = if linked.len() <= LINKED_MAX {
        sweep::check(root, table, &[], &linked)?
    } else {
        let nothing = Bits::default();
        sweep::sweep(root, table, below.dirs.clone(), &nothing, environment.threads)?
    };
    swept.extend(more);
    trees.sort_unstable_by_key(|tree| (tree.start, std::cmp::Reverse(tree.end)));
    let mut swept_to = 0;
    for tree in trees {
        // Subtrees are nested or disjoint.
        if tree.start < tree.end && tree.start >= swept_to {
            swept_to = tree.end;
            let more = sweep::sweep(root, table, tree, &Bits::default(), environment.threads)?;
            swept.extend(more);
        }
    }
    finish(snapshot, swept, scope, environment).map(Some)
}

/// Returns the reason why comparing metadata is not enough, if there is one.
fn must_rewalk(table: &Table, environment: &Environment) -> Result<Option<&'static str>> {
    let meta = table.meta()?;
    if meta.problems > 0 {
        return Ok(Some("the walk met problems that a search must report"));
    }
    let excludes = environment.excludes_path().map(|path| path.display().to_string());
    if excludes != meta.global_excludes {
        return Ok(Some("another global excludes file is configured"));
    }
    Ok(None)
}

/// Returns the directories above `scope`.
fn ancestors(table: &Table, scope: DirId) -> Result<Vec<DirId>> {
    let (mut above, mut dir) = (Vec::new(), scope);
    while dir.0 != 0 {
        dir = table.dir(dir)?.parent;
        above.push(dir);
    }
    Ok(above)
}

/// Lists the changed directories and collects all differences.
fn finish(
    snapshot: &Snapshot,
    mut swept: Swept,
    scope: DirId,
    environment: &Environment,
) -> Result<Comparison> {
    let Snapshot { root, table, .. } = snapshot;
    swept.dirs.sort_unstable();
    swept.dirs.dedup();
    let Some(changes) = dir_changes::in_dirs(root, table, &swept.dirs, scope, environment)? else {
        return Ok(Comparison::Rewalk("an ignore rule or too many directories changed"));
    };
    let mut gone = swept.gone;
    gone.extend(changes.gone);
    gone.sort_unstable();
    gone.dedup();
    let mut changed = swept.changed;
    changed.retain(|id| gone.binary_search(id).is_err());
    changed.sort_unstable();
    changed.dedup();
    Ok(Comparison::Diff(TreeDiff { changed, gone, added: changes.added, dirs: swept.dirs }))
}
