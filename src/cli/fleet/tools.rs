//! The tools over a fleet as commands: those of a tree, with the repositories to ask.

use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::Value;

use super::super::display::Display;
use super::super::tool::{self, now_ns};
use super::super::typed_path::TypedPaths;
use super::super::{index, place};
use crate::error::Result;
use crate::fleet::query::Query;
use crate::fleet::view::{ROOT, View};
use crate::tools::{Call, OVER_FLEETS, Tool};

/// The tools that the list of commands leaves out.
const RARE: [&str; 3] = ["outline", "word", "explain"];

/// The options of a tree on this machine.
const OF_TREES: [&str; 2] = ["fresh", "no-background"];

/// Returns the commands of the tools.
pub(super) fn commands() -> impl Iterator<Item = Command> {
    let tools = OVER_FLEETS.iter().filter_map(|name| crate::tools::find(name));
    tools.map(|tool| command(tool).hide(RARE.contains(&tool.command().as_str())))
}

fn command(tool: &'static Tool) -> Command {
    let of_trees: Vec<String> =
        index::place_args().iter().map(|arg| arg.get_id().to_string()).collect();
    let mut command = tool::command(tool).mut_args(|arg| {
        let id = arg.get_id().to_string();
        let is_of_trees = OF_TREES.contains(&id.as_str()) || of_trees.contains(&id);
        if is_of_trees { arg.hide(true) } else { arg }
    });
    if tool.command() == "search" {
        command = command
            .mut_arg("regex", |arg| arg.hide(true))
            .mut_arg("word", |arg| arg.short('w'))
            .mut_arg("paths_only", |arg| arg.short('l'))
            .mut_arg("path_glob", |arg| arg.short('g'))
            .arg(flag(
                "fixed-strings",
                'F',
                "Search for the text as it is, not a regular expression",
            ))
            .arg(flag("ignore-case", 'i', "Search in any letter case"));
    }
    command
        .arg(repo_arg(if tool.command() == "callers" {
            "Only definitions in repositories with this name, or its last parts; callers anywhere"
        } else {
            "Only repositories with this name, or its last parts; `*` matches anything"
        }))
        .arg(Arg::new("branch").long("branch").value_name("NAME").help("Only this branch"))
}

/// Returns the option that selects repositories.
pub(super) fn repo_arg(help: &'static str) -> Arg {
    Arg::new("repo").long("repo").value_name("NAME").action(ArgAction::Append).help(help)
}

fn flag(name: &'static str, short: char, help: &'static str) -> Arg {
    Arg::new(name).long(name).short(short).action(ArgAction::SetTrue).help(help)
}

/// Returns the files of the repositories that the options select.
pub(super) fn repositories(matches: &ArgMatches) -> Query {
    let names = matches.get_many::<String>("repo").into_iter().flatten();
    let names: Vec<Query> = names.map(|name| Query::of_repository(name)).collect();
    if names.is_empty() { Query::Const(true) } else { Query::Or(names) }
}

/// Returns the files of the repositories and the branch that the options select.
fn scope(matches: &ArgMatches) -> Query {
    let repositories = repositories(matches);
    match matches.get_one::<String>("branch") {
        Some(branch) => repositories.and(Query::Branch(branch.clone())),
        None => repositories,
    }
}

/// Runs a tool and prints its reply.
///
/// # Errors
///
/// If no fleet is configured or none of its nodes answers, and those of the tool.
pub(super) fn run(tool: &Tool, matches: &ArgMatches) -> Result<ExitCode> {
    let root = Path::new(ROOT);
    let mut args = tool::arguments(tool, matches, &TypedPaths::new(root, true))?;
    if tool.command() == "search" {
        args.insert("regex".to_owned(), (!matches.get_flag("fixed-strings")).into());
        if matches.get_flag("ignore-case") {
            args.insert("case_sensitive".to_owned(), false.into());
        }
    }
    let args = Value::Object(args);
    let nodes = super::nodes()?;
    let view = View::new(nodes.as_ref(), scope(matches), place::parsers(place::threads())?);
    let now_ns = now_ns();
    let answer = tool.run(&Call::new(&view, now_ns), args.clone())?;
    let display = Display::new(root, matches);
    tool::print_answer(tool, matches, answer.as_ref(), &args, &display, false)
}
