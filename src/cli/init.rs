//! `codedb init`: shows how the server would be registered with the agents and editors found here, and does
//! it when told to.
//!
//! What the settings become is made by `register`; here they are found ([`surroundings`]), read and written
//! ([`files`]), and the user is asked.

mod files;
mod surroundings;

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use self::files::Found;
use super::index::print;
use super::{place, report};
use crate::base::diff;
use crate::error::{Error, Kind, Result};
use crate::register::clients::{CLIENTS, Client, Homes, Scope};
use crate::register::{self, Act, Edit, agents};

const AFTER_HELP: &str = "\
Examples:
  codedb init                          what would be changed, as a diff; on a terminal it asks
  codedb init --yes                    register with every client found, for all trees
  codedb init --yes --scope project    register in files of this tree, to share with a team
  codedb init --client zed --client codex
  codedb init --remove --yes           undo it

Exit codes: 0 registered already, shown or written; 1 no client found; 2 an error, and nothing else went well.";

pub(super) fn command() -> Command {
    let clients = CLIENTS.iter().map(|client| PossibleValue::new(client.id).help(client.name));
    Command::new("init")
        .about("Register the server with the agents and editors found here")
        .long_about(
            "Finds Claude Code, Codex, Cursor, Gemini CLI, VS Code, Zed, Windsurf and opencode, shows as a \
             diff what registering `codedb mcp` changes in their settings, and writes it once you say so: \
             on a terminal it asks, elsewhere only --yes writes. Every other byte of the files stays as \
             it is, and what is registered already is not touched.",
        )
        .after_help(AFTER_HELP)
        .arg(
            Arg::new("scope")
                .long("scope")
                .value_name("SCOPE")
                .value_parser(["user", "project"])
                .default_value("user")
                .help("Your own settings, for all trees (`user`), or files of this tree (`project`)"),
        )
        .arg(
            Arg::new("client")
                .long("client")
                .value_name("NAME")
                .action(ArgAction::Append)
                .value_delimiter(',')
                .value_parser(clients.collect::<Vec<_>>())
                .help("Only this client, found or not; may be given several times"),
        )
        .arg(
            Arg::new("yes")
                .long("yes")
                .short('y')
                .visible_alias("write")
                .action(ArgAction::SetTrue)
                .help("Write the changes without asking"),
        )
        .arg(
            Arg::new("remove")
                .long("remove")
                .action(ArgAction::SetTrue)
                .help("Take the entry out again, of all clients or those named"),
        )
        .arg(
            Arg::new("agents-md")
                .long("agents-md")
                .action(ArgAction::SetTrue)
                .help("Put a short note for agents, which tool when, into AGENTS.md at the root, too"),
        )
        .arg(
            Arg::new("command")
                .long("command")
                .value_name("PATH")
                .value_parser(value_parser!(String))
                .help("The program to register: default `codedb` if that is found as this one, else its path"),
        )
        .arg(
            Arg::new("root")
                .long("root")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .global(true)
                .help("The tree: default the git work tree around the current directory, else that"),
        )
}

/// The file at the root that agents read.
const NOTES: &str = "AGENTS.md";

/// What the command line asks for.
struct Asked {
    scope: Scope,
    /// By name; empty for those that are found.
    clients: Vec<String>,
    is_removal: bool,
    with_note: bool,
    command: String,
    root: PathBuf,
    homes: Homes,
}

