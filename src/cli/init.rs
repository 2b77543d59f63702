//! `codedb init`: registers the server with the agents and editors on this machine, after showing
//! the changes and asking for confirmation.
//!
//! `register` edits the text of settings, `installation` chooses the command that they start; this
//! module locates the files ([`surroundings`]), reads
//! and writes them ([`files`]) and prompts the user.

pub(super) mod files;
mod hook;
mod surroundings;

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use self::files::SettingsFile;
use super::index::print;
use super::installation::Installation;
use super::{place, report};
use crate::base::diff;
use crate::error::{Error, Kind, Result};
use crate::register::clients::{CLIENTS, Client, Homes, Scope};
use crate::register::{self, Act, Edit, Launch, agents, git_hook};
use crate::source::secret;

const AFTER_HELP: &str = "\
Exit codes: 0 success, or nothing to change; 1 no client found; 2 all changes failed.";

pub(super) fn command() -> Command {
    let clients = CLIENTS.iter().map(|client| PossibleValue::new(client.id).help(client.name));
    Command::new("init")
        .about("Register the server with the agents and editors on this machine")
        .long_about(
            "Finds Claude Code, Codex, Cursor, Gemini CLI, VS Code, Zed, Windsurf and opencode, and shows \
             as a diff how registering `codedb mcp` changes their settings. Nothing is written before \
             you confirm on the terminal or pass `--yes`. All other contents of the files are kept \
             byte for byte; clients that are registered already are not changed.",
        )
        .after_help(AFTER_HELP)
        .arg(
            Arg::new("scope")
                .long("scope")
                .value_name("SCOPE")
                .value_parser(["user", "project"])
                .default_value("user")
                .help("Change your user settings, for all trees (`user`), or files of this tree (`project`)"),
        )
        .arg(
            Arg::new("client")
                .long("client")
                .value_name("NAME")
                .action(ArgAction::Append)
                .value_delimiter(',')
                .value_parser(clients.collect::<Vec<_>>())
                .help("Register only with this client, even if it is not found; may be repeated"),
        )
        .arg(
            Arg::new("yes")
                .long("yes")
                .short('y')
                .visible_alias("write")
                .action(ArgAction::SetTrue)
                .help("Write the changes without confirmation"),
        )
        .arg(
            Arg::new("remove")
                .long("remove")
                .action(ArgAction::SetTrue)
                .help("Remove the registration, of all clients or of those given by `--client`"),
        )
        .arg(
            Arg::new("agents-md")
                .long("agents-md")
                .action(ArgAction::SetTrue)
                .help("Also add a short note to AGENTS.md at the root: which tool to use when"),
        )
        .arg(
            Arg::new("git-hook")
                .long("git-hook")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["scope", "client", "agents-md"])
                .help(
                    "Only install git's hook `pre-commit` in this repository, which runs `codedb \
                     check --pre-commit`; with `--remove`, remove it",
                ),
        )
        .arg(
            Arg::new("fail-on")
                .long("fail-on")
                .value_name("LEVEL")
                .requires("git-hook")
                .value_parser(["LOW", "MEDIUM", "HIGH", "CRITICAL"])
                .ignore_case(true)
                .help("The level from which on the hook blocks a commit (default: HIGH)"),
        )
        .arg(
            Arg::new("command")
                .long("command")
                .value_name("PATH")
                .value_parser(value_parser!(String))
                .help(
                    "The program to register (default: as it was installed: `codedb` if PATH finds this \
                     program, `npx` or `uvx` with the package if they started it, else its path)",
                ),
        )
        .arg(
            Arg::new("root")
                .long("root")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .global(true)
                .help(
                    "The root of the tree (default: the git work tree that contains the current \
                     directory, else the current directory)",
                ),
        )
}

/// The file at the root with instructions for agents.
const NOTES: &str = "AGENTS.md";

/// The parsed arguments.
struct InitOptions {
    scope: Scope,
    /// The ids of clients; empty for those that are found.
    clients: Vec<String>,
    is_removal: bool,
    with_note: bool,
    /// Only the git hook is changed.
    is_hook: bool,
    /// The level from which on the hook blocks.
    fail_on: Option<String>,
    /// The command to register, or to call in the hook.
    launch: Launch,
    /// Why that command may stop working.
    warning: Option<String>,
    root: PathBuf,
    homes: Homes,
}

