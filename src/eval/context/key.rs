//! The key of a task, looked up in its tree, and its comparison with what a reply shows.

use std::collections::BTreeSet;

use super::shown::Entry;
use super::tasks::{self, Task};
use super::tokens::occurrences;
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::lang::{Symbol, SymbolKind};

/// Maximum length of a file that is read to check a key.
const FILE_BYTES_MAX: usize = 4 << 20;

/// Names of constructors, besides that of the type.
const CONSTRUCTORS: [&str; 6] =
    ["constructor", "__init__", "initialize", "__construct", "init", "<init>"];

/// What of a key is measured.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Files.
    Files,
    /// Definitions.
    Definitions,
    /// Ranges of lines.
    Lines,
    /// Tests.
    Tests,
}

impl Part {
    /// Every part, in order.
    pub const ALL: [Part; 4] = [Part::Files, Part::Definitions, Part::Lines, Part::Tests];
}

/// An item of a key.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Item {
    /// Its part.
    pub part: Part,
    /// Its text in the key.
    pub text: String,
    /// The path of its file.
    pub path: String,
    /// The name of a definition or of a test.
    pub name: Option<String>,
    /// Its lines, or those of the definitions of its name, from 1.
    pub lines: Vec<(usize, usize)>,
}

/// The key of a task in a tree.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Key {
    /// What is measured, in the order of the key.
    pub items: Vec<Item>,
    /// Items that are not in the tree, each with the reason. They are not measured.
    pub absent: Vec<String>,
    /// Definitions whose name is in their file, but not among the definitions that the index has. They are
    /// measured.
    pub unlisted: Vec<String>,
}

impl Key {
    /// Looks the key of a task up. O(its files).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if an index is damaged.
    pub fn of(catalog: &Catalog, task: &Task) -> Result<Key> {
        let mut key = Key::default();
        let item = |part, text: &String, path: &str, name: Option<&str>, lines| Item {
            part,
            text: text.clone(),
            path: path.to_owned(),
            name: name.map(str::to_owned),
            lines,
        };
        for path in &task.files {
            key.add(catalog, item(Part::Files, path, path, None, Vec::new()))?;
        }
        for text in &task.definitions {
            let Some((path, name)) = tasks::named(text) else { continue };
            let lines = definitions(catalog, path, name)?;
            key.add(catalog, item(Part::Definitions, text, path, Some(name), lines))?;
        }
        for text in &task.lines {
            let Some((path, first, last)) = tasks::lines(text) else { continue };
            key.add(catalog, item(Part::Lines, text, path, None, vec![(first, last)]))?;
        }
        for text in &task.tests {
            // A path with a colon does not occur among tests.
            let (path, name) =
                tasks::named(text).map_or((text.as_str(), None), |(path, name)| (path, Some(name)));
            key.add(catalog, item(Part::Tests, text, path, name, Vec::new()))?;
        }
        Ok(key)
    }

    /// Adds an item, or notes that the tree does not have it.
    fn add(&mut self, catalog: &Catalog, item: Item) -> Result<()> {
        if let Some(reason) = absence(catalog, &item)? {
            self.absent.push(format!("{}: {reason}", item.text));
            return Ok(());
        }
        if item.part == Part::Definitions && item.lines.is_empty() {
            self.unlisted.push(item.text.clone());
        }
        self.items.push(item);
        Ok(())
    }

    /// Returns the items of a part.
    pub fn of_part(&self, part: Part) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| item.part == part)
    }

    /// Returns the paths of the files and of the tests.
    pub fn files(&self) -> BTreeSet<&str> {
        let has_file = |item: &&Item| matches!(item.part, Part::Files | Part::Tests);
        self.items.iter().filter(has_file).map(|item| item.path.as_str()).collect()
    }

    /// Returns true if an entry of a reply is of use.
    pub fn uses(&self, entry: &Entry) -> bool {
        let meets = |lines: &[(usize, usize)]| {
            entry.text_lines.is_some_and(|(first, last)| {
                lines.iter().any(|(start, end)| first <= *end && *start <= last)
            })
        };
        let is_used = |item: &Item| {
            item.path == entry.path
                && match item.part {
                    Part::Files => is_file(entry),
                    Part::Definitions => is_definition(item, entry) || meets(&item.lines),
                    Part::Lines => meets(&item.lines),
                    Part::Tests => {
                        is_file(entry) || item.name.as_ref().is_some_and(|name| says(entry, name))
                    }
                }
        };
        self.items.iter().any(is_used)
    }
}

