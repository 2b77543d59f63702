//! The state of a fleet: what each node has, what is wrong with it, and where nodes disagree.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::client::{NodeList, NodeState};
use super::config::Fleet;
use super::messages::{RepoListEntry, Timestamp};
use super::nodes::Found;
use crate::base::time;

/// The state of a fleet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// The nodes, in the order of the configuration.
    pub items: Vec<NodeStatus>,
    /// The number of `items`.
    pub shown: usize,
    /// The number of nodes.
    pub total: usize,
    /// Always false: all nodes are shown.
    pub truncated: bool,
    /// How many nodes answered completely.
    pub answered: usize,
    /// The different repositories of all nodes that answered.
    pub repositories: usize,
    /// The repositories that nodes have in different versions, by name.
    pub differing: Vec<Differing>,
    /// How many such repositories there are; `differing` may have fewer.
    pub differing_total: usize,
    /// The selected repositories, if some are listed.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
}

/// Repositories that are listed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Selection {
    /// The first ones, by name.
    pub listed: Vec<Listed>,
    /// How many there are.
    pub listed_total: usize,
    /// Texts that the nodes left out of their index, by path.
    pub unsearched: Vec<Unsearched>,
    /// How many there are.
    pub unsearched_total: usize,
}

/// A repository that is listed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listed {
    /// Its name.
    pub repository: String,
    /// The nodes that have it, in the order of the configuration, each with its branches.
    pub nodes: Vec<NodeBranches>,
    /// Its files on the node with the most.
    pub files: u64,
    /// How many of its texts are not searched, as far as these were counted.
    pub unsearched: usize,
}

/// A text that the nodes left out of their index.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unsearched {
    /// Its path in the fleet.
    pub path: String,
    /// Why it was left out, in the words of the indexer.
    pub reason: String,
}

/// The state of a node. Counts are 0 if it did not answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NodeStatus {
    /// Its name.
    pub name: String,
    /// Its address.
    pub address: String,
    /// `complete`, `partial` or `failed`.
    pub state: &'static str,
    /// A sentence that says why it is not complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The time until it answered or was given up.
    pub latency_ms: u64,
    /// Its repositories.
    pub repositories: usize,
    /// Their indexed branches.
    pub branches: usize,
    /// Its shards.
    pub shards: u64,
    /// The files in them.
    pub files: u64,
    /// The bytes of these files.
    pub content_bytes: u64,
    /// The bytes of the index in memory.
    pub index_bytes: u64,
    /// When the shard that is the oldest was written, by the clock of the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_index: Option<String>,
    /// The same of the newest shard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_index: Option<String>,
    /// The versions of the format of its shards, sorted.
    pub formats: Vec<u64>,
    /// The versions of zoekt that wrote its shards, sorted; none if it was built without one.
    pub zoekt_versions: Vec<String>,
}

/// A repository that nodes have in different versions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Differing {
    /// Its name.
    pub repository: String,
    /// The nodes that have it, in the order of the configuration, each with its branches.
    pub nodes: Vec<NodeBranches>,
}

/// The branches of a repository on a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeBranches {
    /// The name of the node.
    pub node: String,
    /// `BRANCH@COMMIT`, sorted.
    pub branches: Vec<String>,
}

impl Status {
    /// Returns the state that the lists of all nodes show, with at most `limit` differing repositories.
    pub fn new(fleet: &Fleet, lists: &[NodeList], limit: usize) -> Status {
        let items: Vec<NodeStatus> = fleet
            .nodes
            .iter()
            .zip(lists)
            .map(|(node, list)| of_node(&node.address, list))
            .collect();
        let mut by_name: BTreeMap<&str, Vec<NodeBranches>> = BTreeMap::new();
        for list in lists {
            for (name, branches) in branches_by_name(&list.repositories) {
                let node = list.answer.name.clone();
                by_name.entry(name).or_default().push(NodeBranches { node, branches });
            }
        }
        let repositories = by_name.len();
        let is_differing =
            |nodes: &[NodeBranches]| nodes.iter().any(|other| other.branches != nodes[0].branches);
        let mut differing: Vec<Differing> = by_name
            .into_iter()
            .filter(|(_, nodes)| is_differing(nodes))
            .map(|(name, nodes)| Differing { repository: name.to_owned(), nodes })
            .collect();
        let differing_total = differing.len();
        differing.truncate(limit);
        Status {
            shown: items.len(),
            total: items.len(),
            truncated: false,
            answered: items.iter().filter(|node| node.why.is_none()).count(),
            items,
            repositories,
            differing,
            differing_total,
            selection: None,
        }
    }

