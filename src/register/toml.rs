//! Adds and removes the table of the server in TOML settings, as text.

use std::ops::Range;

use serde_json::Value as Json;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table};

use super::entry::{self, EntryState};
use super::{Act, Edit, Launch, NAME, Shape, lines};
use crate::error::{Error, Result};

/// The table that contains the servers.
const SERVERS: &str = "mcp_servers";

/// Adds the table at the end of `text`.
pub(super) fn register(text: &str, launch: &Launch) -> Result<Option<Edit>> {
    let before = parse(text)?;
    let block = block(launch);
    let block: Vec<&str> = block.iter().map(String::as_str).collect();
    let Some(found) = found(&before) else {
        let edited = lines::append(text, &block);
        return checked(&before, edited, Act::Adds, Some(launch)).map(Some);
    };
    let place = TableLocation::of(text);
    let (changes, act) = match entry::compare(Shape::CommandAndArgs, &found, launch) {
        EntryState::Same => return Ok(None),
        EntryState::Moved { words } => {
            let place = place.ok_or_else(refused)?;
            let program = Json::from(launch.program.as_str()).to_string();
            let program = (place.command.ok_or_else(refused)?, program);
            let args = entry::replaced(&place.args, words - 1, &launch.args);
            let mut changes: Vec<_> = [program].into_iter().chain(args).collect();
            changes.sort_by_key(|(range, _)| range.start);
            (changes, Act::Moves)
        }
        EntryState::Other => {
            let lines = place.and_then(|place| place.lines).ok_or_else(refused)?;
            let is_ended = text[lines.clone()].ends_with('\n');
            let end = lines::line_end(text);
            let block = block.join(end) + if is_ended { end } else { "" };
            (vec![(lines, block)], Act::Replaces)
        }
    };
    let mut edited = text.to_owned();
    // From the end, so that the ranges stay valid.
    for (range, new) in changes.into_iter().rev() {
        edited.replace_range(range, &new);
    }
    checked(&before, edited, act, Some(launch)).map(Some)
}

/// Removes the table from `text`.
pub(super) fn unregister(text: &str) -> Result<Option<Edit>> {
    let before = parse(text)?;
    if found(&before).is_none() {
        return Ok(None);
    }
    let range = TableLocation::of(text).and_then(|place| place.lines).ok_or_else(refused)?;
    let edited = lines::cut(text, range);
    let act = if edited.is_empty() { Act::RemovesAll } else { Act::Removes };
    checked(&before, edited, act, None).map(Some)
}

fn block(launch: &Launch) -> [String; 3] {
    let args = launch.args.iter().map(String::as_str).chain([entry::SERVE]);
    let args: Vec<String> = args.map(|arg| Json::from(arg).to_string()).collect();
    [
        format!("[{SERVERS}.{NAME}]"),
        format!("command = {}", Json::from(launch.program.as_str())),
        format!("args = [{}]", args.join(", ")),
    ]
}

fn parse(text: &str) -> Result<Table> {
    text.parse::<Table>().map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = text[..text.floor_char_boundary(at)].matches('\n').count() + 1;
        Error::usage(format!("invalid TOML at line {line}: {}", error.message().to_lowercase()))
            .with_hint("the file was not changed; fix the error and run the command again")
    })
}

fn refused() -> Error {
    Error::usage("cannot be edited safely")
        .with_hint(format!("edit the table `{SERVERS}.{NAME}` by hand"))
}

/// Returns true if `text` has the table; false if it cannot be parsed.
pub(super) fn contains(text: &str) -> bool {
    parse(text).is_ok_and(|table| found(&table).is_some())
}

/// Returns the existing entry.
fn found(table: &Table) -> Option<Json> {
    let found = table.get(SERVERS)?.get(NAME)?;
    Some(serde_json::to_value(found).unwrap_or_default())
}

/// The location of the table.
#[derive(Default)]
struct TableLocation {
    /// The value of its `command`.
    command: Option<Range<usize>>,
    /// The elements of its `args`.
    args: Vec<Range<usize>>,
    /// Its lines including the header; `None` if it has no header of its own or is defined in
    /// several places.
    lines: Option<Range<usize>>,
}

impl TableLocation {
    fn of(text: &str) -> Option<TableLocation> {
        let root = DeTable::parse(text).ok()?;
        let servers = member(root.get_ref(), SERVERS)?.1.get_ref().as_table()?;
        let (name, ours) = member(servers, NAME)?;
        let table = ours.get_ref().as_table()?;
        let command = member(table, "command").map(|(_, value)| value.span());
        let args = member(table, "args").and_then(|(_, value)| value.get_ref().as_array());
        let args = args.into_iter().flatten().map(Spanned::span).collect();
        let mut end = name.span().end;
        extend_to_last_item(table, &mut end);
        let lines = lines::whole_lines(text, name.span().start..end);
        let header = text[lines.clone()].trim_start();
        let has_header = header.starts_with('[') && !header.starts_with("[[");
        Some(TableLocation { command, args, lines: has_header.then_some(lines) })
    }
}

fn member<'a, 'i>(
    table: &'a DeTable<'i>,
    name: &str,
) -> Option<(&'a Spanned<std::borrow::Cow<'i, str>>, &'a Spanned<DeValue<'i>>)> {
    table.iter().find(|(key, _)| key.get_ref() == name)
}

/// Extends `end` to the end of the last item of `table`. The parser bounds the depth.
fn extend_to_last_item(table: &DeTable<'_>, end: &mut usize) {
    for (key, value) in table {
        *end = (*end).max(key.span().end);
        match value.get_ref() {
            DeValue::Table(table) => extend_to_last_item(table, end),
            _ => *end = (*end).max(value.span().end),
        }
    }
}

/// Returns the edit if the new text differs from the old one only by the table.
fn checked(before: &Table, edited: String, act: Act, launch: Option<&Launch>) -> Result<Edit> {
    let mut after = parse(&edited).map_err(|_| refused())?;
    let mut before = before.clone();
    let is_wanted = match (found(&after), launch) {
        (Some(found), Some(launch)) => {
            entry::compare(Shape::CommandAndArgs, &found, launch) == EntryState::Same
        }
        (found, None) => found.is_none(),
        (None, Some(_)) => false,
    };
    for table in [&mut before, &mut after] {
        take(table);
    }
    if is_wanted && before == after { Ok(Edit { text: edited, act }) } else { Err(refused()) }
}

/// Removes the table, and the table of servers if it is empty then.
fn take(table: &mut Table) {
    if let Some(servers) = table.get_mut(SERVERS).and_then(toml::Value::as_table_mut) {
        servers.remove(NAME);
        if servers.is_empty() {
            table.remove(SERVERS);
        }
    }
}

#[cfg(test)]
mod tests;