impl Item {
    /// Returns true if a reply, given as text and as entries, names or shows the item.
    pub fn is_in(&self, text: &str, entries: &[Entry]) -> bool {
        let mut own = entries.iter().filter(|entry| entry.path == self.path);
        match (self.part, &self.name) {
            (Part::Files, _) => own.next().is_some() || !occurrences(text, &self.path).is_empty(),
            (Part::Definitions, _) => own.any(|entry| is_definition(self, entry)),
            (Part::Lines, _) => own.any(|entry| {
                entry.text_lines.is_some_and(|(first, last)| {
                    self.lines.iter().any(|(start, end)| first <= *end && *start <= last)
                })
            }),
            (Part::Tests, Some(name)) => entries.iter().any(|entry| says(entry, name)),
            (Part::Tests, None) => own.any(is_file),
        }
    }
}

/// Sets the owners of entries. O(definitions of their files).
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] if an index is damaged.
pub fn set_owners(catalog: &Catalog, entries: &mut [Entry]) -> Result<()> {
    for entry in entries {
        let Some(name) = &entry.name else { continue };
        let Some(file) = catalog.find(entry.path.as_bytes()) else { continue };
        let Some(facts) = catalog.facts(file)? else { continue };
        let is_named = |symbol: &&Symbol| symbol.qualified_name == *name || symbol.name == *name;
        let named = facts.symbols.iter().filter(is_named);
        // Of several definitions of a name, the innermost around the line.
        let line = entry.line.unwrap_or_default();
        let found = named
            .max_by_key(|symbol| ((symbol.line..=symbol.end_line).contains(&line), symbol.line));
        entry.owner = found.and_then(|symbol| owner(&facts.symbols, symbol));
    }
    Ok(())
}

/// Returns the definition that a field, a member of an enumeration or a local definition belongs to.
fn owner(symbols: &[Symbol], symbol: &Symbol) -> Option<String> {
    let (mut owner, mut own) = (None, symbol);
    while let Some(parent) = own.parent.and_then(|parent| symbols.get(parent)) {
        let is_member = matches!(own.kind, SymbolKind::Field | SymbolKind::EnumMember);
        if !(is_member && parent.kind != SymbolKind::Module || parent.kind.is_callable()) {
            break;
        }
        owner = Some(parent.qualified_name.clone());
        own = parent;
    }
    owner
}

/// Returns true for an entry that stands for a whole file.
fn is_file(entry: &Entry) -> bool {
    matches!(entry.part.as_str(), "files" | "tests") || entry.name.is_none() && entry.line.is_none()
}

/// Returns true if an entry of the same file is the definition of an item, or is in it and has its name.
fn is_definition(item: &Item, entry: &Entry) -> bool {
    let (Some(wanted), Some(own)) = (&item.name, &entry.name) else { return false };
    if entry.owner.as_ref().is_some_and(|owner| is_name(wanted, owner)) {
        return true;
    }
    let is_inside = entry
        .line
        .is_some_and(|line| item.lines.iter().any(|(start, end)| (*start..=*end).contains(&line)));
    is_name(wanted, own) || is_inside && last(own).is_some() && last(own) == last(wanted)
}

/// Returns true if an entry has the name of a test in its texts.
fn says(entry: &Entry, name: &str) -> bool {
    let plain = name.rsplit(['.', ':', '#']).next().unwrap_or(name);
    let name = if name.contains(char::is_whitespace) { name } else { plain };
    entry.texts.iter().any(|text| !occurrences(text, name).is_empty())
}

/// Returns why an item is not in a tree, if so.
fn absence(catalog: &Catalog, item: &Item) -> Result<Option<&'static str>> {
    let Some(file) = catalog.find(item.path.as_bytes()) else {
        return Ok(Some("the index has no such file"));
    };
    let bytes = catalog.read(file, FILE_BYTES_MAX).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    Ok(match item.part {
        Part::Lines if item.lines.iter().any(|(_, last)| *last > text.lines().count()) => {
            Some("the file has fewer lines")
        }
        Part::Definitions if item.lines.is_empty() => {
            let name = item.name.as_deref().and_then(last);
            name.is_none_or(|name| !text.contains(&name))
                .then_some("the file does not have that name")
        }
        Part::Tests => {
            let name = item
                .name
                .as_deref()
                .map(|name| name.rsplit(['.', ':', '#']).next().unwrap_or(name));
            name.is_some_and(|name| !text.contains(name.trim()))
                .then_some("the file does not have that name")
        }
        _ => None,
    })
}

