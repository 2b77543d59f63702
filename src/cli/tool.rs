//! Each tool of the table as a command: its flags are generated from the schema of its arguments,
//! its reply is printed as text, as locations for editors or as JSON.

mod printing;

use std::ffi::OsString;
use std::io::{IsTerminal as _, Read as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::{Instant, SystemTime};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Map, Value};

use super::display::{self, Display};
use super::edits::{allow_edit_arg, allowed_edits};
use super::index::{place_args, print, tree_options};
use super::projects::Indexed;
use super::recording_code::RecordingCode;
use super::screen;
use super::typed_path::{TypedPaths, glob_below};
use super::{first_use, graph, place, settings, spellings, trusted};
use crate::answer::analysis::Failure;
use crate::answer::page::{Block, Cell, Page};
use crate::answer::style::Style as _;
use crate::base::interrupt::Interrupt;
use crate::base::path::to_path;
use crate::catalog::code::Code as _;
use crate::engine::{Check, Engine};
use crate::error::{Error, Result};
pub(super) use printing::print_answer;

use crate::tools::bundle::Bundle;
use crate::tools::command_line::in_flags;
use crate::tools::paths::is_name;
use crate::tools::session::{PATHS, Session};
use crate::tools::unlisted::is_hidden;
use crate::tools::{
    Answer, Call, CommandLine, CurrentDir, Define as _, Effect, Needs, TOOLS, Tool, Toolset,
    UNLISTED,
};

/// The argument that is a glob of paths, which is relative to the current directory as well.
const GLOB: &str = "path_glob";

/// The field of JSON replies from an index that was not checked.
pub(super) const TRUSTED: &str = "\"freshness\":\"trust\",";

/// The arguments that may be read from standard input.
const TEXTS: [&str; 2] = ["task", "diff"];

/// The arguments whose values are passed to the tool unchanged, byte for byte.
const EXACT: [&str; 2] = [PIPED, "old_string"];

/// The positional arguments that are texts of several words, which need no quotes.
const SENTENCES: [&str; 2] = ["task", "query"];

/// The commands whose positional arguments may be texts that begin with a hyphen, such as flags.
const WITH_FLAGS: [&str; 1] = ["trace"];

/// The argument of [`EXACT`] that may be read from standard input.
const PIPED: &str = "content";

/// The maximum size of other arguments from standard input.
const INPUT_BYTES_MAX: u64 = 1 << 20;

/// The maximum size of [`PIPED`] from standard input.
const PIPED_BYTES_MAX: u64 = 64 << 20;

/// Returns the command of each tool.
pub(super) fn commands() -> impl Iterator<Item = Command> {
    tools().map(command)
}

/// Returns the tool of a command.
pub(super) fn find(name: &str) -> Option<&'static Tool> {
    tools().find(|tool| tool.command() == name)
}

fn tools() -> impl Iterator<Item = &'static Tool> {
    let listed = TOOLS.iter().filter(|tool| tool.command_line == CommandLine::Generated);
    listed.chain(UNLISTED)
}

/// Returns the command of a tool.
pub(super) fn command(tool: &'static Tool) -> Command {
    let schema = (tool.schema)();
    let required = |name: &str| is_required(&schema, name);
    let mut command = Command::new(tool.command()).about(tool.summary).long_about(format!(
        "{}.\n\n{}",
        tool.summary,
        tool.description(&|_| true)
    ));
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut args: Vec<Arg> =
        properties.map(|(name, property)| arg(tool, name, property, required(name))).collect();
    args.extend(tool.positional.iter().flat_map(|name| positional_aliases(tool, name)));
    args.extend(negations(&schema));
    // Positional arguments come in their own order.
    args.sort_by_key(|arg| tool.positional.iter().position(|name| arg.get_id() == *name));
    let common = std::iter::empty()
        .chain(tool.has_locations.then(vimgrep_arg))
        .chain(display::args().into_iter().map(|arg| arg.hide_short_help(true)))
        .chain(screen::args().into_iter().map(|arg| arg.hide_short_help(true)))
        .chain([show_secrets_arg().hide_short_help(true)])
        .chain(first_use::args(tool).map(|arg| arg.hide_short_help(true)))
        .chain(edge_args().into_iter().chain(place_args()).map(|arg| arg.hide_short_help(true)));
    if let Some(usage) = usage(tool, &schema) {
        command = command.override_usage(usage);
    }
    command = command
        .args(args)
        .args((tool.effect == Effect::Writes).then(executed_arg))
        .args(format_args(tool))
        .next_help_heading("Common options")
        .args(common)
        .next_help_heading(None::<&str>);
    command.hide(UNLISTED.iter().any(|of| of.name == tool.name))
}

