//! The nodes of a fleet as [`Nodes`]: queries as messages, files as plain data.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::client::{Bounds, Client, NodeAnswer, NodeState};
use super::messages::{self, FileMatch, Q};
use super::nodes::{Contents, Fetched, Found, Frequencies, Named, Nodes, Want};
use super::query::Query;
use super::request;
use crate::base::interrupt::Interrupt;
use crate::error::{Error, Kind, Result};

/// The memory that an answer takes besides the contents that are wanted: names, matches, and what is larger
/// in a message than here.
const OVERHEAD_BYTES: usize = 64 << 20;

/// The nodes of a fleet.
#[derive(Debug)]
pub struct Cluster {
    client: Client,
}

impl Cluster {
    /// Creates the nodes that `client` asks.
    pub fn new(client: Client) -> Cluster {
        Cluster { client }
    }

    /// Returns the client.
    pub fn client(&self) -> &Client {
        &self.client
    }
}

impl Nodes for Cluster {
    fn repositories(
        &self,
        query: &Query,
        interrupt: Interrupt<'_>,
    ) -> Result<(Vec<Named>, Vec<String>)> {
        let lists = self.client.list(&Q::from(query), &self.client.bounds(), interrupt);
        let answers: Vec<_> = lists.iter().map(|list| &list.answer).collect();
        check_answers(&answers)?;
        let doubts = answers.iter().filter_map(|answer| answer.why().map(str::to_owned)).collect();
        let entries = lists.iter().flat_map(|list| &list.repositories);
        let mut named: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for repository in entries.filter_map(|entry| entry.repository.as_ref()) {
            let branches = named.entry(&repository.name).or_default();
            branches.extend(repository.branches.iter().map(|branch| branch.name.as_str()));
        }
        let named = named.into_iter().map(|(name, branches)| Named {
            name: name.to_owned(),
            branches: branches.into_iter().map(str::to_owned).collect(),
        });
        Ok((named.collect(), doubts))
    }

    fn frequencies(
        &self,
        scope: &Query,
        queries: &[Query],
        interrupt: Interrupt<'_>,
    ) -> Result<Frequencies> {
        let bounds = Bounds { is_best_only: true, ..self.client.bounds() };
        let options = request::sample_options();
        let sample = |query: &Query| -> Result<Vec<Option<Sample>>> {
            let found = self.client.search(&Q::from(query), &options, &bounds, interrupt);
            // That files were skipped is what a sample is for; only nodes that failed are none.
            check_answers(&found.nodes.iter().collect::<Vec<_>>())?;
            Ok(found.nodes.iter().map(Sample::of).collect())
        };
        let sample = &sample;
        let samples: Vec<_> = std::thread::scope(|threads| {
            let all = std::iter::once(scope).chain(queries);
            let running: Vec<_> = all.map(|query| threads.spawn(move || sample(query))).collect();
            running.into_iter().map(|thread| thread.join()).collect()
        });
        let mut samples = samples.into_iter().map(|sample| {
            sample.unwrap_or_else(|_| Err(Error::new(Kind::Io, "a request to the nodes failed")))
        });
        let whole = samples.next().transpose()?.unwrap_or_default();
        let all = |node: usize| whole.get(node).copied().flatten().map_or(0, |of| of.all());
        let estimate = |samples: Vec<Option<Sample>>| -> u64 {
            let nodes = samples.into_iter().enumerate();
            nodes.filter_map(|(node, sample)| Some(sample?.estimate(all(node)))).sum()
        };
        let files: Result<Vec<u64>> = samples.map(|sample| sample.map(estimate)).collect();
        Ok(Frequencies { all: (0..whole.len()).map(all).sum(), files: files? })
    }

