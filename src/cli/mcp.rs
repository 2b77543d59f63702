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
use crate::mcp::{self, Options, Served, Toolset, Writes};

pub(super) fn command() -> Command {
    Command::new("mcp")
        .about("Serve the tools to an agent, over the Model Context Protocol")
        .long_about(
            "Serves the tools over standard input and output, for agents and editors that speak the \
             Model Context Protocol; they start it themselves. It answers at once, indexes the tree in \
             the background and keeps watching it. The tree is that of --root, else the first folder \
             that the client names, else the git work tree around the current directory.",
        )
        .args(server_args())
        .args(place_args())
}

/// Returns the arguments that say what is served.
pub(super) fn server_args() -> [Arg; 3] {
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
        root: asked.root.clone(),
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
    if let Some(Served { engine, is_complete }) = served {
        if !is_complete {
            background::build_even_if_wide(&engine, Build::Full);
        }
        store::evict(&place::cache(&asked)?.0, place::cache_bytes_max(), engine.store().dir());
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens a tree that may be indexed.
fn open(asked: &Asked, insists: bool) -> Result<Engine> {
    let engine = place::engine(asked)?;
    if let Some(reason) = place::too_wide(engine.root()).filter(|_| !insists) {
        return Err(Error::usage(format!("not served without insisting: {reason}"))
            .with_path(engine.root())
            .with_hint(
                "start `codedb mcp` in a project's folder, name one with --root, or add --insist",
            ));
    }
    Ok(engine)
}
