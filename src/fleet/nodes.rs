//! What the nodes of a fleet answer, as plain data.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::query::Query;
use crate::base::interrupt::Interrupt;
use crate::error::Result;

/// Asks the nodes of a fleet.
pub trait Nodes: Send + Sync {
    /// Returns files that satisfy a query, best first; files with the same score by repository and path.
    /// Waits for all nodes, at most as long as the fleet's configuration says, and ends soon after
    /// `interrupt` is due.
    ///
    /// # Errors
    ///
    /// If no node answers, or the nodes refuse the query. The failure of some nodes is no error: see
    /// [`Found::doubts`].
    fn search(&self, query: &Query, want: &Want, interrupt: Interrupt<'_>) -> Result<Found>;

    /// Returns the repositories that satisfy a query about repositories, by name, and sentences on what the
    /// nodes did not answer.
    ///
    /// # Errors
    ///
    /// If no node answers.
    fn repositories(
        &self,
        query: &Query,
        interrupt: Interrupt<'_>,
    ) -> Result<(Vec<Named>, Vec<String>)>;

    /// Returns about how many files satisfy each query, and of how many, which are those that satisfy
    /// `scope`: the nodes look only at the first of each shard that do. Asks for all queries at once.
    ///
    /// # Errors
    ///
    /// As [`Nodes::search`]. Nodes that fail are left out.
    fn frequencies(
        &self,
        scope: &Query,
        queries: &[Query],
        interrupt: Interrupt<'_>,
    ) -> Result<Frequencies>;
}

/// A repository of a fleet.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// The branches that a node has, sorted.
    pub branches: Vec<String>,
}

/// About how many files satisfy queries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frequencies {
    /// The number of all files; those of a repository on several nodes count several times, here and below.
    pub all: u64,
    /// The number of files for each query.
    pub files: Vec<u64>,
}

/// What is wanted of a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Contents {
    /// Its name.
    None,
    /// The lines that match.
    Lines,
    /// All of it.
    Whole,
}

/// What is wanted of the files that satisfy a query.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Want {
    /// What is wanted of each.
    pub contents: Contents,
    /// The maximum number of files.
    pub files_max: usize,
    /// The maximum number of bytes of all contents.
    pub bytes_max: u64,
    /// True if the files are ordered by the frequency of the query's words (BM25), not by the nodes' own
    /// signals.
    pub is_ranked_by_words: bool,
}

/// Files of a fleet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The files, each once, all files of a repository from one node and of one commit.
    pub files: Vec<Fetched>,
    /// How many more files satisfy the query, as far as the nodes counted them.
    pub more: usize,
    /// Sentences on what the nodes did not answer: the nodes that failed, and the limits that they reached.
    pub doubts: Vec<String>,
    /// The longest time until the answer of a node was complete.
    pub slowest: Duration,
}

impl Found {
    /// Adds files that it does not have yet. Returns how many are left out, since it has files of another
    /// commit of their repository: it was indexed again between two requests, or the other request was
    /// answered by another node.
    pub fn add(&mut self, files: Vec<Fetched>) -> usize {
        let commits: BTreeMap<String, String> =
            self.files.iter().map(|file| (file.repository.clone(), file.commit.clone())).collect();
        let is_same =
            |file: &Fetched| commits.get(&file.repository).is_none_or(|it| *it == file.commit);
        let before = files.len();
        let files: Vec<Fetched> = files.into_iter().filter(is_same).collect();
        let left_out = before - files.len();
        let known: BTreeSet<(String, Vec<u8>)> =
            self.files.iter().map(|file| (file.repository.clone(), file.path.clone())).collect();
        let is_new =
            |file: &Fetched| !known.contains(&(file.repository.clone(), file.path.clone()));
        self.files.extend(files.into_iter().filter(is_new));
        left_out
    }
}

/// A file of a repository.
#[derive(Clone, Debug, PartialEq)]
pub struct Fetched {
    /// The name of the repository, such as `github.com/org/name`. Data from strangers, as all of this.
    pub repository: String,
    /// The path in the repository; any bytes.
    pub path: Vec<u8>,
    /// The content or the matching lines, if they were wanted.
    pub content: Vec<u8>,
    /// The length of the file in bytes; with lines, the end of the last one.
    pub size: u64,
    /// The commit, in hexadecimal digits.
    pub commit: String,
    /// Its score; higher is better.
    pub score: f64,
}

/// The text that a node has instead of the content of a file that it left out.
const LEFT_OUT: &[u8] = b"NOT-INDEXED: ";

impl Fetched {
    /// Returns the reason for which the nodes left out the content; `None` if this is the content.
    pub fn left_out(&self) -> Option<String> {
        let reason = self.content.strip_prefix(LEFT_OUT)?;
        let is_short = reason.len() <= 200 && !reason.contains(&b'\n');
        is_short.then(|| String::from_utf8_lossy(reason).into_owned())
    }
}
