//! The differences inside of the repositories that a commit records as submodules.
//!
//! Git would run `git status` in each of them, with the filters of its configuration. Instead, each
//! checked-out submodule is compared like the tree itself, with the commit that its place records.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::since::Difference;
use super::{Git, SUBMODULE, fields};
use crate::base::path;
use crate::error::Result;

/// The maximum number of submodules whose files are compared. Further ones count as modified.
const SUBMODULES_MAX: usize = 128;

/// The file that a repository with submodules has.
const MODULES: &str = ".gitmodules";

impl Git {
    /// Adds the differences of the submodules from `commit`: of the files of a checked-out one, under
    /// their paths in this tree; else of the submodule as a whole, whose path ends in `/`. `moved` has
    /// what git says of submodules, by path.
    ///
    /// # Errors
    ///
    /// If git cannot list the submodules. One that cannot be compared counts as modified.
    pub(super) fn add_submodules(
        &self,
        commit: &str,
        moved: BTreeMap<Vec<u8>, Difference>,
        changes: &mut BTreeMap<Vec<u8>, Difference>,
    ) -> Result<()> {
        let mut whole = moved;
        for (place, (at, recorded)) in
            self.recorded_submodules(commit, &whole)?.into_iter().enumerate()
        {
            // One that is not checked out has no files.
            if !self.is_checked_out(&at) {
                continue;
            }
            let found = (place < SUBMODULES_MAX).then(|| self.changes_inside(&at, &recorded));
            if let Some(found) = found.flatten() {
                whole.remove(&at);
                changes.extend(found);
            } else {
                whole.entry(at).or_insert(Difference::Modified);
            }
        }
        changes.extend(whole.into_iter().map(|(mut at, how)| {
            at.push(b'/');
            (at, how)
        }));
        Ok(())
    }

    /// Returns the submodules of git's index with the commits that `commit` records for them.
    fn recorded_submodules(
        &self,
        commit: &str,
        moved: &BTreeMap<Vec<u8>, Difference>,
    ) -> Result<BTreeMap<Vec<u8>, String>> {
        if moved.is_empty() && !self.root.ancestors().any(|dir| dir.join(MODULES).exists()) {
            return Ok(BTreeMap::new());
        }
        let listed = self.output("ls-files", &["--stage", "-z", "--", "."])?;
        let links = fields(&listed).filter_map(|entry| {
            let tab = memchr::memchr(b'\t', entry)?;
            entry.starts_with(SUBMODULE).then(|| entry[tab + 1..].to_vec())
        });
        let mut args: Vec<OsString> = ["-z", commit, "--"].map(OsString::from).to_vec();
        args.extend(links.map(|at| path::to_path(&at).into_os_string()));
        if args.len() == 3 {
            return Ok(BTreeMap::new());
        }
        let tree = self.output("ls-tree", &args)?;
        let recorded = fields(&tree).filter_map(|entry| {
            let tab = memchr::memchr(b'\t', entry)?;
            let id = entry[..tab].rsplit(|&byte| byte == b' ').next()?;
            let id = String::from_utf8_lossy(id).into_owned();
            entry.starts_with(SUBMODULE).then(|| (entry[tab + 1..].to_vec(), id))
        });
        Ok(recorded.collect())
    }

    /// Returns true if there is a repository at `at`. Without one, git would find that around.
    fn is_checked_out(&self, at: &[u8]) -> bool {
        self.root.join(path::to_path(at)).join(".git").symlink_metadata().is_ok()
    }

    /// Returns how the files of a submodule differ from its recorded commit; `None` if it is
    /// behind a link, does not have the commit, or git fails.
    fn changes_inside(&self, at: &[u8], recorded: &str) -> Option<Vec<(Vec<u8>, Difference)>> {
        let dir = self.root.join(path::to_path(at));
        let is_own =
            dir.canonicalize().ok()? == self.root.canonicalize().ok()?.join(path::to_path(at));
        if !is_own {
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
