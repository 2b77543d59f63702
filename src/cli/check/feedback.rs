//! `codedb check feedback`: whether a verdict of a client was right.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::cli::index::{print, tree_options};
use crate::cli::place;
use crate::error::{Error, Kind, Result};

pub(super) fn command() -> Command {
    Command::new("feedback")
        .about("Say whether a verdict of a client was right")
        .long_about(
            "Rates a verdict that a client gave with `finish_investigation`; checks of the same change \
             show it with its id. A wrong one raises the level no more. `codedb eval risk` counts them. \
             They are stored in the user's data, never in the tree.",
        )
        .arg(
            Arg::new("id")
                .value_name("ID")
                .required(true)
                .value_parser(value_parser!(i64))
                .help("The id of the verdict, as `check` shows it"),
        )
        .arg(
            Arg::new("rating")
                .value_name("RATING")
                .required(true)
                .value_parser(["right", "wrong"])
                .help("Whether it was right"),
        )
}

/// Runs the command.
///
/// # Errors
///
/// If there is no such verdict, or the user's data cannot be written.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let id = *matches.get_one::<i64>("id").expect("clap requires it");
    let rating = matches.get_one::<String>("rating").expect("clap requires it");
    let engine = place::engine(&tree_options(matches))?;
    if !engine.create_user_data()?.rate_verdict(id, rating == "right")? {
        return Err(Error::new(Kind::NotFound, format!("there is no verdict {id}"))
            .with_path(engine.root())
            .with_hint("`codedb check` shows the verdicts on the present change with their ids"));
    }
    print(&format!("verdict {id} is {rating}\n"))?;
    Ok(ExitCode::SUCCESS)
}
