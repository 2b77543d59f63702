//! The command line: the only room that prints, parses flags and knows the terminal.
//!
//! [`run`] looks at the first word. `search` has its own parser, since it takes ripgrep's flags and
//! is called most; every other command is clap's, in `commands`, and those of tools are made from their
//! table, in `tool`.

mod background;
mod commands;
mod doctor;
mod index;
mod log_sink;
mod place;
mod report;
mod search;
mod seen;
mod snapshot;
mod status;
mod tool;
mod typed_path;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Runs the command line `args` (without the program's name) and returns the process's exit code.
pub fn run(args: Vec<OsString>) -> ExitCode {
    match dispatch(args) {
        Ok(code) => code,
        Err(err) if err.is_broken_pipe() => ExitCode::SUCCESS,
        Err(err) => {
            report::print_error(&err);
            ExitCode::from(2)
        }
    }
}

fn dispatch(mut args: Vec<OsString>) -> crate::Result<ExitCode> {
    let Some(at) = command_at(&args) else { return Ok(without_command(&args)) };
    if args[at] != "search" && args[at] != "grep" {
        return commands::run(args);
    }
    // Global flags before the command are flags of the search.
    args.remove(at);
    search::run(args)
}

/// Returns the place of the first word that is no global flag or its value.
fn command_at(args: &[OsString]) -> Option<usize> {
    const WITH_VALUE: [&str; 5] = ["--root", "--index-dir", "--fresh", "--threads", "-j"];

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

fn without_command(args: &[OsString]) -> ExitCode {
    let has = |names: [&str; 2]| args.iter().any(|arg| names.iter().any(|name| arg == name));
    let (text, code) = if has(["-V", "--version"]) {
        let long = args.iter().any(|arg| arg == "--version");
        (if long { search::version_long() } else { search::version_short() }, 0)
    } else if has(["-h", "--help"]) {
        (commands::help(), 0)
    } else if let Some(arg) = args.first() {
        report::print_message(format_args!("`{}` needs a command", arg.display()));
        report::print_message("`codedb search PATTERN` searches, `codedb --help` lists the rest");
        return ExitCode::from(2);
    } else {
        (commands::help(), 2)
    };
    // What was asked for goes to standard output, teaching to standard error.
    if code == 0 {
        drop(std::io::stdout().lock().write_all(text.as_bytes()));
    } else {
        drop(std::io::stderr().lock().write_all(text.as_bytes()));
    }
    ExitCode::from(code)
}

/// Returns true if a watcher answers for the tree of `engine`.
fn watching(engine: &crate::engine::Engine) -> bool {
    crate::engine::sync(engine, std::time::Duration::from_millis(200)).is_some()
}