/// Returns the usage of a command with required positional arguments that may be given as flags, too: clap
/// calls these optional.
fn usage(tool: &Tool, schema: &Value) -> Option<String> {
    let has_flags =
        |name: &&str| is_required(schema, name) && alias_names(tool, name).next().is_some();
    if !tool.positional.iter().any(has_flags) {
        return None;
    }
    let shown = tool.positional.iter().map(|name| {
        let value = name.to_uppercase();
        let is_list = schema["properties"][*name]["type"] == "array" || is_sentence(tool, name);
        let dots = if is_list { "..." } else { "" };
        if is_required(schema, name) {
            format!("<{value}>{dots}")
        } else {
            format!("[{value}]{dots}")
        }
    });
    Some(format!("codedb {} [OPTIONS] {}", tool.command(), shown.collect::<Vec<_>>().join(" ")))
}

/// Returns the flags for the form of the reply.
fn format_args(tool: &Tool) -> [Arg; 2] {
    let json =
        Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print the reply as JSON");
    let formats = ["text", screen::FORMAT, "json", "jsonl"].into_iter().chain(graph::FORMATS);
    let format = Arg::new(FORMAT)
        .long("format")
        .value_name("FORMAT")
        .value_parser(formats.collect::<Vec<_>>())
        .conflicts_with("json")
        .hide_possible_values(true)
        .help(if tool.has_graph {
            "`text`, `screen`, `json`, `jsonl`, or a graph: `dot`, `mermaid`"
        } else {
            "`text`, `screen` (for people), `json`, or `jsonl` (a line an entry)"
        });
    [json, format]
}

fn is_required(schema: &Value, name: &str) -> bool {
    schema["required"].as_array().is_some_and(|names| names.iter().any(|other| other == name))
}

/// The budget of a reply that has none.
const TOKENS_UNLIMITED: u64 = 1 << 40;

/// The name of the option for the form of the reply.
const FORMAT: &str = "output-format";

/// Returns the form of the reply: `text`, `screen`, `json`, `jsonl`, or one of [`graph::FORMATS`]. Where
/// none is chosen, it is that for people on a terminal.
fn format(matches: &ArgMatches) -> &str {
    if matches.get_flag("json") {
        return "json";
    }
    let has_vimgrep = matches.try_get_one::<bool>("vimgrep").is_ok_and(|it| it == Some(&true));
    match matches.get_one::<String>(FORMAT) {
        Some(format) => format,
        None if !has_vimgrep && std::io::stdout().is_terminal() => screen::FORMAT,
        None => "text",
    }
}

/// Returns true if the reply is JSON.
fn is_json_reply(matches: &ArgMatches) -> bool {
    matches!(format(matches), "json" | "jsonl")
}

/// Returns true if a command line of a tool, which clap refuses, requests JSON.
pub(super) fn wants_json(args: &[OsString]) -> bool {
    let words = || args.iter().take_while(|arg| *arg != "--").filter_map(|arg| arg.to_str());
    let is_json = |value: &str| matches!(value, "json" | "jsonl");
    let is_next = words().zip(words().skip(1)).any(|(a, b)| a == "--format" && is_json(b));
    let is_one =
        |word: &str| word == "--json" || word.strip_prefix("--format=").is_some_and(is_json);
    words().any(|word| find(word).is_some()) && (is_next || words().any(is_one))
}