impl InitOptions {
    fn of(matches: &ArgMatches) -> Result<InitOptions> {
        let scope = match matches.get_one::<String>("scope").map(String::as_str) {
            Some("project") => Scope::Project,
            _ => Scope::User,
        };
        let is_hook = matches.get_flag("git-hook");
        let (launch, warning) = match matches.get_one::<String>("command") {
            Some(command) if command.is_empty() => {
                return Err(Error::usage("`--command` is empty"));
            }
            Some(command) => (Launch::program(command), None),
            None => {
                let installation = Installation::of_this_process()?;
                let launch = if is_hook {
                    installation.hook_launch()?
                } else {
                    installation.launch(scope == Scope::Project)?
                };
                (launch, installation.warning())
            }
        };
        let options = InitOptions {
            scope,
            clients: matches.get_many("client").into_iter().flatten().cloned().collect(),
            is_removal: matches.get_flag("remove"),
            with_note: matches.get_flag("agents-md"),
            is_hook,
            fail_on: matches.get_one::<String>("fail-on").map(|level| level.to_uppercase()),
            launch,
            warning,
            root: place::root(matches.get_one::<PathBuf>("root").map(PathBuf::as_path))?,
            homes: surroundings::homes()?,
        };
        match place::too_wide(&options.root) {
            Some(reason) if options.scope == Scope::Project || options.with_note => {
                Err(Error::usage(format!("refusing to write project settings: {reason}"))
                    .with_path(&options.root)
                    .with_hint("change to a project, or choose one with `--root`"))
            }
            _ => Ok(options),
        }
    }

