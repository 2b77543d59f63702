//! The Model Context Protocol: serves every tool to models over a pair of pipes or over HTTP.
//!
//! This is the only module that uses rmcp, which defines the messages of both generations of the
//! protocol (with `initialize` and without). `stdio` is the transport over two streams: it reads
//! and writes lines (`line`) of `streams` and tolerates any bytes. `http` is the transport over
//! HTTP, with `guard` for access control. `toolset` selects the tools, and `listing` describes
//! them. `roots` determines which trees are served; `trees` holds them under the names that `names`
//! assigns; `project` keeps the index of one tree up to date; `clones` manages clones of
//! repositories. `server` dispatches messages, `call` runs one call, `visit` gives it access to the
//! other trees, `metrics` counts calls, and `quiet` gives memory back after them. `site` is what is
//! served beside the protocol. `client` is the other side: it lists the tools of a server; `attached` is a
//! server with a client in one process.
//!
//! Limits: messages of up to 16 MiB (4 MiB over HTTP), 64 pending requests, two more concurrent
//! calls than there are threads, and replies of 10,000 tokens unless a call sets another budget.

mod attached;
mod call;
mod cancellable_code;
pub mod client;
mod clones;
#[cfg(feature = "serve")]
mod http;
mod line;
mod listing;
#[cfg(feature = "serve")]
mod metrics;
mod names;
mod no_tree;
mod project;
mod quiet;
mod roots;
mod sentence;
mod server;
#[cfg(feature = "serve")]
pub mod site;
mod stdio;
mod streams;
mod toolset;
mod trees;
mod values;
mod visit;

use std::io::{Read, Write};
/// The trait that a client's stream implements besides [`Read`] or [`Write`].
#[cfg(not(unix))]
pub use std::marker::Sized as Handle;
#[cfg(feature = "serve")]
use std::net::SocketAddr;
/// The trait that a client's stream implements besides [`Read`] or [`Write`].
#[cfg(unix)]
pub use std::os::fd::AsFd as Handle;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use attached::{Attached, Offered};
#[cfg(feature = "serve")]
pub use http::Address;
pub use toolset::Writes;

use crate::engine::Engine;
use crate::error::{Error, Kind, Result};
use crate::tools::Tool;
pub use crate::tools::Toolset;
use crate::tools::session::Remote;
#[cfg(feature = "serve")]
use metrics::Metrics;

/// Opens the tree that contains a directory; `None` selects the tree in which the server was
/// started.
pub type Open = Box<dyn Fn(Option<&Path>) -> Result<Engine> + Send + Sync>;

/// The options of a server.
pub struct Options {
    /// Opens a tree; fails for a tree that must not be indexed.
    pub open: Open,
    /// The trees that the user named. If there are any, clients are not asked for theirs.
    pub roots: Vec<PathBuf>,
    /// The cache directory, which holds the indexes of many trees and clones of repositories.
    pub cache: PathBuf,
    /// What calls may do besides reading.
    pub allows: Allows,
    /// The toolsets that are offered.
    pub toolsets: Vec<Toolset>,
    /// Whether tools that write files are offered.
    pub writes: Writes,
    /// The number of threads to use.
    pub threads: usize,
    /// A tree on other machines that calls may name.
    pub remote: Option<Arc<dyn Remote>>,
}

/// Permissions of calls besides reading the trees that the user named.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Allows {
    /// Calls may add any directory that may be served as a project.
    pub index: bool,
    /// Calls may clone repositories into the cache.
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
    /// True if its index was complete at the end; if not, another process should complete it.
    pub is_complete: bool,
}

/// Serves until `input` ends or `output` is closed. Returns the trees that were open at the end.
///
/// # Errors
///
/// Those of opening a tree that the user named; [`Kind::Io`] if no thread can be started.
pub fn serve(
    options: Options,
    input: impl Read + Handle + Send + 'static,
    output: impl Write + Handle + Send + 'static,
) -> Result<Vec<Served>> {
    let tools = offered(&options);
    serve_tools(options, tools, input, output)
}

/// Serves over HTTP, to any number of clients, until the process ends. Calls `ready` with the
/// address once clients can connect. The trees are `options.roots`, or the one in which the server
/// was started. Directories that clients name are ignored, and a project that a call adds is
/// available to all clients.
///
/// # Errors
///
/// Those of opening the tree; [`Kind::Io`] if the server cannot listen on the address.
#[cfg(feature = "serve")]
pub fn serve_http(
    options: Options,
    address: &Address,
    ready: impl FnOnce(SocketAddr),
) -> Result<()> {
    serve_site(options, address, |_| None, ready)
}

/// Serves over HTTP as [`serve_http`], and a site at all other paths, if `site` returns one.
///
/// # Errors
///
/// As [`serve_http`].
#[cfg(feature = "serve")]
pub fn serve_site(
    mut options: Options,
    address: &Address,
    site: impl FnOnce(site::Tree) -> Option<Arc<dyn site::Site>>,
    ready: impl FnOnce(SocketAddr),
) -> Result<()> {
    let tools = offered(&options);
    if options.roots.is_empty() {
        options.roots.push((options.open)(None)?.root().to_path_buf());
    }
    let threads = options.threads;
    let roots = Arc::new(roots::Roots::new(options)?);
    let metrics = Arc::new(Metrics::new(&tools));
    let counted = Arc::clone(&metrics);
    let on_call: server::OnCall =
        Box::new(move |tool, elapsed, is_failed| counted.called(tool, elapsed, is_failed));
    let server = server::Server::new(Arc::clone(&roots), tools, on_call, threads);
    let site = site(site::Tree::new(Arc::clone(&roots)));
    http::run(server, roots, metrics, site, address, ready).map_err(|error| {
        Error::new(Kind::Io, format!("cannot listen on {}: {error}", address.listen))
            .with_hint("`--listen 127.0.0.1:0` selects a free port")
    })
}

/// Returns the tools of a server: those of its toolsets that are allowed.
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
    let server = server::Server::new(Arc::clone(&roots), tools, Box::new(|_, _, _| {}), threads);
    server
        .run(input, output)
        .map_err(|error| Error::new(Kind::Io, format!("the server cannot start: {error}")))?;
    Ok(roots.close())
}

#[cfg(test)]
mod tests;