/// Returns the hint for a command line, which clap refuses, of a command that takes texts which begin with a
/// hyphen: one that is an option of the command, too, follows `--`.
pub(super) fn hint(args: &[OsString]) -> Option<String> {
    let words: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
    let at = words.iter().position(|word| !word.starts_with('-'))?;
    if !WITH_FLAGS.contains(&words[at]) {
        return None;
    }
    let options = words.iter().take_while(|word| **word != "--");
    let flag = options.filter(|word| word.starts_with('-')).last()?;
    let flag = flag.split('=').next().unwrap_or_default();
    Some(format!("`codedb {} -- {flag}` takes it as a text, not as an option", words[at]))
}

/// The name of the flag that prints secrets.
const SHOW_SECRETS: &str = "show-secrets";

fn show_secrets_arg() -> Arg {
    Arg::new(SHOW_SECRETS)
        .long(SHOW_SECRETS)
        .action(ArgAction::SetTrue)
        .help("Print tokens, private keys and passwords in URLs, instead of `[redacted: …]`")
}

/// Returns the flag that lets a command edit files that other programs execute.
fn executed_arg() -> Arg {
    allow_edit_arg().help(
        "`=all` also edits files that other programs execute, such as CI workflows and tasks of \
         editors",
    )
}

/// The flag that prints locations for editors.
fn vimgrep_arg() -> Arg {
    Arg::new("vimgrep")
        .long("vimgrep")
        .action(ArgAction::SetTrue)
        .conflicts_with("json")
        .help("Print each result as `path:line:column:text`, for editors and fzf")
}

/// Returns the flags of every tool command that are not arguments of the tool.
pub(super) fn edge_args() -> [Arg; 2] {
    let no_background = Arg::new("no-background")
        .long("no-background")
        .action(ArgAction::SetTrue)
        .help("Do not start a background index build if the index is missing or outdated");
    [fresh_arg(), no_background]
}

/// Returns the flag for the check of the index.
pub(super) fn fresh_arg() -> Arg {
    Arg::new("fresh")
        .long("fresh")
        .value_name("HOW")
        .value_parser(["strict", "watch", "trust"])
        .help(
            "How to check the index: `watch` uses a running watcher, else checks every file (the \
             default); `strict` checks every file; `trust` checks nothing",
        )
}

/// Returns the value of [`fresh_arg`].
pub(super) fn check(matches: &ArgMatches) -> Check {
    match matches.get_one::<String>("fresh").map(String::as_str) {
        Some("strict") => Check::Strict,
        Some("trust") => Check::Trust,
        _ => Check::Watcher,
    }
}

