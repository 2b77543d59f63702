//! Adds and removes a hook, which is an element of a list: `hooks` → the event → a group with a
//! matcher → its `hooks`.

use jsonc_parser::ast::{self, Array, Object, ObjectProp, StringLit};
use serde_json::{Value, json};

use super::document::{Document, unique};
use super::members::{Splice, spliced};
use super::written::Written;
use crate::error::{Error, Result};
use crate::register::{Act, Edit, lines};

/// The member of the root object that contains the events, and that of a group that contains its
/// hooks.
const HOOKS: &str = "hooks";

/// The member of a hook that starts a program.
const COMMAND: &str = "command";

/// A hook to add or remove.
#[derive(Clone, Copy)]
pub(in crate::register) struct Hook<'a> {
    /// The event at which it runs.
    pub(in crate::register) event: &'static str,
    /// The tools for which it runs.
    pub(in crate::register) matcher: &'a str,
    /// The command line.
    pub(in crate::register) command: &'a str,
    /// Returns true for a command line that is this hook, in any version.
    pub(in crate::register) is_own: fn(&str) -> bool,
}

/// Adds `hook` to the settings `text`, or replaces the command line of the one that is there; `None`
/// if it is there with this command line, whatever its matcher.
pub(in crate::register) fn register(text: &str, hook: Hook<'_>) -> Result<Option<Edit>> {
    let adds = |text| Ok(Some(Edit { text, act: Act::Adds }));
    if text.trim().is_empty() {
        return adds(format!("{text}{}", fresh(lines::line_end(text), hook)));
    }
    let document = Document::parse(text)?;
    let Some(root) = document.root()? else {
        // The text contains only comments.
        let block = fresh(lines::line_end(text), hook);
        return adds(lines::append(text, &block.lines().collect::<Vec<_>>()));
    };
    let group = Box::new(group(hook));
    let Some(events) = object(root, HOOKS)? else {
        let splices = document.inserted(root, HOOKS, &Written::NewHooks(hook.event, group));
        return checked(text, splices, Act::Adds, hook).map(Some);
    };
    let Some(groups) = list(events, hook.event)? else {
        let splices = document.inserted(events, hook.event, &Written::NewEvent(group));
        return checked(text, splices, Act::Adds, hook).map(Some);
    };
    let Some(found) = Found::of(groups, hook) else {
        let splices = document.appended(groups, &group);
        return checked(text, splices, Act::Adds, hook).map(Some);
    };
    if found.command.value == hook.command {
        return Ok(None);
    }
    let range = found.command.range.start..found.command.range.end;
    let splices = vec![Splice { range, text: Value::from(hook.command).to_string() }];
    checked(text, splices, Act::Moves, hook).map(Some)
}

/// Removes `hook` from the settings `text`, together with everything that [`register`] created
/// around it; `None` if it is not there. Unless the hook was changed meanwhile, the result is byte
/// for byte the text before the registration.
pub(in crate::register) fn unregister(text: &str, hook: Hook<'_>) -> Result<Option<Edit>> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let document = Document::parse(text)?;
    let Some(root) = document.root()? else { return Ok(None) };
    let Some(events) = object(root, HOOKS)? else { return Ok(None) };
    let Some(groups) = list(events, hook.event)? else { return Ok(None) };
    let Some(found) = Found::of(groups, hook) else { return Ok(None) };
    let (Some(all), Some(event)) = (unique(root, HOOKS)?, unique(events, hook.event)?) else {
        return Ok(None);
    };
    let as_found = Hook { command: &found.command.value, ..hook };
    let is_original = |original: &String| {
        let registered = register(original, as_found);
        registered.is_ok_and(|edit| edit.is_some_and(|edit| edit.text == text))
    };
    let nested = Nested { root, all, events, event, groups, group: found.group };
    if let Some(original) = nested.originals(&document).into_iter().find(is_original) {
        let act = if original.is_empty() { Act::RemovesAll } else { Act::Removes };
        return Ok(Some(Edit { text: original, act }));
    }
    let splices = if found.hooks.elements.len() > 1 {
        document.removed(found.hooks, found.hook)
    } else if groups.elements.len() > 1 {
        document.removed(groups, found.group)
    } else if events.properties.len() > 1 {
        document.removed(events, event)
    } else {
        document.removed(root, all)
    };
    checked_removal(text, splices, hook).map(Some)
}

/// The place of a hook in a document.
struct Found<'a, 'b> {
    /// The group of the list of the event.
    group: &'b ast::Value<'a>,
    /// The hooks of the group.
    hooks: &'b Array<'a>,
    /// The hook itself.
    hook: &'b ast::Value<'a>,
    /// Its command line.
    command: &'b StringLit<'a>,
}

impl<'a, 'b> Found<'a, 'b> {
    /// Returns the first of the groups' hooks that is `wanted`, in any version.
    fn of(groups: &'b Array<'a>, wanted: Hook<'_>) -> Option<Found<'a, 'b>> {
        groups.elements.iter().find_map(|group| {
            let hooks = group.as_object()?.get(HOOKS)?.value.as_array()?;
            hooks.elements.iter().find_map(|hook| {
                let command = hook.as_object()?.get(COMMAND)?.value.as_string_lit()?;
                (wanted.is_own)(&command.value).then_some(Found { group, hooks, hook, command })
            })
        })
    }
}