    fn search(&self, query: &Query, want: &Want, interrupt: Interrupt<'_>) -> Result<Found> {
        if *query == Query::Const(false) {
            return Ok(Found::default());
        }
        let timeout = self.client.fleet().timeout;
        let bytes_max = usize::try_from(want.bytes_max).unwrap_or(usize::MAX);
        let bounds = Bounds {
            deadline: Instant::now() + timeout,
            bytes_max: bytes_max.saturating_mul(2).saturating_add(OVERHEAD_BYTES),
            is_best_only: want.is_ranked_by_words,
        };
        let found =
            self.client.search(&Q::from(query), &request::options(want), &bounds, interrupt);
        if interrupt.is_due() {
            return Err(Error::new(Kind::Cancelled, "the call was cancelled"));
        }
        check_answers(&found.nodes.iter().collect::<Vec<_>>())?;
        let mut doubts: Vec<String> =
            found.nodes.iter().filter_map(|node| node.why().map(str::to_owned)).collect();
        doubts.extend(found.conflicts.iter().map(|conflict| {
            let others: Vec<&str> =
                conflict.others.iter().map(|other| other.node.as_str()).collect();
            format!(
                "`{}` is shown as node `{}` has it; `{}` has another version",
                conflict.repository,
                conflict.shown.node,
                others.join("`, `")
            )
        }));
        let (mut bytes, mut more) = (0_u64, 0);
        let mut files = Vec::with_capacity(found.files.len());
        for file in found.files {
            let file = fetched(file, want.contents);
            bytes = bytes.saturating_add(file.content.len() as u64);
            // The first file is always there, whatever its size.
            let fits = files.is_empty() || bytes <= want.bytes_max;
            if files.len() < want.files_max && fits {
                files.push(file);
            } else {
                more += 1;
            }
        }
        let more = if want.is_ranked_by_words { 0 } else { more };
        let slowest = found.nodes.iter().map(|node| node.elapsed).max().unwrap_or_default();
        Ok(Found { files, more, doubts, slowest })
    }
}

/// What a node found at the beginning of its shards.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// Files that satisfy the query.
    found: u64,
    /// Files that were not looked at.
    skipped: u64,
}

impl Sample {
    fn of(node: &NodeAnswer) -> Option<Sample> {
        let count = |count: i64| u64::try_from(count).unwrap_or(0);
        let is_there = !matches!(node.state, NodeState::Failed { .. });
        let (found, skipped) = (count(node.stats.file_count), count(node.stats.files_skipped));
        is_there.then_some(Sample { found, skipped })
    }

    /// Returns the number of all files, if all satisfy the query.
    fn all(self) -> u64 {
        self.found.saturating_add(self.skipped)
    }

    /// Returns about how many of `all` files satisfy the query: in those that were skipped as many as in
    /// those before.
    fn estimate(self, all: u64) -> u64 {
        let seen = all.saturating_sub(self.skipped).max(self.found).max(1);
        let scaled = u128::from(self.found) * u128::from(all.max(seen)) / u128::from(seen);
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }
}

/// Checks that a node has answered.
fn check_answers(answers: &[&NodeAnswer]) -> Result<()> {
    if answers.iter().any(|answer| !matches!(answer.state, NodeState::Failed { .. })) {
        return Ok(());
    }
    let reasons: Vec<&str> = answers.iter().filter_map(|answer| answer.why()).collect();
    let message = format!("no node of the fleet answered: {}", reasons.join("; "));
    Err(Error::new(Kind::Io, message)
        .with_hint("`codedb fleet status` shows what is wrong with each node"))
}

/// Returns a file with what is wanted of its content. Lines are in the order of their matches.
fn fetched(file: FileMatch, contents: Contents) -> Fetched {
    let end = |chunk: &messages::ChunkMatch| {
        let start = chunk.content_start.map_or(0, |start| u64::from(start.byte_offset));
        start.saturating_add(chunk.content.len() as u64)
    };
    let lines = || file.chunk_matches.iter().filter(|chunk| !chunk.file_name);
    let (content, size) = match contents {
        Contents::None => (Vec::new(), 0),
        Contents::Whole => {
            let size = file.content.len() as u64;
            (file.content, size)
        }
        Contents::Lines => {
            let chunks: Vec<&[u8]> = lines().map(|chunk| &chunk.content[..]).collect();
            (chunks.join(&b'\n'), lines().map(end).max().unwrap_or(0))
        }
    };
    Fetched {
        repository: file.repository,
        path: file.file_name,
        content,
        size,
        commit: file.version,
        score: file.score,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_scaled_to_the_files_that_were_skipped() {
        let of = |found, skipped| Sample { found, skipped }.estimate(1_000);
        assert_eq!(of(8, 0), 8, "everything was looked at");
        assert_eq!(of(8, 500), 16);
        assert_eq!(of(8, 992), 1_000, "each of those that were looked at");
        assert_eq!(of(0, 1_000), 0);
        assert_eq!(of(8, u64::MAX), 1_000, "counts of nodes are any numbers");
        assert_eq!(Sample { found: u64::MAX, skipped: 3 }.all(), u64::MAX);
    }
}
