//! Files of several nodes as one list: each repository from one node and in one version.
//!
//! The order is total: by score descending, then by repository, path and the rest of what identifies a
//! file.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::base::path::compare;
use crate::fleet::messages::FileMatch;

/// Returns the positions of `nodes` in the order in which a repository is taken from them.
pub(super) type Preference = dyn Fn(&str, &[&str]) -> Vec<usize> + Send + Sync;

/// What a node found.
pub(super) struct NodeFiles<'a> {
    pub(super) node: &'a str,
    /// Whether its answer is whole. A repository is taken from a whole answer before a cut one.
    pub(super) is_whole: bool,
    pub(super) files: Vec<FileMatch>,
}

/// A repository that nodes have in different versions.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Conflict {
    /// Its name.
    pub repository: String,
    /// The node whose files are in the reply, with their versions.
    pub shown: NodeVersions,
    /// The nodes whose files are not.
    pub others: Vec<NodeVersions>,
}

/// The versions of a repository on a node, sorted.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NodeVersions {
    /// The name of the node.
    pub node: String,
    /// The commits of the files that it found.
    pub versions: Vec<String>,
}

/// The merged files.
#[derive(Debug, Default)]
pub(super) struct Merged {
    pub(super) files: Vec<FileMatch>,
    /// Of each node: why files were left out that no other node has instead.
    pub(super) left_out: Vec<Vec<String>>,
    /// Sorted by repository.
    pub(super) conflicts: Vec<Conflict>,
}

/// Merges the files of nodes. `is_by_branch` is true if the query names branches: the version of a file
/// is then not always that of the branch for which it was found, so versions are not compared.
///
/// Cost: O(n log n) for n files.
pub(super) fn merge(
    nodes: Vec<NodeFiles<'_>>,
    preference: &Preference,
    is_by_branch: bool,
) -> Merged {
    let names: Vec<&str> = nodes.iter().map(|node| node.node).collect();
    let whole: Vec<bool> = nodes.iter().map(|node| node.is_whole).collect();
    let mut merged = Merged { left_out: vec![Vec::new(); nodes.len()], ..Merged::default() };
    let mut repositories: BTreeMap<String, BTreeMap<usize, Vec<FileMatch>>> = BTreeMap::new();
    for (at, node) in nodes.into_iter().enumerate() {
        let mut invalid = 0;
        for file in node.files {
            if file.repository.is_empty() || !is_path(&file.file_name) {
                invalid += 1;
                continue;
            }
            let of_nodes = repositories.entry(file.repository.clone()).or_default();
            of_nodes.entry(at).or_default().push(file);
        }
        if invalid > 0 {
            let what = format!("returned {invalid} files with names that no repository has");
            merged.left_out[at].push(what);
        }
    }
    for (repository, mut of_nodes) in repositories {
        let have: Vec<usize> = of_nodes.keys().copied().collect();
        let at = first(&repository, &have, &names, &whole, preference);
        let mut files = of_nodes.remove(&at).unwrap_or_default();
        if !is_by_branch {
            let dropped = keep_one_version(&mut files);
            if dropped > 0 {
                merged.left_out[at].push(format!(
                    "indexed a repository again during the call: {dropped} files of its other \
                     version are left out"
                ));
            }
            let of = |at: usize, files: &[FileMatch]| NodeVersions {
                node: names[at].to_owned(),
                versions: versions(files),
            };
            let shown = of(at, &files);
            let others = of_nodes.iter().map(|(at, files)| of(*at, files));
            let others: Vec<NodeVersions> =
                others.filter(|other| !is_subset(&other.versions, &shown.versions)).collect();
            if !others.is_empty() {
                merged.conflicts.push(Conflict { repository, shown, others });
            }
        }
        merged.files.append(&mut files);
    }
    merged.files.sort_by(order);
    merged
}

/// Returns the node from which a repository is taken, of those that have it.
fn first(
    repository: &str,
    have: &[usize],
    names: &[&str],
    whole: &[bool],
    preference: &Preference,
) -> usize {
    let given: Vec<&str> = have.iter().map(|at| names[*at]).collect();
    let ordered = preference(repository, &given);
    let ordered = ordered.iter().filter_map(|at| have.get(*at).copied());
    let best = ordered.clone().find(|at| whole[*at]).or_else(|| ordered.clone().next());
    best.unwrap_or(have[0])
}

/// Drops all files of each branch whose version is not that of most of its files, and returns their
/// number. A node that indexes a repository again during a search finds files of both versions.
fn keep_one_version(files: &mut Vec<FileMatch>) -> usize {
    let before = files.len();
    let mut counts: BTreeMap<(&[String], &str), BTreeMap<&str, usize>> = BTreeMap::new();
    for file in files.iter() {
        let of_branch = counts.entry((&file.branches, &file.sub_repository_name)).or_default();
        *of_branch.entry(&file.version).or_default() += 1;
    }
    let is_mixed = |versions: &BTreeMap<&str, usize>| versions.len() > 1;
    if !counts.values().any(is_mixed) {
        return 0;
    }
    let kept: Vec<bool> = files
        .iter()
        .map(|file| {
            let versions = &counts[&(file.branches.as_slice(), file.sub_repository_name.as_str())];
            let most = versions.iter().max_by_key(|(version, count)| (**count, **version));
            most.is_some_and(|(version, _)| *version == file.version)
        })
        .collect();
    let mut at = kept.into_iter();
    files.retain(|_| at.next().unwrap_or(false));
    before - files.len()
}