/// A group with everything around it.
struct Nested<'a, 'b> {
    root: &'b Object<'a>,
    all: &'b ObjectProp<'a>,
    events: &'b Object<'a>,
    event: &'b ObjectProp<'a>,
    groups: &'b Array<'a>,
    group: &'b ast::Value<'a>,
}

impl Nested<'_, '_> {
    /// Returns candidates for the text before [`register`]. Registering gives this document for at
    /// most one of them.
    fn originals(&self, document: &Document<'_>) -> Vec<String> {
        let text = document.text;
        let root = self.root.range;
        let mut splices = vec![
            document.removed(self.root, self.all),
            document.removed(self.events, self.event),
            document.removed(self.groups, self.group),
        ];
        let emptied = [
            Document::emptied(self.root, self.all),
            Document::emptied(self.events, self.event),
            Document::emptied(self.groups, self.group),
        ];
        splices.extend(emptied.into_iter().flatten().map(|splice| vec![splice]));
        let mut originals = vec![
            // `register` created the root object after blanks or comments.
            text[..root.start].to_owned(),
            lines::cut(text, lines::whole_lines(text, root.start..root.end)),
        ];
        originals.extend(splices.into_iter().map(|splices| spliced(text, splices)));
        originals
    }
}

/// Returns the object that is the member `key`, if there is one.
fn object<'a, 'b>(root: &'b Object<'a>, key: &str) -> Result<Option<&'b Object<'a>>> {
    let Some(found) = unique(root, key)? else { return Ok(None) };
    found.value.as_object().map(Some).ok_or_else(|| {
        Error::usage(format!("`{key}` is not an object"))
            .with_hint(format!("make it an object, for example `\"{key}\": {{}}`"))
    })
}

/// Returns the list that is the member `key`, if there is one.
fn list<'a, 'b>(events: &'b Object<'a>, key: &str) -> Result<Option<&'b Array<'a>>> {
    let Some(found) = unique(events, key)? else { return Ok(None) };
    found.value.as_array().map(Some).ok_or_else(|| {
        Error::usage(format!("`{HOOKS}.{key}` is not a list"))
            .with_hint(format!("make it a list, for example `\"{key}\": []`"))
    })
}

fn group(hook: Hook<'_>) -> Written {
    let command = Written::map(vec![("type", json!(COMMAND)), (COMMAND, json!(hook.command))]);
    Written::Map(vec![
        ("matcher".to_owned(), Written::Leaf(json!(hook.matcher))),
        (HOOKS.to_owned(), Written::Row(vec![command])),
    ])
}

/// Returns the text of settings that contain only the hook, in the layout of the clients.
fn fresh(end: &str, hook: Hook<'_>) -> String {
    let command = Written::map(vec![("type", json!(COMMAND)), (COMMAND, json!(hook.command))]);
    let group = Written::Map(vec![
        ("matcher".to_owned(), Written::Leaf(json!(hook.matcher))),
        (HOOKS.to_owned(), Written::Column(vec![command])),
    ]);
    let events = Written::Map(vec![(hook.event.to_owned(), Written::Column(vec![group]))]);
    Written::Map(vec![(HOOKS.to_owned(), events)]).lines(end, "  ", "") + end
}

fn refused(hook: Hook<'_>) -> Error {
    Error::usage("cannot be edited safely")
        .with_hint(format!("edit the list `{HOOKS}.{}` by hand", hook.event))
}

/// Applies `splices` to `text` if the result differs from it only by the hook, which it has.
fn checked(text: &str, splices: Vec<Splice>, act: Act, hook: Hook<'_>) -> Result<Edit> {
    let edited = spliced(text, splices);
    let has_hook = register(&edited, hook).is_ok_and(|edit| edit.is_none());
    if has_hook && rest(&edited, hook)? == rest(text, hook)? {
        Ok(Edit { text: edited, act })
    } else {
        Err(refused(hook))
    }
}

/// Applies `splices` to `text` if they remove one hook and change nothing else.
fn checked_removal(text: &str, splices: Vec<Splice>, hook: Hook<'_>) -> Result<Edit> {
    let edited = spliced(text, splices);
    if rest(&edited, hook)? == rest(text, hook)? {
        Ok(Edit { text: edited, act: Act::Removes })
    } else {
        Err(refused(hook))
    }
}

/// Returns the settings without the hook, and without what is empty then.
fn rest(text: &str, hook: Hook<'_>) -> Result<Value> {
    let mut value = Document::parse(text).map_err(|_| refused(hook))?.value();
    let Some(events) = value.get_mut(HOOKS).and_then(Value::as_object_mut) else {
        return Ok(value);
    };
    if let Some(groups) = events.get_mut(hook.event).and_then(Value::as_array_mut) {
        for group in groups.iter_mut() {
            if let Some(hooks) = group.get_mut(HOOKS).and_then(Value::as_array_mut) {
                hooks.retain(|found| !found[COMMAND].as_str().is_some_and(hook.is_own));
            }
        }
        let is_empty = |group: &Value| group[HOOKS].as_array().is_some_and(Vec::is_empty);
        groups.retain(|group| !is_empty(group));
        if groups.is_empty() {
            events.remove(hook.event);
        }
    }
    if events.is_empty()
        && let Some(root) = value.as_object_mut()
    {
        root.remove(HOOKS);
    }
    Ok(value)
}

#[cfg(test)]
mod tests;
