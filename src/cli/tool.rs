//! Every tool of the table as a command: its flags from the schema of its arguments, its answer as
//! text or JSON.

use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::SystemTime;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Map, Value};

use super::display::{self, Display};
use super::index::{asked, place_args, print};
use super::projects::Indexed;
use super::recording_code::RecordingCode;
use super::typed_path::{Folders, glob_below};
use super::{place, report};
use crate::engine::{Check, Engine};
use crate::error::{Error, Result};
use crate::tools::session::Session;
use crate::tools::{Call, CommandLine, CurrentDir, Effect, Needs, TOOLS, Tool};

/// Arguments that are paths: on the command line they are relative to the current directory.
const PATHS: [&str; 3] = ["path", "paths", "exclude"];

/// What stands in every reply that nothing was checked for.
pub(super) const TRUSTED: &str = "\"freshness\":\"trust\",";

/// The arguments of longer texts, which may come from standard input.
const TEXTS: [&str; 2] = ["task", "diff"];

/// The arguments of texts that are taken as they are, byte for byte.
const WRITTEN: [&str; 2] = [PIPED, "old_string"];

/// The one of them that may come from standard input.
const PIPED: &str = "content";

/// Bytes that are read from standard input.
const INPUT_BYTES_MAX: u64 = 1 << 20;

/// Bytes of a text that is written.
const WRITTEN_BYTES_MAX: u64 = 64 << 20;

/// Returns the command of each tool.
pub(super) fn commands() -> impl Iterator<Item = Command> {
    tools().map(command)
}

/// Returns the tool of a command.
pub(super) fn find(name: &str) -> Option<&'static Tool> {
    tools().find(|tool| tool.command() == name)
}

fn tools() -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().filter(|tool| tool.command_line == CommandLine::Generated)
}

fn command(tool: &'static Tool) -> Command {
    let schema = (tool.schema)();
    let required = |name: &str| {
        schema["required"].as_array().is_some_and(|names| names.iter().any(|other| other == name))
    };
    let mut command = Command::new(tool.command())
        .about(tool.summary)
        .long_about(format!("{}.\n\n{}", tool.summary, tool.details));
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut args: Vec<Arg> =
        properties.map(|(name, property)| arg(tool, name, property, required(name))).collect();
    // Positional arguments come in their own order.
    args.sort_by_key(|arg| tool.positional.iter().position(|name| arg.get_id() == *name));
    command = command.args(args);
    command
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Answer in JSON, for programs"),
        )
        .args(tool.has_locations.then(vimgrep_arg))
        .args(display::args())
        .args(edge_args())
        .args(place_args())
}

/// The flag for editors that read places.
fn vimgrep_arg() -> Arg {
    Arg::new("vimgrep")
        .long("vimgrep")
        .action(ArgAction::SetTrue)
        .conflicts_with("json")
        .help("Print each result as `path:line:column:text`, for editors and fzf")
}

/// The flags of every tool that are no arguments of it.
pub(super) fn edge_args() -> [Arg; 2] {
    let no_background = Arg::new("no-background")
        .long("no-background")
        .action(ArgAction::SetTrue)
        .help("Leave no builder behind where the index is missing or far behind");
    [fresh_arg(), no_background]
}

/// The flag that says how far the index is checked.
pub(super) fn fresh_arg() -> Arg {
    Arg::new("fresh")
        .long("fresh")
        .value_name("HOW")
        .value_parser(["strict", "watch", "trust"])
        .help("How far the index is checked: default a watcher's word, else every stamp")
}

/// Returns what [`fresh_arg`] asks for.
pub(super) fn check(matches: &ArgMatches) -> Check {
    match matches.get_one::<String>("fresh").map(String::as_str) {
        Some("strict") => Check::Strict,
        Some("trust") => Check::Trust,
        _ => Check::Watcher,
    }
}

fn arg(tool: &Tool, name: &str, property: &Value, required: bool) -> Arg {
    let help = property["description"].as_str().unwrap_or_default().replace('\n', " ");
    let mut arg = Arg::new(name.to_owned()).help(help);
    let is_positional = tool.positional.contains(&name);
    if is_positional {
        arg = arg.value_name(name.to_uppercase()).required(required);
    } else {
        arg = arg.long(name.replace('_', "-")).required(required);
    }
    if (TEXTS.contains(&name) || WRITTEN.contains(&name)) && !is_positional {
        // Diffs and lines of code begin with such.
        arg = arg.allow_hyphen_values(true);
    }
    if PATHS.contains(&name) {
        arg = arg.value_hint(clap::ValueHint::AnyPath);
    }
    match property["type"].as_str() {
        Some("boolean") => return arg.action(ArgAction::SetTrue),
        Some("integer") => arg = arg.value_parser(value_parser!(u64)),
        Some("array") if !is_json(property) => arg = arg.action(ArgAction::Append),
        _ => {}
    }
    if let Some(choices) = property["enum"].as_array() {
        let choices: Vec<String> =
            choices.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        arg = arg.value_parser(choices);
    }
    let value = if property["type"] == "integer" { "N" } else { "TEXT" };
    if is_json(property) {
        arg = arg.value_name("JSON");
    }
    if is_positional { arg } else { arg.value_name(value) }
}

/// Returns true for an argument of objects, which is one text of JSON on the command line.
fn is_json(property: &Value) -> bool {
    property["type"] == "array" && property["items"]["type"] == "object"
}

