//! Adds and removes the table of the server in TOML settings, as text.

use std::ops::Range;

use serde_json::Value as Json;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table};

use super::entry::{self, EntryState};
use super::{Act, Edit, NAME, Shape, lines};
use crate::error::{Error, Result};

/// The table that contains the servers.
const SERVERS: &str = "mcp_servers";

/// Adds the table at the end of `text`.
pub(super) fn register(text: &str, command: &str) -> Result<Option<Edit>> {
    let before = parse(text)?;
    let block = block(command);
    let block: Vec<&str> = block.iter().map(String::as_str).collect();
    let Some(found) = found(&before) else {
        let edited = lines::append(text, &block);
        return checked(&before, edited, Act::Adds, Some(command)).map(Some);
    };
    let place = TableLocation::of(text);
    let (range, new, act) = match entry::compare(Shape::CommandAndArgs, &found, command) {
        EntryState::Same => return Ok(None),
        EntryState::Moved => {
            let command = Json::from(command).to_string();
            (place.and_then(|place| place.command), command, Act::Moves)
        }
        EntryState::Other => {
            let lines = place.and_then(|place| place.lines);
            let is_ended = lines.as_ref().is_some_and(|lines| text[lines.clone()].ends_with('\n'));
            let end = lines::line_end(text);
            let block = block.join(end) + if is_ended { end } else { "" };
            (lines, block, Act::Replaces)
        }
    };
    let range = range.ok_or_else(refused)?;
    let edited = format!("{}{new}{}", &text[..range.start], &text[range.end..]);
    checked(&before, edited, act, Some(command)).map(Some)
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

fn block(command: &str) -> [String; 3] {
    [
        format!("[{SERVERS}.{NAME}]"),
        format!("command = {}", Json::from(command)),
        format!("args = [\"{}\"]", entry::SERVE),
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
        let mut end = name.span().end;
        extend_to_last_item(table, &mut end);
        let lines = lines::whole_lines(text, name.span().start..end);
        let header = text[lines.clone()].trim_start();
        let has_header = header.starts_with('[') && !header.starts_with("[[");
        Some(TableLocation { command, lines: has_header.then_some(lines) })
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
fn checked(before: &Table, edited: String, act: Act, command: Option<&str>) -> Result<Edit> {
    let mut after = parse(&edited).map_err(|_| refused())?;
    let mut before = before.clone();
    let is_wanted = match (found(&after), command) {
        (Some(found), Some(command)) => {
            entry::compare(Shape::CommandAndArgs, &found, command) == EntryState::Same
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
