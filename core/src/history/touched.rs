//! Which files the newest commits touched, and how often.

use rustc_hash::FxHashMap;

use super::git;
use super::{Log, PathId};

/// The maximum number of commits that are counted.
pub const COMMITS_MAX: usize = 300;

/// The files that the newest commits touched, merges left out.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Touched {
    /// The files, sorted by the bytes of their paths.
    pub files: Vec<TouchedFile>,
    /// How many commits were counted.
    pub commits: usize,
}

/// A file that was touched.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TouchedFile {
    /// Its repository path at that time.
    pub path: Box<[u8]>,
    /// How many of the commits touched it.
    pub commits: u32,
    /// The time of the last of them, in nanoseconds since 1970.
    pub last_ns: i64,
}

/// The number of commits that touched a file, and the time of the last of them.
type Counts<'a> = FxHashMap<&'a [u8], (u32, i64)>;

fn count<'a>(counts: &mut Counts<'a>, path: &'a [u8], committed_ns: i64) {
    let (count, last_ns) = counts.entry(path).or_insert((0, committed_ns));
    *count += 1;
    *last_ns = committed_ns.max(*last_ns);
}

impl Touched {
    /// Counts the files of the newest commits of a log; `None` if the log lacks files of one of them:
    /// of those with very many files, and of those whose parents a shallow clone lacks. O(commits +
    /// their files).
    pub fn of_log(log: &Log) -> Option<Touched> {
        let origin = log.origin();
        if origin.shallow != 0 {
            return None;
        }
        let mut counts = Counts::default();
        let counted = log.commits().filter(|commit| !commit.is_merge() && commit.files() > 0);
        let mut commits = 0;
        for commit in counted.take(COMMITS_MAX) {
            if commit.changes().is_empty() {
                return None;
            }
            let paths =
                commit.changes().iter().flat_map(|change| [Some(change.path), change.source]);
            let mut paths: Vec<PathId> = paths.flatten().collect();
            paths.sort_unstable();
            paths.dedup();
            let committed_ns = commit.committed_s().saturating_mul(1_000_000_000);
            paths.iter().for_each(|&path| count(&mut counts, log.path(path), committed_ns));
            commits += 1;
        }
        (commits == COMMITS_MAX || !origin.is_cut).then(|| Touched::new(counts, commits))
    }

    /// Counts the files of commits that git listed. O(their files).
    pub fn of_commits(listed: &[git::Commit]) -> Touched {
        let mut counts = Counts::default();
        for commit in listed {
            commit.paths.iter().for_each(|path| count(&mut counts, path, commit.committed_ns));
        }
        Touched::new(counts, listed.len())
    }

    fn new(counts: Counts<'_>, commits: usize) -> Touched {
        let mut files: Vec<TouchedFile> = counts
            .into_iter()
            .map(|(path, (commits, last_ns))| TouchedFile { path: path.into(), commits, last_ns })
            .collect();
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Touched { files, commits }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::history::{History, PresentFile};

    #[test]
    fn present_files_are_those_of_the_list_of_the_call() {
        let commit = |committed_ns, paths: &[&str]| git::Commit {
            committed_ns,
            paths: paths.iter().map(|path| path.as_bytes().to_vec()).collect(),
        };
        let touched = Touched::of_commits(&[
            commit(9, &["b", "gone"]),
            commit(5, &["a", "b"]),
            commit(3, &["c"]),
        ]);
        assert_eq!(touched.commits, 3);
        let history = History::new(Log::default());
        let touched = history.set_touched(touched);
        let looked_up = Cell::new(0);
        let present = |list: u64, names: &[&str]| {
            let find = |path: &[u8]| {
                looked_up.set(looked_up.get() + 1);
                names.iter().position(|name| name.as_bytes() == path)
            };
            history.present(touched, list, find).to_vec()
        };
        let file = |at, commits, last_ns| PresentFile { at, commits, last_ns };
        let expected = [file(1, 2, 9), file(0, 1, 5), file(2, 1, 3)];
        assert_eq!(present(1, &["a", "b", "c"]), expected);
        assert_eq!(present(1, &["a", "b", "c"]), expected);
        assert_eq!(looked_up.get(), 4, "the second time from the cache");
        // Another list has other files: nothing of the last one remains.
        assert_eq!(present(2, &["c", "gone"]), [file(1, 1, 9), file(0, 1, 3)]);
        assert_eq!(present(1, &["a", "b", "c"]), expected);
    }
}