fn arg(tool: &Tool, name: &str, property: &Value, required: bool) -> Arg {
    let help = property["description"].as_str().unwrap_or_default().replace('\n', " ");
    let base =
        if name == GLOB { "; with `/`, it is relative to the current directory" } else { "" };
    let mut arg = Arg::new(name.to_owned()).help(help.clone() + base);
    arg = arg.hide(is_hidden(property));
    let is_positional = tool.positional.contains(&name);
    if !is_positional && spellings::is_limit(name) {
        arg = arg.short('n');
    }
    if is_positional {
        arg = arg.value_name(name.to_uppercase());
        let aliases: Vec<&str> = alias_names(tool, name).collect();
        if required && !aliases.is_empty() && property["type"] != "array" {
            arg = arg.required_unless_present_any(aliases);
        } else {
            arg = arg.required(required);
        }
    } else {
        arg = arg.long(name.replace('_', "-")).required(required);
        let aliases = alias_names(tool, name).map(|alias| alias.replace('_', "-"));
        arg = arg.aliases(aliases.collect::<Vec<_>>());
    }
    if (TEXTS.contains(&name) || EXACT.contains(&name)) && !is_positional {
        // Diffs and code may begin with a hyphen.
        arg = arg.allow_hyphen_values(true);
    }
    if is_positional && WITH_FLAGS.contains(&tool.command().as_str()) {
        arg = arg.allow_hyphen_values(true);
    }
    if PATHS.contains(&name) {
        arg = arg.value_hint(clap::ValueHint::AnyPath);
    }
    match property["type"].as_str() {
        // A required one has no default: the caller decides explicitly.
        Some("boolean") if required || is_on_by_default(property) => {
            return arg.value_parser(value_parser!(bool)).value_name("BOOL");
        }
        // One without a default is on, off, or not set; [`negations`] has the short form of off.
        Some("boolean") if is_tristate(property) => {
            let arg = arg.value_parser(value_parser!(bool)).value_name("BOOL");
            let arg = arg.num_args(0..=1).require_equals(true).default_missing_value("true");
            return arg.hide_possible_values(true);
        }
        Some("boolean") => return arg.action(ArgAction::SetTrue),
        Some("integer") => arg = arg.value_parser(value_parser!(u64)),
        Some("array") if !is_json(property) => arg = arg.action(ArgAction::Append),
        _ => {}
    }
    if let Some(choices) = property["enum"].as_array() {
        let choices: Vec<String> =
            choices.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let is_named = |choice: &String| help.contains(&format!("`{choice}`"));
        arg = arg.hide_possible_values(choices.iter().all(is_named)).value_parser(choices);
    }
    let value = if property["type"] == "integer" { "N" } else { "TEXT" };
    if is_json(property) {
        arg = arg.value_name("JSON");
    }
    if is_sentence(tool, name) {
        arg = arg.action(ArgAction::Append).num_args(1..);
    }
    if is_positional { arg } else { arg.value_name(value) }
}

/// Returns true for a positional argument that may have several words.
fn is_sentence(tool: &Tool, name: &str) -> bool {
    SENTENCES.contains(&name) && tool.positional.last().is_some_and(|last| *last == name)
}

/// Returns the flags by which a positional argument may be given, too: its aliases, so that a call
/// of the tool can be typed as it is written for a server. They are not listed in the help.
fn positional_aliases(tool: &'static Tool, name: &str) -> Vec<Arg> {
    let schema = (tool.schema)();
    let kind = schema["properties"][name]["type"].as_str().unwrap_or_default();
    let flag = |id: String, long: &str| {
        let flag = Arg::new(id).long(long.replace('_', "-")).hide(true);
        let flag = flag.value_name("TEXT").conflicts_with(name.to_owned());
        if kind == "integer" { flag.value_parser(value_parser!(u64)) } else { flag }
    };
    if kind == "array" {
        return Vec::new();
    }
    let own = (!is_required(&schema, name)).then(|| flag(flag_of(name), name));
    let own = own.map(|own| if spellings::is_limit(name) { own.short('n') } else { own });
    alias_names(tool, name).map(|alias| flag(alias.to_owned(), alias)).chain(own).collect()
}

/// Returns the id of the flag by which a positional argument may be given.
fn flag_of(name: &str) -> String {
    format!("--{name}")
}

