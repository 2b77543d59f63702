//! `codedb hook CLIENT`: reminds an agent that searches an indexed tree with grep of codedb's tools,
//! once per session.
//!
//! Agents run it before or after calls of their tools, by the settings that `codedb init --hook`
//! writes. It reads one JSON object from standard input, which may contain anything, and prints one
//! or nothing. The exit code is always 0, because others may block the call. [`searches`] decides
//! what is a search, [`sessions`] stores who was reminded.

mod searches;
mod sessions;
mod shell;

use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use self::searches::Place;
use self::sessions::Session;
use super::init::{installed, surroundings};
use super::place::{self, TreeOptions};
use super::report;
use crate::register::clients::{CLIENTS, Client};

/// The most bytes of standard input that are examined; longer input has no reminder.
const INPUT_BYTES_MAX: u64 = 8 << 20;

/// The most bytes that are read, so that the client can write all of it.
const READ_BYTES_MAX: u64 = 256 << 20;

/// The longest path or session id that counts.
const TEXT_BYTES_MAX: usize = 4096;

/// What the model reads.
const REMINDER: &str = "\
This tree is indexed by codedb (MCP server `codedb`). One call of its tools replaces several of grep and \
read: `codedb_context` first, with the whole task; `codedb_search` shows lines below their functions; \
`codedb_callers` lists who calls a function; `codedb_trace` shows which code runs from A to B, or from A on; \
`codedb_read` takes several `targets`. This reminder comes once per session.";

/// A call of a tool, as the client describes it. Fields with other types are ignored.
#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    session_id: Value,
    #[serde(default)]
    cwd: Value,
    #[serde(default)]
    tool_name: Value,
    #[serde(default)]
    tool_input: Value,
}

/// Runs the hook of the client that is the first of `args`. Prints a reminder or nothing.
pub(super) fn run(args: &[OsString]) {
    if std::io::stdin().is_terminal() {
        report::print_message("agents run this command; `codedb init --hook` registers it");
        return;
    }
    let mut input = Vec::new();
    let mut stdin = std::io::stdin().lock();
    let is_read = stdin.by_ref().take(INPUT_BYTES_MAX).read_to_end(&mut input).is_ok();
    let rest = std::io::copy(&mut stdin.take(READ_BYTES_MAX), &mut std::io::sink());
    if !is_read || rest.is_ok_and(|bytes| bytes > 0) {
        return;
    }
    let id = args.first().and_then(|arg| arg.to_str());
    let client = CLIENTS.iter().find(|client| id == Some(client.id));
    if let Some(output) = client.and_then(|client| reminder(client, &input)) {
        // A client that has gone reads nothing.
        drop(std::io::stdout().lock().write_all(format!("{output}\n").as_bytes()));
    }
}

/// Returns the output for a call of a tool; `None` unless it is the session's first search of an
/// indexed tree.
fn reminder(client: &Client, input: &[u8]) -> Option<Value> {
    let hooks = client.hooks.as_ref()?;
    let event: Event = serde_json::from_slice(input).ok()?;
    let text = |value: &Value| {
        let text = value.as_str().filter(|text| !text.is_empty() && text.len() <= TEXT_BYTES_MAX);
        text.map(str::to_owned)
    };
    let (session, named_dir) = (text(&event.session_id)?, text(&event.cwd)?);
    let options = TreeOptions::default();
    let cache = place::cache(&options).ok()?;
    let session = Session::new(&cache.0, client.id, &session);
    // The cheapest checks are first.
    if session.is_reminded() || !may_search(&event) {
        return None;
    }
    let dir = Path::new(&named_dir).canonicalize().ok().filter(|dir| dir.is_dir())?;
    let root = place::root_around(&cache, &dir)?;
    let place = Place { root: &root, dir: &dir, named_dir: Path::new(&named_dir) };
    let is_wanted = event_searches(&event, place)
        && place::is_indexed(&cache, &root)
        && surroundings::homes()
            .is_ok_and(|homes| installed::has_server(client, &homes, &root, &named_dir));
    (is_wanted && session.mark()).then(|| {
        json!({
            "hookSpecificOutput": {
                "hookEventName": hooks.event.name,
                "additionalContext": REMINDER,
            }
        })
    })
}

/// The kind of a tool of any client.
enum ToolKind {
    /// Runs a command line.
    Shell,
    /// Searches files.
    Search,
}

fn tool_kind(event: &Event) -> Option<ToolKind> {
    match event.tool_name.as_str()? {
        "Bash" | "run_shell_command" => Some(ToolKind::Shell),
        "Grep" | "Glob" | "search_file_content" | "grep_search" | "glob" => Some(ToolKind::Search),
        _ => None,
    }
}

/// Returns the command line of a shell's call; a list of words as one, too.
fn command_line(event: &Event) -> Option<String> {
    match event.tool_input.get("command")? {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            let quoted = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
            words.map(|words| words.into_iter().map(quoted).collect::<Vec<_>>().join(" "))
        }
        _ => None,
    }
}

/// Returns false if the call is certainly no search.
fn may_search(event: &Event) -> bool {
    const PROGRAMS: &[&str] = &["grep", "rg", "ripgrep", "ag", "ack", "fd", "find"];
    match tool_kind(event) {
        None => false,
        Some(ToolKind::Search) => true,
        Some(ToolKind::Shell) => command_line(event)
            .is_some_and(|line| PROGRAMS.iter().any(|program| line.contains(program))),
    }
}

/// Returns true if the call searches the tree.
fn event_searches(event: &Event, place: Place<'_>) -> bool {
    match tool_kind(event) {
        None => false,
        Some(ToolKind::Search) => {
            let path = ["path", "dir_path"].iter().find_map(|name| event.tool_input.get(name));
            match path {
                None | Some(Value::Null) => true,
                Some(path) => path.as_str().is_some_and(|path| place.contains(place.dir, path)),
            }
        }
        Some(ToolKind::Shell) => {
            command_line(event).is_some_and(|line| searches::line_searches(&line, place))
        }
    }
}
