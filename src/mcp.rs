//! The Model Context Protocol: every tool, served to models over a pair of pipes or over HTTP.
//!
//! The only room that names rmcp, which knows the messages of both eras of the protocol (with
//! `initialize` and without). What is ours: `stdio` reads and writes lines (`line`) of two streams
//! (`streams`) and survives any bytes; `http` takes requests from who may ask;
//! `toolset` says which tools are offered, and `listing` how; `roots` finds out which trees are
//! meant, `trees` has them, by the names that `names` makes, `project` keeps the index of one warm, and
//! `clones` has copies of repositories; `server` answers, `call` runs one call, `visit` shows it the
//! other trees, and `metrics` counts calls.
//!
//! Limits: messages of up to 16 MiB, over HTTP 4 MiB, 64 requests under way, as many calls at once as there are
//! threads and two more, replies of 10,000 tokens unless a call names another budget.

mod call;
mod cancellable_code;
mod clones;
mod http;
mod line;
mod listing;
mod metrics;
mod names;
mod no_tree;
mod project;
mod roots;
mod server;
mod stdio;
mod streams;
mod toolset;
mod trees;
mod visit;

use std::io::{Read, Write};
/// What else a stream of a client must be, beside one that is read or written.
#[cfg(not(unix))]
pub use std::marker::Sized as Handle;
use std::net::SocketAddr;
/// What else a stream of a client must be, beside one that is read or written.
#[cfg(unix)]
pub use std::os::fd::AsFd as Handle;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use http::Address;
pub use toolset::Writes;

use crate::engine::Engine;
use crate::error::{Error, Kind, Result};
use crate::tools::Tool;
pub use crate::tools::Toolset;
use metrics::Metrics;

/// Opens the tree of a folder, or without one that of the folder where the server was started.
pub type Open = Box<dyn Fn(Option<&Path>) -> Result<Engine> + Send + Sync>;

/// What a server is started with.
pub struct Options {
    /// Opens trees; refuses those that are not to be indexed.
    pub open: Open,
    /// The trees, where the user named some: then nobody else is asked.
    pub roots: Vec<PathBuf>,
    /// The cache folder, which holds the indexes of many trees and copies of repositories.
    pub cache: PathBuf,
    /// What calls may do beside reading.
    pub allows: Allows,
    /// Which tools are offered.
    pub toolsets: Vec<Toolset>,
    /// Whether tools that write files are among them.
    pub writes: Writes,
    /// Processors to use.
    pub threads: usize,
}

/// What the user allowed calls to do beside reading the trees that were named.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Allows {
    /// To make a project of any folder that may be served.
    pub index: bool,
    /// To clone repositories into the cache.
    pub clone: bool,
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("roots", &self.roots)
            .field("allows", &self.allows)
            .field("toolsets", &self.toolsets)
            .field("writes", &self.writes)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// A tree that was served.
#[derive(Debug)]
pub struct Served {
    /// Its engine.
    pub engine: Engine,
    /// Its index was complete in the end; if not, somebody else is to go on with it.
    pub is_complete: bool,
}

/// Serves until `input` ends or `output` is closed. Returns what was served last.
///
/// # Errors
///
/// Those of opening a tree that the user named; [`Kind::Io`] where the system grants no threads.
pub fn serve(
    options: Options,
    input: impl Read + Handle + Send + 'static,
    output: impl Write + Handle + Send + 'static,
) -> Result<Vec<Served>> {
    let tools = offered(&options);
    serve_tools(options, tools, input, output)
}

/// Serves over HTTP, to any number of clients, until the process ends; `ready` is called with the address
/// once they can connect. The trees are `options.roots`, or that where the server was started; what
/// folders clients name does not matter, and what a call adds is there for all.
///
/// # Errors
///
/// Those of opening the tree; [`Kind::Io`] where the address cannot be listened on.
pub fn serve_http(
    mut options: Options,
    address: &Address,
    ready: impl FnOnce(SocketAddr),
) -> Result<()> {
    let tools = offered(&options);
    if options.roots.is_empty() {
        options.roots.push((options.open)(None)?.root().to_path_buf());
    }
    let threads = options.threads;
    let roots = Arc::new(roots::Roots::new(options)?);
    let metrics = Arc::new(Metrics::new(&tools));
    let server = server::Server::new(Arc::clone(&roots), tools, Arc::clone(&metrics), threads);
    http::run(server, roots, metrics, address, ready).map_err(|error| {
        Error::new(Kind::Io, format!("cannot listen on {}: {error}", address.listen))
            .with_hint("another port may be free: `--listen 127.0.0.1:0` takes any")
    })
}

/// Returns the tools of a server: those of its toolsets, as far as they are allowed.
fn offered(options: &Options) -> Vec<&'static Tool> {
    let mut tools = toolset::tools(&options.toolsets, options.writes);
    toolset::withhold(&mut tools, options.allows);
    tools
}

fn serve_tools(
    options: Options,
    tools: Vec<&'static Tool>,
    input: impl Read + Handle + Send + 'static,
    output: impl Write + Handle + Send + 'static,
) -> Result<Vec<Served>> {
    let threads = options.threads;
    let roots = Arc::new(roots::Roots::new(options)?);
    let metrics = Arc::new(Metrics::new(&tools));
    let server = server::Server::new(Arc::clone(&roots), tools, metrics, threads);
    server
        .run(input, output)
        .map_err(|error| Error::new(Kind::Io, format!("the server cannot start: {error}")))?;
    Ok(roots.close())
}

#[cfg(test)]
mod tests;
