//! `codedb search` (or `grep`): ripgrep's flags, semantics and output.
//!
//! `parse` parses the command line into `args`, by the table in `flags`; `request` resolves them;
//! `run` lists the files with `stream`, `targets` or `indexed`, searches each with `worker` and prints in
//! order with `ordered`. clap is not used here: a search often takes less time than clap's start.

mod args;
mod command;
mod config;
mod explain;
mod flags;
pub(super) mod grep;
mod help;
mod indexed;
mod job;
mod matcher;
mod ordered;
mod output;
mod parse;
mod plain;
mod printer;
mod request;
mod run;
mod searcher;
mod stream;
mod structured;
mod targets;
mod walker;
mod worker;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use self::args::{Args, Special};
use self::request::Request;
use super::log_sink;
use super::report::Reporter;
use crate::error::Result;

pub(super) use self::command::command;
pub(super) use self::help::{version_long, version_short};

/// Runs `codedb search` with the arguments after it.
///
/// # Errors
///
/// On invalid arguments. Errors about single files are only reported.
pub(super) fn run(words: Vec<OsString>) -> Result<ExitCode> {
    if structured::is_wanted(&words) {
        return structured::run(&words);
    }
    let mut args = parse::parse(words.iter().cloned())?;
    let mut reporter = start_logging(&args);
    if let Some(special) = args.special {
        return Ok(answer(special));
    }
    if !args.no_config {
        let own = super::settings::defaults().search_args().into_iter().map(OsString::from);
        let configured: Vec<OsString> = own.chain(config::args(&reporter)).collect();
        if !configured.is_empty() {
            let all = configured.iter().cloned().chain(words);
            args = parse::parse(all).map_err(|error| match parse::parse(configured) {
                // The configuration file is at fault: the error names it.
                Err(_) => config::explain(error),
                Ok(_) => error,
            })?;
            reporter = start_logging(&args);
        }
    }
    if let Some(special) = args.special {
        return Ok(answer(special));
    }
    let request = Request::resolve(args)?;
    run::run(&request, &reporter)
}

fn start_logging(args: &Args) -> Reporter {
    log_sink::install(args.logging.level);
    Reporter::new(args.logging.no_messages, args.logging.no_ignore_messages)
}

fn answer(special: Special) -> ExitCode {
    let (text, is_available) = match special {
        Special::HelpShort => (help::short(), true),
        Special::HelpLong => (help::long(), true),
        Special::VersionShort => (version_short(), true),
        Special::VersionLong => (version_long(), true),
        Special::VersionPcre2 => help::version_pcre2(),
    };
    // A closed pipe is not an error.
    drop(std::io::stdout().lock().write_all(text.as_bytes()));
    ExitCode::from(u8::from(!is_available))
}
