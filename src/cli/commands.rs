//! The commands that clap parses: all except `search`.

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, value_parser};
use clap_complete::Shell;

#[cfg(feature = "fleet")]
use super::fleet;
use super::run as test_run;
#[cfg(feature = "serve")]
use super::serve;
#[cfg(feature = "ui")]
use super::ui;
use super::{
    cache, check, config, data, decisions, demo, doctor, drift, eval, flaky, help, index, init,
    mcp, pick, review, search, short_help, similar, snapshot, spellings, status, tool,
};
use crate::error::{Error, Kind, Result};

const AFTER_HELP: &str = "\
Examples:
  codedb search 'fn \\w+_index' src   search with a regular expression, like ripgrep
  codedb search -F -l TODO            list the files that contain a text
  codedb symbol Cart                  find a definition by its name
  codedb callers Cart::total          list the calls of a function
  codedb help getting-started         show what to try first
  codedb completions bash             print a completion script for a shell

Exit codes: 0 found, 1 nothing found, 2 error.";

/// Returns all commands. `search` and `help` are included for completions and the manual.
fn tree() -> Command {
    let tree = tree_without_help();
    let names = tree.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    tree.subcommand(help::command(names))
}

fn tree_without_help() -> Command {
    let tree = Command::new("codedb")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Indexed code search: ripgrep's results, faster")
        .after_help(AFTER_HELP)
        .subcommand_required(true)
        .disable_help_subcommand(true)
        .subcommand(search::command())
        .subcommands(tool::commands())
        .subcommand(snapshot::command())
        .subcommand(with_globals(index::command()))
        .subcommand(with_globals(status::command()))
        .subcommand(check::command())
        .subcommand(review::command())
        .subcommand(test_run::command())
        .subcommand(test_run::changed::command())
        .subcommand(data::command())
        .subcommand(cache::command())
        .subcommand(config::command())
        .subcommand(with_globals(demo::command()))
        .subcommand(flaky::command())
        .subcommand(decisions::command())
        .subcommand(with_globals(mcp::command()))
        .subcommand(with_globals(init::command()))
        .subcommand(with_globals(doctor::command()))
        .subcommand(eval::command())
        .subcommand(with_globals(drift::command()))
        .subcommand(with_globals(pick::command()))
        .subcommand(with_globals(
            Command::new("completions")
                .about("Print a completion script for a shell")
                .arg(
                    Arg::new("shell")
                        .required_unless_present("keys")
                        .value_parser(value_parser!(Shell)),
                )
                .arg(
                    Arg::new("keys")
                        .long("keys")
                        .value_name("SHELL")
                        .conflicts_with("shell")
                        .value_parser(pick::keys::shells().collect::<Vec<_>>())
                        .help(
                            "Print key bindings instead, which insert the result of `codedb pick`",
                        ),
                ),
        ))
        .subcommand(with_globals(
            Command::new("man")
                .about("Print the manual page, as roff")
                .arg(Arg::new("command").help("The command to describe (default: all of codedb)")),
        ));
    #[cfg(feature = "serve")]
    let tree = tree.subcommand(with_globals(serve::command()));
    #[cfg(feature = "ui")]
    let tree = tree.subcommand(with_globals(ui::command()));
    #[cfg(feature = "fleet")]
    let tree = tree.subcommand(with_globals(fleet::command()));
    tree.mut_subcommands(short_help::of)
}

/// Adds the global flags that a command does not define, hidden from its help.
fn with_globals(command: Command) -> Command {
    let has = |arg: &Arg| command.get_arguments().any(|other| other.get_id() == arg.get_id());
    let globals = index::place_args().into_iter().chain([tool::fresh_arg()]);
    let missing: Vec<Arg> = globals.filter(|arg| !has(arg)).map(|arg| arg.hide(true)).collect();
    command.args(missing)
}

/// Returns true if the words after `codedb` are a command line that clap accepts.
#[cfg(test)]
pub(super) fn accepts(words: &[String]) -> bool {
    let words = std::iter::once("codedb".to_owned()).chain(words.iter().cloned());
    tree().try_get_matches_from(words).is_ok()
}

/// Returns the names of all commands that the contents list.
pub(super) fn names() -> Vec<String> {
    let tree = tree();
    let listed = tree.get_subcommands().filter(|command| !command.is_hide_set());
    listed.map(|command| command.get_name().to_owned()).collect()
}

/// Returns true if a command has a flag with this long name.
#[cfg(test)]
pub(super) fn has_flag(name: &str, flag: &str) -> bool {
    let mut tree = tree();
    tree.build();
    let command = tree.find_subcommand(name);
    command.is_some_and(|command| {
        let all = std::iter::once(command).chain(command.get_subcommands());
        let mut flags = all.flat_map(Command::get_arguments);
        flags.any(|arg| {
            arg.get_long_and_visible_aliases().is_some_and(|names| names.contains(&flag))
        })
    })
}