    /// Returns the state with the repositories of the lists, and the texts of `found` that the nodes left out;
    /// of each at most `limit`. `is_about_texts` leaves out repositories without such texts.
    #[must_use]
    pub fn with_selection(
        self,
        lists: &[NodeList],
        found: &Found,
        is_about_texts: bool,
        limit: usize,
    ) -> Status {
        let mut by_name: BTreeMap<&str, Listed> = BTreeMap::new();
        for list in lists {
            for entry in &list.repositories {
                let Some(repository) = &entry.repository else { continue };
                let listed = by_name.entry(&repository.name).or_insert_with(|| Listed {
                    repository: repository.name.clone(),
                    nodes: Vec::new(),
                    files: 0,
                    unsearched: 0,
                });
                let documents = entry.stats.map_or(0, |stats| stats.documents);
                listed.files = listed.files.max(u64::try_from(documents).unwrap_or_default());
            }
            for (name, branches) in branches_by_name(&list.repositories) {
                let node = list.answer.name.clone();
                if let Some(listed) = by_name.get_mut(name) {
                    listed.nodes.push(NodeBranches { node, branches });
                }
            }
        }
        let mut unsearched: Vec<Unsearched> = Vec::with_capacity(found.files.len());
        for file in &found.files {
            let Some(reason) = file.left_out() else { continue };
            if let Some(listed) = by_name.get_mut(file.repository.as_str()) {
                listed.unsearched += 1;
            }
            let path = format!("{}/{}", file.repository, String::from_utf8_lossy(&file.path));
            unsearched.push(Unsearched { path, reason });
        }
        unsearched.sort_by(|a, b| a.path.cmp(&b.path));
        if is_about_texts {
            by_name.retain(|_, listed| listed.unsearched > 0);
        }
        let (listed_total, unsearched_total) = (by_name.len(), unsearched.len() + found.more);
        unsearched.truncate(limit);
        let listed = by_name.into_values().take(limit).collect();
        let selection = Selection { listed, listed_total, unsearched, unsearched_total };
        Status { selection: Some(selection), ..self }
    }

    /// Returns true if no node returned anything.
    pub fn is_down(&self) -> bool {
        self.items.iter().all(|node| node.state == "failed")
    }
}

fn of_node(address: &url::Url, list: &NodeList) -> NodeStatus {
    let count = |count: i64| u64::try_from(count).unwrap_or_default();
    let metadata = || list.repositories.iter().filter_map(|entry| entry.index_metadata.as_ref());
    let times = || metadata().filter_map(|metadata| metadata.index_time);
    let times = || times().filter(|time| time.seconds > 0);
    let versions: BTreeSet<&str> =
        metadata().map(|metadata| metadata.zoekt_version.as_str()).collect();
    let formats: BTreeSet<u64> =
        metadata().map(|metadata| count(metadata.index_format_version)).collect();
    let branches = |entry: &RepoListEntry| {
        entry.repository.as_ref().map_or(0, |repository| repository.branches.len())
    };
    NodeStatus {
        name: list.answer.name.clone(),
        address: address.as_str().trim_end_matches('/').to_owned(),
        state: match list.answer.state {
            NodeState::Complete => "complete",
            NodeState::Cut { .. } => "partial",
            NodeState::Failed { .. } => "failed",
        },
        why: list.answer.why().map(str::to_owned),
        latency_ms: u64::try_from(list.answer.elapsed.as_millis()).unwrap_or(u64::MAX),
        repositories: list.repositories.len(),
        branches: list.repositories.iter().map(branches).sum(),
        shards: count(list.stats.shards),
        files: count(list.stats.documents),
        content_bytes: count(list.stats.content_bytes),
        index_bytes: count(list.stats.index_bytes),
        oldest_index: times().min().and_then(shown_time),
        newest_index: times().max().and_then(shown_time),
        formats: formats.into_iter().collect(),
        zoekt_versions: versions
            .into_iter()
            .filter(|version| !version.is_empty())
            .map(str::to_owned)
            .collect(),
    }
}

/// Returns a time as text; `None` for one that no clock has.
fn shown_time(at: Timestamp) -> Option<String> {
    at.seconds.checked_mul(1_000_000_000).map(time::format)
}

