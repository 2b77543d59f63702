//! Reads from the repository's files which commit is checked out. Every call needs it; reading
//! takes microseconds, and running git would take milliseconds.
//!
//! Git is run only if the files are not enough: for another storage format of refs, and for symbolic
//! refs with more than [`SYMREF_STEPS_MAX`] steps.

use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::Git;
use super::layout::{self, Layout};
use crate::base::path;
use crate::error::Result;
use crate::history::id::CommitId;

/// The maximum number of steps from a symbolic ref to a commit.
const SYMREF_STEPS_MAX: usize = 5;

/// The maximum size in bytes of a file with many lines. For a longer one, git is run.
const LINES_BYTES_MAX: u64 = 16 << 20;

/// The state of the checkout.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Head {
    /// The commit; `None` on a branch without commits.
    pub commit: Option<CommitId>,
    /// Commits whose parents were not fetched, sorted: the boundary of a shallow clone.
    pub shallow: Vec<CommitId>,
}

impl Head {
    /// Returns a hash of the shallow boundary; 0 if the history is complete.
    pub fn shallow_hash(&self) -> u64 {
        if self.shallow.is_empty() {
            return 0;
        }
        let ends: Vec<u8> = self.shallow.iter().flat_map(|id| id.as_bytes()).copied().collect();
        xxh3_64(&ends)
    }

    /// Returns the checkout of the work tree that contains `root`, or `None` if there is none. Runs
    /// git only if the files are not enough.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`]; also if a file of the repository is a pipe or a device.
    pub fn of(root: &Path) -> Result<Option<Head>> {
        let Some(layout) = Layout::around(root) else { return Ok(None) };
        let shallow = layout.shallow()?;
        if let Some(commit) = layout.head()? {
            return Ok(Some(Head { commit: Some(commit), shallow }));
        }
        let Some(git) = Git::open(root) else { return Ok(None) };
        let commit = git.commit("HEAD")?.and_then(|name| CommitId::parse(name.as_bytes()));
        Ok(Some(Head { commit, shallow }))
    }
}

impl Layout {
    /// Checks the files that git reads first, with those of HEAD.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::check`] and [`Layout::head`].
    pub(super) fn check_files(&self) -> Result<()> {
        self.check()?;
        self.head().map(drop)
    }

    /// Returns the commit of HEAD; `None` if it has none or the files do not determine it.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::Kind::Io) if a file of a ref is no regular file.
    fn head(&self) -> Result<Option<CommitId>> {
        let Some(mut value) = layout::line(&self.own.join("HEAD"))? else { return Ok(None) };
        for _ in 0..SYMREF_STEPS_MAX {
            let Some(name) = value.strip_prefix(b"ref:") else {
                return Ok(CommitId::parse(&value));
            };
            let name = name.trim_ascii().to_vec();
            let is_plain = name.starts_with(b"refs/")
                && name.split(|&byte| byte == b'/').all(|part| !part.is_empty() && part != b"..");
            if !is_plain {
                return Ok(None);
            }
            let file = path::to_path(&name);
            // Work trees share branches, but not all other refs.
            let loose = match layout::line(&self.own.join(&file))? {
                None => layout::line(&self.common.join(&file))?,
                loose => loose,
            };
            match loose {
                Some(next) => value = next,
                None => return self.packed(&name),
            }
        }
        Ok(None)
    }

    fn packed(&self, name: &[u8]) -> Result<Option<CommitId>> {
        let packed = layout::content(&self.common.join("packed-refs"), LINES_BYTES_MAX)?;
        let id = packed.and_then(|packed| {
            let at = memchr::memmem::find_iter(&packed, name).find(|&at| {
                let end = packed.get(at + name.len());
                at > 0 && packed[at - 1] == b' ' && matches!(end, None | Some(b'\n' | b'\r'))
            })?;
            let start =
                packed[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            CommitId::parse(&packed[start..at])
        });
        Ok(id)
    }

    fn shallow(&self) -> Result<Vec<CommitId>> {
        let ends = layout::content(&self.common.join("shallow"), LINES_BYTES_MAX)?;
        let ends = ends.unwrap_or_default();
        let mut ends: Vec<CommitId> =
            ends.split(|&byte| byte == b'\n').filter_map(CommitId::parse).collect();
        ends.sort_unstable();
        Ok(ends)
    }
}