/// Returns other names of an argument with the same values: those that the tool takes, and those that
/// people try, without names that two of its arguments could have.
fn alias_names<'a>(tool: &'a Tool, name: &'a str) -> impl Iterator<Item = &'static str> + 'a {
    let aliases = tool.aliases.iter().filter(move |alias| alias.canonical == name);
    let own = aliases.filter(|alias| alias.convert.is_none()).map(|alias| alias.name);
    let own: Vec<&'static str> = own.collect();
    let schema = (tool.schema)();
    let names: Vec<String> = match schema["properties"].as_object() {
        Some(properties) => properties.keys().cloned().collect(),
        None => Vec::new(),
    };
    let is_own = |other: &str| {
        names.iter().any(|name| name == other) || tool.aliases.iter().any(|it| it.name == other)
    };
    let others = spellings::of_argument(name, is_own);
    let is_first = |other: &&str| {
        let first = names.iter().find(|name| spellings::of_argument(name, is_own).contains(other));
        first.is_some_and(|first| first == name)
    };
    // What must be given is shown as such, and has no other form.
    let is_shown = tool.positional.contains(&name) && is_required(&schema, name) && own.is_empty();
    let others: Vec<&'static str> =
        others.into_iter().filter(|other| !is_shown && is_first(other)).collect();
    own.into_iter().chain(others)
}

/// Returns true for a switch that is on unless it is set to `false`.
fn is_on_by_default(property: &Value) -> bool {
    property["description"].as_str().is_some_and(|text| text.ends_with("(default true)"))
}

/// Returns true for a switch that is on, off or not set.
fn is_tristate(property: &Value) -> bool {
    let is_switch = property["type"] == "boolean" && property.get("default").is_none();
    is_switch && !is_on_by_default(property)
}

/// Returns the flags that set a switch of three states off, such as `--no-body` for `--body=false`. The help
/// does not list them.
fn negations(schema: &Value) -> Vec<Arg> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let tristate =
        properties.filter(|(name, property)| is_tristate(property) && !is_required(schema, name));
    let off = tristate.map(|(name, _)| {
        let off = Arg::new(off(name)).long(off(name)).action(ArgAction::SetTrue).hide(true);
        off.conflicts_with(name.clone())
    });
    off.collect()
}

/// Returns the name of the flag that sets a switch off.
fn off(name: &str) -> String {
    format!("no-{}", name.replace('_', "-"))
}

/// Returns true for an argument that is a list of objects, which is JSON on the command line.
fn is_json(property: &Value) -> bool {
    property["type"] == "array" && property["items"]["type"] == "object"
}

