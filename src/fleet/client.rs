//! The client of a fleet: one call to all nodes at once, with one deadline, merged into one reply.
//!
//! A node that is slow, dead or broken never fails a call: its [`NodeAnswer`] has the reason, and the
//! other nodes' files are returned. What a node left out by itself is in its answer as well. No call
//! outlives its deadline, whatever nodes send.
//!
//! [`Client::search`] is what to read first. `call` has one call to one node, `connection` how it is
//! reached, `codec` how messages are read within bounds, `merge` how the files of nodes become one list,
//! and `counts` what a node's counts say about what it did not search.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tonic::metadata::{Ascii, MetadataValue};

mod call;
mod codec;
mod connection;
mod counts;
mod failure;
mod merge;
mod secret;
mod tls;

pub use merge::{Conflict, NodeVersions};
pub use secret::Secret;

use self::call::{Driver, End, NodeParts};
use self::codec::Response;
use self::connection::Endpoint;
use self::merge::{NodeFiles, Preference};
use crate::base::interrupt::Interrupt;
use crate::error::{Error, Result};
use crate::fleet::config::{Fleet, Node};
use crate::fleet::messages::{
    FileMatch, ListRequest, ListResponse, Q, RepoListEntry, RepoStats, SearchOptions,
    SearchRequest, Stats, StreamSearchRequest, StreamSearchResponse,
};
use crate::fleet::placement::Placement;

const SEARCH: &str = "/zoekt.webserver.v1.WebserverService/StreamSearch";
const LIST: &str = "/zoekt.webserver.v1.WebserverService/List";

/// The memory that the answers of a call take by default.
pub const BYTES_MAX: usize = 256 << 20;

/// The bounds of a call.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// When the call returns at the latest. What has arrived by then is returned.
    pub deadline: Instant,
    /// The memory that the answers of all nodes together may take, in bytes; also the longest message
    /// that is read. An answer that exceeds it is cut.
    pub bytes_max: usize,
    /// True if the best files are wanted: then it is no gap that more match.
    pub is_best_only: bool,
}

/// How a node answered.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum NodeState {
    /// It searched all that it has and returned all that it found.
    Complete,
    /// A part of its answer is missing.
    Cut {
        /// A sentence that names the node.
        why: String,
    },
    /// Nothing of its answer is used.
    Failed {
        /// A sentence that names the node.
        why: String,
    },
}

/// The answer of a node.
#[derive(Clone, Debug)]
pub struct NodeAnswer {
    /// The name of the node.
    pub name: String,
    /// How it answered.
    pub state: NodeState,
    /// The time until its answer was complete, or was given up.
    pub elapsed: Duration,
    /// Its own counts; of a list, zeros.
    pub stats: Stats,
}

impl NodeAnswer {
    /// Returns why the answer is not complete; `None` if it is.
    pub fn why(&self) -> Option<&str> {
        match &self.state {
            NodeState::Complete => None,
            NodeState::Cut { why } | NodeState::Failed { why } => Some(why),
        }
    }
}

/// What a search found.
#[derive(Debug)]
pub struct Found {
    /// The files: by score descending, then by repository and path. Each repository is of one node and
    /// in one version. Names are hostile: paths are any bytes, though without `.` and `..`, and
    /// repositories any text.
    pub files: Vec<FileMatch>,
    /// The counts of all nodes, added up. A repository that several nodes have counts several times.
    pub stats: Stats,
    /// The answers of all nodes, in the order of the configuration.
    pub nodes: Vec<NodeAnswer>,
    /// The repositories that nodes have in different versions, by name, as far as files show.
    pub conflicts: Vec<Conflict>,
}

/// The repositories of a node.
#[derive(Debug)]
pub struct NodeList {
    /// How it answered.
    pub answer: NodeAnswer,
    /// Its repositories, by name. Each has a `repository`.
    pub repositories: Vec<RepoListEntry>,
    /// Their counts, as the node adds them up.
    pub stats: RepoStats,
}

/// A client of all nodes of a fleet. It keeps its connections, so it is made once. Calls can be made
/// from several threads.
pub struct Client {
    fleet: Fleet,
    endpoints: Vec<Arc<Endpoint>>,
    driver: Driver,
    preference: Box<Preference>,
}

impl Client {
    /// Returns a client. `token` is what the environment variable `token_env` of the fleet has. Nothing
    /// is sent yet.
    ///
    /// # Errors
    ///
    /// If the token is no text that a header can have, the file of certificates is not valid, or no
    /// thread can be started.
    pub fn new(fleet: Fleet, token: Option<Secret>) -> Result<Client> {
        let authorization = token.as_ref().map(|token| header(token, &fleet)).transpose()?;
        let token = token.as_ref().zip(authorization.as_ref());
        let is_encrypted = |address: &url::Url| address.scheme() == "https";
        let needs_tls = fleet.nodes.iter().any(|node| is_encrypted(&node.address));
        let tls = needs_tls.then(|| tls::connector(fleet.ca.as_deref())).transpose()?;
        let endpoint = |node: &Node| {
            let tls = tls.clone().filter(|_| is_encrypted(&node.address));
            Arc::new(Endpoint::new(node.clone(), fleet.connect_timeout, tls, token))
        };
        let endpoints = fleet.nodes.iter().map(endpoint).collect();
        let driver = Driver::start()?;
        let placement = Placement::of(&fleet);
        let preference: Box<Preference> =
            Box::new(move |repository, nodes| placement.order(repository, nodes));
        Ok(Client { fleet, endpoints, driver, preference })
    }

    /// Returns the fleet.
    pub fn fleet(&self) -> &Fleet {
        &self.fleet
    }

