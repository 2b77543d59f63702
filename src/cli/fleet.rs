//! `codedb fleet`: the nodes that serve an organisation's repositories, and what they index.

use std::process::ExitCode;

use clap::{ArgMatches, Command};

use super::settings::{user_file, user_text, variable};
use crate::error::{Error, Result};
use crate::fleet::client::{Client, Secret};
use crate::fleet::config::{Fleet, TABLE};

mod status;

pub(super) fn command() -> Command {
    Command::new("fleet")
        .about("Show and index the repositories of a fleet of zoekt nodes")
        .long_about(format!(
            "A fleet is one or more nodes that run zoekt over an organisation's repositories. Its nodes \
             are named in the table `[{TABLE}]` of your own `codedb.toml`. Tools ask it only when a \
             call says so."
        ))
        .subcommand_required(true)
        .subcommand(status::command())
}

/// Runs the command.
///
/// # Errors
///
/// If no fleet is configured, and those of the subcommand.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    match matches.subcommand() {
        Some(("status", matches)) => status::run(matches),
        _ => Err(Error::usage("`codedb fleet` needs a subcommand")),
    }
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
            Error::usage(format!("the environment variable {name} is not set"))
                .with_hint("set it to the token of the fleet, or remove `token_env`")
        })
    });
    Client::new(fleet, token.transpose()?)
}

/// Returns the fleet of the user's own `codedb.toml`.
///
/// # Errors
///
/// [`crate::Kind::Usage`] with the file and the line, if there is none or it is not valid.
pub(super) fn fleet() -> Result<Fleet> {
    let path = user_file().unwrap_or_default();
    let found = Fleet::of_text(&user_text().unwrap_or_default());
    let found = found.map_err(|problem| Error::usage(format!("{}: {problem}", path.display())))?;
    found.ok_or_else(|| {
        Error::usage(format!("no fleet is configured in {}", path.display()))
            .with_hint(format!("add a table `[{TABLE}]` with one `[[{TABLE}.node]]` for each node"))
    })
}
