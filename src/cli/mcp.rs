//! `codedb mcp`: serves the tools to an agent over standard input and output.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::background::{self, Build};
use super::index::{asked, place_args};
use super::log_sink;
use super::place::{self, Asked};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::index::store;
use crate::mcp::{self, Allows, Options, Served, Toolset, Writes};

pub(super) fn command() -> Command {
    Command::new("mcp")
        .about("Serve the tools to an agent, over the Model Context Protocol")
        .long_about(
            "Serves the tools over standard input and output, for agents and editors that speak the \
             Model Context Protocol; they start it themselves. It answers at once, indexes the tree in \
             the background and keeps watching it. The trees are those of --root, else the folders \
             that the client names, else the git work tree around the current directory.",
        )
        .args(server_args())
        .args(served_place_args())
}

/// Returns the arguments of a place, with any number of roots.
pub(super) fn served_place_args() -> impl Iterator<Item = Arg> {
    place_args().into_iter().map(|arg| match arg.get_id() == "root" {
        true => arg.action(ArgAction::Append).help(
            "A tree, several times for several, the first for calls that name no `project`: default \
             the git work tree around the current directory, else that",
        ),
        false => arg,
    })
}

/// Returns the arguments that say what is served.
pub(super) fn server_args() -> [Arg; 4] {
    [
        Arg::new("toolsets")
            .long("toolsets")
            .value_name("LIST")
            .default_value("core")
            .help("Which tools are offered: `core`, `core,navigate` or `all`"),
        Arg::new("allow-edit")
            .long("allow-edit")
            .action(ArgAction::SetTrue)
            .help("Offer `codedb_edit`, too, which writes files of the tree"),
        Arg::new("insist")
            .long("insist")
            .action(ArgAction::SetTrue)
            .help("Serve and index a home folder or the whole file system, too"),
        Arg::new("allow-clone")
            .long("allow-clone")
            .action(ArgAction::SetTrue)
            .help("Let codedb_index clone repositories (https, ssh) into the cache"),
    ]
}

/// Returns what a server is started with, as `server_args` and `asked` say.
///
/// # Errors
///
/// If there is no such toolset.
pub(super) fn options(matches: &ArgMatches, asked: &Asked) -> Result<Options> {
    let insists = matches.get_flag("insist");
    let toolsets = matches.get_one::<String>("toolsets").map_or("core", String::as_str);
    Ok(Options {
        toolsets: Toolset::parse(toolsets)?,
        writes: match matches.get_flag("allow-edit") {
            true => Writes::Allowed,
            false => Writes::Refused,
        },
        threads: asked.threads.unwrap_or_else(place::threads),
        roots: matches.get_many("root").into_iter().flatten().cloned().collect(),
        cache: place::cache(asked)?.0,
        allows: Allows { index: true, clone: matches.get_flag("allow-clone") },
        open: Box::new({
            let asked = asked.clone();
            move |folder| {
                let root = folder.map(ToOwned::to_owned);
                open(&Asked { root, ..asked.clone() }, insists)
            }
        }),
    })
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    // Standard error is where clients look for what went wrong.
    log_sink::install(None);
    let asked = asked(matches);
    let options = options(matches, &asked)?;
    let served = mcp::serve(options, std::io::stdin(), std::io::stdout())?;
    // One builder is left behind at the most: a client may have named many folders.
    if let Some(Served { engine, .. }) = served.iter().find(|served| !served.is_complete) {
        background::build_even_if_wide(engine, Build::Full);
    }
    if let Some(Served { engine, .. }) = served.first() {
        store::evict(&place::cache(&asked)?.0, place::cache_bytes_max(), engine.store().dir());
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens a tree that may be indexed.
fn open(asked: &Asked, insists: bool) -> Result<Engine> {
    let engine = place::engine(asked)?;
    let reason = place::too_wide(engine.root()).or_else(|| place::too_private(engine.root()));
    if let Some(reason) = reason.filter(|_| !insists) {
        return Err(Error::usage(format!("not served without insisting: {reason}"))
            .with_path(engine.root())
            .with_hint(
                "start `codedb mcp` in a project's folder, name one with --root, or add --insist",
            ));
    }
    Ok(engine)
}
