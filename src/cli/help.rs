//! `codedb --help` and `codedb help`: the commands as a table of contents in groups, the help of
//! one command, and [`topics`].
//!
//! clap renders the help of a single command, and `search` that of its own; clap cannot group
//! subcommands, so the contents are rendered here, from [`GROUPS`]. A test fails if a command is
//! missing from that table.

mod topics;

use std::ffi::OsString;
use std::io::IsTerminal;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command};

use super::similar;
use super::terminal::environment_allows_colors;
use crate::error::{Error, Result};

/// The name of the command.
pub(super) const NAME: &str = "help";

/// A group of commands.
struct Group {
    /// The title; a second word below the first one after a line end.
    title: &'static str,
    rows: &'static [Row],
}

/// A line of the contents: commands that belong together, and what they do.
struct Row {
    /// Each command with the arguments that are shown behind it.
    commands: &'static [(&'static str, &'static str)],
    summary: &'static str,
}

const fn row(commands: &'static [(&'static str, &'static str)], summary: &'static str) -> Row {
    Row { commands, summary }
}

/// The contents: every command that is not hidden, once.
const GROUPS: &[Group] = &[
    Group {
        title: "Search",
        rows: &[
            row(
                &[("search", "PATTERN [PATH…]"), ("pick", "")],
                "lines as in `rg`; choose while typing",
            ),
            row(&[("symbol", "NAME"), ("word", "WORD")], "definitions; uses of an identifier"),
            row(&[("find", "QUERY"), ("glob", "PATTERN")], "files by a partial path; by a glob"),
        ],
    },
    Group {
        title: "Read\nand edit",
        rows: &[
            row(&[("read", ""), ("outline", "PATH")], "the text of a file; its definitions"),
            row(&[("tree", ""), ("ls", "[PATH]")], "all directories and files; one level"),
            row(&[("edit", "PATH")], "edit or create a file, print the diff"),
        ],
    },
    Group {
        title: "Understand",
        rows: &[
            row(&[("context", "TASK")], "what a task needs: files and lines"),
            row(&[("explain", "NAME")], "a definition, its callers and tests"),
            row(&[("callers", "NAME"), ("trace", "A [B]")], "callers of a function; what A runs"),
            row(&[("deps", "PATH"), ("callpath", "A B")], "importers of a file; calls A to B"),
            row(&[("query", "JSON"), ("bundle", "JSON")], "a pipeline over files; several calls"),
        ],
    },
    Group {
        title: "History",
        rows: &[
            row(&[("changes", "[SINCE]"), ("hot", "")], "changed files; the most recent ones"),
            row(
                &[("history", "PATH"), ("churn", "[PATH]")],
                "commits of a file; what changes most",
            ),
            row(&[("coupling", "PATH"), ("stats", "")], "files that change together; totals"),
            row(
                &[("ownership", ""), ("who-reviews", "PATH")],
                "authors of a file; its best reviewers",
            ),
        ],
    },
    Group {
        title: "Tests\nand risk",
        rows: &[
            row(&[("review", ""), ("check", "[PATH…]")], "your changes: a screen; the risk, why"),
            row(&[("impact", "PATH"), ("diff-impact", "")], "what a file affects; your changes"),
            row(
                &[("test", ""), ("suggest-tests", "[PATH…]")],
                "run or list the tests of your changes",
            ),
            row(&[("test-gaps", ""), ("stale-tests", "")], "untested functions; outdated tests"),
            row(&[("risk-map", ""), ("triage", "")], "files by risk; the riskiest, and why"),
            row(
                &[("run", "-- COMMAND"), ("record-result", "")],
                "run tests and record the results",
            ),
        ],
    },
    Group {
        title: "Decisions",
        rows: &[row(&[("decisions", "")], "what people decided: propose, approve")],
    },
    Group {
        title: "Servers",
        rows: &[
            #[cfg(feature = "ui")]
            row(&[("mcp", ""), ("serve", ""), ("ui", "")], "serve agents: stdio, HTTP; a browser"),
            #[cfg(all(feature = "serve", not(feature = "ui")))]
            row(&[("mcp", ""), ("serve", "")], "serve agents over stdio; over HTTP"),
            #[cfg(not(feature = "serve"))]
            row(&[("mcp", "")], "serve agents over stdio"),
            #[cfg(feature = "fleet")]
            row(&[("fleet", ""), ("drift", "")], "all repositories; changed MCP tools"),
            #[cfg(not(feature = "fleet"))]
            row(&[("drift", "")], "changed MCP tools"),
            row(
                &[("start-job", ""), ("job-status", ""), ("cancel-job", ""), ("lock", "")],
                "jobs; who works on what",
            ),
        ],
    },
    Group {
        title: "Set-up",
        rows: &[
            row(
                &[("init", ""), ("doctor", ""), ("demo", ""), ("eval", "")],
                "agents; problems; a tour; evaluation",
            ),
            row(
                &[("index", ""), ("status", ""), ("projects", ""), ("cache", "")],
                "the index: build, state, all trees",
            ),
            row(
                &[("config", ""), ("data", ""), ("flaky", ""), ("snapshot", "")],
                "settings; recorded data; export",
            ),
            row(
                &[("completions", "SHELL"), ("man", ""), (NAME, "")],
                "for your shell; manual; help topics",
            ),
        ],
    },
];

/// What follows the contents, under their titles.
const MORE: &[(&str, &[&str])] = &[
    (
        "Examples",
        &[
            "codedb search -n 'fn \\w+_index' src",
            "codedb context \"why does the cart lose items after a merge\"",
            "codedb callers Cart::total",
        ],
    ),
    (
        "Options",
        &[
            "-h lists the options of a command, --help-all all of them. Most take",
            "--json and --root DIR. Exit codes: 0 found, 1 nothing found, 2 error",
        ],
    ),
];

