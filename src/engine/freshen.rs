//! What a query may believe of a snapshot: the strict check of stamps, rules and directories.

use crate::base::bits::Bits;
use crate::base::ids::{DirId, FileId};
use crate::error::Result;
use crate::snapshot::Snapshot;
use crate::source::walk::Environment;
use crate::source::{changes, sweep};

/// What differs from the snapshot now, below the scope that was asked for.
#[derive(Debug, Default)]
pub struct View {
    /// Files with another content perhaps, ascending.
    pub changed: Vec<FileId>,
    /// Files that are no longer searched, ascending.
    pub gone: Vec<FileId>,
    /// Repository paths of files that the snapshot does not have, in path order.
    pub added: Vec<Vec<u8>>,
    /// Directories with another stamp, ascending.
    pub dirs: Vec<DirId>,
}

impl View {
    /// Returns true if the snapshot holds as it is.
    pub fn is_unchanged(&self) -> bool {
        self.changed.is_empty()
            && self.gone.is_empty()
            && self.added.is_empty()
            && self.dirs.is_empty()
    }
}

/// The answer of [`freshen`].
#[derive(Debug)]
pub enum Freshened {
    /// The snapshot holds but for this.
    View(View),
    /// The tree must be walked anew, for this reason.
    Rewalk(&'static str),
}

/// Compares the part of the tree below `scope` with the snapshot; files in `except` are not
/// looked at, since the caller reads them anyway. O(files + directories below the scope).
///
/// # Errors
///
/// If the root cannot be opened or the index is damaged.
pub fn freshen(
    snapshot: &Snapshot,
    scope: DirId,
    except: &Bits,
    environment: &Environment,
) -> Result<Freshened> {
    let Snapshot { root, table, .. } = snapshot;
    let meta = table.meta()?;
    if meta.problems > 0 {
        return Ok(Freshened::Rewalk("the walk met problems that a search must report"));
    }
    let excludes = environment.global_excludes.as_ref().map(|path| path.display().to_string());
    if excludes != meta.global_excludes {
        return Ok(Freshened::Rewalk("another global excludes file is configured"));
    }
    if !table.sources()?.iter().all(crate::source::rules::Source::holds) {
        return Ok(Freshened::Rewalk("an ignore rule changed"));
    }
    let dirs = table.dir(scope)?.dirs;
    let mut swept = sweep::sweep(root, table, dirs, except, environment.threads)?;
    // A rule that came into a directory above counts below, too.
    let mut ancestor = scope;
    let nothing_else = |id: DirId| id.0..id.0 + 1;
    while ancestor.0 != 0 {
        ancestor = table.dir(ancestor)?.parent;
        let all_files = all_files(table.files() as usize);
        let above = sweep::sweep(root, table, nothing_else(ancestor), &all_files, 1)?;
        swept.dirs.extend(above.dirs);
    }
    swept.dirs.sort_unstable();
    let Some(changes) = changes::in_dirs(root, table, &swept.dirs, scope, environment)? else {
        return Ok(Freshened::Rewalk("an ignore rule or too many directories changed"));
    };
    let mut gone = swept.gone;
    gone.extend(changes.gone);
    gone.sort_unstable();
    gone.dedup();
    let changed = swept.changed.into_iter().filter(|id| gone.binary_search(id).is_err()).collect();
    Ok(Freshened::View(View { changed, gone, added: changes.added, dirs: swept.dirs }))
}

fn all_files(files: usize) -> Bits {
    let mut bits = Bits::new(files);
    bits.insert_all(files);
    bits
}
