//! Every path that a file ever had.
//!
//! The present path is certain (`exact`). Former paths come from the renames of the commit log and
//! from those of the work tree (`git-follow`): git detects them by the similarity of contents, so they
//! are likely, not certain. A copy is a new file: its source is not a former path. A path that was
//! deleted and created again counts as one file, as for `git log --follow`.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::base::path;
use crate::history::{Log, PathId};

/// How a path was found.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// It is the present path.
    Exact,
    /// A chain of renames leads from it to the present path.
    GitFollow,
}

impl Method {
    /// Returns the confidence that commits of such a path belong to the file, from 0 to 1.
    pub fn confidence(self) -> f64 {
        match self {
            Method::Exact => 1.0,
            Method::GitFollow => 0.95,
        }
    }
}

/// A path of a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct KnownPath {
    /// The repository path.
    pub path: Vec<u8>,
    /// How it was found.
    pub method: Method,
}

/// The renames of a log.
#[derive(Debug)]
pub struct Renames<'a> {
    log: &'a Log,
    /// The renames to each path: the commit, counted from the newest, and the previous path. The
    /// newest comes first.
    to: FxHashMap<&'a [u8], Vec<(usize, PathId)>>,
}

impl<'a> Renames<'a> {
    /// Collects the renames of a log in one pass. O(changes).
    pub fn new(log: &'a Log) -> Renames<'a> {
        let mut to: FxHashMap<&[u8], Vec<(usize, PathId)>> = FxHashMap::default();
        for commit in log.commits() {
            let changes = commit.changes().iter();
            let renames = changes.filter_map(|change| Some((change.path, change.source?)));
            let moves = commit.moves().iter().map(|moved| (moved.path, moved.source));
            for (path, source) in renames.chain(moves) {
                to.entry(log.path(path)).or_default().push((commit.at(), source));
            }
        }
        Renames { log, to }
    }

    /// Returns the paths of the file at `path`: itself, then former ones, the latest first.
    /// `uncommitted` are renames of the work tree, as new and old path. O(its renames).
    pub fn resolve(&self, path: &[u8], uncommitted: &[(Vec<u8>, Vec<u8>)]) -> Vec<KnownPath> {
        let mut found = vec![KnownPath { path: path.to_vec(), method: Method::Exact }];
        let moved = uncommitted.iter().find(|(new, _)| new == path);
        if let Some((_, old)) = moved {
            found.push(KnownPath { path: old.clone(), method: Method::GitFollow });
        }
        // A path and the newest commit that may have changed it under this name.
        let mut open: Vec<(Vec<u8>, usize)> =
            vec![(moved.map_or_else(|| path.to_vec(), |(_, old)| old.clone()), 0)];
        let mut seen: FxHashSet<(usize, PathId)> = FxHashSet::default();
        while let Some((path, from)) = open.pop() {
            let renames = self.to.get(path.as_slice()).map_or(&[][..], Vec::as_slice);
            // Branches may have renamed different files to this path; all of them were merged.
            for &(at, source) in renames.iter().filter(|(at, _)| *at >= from) {
                if !seen.insert((at, source)) {
                    continue;
                }
                let source = self.log.path(source);
                if found.iter().all(|known| known.path != source) {
                    found.push(KnownPath { path: source.to_vec(), method: Method::GitFollow });
                }
                open.push((source.to_vec(), at + 1));
            }
        }
        found
    }

    /// Resolves several paths, in their order. O(their renames).
    pub fn resolve_all(
        &self,
        paths: &[Vec<u8>],
        uncommitted: &[(Vec<u8>, Vec<u8>)],
    ) -> Vec<Vec<KnownPath>> {
        paths.iter().map(|path| self.resolve(path, uncommitted)).collect()
    }
}

/// Returns renames among files that are new and files that are gone, as new and old path: git does
/// not detect them before the new file is added. Each text is used once; equal texts come first, then
/// the most similar ones that share at least half of their lines. O(new · gone · lines).
pub fn moved(new: &[(Vec<u8>, Vec<u8>)], gone: &[(Vec<u8>, Vec<u8>)]) -> Vec<(Vec<u8>, Vec<u8>)> {
    const FILES_MAX: usize = 200;
    /// Shorter texts are alike by chance.
    const BYTES_MIN: usize = 16;
    let lines = |text: &[u8]| -> Vec<u64> {
        let mut lines: Vec<u64> =
            text.split(|&byte| byte == b'\n').map(xxhash_rust::xxh3::xxh3_64).collect();
        lines.sort_unstable();
        lines
    };
    let prepared = |files: &[(Vec<u8>, Vec<u8>)]| -> Vec<Vec<u64>> {
        files.iter().take(FILES_MAX).map(|(_, text)| lines(text)).collect()
    };
    let (new_lines, gone_lines) = (prepared(new), prepared(gone));
    let mut pairs: Vec<(u32, bool, usize, usize)> = Vec::new();
    for (at, own) in new_lines.iter().enumerate() {
        for (from, former) in gone_lines.iter().enumerate() {
            let (longest, is_equal) = (own.len().max(former.len()), new[at].1 == gone[from].1);
            if !is_equal && (new[at].1.len() < BYTES_MIN || gone[from].1.len() < BYTES_MIN) {
                continue;
            }
            let percent = if is_equal { 101 } else { common(own, former) * 100 / longest.max(1) };
            let is_named_alike = path::split(&new[at].0).1 == path::split(&gone[from].0).1;
            if percent >= 50 {
                pairs.push((percent as u32, is_named_alike, at, from));
            }
        }
    }
    pairs.sort_by(|a, b| (b.0, b.1, a.2, a.3).cmp(&(a.0, a.1, b.2, b.3)));
    let (mut used_new, mut used_gone) = (vec![false; new.len()], vec![false; gone.len()]);
    let mut found = Vec::new();
    for (_, _, at, from) in pairs {
        if !used_new[at] && !used_gone[from] {
            (used_new[at], used_gone[from]) = (true, true);
            found.push((new[at].0.clone(), gone[from].0.clone()));
        }
    }
    found.sort();
    found
}

/// Returns the number of common elements of two sorted lists.
fn common(a: &[u64], b: &[u64]) -> usize {
    let (mut at, mut other, mut count) = (0, 0, 0);
    while at < a.len() && other < b.len() {
        match a[at].cmp(&b[other]) {
            std::cmp::Ordering::Less => at += 1,
            std::cmp::Ordering::Greater => other += 1,
            std::cmp::Ordering::Equal => (at, other, count) = (at + 1, other + 1, count + 1),
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> (Vec<u8>, Vec<u8>) {
        (path.as_bytes().to_vec(), text.as_bytes().to_vec())
    }

    #[test]
    fn moves_are_found_by_content() {
        let text = "fn a() {}\nfn b() {}\nfn c() {}\nfn d() {}\n";
        let edited = "fn a() {}\nfn b() {}\nfn c() {}\nfn e() {}\n";
        let new = [file("x/a.rs", edited), file("y.rs", text), file("z.rs", "other text here\n")];
        let gone = [file("a.rs", text), file("b.rs", text)];
        let expected =
            [(b"x/a.rs".to_vec(), b"b.rs".to_vec()), (b"y.rs".to_vec(), b"a.rs".to_vec())];
        assert_eq!(moved(&new, &gone), expected);
        assert!(moved(&[file("n", "")], &[file("o", "x\n")]).is_empty());
    }
}
