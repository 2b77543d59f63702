//! `codedb init`: registers the server with the agents and editors on this machine, after showing
//! the changes and asking for confirmation.
//!
//! `register` edits the text of settings, `installation` chooses the command that they start. This
//! module reads the arguments, and shows and writes one part after the other: [`plan`] determines the
//! changes of each, [`surroundings`] locates the files, [`files`] reads and writes them, [`installed`]
//! reports what is there.

pub(super) mod files;
mod git_hook_file;
pub(super) mod installed;
mod plan;
pub(super) mod surroundings;

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use self::plan::{Part, Plan};
use super::index::print;
use super::installation::Installation;
use super::{place, report};
use crate::error::{Error, Kind, Result};
use crate::register::Launch;
use crate::register::clients::{CLIENTS, Client, Homes, Scope};
use crate::source::secret;

const AFTER_HELP: &str = "\
Exit codes: 0 success, or nothing to change; 1 no client found; 2 all changes failed.";

pub(super) fn command() -> Command {
    let clients = CLIENTS.iter().map(|client| PossibleValue::new(client.id).help(client.name));
    Command::new("init")
        .about("Register the server with the agents and editors on this machine")
        .long_about(
            "Finds Claude Code, Codex, Cursor, Gemini CLI, VS Code, Zed, Windsurf and opencode, and shows \
             as a diff how registering `codedb mcp` changes their settings; then, on a terminal, it \
             offers a note, a skill and a hook, which show agents when to use the tools. Nothing is \
             written before you confirm on the terminal or pass `--yes`. All other contents of the \
             files are kept byte for byte; what is there already is not changed.",
        )
        .after_help(AFTER_HELP)
        .arg(
            Arg::new("scope")
                .long("scope")
                .value_name("SCOPE")
                .value_parser(["user", "project"])
                .default_value("user")
                .hide_default_value(true)
                .hide_possible_values(true)
                .help("`user`: your settings, for all trees (default); `project`: files of this tree"),
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
                .help("Remove registration, skill and hook, of all clients or of `--client`"),
        )
        .arg(
            Arg::new("agents-md")
                .long("agents-md")
                .action(ArgAction::SetTrue)
                .help("Also add a note to AGENTS.md and CLAUDE.md: which tool to use when"),
        )
        .arg(
            Arg::new("skill")
                .long("skill")
                .action(ArgAction::SetTrue)
                .help("Also add a skill, which agents load when a task fits it"),
        )
        .arg(
            Arg::new("hook")
                .long("hook")
                .action(ArgAction::SetTrue)
                .help(
                    "Also add a hook to Claude Code, Codex and Gemini CLI: the first time in a session \
                     that an agent searches an indexed tree with grep, it is reminded of the tools; no \
                     call is blocked",
                ),
        )
        .arg(
            Arg::new("dry-run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .conflicts_with("yes")
                .help("Show all changes, and write nothing"),
        )
        .arg(
            Arg::new("git-hook")
                .long("git-hook")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["scope", "client", "agents-md", "skill", "hook"])
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

/// The parsed arguments.
struct InitOptions {
    scope: Scope,
    /// The ids of clients; empty for those that are found.
    clients: Vec<String>,
    is_removal: bool,
    /// The parts that the arguments name.
    named: Vec<Part>,
    consent: Consent,
    /// The level from which on the hook blocks.
    fail_on: Option<String>,
    /// The command to register, or to call in the hook.
    launch: Launch,
    /// Why that command may stop working.
    warning: Option<String>,
    root: PathBuf,
    homes: Homes,
}

/// Whether changes are written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Consent {
    /// The user passed `--yes`.
    Given,
    /// The user is asked for each part.
    Asked,
    /// There is no terminal.
    Missing,
    /// The user passed `--dry-run`.
    Refused,
}

impl InitOptions {
    fn of(matches: &ArgMatches) -> Result<InitOptions> {
        let scope = match matches.get_one::<String>("scope").map(String::as_str) {
            Some("project") => Scope::Project,
            _ => Scope::User,
        };
        let is_git_hook = matches.get_flag("git-hook");
        let (launch, warning) = match matches.get_one::<String>("command") {
            Some(command) if command.is_empty() => {
                return Err(Error::usage("`--command` is empty"));
            }
            Some(command) => (Launch::program(command), None),
            None => {
                let installation = Installation::of_this_process()?;
                let launch = if is_git_hook {
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
            named: if is_git_hook {
                vec![Part::GitHook]
            } else {
                let parts =
                    [("agents-md", Part::Note), ("skill", Part::Skill), ("hook", Part::Hook)];
                let named = parts.into_iter().filter(|(flag, _)| matches.get_flag(flag));
                named.map(|(_, part)| part).collect()
            },
            consent: if matches.get_flag("yes") {
                Consent::Given
            } else if matches.get_flag("dry-run") {
                Consent::Refused
            } else if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
                Consent::Asked
            } else {
                Consent::Missing
            },
            fail_on: matches.get_one::<String>("fail-on").map(|level| level.to_uppercase()),
            launch,
            warning,
            root: place::root(matches.get_one::<PathBuf>("root").map(PathBuf::as_path))?,
            homes: surroundings::homes()?,
        };
        match place::too_wide(&options.root) {
            Some(reason)
                if options.scope == Scope::Project || options.named.contains(&Part::Note) =>
            {
                Err(Error::usage(format!("refusing to write project settings: {reason}"))
                    .with_path(&options.root)
                    .with_hint("change to a project, or choose one with `--root`"))
            }
            _ => Ok(options),
        }
    }

    /// Returns the parts to show, in the order in which they are written. Those that are not named are
    /// only offered: on a terminal, for a dry run, and for a removal.
    fn parts(&self) -> Vec<Part> {
        if self.named.contains(&Part::GitHook) {
            return self.named.clone();
        }
        let offers = self.named.is_empty()
            && (self.is_removal || matches!(self.consent, Consent::Asked | Consent::Refused));
        let is_offered = |part: Part| match part {
            Part::Registration => true,
            // A note belongs to the tree, whatever the scope.
            Part::Note => {
                offers
                    && (self.scope == Scope::Project
                        || !self.is_removal && self.root.join(".git").exists())
                    && place::too_wide(&self.root).is_none()
            }
            Part::Skill | Part::Hook => offers,
            Part::GitHook => false,
        };
        let all = [Part::Registration, Part::Note, Part::Skill, Part::Hook];
        let mut parts: Vec<Part> = all.into_iter().filter(|part| is_offered(*part)).collect();
        parts.extend(&self.named);
        if self.is_removal {
            // Two parts may edit one file; only the reverse order restores every byte.
            parts.reverse();
        }
        parts
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

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let options = InitOptions::of(matches)?;
    let mut total = Plan::default();
    let (mut has_changes, mut is_refused, mut is_written, mut is_noted) =
        (false, false, false, false);
    for part in options.parts() {
        let is_named = part == Part::Registration || options.named.contains(&part);
        let mut plan = Plan::of(part, is_named, &options);
        let changes = std::mem::take(&mut plan.changes);
        total.add_counts(&plan);
        if changes.is_empty() {
            continue;
        }
        has_changes = true;
        let diffs: String = changes.iter().map(plan::Change::diff).collect();
        // The settings around a change may contain tokens of other servers.
        print(&secret::redacted(diffs))?;
        if !is_noted && part.starts_program() {
            is_noted = true;
            note_program(&options);
        }
        let is_allowed = match options.consent {
            Consent::Given => true,
            Consent::Asked => confirmed()?,
            Consent::Missing | Consent::Refused => false,
        };
        if !is_allowed {
            is_refused = true;
            let is_declined = options.consent == Consent::Asked && part == Part::Registration;
            if is_declined && options.named.is_empty() && !options.is_removal {
                // Without the server, what is only offered is of no use.
                break;
            }
            continue;
        }
        for change in changes {
            match change.write(&options) {
                Ok(()) => {
                    total.unchanged += 1;
                    is_written = true;
                }
                Err(error) => total.fail(&error),
            }
        }
    }
    if !has_changes {
        return Ok(report_no_changes(&options, &total));
    }
    let offers = options.named.is_empty() && !options.is_removal;
    if options.consent == Consent::Refused {
        report::print_message("nothing was written");
    } else if !is_written && is_refused {
        report::print_message("nothing was written; use `--yes` to write the changes");
    } else if is_written && !options.is_removal && !options.named.contains(&Part::GitHook) {
        report::print_message("restart running clients to load it");
    }
    if offers && matches!(options.consent, Consent::Given | Consent::Missing) {
        report::print_message("`--agents-md`, `--skill` and `--hook` show agents when to use it");
    }
    Ok(total.code())
}

/// Reports that the program to register may not be found later.
fn note_program(options: &InitOptions) {
    if options.is_removal {
        return;
    }
    if options.scope == Scope::Project && Path::new(&options.launch.program).is_absolute() {
        report::print_message(format_args!(
            "note: {} is a path on this machine; add codedb to PATH before you share these files",
            report::plain(&options.launch.program)
        ));
    } else if let Some(warning) = &options.warning {
        report::print_message(format_args!("note: {}", report::plain(warning)));
    }
}

/// Reports why there is nothing to change.
fn report_no_changes(options: &InitOptions, plan: &Plan) -> ExitCode {
    if options.named.contains(&Part::GitHook) {
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

/// Asks for confirmation on a terminal.
fn confirmed() -> Result<bool> {
    let failed = |error: std::io::Error| Error::new(Kind::Io, format!("the terminal: {error}"));
    let mut terminal = std::io::stderr().lock();
    terminal.write_all(b"Write these changes? [y/N] ").map_err(failed)?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(failed)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