impl Asked {
    fn of(matches: &ArgMatches) -> Result<Asked> {
        let scope = match matches.get_one::<String>("scope").map(String::as_str) {
            Some("project") => Scope::Project,
            _ => Scope::User,
        };
        let asked = Asked {
            scope,
            clients: matches.get_many("client").into_iter().flatten().cloned().collect(),
            is_removal: matches.get_flag("remove"),
            with_note: matches.get_flag("agents-md"),
            command: match matches.get_one::<String>("command") {
                Some(command) if command.is_empty() => {
                    return Err(Error::usage("`--command` is empty"));
                }
                Some(command) => command.clone(),
                None => surroundings::command()?,
            },
            root: place::root(matches.get_one::<PathBuf>("root").map(PathBuf::as_path))?,
            homes: surroundings::homes()?,
        };
        match place::too_wide(&asked.root) {
            Some(reason) if asked.scope == Scope::Project || asked.with_note => {
                Err(Error::usage(format!("is no project: {reason}"))
                    .with_path(&asked.root)
                    .with_hint("go to a project's folder, or name one with --root"))
            }
            _ => Ok(asked),
        }
    }

    /// Returns true if the client is to be looked at.
    fn wants(&self, client: &Client) -> bool {
        if !self.clients.is_empty() {
            return self.is_named(client);
        }
        let signs = client.signs(self.scope, &self.homes, &self.root);
        self.is_removal || signs.iter().any(|sign| sign.exists())
    }

    fn is_named(&self, client: &Client) -> bool {
        self.clients.iter().any(|name| name == client.id)
    }
}

/// What is to become of one file.
struct Change {
    /// Whose file it is.
    who: &'static str,
    found: Found,
    edit: Edit,
}

/// What was looked at.
#[derive(Default)]
struct Plan {
    changes: Vec<Change>,
    /// Files that need no change.
    settled: usize,
    /// Files that were left alone; each was told.
    failed: usize,
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let asked = Asked::of(matches)?;
    let mut plan = plan(&asked);
    if plan.changes.is_empty() {
        return Ok(without_changes(&asked, &plan));
    }
    let mut text = String::new();
    for change in &plan.changes {
        text.push_str(&change.diff());
    }
    print(&text)?;
    if asked.scope == Scope::Project && Path::new(&asked.command).is_absolute() && !asked.is_removal
    {
        report::print_message(format_args!(
            "note: {} is a path of this machine; put codedb on the PATH before others get these files",
            report::plain(&asked.command)
        ));
    }
    if !matches.get_flag("yes") && !confirmed()? {
        report::print_message("nothing was written; the same with --yes writes it");
        return Ok(ExitCode::SUCCESS);
    }
    let changes = std::mem::take(&mut plan.changes);
    for change in changes {
        match change.write(&asked) {
            Ok(()) => plan.settled += 1,
            Err(error) => plan.fail(&error),
        }
    }
    if plan.settled > 0 && !asked.is_removal {
        report::print_message("clients that run already see it after a restart");
    }
    Ok(plan.code())
}

/// Looks at the settings of every client that is wanted.
fn plan(asked: &Asked) -> Plan {
    let mut plan = Plan::default();
    for client in CLIENTS.iter().filter(|client| asked.wants(client)) {
        let files = client.files(asked.scope, &asked.homes, &asked.root);
        let existing = files.iter().find(|file| file.symlink_metadata().is_ok());
        let Some(file) = existing.or(files.first()) else {
            if asked.is_named(client) {
                let error = Error::usage(format!("{} has no settings in a project", client.name));
                plan.fail(&error.with_hint("leave out `--scope project`"));
            }
            continue;
        };
        let edit = |text: &str| match asked.is_removal {
            true => register::unregister(text, client.format),
            false => register::register(text, client.format, &asked.command),
        };
        let within = (asked.scope == Scope::Project).then_some(asked.root.as_path());
        let settled = match asked.is_removal {
            false => Some("registered already in"),
            true => asked.is_named(client).then_some("not registered in"),
        };
        plan.add(client.name, Found::read(file, within), edit, settled);
    }
    if asked.with_note {
        let (edit, settled): (fn(&str) -> Result<Option<Edit>>, _) = match asked.is_removal {
            false => (agents::register, "the note stands already in"),
            true => (agents::unregister, "there is no note in"),
        };
        let found = Found::read(&asked.root.join(NOTES), Some(&asked.root));
        plan.add(NOTES, found, edit, Some(settled));
    }
    plan
}

