//! The differences inside of the repositories that a commit records as submodules.
//!
//! Git would run `git status` in each of them, with the filters of its configuration. Instead, each
//! checked-out submodule is compared like the tree itself, with the commit that its place records.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::since::Difference;
use super::{Git, SUBMODULE, fields};
use crate::base::path;

/// The maximum number of submodules whose files are compared. Of further ones, only the commit is.
const SUBMODULES_MAX: usize = 32;

/// The file that a repository with submodules has.
const MODULES: &str = ".gitmodules";

/// The number of paths per git process.
const BATCH: usize = 256;

impl Git {
    /// Adds the differences of the submodules from `commit`: of the files of a checked-out one, under
    /// their paths in this tree; else of the submodule as a whole, whose path ends in `/`. `moved` has
    /// what git says of submodules, by path.
    pub(super) fn add_submodules(
        &self,
        commit: &str,
        moved: BTreeMap<Vec<u8>, Difference>,
        changes: &mut BTreeMap<Vec<u8>, Difference>,
    ) {
        let mut whole = moved;
        for (at, recorded) in self.recorded_submodules(commit, &whole) {
            if let Some(found) = self.changes_inside(&at, &recorded) {
                whole.remove(&at);
                changes.extend(found);
            }
        }
        changes.extend(whole.into_iter().map(|(mut at, how)| {
            at.push(b'/');
            (at, how)
        }));
    }

    /// Returns the submodules of git's index with the commits that `commit` records for them.
    fn recorded_submodules(
        &self,
        commit: &str,
        moved: &BTreeMap<Vec<u8>, Difference>,
    ) -> BTreeMap<Vec<u8>, String> {
        if moved.is_empty() && !self.root.ancestors().any(|dir| dir.join(MODULES).exists()) {
            return BTreeMap::new();
        }
        let listed = self.output("ls-files", &["--stage", "-z", "--", "."]).unwrap_or_default();
        let links = fields(&listed).filter_map(|entry| {
            let tab = memchr::memchr(b'\t', entry)?;
            entry.starts_with(SUBMODULE).then(|| entry[tab + 1..].to_vec())
        });
        let links: Vec<Vec<u8>> = links.take(SUBMODULES_MAX).collect();
        let mut recorded = BTreeMap::new();
        for batch in links.chunks(BATCH) {
            let mut args: Vec<OsString> = ["-z", commit, "--"].map(OsString::from).to_vec();
            args.extend(batch.iter().map(|at| path::to_path(at).into_os_string()));
            let tree = self.output("ls-tree", &args).unwrap_or_default();
            recorded.extend(fields(&tree).filter_map(|entry| {
                let tab = memchr::memchr(b'\t', entry)?;
                let id = entry[..tab].rsplit(|&byte| byte == b' ').next()?;
                let id = String::from_utf8_lossy(id).into_owned();
                entry.starts_with(SUBMODULE).then(|| (entry[tab + 1..].to_vec(), id))
            }));
        }
        recorded
    }

    /// Returns how the files of a submodule differ from its recorded commit; `None` if it is not
    /// checked out, is behind a link, or does not have the commit.
    fn changes_inside(&self, at: &[u8], recorded: &str) -> Option<Vec<(Vec<u8>, Difference)>> {
        let dir = self.root.join(path::to_path(at));
        let is_own =
            dir.canonicalize().ok()? == self.root.canonicalize().ok()?.join(path::to_path(at));
        // Without it, git would find the repository around.
        let is_checked_out = dir.join(".git").symlink_metadata().is_ok();
        if !is_own || !is_checked_out {
            return None;
        }
        let inner = Git::open(&dir)?;
        inner.commit(recorded).ok()??;
        let here = |inside: &[u8]| path::join(at, inside);
        let found = inner.changes_since(recorded).ok()?.into_iter().map(|(inside, how)| {
            let how = match how {
                Difference::Renamed(from) => Difference::Renamed(here(&from)),
                how => how,
            };
            (here(&inside), how)
        });
        Some(found.collect())
    }
}
