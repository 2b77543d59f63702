//! `codedb drift`: how a list of MCP tools changed: between two files, or between a file of pinned
//! lists and a server.

mod server;
mod watch;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Value, json};

use self::server::Server;
use super::index::print;
use super::init::files::SettingsFile;
use super::report;
use crate::drift::pin::Pins;
use crate::drift::policy::{Policy, Verdict};
use crate::drift::review::{self, Review};
use crate::drift::{list, suspicious};
use crate::error::{Error, Kind, Result};
use crate::mcp::client::Listed;
use crate::source::input_file;

/// The default path of the file of pinned lists, in the current directory.
const FILE: &str = "codedb-tools.lock.json";

/// The maximum size of a file with a tool list in bytes.
const LIST_BYTES_MAX: u64 = 64 << 20;

/// The exit code of a refused change.
const REFUSED: u8 = 1;

const AFTER_HELP: &str = "\
Classes: identity, append (new tools at the end), edit (content changed in place), reorder, remove.
Identity and append pass, edit passes with warnings, reorder and remove are refused.

Exit codes: 0 passed, 1 refused, 2 error.";

pub(super) fn command() -> Command {
    let file = |name: &'static str, help: &'static str| {
        let name = Arg::new(name).value_name(name).required(true).help(help);
        name.value_parser(value_parser!(PathBuf))
    };
    Command::new("drift")
        .about("Compare lists of MCP tools: what changed, what it costs, whether it passes")
        .long_about(
            "Compares lists of MCP tools. A change of the list invalidates the prompt cache from the \
             first different byte on, and may change what a tool does with the user's data. \
             docs/drift.md describes the classes, the costs and the limits.",
        )
        .after_help(AFTER_HELP)
        .subcommand_required(true)
        .subcommand(
            Command::new("classify")
                .about("Compare two files with tool lists")
                .arg(file("BEFORE", "The earlier list: an array of tools, or a result of `tools/list`"))
                .arg(file("AFTER", "The later list"))
                .args(policy_args()),
        )
        .subcommand(
            server_command("pin")
                .about("Record the tools of a server as accepted")
                .long_about(
                    "Connects to a server, lists its tools and writes their definitions with digests \
                     into the pin file. If the server is pinned already, the change is reviewed first, \
                     and a refused one is not written.",
                ),
        )
        .subcommand(
            server_command("check")
                .about("Compare the tools of a server with the pinned ones")
                .arg(
                    Arg::new("watch")
                        .long("watch")
                        .action(ArgAction::SetTrue)
                        .help("Stay connected and review every change; Enter connects again"),
                ),
        )
}

fn server_command(name: &'static str) -> Command {
    Command::new(name)
        .arg(Arg::new("name").value_name("NAME").required(true).help("The name in the pin file"))
        .arg(
            Arg::new("url")
                .value_name("URL")
                .help("The address of a server over HTTP (Streamable HTTP)"),
        )
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .num_args(1..)
                .last(true)
                .value_parser(value_parser!(std::ffi::OsString))
                .conflicts_with("url")
                .help("A server over standard input and output: the program and its arguments"),
        )
        .arg(
            Arg::new("file")
                .long("file")
                .value_name("FILE")
                .default_value(FILE)
                .value_parser(value_parser!(PathBuf))
                .help("The pin file, relative to the current directory; only `pin` writes it"),
        )
        .arg(
            Arg::new("timeout")
                .long("timeout")
                .value_name("SECONDS")
                .default_value("60")
                .value_parser(value_parser!(u64).range(1..=3600))
                .help("The time limit for the start of the server and the list"),
        )
        .args(policy_args())
}

fn policy_args() -> [Arg; 3] {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    [
        flag("json", "Print the review as JSON"),
        flag("strict", "Refuse everything but identity"),
        flag("force", "Let every change pass, with warnings").conflicts_with("strict"),
    ]
}

fn policy(matches: &ArgMatches) -> Policy {
    if matches.get_flag("force") {
        Policy::Forced
    } else if matches.get_flag("strict") {
        Policy::Strict
    } else {
        Policy::Default
    }
}

/// Runs the command.
///
/// # Errors
///
/// If a file or a list cannot be read, the server cannot be listed, or the pin file cannot be written.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    match matches.subcommand() {
        Some(("classify", matches)) => classify(matches),
        Some(("pin", matches)) => pin(matches),
        Some(("check", matches)) => check(matches),
        _ => Err(Error::usage("no subcommand").with_hint("`codedb drift --help` lists them")),
    }
}

fn classify(matches: &ArgMatches) -> Result<ExitCode> {
    let list = |name: &str| {
        let path = matches.get_one::<PathBuf>(name).expect("clap requires it");
        list::parse(&text(path)?).map_err(|error| error.with_path(path))
    };
    let review = review::review(&list("BEFORE")?, &list("AFTER")?, policy(matches));
    finish(matches, &review, json!({}))
}

