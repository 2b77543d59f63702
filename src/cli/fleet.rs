//! `codedb fleet`: the nodes that serve an organisation's repositories, and what they index.

mod index;
mod list;
mod output;
mod plan;
mod simulate;

use std::process::ExitCode;

use clap::{ArgMatches, Command};

use super::index::print;
use super::settings::{user_file, user_text};
use crate::error::{Error, Result};
use crate::fleet::config::{Fleet, TABLE};

pub(super) fn command() -> Command {
    Command::new("fleet")
        .about("Show and index the repositories of a fleet of zoekt nodes")
        .long_about(format!(
            "A fleet is one or more nodes that run zoekt over an organisation's repositories. Its nodes \
             are named in the table `[{TABLE}]` of your own `codedb.toml`. Tools ask it only when a \
             call says so."
        ))
        .subcommand_required(true)
        .subcommand(Command::new("status").about("Print the nodes, and what is wrong with them"))
        .subcommand(plan::command())
        .subcommand(index::command())
        .subcommand(simulate::command())
}

/// Runs the command.
///
/// # Errors
///
/// If no fleet is configured, and those of the subcommand.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    match matches.subcommand() {
        Some(("plan", matches)) => return plan::run(matches),
        Some(("index", matches)) => return index::run(matches),
        Some(("simulate", matches)) => return simulate::run(matches),
        _ => {}
    }
    let fleet = fleet()?;
    let names: Vec<String> =
        fleet.nodes.iter().map(|node| format!("{}  {}\n", node.name, node.address)).collect();
    print(&names.concat())?;
    Ok(ExitCode::SUCCESS)
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