    /// Returns true if the settings of the client are to be changed.
    fn includes(&self, client: &Client) -> bool {
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

/// The change of one file.
struct Change {
    /// The name of the client, or of the file.
    name: &'static str,
    file: SettingsFile,
    edit: Edit,
}

/// The planned changes.
#[derive(Default)]
struct Plan {
    changes: Vec<Change>,
    /// Files that need no change.
    unchanged: usize,
    /// Files that cannot be changed; each was reported.
    failed: usize,
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let options = InitOptions::of(matches)?;
    let mut plan = plan(&options);
    if plan.changes.is_empty() {
        return Ok(report_no_changes(&options, &plan));
    }
    let mut text = String::new();
    for change in &plan.changes {
        text.push_str(&change.diff());
    }
    // The settings around a change may contain tokens of other servers.
    print(&secret::redacted(text))?;
    if options.scope == Scope::Project
        && Path::new(&options.launch.program).is_absolute()
        && !options.is_removal
    {
        report::print_message(format_args!(
            "note: {} is a path on this machine; add codedb to PATH before you share these files",
            report::plain(&options.launch.program)
        ));
    } else if let Some(warning) = options.warning.as_ref().filter(|_| !options.is_removal) {
        report::print_message(format_args!("note: {}", report::plain(warning)));
    }
    if !matches.get_flag("yes") && !confirmed()? {
        report::print_message("nothing was written; use `--yes` to write the changes");
        return Ok(ExitCode::SUCCESS);
    }
    let changes = std::mem::take(&mut plan.changes);
    for change in changes {
        match change.write(&options) {
            Ok(()) => plan.unchanged += 1,
            Err(error) => plan.fail(&error),
        }
    }
    if plan.unchanged > 0 && !options.is_removal && !options.is_hook {
        report::print_message("restart running clients to load it");
    }
    Ok(plan.code())
}

/// Plans the changes for the settings of all clients.
fn plan(options: &InitOptions) -> Plan {
    let mut plan = Plan::default();
    if options.is_hook {
        plan_hook(options, &mut plan);
        return plan;
    }
    for client in CLIENTS.iter().filter(|client| options.includes(client)) {
        let files = client.files(options.scope, &options.homes, &options.root);
        let existing = files.iter().find(|file| file.symlink_metadata().is_ok());
        let Some(file) = existing.or(files.first()) else {
            if options.is_named(client) {
                let error = Error::usage(format!("{} has no project settings", client.name));
                plan.fail(&error.with_hint("omit `--scope project`"));
            }
            continue;
        };
        let edit = |text: &str| {
            if options.is_removal {
                register::unregister(text, client.format)
            } else {
                register::register(text, client.format, &options.launch)
            }
        };
        let within = (options.scope == Scope::Project).then_some(options.root.as_path());
        let unchanged_message = if options.is_removal {
            options.is_named(client).then_some("not registered in")
        } else {
            Some("already registered in")
        };
        plan.add(client.name, SettingsFile::read(file, within), edit, unchanged_message);
    }
    if options.with_note {
        let (edit, unchanged_message): (fn(&str) -> Result<Option<Edit>>, _) = if options.is_removal
        {
            (agents::unregister, "there is no note in")
        } else {
            (agents::register, "the note is already in")
        };
        let file = SettingsFile::read(&options.root.join(NOTES), Some(&options.root));
        plan.add(NOTES, file, edit, Some(unchanged_message));
    }
    plan
}

/// Plans the change of the git hook.
fn plan_hook(options: &InitOptions, plan: &mut Plan) {
    let (path, within) = match hook::path(&options.root) {
        Ok(found) => found,
        Err(error) => return plan.fail(&error),
    };
    let edit = |text: &str| {
        if options.is_removal {
            Ok(git_hook::remove(text))
        } else {
            git_hook::install(text, &options.launch, options.fail_on.as_deref())
        }
    };
    let unchanged = if options.is_removal { "there is no check in" } else { "already in" };
    plan.add(hook::NAME, SettingsFile::read(&path, Some(&within)), edit, Some(unchanged));
}

impl Plan {
    fn add(
        &mut self,
        name: &'static str,
        file: Result<SettingsFile>,
        edit: impl FnOnce(&str) -> Result<Option<Edit>>,
        unchanged_message: Option<&str>,
    ) {
        let edited = file.and_then(|file| {
            let edit = edit(file.text()).map_err(|error| error.with_path(file.path()))?;
            Ok((file, edit))
        });
        match edited {
            Ok((file, Some(edit))) => self.changes.push(Change { name, file, edit }),
            Ok((file, None)) => {
                self.unchanged += 1;
                if let Some(unchanged_message) = unchanged_message {
                    let path = shown(file.path());
                    report::print_message(format_args!("{name}: {unchanged_message} {path}"));
                }
            }
            Err(error) => self.fail(&error),
        }
    }

    fn fail(&mut self, error: &Error) {
        self.failed += 1;
        report::print_error(error);
    }

    /// Returns the exit code: an error only if all changes failed.
    fn code(&self) -> ExitCode {
        ExitCode::from(if self.failed > 0 && self.unchanged == 0 { 2 } else { 0 })
    }
}

/// Reports why there is nothing to change.
fn report_no_changes(options: &InitOptions, plan: &Plan) -> ExitCode {
    if options.is_hook {
        return plan.code();
    }
    let scope = if options.scope == Scope::User { "user" } else { "project" };
    if options.is_removal {
        if plan.failed == 0 && options.clients.is_empty() {
            let other = if scope == "user" { "project" } else { "user" };
            report::print_message(format_args!(
                "codedb is not registered in scope `{scope}`; try `--scope {other}`"
            ));
        }
    } else if plan.unchanged + plan.failed == 0 {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
        report::print_message("no agent or editor was found");
        report::print_message(format_args!(
            "choose one with `--client`: {}; see docs/clients/ for other clients",
            names.join(", ")
        ));
        return ExitCode::from(1);
    }
    plan.code()
}

impl Change {
    /// Returns the change as a diff with a title.
    fn diff(&self) -> String {
        let path = self.file.path().display().to_string();
        let before = if self.file.exists() { path.as_str() } else { "/dev/null" };
        let after = if self.deletes_file() { "/dev/null" } else { path.as_str() };
        let text = if self.deletes_file() { "" } else { self.edit.text.as_str() };
        let diff = diff::unified((before, after), self.file.text(), text);
        let what = match self.edit.act {
            Act::Adds if self.name == hook::NAME => "add `codedb check`",
            Act::Adds => "add codedb",
            Act::Moves => "update codedb",
            Act::Replaces => "replace another entry named codedb",
            Act::Removes | Act::RemovesAll => "remove codedb",
        };
        format!("{}: {what}\n{diff}", self.name)
    }

    /// Returns true if the file is deleted. A symbolic link and its target are kept.
    fn deletes_file(&self) -> bool {
        self.edit.act == Act::RemovesAll && !self.file.is_link()
    }

    fn write(&self, options: &InitOptions) -> Result<()> {
        let path = shown(self.file.path());
        if self.deletes_file() {
            self.file.remove()?;
            if options.scope == Scope::Project {
                files::remove_empty_directory(self.file.path(), &options.root);
            }
            report::print_message(format_args!(
                "{}: {path} contained nothing else; file deleted",
                self.name
            ));
            return Ok(());
        }
        self.file.write(&self.edit.text)?;
        if self.name == hook::NAME && !options.is_removal {
            hook::make_executable(self.file.path())?;
        }
        let what = match (options.is_removal, self.name) {
            (true, _) => "removed from",
            (false, hook::NAME) => "installed in",
            (false, NOTES) => "note added to",
            (false, _) => "registered in",
        };
        report::print_message(format_args!("{}: {what} {path}", self.name));
        Ok(())
    }
}

/// Asks for confirmation on a terminal; returns false without one.
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

/// Returns a path for messages.
fn shown(path: &Path) -> String {
    report::plain(&path.display().to_string())
}