/// Returns the value of an argument; for `-`, standard input.
fn value_or_input(value: &str) -> Result<String> {
    if value != "-" {
        return Ok(value.to_owned());
    }
    let mut bytes = Vec::new();
    let mut input = std::io::stdin().lock().take(INPUT_BYTES_MAX);
    input.read_to_end(&mut bytes).map_err(|error| Error::io(Path::new("-"), error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the value of an argument; for `-`, all of standard input, byte for byte.
fn value_or_whole_input(name: &str, value: &str) -> Result<String> {
    if value != "-" {
        return Ok(value.to_owned());
    }
    let mut bytes = Vec::new();
    let mut input = std::io::stdin().lock().take(PIPED_BYTES_MAX + 1);
    input.read_to_end(&mut bytes).map_err(|error| Error::io(Path::new("-"), error))?;
    let invalid = |what: &str| Error::usage(format!("`{name}` from standard input {what}"));
    match String::from_utf8(bytes) {
        Ok(text) if text.len() as u64 <= PIPED_BYTES_MAX => Ok(text),
        Ok(_) => Err(invalid("is larger than 64 MiB")),
        Err(_) => Err(invalid("is not UTF-8")),
    }
}

/// Parses an argument that is JSON; `-` reads it from standard input.
fn json(name: &str, value: &str) -> Result<Value> {
    serde_json::from_str(&value_or_input(value)?).map_err(|error| {
        Error::usage(format!("`{name}` is not JSON: {error}"))
            .with_hint("quote it for the shell, or pass it on standard input with `-`")
    })
}

/// Returns the present time in nanoseconds since 1970.
pub(super) fn now_ns() -> i64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_nanos()).unwrap_or(i64::MAX)
}

/// Returns the present time in milliseconds since 1970.
pub(super) fn now_ms() -> i64 {
    now_ns() / 1_000_000
}

/// The files that a command is limited to beyond the arguments of its tool.
pub(super) struct Scope {
    /// Paths as typed, of which the tree is the one that contains them.
    pub(super) paths: Vec<String>,
    /// Returns true for the absolute path of a file in it.
    pub(super) is_wanted: Box<dyn Fn(&Path) -> bool + Sync>,
}

/// Runs the tool and prints its reply; with `--json`, a failure is data on standard output, too.
pub(super) fn run(tool: &Tool, matches: &ArgMatches) -> Result<ExitCode> {
    run_within(tool, matches, None)
}

/// Runs the tool as [`run`] does, in a part of the tree.
pub(super) fn run_within(
    tool: &Tool,
    matches: &ArgMatches,
    scope: Option<&Scope>,
) -> Result<ExitCode> {
    let result = answered(tool, matches, scope);
    if let Err(error) = &result
        && is_json_reply(matches)
        && !error.is_broken_pipe()
    {
        print_failure(error)?;
    }
    result
}

/// Prints a failure as a line of JSON.
pub(super) fn print_failure(error: &Error) -> Result<()> {
    let hints = error.hints().iter().map(|hint| crate::tools::command_hint(hint));
    let hints: Vec<String> = hints.filter(|hint| !hint.is_empty()).collect();
    let failure = Failure::new(error, &hints);
    let json = serde_json::to_string(&failure).expect("strings and lists are JSON");
    print(&(super::terminal::escaped_json(&json) + "\n"))
}

fn answered(tool: &Tool, matches: &ArgMatches, scope: Option<&Scope>) -> Result<ExitCode> {
    let format = format(matches);
    graph::check(tool, format)?;
    let options = tree_options(matches);
    let shows_secrets = matches.get_flag(SHOW_SECRETS);
    let typed = scope.map(|scope| scope.paths.clone()).into_iter().flatten();
    let typed: Vec<String> = typed.chain(paths(tool, matches)).collect();
    let engine = place::engine_holding(&options, &typed)?;
    let engine = if shows_secrets { engine.showing_secrets() } else { engine };
    let edits = (tool.effect == Effect::Writes).then(|| allowed_edits(matches)).flatten();
    let engine = engine.editing(edits.unwrap_or_default());
    let check = check(matches);
    let now_ns = now_ns();
    let indexed = Indexed::new(place::cache(&options)?, &engine);
    let typed_paths = TypedPaths::new(engine.root(), options.root.is_some());
    let display = Display::new(engine.root(), matches);
    let mut args = arguments(tool, matches, &typed_paths)?;
    if let Some(current) = display.current_directory().filter(|path| !path.is_empty()) {
        start_in(&current, tool, &mut args);
    }
    take_directory(&engine, tool, &mut args);
    if format == screen::FORMAT {
        take_limit(tool, settings::defaults().limit, &mut args);
    }
    // By their budgets, `context` and `tree` choose what is worth showing; others only cut their lists.
    let is_cut_by_budget = tool.is_of(Toolset::History) || tool.name == Bundle::NAME;
    if format == screen::FORMAT && is_cut_by_budget && takes(tool, "max_tokens") {
        // People have no budget of tokens.
        args.entry("max_tokens").or_insert(TOKENS_UNLIMITED.into());
    }
    take_functions(tool, matches, &mut args);
    let draws_graph = graph::FORMATS.contains(&format);
    if draws_graph && takes(tool, "max_tokens") {
        // Nor has a drawing.
        args.entry("max_tokens").or_insert(TOKENS_UNLIMITED.into());
    }
    let args = Value::Object(args);
    let first_use = first_use::wait(tool, matches, &engine);
    let until = OnceLock::new();
    let is_due = || until.get().is_some_and(|until| Instant::now() >= *until);
    let recording = RecordingCode::new(&engine, check).interrupted_by(Interrupt::new(&is_due));
    if let Some(parsing_max) = first_use.parsing_max() {
        // The limit is for parsing: an interrupt of the walk would be an error. That of the walk
        // itself is reported by the tool.
        drop(recording.files());
        until.get_or_init(|| Instant::now() + parsing_max);
    }
    let recording = if tool.effect == Effect::Writes { recording.writable() } else { recording };
    let answer = recording.run(matches.get_flag("no-background"), |code| {
        let session = (tool.needs == Needs::Session).then_some(&indexed as &dyn Session);
        let is_wanted = |path: &[u8]| {
            scope.is_none_or(|scope| (scope.is_wanted)(&code.root().join(to_path(path))))
        };
        let is_wanted = scope.is_some().then_some(&is_wanted as &(dyn Fn(&[u8]) -> bool + Sync));
        let call =
            Call { session, shows_secrets, draws_graph, is_wanted, ..Call::new(code, now_ns) };
        tool.run(&call, args.clone())
    });
    let answer =
        answer.map_err(|error| error.map_paths(|path| display.relative(path).into_owned()))?;
    let is_trusted = trusted::warn(&engine, check);
    print_answer(tool, matches, answer.as_ref(), &args, &display, is_trusted)
}

/// Returns true if the tool has an argument.
fn takes(tool: &Tool, name: &str) -> bool {
    tool.arguments()["properties"].get(name).is_some()
}

/// Returns the page of an answer, if it has one, with its notices, and with flags instead of the names of
/// arguments.
pub(super) fn page(tool: &Tool, answer: &dyn Answer) -> Option<Page> {
    let mut page = answer.page()?;
    for block in &mut page.blocks {
        match block {
            Block::Line(cells) => {
                for cell in cells {
                    if let Cell::Text(text) | Cell::Faint(text) = cell {
                        *text = in_flags(tool, text);
                    }
                }
            }
            Block::Note(text) => *text = in_flags(tool, text),
            _ => {}
        }
    }
    let notices = answer.notices().into_iter();
    page.blocks.extend(notices.map(Block::Note));
    Some(page)
}

/// Converts the arguments of the command line to those of the tool.
pub(super) fn arguments(
    tool: &Tool,
    matches: &ArgMatches,
    typed_paths: &TypedPaths<'_>,
) -> Result<Map<String, Value>> {
    let schema = (tool.schema)();
    let mut args = Map::new();
    let creates_file = tool.effect == Effect::Writes
        && matches.get_one::<String>("op").is_some_and(|op| op == "create");
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let convert = |value: &String| {
            let is_path = PATHS.contains(&name.as_str());
            Value::String(match name.as_str() {
                _ if is_path && creates_file => typed_paths.resolve_new(value),
                _ if is_path => typed_paths.resolve(value),
                GLOB => typed_paths.resolve_glob(value),
                _ => value.clone(),
            })
        };
        let typed = || {
            let by_alias = || flags(tool, name).find_map(|alias| matches.get_one::<String>(&alias));
            if is_sentence(tool, name) {
                let words = matches.get_many::<String>(name);
                let words = words.map(|words| words.map(String::as_str).collect::<Vec<_>>());
                return words.map(|words| words.join(" ")).or_else(|| by_alias().cloned());
            }
            matches.get_one::<String>(name).or_else(by_alias).cloned()
        };
        let value = match property["type"].as_str() {
            Some("boolean") => {
                let is_off = matches.try_get_one::<bool>(&off(name)).ok().flatten() == Some(&true);
                let typed = matches.get_one::<bool>(name).copied().or(is_off.then_some(false));
                let has_default = property.get("default").is_some();
                let may_be_off =
                    !has_default || is_on_by_default(property) || is_required(&schema, name);
                typed.filter(|&on| on || may_be_off).map(Value::Bool)
            }
            Some("integer") => {
                let by_alias =
                    || flags(tool, name).find_map(|alias| matches.get_one::<u64>(&alias));
                let number = matches.get_one::<u64>(name).or_else(by_alias);
                number.map(|&number| Value::from(number))
            }
            Some("array") if is_json(property) => {
                let typed = matches.get_one::<String>(name);
                typed.map(|typed| json(name, typed)).transpose()?
            }
            Some("array") => matches.get_many::<String>(name).map(|values| {
                let is_path = PATHS.contains(&name.as_str());
                let each = |value: &String| {
                    if is_path && !value.starts_with('[') {
                        vec![value.clone()]
                    } else {
                        spellings::list(value)
                    }
                };
                Value::Array(values.flat_map(each).map(|value| convert(&value)).collect())
            }),
            _ if TEXTS.contains(&name.as_str()) => {
                typed().map(|typed| value_or_input(&typed).map(Value::String)).transpose()?
            }
            _ if name == PIPED => {
                let whole = typed().map(|typed| value_or_whole_input(name, &typed));
                whole.transpose()?.map(Value::String)
            }
            _ => typed().map(|typed| convert(&typed)),
        };
        args.extend(value.map(|value| (name.clone(), value)));
    }
    Ok(args)
}

