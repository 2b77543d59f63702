//! Calls of tools over a fleet.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use codedb::base::interrupt::Interrupt;
use codedb::catalog::code::Code;
use codedb::error::Result;
use codedb::fleet::cluster::Cluster;
use codedb::fleet::nodes::{Contents, Found, Frequencies, Nodes, Want};
use codedb::fleet::query::Query;
use codedb::fleet::view::View;
use codedb::parsers::Parsers;
use codedb::tools::search::{Args, Search};
use codedb::tools::{Call, Define, find};
use serde_json::{Value, json};

use crate::Outcome;

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

    /// Returns the sum of the longest times that a node says it took for each request.
    pub(crate) fn slowest(&self) -> Duration {
        *self.slowest.lock().expect("no thread panicked")
    }
}

impl Nodes for Asked<'_> {
    fn repositories(
        &self,
        query: &Query,
        interrupt: Interrupt<'_>,
    ) -> Result<(Vec<String>, Vec<String>)> {
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

pub(crate) fn search(asked: &Asked<'_>, pattern: &str, is_regex: bool) -> Outcome<Lines> {
    let unlimited = Asked { cluster: asked.cluster, slowest: Mutex::default(), has_limits: false };
    let view = View::new(&unlimited, Query::Const(true), Parsers::in_process());
    let args = json!({"query": pattern, "regex": is_regex, "paths_only": true});
    let args: Args = serde_json::from_value(args).map_err(|error| error.to_string())?;
    let reply = Search::run(&Call::new(&view, 0), Args { everything: true, ..args });
    let reply = reply.map_err(|error| error.to_string())?;
    *asked.slowest.lock().expect("no thread panicked") += unlimited.slowest();
    let counts = reply.files.into_iter().map(|file| (file.path, file.count)).collect();
    Ok(Lines { counts, doubts: view.doubts() })
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
