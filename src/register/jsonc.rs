//! Adds and removes the entry in settings that are JSON with comments, as text.

mod document;
pub(super) mod hooks;
mod members;
mod written;

use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp};
use jsonc_parser::common::Ranged;
use serde_json::Value;

use self::document::{Document, unique, value};
use self::members::{Splice, spliced};
use self::written::Written;
use super::entry::{self, EntryState};
use super::{Act, Edit, Launch, NAME, Shape, lines};
use crate::error::{Error, Result};

/// Adds the entry to the object `container` of `text`.
pub(super) fn register(
    text: &str,
    container: &str,
    shape: Shape,
    launch: &Launch,
) -> Result<Option<Edit>> {
    if text.trim().is_empty() {
        let fresh = fresh(lines::line_end(text), container, shape, launch);
        return Ok(Some(Edit { text: format!("{text}{fresh}"), act: Act::Adds }));
    }
    let document = Document::parse(text)?;
    let entry = Written::map(entry::members(shape, launch));
    let Some(root) = document.root()? else {
        // The text contains only comments.
        let block = fresh(lines::line_end(text), container, shape, launch);
        let edited = lines::append(text, &block.lines().collect::<Vec<_>>());
        return Ok(Some(Edit { text: edited, act: Act::Adds }));
    };
    let Some(servers) = servers(root, container)? else {
        let new = Written::NewServers(NAME, Box::new(entry));
        let splices = document.inserted(root, container, &new);
        return checked(text, splices, Act::Adds, container, shape, Some(launch)).map(Some);
    };
    let Some(found) = unique(servers, NAME)? else {
        let splices = document.inserted(servers, NAME, &entry);
        return checked(text, splices, Act::Adds, container, shape, Some(launch)).map(Some);
    };
    let (splices, act) = match entry::compare(shape, &value(&found.value), launch) {
        EntryState::Same => return Ok(None),
        EntryState::Moved { words } => (relaunched(found, shape, words, launch), Act::Moves),
        EntryState::Other => (vec![document.replaced(found, &entry)], Act::Replaces),
    };
    checked(text, splices, act, container, shape, Some(launch)).map(Some)
}

/// Removes the entry from the object `container` of `text`, together with everything that
/// [`register`] created around it. The result is then byte for byte the text before the
/// registration.
pub(super) fn unregister(text: &str, container: &str, shape: Shape) -> Result<Option<Edit>> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let document = Document::parse(text)?;
    let Some(root) = document.root()? else { return Ok(None) };
    let Some(servers) = servers(root, container)? else { return Ok(None) };
    let Some(found) = unique(servers, NAME)? else { return Ok(None) };
    if let Some(launch) = entry::launch(shape, &value(&found.value)) {
        let is_original = |original: &String| {
            let registered = register(original, container, shape, &launch);
            registered.is_ok_and(|edit| edit.is_some_and(|edit| edit.text == text))
        };
        if let Some(original) = originals(&document, root, container).into_iter().find(is_original)
        {
            let act = if original.is_empty() { Act::RemovesAll } else { Act::Removes };
            return Ok(Some(Edit { text: original, act }));
        }
    }
    let splices = document.removed(servers, found);
    checked(text, splices, Act::Removes, container, shape, None).map(Some)
}

/// Returns true if the object `container` of `text` has an entry; false if it cannot be parsed.
pub(super) fn contains(text: &str, container: &str) -> bool {
    let has_entry = |document: &Document<'_>| {
        let root = document.root().ok().flatten();
        let servers = root.and_then(|root| root.get(container)?.value.as_object());
        servers.is_some_and(|servers| servers.get(NAME).is_some())
    };
    Document::parse(text).is_ok_and(|document| has_entry(&document))
}