fn versions(files: &[FileMatch]) -> Vec<String> {
    let mut versions: Vec<String> = files.iter().map(|file| file.version.clone()).collect();
    versions.sort_unstable();
    versions.dedup();
    versions
}

fn is_subset(of: &[String], all: &[String]) -> bool {
    of.iter().all(|version| all.contains(version))
}

/// Returns true for a path that git can have: relative, of named components without `.` and `..`.
fn is_path(path: &[u8]) -> bool {
    let is_name = |name: &[u8]| !matches!(name, b"" | b"." | b"..");
    !path.contains(&0) && path.split(|byte| *byte == b'/').all(is_name)
}

fn order(a: &FileMatch, b: &FileMatch) -> Ordering {
    // A score that is no number is the least one.
    let score = |file: &FileMatch| if file.score.is_nan() { f64::NEG_INFINITY } else { file.score };
    score(b)
        .total_cmp(&score(a))
        .then_with(|| a.repository.cmp(&b.repository))
        .then_with(|| compare(&a.file_name, &b.file_name))
        .then_with(|| a.branches.cmp(&b.branches))
        .then_with(|| a.version.cmp(&b.version))
        .then_with(|| a.checksum.cmp(&b.checksum))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(score: f64, repository: &str, path: &str, version: &str) -> FileMatch {
        FileMatch {
            score,
            repository: repository.to_owned(),
            file_name: path.as_bytes().to_vec(),
            version: version.to_owned(),
            branches: vec!["HEAD".to_owned()],
            ..FileMatch::default()
        }
    }

    fn shown(merged: &Merged) -> Vec<String> {
        let line = |file: &FileMatch| {
            let path = String::from_utf8_lossy(&file.file_name);
            format!("{} {} {path}@{}", file.score, file.repository, file.version)
        };
        merged.files.iter().map(line).collect()
    }

    fn of(nodes: &[(&'static str, bool, Vec<FileMatch>)]) -> Merged {
        let in_order = |_: &str, nodes: &[&str]| (0..nodes.len()).collect();
        let nodes = nodes.iter().map(|(node, is_whole, files)| NodeFiles {
            node,
            is_whole: *is_whole,
            files: files.clone(),
        });
        merge(nodes.collect(), &in_order, false)
    }

    #[test]
    fn files_are_in_total_order() {
        let a = vec![file(1.0, "r", "b", "1"), file(3.0, "r", "z", "1"), file(1.0, "r", "a", "1")];
        let b = vec![file(f64::NAN, "q", "a", "2"), file(1.0, "q", "z", "2")];
        let expected = ["3 r z@1", "1 q z@2", "1 r a@1", "1 r b@1", "NaN q a@2"];
        assert_eq!(shown(&of(&[("a", true, a.clone()), ("b", true, b.clone())])), expected);
        assert_eq!(shown(&of(&[("b", true, b), ("a", true, a)])), expected);
    }

    #[test]
    fn a_repository_of_several_nodes_is_taken_from_one() {
        let (old, new) = (vec![file(1.0, "r", "a", "1")], vec![file(2.0, "r", "a", "2")]);
        let merged = of(&[("a", true, old.clone()), ("b", true, new.clone())]);
        assert_eq!(shown(&merged), ["1 r a@1"], "the first in the order");
        let conflict = &merged.conflicts[0];
        let of_node = |node: &str, version: &str| NodeVersions {
            node: node.to_owned(),
            versions: vec![version.to_owned()],
        };
        assert_eq!((&conflict.repository[..], &conflict.shown), ("r", &of_node("a", "1")));
        assert_eq!(conflict.others, [of_node("b", "2")]);
        let merged = of(&[("a", false, old.clone()), ("b", true, new)]);
        assert_eq!(shown(&merged), ["2 r a@2"], "a whole answer before a cut one");
        let merged = of(&[("a", true, old.clone()), ("b", true, old)]);
        assert_eq!(merged.conflicts, [], "replicas of the same version");
    }

    #[test]
    fn versions_of_a_node_are_not_mixed() {
        let mut files = vec![
            file(1.0, "r", "a", "1"),
            file(2.0, "r", "b", "2"),
            file(3.0, "r", "c", "2"),
            file(1.0, "q", "a", "9"),
        ];
        let merged = of(&[("a", true, files.clone())]);
        assert_eq!(shown(&merged), ["3 r c@2", "2 r b@2", "1 q a@9"]);
        assert!(merged.left_out[0][0].contains("1 files of its other version"));
        files[0].branches = vec!["old".to_owned()];
        let merged = of(&[("a", true, files)]);
        assert_eq!(merged.files.len(), 4, "branches have their own versions");
        assert_eq!(merged.left_out[0], Vec::<String>::new());
    }

    #[test]
    fn paths_that_no_repository_has_are_counted() {
        let paths = ["a/../b", "../a", "/a", "a//b", "", "a\0b", "./a", "a/"];
        let mut files: Vec<FileMatch> =
            paths.iter().map(|path| file(1.0, "r", path, "1")).collect();
        files.push(file(1.0, "", "a", "1"));
        let kept = FileMatch { file_name: b"\xff\x1b..".to_vec(), ..file(1.0, "r", "", "1") };
        files.push(kept.clone());
        let merged = of(&[("a", true, files)]);
        assert_eq!(merged.files, [kept], "any other bytes are a path");
        assert_eq!(merged.left_out[0], ["returned 9 files with names that no repository has"]);
    }
}