/// Runs any command except `search`.
///
/// # Errors
///
/// On invalid arguments, those of the command, and if the output cannot be written.
pub(super) fn run(args: Vec<OsString>) -> Result<ExitCode> {
    let words = std::iter::once(OsString::from("codedb")).chain(args.iter().cloned());
    let tree_of_call = short_help::without_rare_commands(tree(), &args);
    let matches = match tree_of_call.try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(err) if err.kind() == clap::error::ErrorKind::InvalidUtf8 => {
            return Err(not_utf8(&args));
        }
        Err(err) => {
            let failed = report_clap(&err).map_err(|error| match tool::hint(&args) {
                Some(hint) => error.with_hint(hint),
                None => error,
            });
            if let Err(error) = &failed
                && tool::wants_json(&args)
            {
                tool::print_failure(error)?;
            }
            return failed;
        }
    };
    match matches.subcommand() {
        Some(("index", matches)) => index::run(matches),
        Some(("snapshot", matches)) => snapshot::run(matches),
        Some(("status", matches)) => status::run(matches),
        Some(("check", matches)) => check::run(matches),
        Some(("review", matches)) => review::run(matches),
        Some(("run", matches)) => test_run::run(matches),
        Some(("test", matches)) => test_run::changed::run(matches),
        Some(("data", matches)) => data::run(matches),
        Some(("cache", matches)) => cache::run(matches),
        #[cfg(feature = "fleet")]
        Some(("fleet", matches)) => fleet::run(matches),
        Some(("config", matches)) => config::run(matches),
        Some(("demo", matches)) => demo::run(matches),
        Some(("flaky", matches)) => flaky::run(matches),
        Some(("decisions", matches)) => decisions::run(matches),
        Some(("mcp", matches)) => mcp::run(matches),
        #[cfg(feature = "serve")]
        Some(("serve", matches)) => serve::run(matches),
        #[cfg(feature = "ui")]
        Some(("ui", matches)) => ui::run(matches),
        Some(("init", matches)) => init::run(matches),
        Some(("doctor", matches)) => doctor::run(matches),
        Some(("eval", matches)) => eval::run(matches),
        Some(("drift", matches)) => drift::run(matches),
        Some(("pick", matches)) => pick::run(matches),
        Some(("completions", matches)) => {
            if let Some(shell) = matches.get_one::<String>("keys") {
                let script = pick::keys::script(shell).unwrap_or_default();
                return print(|out| out.write_all(script.as_bytes()));
            }
            let shell = *matches.get_one::<Shell>("shell").expect("clap requires it");
            print(|out| {
                clap_complete::generate(shell, &mut tree(), "codedb", out);
                Ok(())
            })
        }
        Some(("man", matches)) => man(matches.get_one::<String>("command")),
        other => {
            let (name, matches) = other.unwrap_or(("", &matches));
            if let Some(tool) = tool::find(name) {
                return tool::run(tool, matches);
            }
            Err(unknown(name))
        }
    }
}

fn man(name: Option<&String>) -> Result<ExitCode> {
    let mut tree = tree();
    tree.build();
    let command = match name {
        None => tree,
        Some(name) => match tree.find_subcommand(name) {
            Some(command) => command.clone(),
            None => return Err(unknown(name)),
        },
    };
    print(|out| clap_mangen::Man::new(command).render(out))
}

/// Prints the output of `write` after it is complete.
///
/// # Errors
///
/// If it cannot be written; a closed pipe is no error.
pub(super) fn print(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Result<ExitCode> {
    let mut text = Vec::new();
    let written = write(&mut text).and_then(|()| std::io::stdout().lock().write_all(&text));
    let written = written.and_then(|()| std::io::stdout().flush());
    printed(written)
}

/// Returns success if the output was written or its reader has closed the pipe.
fn printed(written: std::io::Result<()>) -> Result<ExitCode> {
    match written {
        Err(err) if err.kind() != ErrorKind::BrokenPipe => {
            Err(Error::new(Kind::Io, format!("standard output: {err}")))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Returns the error about an argument that is not UTF-8, such as a file name.
fn not_utf8(args: &[OsString]) -> Error {
    // The last one: the values of `--root` and `--index-dir` need not be UTF-8, and precede it.
    let arg = args.iter().rev().find(|arg| arg.to_str().is_none());
    Error::usage(format!("{:?} is not UTF-8", arg.map(OsString::as_os_str).unwrap_or_default()))
        .with_hint("this command takes only UTF-8; `codedb search` takes paths in any encoding")
}

/// Returns the error about an unknown command, with similar ones.
fn unknown(name: &str) -> Error {
    let tree = tree();
    let names = tree.get_subcommands().map(|command| command.get_name().to_owned());
    let names: Vec<String> = names.chain(spellings::words().map(str::to_owned)).collect();
    let similar: Vec<String> = similar::nearest(name, names.iter().map(String::as_str))
        .iter()
        .map(|name| format!("`{name}`"))
        .collect();
    let hint = if similar.is_empty() {
        format!("`codedb search {name}` searches for this text")
    } else {
        format!("did you mean {}?", similar.join(", "))
    };
    Error::usage(format!("unknown command `{name}`"))
        .with_hint(hint)
        .with_hint("`codedb --help` lists the commands")
}

/// Prints help and versions, which clap returns as errors, and converts errors.
fn report_clap(err: &clap::Error) -> Result<ExitCode> {
    if !err.use_stderr() {
        return printed(err.print().and_then(|()| std::io::stdout().flush()));
    }
    if err.kind() == clap::error::ErrorKind::InvalidSubcommand
        && let Some(ContextValue::String(name)) = err.get(ContextKind::InvalidSubcommand)
    {
        // One of a command, such as `fleet`, is not one of the whole program.
        #[cfg(feature = "fleet")]
        if err.get(ContextKind::Usage).is_some_and(|it| it.to_string().contains("codedb fleet")) {
            return Err(fleet::unknown(name));
        }
        return Err(unknown(name));
    }
    let text = err.render().to_string();
    let text = text.trim_end().trim_start_matches("error: ");
    Err(Error::usage(text))
}
