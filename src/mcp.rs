//! The Model Context Protocol: every tool, served to models over a pair of pipes or over HTTP.
//!
//! The only room that names rmcp, which knows the messages of both eras of the protocol (with
//! `initialize` and without). What is ours: `stdio` reads and writes lines and survives any bytes;
//! `http` takes requests from who may ask;
//! `toolset` says which tools are offered, and `listing` how; `roots` finds out which tree is
//! meant, `project` keeps its index warm; `server` answers, `call` runs one call, and `metrics` counts
//! them.
//!
//! Limits: messages of up to 16 MiB, over HTTP 4 MiB, 64 requests under way, as many calls at once as there are
//! threads and two more, replies of 10,000 tokens unless a call names another budget.

mod call;
mod http;
mod interruptible;
mod line;
mod listing;
mod metrics;
mod project;
mod roots;
mod server;
mod stdio;
mod toolset;

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use http::Address;
pub use toolset::{Toolset, Writes};

use crate::engine::Engine;
use crate::error::{Error, Kind, Result};
use crate::tools::Tool;
use metrics::Metrics;

/// Opens the tree of a folder, or without one that of the folder where the server was started.
pub type Open = Box<dyn Fn(Option<&Path>) -> Result<Engine> + Send + Sync>;

/// What a server is started with.
pub struct Options {
    /// Opens trees; refuses those that are not to be indexed.
    pub open: Open,
    /// The tree, where the user named one: then nobody else is asked.
    pub root: Option<PathBuf>,
    /// Which tools are offered.
    pub toolsets: Vec<Toolset>,
    /// Whether tools that write files are among them.
    pub writes: Writes,
    /// Processors to use.
    pub threads: usize,
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("root", &self.root)
            .field("toolsets", &self.toolsets)
            .field("writes", &self.writes)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// The tree that was served last.
#[derive(Debug)]
pub struct Served {
    /// Its engine.
    pub engine: Engine,
    /// Its index was complete in the end; if not, somebody else is to go on with it.
    pub is_complete: bool,
}

/// Serves until `input` ends or `output` is closed. Returns what was served, if anything was.
///
/// # Errors
///
/// Those of opening a tree that the user named; [`Kind::Io`] where the system grants no threads.
pub fn serve(
    options: Options,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<Option<Served>> {
    let tools = toolset::tools(&options.toolsets, options.writes);
    serve_tools(options, tools, input, output)
}

/// Serves one tree over HTTP, to any number of clients, until the process ends; `ready` is called with
/// the address once they can connect. The tree is `options.root`, or that where the server was started;
/// what folders clients name does not matter.
///
/// # Errors
///
/// Those of opening the tree; [`Kind::Io`] where the address cannot be listened on.
pub fn serve_http(
    options: Options,
    address: &Address,
    ready: impl FnOnce(SocketAddr),
) -> Result<()> {
    let tools = toolset::tools(&options.toolsets, options.writes);
    let root = match options.root {
        Some(root) => root,
        None => (options.open)(None)?.root().to_path_buf(),
    };
    let roots = Arc::new(roots::Roots::new(options.open, Some(root))?);
    let metrics = Arc::new(Metrics::new(&tools));
    let server =
        server::Server::new(Arc::clone(&roots), tools, Arc::clone(&metrics), options.threads);
    http::run(server, roots, metrics, address, ready).map_err(|error| {
        Error::new(Kind::Io, format!("cannot listen on {}: {error}", address.listen))
            .with_hint("another port may be free: `--listen 127.0.0.1:0` takes any")
    })
}

fn serve_tools(
    options: Options,
    tools: Vec<&'static Tool>,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<Option<Served>> {
    let roots = Arc::new(roots::Roots::new(options.open, options.root)?);
    let metrics = Arc::new(Metrics::new(&tools));
    let server = server::Server::new(Arc::clone(&roots), tools, metrics, options.threads);
    server
        .run(input, output)
        .map_err(|error| Error::new(Kind::Io, format!("the server cannot start: {error}")))?;
    Ok(roots.close())
}

#[cfg(test)]
mod tests;