    /// Returns the bounds of a call that begins now: the time limit of the fleet and [`BYTES_MAX`].
    pub fn bounds(&self) -> Bounds {
        let deadline = Instant::now() + self.fleet.timeout;
        Bounds { deadline, bytes_max: BYTES_MAX, is_best_only: false }
    }

    /// Searches all nodes at once. Matches are always returned as chunks. Nodes are given nine tenths
    /// of the time that is left, if `options` do not give them less.
    ///
    /// Returns at the deadline at the latest, and early if `interrupt` is due; what has arrived by then
    /// is returned. Cost: O(n log n) for n files.
    pub fn search(
        &self,
        query: &Q,
        options: &SearchOptions,
        bounds: &Bounds,
        interrupt: Interrupt<'_>,
    ) -> Found {
        let options = counts::bounded(options, bounds.deadline);
        let search = SearchRequest { query: Some(query.clone()), opts: Some(options.clone()) };
        let request = StreamSearchRequest { request: Some(search) };
        let parts = self.ask::<_, StreamSearchResponse>(SEARCH, &request, bounds, interrupt);
        let mut nodes = Vec::new();
        let mut files = Vec::new();
        let mut stats = Stats::default();
        for NodeParts { name, parts, end, elapsed } in parts {
            let mut of_node = Stats::default();
            let mut found = Vec::new();
            let has_answered = !parts.is_empty();
            for part in parts.into_iter().filter_map(|part| part.response_chunk) {
                counts::add(&mut of_node, &part.stats.unwrap_or_default());
                found.extend(part.files);
            }
            counts::add(&mut stats, &of_node);
            let mut missing: Vec<String> = end.why().into_iter().collect();
            if end == End::Complete {
                let returned = (!bounds.is_best_only).then_some(found.len());
                missing.extend(counts::missing(&of_node, returned, &options));
            }
            let is_failed = end != End::Complete && !has_answered;
            nodes.push((name, is_failed, missing, elapsed, of_node));
            files.push(found);
        }
        let of_nodes = nodes.iter().zip(files).map(|((name, _, missing, ..), files)| NodeFiles {
            node: name,
            is_whole: missing.is_empty(),
            files,
        });
        let is_by_branch = counts::names_branch(query);
        let merged = merge::merge(of_nodes.collect(), &self.preference, is_by_branch);
        let answers = nodes.into_iter().zip(merged.left_out);
        let nodes = answers.map(|((name, is_failed, mut missing, elapsed, stats), left_out)| {
            missing.extend(left_out);
            let state = state(&name, &missing, is_failed);
            NodeAnswer { name, state, elapsed, stats }
        });
        let nodes = nodes.collect();
        Found { files: merged.files, stats, nodes, conflicts: merged.conflicts }
    }

    /// Lists the repositories of all nodes at once that match `query`; a query of [`Q`] with `Const`
    /// true is for all. Returns a list for each node, in the order of the configuration, at the deadline
    /// at the latest, and early if `interrupt` is due.
    pub fn list(&self, query: &Q, bounds: &Bounds, interrupt: Interrupt<'_>) -> Vec<NodeList> {
        let request = ListRequest { query: Some(query.clone()), opts: None };
        let parts = self.ask::<_, ListResponse>(LIST, &request, bounds, interrupt);
        let of_node = |NodeParts { name, parts, end, elapsed }| {
            let mut missing: Vec<String> = end.why().into_iter().collect();
            let is_failed = end != End::Complete && parts.is_empty();
            if end == End::Complete && parts.is_empty() {
                missing.push("answered with nothing".to_owned());
            }
            let list: ListResponse = parts.into_iter().next().unwrap_or_default();
            if list.crashes > 0 {
                missing.push(counts::crashed(list.crashes));
            }
            let mut repositories = list.repos;
            let before = repositories.len();
            let has_name = |entry: &RepoListEntry| {
                entry.repository.as_ref().is_some_and(|repository| !repository.name.is_empty())
            };
            repositories.retain(has_name);
            if repositories.len() < before {
                let nameless = before - repositories.len();
                missing.push(format!("listed {nameless} repositories without a name"));
            }
            repositories.sort_by(|a, b| name_of(a).cmp(name_of(b)));
            let state = state(&name, &missing, is_failed);
            let answer = NodeAnswer { name, state, elapsed, stats: Stats::default() };
            NodeList { answer, repositories, stats: list.stats.unwrap_or_default() }
        };
        parts.into_iter().map(of_node).collect()
    }

    fn ask<A, B>(
        &self,
        method: &'static str,
        request: &A,
        bounds: &Bounds,
        interrupt: Interrupt<'_>,
    ) -> Vec<NodeParts<B>>
    where
        A: prost::Message + Clone + 'static,
        B: Response,
    {
        call::all(&self.driver, &self.endpoints, method, request, bounds, interrupt)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("fleet", &self.fleet).finish_non_exhaustive()
    }
}

fn name_of(entry: &RepoListEntry) -> &str {
    entry.repository.as_ref().map_or("", |repository| &repository.name)
}

fn state(name: &str, missing: &[String], is_failed: bool) -> NodeState {
    let why = format!("node `{name}` {}", missing.join("; "));
    match (missing.is_empty(), is_failed) {
        (true, _) => NodeState::Complete,
        (false, true) => NodeState::Failed { why },
        (false, false) => NodeState::Cut { why },
    }
}

/// Returns the header that has the token.
fn header(token: &Secret, fleet: &Fleet) -> Result<MetadataValue<Ascii>> {
    let header = MetadataValue::try_from(token.header());
    let mut header = header.map_err(|_| {
        // The text of the token is not repeated.
        let name = fleet.token_env.as_deref().unwrap_or("`token_env`");
        Error::usage(format!("the token in {name} has characters that a header cannot have"))
    })?;
    header.set_sensitive(true);
    Ok(header)
}

#[cfg(test)]
mod tests;
