//! `codedb fleet`: the nodes that serve an organisation's repositories, what they index, and the tools
//! over all of them.

mod index;
mod list;
mod output;
mod plan;
mod remote;
mod simulate;
mod status;
mod tools;

use std::process::ExitCode;

use clap::{ArgMatches, Command};

use super::settings::{user_file, variable};
use crate::error::{Error, Kind, Result};
use crate::fleet::client::{Client, Secret};
use crate::fleet::cluster::Cluster;
use crate::fleet::config::{Fleet, TABLE};
use crate::fleet::nodes::Nodes;

pub(super) use remote::remote;

pub(super) fn command() -> Command {
    Command::new("fleet")
        .about("Search and read the repositories of a fleet of zoekt nodes")
        .long_about(format!(
            "A fleet is one or more nodes that run zoekt over an organisation's repositories. Its nodes \
             are named in the table `[{TABLE}]` of your own `codedb.toml`. The tools below, \
             and `outline`, `word` and `explain`, answer as they do for a tree on this machine; a \
             path begins with the name of its repository. What a node did not answer is in the \
             reply, and then an empty one exits with 2."
        ))
        .subcommand_required(true)
        .subcommand(status::command())
        .subcommand(plan::command())
        .subcommand(index::command())
        .subcommand(simulate::command())
        .subcommands(tools::commands())
}

/// Runs the command.
///
/// # Errors
///
/// If no fleet is configured, and those of the subcommand.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    match matches.subcommand() {
        Some(("status", matches)) => status::run(matches),
        Some(("plan", matches)) => plan::run(matches),
        Some(("index", matches)) => index::run(matches),
        Some(("simulate", matches)) => simulate::run(matches),
        Some((name, matches)) => {
            let missing = || Error::new(Kind::NotFound, format!("there is no tool `{name}`"));
            tools::run(crate::tools::find(name).ok_or_else(missing)?, matches)
        }
        None => Err(Error::usage("`codedb fleet` needs a subcommand")),
    }
}

/// Returns the error about an unknown subcommand.
pub(super) fn unknown(name: &str) -> Error {
    let command = command();
    let names: Vec<String> =
        command.get_subcommands().map(|of| format!("`{}`", of.get_name())).collect();
    let shown = crate::base::text::plain(name);
    Error::usage(format!("`codedb fleet` has no command `{shown}`"))
        .with_hint(format!("it has {}", names.join(", ")))
}

/// Returns a client of the user's fleet, with the token of the environment.
///
/// # Errors
///
/// Those of [`fleet`] and [`Client::new`]; [`crate::Kind::Usage`] if the token is not set.
pub(super) fn client() -> Result<Client> {
    let fleet = fleet()?;
    let token = fleet.token_env.as_deref().map(|name| {
        let token = variable(name).map(|text| Secret::new(&text));
        token.ok_or_else(|| {
            let what =
                if std::env::var_os(name).is_some() { "empty or not UTF-8" } else { "not set" };
            Error::usage(format!("the environment variable {name} is {what}"))
                .with_hint("set it to the token of the fleet, or remove `token_env`")
        })
    });
    Client::new(fleet, token.transpose()?)
}

/// Returns the fleet of the user's own `codedb.toml`.
///
/// # Errors
///
/// [`Kind::Usage`] with the file and the line, if there is none or it is not valid.
pub(super) fn fleet() -> Result<Fleet> {
    let path = user_file().unwrap_or_default();
    let found = Fleet::of_file(&path);
    let found = found.map_err(|problem| Error::usage(format!("{}: {problem}", path.display())))?;
    found.ok_or_else(|| {
        Error::usage(format!("no fleet is configured in {}", path.display()))
            .with_hint(format!("add a table `[{TABLE}]` with one `[[{TABLE}.node]]` for each node"))
    })
}

/// Returns true if the user's own `codedb.toml` has a table of a fleet, valid or not.
fn is_configured() -> bool {
    user_file().is_some_and(|path| !matches!(Fleet::of_file(&path), Ok(None)))
}

/// Returns the nodes of the configured fleet; asks them nothing yet.
///
/// # Errors
///
/// As [`fleet`], and if its certificates or its token cannot be read.
fn nodes() -> Result<Box<dyn Nodes>> {
    Ok(Box::new(Cluster::new(client()?)))
}