/// Returns the branches of each repository. A node that lists one several times has all of them.
fn branches_by_name(entries: &[RepoListEntry]) -> BTreeMap<&str, Vec<String>> {
    let mut by_name: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for repository in entries.iter().filter_map(|entry| entry.repository.as_ref()) {
        let branches = by_name.entry(&repository.name).or_default();
        let shown = repository.branches.iter();
        branches.extend(shown.map(|branch| format!("{}@{}", branch.name, branch.version)));
    }
    let listed = |branches: BTreeSet<String>| branches.into_iter().collect();
    by_name.into_iter().map(|(name, branches)| (name, listed(branches))).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::fleet::client::NodeAnswer;
    use crate::fleet::messages::{IndexMetadata, RepoStats, Repository, RepositoryBranch, Stats};
    use crate::fleet::nodes::Fetched;

    fn entry(name: &str, version: &str, indexed_s: i64) -> RepoListEntry {
        let branch = RepositoryBranch { name: "main".to_owned(), version: version.to_owned() };
        RepoListEntry {
            repository: Some(Repository {
                name: name.to_owned(),
                branches: vec![branch],
                ..Repository::default()
            }),
            index_metadata: Some(IndexMetadata {
                index_time: Some(Timestamp { seconds: indexed_s, nanos: 0 }),
                zoekt_version: "v1".to_owned(),
                ..IndexMetadata::default()
            }),
            stats: None,
        }
    }

    fn list(name: &str, state: NodeState, repositories: Vec<RepoListEntry>) -> NodeList {
        let elapsed = Duration::from_millis(7);
        let answer = NodeAnswer { name: name.to_owned(), state, elapsed, stats: Stats::default() };
        let stats =
            RepoStats { shards: 2, documents: -1, content_bytes: 9, ..RepoStats::default() };
        NodeList { answer, repositories, stats }
    }

    #[test]
    fn the_lists_of_nodes_are_compared() {
        let text = "[fleet]\n[[fleet.node]]\nname='a'\naddress='http://h:1'\n[[fleet.node]]\n\
                    name='b'\naddress='http://h:2'\n[[fleet.node]]\nname='c'\naddress='http://h:3'\n";
        let fleet = Fleet::of_text(text).expect("valid").expect("a fleet");
        let why = "node `c` refused the connection".to_owned();
        let lists = [
            list("a", NodeState::Complete, vec![entry("x", "1", 1_000), entry("y", "1", -62)]),
            list("b", NodeState::Complete, vec![entry("x", "2", i64::MAX), entry("y", "1", 2_000)]),
            list("c", NodeState::Failed { why: why.clone() }, Vec::new()),
        ];
        let status = Status::new(&fleet, &lists, 9);
        assert_eq!((status.answered, status.total, status.repositories), (2, 3, 2));
        assert_eq!(status.items[2].why.as_ref(), Some(&why));
        assert!(!status.is_down());
        let a = &status.items[0];
        assert_eq!((&a.address[..], a.latency_ms, a.files, a.shards), ("http://h:1", 7, 0, 2));
        assert_eq!(a.oldest_index.as_deref(), Some("1970-01-01T00:16:40Z"));
        assert_eq!(status.items[1].newest_index, None, "no clock has this time");
        let differing: Vec<&str> =
            status.differing.iter().map(|differing| &differing.repository[..]).collect();
        assert_eq!(differing, ["x"]);
        assert_eq!(status.differing[0].nodes[1].branches, ["main@2"]);
        let file = |repository: &str, path: &str, text: &str| Fetched {
            repository: repository.to_owned(),
            path: path.as_bytes().to_vec(),
            content: text.as_bytes().to_vec(),
            size: text.len() as u64,
            commit: "1".to_owned(),
            score: 0.0,
        };
        let left_out = file("y", "big.sql", "NOT-INDEXED: exceeds the maximum size limit");
        let files = vec![file("x", "doc.md", "NOT-INDEXED: a text\nabout it"), left_out];
        let found = Found { files, more: 3, ..Found::default() };
        let of = |is_about_texts| {
            let selected = status.clone().with_selection(&lists, &found, is_about_texts, 9);
            selected.selection.expect("a selection")
        };
        let names = |of: &Selection| -> Vec<(String, usize)> {
            of.listed.iter().map(|of| (of.repository.clone(), of.unsearched)).collect()
        };
        assert_eq!(names(&of(false)), [("x".to_owned(), 0), ("y".to_owned(), 1)]);
        assert_eq!(names(&of(true)), [("y".to_owned(), 1)]);
        assert_eq!((of(true).unsearched.len(), of(true).unsearched_total), (1, 4));
        assert_eq!(of(true).unsearched[0].path, "y/big.sql");
        let none = Status::new(&fleet, &lists, 0);
        assert_eq!((none.differing.len(), none.differing_total), (0, 1));
    }
}
