//! `codedb mcp`: serves the tools to agents over standard input and output.

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::background::{self, Build};
use super::edits::{allow_edit_arg, allowed_edits};
use super::index::{place_args, tree_options};
use super::log_sink;
use super::place::{self, TreeOptions};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::index::store;
use crate::mcp::{self, Allows, Options, Served, Toolset, Writes};
use crate::tools::session::Remote;

pub(super) fn command() -> Command {
    Command::new("mcp")
        .about("Serve the tools to an agent or editor (MCP over standard input and output)")
        .long_about(
            "Serves the tools over standard input and output with the Model Context Protocol (MCP). \
             Agents and editors start this command themselves; `codedb init` registers it. The server \
             answers immediately, indexes the tree in the background and watches it for changes. It \
             serves the trees given by `--root`, else the roots that the client sends, else the git \
             work tree that contains the current directory.",
        )
        .args(server_args())
        .args(served_place_args())
}

/// Returns the flags of [`place_args`], with any number of roots.
pub(super) fn served_place_args() -> impl Iterator<Item = Arg> {
    place_args().into_iter().map(|arg| {
        if arg.get_id() == "root" {
            arg.action(ArgAction::Append).help(
            "The root of a tree; may be repeated. Calls without `project` use the first (default: \
             the git work tree that contains the current directory, else the current directory)",
        )
        } else {
            arg
        }
    })
}

/// Returns the flags that choose what is served.
pub(super) fn server_args() -> [Arg; 4] {
    [
        Arg::new("toolsets")
            .long("toolsets")
            .value_name("LIST")
            .default_value("core")
            .hide_default_value(true)
            .help(format!("The tools to offer, separated by commas: {}", Toolset::choices())),
        allow_edit_arg().help(
            "Also offer `codedb_edit`, which writes files of the tree; `=all` includes files that \
             other programs execute, such as CI workflows and tasks of editors",
        ),
        Arg::new("insist")
            .long("insist")
            .action(ArgAction::SetTrue)
            .help("Serve and index even a home directory or the whole file system"),
        Arg::new("allow-clone")
            .long("allow-clone")
            .action(ArgAction::SetTrue)
            .help("Let `codedb_index` clone repositories (https, ssh) into the cache"),
    ]
}

/// Returns the options of a server from the flags.
///
/// # Errors
///
/// On an unknown toolset.
pub(super) fn server_options(matches: &ArgMatches, tree: &TreeOptions) -> Result<Options> {
    let insists = matches.get_flag("insist");
    let edits = allowed_edits(matches);
    let toolsets = matches.get_one::<String>("toolsets").map_or("core", String::as_str);
    Ok(Options {
        toolsets: Toolset::parse(toolsets)?,
        writes: if edits.is_some() { Writes::Allowed } else { Writes::Refused },
        threads: tree.threads.unwrap_or_else(place::threads),
        roots: matches.get_many("root").into_iter().flatten().cloned().collect(),
        cache: place::cache(tree)?.0,
        remote: remote(),
        allows: Allows { index: true, clone: matches.get_flag("allow-clone") },
        open: Box::new({
            let tree = tree.clone();
            move |folder| {
                let root = folder.map(ToOwned::to_owned);
                let engine = open(&TreeOptions { root, ..tree.clone() }, insists)?;
                Ok(engine.editing(edits.unwrap_or_default()))
            }
        }),
    })
}

/// Returns the fleet of the user, if one is configured.
fn remote() -> Option<Arc<dyn Remote>> {
    #[cfg(feature = "fleet")]
    return super::fleet::remote();
    #[cfg(not(feature = "fleet"))]
    None
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    // Clients show standard error if the server fails.
    log_sink::install(None);
    let tree = tree_options(matches);
    let options = server_options(matches, &tree)?;
    let served = mcp::serve(options, std::io::stdin(), std::io::stdout())?;
    // At most one background build is started: a client may have many roots.
    if let Some(Served { engine, .. }) = served.iter().find(|served| !served.is_complete) {
        background::build_even_if_wide(engine, Build::Full);
    }
    if let Some(Served { engine, .. }) = served.first() {
        store::evict(&place::cache(&tree)?.0, place::cache_bytes_max(), engine.store().dir());
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens a tree, if it may be indexed and served.
pub(super) fn open(options: &TreeOptions, insists: bool) -> Result<Engine> {
    let engine = place::engine(options)?;
    let reason = place::too_wide(engine.root()).or_else(|| place::too_private(engine.root()));
    if let Some(reason) = reason.filter(|_| !insists) {
        return Err(Error::usage(format!("refusing to serve this directory: {reason}"))
            .with_path(engine.root())
            .with_hint(
                "start `codedb mcp` in a project, choose one with `--root`, or add `--insist`",
            ));
    }
    Ok(engine)
}
