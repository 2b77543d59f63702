//! `codedb outline`: the definitions of one file.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::index::print;
use super::report;
use crate::error::{Error, Kind, Result};
use crate::lang::Limits;
use crate::source::read;
use crate::tools::outline;

pub(super) fn command() -> Command {
    Command::new("outline")
        .about("List the definitions of a file, nested, with their lines and signatures")
        .arg(
            Arg::new("path")
                .value_name("PATH")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The file, relative to the current directory"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Answer in JSON, for programs"),
        )
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let path = matches.get_one::<PathBuf>("path").expect("clap requires it").clone();
    let text = text(&path)?;
    let reply = outline::run(&outline::Args { path }, &text)?;
    for problem in reply.problems.keys() {
        if let Some(what) = problem.describe() {
            report::print_message(format_args!("{}: {what}", report::plain(&reply.path)));
        }
    }
    if matches.get_flag("json") {
        let text = serde_json::to_string(&reply)
            .map_err(|error| Error::new(Kind::Io, error.to_string()))?;
        print(&format!("{text}\n"))?;
    } else {
        print(&outline::render(&reply))?;
    }
    Ok(ExitCode::from(if reply.symbols.is_empty() { 1 } else { 0 }))
}

/// Reads the file, a little past the length at which parsing gives up.
fn text(path: &std::path::Path) -> Result<Vec<u8>> {
    if path.is_dir() {
        return Err(Error::usage("a directory has no outline")
            .with_path(path)
            .with_hint("name one file; `codedb search --files` lists those of a tree"));
    }
    let failed = |error| Error::io(path, error).with_hint("name a readable file");
    let (mut file, _) = read::open(path).map_err(failed)?;
    let mut buffer = read::Buffer::default();
    let bytes_max = Limits::DEFAULT.bytes_max as u64 + 1;
    buffer.fill_range(&mut file, 0..bytes_max).map_err(failed)?;
    Ok(buffer.bytes().to_vec())
}
