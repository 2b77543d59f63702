//! Our entry in settings that are JSON with comments, put in and taken out as text.

mod document;
mod members;
mod written;

use jsonc_parser::ast::{Object, ObjectProp};
use jsonc_parser::common::Ranged;
use serde_json::Value;

use self::document::{Document, unique, value};
use self::members::{Splice, spliced};
use self::written::Written;
use super::entry::{self, Standing};
use super::{Act, Edit, NAME, Shape, lines};
use crate::error::{Error, Result};

/// Puts our entry into the object `container` of `text`.
pub(super) fn register(
    text: &str,
    container: &str,
    shape: Shape,
    command: &str,
) -> Result<Option<Edit>> {
    if text.trim().is_empty() {
        return Ok(Some(Edit { text: fresh("\n", container, shape, command), act: Act::Adds }));
    }
    let document = Document::parse(text)?;
    let entry = Written::map(entry::members(shape, command));
    let Some(root) = document.root()? else {
        // Nothing but comments.
        let block = fresh(lines::line_end(text), container, shape, command);
        let edited = lines::append(text, &block.lines().collect::<Vec<_>>());
        return Ok(Some(Edit { text: edited, act: Act::Adds }));
    };
    let Some(servers) = servers(root, container)? else {
        let entry = Written::Map(vec![(NAME.to_owned(), entry)]);
        let splices = document.inserted(root, container, &entry);
        return checked(text, splices, Act::Adds, container, shape, Some(command)).map(Some);
    };
    let Some(found) = unique(servers, NAME)? else {
        let splices = document.inserted(servers, NAME, &entry);
        return checked(text, splices, Act::Adds, container, shape, Some(command)).map(Some);
    };
    let (splice, act) = match entry::standing(shape, &value(&found.value), command) {
        Standing::Same => return Ok(None),
        Standing::Moved => (program(found, shape, command), Act::Moves),
        Standing::Other => (document.replaced(found, &entry), Act::Replaces),
    };
    checked(text, vec![splice], act, container, shape, Some(command)).map(Some)
}

/// Takes our entry out of the object `container` of `text`.
pub(super) fn unregister(text: &str, container: &str, shape: Shape) -> Result<Option<Edit>> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let document = Document::parse(text)?;
    let Some(root) = document.root()? else { return Ok(None) };
    let Some(servers) = servers(root, container)? else { return Ok(None) };
    let Some(found) = unique(servers, NAME)? else { return Ok(None) };
    let splices = document.removed(servers, found);
    let mut edit = checked(text, splices, Act::Removes, container, shape, None)?;
    let found = value(&found.value);
    if let Some(command) = found["command"].as_str().or(found["command"][0].as_str())
        && text == fresh(lines::line_end(text), container, shape, command)
    {
        edit.act = Act::RemovesAll;
    }
    Ok(Some(edit))
}

/// Returns the object of servers, where there is one.
fn servers<'a, 'b>(root: &'b Object<'a>, container: &str) -> Result<Option<&'b Object<'a>>> {
    let Some(found) = unique(root, container)? else { return Ok(None) };
    found.value.as_object().map(Some).ok_or_else(|| {
        Error::usage(format!("`{container}` is no object"))
            .with_hint(format!("make it one, `\"{container}\": {{}}` will do"))
    })
}

/// Returns the text of settings with our entry and nothing else.
fn fresh(end: &str, container: &str, shape: Shape, command: &str) -> String {
    let entry = Written::map(entry::members(shape, command));
    let servers = Written::Map(vec![(NAME.to_owned(), entry)]);
    let all = Written::Map(vec![(container.to_owned(), servers)]);
    all.lines(end, "  ", "") + end
}

/// Returns the splice that puts another program into the entry `found`.
fn program(found: &ObjectProp<'_>, shape: Shape, command: &str) -> Splice {
    let entry = found.value.as_object();
    let written = entry.and_then(|entry| entry.get("command")).map(|member| &member.value);
    let place = match shape {
        Shape::CommandAndArgs => written,
        Shape::LocalCommand => {
            written.and_then(|written| written.as_array()).and_then(|list| list.elements.first())
        }
    };
    let range = place.expect("an entry that moved has a program").range();
    Splice { range: range.start..range.end, text: Value::from(command).to_string() }
}

/// Returns `text` after `splices`, if it then says what it said before and our entry as wanted.
fn checked(
    text: &str,
    splices: Vec<Splice>,
    act: Act,
    container: &str,
    shape: Shape,
    command: Option<&str>,
) -> Result<Edit> {
    let edited = spliced(text, splices);
    let refused = || {
        Error::usage("is written in a way that codedb does not edit safely")
            .with_hint(format!("change the entry `{NAME}` of `{container}` by hand"))
    };
    let (mut before, mut after) = (Document::parse(text)?.value(), {
        Document::parse(&edited).map_err(|_| refused())?.value()
    });
    let found = take(&mut after, container);
    take(&mut before, container);
    let is_wanted = match command {
        Some(command) => entry::standing(shape, &found, command) == Standing::Same,
        None => found.is_null(),
    };
    match is_wanted && before == after {
        true => Ok(Edit { text: edited, act }),
        false => Err(refused()),
    }
}

/// Takes our entry out of a document's value, and the object of servers if that is all it holds.
fn take(document: &mut Value, container: &str) -> Value {
    let Some(servers) = document.get_mut(container).and_then(Value::as_object_mut) else {
        return Value::Null;
    };
    let found = servers.remove(NAME).unwrap_or(Value::Null);
    if servers.is_empty()
        && let Some(document) = document.as_object_mut()
    {
        document.remove(container);
    }
    found
}

#[cfg(test)]
mod tests;
