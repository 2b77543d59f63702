//! Calls of tools over a fleet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;

use codedb::base::interrupt::Interrupt;
use codedb::catalog::code::Code;
use codedb::error::Result;
use codedb::fleet::cluster::Cluster;
use codedb::fleet::messages::{Q, SearchOptions};
use codedb::fleet::nodes::{Contents, Fetched, Found, Frequencies, Named, Nodes, Want};
use codedb::fleet::query::{Part, Query};
use codedb::fleet::view::View;
use codedb::parsers::Parsers;
use codedb::query::pattern::PatternOptions;
use codedb::tools::search::{Args, Search};
use codedb::tools::{Call, Define, find};
use serde_json::{Value, json};

use crate::Outcome;

/// Names of any number of files.
const PATHS: Want =
    Want { contents: Contents::None, files_max: 1 << 30, bytes_max: 0, is_ranked_by_words: false };

/// The nodes during one call: no limits, and the times that they took.
pub(crate) struct Asked<'a> {
    cluster: &'a Cluster,
    slowest: Mutex<Duration>,
    has_limits: bool,
}

impl<'a> Asked<'a> {
    pub(crate) fn new(cluster: &'a Cluster) -> Asked<'a> {
        Asked { cluster, slowest: Mutex::default(), has_limits: true }
    }

    /// Returns the sum of the times until the slowest node's answer to each request was complete.
    pub(crate) fn slowest(&self) -> Duration {
        *self.slowest.lock().expect("no thread panicked")
    }
}

impl Nodes for Asked<'_> {
    fn repositories(
        &self,
        query: &Query,
        interrupt: Interrupt<'_>,
    ) -> Result<(Vec<Named>, Vec<String>)> {
        self.cluster.repositories(query, interrupt)
    }

    fn frequencies(
        &self,
        scope: &Query,
        queries: &[Query],
        interrupt: Interrupt<'_>,
    ) -> Result<Frequencies> {
        self.cluster.frequencies(scope, queries, interrupt)
    }

    fn search(&self, query: &Query, want: &Want, interrupt: Interrupt<'_>) -> Result<Found> {
        let everything = Want { files_max: 1 << 30, bytes_max: 4 << 30, ..*want };
        let want = if self.has_limits { want } else { &everything };
        let found = self.cluster.search(query, want, interrupt)?;
        let mut slowest = self.slowest.lock().expect("no thread panicked");
        let has_contents = want.contents != Contents::None;
        *slowest += if has_contents { found.slowest } else { Duration::ZERO };
        drop(slowest);
        Ok(found)
    }
}

/// The matching lines of a search.
pub(crate) struct Lines {
    /// Their number in each file.
    pub(crate) counts: BTreeMap<String, usize>,
    pub(crate) doubts: Vec<String>,
}

/// Searches as a client does, within the default limits.
pub(crate) fn search(asked: &Asked<'_>, pattern: &str, is_regex: bool) -> Outcome<()> {
    answer(asked, "search", json!({"query": pattern, "regex": is_regex})).map(|_| ())
}

/// Returns all matching lines.
pub(crate) fn search_all(cluster: &Cluster, pattern: &str, is_regex: bool) -> Outcome<Lines> {
    let unlimited = Asked { has_limits: false, ..Asked::new(cluster) };
    let view = View::new(&unlimited, Query::Const(true), Parsers::in_process());
    let args = json!({"query": pattern, "regex": is_regex, "paths_only": true});
    let args: Args = serde_json::from_value(args).map_err(|error| error.to_string())?;
    let reply = Search::run(&Call::new(&view, 0), Args { everything: true, ..args });
    let reply = reply.map_err(|error| error.to_string())?;
    let counts = reply.files.into_iter().map(|file| (file.path, file.count)).collect();
    Ok(Lines { counts, doubts: view.doubts() })
}

/// Returns the paths of the texts that nodes know by their names only.
pub(crate) fn left_out(cluster: &Cluster) -> Outcome<BTreeSet<String>> {
    let expression = r"\ANOT-INDEXED: ".to_owned();
    let query = Query::Regex { expression, is_case_sensitive: true, part: Part::Content };
    let found = cluster.search(&query, &PATHS, Interrupt::NEVER);
    let files = found.map_err(|error| error.to_string())?.files;
    let path =
        |file: &Fetched| format!("{}/{}", file.repository, String::from_utf8_lossy(&file.path));
    Ok(files.iter().map(path).collect())
}

/// Returns the time that the slowest node takes to send the matching lines of the files, without codedb.
pub(crate) fn of_nodes(cluster: &Cluster, pattern: &str, is_regex: bool) -> Outcome<Duration> {
    let options = PatternOptions { fixed_strings: !is_regex, ..PatternOptions::default() };
    let query = Query::of_patterns(&[pattern.to_owned()], &options);
    let query = query.map_err(|error| error.to_string())?;
    let options = SearchOptions {
        shard_max_match_count: 1 << 40,
        total_max_match_count: 1 << 40,
        max_doc_display_count: 2_000,
        chunk_matches: true,
        ..SearchOptions::default()
    };
    let client = cluster.client();
    let found = client.search(&Q::from(&query), &options, &client.bounds(), Interrupt::NEVER);
    Ok(found.nodes.iter().map(|node| node.elapsed).max().unwrap_or_default())
}

fn answer(asked: &Asked<'_>, tool: &str, args: Value) -> Outcome<(Value, Vec<String>)> {
    let view = View::new(asked, Query::Const(true), Parsers::in_process());
    let tool = find(tool).ok_or("there is no such tool")?;
    let answer = tool.run(&Call::new(&view, 0), args).map_err(|error| error.to_string())?;
    let json = answer.json().map_err(|error| error.to_string())?;
    let reply = serde_json::from_str(&json).map_err(|error| error.to_string())?;
    Ok((reply, answer.notices()))
}

/// Returns the paths of the files of a context, best first.
pub(crate) fn context(asked: &Asked<'_>, task: &str) -> Outcome<Vec<String>> {
    let (reply, _) = answer(asked, "context", json!({"task": task}))?;
    let files = reply["files"].as_array().cloned().unwrap_or_default();
    let path = |file: &Value| file["path"].as_str().map(str::to_owned);
    Ok(files.iter().filter_map(path).collect())
}

/// The callers of a definition.
pub(crate) struct Callers {
    /// Paths and lines.
    pub(crate) places: Vec<(String, usize)>,
    pub(crate) doubts: Vec<String>,
}

pub(crate) fn callers(
    asked: &Asked<'_>,
    repository: &str,
    file: &str,
    name: &str,
) -> Outcome<Callers> {
    let args = json!({"name": name, "path": format!("{repository}/{file}"), "max_results": 1000});
    let (reply, doubts) = answer(asked, "callers", args)?;
    let found = reply["callers"].as_array().cloned().unwrap_or_default();
    let place = |caller: &Value| {
        let line = caller["line"].as_u64().and_then(|line| usize::try_from(line).ok());
        Some((caller["path"].as_str()?.to_owned(), line?))
    };
    Ok(Callers { places: found.iter().filter_map(place).collect(), doubts })
}