/// Returns what was typed; for `-`, standard input.
fn typed_or_input(typed: &str) -> Result<String> {
    if typed != "-" {
        return Ok(typed.to_owned());
    }
    let mut bytes = Vec::new();
    let mut input = std::io::stdin().lock().take(INPUT_BYTES_MAX);
    input.read_to_end(&mut bytes).map_err(|error| Error::io(Path::new("-"), error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns what was typed; for `-`, all of standard input, byte for byte.
fn typed_or_whole_input(name: &str, typed: &str) -> Result<String> {
    if typed != "-" {
        return Ok(typed.to_owned());
    }
    let mut bytes = Vec::new();
    let mut input = std::io::stdin().lock().take(WRITTEN_BYTES_MAX + 1);
    input.read_to_end(&mut bytes).map_err(|error| Error::io(Path::new("-"), error))?;
    let refused = |what: &str| Error::usage(format!("`{name}` from standard input {what}"));
    match String::from_utf8(bytes) {
        Ok(text) if text.len() as u64 <= WRITTEN_BYTES_MAX => Ok(text),
        Ok(_) => Err(refused("has more than 64 MiB")),
        Err(_) => Err(refused("is no UTF-8")),
    }
}

/// Reads an argument that is JSON; `-` stands for standard input.
fn json(name: &str, typed: &str) -> Result<Value> {
    serde_json::from_str(&typed_or_input(typed)?).map_err(|error| {
        Error::usage(format!("`{name}` is no JSON: {error}"))
            .with_hint("quote it for the shell, or pass it on standard input with `-`")
    })
}

/// Returns true if an answer is of the index as it stands, unchecked; tells the reader so.
pub(super) fn is_trusted(engine: &Engine, check: Check) -> bool {
    // Without an index the tree itself is looked at.
    let is_trusted = check == Check::Trust && matches!(engine.snapshot(), Ok(Some(_)));
    if is_trusted {
        report::print_message(
            "not checked against the tree (`--fresh trust`): changes since the index was built may \
             be missing",
        );
    }
    is_trusted
}

/// Asks the tool and prints its answer.
pub(super) fn run(tool: &Tool, matches: &ArgMatches) -> Result<ExitCode> {
    let asked = asked(matches);
    let engine = place::engine(&asked)?;
    let check = check(matches);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let now_ns = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
    let indexed = Indexed::new(place::cache(&asked)?);
    let folders = Folders::new(engine.root(), asked.root.is_some());
    let display = Display::new(engine.root(), matches);
    let mut args = arguments(tool, matches, &folders)?;
    if let Some(current) = display.current_directory().filter(|path| !path.is_empty()) {
        start_in(&current, tool, &mut args);
    }
    let args = Value::Object(args);
    let recording = RecordingCode::new(&engine, check);
    let recording = if tool.effect == Effect::Writes { recording.writable() } else { recording };
    let answer = recording.ask(matches.get_flag("no-background"), |code| {
        let session = (tool.needs == Needs::Session).then_some(&indexed as &dyn Session);
        tool.run(&Call { code, now_ns, session }, args.clone())
    })?;
    let is_trusted = is_trusted(&engine, check);
    for notice in answer.notices() {
        report::print_message(notice);
    }
    if matches.get_flag("json") {
        print(&json_line(&display.json(&answer.json()?), is_trusted))?;
    } else if tool.has_locations && matches.get_flag("vimgrep") {
        print(&display.vimgrep(&answer.locations()))?;
    } else {
        print(&answer.styled(&display))?;
    }
    Ok(ExitCode::from(if answer.is_found() { 0 } else { 1 }))
}

/// Returns a reply, which is a JSON object, as a line that says how far it was checked.
fn json_line(reply: &str, is_trusted: bool) -> String {
    match reply.strip_prefix('{').filter(|_| is_trusted) {
        Some(rest) => format!("{{{TRUSTED}{rest}\n"),
        None => format!("{reply}\n"),
    }
}

/// Returns the arguments as the tool takes them.
fn arguments(
    tool: &Tool,
    matches: &ArgMatches,
    folders: &Folders<'_>,
) -> Result<Map<String, Value>> {
    let schema = (tool.schema)();
    let mut args = Map::new();
    let makes_file = tool.effect == Effect::Writes
        && matches.get_one::<String>("op").is_some_and(|op| op == "create");
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let spell = |value: &String| match PATHS.contains(&name.as_str()) {
            true if makes_file => Value::String(folders.meant_anew(value)),
            true => Value::String(folders.meant(value)),
            false => Value::String(value.clone()),
        };
        let value = match property["type"].as_str() {
            Some("boolean") => matches.get_flag(name).then_some(Value::Bool(true)),
            Some("integer") => matches.get_one::<u64>(name).map(|&number| Value::from(number)),
            Some("array") if is_json(property) => {
                let typed = matches.get_one::<String>(name);
                typed.map(|typed| json(name, typed)).transpose()?
            }
            Some("array") => matches
                .get_many::<String>(name)
                .map(|values| Value::Array(values.map(spell).collect())),
            _ if TEXTS.contains(&name.as_str()) => {
                let typed = matches.get_one::<String>(name);
                typed.map(|typed| typed_or_input(typed).map(Value::String)).transpose()?
            }
            _ if name == PIPED => {
                let typed = matches.get_one::<String>(name);
                let whole = typed.map(|typed| typed_or_whole_input(name, typed));
                whole.transpose()?.map(Value::String)
            }
            _ => matches.get_one::<String>(name).map(spell),
        };
        args.extend(value.map(|value| (name.clone(), value)));
    }
    Ok(args)
}

/// Adds the current directory, a repository path, to the arguments of tools that start there.
fn start_in(current: &str, tool: &Tool, args: &mut Map<String, Value>) {
    match tool.current_dir {
        CurrentDir::Ignored => {}
        CurrentDir::DefaultPath => {
            args.entry("path").or_insert_with(|| current.into());
        }
        CurrentDir::GlobBase => {
            if let Some(Value::String(pattern)) = args.get_mut("pattern") {
                *pattern = glob_below(current, pattern);
            }
        }
    }
}
