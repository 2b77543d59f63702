//! Every path that a file ever had.
//!
//! The present path is certain (`exact`), and so is the former one of a rename of the work tree in which no
//! line differs. Other former paths come from the renames of the commit log and
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
    /// It is the present path, or the content did not change with the path.
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

/// A rename of the work tree.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Rename {
    /// The new path.
    pub path: Vec<u8>,
    /// The old path.
    pub source: Vec<u8>,
    /// True if the content is the same.
    pub is_exact: bool,
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
    /// `uncommitted` are renames of the work tree. O(its renames).
    pub fn resolve(&self, path: &[u8], uncommitted: &[Rename]) -> Vec<KnownPath> {
        let mut found = vec![KnownPath { path: path.to_vec(), method: Method::Exact }];
        let moved = uncommitted.iter().find(|it| it.path == path);
        if let Some(Rename { source, is_exact, .. }) = moved {
            let method = if *is_exact { Method::Exact } else { Method::GitFollow };
            found.push(KnownPath { path: source.clone(), method });
        }
        // A path and the newest commit that may have changed it under this name.
        let mut open: Vec<(Vec<u8>, usize)> =
            vec![(moved.map_or_else(|| path.to_vec(), |it| it.source.clone()), 0)];
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
    pub fn resolve_all(&self, paths: &[Vec<u8>], uncommitted: &[Rename]) -> Vec<Vec<KnownPath>> {
        paths.iter().map(|path| self.resolve(path, uncommitted)).collect()
    }
}

/// The number of files of either side up to which all are compared with all.
pub const COMPARED_MAX: usize = 200;

/// Returns renames among files that are new and files that are gone, as new and old path: git does
/// not detect them before the new file is added. Each text is used once: equal texts come first, then
/// files of the same name, then all others if they are few; the most similar ones that share at least half
/// of their lines. O(n log n + pairs of files of the same name + few²).
pub fn moved(new: &[(Vec<u8>, Vec<u8>)], gone: &[(Vec<u8>, Vec<u8>)]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut sides = Sides::new(new, gone);
    let equal = sides.pairs(|(_, text)| text.clone());
    sides.pair(equal);
    let named = sides.pairs(|(path, _)| path::split(path).1.to_vec());
    sides.pair(named);
    let (new_left, gone_left) = (sides.left(&sides.new_used), sides.left(&sides.gone_used));
    if new_left.len() <= COMPARED_MAX && gone_left.len() <= COMPARED_MAX {
        let all = new_left.iter().flat_map(|&at| gone_left.iter().map(move |&from| (at, from)));
        let all = all.collect();
        sides.pair(all);
    }
    let mut found = sides.found;
    found.sort();
    found
}

/// Texts that are shorter are alike by chance.
const BYTES_MIN: usize = 16;

/// Files of the same name on both sides are paired with all others of it up to this number of pairs.
const GROUP_PAIRS_MAX: usize = 10_000;

/// A path with its text.
type File = (Vec<u8>, Vec<u8>);

/// The files of both sides, and which of them are paired.
struct Sides<'a> {
    new: &'a [File],
    gone: &'a [File],
    new_lines: Vec<Vec<u64>>,
    gone_lines: Vec<Vec<u64>>,
    new_used: Vec<bool>,
    gone_used: Vec<bool>,
    found: Vec<(Vec<u8>, Vec<u8>)>,
}

impl<'a> Sides<'a> {
    fn new(new: &'a [File], gone: &'a [File]) -> Sides<'a> {
        let lines = |files: &[File]| -> Vec<Vec<u64>> {
            let of_text = |(_, text): &File| {
                let lines = text.split(|&byte| byte == b'\n').map(xxhash_rust::xxh3::xxh3_64);
                let mut lines: Vec<u64> = lines.collect();
                lines.sort_unstable();
                lines
            };
            files.iter().map(of_text).collect()
        };
        Sides {
            new,
            gone,
            new_lines: lines(new),
            gone_lines: lines(gone),
            new_used: vec![false; new.len()],
            gone_used: vec![false; gone.len()],
            found: Vec::new(),
        }
    }

    fn left(&self, used: &[bool]) -> Vec<usize> {
        (0..used.len()).filter(|&at| !used[at]).collect()
    }

    /// Returns the pairs of files that are left and have the same key.
    fn pairs(&self, key: impl Fn(&File) -> Vec<u8>) -> Vec<(usize, usize)> {
        let mut groups: FxHashMap<Vec<u8>, (Vec<usize>, Vec<usize>)> = FxHashMap::default();
        for at in self.left(&self.new_used) {
            groups.entry(key(&self.new[at])).or_default().0.push(at);
        }
        for from in self.left(&self.gone_used) {
            groups.entry(key(&self.gone[from])).or_default().1.push(from);
        }
        let is_small = |(new, gone): &&(Vec<usize>, Vec<usize>)| {
            new.len().saturating_mul(gone.len()) <= GROUP_PAIRS_MAX
        };
        let groups = groups.values().filter(is_small);
        groups
            .flat_map(|(new, gone)| {
                new.iter().flat_map(|&at| gone.iter().map(move |&from| (at, from)))
            })
            .collect()
    }

    /// Pairs files, the most similar ones first.
    fn pair(&mut self, candidates: Vec<(usize, usize)>) {
        let mut pairs: Vec<(u32, bool, usize, usize)> = Vec::new();
        for (at, from) in candidates {
            let (own, former) = (&self.new_lines[at], &self.gone_lines[from]);
            let ((path, text), (old_path, old_text)) = (&self.new[at], &self.gone[from]);
            let is_equal = text == old_text;
            if !is_equal && (text.len() < BYTES_MIN || old_text.len() < BYTES_MIN) {
                continue;
            }
            let longest = own.len().max(former.len()).max(1);
            let percent = if is_equal { 101 } else { common(own, former) * 100 / longest };
            let is_named_alike = path::split(path).1 == path::split(old_path).1;
            if percent >= 50 {
                pairs.push((percent as u32, is_named_alike, at, from));
            }
        }
        pairs.sort_by(|a, b| (b.0, b.1, a.2, a.3).cmp(&(a.0, a.1, b.2, b.3)));
        for (_, _, at, from) in pairs {
            if !self.new_used[at] && !self.gone_used[from] {
                (self.new_used[at], self.gone_used[from]) = (true, true);
                self.found.push((self.new[at].0.clone(), self.gone[from].0.clone()));
            }
        }
    }
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
        let many = |directory: &str, last: &str| -> Vec<(Vec<u8>, Vec<u8>)> {
            let text = |at: usize| (0..4).map(|line| format!("{at} {line}\n")).collect::<String>();
            let name = |at: usize| format!("{directory}/{at}.rs");
            (0..300).map(|at| file(&name(at), &format!("{}{last}\n", text(at)))).collect()
        };
        assert_eq!(moved(&many("n", "x"), &many("o", "y")).len(), 300, "by their names");
        assert!(moved(&[file("n", "")], &[file("o", "x\n")]).is_empty());
    }
}
