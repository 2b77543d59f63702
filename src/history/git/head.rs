//! Reads from the repository's files which commit is checked out. Every call needs it; reading
//! takes microseconds, and running git would take milliseconds.
//!
//! Git is run only if the files are not enough: for another storage format of refs, and for symbolic
//! refs with more than [`SYMREF_STEPS_MAX`] steps.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::Git;
use crate::base::path;
use crate::error::Result;
use crate::history::id::CommitId;

/// The maximum number of steps from a symbolic ref to a commit.
const SYMREF_STEPS_MAX: usize = 5;

/// The maximum size in bytes of a file with one line.
const LINE_BYTES_MAX: u64 = 16 << 10;

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
    /// As [`Git::recent`].
    pub fn of(root: &Path) -> Result<Option<Head>> {
        let Some(dirs) = Dirs::around(root) else { return Ok(None) };
        let shallow = dirs.shallow();
        if let Some(commit) = dirs.head() {
            return Ok(Some(Head { commit: Some(commit), shallow }));
        }
        let Some(git) = Git::open(root) else { return Ok(None) };
        let commit = git.commit("HEAD")?.and_then(|name| CommitId::parse(name.as_bytes()));
        Ok(Some(Head { commit, shallow }))
    }
}

/// The directories of a repository.
#[derive(Debug)]
struct Dirs {
    /// The directory of this work tree.
    own: PathBuf,
    /// The directory that all work trees of the repository share.
    common: PathBuf,
}

impl Dirs {
    fn around(root: &Path) -> Option<Dirs> {
        let own = root.ancestors().find_map(|dir| {
            let entry = dir.join(".git");
            let own = match fs::metadata(&entry).ok()?.is_dir() {
                true => entry,
                false => dir.join(named(&line(&entry)?, b"gitdir: ")?),
            };
            own.join("HEAD").symlink_metadata().is_ok().then_some(own)
        })?;
        let common = line(&own.join("commondir"))
            .and_then(|name| named(&name, b""))
            .map_or_else(|| own.clone(), |name| own.join(name));
        Some(Dirs { own, common })
    }

    /// Returns the commit of HEAD; `None` if it has none or the files do not determine it.
    fn head(&self) -> Option<CommitId> {
        let mut value = line(&self.own.join("HEAD"))?;
        for _ in 0..SYMREF_STEPS_MAX {
            let Some(name) = value.strip_prefix(b"ref:") else { return CommitId::parse(&value) };
            let name = name.trim_ascii().to_vec();
            let is_plain = name.starts_with(b"refs/")
                && name.split(|&byte| byte == b'/').all(|part| !part.is_empty() && part != b"..");
            if !is_plain {
                return None;
            }
            let file = path::to_path(&name);
            // Work trees share branches, but not all other refs.
            let loose = line(&self.own.join(&file)).or_else(|| line(&self.common.join(&file)));
            match loose {
                Some(next) => value = next,
                None => return self.packed(&name),
            }
        }
        None
    }

    fn packed(&self, name: &[u8]) -> Option<CommitId> {
        let packed = read(&self.common.join("packed-refs"), LINES_BYTES_MAX)?;
        let at = memchr::memmem::find_iter(&packed, name).find(|&at| {
            let end = packed.get(at + name.len());
            at > 0 && packed[at - 1] == b' ' && matches!(end, None | Some(b'\n' | b'\r'))
        })?;
        let start = packed[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        CommitId::parse(&packed[start..at])
    }

    fn shallow(&self) -> Vec<CommitId> {
        let ends = read(&self.common.join("shallow"), LINES_BYTES_MAX).unwrap_or_default();
        let mut ends: Vec<CommitId> =
            ends.split(|&byte| byte == b'\n').filter_map(CommitId::parse).collect();
        ends.sort_unstable();
        ends
    }
}

/// Returns the path after `start`.
fn named(line: &[u8], start: &[u8]) -> Option<PathBuf> {
    let name = line.strip_prefix(start)?.trim_ascii_end();
    (!name.is_empty()).then(|| path::to_path(name))
}

fn line(path: &Path) -> Option<Vec<u8>> {
    let mut line = read(path, LINE_BYTES_MAX)?;
    line.truncate(line.trim_ascii_end().len());
    Some(line)
}

/// Reads a file of at most `bytes_max` bytes.
fn read(path: &Path, bytes_max: u64) -> Option<Vec<u8>> {
    // Opening a named pipe would wait for a writer.
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(bytes_max + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= bytes_max).then_some(bytes)
}
