//! What a query may believe of a snapshot: the strict check of stamps, rules and directories, and
//! the same check of only those that a watch server names.

use super::sweep::Swept;
use super::{dir_changes, sweep};
use crate::base::bits::Bits;
use crate::base::ids::DirId;
use crate::catalog::file_list::TreeDiff;
use crate::error::Result;
use crate::index::snapshot::Snapshot;
use crate::index::table::Table;
use crate::source::walk::Environment;

/// What a watch server saw since a generation was made: nothing else differs from it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct WatchReport {
    /// The generation it is about.
    pub generation: u64,
    /// Repository paths of files with another content or metadata perhaps, in order.
    pub changed: Vec<Vec<u8>>,
    /// Repository paths of directories with other entries perhaps, in order.
    pub dirs: Vec<Vec<u8>>,
    /// Repository paths of directories in which, and below which, nothing is known, in order:
    /// they were renamed or made anew, or cannot be watched.
    pub trees: Vec<Vec<u8>>,
}

/// The answer of [`compare_tree`].
#[derive(Debug)]
pub enum Comparison {
    /// The snapshot holds but for this.
    Diff(TreeDiff),
    /// The tree must be walked anew, for this reason.
    Rewalk(&'static str),
}

/// Compares the part of the tree below `scope` with the snapshot; files in `except` are not
/// looked at, since the caller reads them anyway. O(files + directories below the scope).
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
    // A rule that came into a directory above counts below, too.
    swept.dirs.extend(sweep::check(root, table, &ancestors(table, scope)?, &[])?.dirs);
    finish(snapshot, swept, scope, environment)
}

/// Does as [`compare_tree`] does, but looks only where a watch server saw changes; returns `None` where
/// its answer is about another generation. O(dirty files + dirty directories).
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
        // An unknown directory is new, and found through the one above it.
        let known = table.find_dir(path)?;
        dirs.extend(known.filter(|id| below.dirs.contains(&id.0) || above.contains(id)));
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
        // An unknown file is new or left out, which its directory's list will show.
        files.extend(table.find_file(path)?.filter(|id| below.files.contains(&id.0)));
    }
    dirs.sort_unstable();
    dirs.dedup();
    let mut swept = sweep::check(root, table, &dirs, &files)?;
    // The server saw a change that the stamp may not show: a write through a map, or the end of a
    // long one whose time was taken as it began.
    files.retain(|file| swept.gone.binary_search(file).is_err());
    swept.changed.extend(files);
    trees.sort_unstable_by_key(|tree| (tree.start, std::cmp::Reverse(tree.end)));
    let mut swept_to = 0;
    for tree in trees {
        // Subtrees are nested or apart.
        if tree.start < tree.end && tree.start >= swept_to {
            swept_to = tree.end;
            let more = sweep::sweep(root, table, tree, &Bits::default(), environment.threads)?;
            swept.changed.extend(more.changed);
            swept.gone.extend(more.gone);
            swept.dirs.extend(more.dirs);
        }
    }
    finish(snapshot, swept, scope, environment).map(Some)
}

/// Returns why no stamps can help, if so.
fn must_rewalk(table: &Table, environment: &Environment) -> Result<Option<&'static str>> {
    let meta = table.meta()?;
    if meta.problems > 0 {
        return Ok(Some("the walk met problems that a search must report"));
    }
    let excludes = environment.global_excludes.as_ref().map(|path| path.display().to_string());
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

/// Lists the directories that changed and puts the view together.
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