/// Returns candidates for the text before [`register`]: texts in which it would have created more
/// than the entry, or added it to an object of servers without members. Registering gives this
/// document for at most one of them.
fn originals(document: &Document<'_>, root: &Object<'_>, container: &str) -> Vec<String> {
    let text = document.text;
    let mut originals = vec![
        // `register` created the root object after blanks or comments.
        text[..root.range.start].to_owned(),
        lines::cut(text, lines::whole_lines(text, root.range.start..root.range.end)),
    ];
    let Ok(Some(member)) = unique(root, container) else { return originals };
    let mut splices = vec![document.removed(root, member)];
    if root.properties.len() == 1 {
        splices.extend(Document::emptied(root, member).map(|splice| vec![splice]));
    }
    if let Some(servers) = member.value.as_object()
        && let [only] = servers.properties.as_slice()
    {
        splices.extend(Document::emptied(servers, only).map(|splice| vec![splice]));
    }
    originals.extend(splices.into_iter().map(|splices| spliced(text, splices)));
    originals
}

/// Returns the object of servers, if there is one.
fn servers<'a, 'b>(root: &'b Object<'a>, container: &str) -> Result<Option<&'b Object<'a>>> {
    let Some(found) = unique(root, container)? else { return Ok(None) };
    found.value.as_object().map(Some).ok_or_else(|| {
        Error::usage(format!("`{container}` is not an object"))
            .with_hint(format!("make it an object, for example `\"{container}\": {{}}`"))
    })
}

/// Returns the text of settings that contain only the entry.
fn fresh(end: &str, container: &str, shape: Shape, launch: &Launch) -> String {
    let entry = Written::map(entry::members(shape, launch));
    let servers = Written::Map(vec![(NAME.to_owned(), entry)]);
    let all = Written::Map(vec![(container.to_owned(), servers)]);
    all.lines(end, "  ", "") + end
}

/// Returns the splices that replace the first `words` words of the entry `found`, which start codedb,
/// by `launch`.
fn relaunched(found: &ObjectProp<'_>, shape: Shape, words: usize, launch: &Launch) -> Vec<Splice> {
    let entry = found.value.as_object();
    let member = |name: &str| entry.and_then(|entry| entry.get(name)).map(|member| &member.value);
    let range = |at: jsonc_parser::common::Range| at.start..at.end;
    let list = |name: &str| -> Vec<Range<usize>> {
        let elements = member(name).and_then(|value| value.as_array()).map(|list| &list.elements);
        elements.into_iter().flatten().map(|element| range(element.range())).collect()
    };
    let command = member("command").expect("an entry that moved has a command").range();
    let program = Splice { range: range(command), text: Value::from(&*launch.program).to_string() };
    let (program, list, words, new) = match shape {
        Shape::CommandAndArgs => (Some(program), list("args"), words - 1, launch.args.clone()),
        Shape::LocalCommand => {
            (None, list("command"), words, launch.iter().map(str::to_owned).collect())
        }
    };
    let list = entry::replaced(&list, words, &new).map(|(range, text)| Splice { range, text });
    let mut splices: Vec<Splice> = program.into_iter().chain(list).collect();
    splices.sort_by_key(|splice| splice.range.start);
    splices
}

/// Applies `splices` to `text` if the result differs from it only by the entry.
fn checked(
    text: &str,
    splices: Vec<Splice>,
    act: Act,
    container: &str,
    shape: Shape,
    launch: Option<&Launch>,
) -> Result<Edit> {
    let edited = spliced(text, splices);
    let refused = || {
        Error::usage("cannot be edited safely")
            .with_hint(format!("edit the entry `{NAME}` of `{container}` by hand"))
    };
    let (mut before, mut after) = (Document::parse(text)?.value(), {
        Document::parse(&edited).map_err(|_| refused())?.value()
    });
    let found = take(&mut after, container);
    take(&mut before, container);
    let is_wanted = match launch {
        Some(launch) => entry::compare(shape, &found, launch) == EntryState::Same,
        None => found.is_null(),
    };
    if is_wanted && before == after { Ok(Edit { text: edited, act }) } else { Err(refused()) }
}

/// Removes the entry from a document's value, and the object of servers if it is empty then.
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