impl Plan {
    fn add(
        &mut self,
        who: &'static str,
        found: Result<Found>,
        edit: impl FnOnce(&str) -> Result<Option<Edit>>,
        settled: Option<&str>,
    ) {
        let edited = found.and_then(|found| {
            let edit = edit(found.text()).map_err(|error| error.with_path(found.path()))?;
            Ok((found, edit))
        });
        match edited {
            Ok((found, Some(edit))) => self.changes.push(Change { who, found, edit }),
            Ok((found, None)) => {
                self.settled += 1;
                if let Some(settled) = settled {
                    let path = shown(found.path());
                    report::print_message(format_args!("{who}: {settled} {path}"));
                }
            }
            Err(error) => self.fail(&error),
        }
    }

    fn fail(&mut self, error: &Error) {
        self.failed += 1;
        report::print_error(error);
    }

    /// Returns the exit code: an error only where nothing went well.
    fn code(&self) -> ExitCode {
        ExitCode::from(if self.failed > 0 && self.settled == 0 { 2 } else { 0 })
    }
}

/// Tells why nothing is to be done.
fn without_changes(asked: &Asked, plan: &Plan) -> ExitCode {
    let scope = if asked.scope == Scope::User { "user" } else { "project" };
    if asked.is_removal {
        if plan.failed == 0 && asked.clients.is_empty() {
            let other = if scope == "user" { "project" } else { "user" };
            report::print_message(format_args!(
                "codedb is not registered here (scope `{scope}`); `--scope {other}` looks there"
            ));
        }
    } else if plan.settled + plan.failed == 0 {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
        report::print_message("no agent or editor was found");
        report::print_message(format_args!(
            "name one with --client: {}; docs/clients/ tells what to write elsewhere",
            names.join(", ")
        ));
        return ExitCode::from(1);
    }
    plan.code()
}

impl Change {
    /// Returns the change for people to read, headed by what it is.
    fn diff(&self) -> String {
        let path = self.found.path().display().to_string();
        let before = if self.found.exists() { path.as_str() } else { "/dev/null" };
        let after = if self.is_end() { "/dev/null" } else { path.as_str() };
        let text = if self.is_end() { "" } else { self.edit.text.as_str() };
        let diff = diff::unified((before, after), self.found.text(), text);
        let what = match self.edit.act {
            Act::Adds => "add codedb",
            Act::Moves => "bring codedb up to date",
            Act::Replaces => "replace another entry named codedb",
            Act::Removes | Act::RemovesAll => "remove codedb",
        };
        format!("{}: {what}\n{diff}", self.who)
    }

    /// Returns true if the file goes. A link stays, and so what it leads to.
    fn is_end(&self) -> bool {
        self.edit.act == Act::RemovesAll && !self.found.is_link()
    }

    fn write(&self, asked: &Asked) -> Result<()> {
        let path = shown(self.found.path());
        if self.is_end() {
            self.found.remove()?;
            if asked.scope == Scope::Project {
                files::remove_empty_folder(self.found.path(), &asked.root);
            }
            report::print_message(format_args!(
                "{}: {path} had nothing else and is gone",
                self.who
            ));
            return Ok(());
        }
        self.found.write(&self.edit.text)?;
        let what = match (asked.is_removal, self.who) {
            (true, _) => "removed from",
            (false, NOTES) => "noted in",
            (false, _) => "registered in",
        };
        report::print_message(format_args!("{}: {what} {path}", self.who));
        Ok(())
    }
}

/// Asks on a terminal whether to go on; elsewhere the answer is no.
fn confirmed() -> Result<bool> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(false);
    }
    let failed = |error: std::io::Error| Error::new(Kind::Io, format!("the terminal: {error}"));
    let mut terminal = std::io::stderr().lock();
    terminal.write_all(b"Write these changes? [y/N] ").map_err(failed)?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(failed)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Returns a path for a message.
fn shown(path: &Path) -> String {
    report::plain(&path.display().to_string())
}