/// Returns the lines of the definitions of a name in a file.
fn definitions(catalog: &Catalog, path: &str, name: &str) -> Result<Vec<(usize, usize)>> {
    let Some(file) = catalog.find(path.as_bytes()) else { return Ok(Vec::new()) };
    let lines_of = |file: FileId, fits: &dyn Fn(&str) -> bool| -> Result<Vec<(usize, usize)>> {
        let facts = catalog.facts(file)?;
        let symbols = facts.iter().flat_map(|facts| &facts.symbols);
        let fitting = symbols.filter(|symbol| fits(&symbol.qualified_name) || fits(&symbol.name));
        Ok(fitting.map(|symbol| (symbol.line, symbol.end_line)).collect())
    };
    let found = lines_of(file, &|own| is_name(name, own))?;
    if !found.is_empty() { Ok(found) } else { lines_of(file, &|own| is_constructor(name, own)) }
}

/// Returns true if a qualified name is the wanted one: the last names are equal, and the other names of
/// `wanted` are among those of `own`, which may be qualified further.
pub fn is_name(wanted: &str, own: &str) -> bool {
    let (wanted, own) = (names(wanted), names(own));
    let (Some((last, around)), Some((own_last, own_around))) =
        (wanted.split_last(), own.split_last())
    else {
        return false;
    };
    last == own_last && around.iter().all(|name| own_around.contains(name))
}

/// Returns true if `own` is a constructor of the type that `wanted` names as `Type.Type`, or by another of
/// the names of constructors.
fn is_constructor(wanted: &str, own: &str) -> bool {
    let (wanted, own) = (names(wanted), names(own));
    let ([.., class, last], [.., own_class, own_last]) = (&wanted[..], &own[..]) else {
        return false;
    };
    let is_one =
        |class: &String, last: &String| class == last || CONSTRUCTORS.contains(&last.as_str());
    class == own_class && is_one(class, last) && is_one(own_class, own_last)
}

/// Returns the last name of a qualified one.
fn last(name: &str) -> Option<String> {
    names(name).pop()
}

/// Returns the names of a qualified name, without arguments and parameters: `T` and `m` of `(*T).m`,
/// `T::<A>::m(int)` and `<T as A>::m`; an operator is one name.
fn names(name: &str) -> Vec<String> {
    let name = name.trim();
    let name = name.strip_prefix("impl ").unwrap_or(name);
    // A receiver of Go is in parentheses, parameters follow a name.
    let name = if name.starts_with('(') { name } else { name.split('(').next().unwrap_or(name) };
    let mut out = Vec::new();
    let mut own = String::new();
    let mut depth = 0;
    for (at, c) in name.char_indices() {
        match c {
            // `<T as A>::m` begins with a type.
            '<' if at > 0 => depth += 1,
            '>' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            c if c.is_alphanumeric() || matches!(c, '_' | '$' | '?' | '!' | '=' | '-' | '@') => {
                own.push(c);
            }
            _ => out.push(std::mem::take(&mut own)),
        }
    }
    out.push(own);
    out.retain(|name| !name.is_empty() && name != "as");
    if out.is_empty() && !name.is_empty() {
        out.push(name.to_owned());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_their_last_part_and_the_scopes_of_the_key() {
        for (wanted, own) in [
            ("processLog", "Raft.processLog"),
            ("(*Raft).processLog", "Raft.processLog"),
            ("Raft.processLog", "Raft.processLog"),
            ("Client::<T>::send", "client.Client.send"),
            ("<Cart as Display>::fmt", "impl Display for Cart::fmt"),
            ("Cart#add!", "Shop::Cart#add!"),
            ("Outer.Inner.add(int)", "Outer.Inner.add"),
        ] {
            assert!(is_name(wanted, own), "{wanted} {own}");
        }
        for (wanted, own) in [
            ("Raft.processLog", "FSM.processLog"),
            ("process", "processLog"),
            ("A.m", "m"),
            ("", "m"),
        ] {
            assert!(!is_name(wanted, own), "{wanted} {own}");
        }
        assert!(is_constructor("Cart.Cart", "Cart.constructor"));
        assert!(!is_constructor("Cart.Cart", "Cart.add"));
    }

    #[test]
    fn calls_count_by_name_or_by_their_line_in_the_definition() {
        let item = Item {
            part: Part::Definitions,
            text: String::new(),
            path: "a".into(),
            name: Some("T.m".into()),
            lines: vec![(4, 9)],
        };
        let call = |name: &str, line| Entry {
            part: "calls".into(),
            path: "a".into(),
            name: Some(name.into()),
            line: Some(line),
            ..Entry::default()
        };
        assert!(is_definition(&item, &call("T.m", 1)) && is_definition(&item, &call("m", 5)));
        assert!(!is_definition(&item, &call("m", 10)) && !is_definition(&item, &call("n", 5)));
    }
}