/// Returns the paths among the arguments, as typed.
fn paths(tool: &Tool, matches: &ArgMatches) -> Vec<String> {
    let schema = (tool.schema)();
    let names = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name);
    let names = names.filter(|name| PATHS.contains(&name.as_str()) || *name == GLOB);
    let ids = names.flat_map(|name| std::iter::once(name.clone()).chain(flags(tool, name)));
    let typed = |id: String| {
        let values = matches.try_get_many::<String>(&id).ok().flatten();
        values.into_iter().flatten().cloned().collect::<Vec<_>>()
    };
    ids.flat_map(typed).collect()
}

/// Makes a file that is a directory the directory of a tool that takes both.
fn take_directory(engine: &Engine, tool: &Tool, args: &mut Map<String, Value>) {
    let path = args.get("file_path").and_then(Value::as_str);
    let is_directory = path.is_some_and(|path| engine.root().join(path).is_dir());
    if is_directory && takes(tool, "directory") && !args.contains_key("directory") {
        let path = args.remove("file_path").unwrap_or_default();
        args.insert("directory".to_owned(), path);
    }
}

/// Sets the limit of a list where none is given.
fn take_limit(tool: &Tool, limit: Option<u64>, args: &mut Map<String, Value>) {
    let schema = (tool.schema)();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut names = properties.map(|(name, _)| name).filter(|name| spellings::is_limit(name));
    if let (Some(name), Some(limit)) = (names.next(), limit) {
        args.entry(name.clone()).or_insert_with(|| limit.into());
    }
}

/// Makes names where files are expected the functions of a tool that takes both: `impact Price::of`.
fn take_functions(tool: &Tool, matches: &ArgMatches, args: &mut Map<String, Value>) {
    let schema = (tool.schema)();
    let Some(name) = tool.positional.first().filter(|name| PATHS.contains(*name)) else { return };
    if schema["properties"].get("functions").is_none() || args.contains_key("functions") {
        return;
    }
    let is_name = |typed: &&String| is_name(typed.as_str()) && !Path::new(typed.as_str()).exists();
    let typed: Vec<&String> = matches.get_many(name).into_iter().flatten().collect();
    if !typed.is_empty() && typed.iter().all(is_name) {
        args.remove(*name);
        args.insert("functions".to_owned(), typed.into_iter().cloned().collect());
    }
}

/// Returns the ids of the flags by which a positional argument may be given.
fn flags<'a>(tool: &'a Tool, name: &'a str) -> impl Iterator<Item = String> + 'a {
    let is_positional = tool.positional.contains(&name);
    let own = (!is_required(&(tool.schema)(), name)).then(|| flag_of(name));
    let aliases = alias_names(tool, name).map(str::to_owned).chain(own);
    aliases.filter(move |_| is_positional)
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