/// The column at which the commands start.
const COMMANDS_COLUMN: usize = 12;

/// The column at which the summaries start.
const SUMMARY_COLUMN: usize = 43;

/// The width of the contents.
const WIDTH: usize = 80;

/// Returns the command for completions and the manual; [`page`] parses the arguments itself.
pub(super) fn command(names: Vec<String>) -> Command {
    let values = names.into_iter().chain(topics::names().map(str::to_owned));
    Command::new(NAME).about("Show the help of a command, or a topic").disable_help_flag(true).arg(
        Arg::new("command or topic")
            .value_name("COMMAND|TOPIC")
            .action(ArgAction::Append)
            .hide_possible_values(true)
            .value_parser(PossibleValuesParser::new(values))
            .help("`codedb help topics` lists the topics"),
    )
}

/// What `codedb help` shows.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Page {
    /// A text: the contents or a topic.
    Text(String),
    /// The help of a command: these arguments print it.
    OfCommand(Vec<OsString>),
}

/// Returns the page that the arguments `args` of `codedb help` name: the contents, a topic, or the
/// help of one of `commands`.
///
/// # Errors
///
/// [`crate::Kind::Usage`] if there is neither such a command nor such a topic.
pub(super) fn page(args: Vec<OsString>, commands: &[String]) -> Result<Page> {
    let words: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
    let heading = Heading::of_stdout();
    let name = match words.as_slice() {
        [] | ["-h" | "--help" | "help"] => return Ok(Page::Text(contents(heading))),
        ["topics"] => return Ok(Page::Text(topics::list(heading))),
        [name, ..] => *name,
    };
    if let Some(text) = topics::text(name) {
        return Ok(Page::Text(topics::render(&text, heading)));
    }
    if name == "grep" || commands.iter().any(|command| command == name) {
        let help = [OsString::from("--help")];
        return Ok(Page::OfCommand(args.into_iter().chain(help).collect()));
    }
    Err(unknown(name, commands))
}

fn unknown(name: &str, commands: &[String]) -> Error {
    let topics = topics::names().map(|name| name as &str);
    let names = commands.iter().map(String::as_str).chain(topics);
    let similar: Vec<String> =
        similar::nearest(name, names).iter().map(|name| format!("`codedb help {name}`")).collect();
    let error = Error::usage(format!("no command or help topic `{}`", super::report::plain(name)));
    let error = if similar.is_empty() {
        error
    } else {
        error.with_hint(format!("did you mean {}?", similar.join(", ")))
    };
    let all: Vec<&str> = topics::names().collect();
    error
        .with_hint(format!("the topics are {}", all.join(", ")))
        .with_hint("`codedb --help` lists the commands")
}

/// How headings and names of commands are printed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Heading {
    Plain,
    /// As clap prints those of the help of a command: headings underlined, names bold.
    Styled,
}

impl Heading {
    /// Returns the style for standard output.
    pub(super) fn of_stdout() -> Heading {
        if std::io::stdout().is_terminal() && environment_allows_colors() {
            Heading::Styled
        } else {
            Heading::Plain
        }
    }

    fn title(self, text: &str) -> String {
        match self {
            Heading::Plain => text.to_owned(),
            Heading::Styled => format!("\x1b[1m\x1b[4m{text}\x1b[0m"),
        }
    }

    fn name(self, text: &str) -> String {
        match self {
            Heading::Plain => text.to_owned(),
            Heading::Styled => format!("\x1b[1m{text}\x1b[0m"),
        }
    }
}

/// Returns `codedb --help`.
pub(super) fn contents(heading: Heading) -> String {
    let mut out = format!(
        "Indexed code search. `codedb help COMMAND` shows the options of a command.\n\
         {} codedb COMMAND [OPTIONS] [ARGUMENTS]\n",
        heading.title("Usage:")
    );
    for group in GROUPS {
        out.push('\n');
        let rows = group.rows.iter().map(|row| line(row, heading));
        out.push_str(&beside(group.title, rows, heading));
    }
    for (title, lines) in MORE {
        out.push('\n');
        out.push_str(&beside(title, lines.iter().map(|&line| line.to_owned()), heading));
    }
    let names = topics::names().collect::<Vec<_>>().join(", ");
    let topics = topics::wrapped(&names, WIDTH - COMMANDS_COLUMN);
    out.push_str(&beside("Topics", topics.into_iter(), heading));
    out
}

/// Returns `lines` with the lines of `title` on their left.
fn beside(title: &str, lines: impl Iterator<Item = String>, heading: Heading) -> String {
    let mut titles = title.lines();
    let mut out = String::new();
    for line in lines {
        let title = titles.next().unwrap_or_default();
        let pad = " ".repeat(COMMANDS_COLUMN - title.len());
        let title = if title.is_empty() { String::new() } else { heading.title(title) };
        out.push_str(&format!("{title}{pad}{line}\n"));
    }
    out
}

/// Returns a row without its indentation.
fn line(row: &Row, heading: Heading) -> String {
    let (mut text, mut column) = (String::new(), COMMANDS_COLUMN);
    for (index, (name, args)) in row.commands.iter().enumerate() {
        let gap = if index == 0 { "" } else { ", " };
        let args = if args.is_empty() { String::new() } else { format!(" {args}") };
        text.push_str(&format!("{gap}{}{args}", heading.name(name)));
        column += gap.len() + name.len() + args.chars().count();
    }
    let pad = " ".repeat(SUMMARY_COLUMN.saturating_sub(column).max(2));
    format!("{text}{pad}{}", row.summary)
}

#[cfg(test)]
mod tests;
