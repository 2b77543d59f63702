//! The nodes of a fleet as [`Nodes`]: queries as messages, files as plain data.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::client::{Bounds, Client, NodeAnswer, NodeState};
use super::messages::{FileMatch, Q};
use super::nodes::{Fetched, Found, Named, Nodes, Want};
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
            bytes = bytes.saturating_add(file.content.len() as u64);
            // The first file is always there, whatever its size.
            let fits = files.is_empty() || bytes <= want.bytes_max || !want.has_contents;
            if files.len() < want.files_max && fits {
                files.push(fetched(file));
            } else {
                more += 1;
            }
        }
        let more = if want.is_ranked_by_words { 0 } else { more };
        let slowest = found.nodes.iter().map(|node| node.elapsed).max().unwrap_or_default();
        Ok(Found { files, more, doubts, slowest })
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

fn fetched(file: FileMatch) -> Fetched {
    Fetched {
        repository: file.repository,
        path: file.file_name,
        content: file.content,
        commit: file.version,
        score: file.score,
    }
}