fn check(matches: &ArgMatches) -> Result<ExitCode> {
    let name = name(matches);
    let (_, pins) = pins(matches)?;
    let Some(pin) = pins.get(name) else { return Err(not_pinned(name, &pins)) };
    let server = Server::of(matches)?;
    let pinned = pin.tools();
    let reviewed = |listed: &Listed| {
        let review = review::review(&pinned, &listed.tools, policy(matches));
        let about = about(name, listed);
        let pinned = json!({"pinned": {"name": pin.server, "version": pin.version}});
        finish(matches, &review, merged(about, pinned)).map(|code| (code, review.is_refused()))
    };
    if matches.get_flag("watch") {
        return watch::run(&server, &mut |listed| reviewed(listed).map(|(_, refused)| refused));
    }
    reviewed(&server.list()?).map(|(code, _)| code)
}

/// Returns what JSON says about a server.
fn about(name: &str, listed: &Listed) -> Value {
    let Listed { server, version, protocol, noise, .. } = listed;
    let mut about = json!({
        "name": name,
        "server": {"name": server, "version": version, "protocol": protocol},
    });
    if let Some(noise) = noise {
        about["skipped_line"] = noise.as_str().into();
    }
    about
}

fn pin(matches: &ArgMatches) -> Result<ExitCode> {
    let name = name(matches);
    // Before the server is started: a file that cannot be read is reported at once.
    let (file, mut pins) = pins(matches)?;
    let listed = Server::of(matches)?.list()?;
    let about = about(name, &listed);
    let Listed { server, version, tools, .. } = listed;
    let review = pins.get(name).map(|pin| review::review(&pin.tools(), &tools, policy(matches)));
    let is_refused = review.as_ref().is_some_and(Review::is_refused);
    if !is_refused {
        pins.set(name, &server, &version, &tools);
        file.write(&pins.to_text())?;
    }
    if let Some(review) = review {
        let code = finish(matches, &review, about)?;
        report::print_message(format_args!(
            "{} {} in {}",
            if is_refused { "kept the pinned tools of" } else { "pinned the tools of" },
            report::plain(name),
            report::plain(&file.path().display().to_string())
        ));
        return Ok(code);
    }
    let findings = suspicious::scan(&tools);
    if matches.get_flag("json") {
        let about = merged(about, json!({"pinned": tools.len(), "suspicious": findings}));
        print(&format!("{about}\n"))?;
    } else {
        let mut out = String::new();
        review::put_findings(&findings, &mut out);
        print(&out)?;
    }
    report::print_message(format_args!(
        "pinned {} tools of {} in {}",
        tools.len(),
        report::plain(name),
        report::plain(&file.path().display().to_string())
    ));
    Ok(ExitCode::SUCCESS)
}

/// Prints a review, with further members in JSON, and returns the exit code.
fn finish(matches: &ArgMatches, review: &Review, about: Value) -> Result<ExitCode> {
    if matches.get_flag("json") {
        let json = serde_json::to_value(review)
            .map_err(|error| Error::new(Kind::Io, format!("no JSON: {error}")))?;
        print(&format!("{}\n", merged(about, json)))?;
    } else {
        print(&review.text())?;
    }
    if review.decision.verdict == Verdict::Refused && !matches.get_flag("strict") {
        report::print_message("refused; `--force` lets the change pass");
    }
    Ok(ExitCode::from(if review.is_refused() { REFUSED } else { 0 }))
}

/// Returns an object with the members of both.
fn merged(mut first: Value, second: Value) -> Value {
    if let (Value::Object(first), Value::Object(second)) = (&mut first, second) {
        first.extend(second);
    }
    first
}

fn name(matches: &ArgMatches) -> &str {
    matches.get_one::<String>("name").map_or("", String::as_str)
}

/// Reads the pin file; one that does not exist has no pins.
fn pins(matches: &ArgMatches) -> Result<(SettingsFile, Pins)> {
    let path = matches.get_one::<PathBuf>("file").map_or(Path::new(FILE), PathBuf::as_path);
    let path = std::path::absolute(path).map_err(|error| Error::io(path, error))?;
    let file = SettingsFile::read(&path, None)?;
    let pins = Pins::parse(file.text()).map_err(|error| error.with_path(&path))?;
    Ok((file, pins))
}

fn not_pinned(name: &str, pins: &Pins) -> Error {
    let names: Vec<String> =
        pins.names().map(|name| format!("`{}`", report::plain(name))).collect();
    let error = Error::usage(format!("no tools are pinned for `{}`", report::plain(name)));
    if names.is_empty() {
        error.with_hint("`codedb drift pin NAME -- COMMAND` records them")
    } else {
        error.with_hint(format!("pinned: {}", names.join(", ")))
    }
}

/// Reads a file as text.
fn text(path: &Path) -> Result<String> {
    input_file::read_text(path, LIST_BYTES_MAX)
}
