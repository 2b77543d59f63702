//! The command line: the only module that parses flags, prints, and depends on the terminal.
//!
//! [`run`] dispatches by the first argument that is not a flag. `search` has its own parser,
//! because it takes ripgrep's flags and is called most often. All other commands are parsed with
//! clap, in `commands`; those of tools are generated from the tool table, in `tool`.

mod background;
mod cache;
mod check;
mod commands;
mod config;
mod covered;
mod ctrl_c;
mod data;
mod decisions;
mod demo;
mod display;
mod doctor;
mod drift;
mod editor;
mod edits;
mod eval;
mod examples;
mod extractors;
mod first_use;
mod flaky;
#[cfg(feature = "fleet")]
mod fleet;
mod graph;
mod help;
mod hook;
mod hyperlink;
mod index;
mod init;
mod installation;
mod job_worker;
mod listing;
mod log_sink;
mod mcp;
mod parse_worker;
mod pick;
mod place;
mod progress_bar;
mod projects;
mod recording_code;
mod removal;
mod report;
mod review;
mod run;
mod screen;
mod search;
#[cfg(feature = "serve")]
mod serve;
mod settings;
mod short_help;
mod similar;
mod snapshot;
mod spellings;
mod status;
mod terminal;
mod tool;
mod trusted;
mod typed_path;
#[cfg(feature = "ui")]
mod ui;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use crate::engine::JOB_COMMAND;
use crate::parsers;
use crate::register::agent_hook;

/// Runs the command line `args` (without the name of the program) and returns the exit code.
pub fn run(args: Vec<OsString>) -> ExitCode {
    let code = match dispatch(args) {
        Ok(code) => code,
        Err(err) if err.is_broken_pipe() => ExitCode::SUCCESS,
        Err(err) => {
            report::print_error(&err);
            // A name without a definition is an answer: nothing is found.
            ExitCode::from(if err.is_unknown_name() { 1 } else { 2 })
        }
    };
    if code != ExitCode::SUCCESS {
        trusted::warn_at_end();
    }
    code
}

fn dispatch(mut args: Vec<OsString>) -> crate::Result<ExitCode> {
    if args.first().is_some_and(|arg| arg == parsers::pool::COMMAND) {
        return parse_worker::run(&args[1..]);
    }
    if args.first().is_some_and(|arg| arg == JOB_COMMAND) {
        return job_worker::run(&args[1..]);
    }
    if args.first().is_some_and(|arg| arg == agent_hook::COMMAND) {
        hook::run(&args[1..]);
        return Ok(ExitCode::SUCCESS);
    }
    #[cfg(unix)]
    if args.first().is_some_and(|arg| arg == run::processes::GUARD) {
        return run::processes::guard(&args[1..]);
    }
    let Some(at) = command_at(&args) else { return without_command(&args) };
    spellings::expand(&mut args, at);
    if args[at] == help::NAME {
        return match help::page(args.split_off(at + 1), &commands::names())? {
            help::Page::Text(text) => commands::print(|out| out.write_all(text.as_bytes())),
            help::Page::OfCommand(args) => dispatch(args),
        };
    }
    if args[at] != "search" && args[at] != "grep" {
        return commands::run(with_globals_after_command(args, at));
    }
    // Global flags before the command are passed to the search.
    let name = args.remove(at);
    search::run(if name == "grep" { search::grep::translated(args, at) } else { args })
}

/// The global flags that take a value.
const WITH_VALUE: [&str; 6] = ["--root", "--index-dir", "--data-dir", "--fresh", "--threads", "-j"];

/// Returns the index of the command: the first argument that is neither a flag nor the value of a
/// global flag.
fn command_at(args: &[OsString]) -> Option<usize> {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        if WITH_VALUE.iter().any(|flag| arg == flag) {
            at += 2;
        } else if arg.as_encoded_bytes().starts_with(b"-") {
            at += 1;
        } else {
            return Some(at);
        }
    }
    None
}

/// Returns `args` with the global flags that precede the command, which is at `at`, moved behind
/// it. Other flags stay in their place: clap handles or rejects them.
fn with_globals_after_command(args: Vec<OsString>, at: usize) -> Vec<OsString> {
    let (mut before, mut globals) = (Vec::new(), Vec::new());
    let mut args = args.into_iter();
    let mut left = at;
    while left > 0 {
        left -= 1;
        let Some(arg) = args.next() else { break };
        if !is_global(&arg) {
            before.push(arg);
            continue;
        }
        let has_value = WITH_VALUE.iter().any(|flag| arg == *flag);
        globals.push(arg);
        if has_value {
            globals.extend(args.next());
            left = left.saturating_sub(1);
        }
    }
    before.extend(args.next());
    before.append(&mut globals);
    before.extend(args);
    before
}

/// Returns true for a global flag, with or without its value.
fn is_global(arg: &OsString) -> bool {
    let arg = arg.as_encoded_bytes();
    let is_named = |flag: &str| {
        let rest = arg.strip_prefix(flag.as_bytes());
        // The value of a short flag may follow without a separator.
        rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'=' || flag == "-j")
    };
    arg == b"--no-progress" || WITH_VALUE.iter().any(|flag| is_named(flag))
}

fn without_command(args: &[OsString]) -> crate::Result<ExitCode> {
    let has = |names: [&str; 2]| args.iter().any(|arg| names.iter().any(|name| arg == name));
    let (text, code) = if has(["-V", "--version"]) {
        let long = args.iter().any(|arg| arg == "--version");
        (if long { search::version_long() } else { search::version_short() }, 0)
    } else if has(["-h", "--help"]) {
        (help::contents(help::Heading::of_stdout()), 0)
    } else if let Some(arg) = args.first() {
        report::print_message(format_args!("missing command after `{}`", arg.display()));
        report::print_message("usage: `codedb search PATTERN`; `codedb --help` lists all commands");
        return Ok(ExitCode::from(2));
    } else {
        (help::contents(help::Heading::Plain), 2)
    };
    // Requested help is printed to standard output, unrequested help to standard error.
    if code == 0 {
        return commands::print(|out| out.write_all(text.as_bytes()));
    }
    drop(std::io::stderr().lock().write_all(text.as_bytes()));
    Ok(ExitCode::from(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: &str, expected: &str) {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let given = words(given);
        let at = command_at(&given).expect("a command");
        assert_eq!(with_globals_after_command(given, at), words(expected));
    }

    #[test]
    fn global_flags_are_moved_behind_the_command() {
        check("status", "status");
        check("--root a status -j 2", "status --root a -j 2");
        check("--root=a -j2 --no-progress read b", "read --root=a -j2 --no-progress b");
        check("--version --fresh trust ls", "--version ls --fresh trust");
        check("--json ls --root a", "--json ls --root a");
    }
}
